//! When bytes reach the sink, and when they are synced. The clock is the test's.

use std::time::Duration;

use gametape_replay::{Durability, EventBlock, Next, Recorder};
use gametape_tape::{ChunkDraft, ChunkKind, Gap, GapCause, TapeWriter};
use gametape_wire::Tick;

use crate::common::*;

const HALF: Duration = Duration::from_millis(500);
const NEARLY: Duration = Duration::from_millis(499);

#[test]
fn what_waits_is_written_within_a_second_and_synced_within_ten() {
    let (recorder, mut pump, sink) = driven(&options());
    assert_eq!(pump.step(Duration::ZERO), Next::Idle);
    let begun = sink.bytes().len();
    assert!(begun > 0, "header and metadata do not wait");

    recorder.order(Tick(0), view(1), b"go").unwrap();
    recorder.end_tick(Tick(0));
    assert_eq!(pump.step(SECOND), Next::Within(HALF));
    assert_eq!(pump.step(SECOND + NEARLY), Next::Within(HALF - NEARLY));
    assert_eq!((sink.bytes().len(), recorder.counters().last_written_tick), (begun, None));

    assert_eq!(pump.step(SECOND + HALF), Next::Within(5 * SECOND - HALF));
    let counters = recorder.counters();
    assert_eq!((counters.last_written_tick, counters.last_durable_tick), (Some(Tick(0)), None));
    assert_eq!(counters.written_bytes, sink.bytes().len() as u64);
    assert_eq!(counters.queued_bytes, 0);
    assert_eq!(Content::of(&sink.bytes()).orders.len(), 1);

    pump.step(6 * SECOND - Duration::from_nanos(1));
    assert_eq!(sink.disk(|disk| disk.syncs), 0);
    assert_eq!(pump.step(6 * SECOND), Next::Idle);
    let counters = recorder.counters();
    assert_eq!(sink.disk(|disk| disk.syncs), 1);
    assert_eq!(
        (counters.last_durable_tick, counters.durable_bytes),
        (Some(Tick(0)), counters.written_bytes)
    );
}

#[test]
fn the_time_counts_from_the_first_thing_that_waits() {
    let (recorder, mut pump, sink) = driven(&options());
    for n in 0..6u32 {
        recorder.order(Tick(n.into()), view(1), b"go").unwrap();
        pump.step(n * HALF / 5);
    }
    assert_eq!(Content::of(&sink.bytes()).orders.len(), 6);
}

#[test]
fn a_sync_is_of_everything_that_was_given() {
    let [written_within, synced_within] = [100 * SECOND, 2 * SECOND];
    let durability = Durability::new(written_within, synced_within);
    let (recorder, mut pump, sink) = driven(&options().with_durability(durability));
    play(&recorder, 0);
    pump.step(Duration::ZERO);
    play(&recorder, 1);
    pump.step(SECOND);
    assert_eq!(recorder.counters().last_durable_tick, Some(Tick(1)));
    assert_eq!(sink.disk(|disk| disk.synced), sink.bytes().len());
}

#[test]
fn every_tick_is_durable_where_that_is_asked_for() {
    let options = options().with_durability(Durability::every_tick());
    let (recorder, mut pump, sink) = driven(&options);
    for tick in 0..30 {
        play(&recorder, tick);
        assert_eq!(pump.step(Duration::ZERO), Next::Idle);
        assert_eq!(recorder.counters().last_durable_tick, Some(Tick(tick)));
        let synced = sink.disk(|disk| disk.bytes[..disk.synced].to_vec());
        Content::of(&synced).assert_played(0..tick + 1);
    }
}

#[test]
fn without_a_time_to_sync_only_the_end_is_synced() {
    let durability = Durability::new(Durability::default().written_within, Duration::MAX);
    let (recorder, mut pump, sink) = driven(&options().with_durability(durability));
    for tick in 0..1000u32 {
        play(&recorder, tick.into());
        pump.step(tick * SECOND);
    }
    assert_eq!(sink.disk(|disk| disk.syncs), 0);
    finish(recorder, &mut pump);
    assert_eq!(sink.disk(|disk| (disk.syncs, disk.synced)), (1, sink.bytes().len()));
}

#[test]
fn a_tick_counts_when_the_game_has_ended_it() {
    let (recorder, mut pump, _) = driven(&options());
    play(&recorder, 0);
    recorder.order(Tick(1), view(1), b"half a tick").unwrap();
    pump.step(Duration::ZERO);
    pump.step(SECOND);
    assert_eq!(recorder.counters().last_written_tick, Some(Tick(0)));
}

#[test]
fn the_writers_thread_writes_what_comes_while_it_only_waits_to_sync() {
    let written_within = Duration::from_millis(1);
    let durability = Durability::new(written_within, Duration::MAX);
    let options = options().with_durability(durability);
    let recorder = Recorder::start(FakeSink::default(), tape_header(), METADATA, &options).unwrap();
    for tick in 0..10 {
        play(&recorder, tick);
        // If the writer slept until the sync, this would not end.
        while recorder.counters().last_written_tick != Some(Tick(tick)) {
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_dropped_recorder_hands_over_what_waits_but_no_index() {
    let (recorder, mut pump, sink) = driven(&options());
    (0..5).for_each(|tick| play(&recorder, tick));
    drop(recorder);
    assert_eq!(pump.step(Duration::ZERO), Next::Done);
    assert_eq!(sink.disk(|disk| disk.synced), sink.bytes().len());
    assert!(!gametape_tape::Recovered::from_bytes(&sink.bytes()).is_finished);
    Content::of(&sink.bytes()).assert_played(0..5);
}

/// A process that is killed leaves frames, orders and events that end at the same time.
#[test]
fn events_are_not_written_before_the_frames_that_were_given_before_them() {
    let (recorder, mut pump, sink) = driven(&options());
    pump.step(Duration::ZERO);
    for tick in 0..10 {
        play(&recorder, tick);
    }
    recorder.events(EventBlock::new(0, (Tick(0), Tick(9)), 1, *b"events")).unwrap();
    pump.step(SECOND);
    let content = Content::of(&sink.bytes());
    assert_eq!((content.frames.len(), content.events.len()), (0, 0));
    pump.step(SECOND + HALF);
    let content = Content::of(&sink.bytes());
    content.assert_frames(0..10);
    assert_eq!(content.events.len(), 1);
}

/// A tape whose events go on after its frames is resumed with a gap from the last frames on.
#[test]
fn what_was_not_written_is_declared_when_the_recording_goes_on() {
    let mut tape = TapeWriter::new(tape_header(), METADATA).unwrap();
    tape.frame(0, Tick(4), &[(view(0), b"moved")]).unwrap();
    tape.flush().unwrap();
    let draft = ChunkDraft::new(ChunkKind::EVENTS).with_ticks(Tick::ZERO, 20).with_detail(1);
    tape.chunk(&draft, b"events").unwrap();
    let sink = std::io::Cursor::new(tape.take());
    let (recorder, mut pump) = Recorder::resume_with_pump(sink, &options()).unwrap();
    recorder.frame(Tick(20), &[(view(0), b"moved")]).unwrap();
    finish(recorder, &mut pump);
    let content = Content::of_finished(&pump.into_sink().into_inner());
    let gaps = content.gaps_of(GapCause::INTERRUPTED, ChunkKind(0), 0);
    assert_eq!(gaps.iter().map(Gap::ticks).collect::<Vec<_>>(), [Tick(5)..Tick(20)]);
}
