//! `gametape record`: bots play a match of Skirmish, and it becomes a tape.

mod session;
mod sink;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use gametape_live::MatchName;
use gametape_minewars::{Generation, Grid};
use gametape_net::{Address, PublishOptions, Publishing, publish_recording};
use gametape_replay::Report;
use gametape_skirmish::{Config, Match, Pace, Played, Provenance, Session, Style, Summary};
use gametape_wire::{Error, Tick, View, ViewSet};

use super::publish::{name_of, report};
use crate::failure::{Done, Failure, Outcome, is_quiet, warn};
use crate::input::{Source, one_of};
use crate::output::{Kind, Target, print, print_json};
use crate::server_arg::ServerArgs;
use crate::text::{Fields, clock, count, date, printable, thousands};
use sink::TapeSink;

/// Let bots play a match of Skirmish, and record it
///
/// The tape has everything: the orders that the match can be run again from, what every view
/// received, chat, reports, keyframes of the simulation and of each view, and events. The same options
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

    /// How the bots play: a style for each, in order; a short list repeats
    #[arg(long, value_name = "STYLE,…", value_delimiter = ',', default_value = "careful,striker", value_parser = one_of(&Style::ALL, Style::name))]
    style: Vec<Style>,

    /// The generation of the messages to the views; v0.1 has room for 6 players
    #[arg(long, default_value = "current", value_parser = one_of(&Generation::ALL, Generation::name))]
    generation: Generation,

    /// How fast it is played: N times real time, or as fast as possible [default: max, with --live 1]
    #[arg(long, value_name = "N|max")]
    speed: Option<Pace>,

    /// Play at real time, for others to watch
    #[arg(long)]
    live: bool,

    /// Publish it to this server while it is played: http://, https://, ws://, wss:// or quic://, HOST:PORT
    #[arg(long, value_name = "URL", requires = "live")]
    to: Option<Address>,

    /// What the match is called there [default: the name of the file]
    #[arg(long = "match", value_name = "MATCH", requires = "to")]
    name: Option<MatchName>,

    #[command(flatten)]
    server: ServerArgs,

    /// The match is decided by territory after N minutes
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u16).range(1..=1092))]
    minutes: u16,

    /// Stop after N ticks, of 50 ms each, decided or not
    #[arg(long, value_name = "N")]
    ticks: Option<u64>,

    /// Print one JSON object that says how it went
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
  gametape record --live live.tape & gametape watch live.tape
  gametape record --live --to http://localhost:8440/ --match finals live.tape
  gametape record --seed 1 - | gametape info -"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        crate::rewrite::check_apart(&self.target, self.json)?;
        self.target.check_extension(Kind::Tape)?;
        let config = self.config()?;
        let refused = |error: Error| Failure::of(&"match", &error);
        let game = Match::new(config, &self.style, self.generation).map_err(refused)?;
        // What views cannot receive is refused before there is a file.
        game.setup().encode(true).map_err(refused)?;
        // Whoever sees the first bytes of the tape may end it.
        let stop = stop_signal()?;
        let sink = TapeSink::open(&self.target, crate::output::may_replace())?;
        let is_closed = sink.is_closed();
        let last_tick = self.ticks.map_or(Tick::MAX, Tick);
        // Who read the tape from a pipe has seen enough, as with the output of all commands.
        let failed = |error: Error| match is_closed.load(Ordering::Relaxed) {
            true => Failure::io(&self.target.title(), &io::ErrorKind::BrokenPipe.into()),
            false => Failure::of(&self.target.title(), &error),
        };
        let pace = self.pace();
        let begun = Session::begin(game, &self.style, self.generation, &provenance(), pace, sink);
        let mut begun = begun.map_err(&failed)?;
        let mut live = self.publish(&mut begun)?;
        let played = session::play(begun, pace, last_tick, &stop, live.as_mut());
        let played = played.map_err(&failed)?;
        let summary = played.summary(self.target.to_string());
        match (self.json, &self.target) {
            (true, _) => print_json(&summary)?,
            (false, Target::Stdout) => {}
            (false, _) if is_quiet() => {}
            (false, Target::File(_)) => print(&text(&summary))?,
        }
        let outcome = outcome(&played, &self.target, failed);
        if let Some(live) = live {
            live.finish(&stop)?;
        }
        outcome
    }

    fn pace(&self) -> Pace {
        self.speed.unwrap_or(if self.live { Pace::Times(1) } else { Pace::Max })
    }

    /// Publishes the match while it is played, where somebody wants that.
    fn publish(&self, session: &mut Session<TapeSink>) -> Result<Option<Live>, Failure> {
        let Some(to) = &self.to else { return Ok(None) };
        let Target::File(path) = &self.target else {
            let problem =
                "what is published has to be in a file: what a server lacks is read from it again";
            return Err(Failure::usage(problem));
        };
        let name = self.name.clone().or_else(|| to.name().cloned());
        let name = name.unwrap_or_else(|| name_of(&Source::File(path.clone())));
        let mut options = PublishOptions::new(to.clone(), name);
        (options.trust, options.pass) = (self.server.trust(), self.server.pass.clone());
        let views: ViewSet = (0..=self.players).filter_map(View::new).collect();
        let (sink, publishing) = publish_recording(path, views, options);
        session.publish(sink);
        Ok(Some(Live { to: to.clone(), publishing }))
    }

    fn config(&self) -> Result<Config, Failure> {
        let seed = match self.seed {
            Some(seed) => seed,
            None => any_seed().map_err(|problem| Failure::refused(&"seed", &problem))?,
        };
        let time_limit = self.minutes.saturating_mul(60);
        Ok(Config::new(self.players, self.radius, seed)
            .with_grid(self.grid)
            .with_time_limit(time_limit))
    }
}

