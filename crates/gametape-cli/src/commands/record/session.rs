//! A match while it is played and recorded.

use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use gametape_minewars::Generation;
use gametape_replay::{Next, Pump, Recorder, RecorderOptions, Report, Simulation};
use gametape_skirmish::{Match, MatchRecorder, Style, full_speed, game_time};
use gametape_tape::TapeHeader;
use gametape_wire::Result;
use indicatif::{ProgressBar, ProgressStyle};

use super::TICK_MICROS;
use super::sink::TapeSink;
use super::summary::{Played, metadata};
use crate::tape::id_of;
use crate::text::{clock, thousands};

/// How fast a match is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pace {
    /// As fast as possible.
    Max,
    /// So many times real time.
    Times(u32),
}

impl FromStr for Pace {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        match (text, text.parse()) {
            ("max", _) => Ok(Self::Max),
            (_, Ok(times @ 1..=1000)) => Ok(Self::Times(times)),
            _ => Err("a speed is max, or a number from 1 to 1000"),
        }
    }
}

impl Pace {
    /// How the recorder works.
    fn options(self) -> RecorderOptions {
        match self {
            Self::Max => full_speed(),
            Self::Times(_) => RecorderOptions::default(),
        }
    }

    /// How long after the start a tick is due.
    fn due(self, tick: u64) -> Duration {
        match self {
            Self::Max => Duration::ZERO,
            Self::Times(times) => game_time(tick) / times,
        }
    }
}

/// Game and recorder.
pub(super) struct Session {
    game: Match,
    pace: Pace,
    recorder: MatchRecorder,
    pump: Pump<TapeSink>,
}

impl Session {
    /// Writes what stands before the first tick.
    pub(super) fn begin(
        game: Match,
        styles: &[Style],
        generation: Generation,
        pace: Pace,
        sink: TapeSink,
    ) -> Result<Self> {
        let config = game.game().config();
        let about = metadata(config, styles, generation);
        let front =
            TapeHeader::new(TICK_MICROS, id_of(&[config.to_bytes(), about.clone()].concat()))?;
        let (recorder, pump) = Recorder::with_pump(sink, front, &about, &pace.options())?;
        let recorder = MatchRecorder::new(recorder, &game)?;
        Ok(Self { game, pace, recorder, pump })
    }

    /// Plays until the match is over, `last_tick` is reached, or somebody stops it.
    pub(super) fn play(mut self, last_tick: u64, stop: &AtomicBool) -> Result<Played> {
        let pace = self.pace;
        let start = Instant::now();
        let mut progress = Progress::new();
        loop {
            let tick = self.game.game().tick();
            let is_stopped = stop.load(Ordering::Relaxed);
            if self.game.is_over() || tick >= last_tick || is_stopped {
                break;
            }
            thread::sleep(pace.due(tick).saturating_sub(start.elapsed()));
            self.recorder.step(&mut self.game)?;
            // At full speed the match's own time decides what is written when, so that the same
            // match becomes the same tape.
            self.pump.step(match pace {
                Pace::Max => game_time(tick),
                Pace::Times(_) => start.elapsed(),
            });
            if self.recorder.recorder().counters().has_stopped {
                break;
            }
            progress.at(tick, start);
        }
        self.finish(start)
    }

    /// Ends the tape with a keyframe, and with what came out.
    fn finish(self, start: Instant) -> Result<Played> {
        let tick = self.game.game().tick();
        let recorder = self.recorder.finish(&self.game)?;
        let elapsed = start.elapsed();
        let config = self.game.game().config().clone();
        let played =
            Played { config, tick, outcome: self.game.game().outcome(), elapsed, report: None };
        recorder.closing_metadata(&played.closing())?;
        let report = close(recorder, self.pump, game_time(tick));
        Ok(Played { report, ..played })
    }
}

/// Lets the writer do the rest.
fn close(recorder: Recorder, mut pump: Pump<TapeSink>, now: Duration) -> Option<Report> {
    let closing = recorder.close();
    while pump.step(now) != Next::Done {}
    closing.wait_for(Duration::ZERO)
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

    fn at(&mut self, tick: u64, start: Instant) {
        let now = Instant::now();
        if now < self.next {
            return;
        }
        self.next = now + Self::INTERVAL;
        let played = game_time(tick);
        let speed = played.as_secs_f64() / start.elapsed().as_secs_f64().max(1e-9);
        let (tick, time) = (thousands(tick), clock(played.as_millis() as u64));
        self.bar.set_message(format!("tick {tick}, {time} played, {speed:.0} × real time"));
        self.bar.tick();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_max_or_a_number() {
        assert_eq!("max".parse(), Ok(Pace::Max));
        assert_eq!("10".parse(), Ok(Pace::Times(10)));
        for wrong in ["0", "1001", "fast", ""] {
            assert!(wrong.parse::<Pace>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_tick_is_due_sooner_when_it_goes_faster() {
        assert_eq!(Pace::Times(1).due(20), Duration::from_secs(1));
        assert_eq!(Pace::Times(10).due(20), Duration::from_millis(100));
        assert_eq!(Pace::Max.due(u64::MAX), Duration::ZERO);
    }
}
