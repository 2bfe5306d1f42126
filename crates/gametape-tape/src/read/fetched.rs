//! Bytes of a tape that a reader was given so far.

use gametape_wire::Arrange;
use std::ops::Range;

/// A few pieces of a tape, so that no byte is asked for twice.
#[derive(Debug, Default)]
pub(crate) struct Fetched {
    pieces: Vec<(Range<u64>, Vec<u8>)>,
}

impl Fetched {
    /// Are all of these bytes there, in one piece?
    pub(crate) fn has(&self, range: &Range<u64>) -> bool {
        self.piece(range).is_some()
    }

    fn piece(&self, range: &Range<u64>) -> Option<&[u8]> {
        if range.is_empty() {
            return Some(&[]);
        }
        let holds = |piece: &Range<u64>| piece.start <= range.start && range.end <= piece.end;
        let (piece, bytes) = self.pieces.iter().find(|(piece, _)| holds(piece))?;
        let start = (range.start - piece.start) as usize;
        bytes.get(start..start + (range.end - range.start) as usize)
    }

    /// These bytes; none unless [`has`](Self::has) says that they are there.
    pub(crate) fn get(&self, range: &Range<u64>) -> &[u8] {
        self.piece(range).unwrap_or_default()
    }

    /// What must be asked for to have all of `wanted`, each in one piece: ascending, and without what
    /// is there at their ends.
    pub(crate) fn lacking(&self, wanted: &[Range<u64>]) -> Vec<Range<u64>> {
        let mut lacking: Vec<Range<u64>> = wanted
            .iter()
            .filter(|range| !self.has(range))
            .map(|range| self.lacking_of(range))
            .filter(|range| !range.is_empty())
            .collect();
        if lacking.is_empty() {
            // Pieces that overlap may have it all, and no piece alone.
            lacking.extend(wanted.iter().filter(|range| !self.has(range)).cloned());
        }
        lacking.arrange_by_key(|range| range.start);
        lacking.dedup_by(|next, last| {
            let touches = next.start <= last.end;
            last.end = if touches { last.end.max(next.end) } else { last.end };
            touches
        });
        lacking
    }

    fn lacking_of(&self, wanted: &Range<u64>) -> Range<u64> {
        let Range { mut start, mut end } = wanted.clone();
        for (piece, _) in &self.pieces {
            if piece.contains(&start) {
                start = piece.end.min(end);
            }
            if piece.start < end && end <= piece.end {
                end = piece.start.max(start);
            }
        }
        start..end
    }

    /// Adds bytes, joined with the pieces that they touch.
    pub(crate) fn add(&mut self, range: &Range<u64>, bytes: &[u8]) {
        let mut joined = (range.clone(), bytes.to_vec());
        let (touching, apart) = std::mem::take(&mut self.pieces)
            .into_iter()
            .partition(|(piece, _)| piece.end == range.start || piece.start == range.end);
        self.pieces = apart;
        for (piece, bytes) in touching {
            if piece.end == joined.0.start {
                joined = (piece.start..joined.0.end, [bytes, joined.1].concat());
            } else {
                joined = (joined.0.start..piece.end, [joined.1, bytes].concat());
            }
        }
        self.pieces.push(joined);
    }

    /// Frees the pieces that none of these bytes are in.
    pub(crate) fn keep_only(&mut self, ranges: &[Range<u64>]) {
        let is_used = |piece: &Range<u64>| {
            ranges.iter().any(|range| range.start < piece.end && piece.start < range.end)
        };
        self.pieces.retain(|(piece, _)| is_used(piece));
    }
}
