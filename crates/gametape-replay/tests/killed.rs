//! A recording process is killed at 200 random moments: everything that was written is there,
//! nothing is invented, and the recording goes on.
//!
//! This program is both sides: started with [`TAPE`] in its environment it records until it is
//! killed, and says on standard output how far the recorder says it is.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may fail it")]
#![allow(dead_code, reason = "the helpers serve other tests too")]

#[path = "recorder/common.rs"]
mod common;

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use common::*;
use gametape_replay::{Durability, Recorder, Sink};
use gametape_tape::Recovered;
use libtest_mimic::{Arguments, Trial};

/// Where the process that is killed records to.
const TAPE: &str = "GAMETAPE_TEST_TAPE";
/// How it does that.
const MANNER: &str = "GAMETAPE_TEST_MANNER";
const KILLS: u64 = 200;
/// A process that records is killed long before this. One that nobody kills ends itself.
const LIMIT: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    if let Some(path) = std::env::var_os(TAPE) {
        end_in_time();
        record(Path::new(&path), std::env::var(MANNER).unwrap().parse().unwrap());
        return ExitCode::SUCCESS;
    }
    let name = "a_process_that_is_killed_anywhere_loses_nothing_that_was_written";
    let test = Trial::test(name, || {
        kill_many();
        Ok(())
    });
    libtest_mimic::run(&Arguments::from_args(), vec![test]).exit_code()
}

/// Whoever waits for this process does not wait for ever.
fn end_in_time() {
    thread::spawn(|| {
        let (_open, nothing) = channel::<()>();
        let _ = nothing.recv_timeout(LIMIT);
        std::process::abort();
    });
}

/// A file that takes few bytes at once, so that a kill finds it within a chunk.
struct Slow(File);

impl Sink for Slow {
    fn append(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.append(&bytes[..bytes.len().min(20)])
    }

    fn sync(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Manner 0 syncs every tick, 1 writes every few milliseconds, 2 does so in small pieces.
fn record(path: &Path, manner: u64) {
    let within = Duration::from_millis;
    let durability = match manner {
        0 => Durability::every_tick(),
        _ => Durability::new(within(4), within(20)),
    };
    let options = options().with_durability(durability);
    let recorder = match manner {
        2 => Recorder::start(Slow(File::create(path).unwrap()), tape_header(), METADATA, &options),
        _ => Recorder::create(path, tape_header(), METADATA, &options),
    };
    let recorder = recorder.unwrap();
    let mut said = None;
    for tick in 0..u64::MAX {
        play(&recorder, tick);
        let written = recorder.counters().last_written_tick;
        if written != said {
            said = written;
            println!("{}", written.unwrap_or_default());
            std::io::stdout().flush().unwrap();
        }
        // No faster than it is written: ticks that only wait say nothing when they are lost.
        while recorder.counters().queued_bytes > 20_000 {
            std::thread::yield_now();
        }
    }
}

fn kill_many() {
    let folder = tempfile::tempdir().unwrap();
    let mut chance = 0x5EED_u64;
    let mut ticks = 0;
    let mut torn = 0;
    for number in 0..KILLS {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let path = folder.path().join(format!("{number}.tape"));
        let said = record_and_kill(&path, number, (chance >> 33) % 6);
        let bytes = std::fs::read(&path).unwrap_or_default();
        torn += usize::from(!Recovered::from_bytes(&bytes).damages.is_empty());
        ticks += check(&bytes, said);
        std::fs::remove_file(&path).unwrap_or_default();
    }
    println!("{KILLS} kills, {ticks} ticks were there, {torn} tapes had a torn end");
    assert!(ticks > KILLS);
}

/// Lets a process record and kills it after it has said something `more` times; gives the last tick that
/// it called written.
fn record_and_kill(path: &Path, number: u64, more: u64) -> Option<u64> {
    let mut process = Command::new(std::env::current_exe().unwrap())
        .env(TAPE, path)
        .env(MANNER, (number % 3).to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stdout.take().unwrap());
    let mut text = String::new();
    // One in ten is killed while it starts, the others after their first words.
    if !number.is_multiple_of(10) {
        for _ in 0..=more {
            assert!(lines.read_line(&mut text).unwrap() > 0, "it came to an end by itself");
        }
    }
    kill(&mut process);
    lines.read_to_string(&mut text).unwrap();
    // A last line that has no end may be half a number.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    whole.lines().next_back().map(|line| line.parse().unwrap())
}

/// On Unix this is `SIGKILL`: no line of the process runs any more.
fn kill(process: &mut Child) {
    process.kill().unwrap();
    process.wait().unwrap();
}

/// Everything up to the tick `said` is there, nothing else but whole ticks of the small game, and
/// the recording can go on. Gives the number of ticks.
fn check(bytes: &[u8], said: Option<u64>) -> u64 {
    if bytes.is_empty() {
        assert_eq!(said, None);
        return 0;
    }
    let content = Content::of(bytes);
    let [orders, frames] = [content.orders.len() as u64, content.frames.len() as u64 / 2];
    let least = said.map_or(0, |tick| tick + 1);
    assert!(orders.min(frames) >= least, "{orders} orders, {frames} frames, {least} promised");
    content.assert_orders(0..orders);
    content.assert_frames(0..frames);
    content.assert_keyframes();
    go_on(bytes, &content, orders.max(frames));
    frames
}

fn go_on(bytes: &[u8], before: &Content, from: u64) {
    let sink = Cursor::new(bytes.to_vec());
    let Ok((recorder, mut pump)) = Recorder::resume_with_pump(sink, &options()) else {
        assert!(Recovered::from_bytes(bytes).chunks.is_empty(), "it can go on");
        return;
    };
    let begins_at = recorder.begins_at();
    (from..from + 20).for_each(|tick| play(&recorder, tick));
    assert!(finish(recorder, &mut pump).is_finished);
    let after = Content::of_finished(pump.into_sink().get_ref());
    assert_eq!(after.orders[..before.orders.len()], before.orders);
    assert_eq!(after.orders.len(), before.orders.len() + 20);
    // Where it goes on exactly where a whole tape ended, nothing is missing.
    let is_exact = begins_at.0 == from && Recovered::from_bytes(bytes).damages.is_empty();
    assert_eq!(after.gaps.len(), usize::from(!is_exact));
}
