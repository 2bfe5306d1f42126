//! Where a seek begins.

use gametape_tape::SimSnapshot;
use gametape_wire::Result;

use super::Player;
use super::play::at;
use super::track::Track;
use super::waiting::Stop;
use crate::timeline::KeptState;

/// What applying a frame costs besides its bytes, in bytes.
pub(super) const FRAME_COST: u64 = 64;
/// What simulating a tick costs, in bytes of input: a tick of a game with hundreds of units takes as long
/// as applying a kilobyte or two.
pub(super) const TICK_COST: u64 = 1024;
/// A simulation runs over a keyframe that was never compared for a way this many times as short as
/// over one that was.
const FIRST_PASS_SHARE: u64 = 8;

/// Where snapshots are kept on the way to a goal: ever closer to it, so that going back from there
/// step by step costs a few steps each. The last one comes first.
pub(super) fn waypoints(from: u64, goal: u64) -> Vec<u64> {
    let steps = (0..64).map(|power| 1u64 << power);
    steps.map_while(|step| goal.checked_sub(step)).take_while(|tick| *tick > from).collect()
}

impl<T: Track> Player<T> {
    /// Goes to the best known state at or before `goal`: here, kept or recorded.
    pub(super) fn start_for(&mut self, goal: u64) -> Result<(), Stop> {
        // The start is not known to be right before it was compared with what was recorded of it.
        let is_unsure = self.broken || (self.keyframe_pending && self.tick == 0);
        let here = Some(self.tick).filter(|tick| !is_unsure && *tick <= goal);
        let kept = self.kept.nearest(at(goal)).map(|(moment, _)| moment.next_tick().0);
        let recorded = self.keyframes.nearest(goal);
        let stays = self.is_as_good(here, kept, self.spacing.between(true));
        let known = if stays { here } else { kept };
        if !self.is_as_good(known, recorded, self.worth_of_passing(recorded)) {
            self.restore_recorded(goal)
        } else if stays {
            Ok(())
        } else {
            self.restore_kept(goal)
        }
    }

    /// As many bytes of input as it is as good to apply as to enter a keyframe.
    fn worth_of_passing(&self, keyframe: Option<u64>) -> u64 {
        let worth = self.keyframes.worth();
        let is_known = keyframe.is_none_or(|keyframe| self.keyframes.has_agreed(keyframe));
        if !self.options.check || !self.track.is_carried() {
            // Without comparing, only who enters a keyframe has the recorded state.
            0
        } else if T::EVERY_TICK && !is_known {
            // Who passes it reads it all the same, to compare.
            worth / FIRST_PASS_SHARE
        } else {
            worth
        }
    }

    /// Is it as good to begin at `earlier` as at `later`? It is where the way is short: at most
    /// `worth` bytes of input.
    pub(super) fn is_as_good(&self, earlier: Option<u64>, later: Option<u64>, worth: u64) -> bool {
        let Some(earlier) = earlier else { return false };
        let Some(later) = later.filter(|later| earlier < *later) else { return true };
        let ticks = if T::EVERY_TICK { (later - earlier).saturating_mul(TICK_COST) } else { 0 };
        worth.checked_sub(ticks).is_some_and(|left| self.input.has_at_most(left, &(earlier..later)))
    }

    fn restore_kept(&mut self, goal: u64) -> Result<(), Stop> {
        let Some((moment, kept)) = self.kept.nearest(at(goal)) else {
            return self.restore_recorded(goal);
        };
        let (tick, base) = (moment.next_tick().0, kept.base.next_tick().0);
        match &kept.state {
            KeptState::Copy(copy) => match copy.copy() {
                Some((copy, _)) => self.track = copy,
                None => return self.restore_recorded(goal),
            },
            KeptState::Snapshot(bytes) => {
                let snapshot = SimSnapshot::read(bytes)?;
                return Ok(self.restore(&snapshot, base)?);
            }
        }
        self.land(tick, base);
        Ok(())
    }

    /// Starts from the last keyframe at or before `goal` that can be used, or from the start.
    fn restore_recorded(&mut self, goal: u64) -> Result<(), Stop> {
        while let Some(tick) = self.keyframes.nearest(goal) {
            self.provide_way(tick, goal, true)?;
            let Some(found) = self.keyframes.load(&self.tape, goal) else { break };
            let tried = match found.state {
                Ok(snapshot) => self.restore(&snapshot, snapshot.core.tick.0),
                Err(error) => Err(error),
            };
            let Err(error) = tried else { return Ok(()) };
            self.keyframes.give_up(found.index);
            self.findings.note_keyframe(found.tick, error);
        }
        let start = self.start.clone();
        Ok(self.restore(&start, 0)?)
    }

    pub(super) fn restore(&mut self, snapshot: &SimSnapshot, base: u64) -> Result<()> {
        self.broken = true;
        self.track.restore(snapshot)?;
        self.land(snapshot.core.tick.0, base);
        Ok(())
    }

    /// The state is now that of `tick`.
    fn land(&mut self, tick: u64, base: u64) {
        (self.tick, self.base, self.spacing.work) = (tick, base, 0);
        (self.broken, self.keyframe_pending) = (false, false);
        self.input.seek(tick);
    }
}
