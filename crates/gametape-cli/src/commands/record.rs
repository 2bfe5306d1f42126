//! `gametape record`: bots play a match of Skirmish, and it becomes a tape.

mod session;
mod sink;
mod summary;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gametape_minewars::Generation;
use gametape_minewars::Grid;
use gametape_skirmish::{Config, Match, SECOND, Style};
use gametape_wire::Error;

use crate::failure::{Failure, Outcome};
use crate::input::one_of;
use crate::output::{Target, print, print_json};
use session::{Pace, Session};
use sink::TapeSink;

/// Let bots play a match of Skirmish, and record it
///
/// The tape has everything: the orders that the match can be run again from, what every view was
/// told, chat, reports, keyframes of the simulation and of each view, and events. The same options
/// give the same match. Ctrl-C, SIGTERM and SIGHUP end the recording; what was played is a finished
/// tape.
///
/// A tape that is being recorded can be followed with `gametape watch`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Where the tape goes, `-` for standard output
    #[arg(value_name = "OUT")]
    target: Target,

    /// How many play
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(2..=15))]
    players: u8,

    /// The outermost ring of the map
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u8).range(4..=100))]
    radius: u8,

    /// How tiles touch
    #[arg(long, default_value = "hex", value_parser = one_of(&Grid::ALL, Grid::name))]
    grid: Grid,

    /// Another number gives another match [default: any]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// How the bots play, one after the other and again from the first
    #[arg(long, value_name = "STYLE,…", value_delimiter = ',', default_value = "careful,striker", value_parser = one_of(&Style::ALL, Style::name))]
    style: Vec<Style>,

    /// The generation of the messages to the views; v0.1 has room for 6 players
    #[arg(long, default_value = "current", value_parser = one_of(&Generation::ALL, Generation::name))]
    generation: Generation,

    /// How fast it is played: so many times real time, or as fast as possible
    #[arg(long, value_name = "N|max", default_value = "max")]
    speed: Pace,

    /// The match is decided by territory after so many minutes
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..=1092))]
    minutes: u16,

    /// Stop after so many ticks, of 50 ms each, decided or not
    #[arg(long, value_name = "N")]
    ticks: Option<u64>,

    /// Print one JSON object that tells how it went
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"With --json:
  {"file","title","seed","grid","radius","players":[name],"outcome","winner","finished","ticks",
   "duration_ms","bytes","seconds","speed"}
"outcome" and "winner" are null when it was stopped before the end; "winner" also in a draw.

Examples:
  gametape record match.tape
  gametape record --players 6 --radius 30 --seed 7 --minutes 20 big.tape
  gametape record --speed 1 live.tape & gametape watch live.tape
  gametape record --seed 1 - | gametape info -"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        crate::rewrite::check_apart(&self.target, self.json)?;
        let config = self.config()?;
        let refused = |error: Error| Failure::of(&"match", &error);
        let game = Match::new(config, &self.style, self.generation).map_err(refused)?;
        // What cannot be told to views is refused before there is a file.
        game.setup().encode(true).map_err(refused)?;
        // Whoever sees the first bytes of the tape may end it.
        let stop = stop_signal()?;
        let sink = TapeSink::open(&self.target, crate::output::may_replace())?;
        let last_tick = self.ticks.unwrap_or(u64::MAX);
        let session = Session::begin(game, &self.style, self.generation, self.speed, sink);
        let session = session.map_err(|error| Failure::of(&self.target, &error))?;
        let played = session.play(last_tick, &stop);
        let played = played.map_err(|error| Failure::of(&self.target, &error))?;
        let summary = played.summary(&self.target);
        match (self.json, &self.target) {
            (true, _) => print_json(&summary)?,
            (false, Target::Stdout) => {}
            (false, Target::File(_)) => print(&summary.to_text())?,
        }
        played.outcome(&self.target)
    }

    fn config(&self) -> Result<Config, Failure> {
        let seed = match self.seed {
            Some(seed) => seed,
            None => any_seed().map_err(|problem| Failure::refused(&"seed", &problem))?,
        };
        let time_limit = self.minutes.saturating_mul(60);
        Ok(Config { grid: self.grid, time_limit, ..Config::new(self.players, self.radius, seed) })
    }
}

/// A seed that can be typed again.
fn any_seed() -> Result<u64, String> {
    getrandom::u32().map(u64::from).map_err(|error| error.to_string())
}

/// Becomes true on Ctrl-C, SIGTERM and SIGHUP.
fn stop_signal() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&stop);
    let handler = ctrlc::set_handler(move || told.store(true, Ordering::Relaxed));
    handler.map_err(|error| Failure::refused(&"Ctrl-C", &error.to_string()))?;
    Ok(stop)
}

/// Microseconds of a tick.
const TICK_MICROS: u32 = 1_000_000 / SECOND as u32;
