//! Going on with a tape that was interrupted anywhere, or finished.

use std::fs::File;
use std::io::Cursor;

use gametape_replay::{Pump, Recorder, lock_recording};
use gametape_tape::{GapCause, Recovered, Tape, pack_bytes};
use gametape_wire::{ErrorClass, Tick, ViewSet};

use crate::common::*;

type Memory = Cursor<Vec<u8>>;

fn resumed(bytes: &[u8]) -> gametape_wire::Result<(Recorder, Pump<Memory>)> {
    Recorder::resume_with_pump(Cursor::new(bytes.to_vec()), &options())
}

/// A recording of the ticks 0..`ticks`: unfinished, then finished.
fn recorded(ticks: u64) -> [Vec<u8>; 2] {
    let (recorder, mut pump, sink) = driven(&options());
    for tick in 0..ticks {
        play(&recorder, tick);
        pump.step(tick as u32 * SECOND);
    }
    recorder.names(&["one"]).unwrap();
    pump.step(ticks as u32 * SECOND);
    pump.step((ticks as u32 + 1) * SECOND);
    let unfinished = sink.bytes();
    finish(recorder, &mut pump);
    [unfinished, sink.bytes()]
}

/// Goes on with a tape from tick 100 on.
fn go_on(bytes: &[u8]) -> Content {
    let (recorder, mut pump) = resumed(bytes).unwrap();
    assert!(recorder.keyframe_due(Tick(100)));
    (100..112).for_each(|tick| play(&recorder, tick));
    assert!(finish(recorder, &mut pump).is_finished);
    Content::of_finished(pump.into_sink().get_ref())
}

#[test]
fn a_tape_torn_at_any_byte_goes_on_behind_its_last_whole_chunk() {
    let [unfinished, finished] = recorded(6);
    let first = Recovered::from_bytes(&finished).chunks[0].range().end as usize;
    // Of the index every ninth byte is enough: all of it is cut off.
    let index = (unfinished.len()..=finished.len()).step_by(9);
    for length in (first..unfinished.len()).chain(index) {
        let torn = &finished[..length];
        let before = Content::of(torn);
        let found = Recovered::from_bytes(torn);
        let content = go_on(torn);
        let there = before.frames.len();
        assert_eq!(content.frames[..there], before.frames, "at byte {length}");
        assert_eq!(content.frames.len(), there + 24);
        let fresh = content.keyframes.iter().filter(|keyframe| keyframe.1 >= 100);
        let fresh: Vec<_> = fresh.map(|keyframe| (keyframe.1, keyframe.2)).collect();
        assert_eq!(fresh, [(100, true), (110, false)]);
        let [gap] = content.gaps[..] else { panic!("{:?}", content.gaps) };
        assert_eq!((gap.cause, gap.kind.0, gap.views), (GapCause::INTERRUPTED, 0, ViewSet::ALL));
        assert_eq!(gap.first_tick + u64::from(gap.tick_count), Tick(100));
        let torn_bytes: u64 = found.damages.iter().map(|d| d.range.end - d.range.start).sum();
        assert_eq!(gap.bytes, torn_bytes);
        if length >= unfinished.len() {
            assert_eq!((gap.first_tick, there), (Tick(6), 12));
        }
    }
}

#[test]
fn names_and_ticks_go_on_where_they_were() {
    let [unfinished, _] = recorded(12);
    let (recorder, mut pump) = resumed(&unfinished).unwrap();
    assert_eq!(recorder.begins_at(), Tick(12));
    assert_eq!(recorder.names(&["two"]).unwrap(), 1);
    assert_eq!(recorder.order(Tick(10), view(1), b"x").unwrap_err().class(), ErrorClass::Misuse);
    assert_eq!(recorder.keyframe(state(10, 0)).unwrap_err().class(), ErrorClass::Misuse);
    play(&recorder, 12);
    finish(recorder, &mut pump);
    let content = Content::of_finished(pump.into_sink().get_ref());
    content.assert_played(0..13);
    assert_eq!(content.gaps, []);
}

#[test]
fn nothing_to_add_to_a_finished_tape_leaves_it_as_it_was() {
    let [_, finished] = recorded(12);
    let (recorder, mut pump) = resumed(&finished).unwrap();
    finish(recorder, &mut pump);
    assert!(*pump.into_sink().get_ref() == finished);
}

#[test]
fn a_torn_end_is_told_even_if_nothing_follows() {
    let [unfinished, _] = recorded(12);
    let (recorder, mut pump) = resumed(&unfinished[..unfinished.len() - 1]).unwrap();
    finish(recorder, &mut pump);
    let content = Content::of_finished(pump.into_sink().get_ref());
    assert_eq!(content.gaps.len(), 1);
    assert!(content.gaps[0].bytes > 0);
}

