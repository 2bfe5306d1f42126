//! Where a seek begins, and what is kept on the way.

use gametape_tape::{SimSnapshot, SimTick};
use gametape_wire::Result;

use super::cache::KeptState;
use super::track::Track;
use super::{PlayFinding, Player};
use gametape_wire::Source;

/// What applying a frame costs besides its bytes, in bytes.
pub(super) const FRAME_COST: u64 = 64;
/// What simulating a tick costs, in bytes of input.
pub(super) const TICK_COST: u64 = 1024;
/// Copies stand farther apart than input of this size,
const SMALLEST_SPACING: u64 = 4 << 10;
/// and than this share of their own size: copying is so much cheaper than applying.
const SPACING_SHARE: u64 = 16;
/// While nobody goes back, copies stand so many times as far apart.
pub(super) const WIDER: u64 = 4;

/// How much input lies between two kept copies of so many bytes; more than there is where the budget
/// has no room for them.
pub(super) fn spacing(memory: usize, budget: usize) -> u64 {
    if memory > budget { u64::MAX } else { SMALLEST_SPACING.max(memory as u64 / SPACING_SHARE) }
}

/// Where snapshots are kept on the way to a goal: ever closer to it, so that going back from there
/// step by step costs a few steps each. The last one comes first.
pub(super) fn waypoints(from: SimTick, goal: SimTick) -> Vec<SimTick> {
    let steps = (0..64).map(|power| 1u64 << power);
    steps.map_while(|step| goal.checked_sub(step)).take_while(|tick| *tick > from).collect()
}

impl<S: Source, T: Track> Player<S, T> {
    /// Goes to the best known state at or before `goal`: here, kept or recorded.
    pub(super) fn start_for(&mut self, goal: SimTick) -> Result<()> {
        let here = Some(self.tick).filter(|tick| !self.broken && *tick <= goal);
        let kept = self.cache.nearest(goal);
        let recorded = self.keyframes.nearest(goal);
        let stays = self.is_as_good(here, kept, self.spacing);
        let known = if stays { here } else { kept };
        // Without comparing, only who enters a keyframe has the recorded state behind it.
        let worth = if self.options.check { self.keyframes.worth() } else { 0 };
        if !self.is_as_good(known, recorded, worth) {
            self.restore_recorded(goal)
        } else if stays {
            Ok(())
        } else {
            self.restore_kept(goal)
        }
    }

    /// Is it as good to begin at `earlier` as at `later`? It is where the way is short: at most
    /// `worth` bytes of input.
    fn is_as_good(&self, earlier: Option<SimTick>, later: Option<SimTick>, worth: u64) -> bool {
        let Some(earlier) = earlier else { return false };
        let Some(later) = later.filter(|later| earlier < *later) else { return true };
        let ticks = if T::EVERY_TICK { (later - earlier).saturating_mul(TICK_COST) } else { 0 };
        worth.checked_sub(ticks).is_some_and(|left| self.input.has_at_most(left, &(earlier..later)))
    }

    fn restore_kept(&mut self, goal: SimTick) -> Result<()> {
        let kept = self.cache.nearest(goal).and_then(|tick| Some((tick, self.cache.get(tick)?)));
        let Some((tick, kept)) = kept else { return self.restore_recorded(goal) };
        let base = kept.base;
        match &kept.state {
            KeptState::Copy(copy) => match copy.copy() {
                Some((copy, _)) => self.track = copy,
                None => return self.restore_recorded(goal),
            },
            KeptState::Snapshot(bytes) => {
                let snapshot = SimSnapshot::read(bytes)?;
                return self.restore(&snapshot, base);
            }
        }
        self.land(tick, base);
        Ok(())
    }

    /// Starts from the last keyframe at or before `goal` that can be used, or from the start.
    fn restore_recorded(&mut self, goal: SimTick) -> Result<()> {
        while let Some(found) = self.keyframes.load(&mut self.recording, goal) {
            let tried = match found.state {
                Ok(snapshot) => self.restore(&snapshot, snapshot.core.tick),
                Err(error) => Err(error),
            };
            let Err(error) = tried else { return Ok(()) };
            self.keyframes.give_up(found.place);
            self.findings.note(PlayFinding::Keyframe { tick: found.tick, error });
        }
        let start = self.start.clone();
        self.restore(&start, 0)
    }

    pub(super) fn restore(&mut self, snapshot: &SimSnapshot, base: SimTick) -> Result<()> {
        self.broken = true;
        self.track.restore(snapshot)?;
        self.land(snapshot.core.tick, base);
        Ok(())
    }

    /// The state is now that of `tick`.
    fn land(&mut self, tick: SimTick, base: SimTick) {
        (self.tick, self.base, self.broken, self.work) = (tick, base, false, 0);
        self.input.seek(&mut self.recording, tick);
    }

    /// Keeps a copy of the state, where it can be copied.
    pub(super) fn keep_copy(&mut self) {
        self.work = 0;
        let Some(copy) = self.track.copy() else { return };
        self.spacing = spacing(copy.1, self.options.cache_bytes);
        if !self.cache.has(self.tick) {
            self.cache.keep_copy(copy, self.tick, self.base);
        }
    }
}
