//! What the tests of the page compare it with, made natively.
//!
//! `native hashes COUNT FILE…` prints a line of JSON for each recording: hashes of its state at random moments, the same in
//! every run. `native samples FOLDER` writes small recordings that are the same everywhere. `native pieces TAPE OUT` writes the
//! tape as somebody has it who watches it live, and prints where each half second of it ends: `[[tick, bytes]]`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gametape_cadre::Options;
use gametape_live::{Classes, Grant, Join, Message, Publisher, Relay, Spectator};
use gametape_minewars::sample::Sample;
use gametape_minewars::{Generation, WriteOptions, write_file};
use gametape_replay::open::{KeptStart, OpenOptions, open};
use gametape_replay::state_at::{StateAt, StateRequest, state_at};
use gametape_replay::text::hex;
use gametape_scene::stage::Stage;
use gametape_skirmish::registry::GAMES;
use gametape_skirmish::{Config, Match, Style, metadata, record_match};
use gametape_wire::{Moment, Tick, View, When};
use serde_json::{Value, json};

type Outcome<T> = Result<T, Box<dyn Error>>;
type Recording = Stage<KeptStart<Vec<u8>>>;

/// Moments of each view but the first.
const OF_OTHER_VIEWS: usize = 20;
/// After this many moments the state is also found as `gametape state` finds it: entered and played by itself.
const ALONE: usize = 67;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments {
        ["hashes", count, ref files @ ..] => {
            let count = count.parse()?;
            for file in files {
                println!("{}", hashes(Path::new(file), count)?);
            }
            Ok(())
        }
        ["samples", folder] => samples(Path::new(folder)),
        ["pieces", tape, out] => pieces(Path::new(tape), Path::new(out)),
        _ => {
            Err("usage: native hashes COUNT FILE… | native samples FOLDER | native pieces TAPE OUT"
                .into())
        }
    }
}

/// The hashes of a recording: `{"file", "views": [{"view", "moments": [[moment, hash]]}]}`; `view` is null in a gamelog.
/// Moments ascend, and are walked through in this order.
fn hashes(path: &Path, count: usize) -> Outcome<Value> {
    let bytes = std::fs::read(path)?;
    let mut stage = stage(&bytes)?;
    let all: Vec<View> = stage.views().iter().collect();
    let mut views = Vec::new();
    if stage.is_gamelog() {
        views.push(json!({"view": null, "moments": of_view(&mut stage, &bytes, count)?}));
    }
    for (number, view) in all.into_iter().enumerate() {
        stage.change_view(view)?;
        let count = if number == 0 { count } else { OF_OTHER_VIEWS.min(count) };
        let moments = of_view(&mut stage, &bytes, count)?;
        views.push(json!({"view": view.number(), "moments": moments}));
    }
    Ok(json!({"file": path.to_string_lossy(), "views": views}))
}

/// The tape as a spectator of all views has it, with chunks of half a second.
fn pieces(path: &Path, out: &Path) -> Outcome<()> {
    let bytes = std::fs::read(path)?;
    let tape = gametape_tape::Tape::open(&bytes)?;
    let (name, metadata) = ("pieces".parse()?, tape.metadata.clone());
    let views = tape.views();
    let mut publisher = Publisher::new(name, tape.header, &metadata, views, usize::MAX)?;
    publisher.follow(&bytes, Duration::ZERO)?;
    let Message::Announce(announce) = Message::read(&publisher.announce())? else {
        return Err("no announcement".into());
    };
    let mut relay = Relay::new(announce, views, usize::MAX);
    let mut spectator = Spectator::new(Join::new("pieces".parse()?, views));
    let Message::Join(join) = Message::read(&spectator.join())? else {
        return Err("no join".into());
    };
    let grant = Grant { views, classes: Classes::ALL, delay: 0 };
    let seat = relay.join(&join, &grant, Duration::ZERO).map_err(|_| "refused")?;
    let link = publisher.connect_all(Duration::ZERO);
    let (mut live, mut ends) = (Vec::new(), Vec::<(u64, usize)>::new());
    for message in publisher.poll(link, Duration::ZERO, usize::MAX) {
        relay.receive_published(&message.bytes, Duration::ZERO)?;
        for out in relay.poll(seat, Duration::ZERO, usize::MAX) {
            spectator.receive(&out.bytes, Duration::ZERO)?;
        }
        let last = ends.last().map_or(0, |(tick, _)| *tick);
        let Some(shown) = spectator.shown().filter(|tick| *tick >= Tick(last + 10)) else {
            continue;
        };
        live.extend(spectator.take_tape()?);
        ends.push((shown.0, live.len()));
    }
    live.extend(spectator.take_tape()?);
    std::fs::write(out, live)?;
    println!("{}", json!(ends));
    Ok(())
}

