//! A recording that plays: which moment is shown, whether it goes on and how fast.
//!
//! The time of day comes in as an argument, so all of it can be tested without waiting.

use std::time::Duration;

use gametape_replay::text::count;
use gametape_replay::{Clock, Direction, Pace, Pacer, Rate};
use gametape_wire::{Moment, Result, Source, Time, View};

use super::Stage;

/// Speeds go from 2 to the power of this, to its opposite.
const SPEED_RANGE: i32 = 8;

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
    /// Does it stay near the end of a recording that grows?
    is_live: bool,
    /// How near, where it comes without pauses.
    pacer: Option<Pacer>,
}

/// Nearer to the end than this is live: recorders write about once a second.
const NEAR: u64 = 3_000_000;
/// Farther from the end than this is jumped over by whoever is live.
const FAR: u64 = 10_000_000;

/// How fast to play near the end of a recording that grows, when the end is this many microseconds away; `None` to jump
/// to the end.
fn live_rate(behind: u64) -> Option<Rate> {
    match behind {
        ..=NEAR => Some(Rate::NORMAL),
        _ if behind <= FAR => Some(Rate::thousandths(1_050)),
        _ => None,
    }
}

impl<S: Source> PlayingStage<S> {
    /// A recording at its position, paused.
    #[must_use]
    pub fn new(stage: Stage<S>) -> Self {
        let since = moment_before(stage.position());
        Self {
            clock: Clock::new(stage.tick_length()),
            stage,
            speed: 0,
            pause: None,
            since,
            is_live: false,
            pacer: None,
        }
    }

    /// Whoever is live stays this near to the end: for recordings that grow many times a second.
    pub fn stay_near(&mut self, target: Duration) {
        self.pacer = Some(Pacer::new(target));
    }

    /// How fast to play near the end, `None` to jump there.
    fn live_rate(&mut self) -> Option<Rate> {
        let behind = self.behind();
        match &mut self.pacer {
            None => live_rate(behind),
            Some(pacer) => match pacer.pace(Duration::from_micros(behind)) {
                Pace::Play(rate) => Some(rate),
                Pace::Wait => Some(Rate::PAUSED),
                _ => None,
            },
        }
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

    /// Time has passed: goes on, if it plays. True where another moment is shown now.
    pub fn tick(&mut self, now: Duration) -> Result<bool> {
        if !self.is_playing() {
            return Ok(false);
        }
        if self.is_live && self.stage.is_growing() {
            return self.tick_live(now);
        }
        let position = self.stage.position();
        let end = self.pause.filter(|pause| position < *pause).unwrap_or(self.stage.end());
        let due = self.clock.due(now, position, end);
        if due > position {
            self.stage.seek(due).inspect_err(|_| self.clock.moved())?;
            self.since = position;
        }
        if self.stage.position() >= end {
            self.arrived_at_end(now);
        }
        Ok(due > position)
    }

    /// Stays there; where more may come, waits for it.
    fn arrived_at_end(&mut self, now: Duration) {
        if self.stage.is_growing() && self.stage.position() >= self.stage.end() {
            (self.speed, self.is_live) = (0, true);
            self.clock.play(Rate::NORMAL, now, self.stage.position());
        } else {
            self.pause();
        }
    }

    /// Goes on near the end of a recording that grows.
    fn tick_live(&mut self, now: Duration) -> Result<bool> {
        let (position, end) = (self.stage.position(), self.stage.end());
        let rate = self.live_rate();
        let due = match rate {
            // A delta takes no time.
            _ if self.stage.is_gamelog() => end,
            // It goes on when there is more.
            Some(Rate::PAUSED) => {
                self.clock.moved();
                position
            }
            None => {
                self.clock.moved();
                end
            }
            Some(rate) => {
                if rate != self.clock.rate() {
                    self.clock.play(rate, now, position);
                }
                self.clock.due(now, position, end)
            }
        };
        if due > position {
            self.stage.seek(due).inspect_err(|_| self.clock.moved())?;
            self.since = position;
        }
        Ok(due > position)
    }

    /// How long it takes to play from here to the end, in microseconds.
    fn behind(&self) -> u64 {
        let ticks = self.stage.end().next_tick().0 - self.stage.position().next_tick().0;
        ticks.saturating_mul(self.stage.tick_length().micros().into())
    }

    /// Goes to the end of a recording that grows, and stays near it.
    pub fn catch_up(&mut self, now: Duration) -> Result<()> {
        self.go(self.stage.end())?;
        if self.stage.is_growing() {
            (self.speed, self.is_live) = (0, true);
            self.clock.play(Rate::NORMAL, now, self.stage.position());
        }
        Ok(())
    }

    /// Where it is in a recording that grows or grew: `LIVE`, how far it is from live, or that nothing more comes.
    #[must_use]
    pub fn live_status(&self) -> Option<String> {
        let is_growing = self.stage.is_growing();
        if !self.stage.was_followed() {
            return None;
        }
        let behind = self.behind();
        let deltas = self.stage.end().next_tick().0 - self.stage.position().next_tick().0;
        Some(match (is_growing, self.stage.is_gamelog()) {
            (false, _) => "recording has ended".to_owned(),
            (true, _) if self.is_live && behind <= NEAR => "LIVE".to_owned(),
            (true, true) => format!("{} behind live", count(deltas, "delta")),
            (true, false) => format!("{} s behind live", behind / 1_000_000),
        })
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

    /// Goes on with another recording of the same match, at its position.
    pub fn replace(&mut self, stage: Stage<S>) {
        self.stage = stage;
        self.arrived();
    }

    fn arrived(&mut self) {
        self.leave_live();
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
            if self.stage.is_growing() {
                return self.catch_up(now);
            }
            self.go(Moment::START)?;
        }
        self.clock.play(Rate::power_of_two(self.speed), now, self.stage.position());
        Ok(())
    }

    /// Plays on from here at the speed that was asked for.
    fn leave_live(&mut self) {
        if std::mem::take(&mut self.is_live) && self.is_playing() {
            let rate = Rate::power_of_two(self.speed);
            self.clock.play(rate, Duration::ZERO, self.stage.position());
        }
    }

    /// Stays at its moment.
    pub fn pause(&mut self) {
        self.is_live = false;
        self.clock.play(Rate::PAUSED, Duration::ZERO, self.stage.position());
    }

    /// Plays twice as fast as many times as that, slower below zero.
    pub fn change_speed(&mut self, by: i32, now: Duration) {
        self.is_live = false;
        self.speed = self.speed.saturating_add(by).clamp(-SPEED_RANGE, SPEED_RANGE);
        if self.is_playing() {
            self.clock.play(Rate::power_of_two(self.speed), now, self.stage.position());
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
