//! What a game may ask for, and what reaches the tape.

use std::io::Cursor;
use std::sync::Arc;

use gametape_replay::{EventBlock, Recorder, streams};
use gametape_tape::{ChunkKind, Level, SigningKey, SimSnapshot, Tape, TapeWriter, verify_bytes};
use gametape_wire::{ErrorClass, Tick, ViewSet};

use crate::common::*;

#[test]
fn everything_that_is_given_stands_on_the_tape_in_its_stream() {
    let (recorder, mut pump, sink) = driven(&options());
    recorder.setup(ViewSet::ALL, *b"map").unwrap();
    recorder.simulation_setup(*b"rules").unwrap();
    assert_eq!(recorder.names(&["tank", "mine"]).unwrap(), 0);
    assert_eq!(recorder.names(&["wall"]).unwrap(), 2);
    recorder.order(Tick(3), view(1), b"go").unwrap();
    recorder.talk(Tick(4), view(2), b"hello").unwrap();
    recorder.reported(Tick(4), view(1), b"camera").unwrap();
    recorder.frame_for_all(Tick(5), only(1).or(only(2)), b"both").unwrap();
    recorder.keyframe(state(6, 0)).unwrap();
    recorder.view_keyframe(view(2), state(6, 50)).unwrap();
    for stream in [streams::EVENTS, streams::POSITIONS, streams::REPORTED_EVENTS] {
        recorder
            .events(EventBlock::new(stream, (Tick(2), Tick(6)), 9, vec![stream as u8; 30]))
            .unwrap();
    }
    recorder.resource("icon", only(2), vec![1; 5]).unwrap();
    recorder.closing_metadata(br#"{"outcome":"draw"}"#).unwrap();
    let report = finish(recorder, &mut pump);
    assert!(report.is_finished && report.counters.failure.is_none());

    let tape = Tape::open(&sink.bytes()).unwrap();
    for stream in [streams::EVENTS, streams::POSITIONS, streams::REPORTED_EVENTS] {
        let chunks: Vec<_> = tape.stream(ChunkKind::EVENTS, stream).map(|c| c.header).collect();
        let [header] = chunks[..] else { panic!("{chunks:?}") };
        assert_eq!((header.first_tick, header.tick_count, header.detail), (Tick(2), 5, 9));
        assert_eq!((header.views, header.raw_length), (ViewSet::EMPTY, 30), "nobody's view");
    }

    let content = Content::of_finished(&sink.bytes());
    let orders = [(0, 3, 1, "go"), (1, 4, 2, "hello"), (2, 4, 1, "camera")]
        .map(|(stream, tick, player, text)| (stream, tick, view(player), text.into()));
    assert_eq!(content.orders, orders);
    assert_eq!(content.frames, [1, 2].map(|number| (5, view(number), b"both".to_vec())));
    let keyframes =
        [(0, 0), (18, 50)].map(|(stream, bulk)| (stream, 6, true, state(6, bulk).state_hash()));
    assert_eq!(content.keyframes, keyframes);
    assert_eq!(content.events, [0, 1, 2].map(|n| (n, 2, 9, vec![n as u8; 30])));
    assert_eq!(content.gaps, []);
    let kinds: Vec<ChunkKind> = content.others.iter().map(|(kind, _)| *kind).collect();
    let (metadata, names) = (ChunkKind::METADATA, ChunkKind::NAMES);
    let setup = ChunkKind::SETUP;
    assert_eq!(kinds, [metadata, setup, setup, names, names, ChunkKind::RESOURCE, metadata]);
    let tape = Tape::open(&sink.bytes()).unwrap();
    let views = |stream| tape.stream(ChunkKind::FULL_KEYFRAME, stream).next().unwrap().header.views;
    assert_eq!((views(0).bits(), views(18)), (0, only(2)));
    assert_eq!(tape.closing.as_deref(), Some(r#"{"outcome":"draw"}"#));
}

#[test]
fn the_tape_is_the_one_that_a_plain_writer_makes() {
    let (recorder, mut pump, sink) = driven(&options());
    let mut writer = TapeWriter::new(tape_header(), METADATA).unwrap();
    for tick in 0..300 {
        let frames = [0, 2].map(|number| frame_of(tick, number));
        let parts = [(view(0), &frames[0][..]), (view(2), &frames[1][..])];
        recorder.frame(Tick(tick), &parts).unwrap();
        writer.frame(0, Tick(tick), &parts).unwrap();
    }
    finish(recorder, &mut pump);
    let mut bytes = writer.take();
    bytes.extend(writer.finish().unwrap());
    assert_eq!(sink.bytes(), bytes);
}

#[test]
fn a_wrong_call_is_refused_and_leaves_no_trace() {
    let (recorder, mut pump, sink) = driven(&options());
    play(&recorder, 7);
    let misuse = |outcome: gametape_wire::Result<()>| {
        assert_eq!(outcome.unwrap_err().class(), ErrorClass::Misuse);
    };
    misuse(recorder.order(Tick(6), view(1), b"late"));
    misuse(recorder.frame(Tick(6), &[(view(1), b"late")]));
    misuse(recorder.frame(Tick(8), &[]));
    misuse(recorder.frame(Tick(8), &[(view(1), b"a"), (view(1), b"b")]));
    misuse(recorder.frame_for_all(Tick(8), gametape_wire::ViewSet::EMPTY, b"nobody"));
    misuse(recorder.keyframe(state(7, 0)));
    misuse(recorder.events(EventBlock::new(0, (Tick(9), Tick(8)), 1, *b"backwards")));
    let over = |outcome: gametape_wire::Result<()>| {
        assert_eq!(outcome.unwrap_err().class(), ErrorClass::Limit);
    };
    over(recorder.order(Tick(8), view(1), &vec![0; 16 << 20]));
    over(recorder.order(Tick(1 << 56), view(1), b"never"));
    over(recorder.keyframe(SimSnapshot { core: state(1 << 57, 0).core, ..Default::default() }));
    over(recorder.events(EventBlock::new(0, (Tick(8), Tick(8)), 1, vec![0; (256 << 10) + 1])));
    over(recorder.setup(ViewSet::ALL, vec![0; (16 << 20) + 1]));
    over(recorder.resource("large", ViewSet::ALL, vec![0; 16 << 20]));
    over(recorder.closing_metadata(&[b' '; 13 << 10]));
    assert!(recorder.closing_metadata(b"no JSON").is_err());
    assert!(recorder.names(&vec!["n"; (1 << 20) + 1]).is_err());
    play(&recorder, 8);
    let report = finish(recorder, &mut pump);
    assert_eq!(report.counters.failure, None);
    let content = Content::of_finished(&sink.bytes());
    content.assert_played(7..9);
    assert_eq!((content.events.len(), content.others.len()), (0, 1));
}

#[test]
fn keyframes_are_due_by_the_cadence_in_each_stream_of_its_own() {
    let (recorder, mut pump, sink) = driven(&options());
    for tick in 0..95 {
        play(&recorder, tick);
        // View 2 comes into the game later.
        if tick >= 33 && recorder.view_keyframe_due(view(2), Tick(tick)) {
            recorder.view_keyframe(view(2), state(tick, 100)).unwrap();
        }
        pump.step(SECOND);
    }
    finish(recorder, &mut pump);
    let content = Content::of_finished(&sink.bytes());
    content.assert_played(0..95);
    let of = |wanted: u16| -> Vec<(u64, bool)> {
        let ours = content.keyframes.iter().filter(|(stream, ..)| *stream == wanted);
        ours.map(|(_, tick, is_full, _)| (*tick, *is_full)).collect()
    };
    let due = |ticks: std::ops::Range<u64>| ticks.map(|n| (n * 10, n % 4 == 0)).collect::<Vec<_>>();
    assert_eq!(of(0), due(0..10));
    let later = [(33, true), (40, false), (50, false), (60, false), (70, true), (80, false)];
    assert_eq!(of(18), [&later[..], &[(90, false)]].concat());
}

#[test]
fn a_signed_recording_is_signed_by_its_key() {
    let (recorder, mut pump, sink) = driven(&options());
    (0..20).for_each(|tick| play(&recorder, tick));
    let key = SigningKey::from_seed(&[9; 32]);
    let public = key.public_key();
    recorder.sign(key);
    finish(recorder, &mut pump);
    assert!(verify_bytes(&sink.bytes(), Level::Signature, Some(public)).unwrap().passed());
}

#[test]
fn a_tape_in_memory_comes_back() {
    let sink = Cursor::new(Vec::new());
    let (recorder, mut pump) =
        Recorder::with_pump(sink, tape_header(), METADATA, &options()).unwrap();
    play(&recorder, 0);
    finish(recorder, &mut pump);
    Content::of_finished(pump.into_sink().get_ref()).assert_played(0..1);
}

#[test]
fn a_keyframe_that_no_tape_can_hold_is_a_gap_and_the_next_is_full() {
    let (recorder, mut pump, sink) = driven(&options());
    for (tick, bulk) in [(0, 100), (10, 17 << 20), (20, 100)] {
        recorder.keyframe(state(tick, bulk)).unwrap();
    }
    assert_eq!(finish(recorder, &mut pump).counters.failure, None);
    let content = Content::of_finished(&sink.bytes());
    let keyframes: Vec<_> = content.keyframes.iter().map(|k| (k.1, k.2)).collect();
    assert_eq!(keyframes, [(0, true), (20, true)]);
    assert_eq!((content.gaps.len(), content.gaps[0].first_tick), (1, Tick(10)));
}

#[test]
fn threads_of_the_game_can_share_a_recorder() {
    let sink = FakeSink::default();
    let recorder =
        Arc::new(Recorder::start(sink.clone(), tape_header(), METADATA, &options()).unwrap());
    std::thread::scope(|scope| {
        for number in 0..4 {
            let recorder = &recorder;
            scope.spawn(move || {
                for tick in 0..200 {
                    let state = state(tick * 10, 0);
                    recorder.view_keyframe(view(number), state).unwrap();
                }
            });
        }
    });
    let recorder = Arc::into_inner(recorder).unwrap();
    assert!(recorder.finish().is_finished);
    assert_eq!(Content::of_finished(&sink.bytes()).keyframes.len(), 800);
}
