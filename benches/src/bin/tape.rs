//! The tape beside MCAP on the same messages, then what a long and a large tape cost.
//!
//! A million messages of 24 bytes, a hundred in each of 10,000 ticks: once those of a crowd that moves
//! as in a game, once random bytes. MCAP has LZ4 and its usual settings; where seeking counts it has
//! chunks of 64 KiB, and the tape full keyframes close together: that one tape is held to both
//! promises, its size and its seeks. Every claim is about MCAP's fastest way and smallest file; the
//! others are printed beside it.

use gametape_wire::{Need, SansIo, Tick, TickLength, View, ViewSet};
use std::error::Error;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use gametape_benches::crowd::{Crowd, Dice, MESSAGES, Seen, TICK_BYTES};
use gametape_benches::crowd_tape::{self, FOR_SEEKING, Seeker};
use gametape_benches::memory::{self, Task};
use gametape_benches::{Claim, Contest, Report, median, peer, playing};
use gametape_replay::{
    GameState, Playback, Player, PlayerOptions, Recording, Source, Track, streams,
};
use gametape_tape::{
    Cadence, ChunkKind, Depth, Keyframe, SimSnapshot, Tape, TapeHeader, TapeReader, TapeWriter,
};

type Outcome<T> = Result<T, Box<dyn Error>>;

const TICKS: u64 = 10_000;
/// Sixty minutes of twenty ticks a second.
const LONG_TICKS: u64 = 72_000;
const LARGE_BYTES: u64 = 1_000_000_000;
/// Ticks between its keyframes.
const LARGE_CADENCE: u64 = 300;
/// Seeks through it, and steps each way.
const LARGE_SEEKS: usize = 300;
/// Ticks whose payloads are a state: 240 KB.
const LATEST_TICKS: u64 = 100;
const ROUNDS: usize = 7;
/// Seeks of one sample, and more rounds of them: they are short, so that a busy machine shows.
const SEEKS: usize = 100;
const SEEK_ROUNDS: usize = 50;
const LONG_SEEKS: usize = 1000;
/// Each seek counts with the median of its rounds, so that a busy machine is not taken for a slow seek.
const LONG_ROUNDS: usize = 5;
/// Names the tape that a process that measures memory reads.
const TAPE_VARIABLE: &str = "GAMETAPE_BENCH_TAPE";

const TASKS: &[Task] = &[
    ("read", || with_given(|path| read_file(path, Ending::There))),
    ("walk", || with_given(|path| read_file(path, Ending::Cut))),
    ("seek", || with_given(seek_in_file)),
];

