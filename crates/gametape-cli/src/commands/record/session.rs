//! A match while it is played, with a clock and somebody who watches.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use gametape_skirmish::{Pace, Played, Session, game_time};
use gametape_wire::{Result, Tick};
use indicatif::{ProgressBar, ProgressStyle};

use super::Live;
use super::sink::TapeSink;
use crate::text::{clock, thousands};

/// Plays until the match is over, `last_tick` is reached, or somebody stops it.
pub(super) fn play(
    mut session: Session<TapeSink>,
    pace: Pace,
    last_tick: Tick,
    stop: &AtomicBool,
    mut live: Option<&mut Live>,
) -> Result<Played> {
    let start = Instant::now();
    let mut progress = Progress::new();
    while !session.is_over() && session.tick() < last_tick && !stop.load(Ordering::Relaxed) {
        let tick = session.tick();
        thread::sleep(pace.due(tick).saturating_sub(start.elapsed()));
        session.step(start.elapsed())?;
        progress.at(tick, start);
        if let Some(live) = &mut live {
            live.report();
        }
    }
    session.finish(start.elapsed())
}

/// How far a match is, on a terminal.
struct Progress {
    bar: ProgressBar,
    next: Instant,
}

impl Progress {
    const INTERVAL: Duration = Duration::from_millis(200);

    fn new() -> Self {
        let bar = ProgressBar::no_length();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}") {
            bar.set_style(style);
        }
        Self { bar, next: Instant::now() + Self::INTERVAL }
    }

    fn at(&mut self, tick: Tick, start: Instant) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + Self::INTERVAL;
        let played = game_time(tick);
        let speed = played.as_secs_f64() / start.elapsed().as_secs_f64().max(1e-9);
        let (tick, time) = (thousands(tick.0), clock(played.as_millis() as u64));
        self.bar.set_message(format!("tick {tick}, {time} played, {speed:.0} × real time"));
        self.bar.tick();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
