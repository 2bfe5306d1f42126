//! Do the keyframes of a tape lead to each other?

use std::collections::BTreeMap;
use std::mem::take;
use std::ops::Range;

use gametape_wire::{Arrange, Error, ErrorKind, Reader, Result, Tick};

use crate::index::table::{KeyframeIndex, KeyframeIndexEntry};
use crate::layout::chunk::Chunk;
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::kind::ChunkKind;
use crate::limits::DELTA_CHAIN;
use crate::read::restore::Restorer;
use crate::snapshot::{DeltaHead, SimSnapshot, StateHash, hash_of_bytes};

/// Restores keyframe after keyframe, each delta from its baseline, and computes the hash of every
/// state.
///
/// Give it the keyframes run by run, in the order of [`KeyframeIndex::usable`]: a run is the keyframes of
/// a stream and a set of views. Of the present run it holds two states, the last one and the last full
/// one, on which a delta may build; nothing of the runs before. So its memory does not depend on how many
/// streams a tape has. A keyframe that is refused changes nothing.
#[derive(Debug, Default)]
pub struct KeyframeChecker {
    run: Option<(RunKey, Run)>,
    /// Room to unpack keyframes into.
    buffer: Vec<u8>,
}

/// Stream and views of keyframes that build on each other.
type RunKey = (u16, u16);

fn run_of(header: &ChunkHeader) -> RunKey {
    (header.stream, header.views.bits())
}

/// The states of one run that later deltas may build on.
#[derive(Debug)]
struct Run {
    full: Restorer,
    /// The last state, where it is not the full one.
    last: Option<Restorer>,
    /// How many deltas lead to the last state.
    depth: u64,
}

impl KeyframeChecker {
    /// Checks the next keyframe; other chunks are right.
    pub fn add(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        if !chunk.header.kind.is_keyframe() {
            return Ok(());
        }
        self.check(chunk).map_err(|error| error.within(name_of_keyframe(&chunk.header)))
    }

    fn check(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let key = run_of(&chunk.header);
        if self.run.as_ref().is_some_and(|(present, _)| *present != key) {
            self.run = None;
        }
        match (chunk.header.kind, &mut self.run) {
            (ChunkKind::DELTA_KEYFRAME, Some((_, run))) => run.delta(chunk, &mut self.buffer),
            (ChunkKind::DELTA_KEYFRAME, None) => Err(no_baseline(chunk)),
            (_, run) => {
                let mut full = Restorer::verifying_in(take(&mut self.buffer));
                let added = full.add(chunk);
                self.buffer = full.take_buffer();
                added?;
                *run = Some((key, Run { full, last: None, depth: 0 }));
                Ok(())
            }
        }
    }

    /// The state of the last keyframe.
    #[must_use]
    pub fn state(&self) -> Option<&SimSnapshot> {
        let (_, run) = self.run.as_ref()?;
        run.last.as_ref().unwrap_or(&run.full).state()
    }
}

impl Run {
    fn delta(&mut self, chunk: &Chunk<'_>, buffer: &mut Vec<u8>) -> Result<()> {
        let baseline = chunk.header.first_tick.checked_sub(chunk.header.detail.into());
        let is_at = |restorer: &&Restorer| {
            restorer.state().map(|state| state.core.tick) == baseline && chunk.header.detail > 0
        };
        let (baseline, depth) = match (self.last.as_ref().filter(is_at), Some(&self.full)) {
            (Some(last), _) => (last, self.depth + 1),
            (None, Some(full)) if is_at(&full) => (full, 1),
            _ => return Err(no_baseline(chunk)),
        };
        DELTA_CHAIN.check(depth, chunk.offset)?;
        let mut next = baseline.fork_in(take(buffer));
        let added = next.add(chunk);
        *buffer = next.take_buffer();
        added?;
        (self.last, self.depth) = (Some(next), depth);
        Ok(())
    }
}

/// Which states the keyframes of a new tape lead to, by their hashes alone.
#[derive(Debug, Default)]
pub(crate) struct KeyframeLinks {
    runs: BTreeMap<RunKey, Links>,
}

/// Ticks and hashes of the states of a run that later deltas may build on.
#[derive(Debug, Clone, Copy)]
struct Links {
    full: (Tick, StateHash),
    last: (Tick, StateHash),
    /// How many deltas lead to the last state.
    depth: u64,
}

impl KeyframeLinks {
    /// Takes the next keyframe of the tape; false where it builds on none of the states that are there.
    /// Such a keyframe counts for nothing.
    pub(crate) fn admits(&mut self, chunk: &Chunk<'_>, buffer: &mut Vec<u8>) -> Result<bool> {
        let raw = chunk.raw_in(buffer)?;
        let key = run_of(&chunk.header);
        if chunk.header.kind == ChunkKind::FULL_KEYFRAME {
            let full = (chunk.header.first_tick, hash_of_bytes(raw));
            self.runs.insert(key, Links { full, last: full, depth: 0 });
            return Ok(true);
        }
        let head = DeltaHead::read(&mut Reader::new(raw))?;
        let baseline = (head.baseline_tick, head.baseline_hash);
        let Some(run) = self.runs.get_mut(&key) else { return Ok(false) };
        let depth = match (run.last == baseline, run.full == baseline) {
            (true, _) => run.depth + 1,
            (_, true) => 1,
            _ => return Ok(false),
        };
        if depth > DELTA_CHAIN.max {
            return Ok(false);
        }
        (run.last, run.depth) = ((chunk.header.first_tick, head.state_hash), depth);
        Ok(true)
    }
}

fn no_baseline(chunk: &Chunk<'_>) -> Error {
    let ChunkHeader { kind, detail, .. } = chunk.header;
    let problem = format!("its baseline, {detail} ticks before, is not there").into();
    Error::at(chunk.offset, kind.to_string(), ErrorKind::BadSyntax { problem })
}

/// Which keyframe it is: two of one stream may fail for the same reason.
pub(super) fn name_of_keyframe(header: &ChunkHeader) -> String {
    format!("tick {}, chunk {}", header.first_tick, header.sequence)
}

impl KeyframeIndex {
    /// The bytes of every keyframe that leads to a full one, with its number and entry: run by run, as a
    /// [`KeyframeChecker`] wants them, ascending by tick in each. Those without a baseline are left out:
    /// verification of the tape reports them.
    pub fn usable(&self) -> impl Iterator<Item = (usize, &KeyframeIndexEntry, Range<u64>)> {
        // How many deltas lead to the last keyframe of each run and tick.
        let mut depths = BTreeMap::<(RunKey, Tick), u64>::new();
        let mut indexes = Vec::new();
        for (index, entry) in self.entries().iter().enumerate() {
            let run = (entry.stream, entry.views.bits());
            let depth = match entry.baseline_tick() {
                None if entry.is_full => Some(0),
                Some(tick) if tick < entry.tick => depths.get(&(run, tick)).map(|depth| depth + 1),
                _ => None,
            };
            match depth.filter(|depth| *depth <= DELTA_CHAIN.max) {
                Some(depth) => {
                    depths.insert((run, entry.tick), depth);
                    indexes.push((run, index));
                }
                None => drop(depths.remove(&(run, entry.tick))),
            }
        }
        indexes.arrange();
        indexes.into_iter().filter_map(|(_, index)| {
            Some((index, &self.entries()[index], self.chunk_range(index)?))
        })
    }
}