fn main() -> Outcome<ExitCode> {
    if memory::serve(TASKS)? {
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = Report::new();
    let messages = crowd_messages();
    compare("crowd", &messages, &mut report)?;
    compare("random bytes", &random_messages(), &mut report)?;
    compare_seeks(&messages, &mut report)?;
    long_recording(&mut report)?;
    foreign_recordings()?;
    large_tape(&mut report)?;
    Ok(report.finish())
}

fn crowd_messages() -> Vec<u8> {
    let mut messages = Vec::with_capacity(TICKS as usize * TICK_BYTES);
    let mut crowd = Crowd::new(1);
    (0..TICKS).for_each(|_| crowd.step(&mut messages));
    messages
}

fn random_messages() -> Vec<u8> {
    let mut dice = Dice::new(2);
    (0..TICKS as usize * TICK_BYTES / 8).flat_map(|_| dice.roll().to_le_bytes()).collect()
}

fn per_message(bytes: &[u8]) -> f64 {
    bytes.len() as f64 / (TICKS as f64 * MESSAGES as f64)
}

fn compare(name: &str, messages: &[u8], report: &mut Report) -> Outcome<()> {
    let tape = crowd_tape::write(messages)?;
    let mcap = peer::write(messages, peer::usual())?;
    let bare = peer::write(messages, peer::usual().emit_message_indexes(false))?;
    let ticks = peer::write_ticks(messages, peer::usual())?;
    let sums = [crowd_tape::read(&tape)?, peer::read(&mcap)?, peer::stream(&mcap)?];
    if sums != [peer::read(&ticks)?; 3] {
        return Err("they do not give the same messages".into());
    }
    println!("{name}, bytes per message: tape {:.2}", per_message(&tape));
    println!("  mcap {:.2}", per_message(&mcap));
    println!("  mcap without message indexes {:.2}", per_message(&bare));
    println!("  mcap with a tick as one message {:.2}", per_message(&ticks));
    let what = format!("{name}: bytes per message as a share of mcap's");
    report.claim(&Claim::at_most(&what, per_message(&tape) / per_message(&mcap), 0.5));
    println!();

    let contest = Contest::new(&format!("{name}, write"), messages)
        .rounds(ROUNDS)
        .baseline("mcap", || peer::write(messages, peer::usual()))
        .contender("mcap, a tick as one", || peer::write_ticks(messages, peer::usual()))
        .promised("tape", 4.0, || crowd_tape::write(messages));
    report.contest(contest);
    let contest = Contest::new(&format!("{name}, read all"), messages)
        .rounds(ROUNDS)
        .baseline("mcap", || peer::read(&mcap))
        .contender("mcap, as documented", || peer::stream(&mcap))
        .contender("mcap, a tick as one", || peer::read(&ticks))
        .promised("tape", 2.0, || crowd_tape::read(&tape));
    report.contest(contest);
    Ok(())
}

fn compare_seeks(messages: &[u8], report: &mut Report) -> Outcome<()> {
    let mcap = peer::write(messages, peer::for_seeking())?;
    let summary = peer::summary(&mcap)?;
    let often = crowd_tape::recorded(Crowd::new(1), TICKS, FOR_SEEKING)?;
    let usual = crowd_tape::recorded(Crowd::new(1), TICKS, Cadence::default())?;
    let smallest = per_message(&peer::write(messages, peer::usual())?).min(per_message(&mcap));
    println!("seeking, bytes per message: mcap with chunks of 64 KiB {:.2}", per_message(&mcap));
    println!("  mcap, the smaller of both settings {smallest:.2}");
    println!("  tape with keyframes every 300 ticks {:.2}", per_message(&usual));
    println!("  tape with keyframes every {} ticks {:.2}", FOR_SEEKING.ticks, per_message(&often));
    let what = "the tape that is sought in: bytes per message as a share of mcap's";
    report.claim(&Claim::at_most(what, per_message(&often) / smallest, 0.5));

    let mut dice = Dice::new(3);
    let targets: Vec<u64> = (0..SEEKS).map(|_| dice.below(TICKS)).collect();
    let (mut often, mut usual) = (Seeker::open(&often)?, Seeker::open(&usual)?);
    let states = states_at(&targets)?;
    for (&tick, state) in targets.iter().zip(&states) {
        let is_there = *often.seek(tick)? == *state && *usual.seek(tick)? == *state;
        peer::reach(&summary, &mcap, tick)?;
        peer::reach_by_chunk(&summary, &mcap, tick)?;
        if !is_there {
            return Err(format!("a seek to tick {tick} leads elsewhere").into());
        }
    }
    // What there is to reach: the states.
    let bytes = vec![7; SEEKS * Crowd::new(1).snapshot()?.to_bytes().len()];
    let all = |go: &mut dyn FnMut(u64) -> bool| targets.iter().all(|&tick| go(tick));
    let mut usual_restore = Seeker::open(usual.file())?;
    let contest = Contest::new(&format!("{SEEKS} seeks"), &bytes)
        .rounds(SEEK_ROUNDS)
        .baseline("mcap, to a message", || all(&mut |t| peer::reach(&summary, &mcap, t).is_ok()))
        .contender("mcap, through the chunk", || {
            all(&mut |tick| peer::reach_by_chunk(&summary, &mcap, tick).is_ok())
        })
        .contender("tape, last of 300 ticks", || {
            all(&mut |tick| usual_restore.restore(tick).is_ok())
        })
        .contender("tape, every 300 ticks", || all(&mut |tick| usual.seek(tick).is_ok()))
        .promised(&format!("tape, every {} ticks", FOR_SEEKING.ticks), 1.0, || {
            all(&mut |tick| often.seek(tick).is_ok())
        });
    report.contest(contest);
    Ok(())
}

/// What a crowd was at these ticks.
fn states_at(targets: &[u64]) -> Outcome<Vec<Seen>> {
    let mut states = vec![Seen::default(); targets.len()];
    let mut crowd = Crowd::new(1);
    for tick in 0..TICKS {
        for (state, _) in states.iter_mut().zip(targets).filter(|(_, target)| **target == tick) {
            state.restore(&crowd.snapshot()?);
        }
        crowd.step(&mut Vec::new());
    }
    Ok(states)
}

fn long_recording(report: &mut Report) -> Outcome<()> {
    let file = crowd_tape::recorded(Crowd::new(4), LONG_TICKS, Cadence::default())?;
    println!("60 minutes, 500 entities, a keyframe every 300 ticks: {} bytes", file.len());
    let mut seeker = Seeker::open(&file)?;
    let mut dice = Dice::new(5);
    let targets: Vec<u64> = (0..LONG_SEEKS).map(|_| dice.below(LONG_TICKS)).collect();
    let mut rounds = vec![[0.0; LONG_ROUNDS]; LONG_SEEKS];
    for round in 0..LONG_ROUNDS {
        for (&tick, times) in targets.iter().zip(&mut rounds) {
            let start = Instant::now();
            black_box(seeker.seek(tick)?);
            times[round] = 1e3 * start.elapsed().as_secs_f64();
        }
    }
    let mut times: Vec<f64> = rounds.iter_mut().map(|times| median(times)).collect();
    times.sort_by(f64::total_cmp);
    let (middle, late) = (times[LONG_SEEKS / 2], times[LONG_SEEKS * 99 / 100]);
    report.claim(&Claim::at_most("60 minutes: median seek in ms", middle, 1.0));
    report.claim(&Claim::at_most("60 minutes: 99th percentile in ms", late, 3.0));
    println!();
    let options = PlayerOptions::default();
    println!("60 minutes, the player runs the simulation again from keyframes");
    let recording = Recording::open(&file[..])?;
    judge_player(Playback::simulation(recording, Crowd::new(4), options)?, report)?;
    println!("60 minutes, the player carries a view forward from keyframes");
    let file = playing::watched(Crowd::new(4), LONG_TICKS)?;
    judge_player(playing::spectator(&file, &Crowd::new(4), options)?, report)
}

/// Single seeks and steps of a player, as somebody who watches makes them.
fn judge_player<S: Source, T: Track>(
    mut player: Playback<S, Player<T>>,
    report: &mut Report,
) -> Outcome<()> {
    let seeks = playing::random_seeks(&mut player, LONG_SEEKS)?;
    playing::print_times("random seek", &seeks);
    let (forward, back) = playing::steps(&mut player, LONG_SEEKS)?;
    playing::print_steps(&forward, &back);
    if !player.findings().is_empty() {
        return Err("the player does not agree with the keyframes".into());
    }
    let what = "60 minutes: median of single seeks in ms";
    report.claim(&Claim::at_most(what, seeks.percentile(50), 1.0));
    println!();
    Ok(())
}

/// The largest recordings of other formats, where the corpus is.
fn foreign_recordings() -> Outcome<()> {
    let Some(root) = std::env::var_os("GAMETAPE_CORPUS") else {
        println!("skipped: GAMETAPE_CORPUS is not set, so there are no large recordings\n");
        return Ok(());
    };
    let largest = |folder: &str, ending: &str| -> Outcome<(PathBuf, Vec<u8>)> {
        let entries = fs::read_dir(Path::new(&root).join(folder))?;
        let mut files: Vec<(u64, PathBuf)> = Vec::new();
        for entry in entries {
            let entry = entry?;
            if entry.path().to_string_lossy().ends_with(ending) {
                files.push((entry.metadata()?.len(), entry.path()));
            }
        }
        let (_, path) = files.into_iter().max().ok_or("the corpus is empty")?;
        Ok((path.clone(), fs::read(path)?))
    };
    let (path, bytes) = largest("minewars/current", ".minewars")?;
    playing::print_minewars(&path, &bytes)?;
    let (path, bytes) = largest("cadre", ".json.gz")?;
    playing::print_gamelog(&path, &bytes)?;
    println!();
    Ok(())
}

fn large_tape(report: &mut Report) -> Outcome<()> {
    let path = Temporary::new("large.tape")?;
    write_large(&path.0)?;
    let length = fs::metadata(&path.0)?.len();
    println!("a tape of {length} bytes");
    let (tape, asked) = open(&mut File::open(&path.0)?, length, Depth::Summary)?;
    println!("  {} chunks, {} pages", tape.summary.chunk_count, tape.summary.pages.len());
    let what = "large: KiB read for header and summary";
    report.claim(&Claim::at_most(what, asked as f64 / 1024.0, 64.0));
    for (task, what) in [
        ("read", "large: MiB of memory at the peak of reading everything"),
        ("walk", "large: the same when its end is cut off and it must be walked"),
    ] {
        let peak = memory::peak_with(task, TAPE_VARIABLE, &path.0)? as f64;
        report.claim(&Claim::at_most(what, peak / f64::from(1 << 20), 64.0));
    }
    let what = "large: MiB of memory at the peak of a player that seeks through it";
    let peak = memory::peak_with("seek", TAPE_VARIABLE, &path.0)? as f64;
    report.claim(&Claim::at_most(what, peak / f64::from(1 << 20), 96.0));
    println!();
    Ok(())
}

/// A file in the target folder that is gone when this is.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Outcome<Self> {
        let program = std::env::current_exe()?;
        let target = program.ancestors().nth(2).ok_or("the program is in no target folder")?;
        let folder = target.join("tmp");
        fs::create_dir_all(&folder)?;
        Ok(Self(folder.join(format!("{}-{name}", std::process::id()))))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Nobody could be warned; a file that was never made is no loss.
        let _ = fs::remove_file(&self.0);
    }
}

