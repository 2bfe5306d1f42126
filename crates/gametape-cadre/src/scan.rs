//! Finding the end of a JSON value without looking at what is in it.
//!
//! Text is taken in blocks of 64 bytes. For each block four bit masks say where quotes,
//! backslashes and brackets are; a few operations on them tell which brackets stand outside of
//! strings. A block in which the depth cannot come back to zero costs nothing more. So nesting of
//! any depth is skipped in constant memory, at several bytes per nanosecond.

use gametape_wire::{Error, ErrorKind, Result};
use wide::{CmpEq, i8x16};

const BLOCK: usize = 64;

/// Where the structural bytes of one block are; bit n stands for byte n.
struct Masks {
    quotes: u64,
    backslashes: u64,
    opens: u64,
    closes: u64,
}

impl Masks {
    #[inline(always)]
    fn of(block: &[u8; BLOCK]) -> Self {
        let lanes: [i8x16; 4] =
            std::array::from_fn(|i| i8x16::from(block.as_chunks().0[i].map(|byte| byte as i8)));
        // Bit 5 makes `[` a `{` and `]` a `}`, and nothing else one of them.
        let folded = lanes.map(|lane| lane | i8x16::splat(0x20));
        let escapes = lanes.map(|lane| lane.cmp_eq(i8x16::splat(b'\\' as i8)));
        // Most blocks have no backslash: one look instead of four.
        let any_escape = (escapes[0] | escapes[1] | escapes[2] | escapes[3]).move_mask() != 0;
        Self {
            quotes: equal(&lanes, b'"'),
            backslashes: if any_escape { joined(&escapes) } else { 0 },
            opens: equal(&folded, b'{'),
            closes: equal(&folded, b'}'),
        }
    }

    /// Of a block that the text does not fill.
    #[cold]
    fn of_rest(rest: &[u8]) -> Self {
        let mut block = [b' '; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        Self::of(&block)
    }
}

/// One bit per byte of the lanes that equals `byte`.
#[inline(always)]
fn equal(lanes: &[i8x16; 4], byte: u8) -> u64 {
    joined(&lanes.map(|lane| lane.cmp_eq(i8x16::splat(byte as i8))))
}

/// One bit per byte of the lanes: its uppermost one.
#[inline(always)]
fn joined(lanes: &[i8x16; 4]) -> u64 {
    let [a, b, c, d] = lanes.map(|lane| u64::from(lane.move_mask() as u16));
    (a | b << 16) | (c | d << 16) << 32
}

/// What is carried from one block to the next.
#[derive(Debug, Clone, Default)]
struct Carry {
    /// All ones while inside a string.
    in_string: u64,
    /// 1 when the last byte of the block escapes the first byte of the next.
    escaped: u64,
}

impl Carry {
    /// The brackets of the block that stand outside of strings: opening, closing.
    #[inline]
    fn brackets(&mut self, masks: &Masks) -> (u64, u64) {
        let quotes = masks.quotes & !self.escaped_bytes(masks.backslashes);
        let strings = prefix_xor(quotes) ^ self.in_string;
        self.in_string = ((strings as i64) >> 63) as u64;
        (masks.opens & !strings, masks.closes & !strings)
    }

    /// Which bytes have an odd run of backslashes before them.
    #[inline]
    fn escaped_bytes(&mut self, backslashes: u64) -> u64 {
        if backslashes == 0 {
            return std::mem::take(&mut self.escaped);
        }
        let mut escaped = self.escaped;
        let mut pending = backslashes & !escaped;
        self.escaped = 0;
        // Each round takes one backslash that escapes, and the byte it escapes.
        while pending != 0 {
            let bit = pending & pending.wrapping_neg();
            match bit.checked_shl(1).filter(|next| *next != 0) {
                Some(next) => escaped |= next,
                None => self.escaped = 1,
            }
            pending &= !(bit | bit << 1);
        }
        escaped
    }
}

/// Bit n of the result is the parity of bits 0..=n.
#[inline]
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

/// Skips containers of one text. What it found out about the block it stopped in serves the next
/// container, when that begins in the same block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Skimmer {
    /// Where the block begins.
    block: usize,
    is_taken: bool,
    /// Its brackets outside of strings.
    opens: u64,
    closes: u64,
    carry: Carry,
}

impl Skimmer {
    /// The offset just past the container whose opening bracket is at `start`, outside of strings.
    ///
    /// Brackets are counted, not paired: `[}` passes here and fails where the body is read.
    #[inline(always)]
    pub(crate) fn skip(&mut self, text: &[u8], start: usize) -> Result<usize> {
        let rest = u64::MAX << self.reach(text, start);
        // The opening bracket itself counts before the rest of its block does.
        let opens = self.opens & rest;
        let mut depth = 1;
        let mut end = close(opens & opens.wrapping_sub(1), self.closes & rest, &mut depth);
        while end.is_none() {
            self.block += BLOCK;
            if self.block >= text.len() {
                return Err(unclosed(text, start));
            }
            self.take_block(text);
            end = close(self.opens, self.closes, &mut depth);
        }
        Ok(self.block + end.unwrap_or(0))
    }

