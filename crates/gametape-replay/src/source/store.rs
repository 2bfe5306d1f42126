//! Bytes of a tape that were supplied, as many as a budget allows.

use std::ops::Range;

use gametape_wire::{Arrange, SortedMap};

/// More pieces than these are not kept, however small they are.
const MOST_PIECES: usize = 1024;

/// Keeps pieces of a tape. What was asked for last stays until something else is asked for, even where
/// it takes more than the budget.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    pieces: SortedMap<u64, Piece>,
    bytes: usize,
    budget: usize,
    round: u64,
}

#[derive(Debug, Clone)]
struct Piece {
    bytes: Vec<u8>,
    /// When it was asked for last.
    round: u64,
}

impl Store {
    pub(crate) fn new(budget: usize) -> Self {
        Self { pieces: SortedMap::new(), bytes: 0, budget, round: 0 }
    }

    /// Bytes that are kept now.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// These bytes, where they are there.
    pub(crate) fn get(&self, range: &Range<u64>) -> Option<&[u8]> {
        let (start, piece) = self.piece(range)?;
        let from = (range.start - start) as usize;
        piece.bytes.get(from..from + (range.end - range.start) as usize)
    }

    fn piece(&self, range: &Range<u64>) -> Option<(u64, &Piece)> {
        let mut before = self.pieces.range(..=range.start).rev();
        let holds = |start: u64, piece: &Piece| range.end <= start + piece.bytes.len() as u64;
        before.find(|(start, piece)| holds(**start, piece)).map(|(start, piece)| (*start, piece))
    }

    /// Asks for ranges: which of them are not there?
    pub(crate) fn ask(&mut self, wanted: impl Iterator<Item = Range<u64>>) -> Vec<Range<u64>> {
        self.round += 1;
        let mut lacking = Vec::new();
        for range in wanted {
            match self.piece(&range).map(|(start, _)| start) {
                Some(start) => {
                    if let Some(piece) = self.pieces.get_mut(&start) {
                        piece.round = self.round;
                    }
                }
                None => lacking.push(range),
            }
        }
        lacking
    }

    /// Adds bytes that begin at an offset.
    pub(crate) fn add(&mut self, start: u64, bytes: Vec<u8>) {
        if self.pieces.get(&start).is_some_and(|piece| piece.bytes.len() >= bytes.len()) {
            return;
        }
        let end = start + bytes.len() as u64;
        let inside = self.pieces.range(start..end);
        let covered = inside.filter(|(own, piece)| **own + piece.bytes.len() as u64 <= end);
        for own in covered.map(|(own, _)| *own).collect::<Vec<u64>>() {
            self.remove(own);
        }
        self.bytes += bytes.len();
        self.pieces.insert(start, Piece { bytes, round: self.round });
        self.forget_old();
    }

    fn remove(&mut self, start: u64) {
        if let Some(gone) = self.pieces.remove(&start) {
            self.bytes -= gone.bytes.len();
        }
    }

    fn forget_old(&mut self) {
        while self.bytes > self.budget || self.pieces.len() > MOST_PIECES {
            let old = self.pieces.iter().filter(|(_, piece)| piece.round < self.round);
            let Some((&start, _)) = old.min_by_key(|(_, piece)| piece.round) else { return };
            self.remove(start);
        }
    }
}

/// The same bytes in fewer ranges, ascending: those that are at most `gap` bytes apart are joined.
pub(crate) fn joined(mut ranges: Vec<Range<u64>>, gap: u64) -> Vec<Range<u64>> {
    ranges.arrange_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
    for range in ranges.into_iter().filter(|range| !range.is_empty()) {
        match joined.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(gap) => {
                last.end = last.end.max(range.end);
            }
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_last_stays_and_the_oldest_goes_first() {
        let mut store = Store::new(100);
        for start in [0u64, 100, 200] {
            let range = start..start + 50;
            assert_eq!(store.ask(std::iter::once(range.clone())), std::slice::from_ref(&range));
            store.add(start, vec![start as u8; 50]);
        }
        assert_eq!((store.bytes(), store.get(&(0..50))), (100, None));
        assert_eq!(store.get(&(210..220)), Some(&[200; 10][..]));
        assert_eq!(store.ask([100..150, 300..460].into_iter()).first(), Some(&(300..460)));
        store.add(300, vec![3; 160]);
        assert_eq!(store.get(&(100..150)).map(<[u8]>::len), Some(50), "it was asked for too");
        assert_eq!((store.bytes(), store.get(&(200..250))), (210, None));
    }

    #[test]
    fn pieces_within_another_are_not_kept_twice() {
        let mut store = Store::new(1000);
        store.add(10, vec![1; 10]);
        store.add(0, vec![2; 50]);
        assert_eq!(store.bytes(), 50);
        store.add(40, vec![3; 20]);
        assert_eq!(store.get(&(5..45)).map(<[u8]>::len), Some(40));
        assert_eq!(store.get(&(45..60)), Some(&[3; 15][..]));
        assert_eq!(store.get(&(35..60)), None);
    }

    #[test]
    fn ranges_that_are_near_are_joined() {
        let ranges = vec![50..60, 0..10, 12..20, 55..58, 30..30];
        assert_eq!(joined(ranges.clone(), 0), [0..10, 12..20, 50..60]);
        assert_eq!(joined(ranges, 2), [0..20, 50..60]);
    }
}