/// Random payloads, so that compression does not make it small, written every second, and keyframes of
/// what the spectator knows.
fn write_large(path: &Path) -> Outcome<()> {
    let noise = random_messages();
    let mut file = BufWriter::new(File::create(path)?);
    let mut writer = TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 7), b"{}")?;
    let (mut tick, mut latest) = (0, Latest::default());
    let spectator = ViewSet::EMPTY.with(View::SPECTATOR);
    while writer.length() < LARGE_BYTES {
        if tick % LARGE_CADENCE == 0 {
            let keyframe = Keyframe::full(&latest.snapshot(Tick(tick)));
            writer.keyframe(streams::keyframes_of(View::SPECTATOR), spectator, &keyframe)?;
        }
        let start = tick as usize * TICK_BYTES % noise.len();
        let payload = &noise[start..start + TICK_BYTES];
        writer.frame_for_all(streams::FRAMES, Tick(tick), ViewSet::ALL, payload)?;
        latest.apply(Tick(tick), payload)?;
        tick += 1;
        if tick % 20 == 0 {
            writer.flush()?;
            file.write_all(&writer.take())?;
        }
    }
    file.write_all(&writer.take())?;
    file.write_all(&writer.finish()?)?;
    Ok(file.flush()?)
}

/// A state of some size: the latest payloads.
#[derive(Clone)]
struct Latest(Vec<u8>);

