//! Tapes made of recorded matches: their moments, on every way, for every view.
//!
//! A moment is a tick at which the state is another than before; some ticks at which it is not are
//! tried too. Each tape is played with two sets of keyframes, more than a converter would make: deltas
//! that all build on the last full one, and deltas that build on each other. All ways (forward, backward,
//! in random order) try the same moments: of short matches with small states all of them. Reading a large
//! state takes most of the time, so that of the others those are tried where ways differ: each keyframe,
//! the moments next to it, one in the middle between two, the first and the last.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Mutex;

use gametape_cadre::{Log, Options};
use gametape_minewars::{Dialect, ReplayFile};
use gametape_replay::Playback;
use gametape_replay::cadre::CadreGame;
use gametape_replay::minewars::MinewarsView;
use gametape_replay::{
    ConvertOptions, GameState, PlayRule, Player, PlayerOptions, Recording, ViewTrack, cadre,
    minewars, streams,
};
use gametape_tape::{ChunkKind, DeltaSnapshot, Keyframe, SimSnapshot, Tape, TapeFrames};
use gametape_wire::{Finding, View, ViewSet};
use xxhash_rust::xxh3::xxh3_128;

use super::common::{ByTick, finish, without_keyframes};
use super::corpus_files::files;

/// Keyframes of each view. *Large* is what takes long to read: a state of this many bytes as a snapshot.
const KEYFRAMES: usize = 30;
const KEYFRAMES_OF_LARGE: usize = 12;
const LARGE: usize = 64 << 10;
/// This many keyframes between two full ones are deltas.
const DELTAS: usize = 9;

/// A view with at most this many moments is tried at all of them.
const FEW: usize = 160;
/// One of this many ticks at which nothing changes is tried all the same.
const UNCHANGED: usize = 16;

/// A state that can be compared with others quickly.
trait Fingerprint: GameState {
    fn fingerprint(&self) -> u128;
}

impl Fingerprint for MinewarsView {
    fn fingerprint(&self) -> u128 {
        xxh3_128(&self.state().to_bytes())
    }
}

impl Fingerprint for CadreGame {
    fn fingerprint(&self) -> u128 {
        xxh3_128(&self.state().canonical())
    }
}

/// What deltas build on.
#[derive(Debug, Clone, Copy)]
enum Deltas {
    OnTheLastFull,
    OnEachOther,
}

/// The ticks of a tape at which its views may know something new, and some between them.
fn ticks_of(bytes: &[u8]) -> Vec<u64> {
    let tape = Tape::open(bytes).unwrap();
    let mut ticks = vec![0u64];
    for entry in tape.stream(ChunkKind::FRAMES, streams::FRAMES) {
        let raw = tape.read(entry, bytes).unwrap().raw().unwrap().into_owned();
        for (number, frame) in TapeFrames::new(&entry.header, &raw).enumerate() {
            let (last, tick) = (ticks[ticks.len() - 1], frame.unwrap().tick);
            if number % UNCHANGED == 0 {
                ticks.extend([last.midpoint(tick.0), tick.0]);
            }
            ticks.push((tick + 1).0);
        }
    }
    ticks.sort_unstable();
    ticks.dedup();
    ticks
}

/// Which of the ticks of a tape are tried, and which of those get a keyframe.
struct Chosen {
    ticks: BTreeSet<u64>,
    keyframes: BTreeSet<u64>,
}

impl Chosen {
    fn of(all: &[u64], is_large: bool) -> Self {
        let most = if is_large { KEYFRAMES_OF_LARGE } else { KEYFRAMES };
        let every = all.len().div_ceil(most);
        let at: Vec<usize> = (0..all.len()).step_by(every).collect();
        let keyframes = at.iter().map(|index| all[*index]).collect();
        let ticks = match all.len() <= FEW && !is_large {
            true => all.iter().copied().collect(),
            false => {
                let around = |index: &usize| {
                    let next = [*index, index + 1, index + every / 2];
                    next.into_iter().chain(index.checked_sub(1))
                };
                let tried = at.iter().flat_map(around).chain([all.len() - 1]);
                tried.filter_map(|index| all.get(index).copied()).collect()
            }
        };
        Self { ticks, keyframes }
    }
}

/// The ticks in another order, which is the same every time.
fn shuffled(ticks: &[u64]) -> Vec<u64> {
    let mut shuffled = ticks.to_vec();
    let mut random = 99u64;
    for end in (1..shuffled.len()).rev() {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        shuffled.swap(end, (random >> 33) as usize % (end + 1));
    }
    shuffled
}

type Watching<'a, G> = Playback<&'a [u8], Player<ViewTrack<G>>>;

/// The ticks to try and how their states are reported, by playing once from the start, without any
/// keyframe; and snapshots of some.
fn linear<G: Fingerprint>(
    mut player: Watching<'_, G>,
    chosen: &Chosen,
) -> (BTreeMap<u64, u128>, Vec<SimSnapshot>) {
    let (mut expected, mut snapshots) = (BTreeMap::new(), Vec::new());
    let mut last = None;
    for (number, tick) in chosen.ticks.iter().enumerate() {
        player.before(*tick);
        let fingerprint = player.state().fingerprint();
        let is_keyframe = chosen.keyframes.contains(tick);
        let is_new = last.replace(fingerprint) != Some(fingerprint);
        if is_new || is_keyframe || number % UNCHANGED == 0 {
            expected.insert(*tick, fingerprint);
        }
        if is_keyframe {
            snapshots.push(player.snapshot());
        }
    }
    (expected, snapshots)
}

