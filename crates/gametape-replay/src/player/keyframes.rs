//! The keyframes of one track: which there are, and which can be used.

use std::collections::BTreeSet;

use gametape_tape::{Chunk, Restorer, SimSnapshot, SimTick, Tape};
use gametape_wire::{Error, ErrorKind, Result};

use super::track::Track;
use crate::source::Recording;
use gametape_wire::Source;

/// Keyframes that are tried before play begins at the start instead.
const MOST_TRIES: usize = 64;

/// The keyframes of one track.
#[derive(Debug)]
pub(super) struct Keyframes {
    /// Their ticks and numbers in the index, ascending.
    all: Vec<(SimTick, usize)>,
    /// Numbers of those that cannot be used.
    bad: BTreeSet<usize>,
    /// Numbers of those that were found to be what the input before them leads to.
    agreed: BTreeSet<usize>,
    /// Raw bytes of the last one that was read, with all that it is based on.
    size: u64,
    /// Compute the hash of every state instead of trusting checksums?
    verifies: bool,
}

/// A keyframe, and the state that it gives or why it gives none.
pub(super) struct Found {
    pub(super) tick: SimTick,
    pub(super) place: usize,
    pub(super) state: Result<SimSnapshot>,
}

impl Keyframes {
    pub(super) fn new(tape: &Tape, track: &impl Track) -> Self {
        let entries = tape.keyframes.entries().iter().zip(0..);
        let ours = entries.filter(|(entry, _)| track.owns(entry));
        let all = ours.map(|(entry, place)| (entry.tick, place)).collect();
        Self { all, bad: BTreeSet::new(), agreed: BTreeSet::new(), size: 0, verifies: false }
    }

    /// Those up to a tick that are not known to be bad, from the last on.
    fn usable(&self, tick: SimTick) -> impl Iterator<Item = (SimTick, usize)> {
        let end = self.all.partition_point(|(own, _)| *own <= tick);
        let recent = self.all[..end].iter().rev().take(MOST_TRIES);
        recent.filter(|(_, place)| !self.bad.contains(place)).copied()
    }

    /// The tick of the last usable keyframe at or before a tick.
    pub(super) fn nearest(&self, tick: SimTick) -> Option<SimTick> {
        self.usable(tick).next().map(|(tick, _)| tick)
    }

    /// The tick of the first keyframe behind a tick.
    pub(super) fn next_after(&self, tick: SimTick) -> Option<SimTick> {
        let place = self.all.partition_point(|(own, _)| *own <= tick);
        self.all.get(place).map(|(tick, _)| *tick)
    }

    /// The last usable keyframe at or before a tick.
    pub(super) fn load<S: Source>(
        &mut self,
        recording: &mut Recording<S>,
        tick: SimTick,
    ) -> Option<Found> {
        let (tick, place) = self.usable(tick).next()?;
        let restorer = if self.verifies { Restorer::verifying() } else { Restorer::default() };
        let state = read(recording, tick, place, restorer).map(|(state, size)| {
            self.size = size;
            state
        });
        Some(Found { tick, place, state })
    }

    /// As many bytes of input as it is cheaper to apply than to enter a keyframe, roughly.
    pub(super) fn worth(&self) -> u64 {
        self.size
    }

    /// This one cannot be used.
    pub(super) fn give_up(&mut self, place: usize) {
        self.bad.insert(place);
        // Later ones may have agreed with what it led to.
        self.agreed.clear();
    }

    /// This one is what the usable one before it and the input lead to.
    pub(super) fn note_agreed(&mut self, place: usize) {
        self.agreed.insert(place);
    }

    /// Is there one at this tick that was found to agree?
    pub(super) fn has_agreed(&self, tick: SimTick) -> bool {
        self.usable(tick)
            .next()
            .is_some_and(|(own, place)| own == tick && self.agreed.contains(&place))
    }

    /// Every keyframe may be tried again, with or without computing the hash of its state.
    pub(super) fn forgive(&mut self, verifies: bool) {
        self.bad.clear();
        self.agreed.clear();
        self.verifies = verifies;
    }
}

/// The state that a keyframe gives, and the raw bytes of all that it is made of.
fn read<S: Source>(
    recording: &mut Recording<S>,
    tick: SimTick,
    place: usize,
    mut restorer: Restorer,
) -> Result<(SimSnapshot, u64)> {
    let index = &recording.tape().keyframes;
    let wanted = index.entries().get(place).copied();
    let plan = index.plan(tick, |entry| Some(*entry) == wanted);
    let plan = plan.filter(|plan| plan.last() == Some(&place));
    let Some(plan) = plan else { return Err(unusable("what it is based on is lost")) };
    let ranges = index.plan_ranges(&plan);
    let mut size = 0;
    for range in ranges {
        recording.bytes(range.clone(), |bytes| {
            let chunk = Chunk::read(bytes, range.start)?;
            size += u64::from(chunk.header.raw_length);
            restorer.add(&chunk)
        })?;
    }
    let state = restorer.into_state().ok_or_else(|| unusable("it is empty"))?;
    Ok((state, size))
}

#[cold]
fn unusable(problem: &'static str) -> Error {
    let kind = ErrorKind::BadSyntax { problem: problem.into() };
    Error::new(gametape_wire::Place::Nowhere, "keyframe", kind)
}