fn stage(bytes: &[u8]) -> Outcome<Recording> {
    let opened = open(bytes.to_vec(), &OpenOptions::default())?;
    Ok(Stage::open(opened, &GAMES, &Options::default())?)
}

fn of_view(stage: &mut Recording, bytes: &[u8], count: usize) -> Outcome<Vec<(u64, String)>> {
    let first = stage.find(When::Start).unwrap_or(stage.begin()).min(stage.end());
    let moments = random_moments(first, stage.end(), count);
    let mut found = Vec::with_capacity(moments.len());
    for (number, moment) in moments.into_iter().enumerate() {
        stage.seek(moment)?;
        let hash = stage.state_hash().map(|hash| hex(&hash)).ok_or("it has no hash")?;
        let is_first_view = stage.views().iter().next().is_none_or(|view| view == stage.view());
        let tick = moment.last_tick().filter(|_| number % ALONE == 0 && is_first_view);
        if let Some(tick) = tick
            && hash != found_alone(bytes, tick)?
        {
            return Err(format!("two ways to the state at {moment:?} differ").into());
        }
        found.push((moment.next_tick().0, hash));
    }
    Ok(found)
}

/// The hash as `gametape state --hash` finds it.
fn found_alone(bytes: &[u8], tick: Tick) -> Outcome<String> {
    let request = StateRequest::new(When::Tick(tick));
    let opened = open(bytes.to_vec(), &OpenOptions::default())?;
    Ok(match state_at(opened, &request, &GAMES)? {
        StateAt::View(view) => hex(&view.replayed.state.hash()),
        StateAt::Game(game) => game.state().hash_hex(),
        _ => return Err("its state has an unknown shape".into()),
    })
}

/// Ascending, each once, first and last among them.
fn random_moments(first: Moment, last: Moment, count: usize) -> Vec<Moment> {
    let (first, last) = (first.next_tick().0, last.next_tick().0);
    let span = last - first + 1;
    let mut dice: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut moments = vec![first, last];
    while (moments.len() as u64) < (count as u64).min(span) {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        let moment = first + dice % span;
        if !moments.contains(&moment) {
            moments.push(moment);
        }
    }
    moments.sort_unstable();
    moments.dedup();
    moments.into_iter().map(|moment| Moment::before(Tick(moment))).collect()
}

/// A match of each kind, small enough to compare pictures of.
fn samples(folder: &Path) -> Outcome<()> {
    std::fs::create_dir_all(folder)?;
    let write = |name: &str, bytes: &[u8]| std::fs::write(PathBuf::from(folder).join(name), bytes);
    let config = Config::new(3, 9, 5);
    let mut game = Match::new(config.clone(), &Style::ALL, Generation::Current)?;
    let about = metadata(&config, Generation::Current);
    write("skirmish.tape", &record_match(&mut game, &about, 7, Tick(3000))?)?;
    for (name, generation, radius) in [
        ("current.minewars", Generation::Current, 7),
        ("v01.minewars", Generation::V01, 7),
        ("wide.minewars", Generation::Current, 70),
    ] {
        let sample = Sample { radius, ..Sample::default() };
        let (setup, frames) = sample.build(generation)?;
        write(name, &write_file(&setup, &frames, &WriteOptions::default())?)?;
    }
    write("snails.tape", &gametape_replay::sample::race(600)?)?;
    Ok(write("game.json", &gametape_cadre::sample::log(120, 3))?)
}
