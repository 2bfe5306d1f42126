//! Chunks of frames and orders follow each other in time, and those that do not are nobody's.

use crate::common::*;
use gametape_tape::{
    ChunkKind, GapCause, Level, Tape, TapeWriter, cut_bytes, pack_bytes, repair_bytes, verify_bytes,
};
use gametape_wire::{Severity, Tick};

/// Three chunks of frames and orders at ticks 0..100, `second` and 100..200, of one stream each.
fn overlapping(second: std::ops::Range<u64>) -> Vec<u8> {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    for (stream, ticks) in [(0, 0..100), (1, second), (0, 100..200)] {
        for tick in ticks {
            tape.frame(stream, Tick(tick), &[(view(1), &payload(1, tick))]).unwrap();
            tape.order(stream, Tick(tick), view(1), &payload(11, tick)).unwrap();
        }
        tape.flush().unwrap();
    }
    with_headers(&finished(tape), |header| header.stream = 0)
}

#[test]
fn a_chunk_may_begin_at_the_last_tick_of_the_one_before() {
    for (last, misplaced) in [(99, 0), (100, 0), (101, 2)] {
        let bytes = overlapping(99..last + 1);
        let report = verify_bytes(&bytes, Level::Chain, None).unwrap();
        assert_eq!(report.report.errors(), misplaced as u64, "{:?}", report.findings());
        let tape = Tape::open(&bytes).unwrap();
        assert_eq!(tape.misplaced().count(), misplaced);
        assert!(tape.misplaced().all(|chunk| chunk.header.first_tick == Tick(100)));
    }
}

#[test]
fn a_chunk_that_begins_earlier_is_found() {
    let bytes = overlapping(98..100);
    for bytes in [bytes.clone(), pack_bytes(&bytes).unwrap()] {
        let tape = Tape::open(&bytes).unwrap();
        let misplaced: Vec<_> = tape.misplaced().collect();
        let kinds: Vec<ChunkKind> = misplaced.iter().map(|chunk| chunk.header.kind).collect();
        assert_eq!(kinds.len(), 2);
        assert!(kinds.contains(&ChunkKind::ORDERS) && kinds.contains(&ChunkKind::FRAMES));
        let report = verify_bytes(&bytes, Level::Structure, None).unwrap();
        let errors = || report.findings().iter().filter(|f| f.severity == Severity::Error);
        assert!(errors().all(|finding| finding.rule == Level::Structure.name()));
        let offsets: Vec<_> = errors().map(|finding| finding.error.offset()).collect();
        let expected: Vec<_> = misplaced.iter().map(|chunk| Some(chunk.offset)).collect();
        assert_eq!(offsets, expected);
    }
}

#[test]
fn no_stream_has_a_misplaced_chunk_and_gaps_name_it() {
    let tape = Tape::open(&overlapping(50..60)).unwrap();
    for kind in [ChunkKind::FRAMES, ChunkKind::ORDERS] {
        let ticks = |chunk: &gametape_tape::ChunkEntry| chunk.header.first_tick;
        assert_eq!(tape.stream(kind, 0).map(ticks).collect::<Vec<_>>(), [0, 100].map(Tick));
        for tick in 0..200 {
            let at: Vec<Tick> =
                tape.stream_at(kind, 0, Tick(tick)..Tick(tick + 1)).map(ticks).collect();
            assert_eq!(at, [Tick(tick / 100 * 100)]);
        }
        let gap = tape.gaps().into_iter().find(|gap| gap.kind == kind).unwrap();
        assert_eq!((gap.cause, gap.first_tick, gap.tick_count), (GapCause::DAMAGE, Tick(50), 10));
        assert_eq!((gap.views, gap.count), (views(&[1]), 1));
    }
}

#[test]
fn a_chunk_that_is_passed_over_moves_nothing() {
    // It goes far ahead, and what follows is held against the chunk before it.
    let tape = Tape::open(&overlapping(50..5000)).unwrap();
    assert_eq!(tape.misplaced().count(), 2);
    assert_eq!(tape.stream(ChunkKind::FRAMES, 0).count(), 2);
}

#[test]
fn cut_and_repaired_tapes_leave_it_out_and_say_so() {
    let bytes = overlapping(50..60);
    let cut = cut_bytes(&bytes, views(&[1]), 9).unwrap();
    let repaired = repair_bytes(&bytes, None, 9).unwrap();
    for rewritten in [cut, repaired] {
        assert_eq!(rewritten.dropped_of(ChunkKind::FRAMES), 1);
        assert_eq!(rewritten.dropped_of(ChunkKind::ORDERS), 1);
        assert!(verify_bytes(&rewritten.bytes, Level::Chain, None).unwrap().passed());
        let tape = Tape::open(&rewritten.bytes).unwrap();
        let gaps: Vec<_> =
            tape.stream(ChunkKind::GAP, 0).map(|gap| gap.header.first_tick).collect();
        assert_eq!(gaps, [50, 50].map(Tick));
    }
}
