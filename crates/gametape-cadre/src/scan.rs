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
    #[inline]
    fn of(block: &[u8; BLOCK]) -> Self {
        let mut masks = Self { quotes: 0, backslashes: 0, opens: 0, closes: 0 };
        for (i, lane) in block.as_chunks::<16>().0.iter().enumerate() {
            let bytes = i8x16::from(lane.map(|b| b as i8));
            // Bit 5 makes `[` a `{` and `]` a `}`, and nothing else one of them.
            let folded = bytes | i8x16::splat(0x20);
            masks.quotes |= equal(bytes, b'"') << (16 * i);
            masks.backslashes |= equal(bytes, b'\\') << (16 * i);
            masks.opens |= equal(folded, b'{') << (16 * i);
            masks.closes |= equal(folded, b'}') << (16 * i);
        }
        masks
    }
}

/// One bit per byte of the lane that equals `byte`.
#[inline]
fn equal(lane: i8x16, byte: u8) -> u64 {
    u64::from(lane.cmp_eq(i8x16::splat(byte as i8)).move_mask() as u16)
}

/// What is carried from one block to the next.
#[derive(Default)]
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

/// The offset just past the container whose opening bracket is at `start`.
///
/// Brackets are counted, not paired: `[}` passes here and fails where the body is read.
pub(crate) fn skip_container(text: &[u8], start: usize) -> Result<usize> {
    let mut carry = Carry::default();
    let mut depth = 0u64;
    let (blocks, rest) = text[start..].as_chunks::<BLOCK>();
    for (i, block) in blocks.iter().enumerate() {
        if let Some(end) = close_in_block(block, &mut carry, &mut depth) {
            return Ok(start + i * BLOCK + end);
        }
    }
    let mut last = [b' '; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    match close_in_block(&last, &mut carry, &mut depth) {
        Some(end) => Ok(start + blocks.len() * BLOCK + end),
        None => Err(unclosed(text, start)),
    }
}

/// Where in the block the depth comes back to zero (the position after), if it does.
#[inline]
fn close_in_block(block: &[u8; BLOCK], carry: &mut Carry, depth: &mut u64) -> Option<usize> {
    let (opens, closes) = carry.brackets(&Masks::of(block));
    let closing = u64::from(closes.count_ones());
    if *depth > closing {
        *depth = *depth + u64::from(opens.count_ones()) - closing;
        return None;
    }
    let mut both = opens | closes;
    while both != 0 {
        let bit = both & both.wrapping_neg();
        if opens & bit != 0 {
            *depth += 1;
        } else {
            *depth -= 1;
            if *depth == 0 {
                return Some(bit.trailing_zeros() as usize + 1);
            }
        }
        both ^= bit;
    }
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
        skip_container(text.as_bytes(), 0).ok()
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
    fn a_hundred_thousand_levels_are_skipped() {
        let text = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(end_of(&text), Some(200_000));
        assert_eq!(end_of(&text[..199_999]), None);
    }
}