/// A match that is published while it is played.
pub(super) struct Live {
    to: Address,
    publishing: Publishing,
}

impl Live {
    /// Says what happened since.
    pub(super) fn report(&mut self) {
        while let Some(event) = self.publishing.next_event() {
            report(&self.to, &event);
        }
    }

    /// Waits until the server has everything.
    fn finish(self, stop: &AtomicBool) -> Result<(), Failure> {
        let Self { to, publishing } = self;
        let done = publishing.finish(stop, &mut |event| report(&to, event));
        done.map_err(|error| Failure::of(&to, &error))
    }
}

/// A seed that can be typed again.
fn any_seed() -> Result<u64, String> {
    getrandom::u32().map(u64::from).map_err(|error| error.to_string())
}

/// Becomes true on Ctrl-C, SIGTERM and SIGHUP.
pub(super) fn stop_signal() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    let signal = Arc::clone(&stop);
    let handler = ctrlc::set_handler(move || signal.store(true, Ordering::Relaxed));
    handler.map_err(|error| Failure::refused(&"Ctrl-C", &error.to_string()))?;
    Ok(stop)
}

/// This program, and now. A build that must be reproducible sets the time from outside, as is usual.
fn provenance() -> Provenance {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs().try_into().ok();
    let seconds: Option<i64> = fixed.or_else(now);
    let date = seconds.and_then(|seconds| date(seconds.checked_mul(1000)?));
    let recorded = date.map(|date| date.replacen(' ', "T", 1).replace(" UTC", "Z"));
    Provenance::by(concat!("gametape ", env!("CARGO_PKG_VERSION"))).with_recorded(recorded)
}

/// Was everything written?
fn outcome(played: &Played, target: &Target, failed: impl Fn(Error) -> Failure) -> Outcome {
    match played.report() {
        Some(report) if report.is_finished => return Ok(Done::Fine),
        Some(Report { counters, .. }) => {
            if let Some(failure) = &counters.failure {
                return Err(failed(failure.clone()));
            }
        }
        None => {}
    }
    warn(target, "it has no index: `gametape recover` makes one");
    Ok(Done::DataLost)
}

/// For people.
fn text(summary: &Summary) -> String {
    let Summary { grid, radius, seed, ticks, .. } = summary;
    let mut fields = Fields::new(&summary.file);
    fields.add("match", printable(&summary.title));
    fields.add("map", format!("{grid}, radius {radius}, seed {seed}"));
    fields.add("outcome", printable(summary.outcome.as_deref().unwrap_or("not decided")));
    fields.add("length", format!("{}, {}", count(*ticks, "tick"), clock(summary.duration_ms)));
    fields.add("size", size_text(summary));
    fields.add("speed", format!("{} × real time", thousands(summary.speed as u64)));
    fields.into_text()
}

/// What a match of less than a second would have in a minute says nothing.
fn size_text(summary: &Summary) -> String {
    let bytes = count(summary.bytes, "byte");
    if summary.duration_ms < 1000 {
        return bytes;
    }
    let per_minute = summary.bytes as f64 * 60_000.0 / summary.duration_ms as f64;
    format!("{bytes}, {} per minute", thousands(per_minute as u64))
}
