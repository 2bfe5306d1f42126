//! From keyframes to a state: which ones to fetch, and what they give.

use std::ops::Range;

use gametape_wire::{Error, ErrorKind, Place, Reader, Result, Tick, ViewSet};

use crate::index::table::{KeyframeIndex, KeyframeIndexEntry};
use crate::layout::chunk::Chunk;
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::kind::ChunkKind;
use crate::limits::DELTA_CHAIN;
use crate::read::tape::Tape;
use crate::snapshot::{DeltaHead, SimSnapshot, StateHash, hash_of_bytes};

impl KeyframeIndex {
    /// The keyframes that give the latest state at or before `tick`: a full one, then deltas.
    ///
    /// A delta whose baseline is lost is passed over for an earlier keyframe.
    pub fn plan(
        &self,
        tick: Tick,
        mut wanted: impl FnMut(&KeyframeIndexEntry) -> bool,
    ) -> Option<Vec<usize>> {
        let mut before = tick;
        loop {
            let index = self.find(before, &mut wanted)?;
            if let Some(plan) = self.down_to_full(index) {
                return Some(plan);
            }
            before = self.entries()[index].tick.previous()?;
        }
    }

    /// The keyframes from a full one up to that at `index`.
    pub(crate) fn down_to_full(&self, index: usize) -> Option<Vec<usize>> {
        let mut plan = vec![index];
        let mut entry = &self.entries()[index];
        while let Some(baseline) = entry.baseline_tick() {
            let (stream, views, tick) = (entry.stream, entry.views, entry.tick);
            let ours =
                |e: &KeyframeIndexEntry| (e.tick, e.stream, e.views) == (baseline, stream, views);
            let index = self.find(baseline, ours).filter(|_| baseline < tick)?;
            plan.push(index);
            entry = &self.entries()[index];
            if plan.len() as u64 > DELTA_CHAIN.max + 1 {
                return None;
            }
        }
        plan.reverse();
        entry.is_full.then_some(plan)
    }

    /// The ranges to fetch for a plan, in its order.
    #[must_use]
    pub fn plan_ranges(&self, plan: &[usize]) -> Vec<Range<u64>> {
        plan.iter().filter_map(|&index| self.chunk_range(index)).collect()
    }
}

/// A state that is built from keyframes: a full one first, then deltas. A full one starts again, so
/// that one restorer serves many seeks.
///
/// By [default](Self::default) the checksums of the chunks are trusted: a delta must follow a
/// keyframe of the same tape, stream and views, at the tick that it names, and with the hash that it
/// names where a delta before it announced that; no hash is computed. A [verifying](Self::verifying)
/// restorer computes the hash of every state.
#[derive(Debug, Clone, Default)]
pub struct Restorer {
    state: Option<Restored>,
    verifies: bool,
    buffer: Vec<u8>,
}

#[derive(Debug, Clone)]
struct Restored {
    snapshot: SimSnapshot,
    /// The state hash, where it is known.
    hash: Option<StateHash>,
    run: Run,
}

/// Tape, stream and views: deltas belong on keyframes of the same ones.
type Run = (u32, u16, ViewSet);

impl Restorer {
    /// A restorer that computes the hash of every state and refuses one that is not as announced.
    #[must_use]
    pub fn verifying() -> Self {
        Self { verifies: true, ..Self::default() }
    }

    /// The same, which unpacks into room that is there already.
    pub(crate) fn verifying_in(buffer: Vec<u8>) -> Self {
        Self { buffer, ..Self::verifying() }
    }

    /// Another restorer with the same state, which unpacks into room that is there already.
    pub(crate) fn fork_in(&self, buffer: Vec<u8>) -> Self {
        Self { state: self.state.clone(), verifies: self.verifies, buffer }
    }

    /// Takes the room that it unpacks into.
    pub(crate) fn take_buffer(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.buffer)
    }

    /// Takes the next keyframe. One that does not fit is refused and changes nothing.
    pub fn add(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let header = &chunk.header;
        let place = Place::Byte(chunk.payload_offset());
        let at_chunk = |error: Error| error.with_place(place.clone()).within(header.kind);
        let raw = chunk.raw_in(&mut self.buffer)?;
        let (snapshot, hash) = match header.kind {
            ChunkKind::FULL_KEYFRAME => {
                let snapshot = SimSnapshot::read(raw).map_err(at_chunk)?;
                (snapshot, self.verifies.then(|| hash_of_bytes(raw)))
            }
            ChunkKind::DELTA_KEYFRAME => {
                let baseline = self.state.as_ref().filter(|state| state.run == run(header));
                let Some(baseline) = baseline else {
                    return Err(Error::misuse("delta keyframe", "there is no baseline yet"));
                };
                let (snapshot, hash) = baseline.delta(raw, self.verifies).map_err(at_chunk)?;
                (snapshot, Some(hash))
            }
            kind => return Err(Error::misuse(kind.to_string(), "not a keyframe")),
        };
        if snapshot.core.tick != header.first_tick {
            let problem = "its tick is not the one of its chunk".into();
            let kind = ErrorKind::BadSyntax { problem };
            return Err(Error::at(chunk.payload_offset(), header.kind.to_string(), kind));
        }
        self.state = Some(Restored { snapshot, hash, run: run(header) });
        Ok(())
    }

    /// The state so far.
    #[must_use]
    pub fn state(&self) -> Option<&SimSnapshot> {
        self.state.as_ref().map(|state| &state.snapshot)
    }

    /// The state so far, owned.
    #[must_use]
    pub fn into_state(self) -> Option<SimSnapshot> {
        self.state.map(|state| state.snapshot)
    }
}

fn run(header: &ChunkHeader) -> Run {
    (header.tape_id, header.stream, header.views)
}

impl Restored {
    /// The state and hash that a delta in these bytes leads to from here.
    fn delta(&self, raw: &[u8], verifies: bool) -> Result<(SimSnapshot, StateHash)> {
        let mut r = Reader::new(raw);
        let head = DeltaHead::read(&mut r)?;
        head.check_baseline(&self.snapshot, self.hash.as_ref())?;
        let snapshot = self.snapshot.with_changes(&head, &mut r)?;
        if verifies {
            head.check_result(&snapshot)?;
        }
        Ok((snapshot, head.state_hash))
    }
}

impl Tape {
    /// The latest recorded state at or before `tick`, from the bytes of the whole tape.
    ///
    /// `wanted` chooses among streams and views. `None` when there is no such keyframe.
    pub fn restore(
        &self,
        bytes: &[u8],
        tick: Tick,
        wanted: impl FnMut(&KeyframeIndexEntry) -> bool,
    ) -> Result<Option<SimSnapshot>> {
        let Some(plan) = self.keyframes.plan(tick, wanted) else { return Ok(None) };
        let mut restorer = Restorer::default();
        for range in self.keyframes.plan_ranges(&plan) {
            let start = usize::try_from(range.start).unwrap_or(usize::MAX);
            let bytes = bytes.get(start..).unwrap_or_default();
            restorer.add(&Chunk::read(bytes, range.start)?)?;
        }
        Ok(restorer.into_state())
    }
}
