//! A recording that plays: which moment is shown, whether it goes on and how fast.
//!
//! The time of day comes in as an argument, so all of it can be tested without waiting.

use std::time::Duration;

use gametape_replay::{Clock, Direction};
use gametape_wire::{Moment, Result, Source, Time, View};

use super::Stage;

/// Speeds go from 2 to the power of this, to its opposite.
const SPEED_RANGE: i32 = 8;
/// Thousandths: the speed of the recording.
const NORMAL_RATE: i64 = 1024;

/// A recording that plays.
#[derive(Debug)]
pub struct PlayingStage<S> {
    /// The recording.
    pub stage: Stage<S>,
    clock: Clock,
    speed: i32,
    /// Play pauses when it comes to this moment.
    pause: Option<Moment>,
    since: Moment,
}

impl<S: Source> PlayingStage<S> {
    /// A recording at its position, paused.
    #[must_use]
    pub fn new(stage: Stage<S>) -> Self {
        let since = moment_before(stage.position());
        Self { clock: Clock::new(stage.tick_length()), stage, speed: 0, pause: None, since }
    }

    /// Play pauses when it comes to this time from before; it can go on from there.
    pub fn pause_at(&mut self, time: Option<Time>) {
        let length = self.stage.tick_length();
        self.pause = time.map(|time| Moment::after(length.tick_at(time)).min(self.stage.end()));
    }

    /// What happened since this moment is new: the one that was shown before while it plays, or else
    /// the one before the last tick.
    #[must_use]
    pub fn since(&self) -> Moment {
        self.since
    }

    /// Does it play?
    #[must_use]
    pub fn is_playing(&self) -> bool {
        !self.clock.is_paused()
    }

    /// How fast it plays, in words: `×2`, `×1/4`.
    #[must_use]
    pub fn speed(&self) -> String {
        match self.speed {
            0.. => format!("×{}", 1u64 << self.speed),
            _ => format!("×1/{}", 1u64 << -self.speed),
        }
    }

    fn rate(&self) -> i64 {
        match self.speed {
            0.. => NORMAL_RATE << self.speed,
            _ => NORMAL_RATE >> -self.speed,
        }
    }

    /// Time has passed: goes on, if it plays. True where another moment is shown now.
    pub fn tick(&mut self, now: Duration) -> Result<bool> {
        if !self.is_playing() {
            return Ok(false);
        }
        let position = self.stage.position();
        let end = self.pause.filter(|pause| position < *pause).unwrap_or(self.stage.end());
        let due = self.clock.due(now, position, end);
        if due > position {
            self.stage.seek(due).inspect_err(|_| self.clock.moved())?;
            self.since = position;
        }
        if self.stage.position() >= end {
            self.pause();
        }
        Ok(due > position)
    }

    /// Goes over a number of moments at which something changes, backward below zero. False where
    /// there is none.
    pub fn step(&mut self, by: i64) -> Result<bool> {
        let direction = if by < 0 { Direction::Backward } else { Direction::Forward };
        let before = self.stage.position();
        for _ in 0..by.unsigned_abs() {
            if !self.stage.step(direction)? {
                break;
            }
        }
        self.arrived();
        Ok(self.stage.position() != before)
    }

    /// Goes to a moment; what is new is what changed in it alone.
    pub fn go(&mut self, moment: Moment) -> Result<()> {
        self.stage.seek(moment)?;
        self.arrived();
        Ok(())
    }

    fn arrived(&mut self) {
        self.clock.moved();
        self.since = moment_before(self.stage.position());
    }

    /// Plays on from here, from the first moment if this is the last; pauses if it plays.
    pub fn play_or_pause(&mut self, now: Duration) -> Result<()> {
        if self.is_playing() {
            self.pause();
            return Ok(());
        }
        if self.stage.position() >= self.stage.end() {
            self.go(Moment::START)?;
        }
        self.clock.play(self.rate(), now, self.stage.position());
        Ok(())
    }

    /// Stays at its moment.
    pub fn pause(&mut self) {
        self.clock.play(0, Duration::ZERO, self.stage.position());
    }

    /// Plays twice as fast as many times as that, slower below zero.
    pub fn change_speed(&mut self, by: i32, now: Duration) {
        self.speed = self.speed.saturating_add(by).clamp(-SPEED_RANGE, SPEED_RANGE);
        if self.is_playing() {
            self.clock.play(self.rate(), now, self.stage.position());
        }
    }

    /// The view after or before the present one; after the last comes the first.
    #[must_use]
    pub fn next_view(&self, forward: bool) -> View {
        let views: Vec<View> = self.stage.views().iter().collect();
        let now = views.iter().position(|view| *view == self.stage.view()).unwrap_or(0);
        let step = if forward { 1 } else { views.len().saturating_sub(1) };
        views.get((now + step) % views.len().max(1)).copied().unwrap_or(View::SPECTATOR)
    }
}

/// Before the last tick that happened.
fn moment_before(moment: Moment) -> Moment {
    moment.last_tick().map_or(Moment::START, Moment::before)
}