    /// Goes to the block with `start` and says where in it that is.
    #[inline(always)]
    fn reach(&mut self, text: &[u8], start: usize) -> usize {
        let offset = start.wrapping_sub(self.block);
        if self.is_taken && offset < BLOCK {
            return offset;
        }
        if self.is_taken && offset < 2 * BLOCK {
            self.block += BLOCK;
        } else {
            *self = Self { block: start, is_taken: true, ..Self::default() };
        }
        self.take_block(text);
        start - self.block
    }

    #[inline(always)]
    fn take_block(&mut self, text: &[u8]) {
        let masks = match text[self.block..].first_chunk() {
            Some(block) => Masks::of(block),
            None => Masks::of_rest(&text[self.block..]),
        };
        (self.opens, self.closes) = self.carry.brackets(&masks);
    }
}

/// How many bits are set: quick for the few that brackets leave over, and where the processor is
/// not known to count.
#[inline]
fn few_ones(bits: u64) -> u64 {
    let second = bits & bits.wrapping_sub(1);
    let third = second & second.wrapping_sub(1);
    if third != 0 {
        return u64::from(bits.count_ones());
    }
    u64::from(bits != 0) + u64::from(second != 0)
}

/// Where in the block the depth, which is not zero, becomes zero (the position after), if it does.
#[inline]
fn close(opens: u64, closes: u64, depth: &mut u64) -> Option<usize> {
    let both = opens | closes;
    // Brackets that follow an opening one: a carry runs to them over what is no bracket. Those of
    // them that close make a pair that leaves the depth as it was. What is left: brackets that go
    // down, and brackets that show that the one before went up.
    let after_open = (opens << 1).wrapping_add(!both) & both;
    let (ups, downs) = (opens & after_open, closes & !after_open);
    let last_up = u64::from(opens > closes);
    let closing = few_ones(downs);
    if *depth > closing {
        *depth = *depth + few_ones(ups) + last_up - closing;
        return None;
    }
    let mut left = ups | downs;
    while left != 0 {
        let bit = left & left.wrapping_neg();
        if ups & bit != 0 {
            *depth += 1;
        } else {
            *depth -= 1;
            if *depth == 0 {
                return Some(bit.trailing_zeros() as usize + 1);
            }
        }
        left ^= bit;
    }
    *depth += last_up;
    None
}

#[cold]
fn unclosed(text: &[u8], start: usize) -> Error {
    let item = if text[start] == b'{' { "object" } else { "array" };
    truncated_at(text.len(), item)
}

/// The error for text that ends inside of `item`.
#[cold]
pub(crate) fn truncated_at(end: usize, item: &'static str) -> Error {
    Error::at(end as u64, item, ErrorKind::Truncated { needed: 1, available: 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of(text: &str) -> Option<usize> {
        Skimmer::default().skip(text.as_bytes(), 0).ok()
    }

    #[test]
    fn strings_hide_brackets_and_escapes_hide_quotes() {
        assert_eq!(end_of(r#"{}x"#), Some(2));
        assert_eq!(end_of(r#"{"}":["]"]}]"#), Some(11));
        assert_eq!(end_of(r#"["\"]"] "#), Some(7));
        assert_eq!(end_of(r#"["\\"] "#), Some(6));
        assert_eq!(end_of(r#"["\\\"]"#), None);
        assert_eq!(end_of("{\"a\":[1,2}"), None);
    }

    #[test]
    fn escapes_carry_over_every_block_border() {
        for padding in 50..140 {
            for backslashes in 0..6 {
                let inner = format!("{}{}", "x".repeat(padding), "\\\\".repeat(backslashes));
                let text = format!("[\"{inner}\\\"]\"] tail");
                assert_eq!(end_of(&text), Some(text.len() - 5), "{text}");
            }
        }
    }

    #[test]
    fn one_skimmer_skips_many_containers() {
        let text = format!("[1]{}[\"]\"],{{\"a\":[2]}}{}[3],[4]", " ".repeat(30), " ".repeat(90));
        let mut skimmer = Skimmer::default();
        let mut starts = vec![0, 33, 39];
        starts.extend([text.len() - 7, text.len() - 3]);
        for round in 0..2 {
            for &start in &starts {
                let end = skimmer.skip(text.as_bytes(), start).unwrap();
                assert_eq!(Some(end - start), end_of(&text[start..]), "{round} {start}");
            }
        }
    }

    #[test]
    fn a_hundred_thousand_levels_are_skipped() {
        let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(end_of(&text), Some(200_000));
        assert_eq!(end_of(&text[..199_999]), None);
    }
}