impl Default for Latest {
    fn default() -> Self {
        Self(vec![0; LATEST_TICKS as usize * TICK_BYTES])
    }
}

impl GameState for Latest {
    fn apply(&mut self, tick: Tick, payload: &[u8]) -> gametape_wire::Result<()> {
        let start = (tick.0 % LATEST_TICKS) as usize * TICK_BYTES;
        self.0[start..start + payload.len()].copy_from_slice(payload);
        Ok(())
    }

    fn snapshot(&self, tick: Tick) -> SimSnapshot {
        // It is smaller than a chunk, so it is not refused.
        SimSnapshot::opaque(tick, &self.0).unwrap_or_default()
    }

    fn restore(&mut self, snapshot: &SimSnapshot) -> gametape_wire::Result<()> {
        self.0 = snapshot.to_opaque()?;
        Ok(())
    }

    fn copy(&self) -> Option<(Self, usize)> {
        Some((self.clone(), self.0.len()))
    }
}

/// Seeks through a tape as somebody does who looks for something, by steps both ways too.
fn seek_in_file(path: &Path) -> Outcome<()> {
    let recording = Recording::open(File::open(path)?)?;
    let options = PlayerOptions::default();
    let mut player = Playback::view(recording, View::SPECTATOR, Latest::default(), options)?;
    black_box(playing::random_seeks(&mut player, LARGE_SEEKS)?);
    black_box(playing::steps(&mut player, LARGE_SEEKS)?);
    let kept = player.timeline().cached_bytes();
    if kept < options.cache_bytes / 2 || !player.findings().is_empty() {
        return Err(format!("{kept} bytes of states are kept: too few to judge memory").into());
    }
    Ok(())
}

/// Opens a tape in a file; says how many bytes that took.
fn open(file: &mut File, length: u64, depth: Depth) -> Outcome<(Tape, u64)> {
    let mut reader = TapeReader::new(length, depth);
    let (mut buffer, mut asked) = (Vec::new(), 0);
    while let Need::Bytes(ranges) = reader.need() {
        for range in ranges {
            asked += range.end - range.start;
            reader.supply(range.clone(), read_range(file, range, &mut buffer)?)?;
        }
    }
    Ok((reader.finish()?, asked))
}

fn read_range<'b>(
    file: &mut File,
    range: std::ops::Range<u64>,
    buffer: &'b mut Vec<u8>,
) -> Outcome<&'b [u8]> {
    buffer.resize((range.end - range.start) as usize, 0);
    file.seek(SeekFrom::Start(range.start))?;
    file.read_exact(buffer)?;
    Ok(buffer)
}

/// Is the last byte of the tape there?
#[derive(Clone, Copy)]
enum Ending {
    There,
    Cut,
}

/// Does something with the tape that this process was given.
fn with_given(task: fn(&Path) -> Outcome<()>) {
    let path = std::env::var_os(TAPE_VARIABLE).unwrap_or_default();
    if let Err(error) = task(Path::new(&path)) {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

/// Reads every message.
fn read_file(path: &Path, ending: Ending) -> Outcome<()> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len() - ending as u64;
    let (tape, _) = open(&mut file, length, Depth::Index)?;
    let (mut stored, mut raw, mut sum) = (Vec::new(), Vec::new(), 0);
    for entry in tape.stream(ChunkKind::FRAMES, 0) {
        let bytes = read_range(&mut file, entry.range(), &mut stored)?;
        sum = crowd_tape::read_chunk(&entry.read(bytes)?, &mut raw, sum)?;
    }
    black_box(sum);
    Ok(())
}
