//! The keyframes of one track: which there are, and which can be used.

use std::collections::BTreeSet;
use std::ops::Range;

use gametape_tape::{Chunk, Restorer, SimSnapshot, Tape};
use gametape_wire::{Error, ErrorKind, Result, Tick};

use super::track::Track;
use crate::source::OpenTape;

/// Keyframes that are tried before play begins at the start instead.
const MOST_TRIES: usize = 64;

/// The keyframes of one track.
#[derive(Debug)]
pub(super) struct Keyframes {
    /// Their ticks and numbers in the index, ascending.
    all: Vec<(u64, usize)>,
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
    pub(super) tick: u64,
    pub(super) index: usize,
    pub(super) state: Result<SimSnapshot>,
}

impl Keyframes {
    pub(super) fn new(tape: &Tape, track: &impl Track) -> Self {
        let entries = tape.keyframes.entries().iter().zip(0..);
        let ours = entries.filter(|(entry, _)| track.owns(entry));
        let all = ours.map(|(entry, index)| (entry.tick.0, index)).collect();
        Self { all, bad: BTreeSet::new(), agreed: BTreeSet::new(), size: 0, verifies: false }
    }

    /// Those up to a tick that are not known to be bad, from the last on.
    fn usable(&self, tick: u64) -> impl Iterator<Item = (u64, usize)> {
        let end = self.all.partition_point(|(own, _)| *own <= tick);
        let recent = self.all[..end].iter().rev().take(MOST_TRIES);
        recent.filter(|(_, index)| !self.bad.contains(index)).copied()
    }

    /// The tick of the last usable keyframe at or before a tick.
    pub(super) fn nearest(&self, tick: u64) -> Option<u64> {
        self.usable(tick).next().map(|(tick, _)| tick)
    }

    /// The tick of the first keyframe after a tick.
    pub(super) fn next_after(&self, tick: u64) -> Option<u64> {
        let index = self.all.partition_point(|(own, _)| *own <= tick);
        self.all.get(index).map(|(tick, _)| *tick)
    }

    /// The ticks of all keyframes, ascending.
    pub(super) fn ticks(&self) -> impl Iterator<Item = u64> {
        self.all.iter().map(|(tick, _)| *tick)
    }

    /// Adds the keyframe that was written last, if it belongs to the track. Says whether it does.
    pub(super) fn add_last(&mut self, tape: &Tape, track: &impl Track) -> bool {
        let entries = tape.keyframes.entries();
        let Some(index) = entries.len().checked_sub(1) else { return false };
        let is_new = self.all.last().is_none_or(|(_, last)| *last < index);
        let is_ours = is_new && track.owns(&entries[index]);
        if is_ours {
            self.all.push((entries[index].tick.0, index));
        }
        is_ours
    }

    /// The bytes of the last usable keyframe at or before a tick and of all that it is based on.
    pub(super) fn ranges(&self, tape: &OpenTape, tick: u64) -> Vec<Range<u64>> {
        let usable = self.usable(tick).next();
        let plan = usable.and_then(|(tick, index)| plan(tape.tape(), tick, index));
        plan.map_or(Vec::new(), |plan| tape.tape().keyframes.plan_ranges(&plan))
    }

    /// The last usable keyframe at or before a tick, whose bytes are there.
    pub(super) fn load(&mut self, tape: &OpenTape, tick: u64) -> Option<Found> {
        let (tick, index) = self.usable(tick).next()?;
        let restorer = if self.verifies { Restorer::verifying() } else { Restorer::default() };
        let state = read(tape, tick, index, restorer).map(|(state, size)| {
            self.size = size;
            state
        });
        Some(Found { tick, index, state })
    }

    /// As many bytes of input as it is cheaper to apply than to enter a keyframe, roughly.
    pub(super) fn worth(&self) -> u64 {
        self.size
    }

    /// This one cannot be used.
    pub(super) fn give_up(&mut self, index: usize) {
        self.bad.insert(index);
        // Later ones may have agreed with what it led to.
        self.agreed.clear();
    }

    /// This one is what the usable one before it and the input lead to.
    pub(super) fn note_agreed(&mut self, index: usize) {
        self.agreed.insert(index);
    }

    /// Is there one at this tick that was found to agree?
    pub(super) fn has_agreed(&self, tick: u64) -> bool {
        self.usable(tick)
            .next()
            .is_some_and(|(own, index)| own == tick && self.agreed.contains(&index))
    }

    /// Every keyframe may be tried again, with or without computing the hash of its state.
    pub(super) fn forgive(&mut self, verifies: bool) {
        self.bad.clear();
        self.agreed.clear();
        self.verifies = verifies;
    }

    /// Trusts checksums again, where a verification has ended or was given up.
    pub(super) fn end_verifying(&mut self) {
        if self.verifies {
            self.forgive(false);
        }
    }
}

/// The keyframes that one is made of: a full one, then deltas.
fn plan(tape: &Tape, tick: u64, index: usize) -> Option<Vec<usize>> {
    let wanted = tape.keyframes.entries().get(index).copied();
    let plan = tape.keyframes.plan(Tick(tick), |entry| Some(*entry) == wanted);
    plan.filter(|plan| plan.last() == Some(&index))
}

/// The state that a keyframe gives, and the raw bytes of all that it is made of.
fn read(
    tape: &OpenTape,
    tick: u64,
    index: usize,
    mut restorer: Restorer,
) -> Result<(SimSnapshot, u64)> {
    let plan = plan(tape.tape(), tick, index);
    let plan = plan.ok_or_else(|| unusable("what it is based on is lost"))?;
    let mut size = 0;
    for range in tape.tape().keyframes.plan_ranges(&plan) {
        let bytes = tape.bytes(&range).ok_or_else(|| unusable("it was not supplied"))??;
        let chunk = Chunk::read(bytes, range.start)?;
        size += u64::from(chunk.header.raw_length);
        restorer.add(&chunk)?;
    }
    let state = restorer.into_state().ok_or_else(|| unusable("it is empty"))?;
    Ok((state, size))
}

#[cold]
fn unusable(problem: &'static str) -> Error {
    let kind = ErrorKind::BadSyntax { problem: problem.into() };
    Error::new(gametape_wire::Place::Nowhere, "keyframe", kind)
}
