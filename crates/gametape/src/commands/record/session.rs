//! A match while it is played and recorded.

use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use gametape_analysis::{Block, EventWriter};
use gametape_replay::minewars::MinewarsView;
use gametape_replay::{
    Durability, GameState, Next, Pump, Recorder, RecorderOptions, Report, Simulation,
};
use gametape_skirmish::{Match, NAMES, Said, Style, Turn};
use gametape_tape::Front;
use gametape_wire::{Generation, Result, View, ViewSet};
use indicatif::{ProgressBar, ProgressStyle};

use super::TICK_MICROS;
use super::sink::TapeSink;
use super::summary::{Played, metadata};
use crate::tape::id_of;
use crate::text::{clock, thousands};

/// So much of a match stands together when it is played at full speed.
const WRITTEN_TOGETHER: Duration = Duration::from_secs(10);

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
    /// How the recorder works. At full speed seconds of the match pass in no time, so more of them
    /// can stand together, which is smaller.
    fn options(self) -> RecorderOptions {
        let durability = match self {
            Self::Max => {
                Durability { written_within: 2 * WRITTEN_TOGETHER, synced_within: Duration::MAX }
            }
            Self::Times(_) => Durability::default(),
        };
        RecorderOptions { durability, ..RecorderOptions::default() }
    }

    /// How long after the start a tick is due.
    fn due(self, tick: u64) -> Duration {
        match self {
            Self::Max => Duration::ZERO,
            Self::Times(times) => game_time(tick) / times,
        }
    }
}

fn game_time(tick: u64) -> Duration {
    Duration::from_micros(tick.saturating_mul(TICK_MICROS.into()))
}

/// Game, views and recorder.
pub(super) struct Session {
    game: Match,
    pace: Pace,
    /// What each view knows, the spectator first.
    views: Vec<MinewarsView>,
    events: EventWriter,
    last_keyframes: Option<u64>,
    recorder: Recorder,
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
        let front = Front::new(TICK_MICROS, id_of(&[config.to_bytes(), about.clone()].concat()))?;
        let (recorder, pump) = Recorder::with_pump(sink, front, &about, &pace.options())?;
        recorder.simulation_setup(config.to_bytes())?;
        let views: ViewSet = (0..=config.players()).filter_map(View::new).collect();
        write_setups(&recorder, &game, views)?;
        recorder.names(&NAMES)?;
        let views = views.iter().map(|view| MinewarsView::new(game.setup(), view)).collect();
        let events = EventWriter::new();
        Ok(Self { game, pace, views, events, last_keyframes: None, recorder, pump })
    }

    /// Plays until the match is over, `last_tick` is reached, or somebody stops it.
    pub(super) fn play(mut self, last_tick: u64, stop: &AtomicBool) -> Result<Played> {
        let pace = self.pace;
        let start = Instant::now();
        let mut progress = Progress::new();
        loop {
            let tick = self.game.game().tick();
            if self.recorder.keyframe_due(tick) {
                self.write_keyframes(tick)?;
            }
            let is_stopped = stop.load(Ordering::Relaxed);
            if self.game.is_over() || tick >= last_tick || is_stopped {
                break;
            }
            thread::sleep(pace.due(tick).saturating_sub(start.elapsed()));
            let turn = self.game.step()?;
            self.write(&turn)?;
            // At full speed the match's own time decides what is written when, so that the same
            // match becomes the same tape.
            self.pump.step(match pace {
                Pace::Max => game_time(tick),
                Pace::Times(_) => start.elapsed(),
            });
            if self.recorder.counters().has_stopped {
                break;
            }
            progress.at(tick, start);
        }
        self.finish(start)
    }

    /// The keyframes of simulation and views before a tick; they are due together.
    fn write_keyframes(&mut self, tick: u64) -> Result<()> {
        self.recorder.keyframe(self.game.game().snapshot())?;
        for (view, state) in (0..).filter_map(View::new).zip(&self.views) {
            self.recorder.view_keyframe(view, state.snapshot(tick))?;
        }
        self.last_keyframes = Some(tick);
        self.events.flush()?.into_iter().try_for_each(|block| write_block(&self.recorder, block))
    }

    fn write(&mut self, turn: &Turn) -> Result<()> {
        let (recorder, tick) = (&self.recorder, turn.tick);
        for Said { player, payload } in &turn.orders {
            recorder.order(tick, *player, payload)?;
        }
        for Said { player, payload } in &turn.talk {
            recorder.talk(tick, *player, payload)?;
        }
        for Said { player, payload } in &turn.reports {
            recorder.reported(tick, *player, payload)?;
        }
        let parts = turn.parts();
        if !parts.is_empty() {
            recorder.frame(tick, &parts)?;
        }
        for (view, payload) in parts {
            self.views[usize::from(view.number())].apply(tick, payload)?;
        }
        for event in &turn.events {
            self.events.push(event)?;
        }
        for block in self.events.take() {
            write_block(recorder, block)?;
        }
        recorder.end_tick(tick);
        Ok(())
    }

    /// Ends the tape with a keyframe, and with what came out.
    fn finish(mut self, start: Instant) -> Result<Played> {
        let tick = self.game.game().tick();
        if self.last_keyframes != Some(tick) {
            self.write_keyframes(tick)?;
        }
        let elapsed = start.elapsed();
        let config = self.game.game().config().clone();
        let played =
            Played { config, tick, outcome: self.game.game().outcome(), elapsed, report: None };
        self.recorder.closing_metadata(&played.closing())?;
        let report = close(self.recorder, self.pump, game_time(tick));
        Ok(Played { report, ..played })
    }
}

/// Lets the writer do the rest.
fn close(recorder: Recorder, mut pump: Pump<TapeSink>, now: Duration) -> Option<Report> {
    let closing = recorder.close();
    while pump.step(now) != Next::Done {}
    closing.wait_for(Duration::ZERO)
}

/// The items of the map are for the spectator alone.
fn write_setups(recorder: &Recorder, game: &Match, views: ViewSet) -> Result<()> {
    let encoded = |setup: &gametape_minewars::Setup| -> Result<Vec<u8>> {
        let encoded = setup.encode(true)?;
        Ok([encoded.header, encoded.data].concat())
    };
    let spectator = ViewSet::EMPTY.with(View::SPECTATOR);
    recorder.setup(spectator, encoded(game.setup())?)?;
    let mut shown = game.setup().clone();
    shown.map.remove_items()?;
    recorder.setup(views.without(spectator), encoded(&shown)?)
}

fn write_block(recorder: &Recorder, block: Block) -> Result<()> {
    let Block { stream, first_tick, last_tick, count, bytes } = block;
    recorder.events(stream.number(), first_tick, last_tick, count, bytes)
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
