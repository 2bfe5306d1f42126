//! Disks that refuse, hang or take little: the game goes on, and the tape is what it can be.

use std::fs::OpenOptions;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use gametape_replay::{Next, Recorder, Sink};
use gametape_tape::Recovered;
use gametape_wire::{ErrorClass, Tick, ViewSet};

use crate::common::*;

/// A whole recording of this many ticks, for its bytes.
fn whole(ticks: u64) -> Vec<u8> {
    let (recorder, mut pump, sink) = driven(&options());
    for tick in 0..ticks {
        play(&recorder, tick);
        pump.step(SECOND);
    }
    finish(recorder, &mut pump);
    sink.bytes()
}

#[test]
fn short_writes_and_interruptions_change_nothing() {
    let (recorder, mut pump, sink) = driven(&options());
    sink.disk(|disk| (disk.most_at_once, disk.is_interrupted) = (Some(7), true));
    for tick in 0..40 {
        play(&recorder, tick);
        pump.step(SECOND);
    }
    assert!(finish(recorder, &mut pump).is_finished);
    assert!(sink.bytes() == whole(40));
}

#[test]
fn a_disk_that_is_full_at_any_byte_leaves_a_valid_tape_and_a_game_that_goes_on() {
    let bytes = whole(25);
    for full_at in (0..bytes.len()).step_by(3).chain([bytes.len() - 1]) {
        let (recorder, mut pump, sink) = driven(&options());
        sink.disk(|disk| disk.full_at = Some(full_at));
        let mut failures = Vec::new();
        for tick in 0..25 {
            play(&recorder, tick);
            pump.step(SECOND);
            failures.extend(recorder.failure());
        }
        let written = recorder.counters().last_written_tick;
        let report = finish(recorder, &mut pump);
        // Where only the index did not fit, the failure comes with the report.
        failures.extend(report.counters.failure.clone().filter(|_| failures.is_empty()));
        assert_eq!(failures.len(), 1, "at byte {full_at}");
        assert_eq!(failures[0].offset(), Some(full_at as u64));
        assert_eq!(failures[0].class(), ErrorClass::Io);
        assert!(failures[0].to_string().contains("cannot be written"), "{}", failures[0]);
        assert!(!report.is_finished && report.counters.has_stopped);
        assert!(sink.bytes() == bytes[..full_at]);
        let there = Content::of(&sink.bytes()).frames.last().map(|(tick, ..)| Tick(*tick));
        assert!(there >= written, "at byte {full_at}: {there:?}, but {written:?} was promised");
    }
}

#[test]
fn a_sync_that_fails_ends_the_recording() {
    let (recorder, mut pump, sink) = driven(&options());
    sink.disk(|disk| disk.cannot_sync = true);
    play(&recorder, 0);
    pump.step(Duration::ZERO);
    assert_eq!(pump.step(5 * SECOND), Next::Done);
    assert!(recorder.failure().unwrap().to_string().contains("the disk is gone"));
    assert_eq!(recorder.failure(), None, "it is reported once");
    let counters = recorder.counters();
    assert_eq!((counters.last_written_tick, counters.last_durable_tick), (Some(Tick(0)), None));
    assert!(counters.failure.is_some() && counters.has_stopped);
}

#[test]
fn a_stopped_recording_takes_calls_counts_them_and_holds_nothing() {
    let (recorder, mut pump, sink) = driven(&options());
    sink.disk(|disk| disk.full_at = Some(40));
    assert_eq!(pump.step(Duration::ZERO), Next::Done);
    for tick in 0..100 {
        play(&recorder, tick);
        assert!(!recorder.keyframe_due(Tick(tick)));
    }
    let counters = recorder.counters();
    assert_eq!((counters.lost.items, counters.queued_bytes), (200, 0));
    assert!(recorder.order(Tick(5), view(1), b"late").is_err(), "a wrong call stays one");
}

