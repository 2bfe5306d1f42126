//! Going forward.

use gametape_wire::{Limit, Moment, Tick};

use super::Player;
use super::route::{FRAME_COST, TICK_COST, waypoints};
use super::track::Track;
use super::waiting::Stop;
use crate::timeline::{Direction, Kept};

/// Ticks that one seek simulates at most.
pub(super) const SIMULATED_TICKS: Limit = Limit::new("ticks to simulate in one seek", 1 << 24);

impl<T: Track> Player<T> {
    /// Goes to the state before a tick.
    pub(super) fn go(&mut self, goal: u64, backward: bool) -> Result<(), Stop> {
        if goal != self.tick || self.broken || self.keyframe_pending {
            self.start_for(goal)?;
            self.run(goal, backward)?;
        }
        self.provide_changes()
    }

    /// Plays forward to `goal` and keeps states on the way, more of them where somebody goes back.
    fn run(&mut self, goal: u64, backward: bool) -> Result<(), Stop> {
        if T::EVERY_TICK {
            SIMULATED_TICKS.check(goal - self.tick, 0)?;
        }
        if self.keyframe_pending {
            self.pass_keyframe()?;
        }
        // Where copies are kept all the way, there is no need for waypoints.
        let few = backward && self.spacing.is_never();
        let mut waypoints = if few { waypoints(self.tick, goal) } else { Vec::new() };
        let mut until = self.tick;
        while self.tick < goal {
            if self.tick >= until {
                until = self.provide_way(self.tick, goal, false)?;
            }
            while waypoints.last().is_some_and(|waypoint| *waypoint <= self.tick) {
                waypoints.pop();
            }
            let keyframe = self.keyframes.next_after(self.tick).unwrap_or(goal);
            let waypoint = waypoints.last().copied().unwrap_or(goal);
            let stop = waypoint.min(keyframe).min(until);
            let changed = self.run_to(stop, self.spacing.next_look(backward))?;
            if self.tick == keyframe {
                self.keyframe_pending = true;
                self.pass_keyframe()?;
            }
            let is_close = |wide| self.is_as_good(Some(self.tick), Some(goal), wide);
            if self.spacing.is_due(backward, is_close) {
                self.keep_copy();
            } else if changed && waypoints.last() == Some(&stop) {
                self.keep_snapshot(goal);
            }
        }
        self.note_lost();
        Ok(())
    }

    /// Applies everything before `stop`, or less: until there is this much work since the last state
    /// that is kept. Says whether that was anything.
    pub(super) fn run_to(&mut self, stop: u64, most_work: u64) -> Result<bool, Stop> {
        self.broken = true;
        let before = self.spacing.work;
        while self.tick < stop && self.spacing.work < most_work {
            let until = if T::EVERY_TICK {
                self.spacing.work += TICK_COST;
                self.tick + 1
            } else {
                self.input.peek(&self.tape, stop).map_or(stop, |next| next + 1)
            };
            self.apply_before(until);
            self.track.end_tick(Tick(self.tick))?;
            self.tick = until;
        }
        self.broken = false;
        Ok(self.spacing.work > before)
    }

    fn apply_before(&mut self, stop: u64) {
        let views = self.track.views();
        while let Some(frame) = self.input.take(&self.tape, stop) {
            for part in frame.parts() {
                for view in part.views.and(views).iter() {
                    self.spacing.work += FRAME_COST + part.payload.len() as u64;
                    if let Err(error) = self.track.input(frame.tick, view, part.payload) {
                        self.findings.note_input(frame.tick.0, error);
                    }
                }
            }
        }
    }

    /// Keeps a copy of the state, where it can be copied.
    fn keep_copy(&mut self) {
        self.spacing.work = 0;
        let (moment, base) = (at(self.tick), at(self.base));
        if self.kept.has(moment) {
            return;
        }
        let Some((copy, memory)) = self.track.copy() else { return };
        self.spacing.resize(memory, self.options.cache_bytes);
        self.kept.keep(moment, Kept::copy(base, copy, memory), moment);
    }

    /// Keeps a snapshot of the state on the way to `goal`.
    fn keep_snapshot(&mut self, goal: u64) {
        let (moment, base) = (at(self.tick), at(self.base));
        if !self.kept.has(moment) {
            let bytes = self.track.snapshot(Tick(self.tick)).to_bytes();
            self.kept.keep(moment, Kept::snapshot(base, bytes), at(goal));
        }
    }

    /// Begins to look for where a step leads. *Why not with each try:* a chunk that was looked at is not
    /// asked for again.
    pub(super) fn look(&mut self, direction: Direction) {
        match direction {
            Direction::Forward => self.input.seek(self.tick),
            Direction::Backward => self.input.look_back(self.tick.saturating_sub(1)),
        }
    }

    /// Where a step leads: after the next tick that changes anything, or the last one before the
    /// position. `None` where there is none.
    pub(super) fn step_goal(&mut self, direction: Direction) -> Result<Option<u64>, Stop> {
        match direction {
            Direction::Forward if T::EVERY_TICK => {
                Ok(Some(self.tick + 1).filter(|goal| *goal <= self.end))
            }
            Direction::Forward => {
                let next = self.next_input()?.map(|tick| tick + 1);
                let keyframe =
                    self.keyframes.next_after(self.tick).filter(|_| !self.track.is_carried());
                let goal = next.into_iter().chain(keyframe).min();
                Ok(goal.filter(|goal| *goal <= self.end))
            }
            Direction::Backward if self.tick <= self.begin => Ok(None),
            Direction::Backward if T::EVERY_TICK => Ok(self.tick.checked_sub(1)),
            Direction::Backward => {
                let Some(last) = self.tick.checked_sub(1) else { return Ok(None) };
                let before = self.last_input(last)?.map_or(0, |tick| tick + 1);
                let keyframe = self.keyframes.nearest(last).filter(|_| !self.track.is_carried());
                self.input.seek(self.tick);
                Ok(Some(before.max(keyframe.unwrap_or(0)).max(self.begin)))
            }
        }
    }

    /// The tick of the next input.
    fn next_input(&mut self) -> Result<Option<u64>, Stop> {
        loop {
            let Some(range) = self.input.range() else { return Ok(None) };
            self.provide(&[], std::slice::from_ref(&range))?;
            if let Some(tick) = self.input.peek_here(&self.tape) {
                return Ok(Some(tick));
            }
        }
    }

    /// The tick of the last input before a tick.
    fn last_input(&mut self, tick: u64) -> Result<Option<u64>, Stop> {
        while let Some(range) = self.input.range_before() {
            self.provide(&[], std::slice::from_ref(&range))?;
            if let Some(last) = self.input.last_before(&self.tape, tick) {
                return Ok(Some(last));
            }
        }
        Ok(None)
    }
}

/// The moment before a tick.
pub(super) fn at(tick: u64) -> Moment {
    Moment::before(Tick(tick))
}
