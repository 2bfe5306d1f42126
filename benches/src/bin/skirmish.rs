//! Real matches of bots: how fast they are played, what recording them costs, how large their tapes
//! are beside a MineWars file and a gamelog, how fast they are sought through, and what analysis does
//! with their events.

use std::hint::black_box;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use flate2::Compression;
use flate2::write::GzEncoder;
use gametape_analysis::{AnalysisEvent, Block};
use gametape_benches::insight::{codec, encode, highlights, many_matches};
use gametape_benches::playing::{
    Times, cold_seeks, minewars_rate, print_steps, print_times, random_seeks, steps,
};
use gametape_benches::{Claim, Report, median};
use gametape_minewars::Generation;
use gametape_replay::{
    Playback, PlayerOptions, Recording, Simulation, Source, Timeline, minewars, streams,
};
use gametape_skirmish::{
    Config, Match, NAMES, SECOND, Style, TICK_LENGTH, TICK_MS, gamelog, metadata, record_match,
    recorded_game,
};
use gametape_tape::{ChunkKind, pack_bytes};
use gametape_wire::{Error, Result, Tick, View};

/// Distinct matches among the many that are exported.
const DISTINCT: u64 = 20;
/// Random seeks, and steps each way.
const SEEKS: usize = 300;
const HOUR: u64 = 60 * 60 * SECOND;

fn main() -> Result<ExitCode> {
    let mut report = Report::new();
    let small = Arena { name: "2 players, radius 12", players: 2, radius: 12, seed: 2 };
    let played = small.measure(31)?;
    let what = format!("{}: headless speed x real time", small.name);
    report.claim(&Claim::at_least(&what, played.speed, 500.0));
    sizes(&small, &played.tape)?;
    seeks(&small, &played.tape, &mut report)?;

    let large = Arena { name: "6 players, radius 48", players: 6, radius: 48, seed: 1 };
    let played = large.measure(5)?;
    sizes(&large, &played.tape)?;
    seeks(&large, &played.tape, &mut report)?;
    codec(&played.events, &mut report)?;
    let (events, end) = an_hour_of(&played);
    println!("{} events in {:.1} minutes", events.len(), seconds_of(end) / 60.0);
    highlights(&events, TICK_LENGTH, end, &mut report);

    let short = |seed| Arena { seed, ..small }.events().and_then(|events| encode(&events));
    let matches: Vec<Vec<Block>> = (0..DISTINCT).map(short).collect::<Result<_>>()?;
    println!("many matches, {}:", small.name);
    many_matches(&matches, &NAMES, &mut report)?;
    Ok(report.finish())
}

/// Where a match is played.
#[derive(Clone, Copy)]
struct Arena {
    name: &'static str,
    players: u8,
    radius: u8,
    seed: u64,
}

/// A match that was played and recorded.
struct Played {
    /// Headless, as a multiple of real time.
    speed: f64,
    ticks: u64,
    events: Vec<AnalysisEvent>,
    tape: Vec<u8>,
}

impl Arena {
    fn begin(&self) -> Result<Match> {
        let config = Config::new(self.players, self.radius, self.seed);
        Match::new(config, &Style::ALL, Generation::Current)
    }

    fn events(&self) -> Result<Vec<AnalysisEvent>> {
        let (mut game, mut events) = (self.begin()?, Vec::new());
        while !game.is_over() {
            events.extend(game.step()?.events);
        }
        Ok(events)
    }

    /// Plays the match with and without recording, in turns.
    fn measure(&self, rounds: usize) -> Result<Played> {
        let (mut headless, mut recorded) = (Vec::new(), Vec::new());
        let (mut ticks, mut tape) = (0, Vec::new());
        for _ in 0..rounds {
            let mut game = self.begin()?;
            headless.push(timed(|| play(&mut game))?);
            ticks = game.game().tick().0;
            let mut game = self.begin()?;
            recorded.push(timed(|| {
                let about = metadata(game.game().config(), Generation::Current);
                tape = record_match(&mut game, &about, 1, Tick::MAX)?;
                Ok(())
            })?);
        }
        let events = self.events()?;
        let [headless, recorded] = [headless, recorded].map(|mut times| median(&mut times));
        let speed = seconds_of(ticks) / headless;
        let overhead = (recorded / headless - 1.0) * 100.0;
        println!(
            "{}: {ticks} ticks in {headless:.3} s, {speed:.0} x real time; recording takes {overhead:.0} % \
             more ({:.0} x), {} events",
            self.name,
            seconds_of(ticks) / recorded,
            events.len(),
        );
        Ok(Played { speed, ticks, events, tape })
    }
}

fn play(game: &mut Match) -> Result<()> {
    while !game.is_over() {
        black_box(game.step()?);
    }
    Ok(())
}

