//! Blocks that were read, and which requests get those that were not.

use std::collections::HashMap;
use std::ops::Range;

/// Bytes of a block: what a request gets at least.
pub(crate) const BLOCK: u64 = 64 << 10;
/// Blocks that are kept: 32 MiB.
const KEPT: usize = 512;
/// Blocks of one request at most: 4 MiB.
const RUN: u64 = 64;
/// Blocks between two that are wanted, which are read rather than asked for with two requests.
const BRIDGED: u64 = 4;

/// Blocks that were read. Those that were used last are kept.
#[derive(Debug, Default)]
pub(crate) struct Blocks {
    kept: HashMap<u64, Kept>,
    clock: u64,
    /// The block after the last request, and how many that one had: who reads on gets twice as many.
    ahead: Option<(u64, u64)>,
}

#[derive(Debug)]
struct Kept {
    bytes: Vec<u8>,
    used: u64,
}

impl Blocks {
    /// Keeps what a request got, from the start of a block on.
    pub(crate) fn keep(&mut self, start: u64, bytes: &[u8]) {
        for (number, block) in (start / BLOCK..).zip(bytes.chunks(BLOCK as usize)) {
            self.clock += 1;
            self.kept.insert(number, Kept { bytes: block.to_vec(), used: self.clock });
        }
    }

    /// Forgets what was not used for long.
    pub(crate) fn trim(&mut self) {
        let over = self.kept.len().saturating_sub(KEPT);
        if over > 0 {
            let mut used: Vec<(u64, u64)> =
                self.kept.iter().map(|(number, kept)| (kept.used, *number)).collect();
            used.sort_unstable();
            used.iter().take(over).for_each(|(_, number)| drop(self.kept.remove(number)));
        }
    }

    /// Copies a range whose blocks are all there; `None` where one is missing.
    pub(crate) fn copy(&mut self, range: &Range<u64>) -> Option<Vec<u8>> {
        let mut bytes = Vec::with_capacity((range.end - range.start) as usize);
        for number in blocks_of(range) {
            self.clock += 1;
            let kept = self.kept.get_mut(&number)?;
            kept.used = self.clock;
            let start = number * BLOCK;
            let from = range.start.saturating_sub(start) as usize;
            let to = (range.end - start).min(BLOCK) as usize;
            bytes.extend_from_slice(kept.bytes.get(from..to)?);
        }
        Some(bytes)
    }

    /// The requests that get what is missing of these ranges, in an object of this length.
    pub(crate) fn requests(&mut self, ranges: &[Range<u64>], length: u64) -> Vec<Range<u64>> {
        let mut missing: Vec<u64> = ranges.iter().flat_map(blocks_of).collect();
        missing.retain(|number| !self.kept.contains_key(number));
        missing.sort_unstable();
        missing.dedup();
        let Some(&first) = missing.first() else { return Vec::new() };
        let mut runs = runs_of(&missing);
        let grown = match self.ahead {
            Some((at, count)) if at == first => (count * 2).min(RUN),
            _ => 1,
        };
        if let [run] = &mut runs[..] {
            run.end = run.end.max(run.start + grown);
        }
        let count = runs.iter().map(|run| run.end - run.start).sum();
        self.ahead = runs.last().map(|run| (run.end, count));
        let bytes = |run: Range<u64>| run.start * BLOCK..(run.end * BLOCK).min(length);
        runs.into_iter().map(bytes).collect()
    }
}

/// The blocks that have something of a range.
fn blocks_of(range: &Range<u64>) -> Range<u64> {
    if range.is_empty() { 0..0 } else { range.start / BLOCK..range.end.div_ceil(BLOCK) }
}

/// Blocks that are near each other together, none of the runs longer than a request may be.
fn runs_of(blocks: &[u64]) -> Vec<Range<u64>> {
    let mut runs: Vec<Range<u64>> = Vec::new();
    for &block in blocks {
        match runs.last_mut() {
            Some(run) if block < run.start + RUN && block <= run.end + BRIDGED => {
                run.end = block + 1;
            }
            _ => runs.push(block..block + 1),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: u64 = 1000 * BLOCK + 7;

    fn blocks(blocks: &mut Blocks, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        let requests = blocks.requests(ranges, LENGTH);
        for request in &requests {
            let bytes: Vec<u8> = request.clone().map(|offset| offset as u8).collect();
            blocks.keep(request.start, &bytes);
        }
        requests.iter().map(|bytes| bytes.start / BLOCK..bytes.end.div_ceil(BLOCK)).collect()
    }

    #[test]
    fn near_ranges_are_one_request_and_far_ones_are_not() {
        let mut kept = Blocks::default();
        let at = |block: u64| block * BLOCK + 10..block * BLOCK + 20;
        assert_eq!(blocks(&mut kept, &[at(3), at(5), at(30)]), [3..6, 30..31]);
        assert!(blocks(&mut kept, &[at(3), at(4), at(30)]).is_empty(), "all are there");
        assert_eq!(kept.copy(&at(5)).unwrap(), (10..20).collect::<Vec<u8>>());
        assert_eq!(kept.copy(&at(7)), None);
    }

    #[test]
    fn whoever_reads_on_gets_more_at_once() {
        let mut kept = Blocks::default();
        let mut requests = 0;
        for start in (0..LENGTH - 1000).step_by(1000) {
            requests += blocks(&mut kept, std::slice::from_ref(&(start..start + 1000))).len();
            kept.trim();
            assert!(kept.kept.len() <= KEPT);
        }
        assert!((16..=22).contains(&requests), "62.5 MB in {requests} requests");
    }

    #[test]
    fn a_large_range_is_divided_and_the_last_block_is_short() {
        let mut kept = Blocks::default();
        let requests = kept.requests(&vec![0..LENGTH; 1], LENGTH);
        assert_eq!(requests.len(), 16);
        assert_eq!(requests[0], 0..RUN * BLOCK);
        assert_eq!(requests[15].end, LENGTH);
        assert!(kept.requests(std::slice::from_ref(&(5..5)), LENGTH).is_empty());
    }
}
