//! Do the keyframes of a tape lead to each other?

use std::collections::BTreeMap;
use std::ops::Range;

use gametape_wire::{Error, ErrorKind, Result, ViewSet};

use crate::index::table::{KeyframeIndex, KeyframeIndexEntry};
use crate::layout::chunk::Chunk;
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::kind::ChunkKind;
use crate::limits::DELTA_CHAIN;
use crate::read::restore::Restorer;
use crate::snapshot::SimSnapshot;

/// Restores keyframe after keyframe, each delta from its baseline, and computes the hash of every
/// state.
///
/// Give it keyframes in ascending order of their ticks or sequence numbers. Of each run of keyframes it
/// holds two states, the last one and the last full one, on which a delta may build. A keyframe that is
/// refused changes nothing.
#[derive(Debug, Default)]
pub struct KeyframeChecker {
    runs: BTreeMap<(u16, u16), Run>,
}

/// The states of one run that later deltas may build on.
#[derive(Debug)]
struct Run {
    full: Restorer,
    last: Restorer,
    /// How many deltas lead to the last state.
    depth: u64,
}

impl KeyframeChecker {
    /// Checks the next keyframe; other chunks are right.
    pub fn add(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let run = (chunk.header.stream, chunk.header.views.bits());
        match chunk.header.kind {
            ChunkKind::FULL_KEYFRAME => {
                let mut full = Restorer::verifying();
                full.add(chunk)?;
                self.runs.insert(run, Run { last: full.clone(), full, depth: 0 });
                Ok(())
            }
            ChunkKind::DELTA_KEYFRAME => match self.runs.get_mut(&run) {
                Some(run) => run.delta(chunk),
                None => Err(no_baseline(chunk)),
            },
            _ => Ok(()),
        }
    }

    /// The state of the last keyframe of a stream and set of views.
    #[must_use]
    pub fn state(&self, stream: u16, views: ViewSet) -> Option<&SimSnapshot> {
        self.runs.get(&(stream, views.bits()))?.last.state()
    }
}

impl Run {
    fn delta(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let baseline = chunk.header.first_tick.checked_sub(chunk.header.detail.into());
        let is_at = |restorer: &Restorer| restorer.state().map(|state| state.core.tick) == baseline;
        let (mut next, depth) = match (is_at(&self.last), is_at(&self.full)) {
            _ if chunk.header.detail == 0 => return Err(no_baseline(chunk)),
            (true, _) => (self.last.clone(), self.depth + 1),
            (_, true) => (self.full.clone(), 1),
            _ => return Err(no_baseline(chunk)),
        };
        DELTA_CHAIN.check(depth, chunk.offset)?;
        next.add(chunk)?;
        (self.last, self.depth) = (next, depth);
        Ok(())
    }
}

fn no_baseline(chunk: &Chunk<'_>) -> Error {
    let ChunkHeader { first_tick, detail, .. } = chunk.header;
    let problem = format!("its baseline, {detail} ticks before {first_tick}, is not there").into();
    Error::at(chunk.offset, chunk.header.kind.to_string(), ErrorKind::BadSyntax { problem })
}

impl KeyframeIndex {
    /// The bytes of every keyframe that leads to a full one, with its number and entry, ascending by
    /// tick. Those without a baseline are left out: verification of the tape reports them.
    pub fn usable(&self) -> impl Iterator<Item = (usize, &KeyframeIndexEntry, Range<u64>)> {
        self.entries().iter().enumerate().filter_map(|(index, entry)| {
            self.down_to_full(index)?;
            Some((index, entry, self.chunk_range(index)?))
        })
    }
}
