//! Finding the end of a JSON value without looking at what is in it.
//!
//! Text is taken in blocks of 64 bytes. For each block four bit masks say where quotes,
//! backslashes and brackets are; a few operations on them say which brackets are outside of
//! strings, and how far the depth can fall. A block in which it cannot come back to zero costs
//! nothing more. So nesting of any depth is skipped in constant memory, at many bytes per
//! nanosecond.
//!
//! Blocks are taken many at a time, by instructions as wide as the processor has them.

use fearless_simd::{Level, Simd, dispatch, prelude::*, u8x64};
use gametape_wire::{Error, ErrorKind};

const BLOCK: usize = 64;

/// The most and the fewest blocks that are taken at a time.
const MOST_AHEAD: usize = 64;
const LEAST_AHEAD: usize = 4;

/// Where the structural bytes of one block are; bit n is for byte n.
struct Masks {
    quotes: u64,
    backslashes: u64,
    opens: u64,
    closes: u64,
}

impl Masks {
    #[inline(always)]
    fn of<S: Simd>(simd: S, block: &[u8; BLOCK]) -> Self {
        let bytes = u8x64::from_slice(simd, block);
        // Bit 5 makes `[` a `{` and `]` a `}`, and nothing else one of them.
        let folded = bytes | 0x20;
        Self {
            quotes: bytes.simd_eq(b'"').to_bitmask(),
            backslashes: bytes.simd_eq(b'\\').to_bitmask(),
            opens: folded.simd_eq(b'{').to_bitmask(),
            closes: folded.simd_eq(b'}').to_bitmask(),
        }
    }
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
    /// Takes blocks, of which each becomes one of `taken`.
    #[inline(always)]
    fn take<S: Simd>(&mut self, simd: S, blocks: &[[u8; BLOCK]], taken: &mut [Brackets]) {
        // A copy of its own stays in registers.
        let mut carry = self.clone();
        for (block, taken) in blocks.iter().zip(taken) {
            *taken = carry.brackets(&Masks::of(simd, block));
        }
        *self = carry;
    }

    #[inline(always)]
    fn brackets(&mut self, masks: &Masks) -> Brackets {
        let quotes = masks.quotes & !self.escaped_bytes(masks.backslashes);
        let strings = prefix_xor(quotes) ^ self.in_string;
        self.in_string = ((strings as i64) >> 63) as u64;
        Brackets::new(masks.opens & !strings, masks.closes & !strings)
    }

    /// Which bytes have an odd run of backslashes before them.
    #[inline(always)]
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
#[inline(always)]
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

/// The brackets of a block that are outside of strings.
#[derive(Debug, Clone, Copy, Default)]
struct Brackets {
    opens: u64,
    closes: u64,
    /// By how much the depth falls in the block, at most, and by how much it then rises again.
    fall: u32,
    rise: u32,
}

impl Brackets {
    #[inline(always)]
    fn new(opens: u64, closes: u64) -> Self {
        let slopes = Slopes::of(opens, closes);
        let rise = slopes.ups.count_ones() + slopes.last_up;
        Self { opens, closes, fall: slopes.downs.count_ones(), rise }
    }
}

/// Brackets that change the depth, without pairs of neighbours that leave it as it was.
struct Slopes {
    /// Brackets that show that the one before went up.
    ups: u64,
    downs: u64,
    /// 1 when the last bracket goes up.
    last_up: u32,
}

impl Slopes {
    #[inline(always)]
    fn of(opens: u64, closes: u64) -> Self {
        let both = opens | closes;
        // Brackets that follow an opening one: a carry runs to them over what is no bracket. Those
        // of them that close make a pair.
        let after_open = (opens << 1).wrapping_add(!both) & both;
        let (ups, downs) = (opens & after_open, closes & !after_open);
        Self { ups, downs, last_up: u32::from(opens > closes) }
    }

    /// Follows the slopes from a depth that is not zero. Where it becomes zero (the position
    /// after), if it does.
    #[inline(always)]
    fn descend(&self, depth: &mut u32) -> Option<usize> {
        let mut left = self.ups | self.downs;
        while left != 0 {
            let bit = left & left.wrapping_neg();
            if self.ups & bit != 0 {
                *depth += 1;
            } else {
                *depth -= 1;
                if *depth == 0 {
                    return Some(bit.trailing_zeros() as usize + 1);
                }
            }
            left ^= bit;
        }
        *depth += self.last_up;
        None
    }
}

/// Skips containers of one text. What it found out about the blocks after the end of one serves the
/// next.
#[derive(Debug, Clone, Default)]
pub(crate) struct Skimmer {
    blocks: Vec<Brackets>,
    /// Where the first block begins.
    start: usize,
    carry: Carry,
}

impl Skimmer {
    /// The offset just past the container whose opening bracket is at `start`, outside of strings;
    /// none when it does not end.
    ///
    /// Brackets are counted, not paired: `[}` passes here and fails where the body is read.
    #[inline(always)]
    pub(crate) fn skip(&mut self, text: &[u8], start: usize) -> Option<usize> {
        let offset = self.reach(text, start);
        let mut block = offset / BLOCK;
        // The opening bracket itself counts before the rest of its block does.
        let rest = (u64::MAX << (offset % BLOCK)) << 1;
        let Brackets { opens, closes, .. } = self.blocks[block];
        let mut depth = 1;
        let mut end = Slopes::of(opens & rest, closes & rest).descend(&mut depth);
        while end.is_none() {
            block = self.run_down(text, block + 1, &mut depth);
            let last = self.blocks.get(block)?;
            end = Slopes::of(last.opens, last.closes).descend(&mut depth);
        }
        Some(self.start + block * BLOCK + end?)
    }

    /// Goes over the blocks from `block` on to the first in which the depth may become zero.
    #[inline(always)]
    fn run_down(&mut self, text: &[u8], mut block: usize, depth: &mut u32) -> usize {
        loop {
            while let Some(next) = self.blocks.get(block) {
                if next.fall >= *depth {
                    return block;
                }
                *depth = *depth - next.fall + next.rise;
                block += 1;
            }
            let after = self.start + self.blocks.len() * BLOCK;
            if after >= text.len() {
                return block;
            }
            self.take(text, after);
            block = 0;
        }
    }

    /// Goes to the blocks with `start` and says where in them that is.
    #[inline(always)]
    fn reach(&mut self, text: &[u8], start: usize) -> usize {
        if start.wrapping_sub(self.start) >= self.blocks.len() * BLOCK {
            self.carry = Carry::default();
            self.take(text, start);
        }
        start - self.start
    }

    /// Takes the next blocks, which begin at `start`: the more, the more it took before.
    #[inline(never)]
    fn take(&mut self, text: &[u8], start: usize) {
        let ahead = (self.blocks.len() * 2).clamp(LEAST_AHEAD, MOST_AHEAD);
        let text = &text[start..text.len().min(start + ahead * BLOCK)];
        let (whole, rest) = text.as_chunks();
        self.start = start;
        self.blocks.resize(text.len().div_ceil(BLOCK), Brackets::default());
        let (carry, blocks) = (&mut self.carry, &mut *self.blocks);
        dispatch!(Level::new(), simd => carry.take(simd, whole, blocks));
        if !rest.is_empty() {
            let mut block = [b' '; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            let blocks = &mut blocks[whole.len()..];
            dispatch!(Level::new(), simd => carry.take(simd, &[block], blocks));
        }
    }
}

/// The error for a container at `start` that does not end.
#[cold]
pub(crate) fn unclosed(text: &[u8], start: usize) -> Error {
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
        Skimmer::default().skip(text.as_bytes(), 0)
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