fn seconds_of(ticks: u64) -> f64 {
    (ticks * u64::from(TICK_MS)) as f64 / 1e3
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

/// The match as it is if it lasts for an hour, else again and again until it does.
fn an_hour_of(played: &Played) -> (Vec<AnalysisEvent>, u64) {
    let again = HOUR.div_ceil(played.ticks.max(1));
    let mut events = Vec::new();
    for round in 0..again {
        let later =
            |event: &AnalysisEvent| event.clone().with_tick(event.tick() + round * played.ticks);
        events.extend(played.events.iter().map(later));
    }
    (events, again * played.ticks)
}

/// Bytes a minute of the same match as a tape, a MineWars file and a gamelog.
fn sizes(arena: &Arena, tape: &[u8]) -> Result<()> {
    let mut recording = Recording::open(tape)?;
    let minutes = seconds_of(recording.tape().summary.end_tick.0) / 60.0;
    let part = |is_part: &dyn Fn(ChunkKind, u16) -> bool| -> usize {
        let headers = recording.tape().chunks.iter().map(|chunk| &chunk.header);
        let chunks = headers.filter(|header| is_part(header.kind, header.stream));
        chunks.map(|header| header.chunk_length() as usize).sum()
    };
    let simulation = streams::SIMULATION;
    let mut rows = vec![
        ("tape", tape.len()),
        ("  frames", part(&|kind, _| kind == ChunkKind::FRAMES)),
        ("  keyframes of views", part(&|kind, of| kind.is_keyframe() && of != simulation)),
        ("  keyframes of simulation", part(&|kind, of| kind.is_keyframe() && of == simulation)),
        ("  events", part(&|kind, _| kind == ChunkKind::EVENTS)),
        ("  orders, talk, reports", part(&|kind, _| kind == ChunkKind::ORDERS)),
    ];
    rows.push(("tape, packed", pack_bytes(tape)?.len()));
    rows.push(("MineWars file", minewars::from_tape(&mut recording, None)?.bytes.len()));
    let log = gamelog(recording)?.json;
    rows.push(("gamelog", log.len()));
    rows.push(("gamelog, gzip", gzip(&log)?));
    println!("{}: bytes a minute", arena.name);
    for (what, bytes) in rows {
        println!("  {what:<26} {:>10.0}", bytes as f64 / minutes);
    }
    println!();
    Ok(())
}

/// Judges how fast a state of a view, and of the simulation, is found.
fn seeks(arena: &Arena, tape: &[u8], report: &mut Report) -> Result<()> {
    let options = PlayerOptions::default();
    for view in (0..2).filter_map(View::new) {
        let what = format!("{}, view {}", arena.name, view.number());
        let open = || minewars::player(Recording::open(tape)?, view, options);
        seek(&what, open, 5.0, report)?;
    }
    let what = format!("{}, simulation", arena.name);
    let game = recorded_game(&mut Recording::open(tape)?)?;
    let open = || Playback::simulation(Recording::open(tape)?, game.clone(), options);
    let (times, player) = seek(&what, open, 20.0, report)?;
    let late = format!("{what}: random seek after opening, 99th percentile, ms");
    report.claim(&Claim::at_most(&late, times.percentile(99), 3.0));
    let kept = player.timeline().cached_bytes() as f64 / f64::from(1 << 20);
    let most = options.cache_bytes as f64 / f64::from(1 << 20);
    report.claim(&Claim::at_most(&format!("{what}: MiB of kept states"), kept, most));
    println!();
    let file = minewars::from_tape(&mut Recording::open(tape)?, None)?.bytes;
    let mut rates = [0.0; 5];
    for rate in &mut rates {
        *rate = minewars_rate(&file)?;
    }
    let what = format!("{}: MineWars file as it is, MB of frames a second", arena.name);
    report.claim(&Claim::at_least(&what, median(&mut rates), 100.0));
    println!();
    Ok(())
}

fn seek<S: Source, T: Timeline>(
    what: &str,
    open: impl FnMut() -> Result<Playback<S, T>>,
    most_ms: f64,
    report: &mut Report,
) -> Result<(Times, Playback<S, T>)> {
    println!("{what}:");
    let (times, mut player) = cold_seeks(SEEKS, open)?;
    print_times("random seek after opening", &times);
    print_times("random seek again", &random_seeks(&mut player, SEEKS)?);
    let (forward, back) = steps(&mut player, SEEKS)?;
    print_steps(&forward, &back);
    let what = format!("{what}: random seek, ms");
    report.claim(&Claim::at_most(&what, times.percentile(50), most_ms));
    println!();
    Ok((times, player))
}

/// How long it is as gzip.
fn gzip(bytes: &[u8]) -> Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish());
    Ok(packed.map_err(|error| Error::misuse("gzip", error.to_string()))?.len())
}
