//! The bytes of a recording that are there: blocks that the page supplied.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use gametape_wire::{Error, Result, SortedMap, Source, check_range};

/// Bytes are asked for in blocks of this size: one request instead of many small ones.
const BLOCK: u64 = 64 << 10;
/// Blocks that are kept from one request to the next: 16 MiB.
const KEPT: usize = 256;

/// A recording of which some blocks are there. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Blocks {
    shared: Rc<RefCell<Shared>>,
}

#[derive(Debug, Default)]
struct Shared {
    length: u64,
    blocks: SortedMap<u64, Block>,
    /// Numbers of blocks that somebody needs.
    missing: BTreeSet<u64>,
    /// Counts uses.
    clock: u64,
}

#[derive(Debug)]
struct Block {
    bytes: Rc<[u8]>,
    last_use: u64,
}

impl Blocks {
    /// A recording of this length, of which nothing is there.
    pub(crate) fn new(length: u64) -> Self {
        Self { shared: Rc::new(RefCell::new(Shared { length, ..Shared::default() })) }
    }

    /// The recording grows: these bytes follow its last one.
    pub(crate) fn append(&self, mut bytes: &[u8]) {
        let shared = &mut *self.shared.borrow_mut();
        while !bytes.is_empty() {
            let (number, used) = (shared.length / BLOCK, shared.length % BLOCK);
            let (part, rest) = bytes.split_at(bytes.len().min((BLOCK - used) as usize));
            let last_use = shared.clock;
            let before = shared.blocks.get(&number).map(|block| Rc::clone(&block.bytes));
            match before {
                Some(before) if before.len() as u64 == used => {
                    let bytes = [&before, part].concat().into();
                    shared.blocks.insert(number, Block { bytes, last_use });
                }
                None if used == 0 => {
                    shared.blocks.insert(number, Block { bytes: part.into(), last_use });
                }
                // Its beginning is not here any more: it is asked for when it is needed.
                _ => drop(shared.blocks.remove(&number)),
            }
            shared.length += part.len() as u64;
            bytes = rest;
        }
    }

    /// The ranges that are missing, ascending; neighbours are one.
    pub(crate) fn missing(&self) -> Vec<Range<u64>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        let shared = self.shared.borrow();
        for number in &shared.missing {
            let range = number * BLOCK..((number + 1) * BLOCK).min(shared.length);
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range),
            }
        }
        ranges
    }

    /// Bytes that were missing, from the start of a block on; a part of a block at the end is ignored, unless it is the
    /// last of the recording.
    pub(crate) fn supply(&self, start: u64, bytes: &[u8]) {
        let mut shared = self.shared.borrow_mut();
        for (block, number) in bytes.chunks(BLOCK as usize).zip(start / BLOCK..) {
            let expected = BLOCK.min(shared.length.saturating_sub(number * BLOCK));
            if block.len() as u64 == expected && start.is_multiple_of(BLOCK) {
                shared.missing.remove(&number);
                let last_use = shared.clock;
                shared.blocks.insert(number, Block { bytes: block.into(), last_use });
            }
        }
    }

    /// A request is done: what it did not get is no longer needed, and the blocks that were used last are kept.
    pub(crate) fn settle(&self) {
        let shared = &mut *self.shared.borrow_mut();
        shared.missing.clear();
        shared.clock += 1;
        while shared.blocks.len() > KEPT {
            let oldest = shared.blocks.iter().min_by_key(|(_, block)| block.last_use);
            let Some(oldest) = oldest.map(|(number, _)| *number) else { break };
            shared.blocks.remove(&oldest);
        }
    }

    /// Is something missing?
    pub(crate) fn is_waiting(&self) -> bool {
        !self.shared.borrow().missing.is_empty()
    }

    fn numbers(range: &Range<u64>) -> Range<u64> {
        range.start / BLOCK..range.end.div_ceil(BLOCK)
    }
}

impl Source for Blocks {
    fn length(&self) -> u64 {
        self.shared.borrow().length
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.prepare(std::slice::from_ref(&range))?;
        let shared = &mut *self.shared.borrow_mut();
        let clock = shared.clock;
        let mut bytes = Vec::with_capacity((range.end - range.start) as usize);
        for (number, block) in shared.blocks.range_mut(Self::numbers(&range)) {
            block.last_use = clock;
            let offset = |at: u64| at.saturating_sub(number * BLOCK).min(block.bytes.len() as u64);
            bytes.extend_from_slice(
                &block.bytes[offset(range.start) as usize..offset(range.end) as usize],
            );
        }
        Ok(Cow::Owned(bytes))
    }