/// The tape with these states as keyframes of a view.
fn with_keyframes(plain: &[u8], view: View, states: &[SimSnapshot], deltas: Deltas) -> Vec<u8> {
    let mut writer = without_keyframes(plain);
    for run in states.chunks(1 + DELTAS) {
        for (number, state) in run.iter().enumerate() {
            let keyframe = match (number, deltas) {
                (0, _) => Keyframe::full(state),
                (_, Deltas::OnTheLastFull) => delta(&run[0], state),
                (_, Deltas::OnEachOther) => delta(&run[number - 1], state),
            };
            let (stream, views) = (streams::keyframes_of(view), ViewSet::EMPTY.with(view));
            writer.keyframe(stream, views, &keyframe).unwrap();
        }
    }
    finish(writer)
}

fn delta(baseline: &SimSnapshot, state: &SimSnapshot) -> Keyframe {
    Keyframe::delta(&DeltaSnapshot::between(baseline, state).unwrap())
}

/// Are the states so large that reading them takes most of the time?
fn is_large<G: Fingerprint>(mut player: Watching<'_, G>) -> bool {
    let end = player.end_tick();
    player.before(end);
    player.snapshot().to_bytes().len() > LARGE
}

/// The moments forward, backward and in random order, with both kinds of deltas, and in random order
/// with the keyframes that the converter chose.
fn every_moment<G: Fingerprint>(tape: &[u8], view: View, open: impl Fn(&[u8]) -> Watching<'_, G>) {
    let plain = finish(without_keyframes(tape));
    let chosen = Chosen::of(&ticks_of(&plain), is_large(open(&plain)));
    let (expected, states) = linear(open(&plain), &chosen);
    let forward: Vec<u64> = expected.keys().copied().collect();
    let backward = forward.iter().rev().copied().collect();
    let all_ways = [forward.clone(), backward, shuffled(&forward)];
    let try_ways = |tape: &[u8], ways: &[Vec<u64>]| {
        let mut player = open(tape);
        for tick in ways.iter().flatten() {
            player.before(*tick);
            assert!(player.state().fingerprint() == expected[tick], "view {view}, tick {tick}");
        }
        let is_of_the_match = |finding: &Finding| finding.rule == PlayRule::INPUT;
        assert!(player.findings().iter().all(is_of_the_match), "{:?}", player.findings());
    };
    for deltas in [Deltas::OnTheLastFull, Deltas::OnEachOther] {
        try_ways(&with_keyframes(&plain, view, &states, deltas), &all_ways);
    }
    try_ways(tape, &all_ways[2..]);
}

/// Does the work on as many threads as there are cores; the last jobs come first.
fn in_parallel<J: Send>(jobs: Vec<J>, work: impl Fn(J) + Sync) {
    let jobs = Mutex::new(jobs);
    let next = || jobs.lock().unwrap().pop();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(job) = next() {
                    work(job);
                }
            });
        }
    });
}

/// The match as a tape, unless it cannot be one.
fn minewars_tape(bytes: &[u8], dialect: Option<Dialect>) -> Option<Vec<u8>> {
    let file = match dialect {
        Some(dialect) => ReplayFile::open_as(bytes, dialect),
        None => ReplayFile::open(bytes),
    };
    minewars::to_tape(&file.unwrap(), &ConvertOptions::new(1)).ok()
}

#[test]
fn every_moment_of_recorded_matches() {
    let mut tapes = Vec::new();
    for (folder, dialect) in [
        ("minewars/current", None),
        ("minewars/v0.1", None),
        ("minewars/mw-datatool", Some(Dialect::MwDatatool)),
    ] {
        for path in files(folder, ".minewars") {
            tapes.extend(minewars_tape(&fs::read(path).unwrap(), dialect));
        }
    }
    tapes.sort_by_key(Vec::len);
    let views_of = |tape: &Vec<u8>| {
        let setup = minewars::setup_of(&mut Recording::open(&tape[..]).unwrap()).unwrap();
        0..=setup.max_view().number()
    };
    let jobs = tapes.iter().flat_map(|tape| views_of(tape).map(move |view| (tape, view))).collect();
    in_parallel(jobs, |(tape, view)| {
        let view = View::new(view).unwrap();
        every_moment(tape, view, |tape| {
            let recording = Recording::open(tape).unwrap();
            minewars::player(recording, view, PlayerOptions::default()).unwrap()
        });
    });
}

#[test]
fn every_moment_of_recorded_gamelogs() {
    let mut tapes = Vec::new();
    for path in files("cadre", ".json.gz") {
        let log = Log::open(fs::read(path).unwrap(), &Options::default()).unwrap();
        tapes.push(cadre::to_tape(&log, &ConvertOptions::new(1)).unwrap());
    }
    tapes.sort_by_key(Vec::len);
    in_parallel(tapes, |tape| {
        every_moment(&tape, View::SPECTATOR, |tape| {
            cadre::player(Recording::open(tape).unwrap(), PlayerOptions::default()).unwrap()
        });
    });
}
