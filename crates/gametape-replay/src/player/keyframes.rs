//! The keyframes of one track: which there are, and which can be used.

use std::collections::BTreeSet;

use gametape_tape::{Chunk, Restorer, SimSnapshot, SimTick, Tape};
use gametape_wire::{Error, ErrorKind, Result};

use super::track::Track;
use crate::source::{Recording, Source};

/// Keyframes that are tried before play begins at the start instead.
const MOST_TRIES: usize = 64;

/// The keyframes of one track.
#[derive(Debug)]
pub(super) struct Keyframes {
    /// Their ticks and numbers in the index, ascending.
    all: Vec<(SimTick, usize)>,
    /// Numbers of those that cannot be used.
    bad: BTreeSet<usize>,
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
        Self { all, bad: BTreeSet::new(), verifies: false }
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
        &self,
        recording: &mut Recording<S>,
        tick: SimTick,
    ) -> Option<Found> {
        let (tick, place) = self.usable(tick).next()?;
        let restorer = if self.verifies { Restorer::verifying() } else { Restorer::default() };
        Some(Found { tick, place, state: read(recording, tick, place, restorer) })
    }

    /// This one cannot be used.
    pub(super) fn give_up(&mut self, place: usize) {
        self.bad.insert(place);
    }

    /// Every keyframe may be tried again, with or without computing the hash of its state.
    pub(super) fn forgive(&mut self, verifies: bool) {
        self.bad.clear();
        self.verifies = verifies;
    }
}

/// The state that a keyframe gives, with all that it is based on.
fn read<S: Source>(
    recording: &mut Recording<S>,
    tick: SimTick,
    place: usize,
    mut restorer: Restorer,
) -> Result<SimSnapshot> {
    let index = &recording.tape().keyframes;
    let wanted = index.entries().get(place).copied();
    let plan = index.plan(tick, |entry| Some(*entry) == wanted);
    let plan = plan.filter(|plan| plan.last() == Some(&place));
    let Some(plan) = plan else { return Err(unusable("what it is based on is lost")) };
    let ranges = index.plan_ranges(&plan);
    for range in ranges {
        recording.bytes(range.clone(), |bytes| restorer.add(&Chunk::read(bytes, range.start)?))?;
    }
    restorer.into_state().ok_or_else(|| unusable("it is empty"))
}

#[cold]
fn unusable(problem: &'static str) -> Error {
    let kind = ErrorKind::BadSyntax { problem: problem.into() };
    Error::new(gametape_wire::Place::Nowhere, "keyframe", kind)
}