#[test]
fn a_tape_can_be_interrupted_again_and_again() {
    let [mut bytes, _] = recorded(10);
    for round in 1..6 {
        let (recorder, mut pump) = resumed(&bytes).unwrap();
        (round * 10..round * 10 + 10).for_each(|tick| play(&recorder, tick));
        drop(recorder);
        pump.step(SECOND);
        bytes = pump.into_sink().into_inner();
        bytes.extend([0xA5; 33]);
    }
    let content = Content::of(&bytes);
    content.assert_played(0..60);
    assert_eq!(content.gaps.iter().map(|gap| gap.bytes).collect::<Vec<_>>(), [33, 33, 33, 33]);
}

#[test]
fn damage_before_the_end_is_refused_with_its_place() {
    let [_, finished] = recorded(30);
    let tape = Tape::open(&finished).unwrap();
    let hurt = &tape.chunks[2];
    let mut bytes = finished.clone();
    bytes[hurt.range().end as usize - 1] ^= 1;
    let error = resumed(&bytes).unwrap_err();
    assert_eq!(error.offset(), Some(hurt.offset));
    assert!(error.to_string().contains("damaged before its end"), "{error}");

    let mut bytes = finished.clone();
    bytes.drain(hurt.range().start as usize..hurt.range().end as usize);
    assert!(resumed(&bytes).unwrap_err().to_string().contains("damaged before its end"));
    let packed = pack_bytes(&finished).unwrap();
    assert!(resumed(&packed).unwrap_err().to_string().contains("packed"));
    for no_tape in [&b""[..], b"something else", &finished[..40]] {
        assert!(resumed(no_tape).is_err());
    }
}

#[test]
fn a_file_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.tape");
    assert!(Recorder::append(&path, &options()).is_err(), "there is nothing to go on with");
    std::fs::write(&path, &recorded(12)[0]).unwrap();
    let recorder = Recorder::append(&path, &options()).unwrap();
    (12..40).for_each(|tick| play(&recorder, tick));
    assert!(recorder.finish().is_finished);
    Content::of_finished(&std::fs::read(&path).unwrap()).assert_played(0..40);
}

#[test]
fn going_on_exactly_where_a_tape_ended_is_not_a_loss() {
    for bytes in recorded(12) {
        let (recorder, mut pump) = resumed(&bytes).unwrap();
        assert_eq!(recorder.begins_at(), Tick(12));
        (12..20).for_each(|tick| play(&recorder, tick));
        assert!(finish(recorder, &mut pump).is_finished);
        let content = Content::of_finished(pump.into_sink().get_ref());
        content.assert_played(0..20);
        assert_eq!(content.gaps, []);
        // One tick later it is one tick that is missing.
        let (recorder, mut pump) = resumed(&bytes).unwrap();
        (13..20).for_each(|tick| play(&recorder, tick));
        finish(recorder, &mut pump);
        let gaps = Content::of_finished(pump.into_sink().get_ref()).gaps;
        assert_eq!(
            gaps.iter().map(|gap| (gap.first_tick, gap.tick_count)).collect::<Vec<_>>(),
            [(Tick(12), 1)]
        );
    }
}

#[test]
fn a_file_is_free_as_soon_as_its_recording_ended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.tape");
    let file = File::create_new(&path).unwrap();
    lock_recording(&file).unwrap();
    let (recorder, mut pump) =
        Recorder::with_pump(file, tape_header(), METADATA, &options()).unwrap();
    (0..30).for_each(|tick| play(&recorder, tick));
    assert!(Recorder::append(&path, &options()).is_err());
    assert!(finish(recorder, &mut pump).is_finished);
    // The pump still holds the file.
    let next = Recorder::append(&path, &options()).unwrap();
    (30..40).for_each(|tick| play(&next, tick));
    assert!(next.finish().is_finished);
    drop(pump);
    Content::of_finished(&std::fs::read(&path).unwrap()).assert_played(0..40);
}

#[test]
fn a_second_recorder_of_the_same_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.tape");
    let first = Recorder::create(&path, tape_header(), METADATA, &options()).unwrap();
    (0..30).for_each(|tick| play(&first, tick));
    for second in [
        Recorder::create(&path, tape_header(), METADATA, &options()),
        Recorder::append(&path, &options()),
        Recorder::replace(&path, tape_header(), METADATA, &options()),
    ] {
        assert!(second.unwrap_err().to_string().contains("cannot be written"));
    }
    assert!(first.finish().is_finished);
    Content::of_finished(&std::fs::read(&path).unwrap()).assert_played(0..30);
    let next = Recorder::append(&path, &options()).unwrap();
    (30..40).for_each(|tick| play(&next, tick));
    assert!(Recorder::replace(&path, tape_header(), METADATA, &options()).is_err());
    assert!(next.finish().is_finished);
    Content::of_finished(&std::fs::read(&path).unwrap()).assert_played(0..40);
    let other = Recorder::replace(&path, tape_header(), METADATA, &options()).unwrap();
    (0..5).for_each(|tick| play(&other, tick));
    assert!(other.finish().is_finished);
    Content::of_finished(&std::fs::read(&path).unwrap()).assert_played(0..5);
}
