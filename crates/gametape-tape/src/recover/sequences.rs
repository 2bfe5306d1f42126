//! Which sequence numbers were seen.

use std::ops::Range;

use crate::layout::chunk_header::ChunkHeader;

/// A set of sequence numbers; its size is bounded by the limit on chunks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sequences {
    whole: Bits,
    lost: Bits,
    /// The least number of counted chunks that there were.
    count: u32,
}

#[derive(Debug, Clone, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn contains(&self, number: u32) -> bool {
        let word = self.0.get(number as usize / 64).copied().unwrap_or(0);
        word & 1 << (number % 64) != 0
    }

    fn insert(&mut self, number: u32) {
        let word = number as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (number % 64);
    }
}

impl Sequences {
    /// Notes a whole chunk; `false` when there was one with its number already.
    pub(crate) fn take(&mut self, header: &ChunkHeader) -> bool {
        let number = header.sequence;
        if !header.kind.is_counted() {
            self.count = self.count.max(number);
            return true;
        }
        self.count = self.count.max(number + 1);
        let is_new = !self.whole.contains(number);
        self.whole.insert(number);
        is_new
    }

    /// Notes a chunk of which only the header is left: it is lost, but not missing without a trace.
    pub(crate) fn mark_lost(&mut self, header: &ChunkHeader) {
        if header.kind.is_counted() {
            self.count = self.count.max(header.sequence + 1);
            self.lost.insert(header.sequence);
        }
    }

    /// Runs of numbers that neither a whole nor a damaged chunk has.
    pub(crate) fn missing(&self) -> Vec<Range<u32>> {
        let mut runs: Vec<Range<u32>> = Vec::new();
        let is_missing = |&n: &u32| !self.whole.contains(n) && !self.lost.contains(n);
        for number in (0..self.count).filter(is_missing) {
            match runs.last_mut() {
                Some(run) if run.end == number => run.end += 1,
                _ => runs.push(number..number + 1),
            }
        }
        runs
    }
}
