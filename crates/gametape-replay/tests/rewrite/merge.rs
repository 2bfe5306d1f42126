//! Tapes that are joined: what views receive, and what it costs.

use gametape_replay::merge::{MergeInput, Merged, merge};
use gametape_tape::{
    ChunkDraft, ChunkKind, Keyframe, SimSnapshot, Tape, TapeFrames, TapeHeader, TapeWriter,
};
use gametape_wire::{Result, Tick, TickLength, ViewSet};

use super::{Counting, hostile, view, views};

fn writer(id: u32) -> TapeWriter {
    TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), id), br#"{"game":"toy"}"#).unwrap()
}

fn finished(mut writer: TapeWriter) -> Vec<u8> {
    writer.flush().unwrap();
    [writer.take(), writer.finish().unwrap()].concat()
}

fn joined(tapes: &[Vec<u8>]) -> Result<(Vec<u8>, Merged)> {
    let tapes = tapes.iter().enumerate();
    let inputs = tapes.map(|(index, bytes)| MergeInput::open(index.to_string(), &bytes[..]));
    let mut inputs = inputs.collect::<Result<Vec<_>>>()?;
    let mut out = Vec::new();
    let merged = merge(&mut inputs, &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    })?;
    Ok((out, merged))
}

/// Everything that a view receives.
fn received(bytes: &[u8], number: u8) -> Vec<(Tick, Vec<u8>)> {
    let tape = Tape::open(bytes).unwrap();
    let mut all = Vec::new();
    for entry in tape.stream(ChunkKind::FRAMES, 0) {
        let raw = tape.read(entry, bytes).unwrap().raw().unwrap().into_owned();
        for frame in TapeFrames::new(&entry.header, &raw) {
            let frame = frame.unwrap();
            all.extend(frame.view(view(number)).map(|payload| (frame.tick, payload.to_vec())));
        }
    }
    all
}

#[test]
fn views_of_different_tapes_come_together() {
    let mut tapes = [writer(1), writer(2)];
    for tick in 0..50_u64 {
        let text = tick.to_le_bytes();
        tapes[0].frame(0, Tick(tick), &[(view(1), &text), (view(0), b"all")]).unwrap();
        if tick % 3 == 0 {
            tapes[1].frame(0, Tick(tick), &[(view(0), b"all")]).unwrap();
            tapes[1].frame(0, Tick(tick), &[(view(2), &text)]).unwrap();
        }
        if tick % 3 != 0 {
            tapes[1].frame(0, Tick(tick), &[(view(0), b"all"), (view(2), &text)]).unwrap();
        }
    }
    let tapes = tapes.map(finished);
    let (both, merged) = joined(&tapes).unwrap();
    assert_eq!(merged.unordered_ticks, 0);
    assert_eq!(received(&both, 0), received(&tapes[0], 0));
    assert_eq!(received(&both, 1), received(&tapes[0], 1));
    assert_eq!(received(&both, 2), received(&tapes[1], 2));
    let again = joined(&[both.clone(), tapes[0].clone()]).unwrap().0;
    for number in 0..3 {
        assert_eq!(received(&again, number), received(&both, number));
    }
}

#[test]
fn frames_of_a_view_that_contradict_are_refused_wherever_they_differ() {
    let tape = |last: &[u8], more: bool| {
        let mut tape = writer(1);
        (0..5).for_each(|_| tape.frame(0, Tick(7), &[(view(1), b"same")]).unwrap());
        tape.frame(0, Tick(7), &[(view(1), last)]).unwrap();
        if more {
            tape.frame(0, Tick(7), &[(view(1), b"more")]).unwrap();
        }
        finished(tape)
    };
    let error = joined(&[tape(b"a", false), tape(b"b", false)]).unwrap_err().to_string();
    assert_eq!(error, "1: it has other frames of view 1 at tick 7");
    let error = joined(&[tape(b"a", false), tape(b"a", true)]).unwrap_err().to_string();
    assert_eq!(error, "1: it has other frames of view 1 at tick 7");
}