    fn prepare(&mut self, ranges: &[Range<u64>]) -> Result<()> {
        let shared = &mut *self.shared.borrow_mut();
        for range in ranges {
            check_range(range, shared.length)?;
            let absent = Self::numbers(range).filter(|number| !shared.blocks.contains_key(number));
            shared.missing.extend(absent);
        }
        match shared.missing.first() {
            None => Ok(()),
            Some(first) => {
                Err(Error::unreadable(first * BLOCK, "recording", "these bytes are not there yet"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording() -> Vec<u8> {
        (0..BLOCK * 5 + 100).map(|at| ((at * 7) >> 3) as u8).collect()
    }

    fn supply_all(blocks: &Blocks, bytes: &[u8]) {
        for range in blocks.missing() {
            blocks.supply(range.start, &bytes[range.start as usize..range.end as usize]);
        }
    }

    #[test]
    fn what_is_missing_is_asked_for_once_and_in_whole_blocks() {
        let bytes = recording();
        let mut blocks = Blocks::new(bytes.len() as u64);
        assert!(
            blocks.prepare(&[10..20, BLOCK - 1..BLOCK + 1, BLOCK * 5..BLOCK * 5 + 100]).is_err()
        );
        assert_eq!(blocks.missing(), [0..BLOCK * 2, BLOCK * 5..BLOCK * 5 + 100]);
        supply_all(&blocks, &bytes);
        assert!(!blocks.is_waiting());
        let (start, end) = (BLOCK as usize - 3, BLOCK as usize + 9);
        assert_eq!(*blocks.fetch(start as u64..end as u64).unwrap(), bytes[start..end]);
        assert!(blocks.fetch(BLOCK * 3..BLOCK * 3 + 1).is_err() && blocks.is_waiting());
        blocks.settle();
        assert!(!blocks.is_waiting());
    }

    #[test]
    fn ranges_outside_are_errors_that_ask_for_nothing() {
        let mut blocks = Blocks::new(100);
        assert!(blocks.fetch(90..101).is_err() && !blocks.is_waiting());
        blocks.supply(0, &[1; 50]);
        assert!(blocks.fetch(0..10).is_err(), "half a block is no block");
    }

    #[test]
    fn a_recording_that_grows_is_there_as_far_as_it_came() {
        let bytes = recording();
        for piece in [1000, BLOCK as usize - 1, BLOCK as usize, BLOCK as usize * 2 + 7] {
            let mut blocks = Blocks::new(0);
            for piece in bytes.chunks(piece) {
                blocks.append(piece);
            }
            assert_eq!(blocks.length(), bytes.len() as u64);
            assert_eq!(*blocks.fetch(0..bytes.len() as u64).unwrap(), bytes[..], "{piece}");
        }
        // A block whose beginning was dropped is asked for as a whole.
        let mut blocks = Blocks::new(0);
        blocks.append(&bytes[..10]);
        blocks.shared.borrow_mut().blocks.clear();
        blocks.append(&bytes[10..100]);
        assert!(blocks.fetch(20..30).is_err());
        assert_eq!(blocks.missing(), vec![0..100; 1]);
        blocks.append(&bytes[100..BLOCK as usize + 5]);
        assert_eq!(blocks.missing(), vec![0..BLOCK; 1]);
        supply_all(&blocks, &bytes);
        let end = BLOCK + 5;
        assert_eq!(*blocks.fetch(0..end).unwrap(), bytes[..end as usize]);
    }

    #[test]
    fn only_the_blocks_used_last_are_kept() {
        let length = BLOCK * (KEPT as u64 + 10);
        let mut blocks = Blocks::new(length);
        for number in 0..KEPT as u64 + 10 {
            let range = number * BLOCK..number * BLOCK + 1;
            assert!(blocks.fetch(range.clone()).is_err());
            blocks.supply(number * BLOCK, &vec![number as u8; BLOCK as usize]);
            assert_eq!(*blocks.fetch(range).unwrap(), [number as u8]);
            blocks.settle();
        }
        assert_eq!(blocks.shared.borrow().blocks.len(), KEPT);
        assert!(blocks.fetch(0..1).is_err() && blocks.fetch(length - 1..length).is_err());
        blocks.settle();
        assert!(blocks.fetch(length - 1..length).is_ok());
    }
}