#[test]
fn what_waits_when_a_recording_stops_is_forgotten() {
    let (recorder, mut pump, sink) = driven(&options());
    sink.disk(|disk| disk.full_at = Some(40));
    (0..100).for_each(|tick| play(&recorder, tick));
    assert!(recorder.counters().queued_bytes > 1000);
    assert_eq!(pump.step(Duration::ZERO), Next::Done);
    assert_eq!(recorder.counters().queued_bytes, 0);
}

/// A sink that looks how much the recorder holds whenever it takes bytes.
#[derive(Default, Clone)]
struct Looks(Arc<OnceLock<Recorder>>, Arc<Mutex<Vec<u64>>>);

impl Sink for Looks {
    fn append(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let held = self.0.get().map(|recorder| recorder.counters().queued_bytes);
        self.1.lock().unwrap().extend(held);
        Ok(bytes.len())
    }

    fn sync(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn what_the_writer_has_taken_counts_until_it_is_written() {
    let looks = Looks::default();
    let (recorder, mut pump) =
        Recorder::with_pump(looks.clone(), tape_header(), METADATA, &options()).unwrap();
    // The start of the tape is written before anything is taken.
    pump.step(Duration::ZERO);
    recorder.resource("map", ViewSet::ALL, vec![7; 100_000]).unwrap();
    looks.0.set(recorder).unwrap();
    pump.step(2 * SECOND);
    let seen = looks.1.lock().unwrap().clone();
    assert!(seen.iter().any(|held| *held >= 100_000), "{seen:?}");
    assert_eq!(looks.0.get().unwrap().counters().queued_bytes, 0);
}

#[test]
fn a_game_never_waits_for_a_disk_that_hangs() {
    let sink = FakeSink::default();
    sink.disk(|disk| disk.hangs = true);
    let recorder = Recorder::start(sink.clone(), tape_header(), METADATA, &options()).unwrap();
    // If one of these calls waited, this test would not end.
    (0..3000).for_each(|tick| play(&recorder, tick));
    assert_eq!(recorder.counters().last_written_tick, None);
    let closing = recorder.close();
    assert_eq!(closing.wait_for(Duration::ZERO), None);
    sink.disk(|disk| disk.hangs = false);
    assert!(closing.wait().is_finished);
    Content::of_finished(&sink.bytes()).assert_played(0..3000);
}

/// A sink with a bug.
struct Panics;

impl Sink for Panics {
    fn append(&mut self, _: &[u8]) -> std::io::Result<usize> {
        panic!("a bug of the sink, which the test wants");
    }

    fn sync(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_writer_that_is_gone_is_a_failure_like_others() {
    let recorder = Recorder::start(Panics, tape_header(), METADATA, &options()).unwrap();
    (0..50).for_each(|tick| play(&recorder, tick));
    let report = recorder.finish();
    assert!(!report.is_finished && report.counters.has_stopped);
    assert!(report.counters.failure.unwrap().to_string().contains("its writer ended"));

    let (recorder, pump, _) = driven(&options());
    drop(pump);
    play(&recorder, 0);
    assert!(recorder.failure().is_some());
}

#[test]
fn a_device_that_is_always_full_fails_once() {
    let Ok(full) = OpenOptions::new().write(true).open("/dev/full") else {
        println!("skipped: there is no /dev/full");
        return;
    };
    let (recorder, mut pump) =
        Recorder::with_pump(full, tape_header(), METADATA, &options()).unwrap();
    (0..50).for_each(|tick| play(&recorder, tick));
    assert_eq!(pump.step(Duration::ZERO), Next::Done);
    assert!(recorder.failure().is_some() && recorder.failure().is_none());
}

#[test]
fn a_file_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.tape");
    let create = || Recorder::create(&path, tape_header(), METADATA, &options());
    let recorder = create().unwrap();
    (0..30).for_each(|tick| play(&recorder, tick));
    assert!(recorder.finish().is_finished);
    assert!(create().unwrap_err().to_string().contains("cannot be written"));
    let bytes = std::fs::read(&path).unwrap();
    assert!(Recovered::from_bytes(&bytes).is_finished);
    Content::of_finished(&bytes).assert_played(0..30);
}