#[test]
fn a_keyframe_is_for_those_who_receive_it_in_any_tape() {
    let keyframe = |state: u64, receivers: ViewSet| {
        let mut snapshot = SimSnapshot::default();
        snapshot.core.sections.push("state".into(), &state.to_le_bytes()).unwrap();
        let mut tape = writer(1);
        tape.keyframe(0, receivers, &Keyframe::full(&snapshot)).unwrap();
        finished(tape)
    };
    let receivers = |bytes: &[u8]| -> Vec<ViewSet> {
        let tape = Tape::open(bytes).unwrap();
        tape.keyframes.entries().iter().map(|entry| entry.views).collect()
    };
    let one = keyframe(1, views(&[1]));
    // The same state in both: once, for both.
    let (both, _) = joined(&[one.clone(), keyframe(1, views(&[2]))]).unwrap();
    assert_eq!(receivers(&both), [views(&[1, 2])]);
    // Different states for different views do not contradict.
    let (both, _) = joined(&[one.clone(), keyframe(2, views(&[2]))]).unwrap();
    assert_eq!(receivers(&both), [views(&[1]), views(&[2])]);
    // Different states that somebody, or nobody, would both have, do.
    for other in [views(&[1, 2]), views(&[1]), ViewSet::ALL] {
        let error = joined(&[one.clone(), keyframe(2, other)]).unwrap_err().to_string();
        assert_eq!(error, "1: it has another full keyframe of stream 0 at tick 0");
    }
    let nobody = [1, 2].map(|state| keyframe(state, ViewSet::EMPTY));
    assert!(joined(&nobody).is_err());
    assert_eq!(receivers(&joined(&[one, nobody[1].clone()]).unwrap().0).len(), 2);
}

#[test]
fn what_a_tape_has_twice_stays_twice() {
    let tape = |times: usize| {
        let mut tape = writer(1);
        for _ in 0..times {
            let draft = ChunkDraft::new(ChunkKind(99))
                .with_flags(ChunkDraft::new(ChunkKind::RESOURCE).flags);
            tape.chunk(&draft, b"odd").unwrap();
        }
        finished(tape)
    };
    let count = |bytes: &[u8]| {
        let tape = Tape::open(bytes).unwrap();
        tape.stream(ChunkKind(99), 0).count()
    };
    assert_eq!(count(&joined(&[tape(2), tape(3)]).unwrap().0), 3);
}

/// Joins a tape with itself; returns fetched bytes for each byte of it, and the peak of memory.
fn cost(bytes: Vec<u8>) -> (u64, u64) {
    let length = bytes.len() as u64;
    let source = Counting::new(bytes);
    let used = allocation_counter::measure(|| {
        let mut inputs = [0, 1].map(|_| MergeInput::open("self", source.clone()).unwrap());
        let mut written = 0;
        let _ = merge(&mut inputs, &mut |bytes| {
            written += bytes.len();
            Ok(())
        });
        assert!(written > 0);
    });
    (source.fetched.get() / length, used.bytes_max)
}

#[test]
fn many_chunks_of_one_tick_are_read_twice_at_most() {
    let Some(bytes) = hostile("me20000") else { return };
    let (fetched, memory) = cost(bytes);
    assert!(fetched <= 8, "each of two tapes is opened and read twice: {fetched}");
    assert!(memory < 64 << 20, "{memory}");
}

#[test]
fn many_small_frames_of_one_chunk_are_joined_one_after_the_other() {
    const FRAMES: u32 = 100_000;
    // One tick later than the one before, for the spectator, nothing.
    let raw = [vec![0, 1, 0], [2, 1, 0].repeat(FRAMES as usize - 1)].concat();
    let mut draft = ChunkDraft::new(ChunkKind::FRAMES);
    (draft.views, draft.tick_count, draft.detail) = (views(&[0]), FRAMES, FRAMES);
    let mut tape = writer(1);
    tape.chunk(&draft, &raw).unwrap();
    let (_, memory) = cost(finished(tape));
    assert!(memory < 8 << 20, "80 bytes for each frame: {memory}");
}

/// What was joined is held no longer: tapes may be longer than what may be held.
#[test]
fn long_tapes_are_joined_chunk_by_chunk() {
    let tape = |number: u8| {
        let mut tape = writer(number.into());
        let payload = vec![number; 256 << 10];
        (0..220).for_each(|tick| tape.frame(0, Tick(tick), &[(view(number), &payload)]).unwrap());
        finished(tape)
    };
    let (bytes, _) = joined(&[tape(1), tape(2)]).unwrap();
    assert_eq!(Tape::open(&bytes).unwrap().summary.end_tick, Tick(220));
    for number in [1, 2] {
        assert_eq!(received(&bytes, number).len(), 220);
    }
}

#[test]
fn a_tick_in_which_tapes_differ_by_too_much_is_refused() {
    let tape = |number: u8| {
        let mut tape = writer(1);
        let payload = vec![number; 100_000];
        (0..400).for_each(|_| tape.frame(0, Tick::ZERO, &[(view(number), &payload)]).unwrap());
        finished(tape)
    };
    let error = joined(&[tape(1), tape(2)]).unwrap_err().to_string();
    assert!(error.contains("limit"), "{error}");
}
