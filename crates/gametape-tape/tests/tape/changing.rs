//! Packing, cutting, repairing.

use crate::common::*;
use gametape_tape::{
    ChunkDraft, ChunkKind, Depth, DropReason, Flags, Gap, GapCause, Level, NameTable, Recovered,
    Segment, Tape, TapeHeader, TapeReader, TapeWriter, cut_bytes, pack, pack_bytes, repair_bytes,
    verify_bytes,
};
use gametape_wire::{Tick, TickLength, View, ViewSet, drive};

/// The raw bytes of all chunks, index included, and the bytes of the tape itself.
fn everything(bytes: &[u8]) -> Vec<u8> {
    let mut all = bytes.to_vec();
    let mut scanner = gametape_tape::Scanner::new(bytes.len() as u64);
    while let [range] = scanner.need().ranges() {
        let found = scanner.supply(range.clone(), &bytes[range.start as usize..range.end as usize]);
        if let gametape_tape::Found::Chunk(chunk) = found {
            all.extend_from_slice(&chunk.raw().unwrap());
        }
    }
    all
}

#[test]
fn packing_keeps_every_chunk_and_the_chain() {
    let bytes = signed(1300);
    let packed = pack_bytes(&bytes).unwrap();
    let (before, after) = (Tape::open(&bytes).unwrap(), Tape::open(&packed).unwrap());
    assert!(after.is_finished() && after.summary.packed);
    assert_eq!(after.summary.chain_head, before.summary.chain_head);
    assert_eq!((after.metadata, after.closing), (before.metadata, before.closing));
    for (a, b) in before.chunks.iter().zip(&after.chunks) {
        assert_eq!(a.header, b.header);
    }
    assert_eq!(pack_bytes(&packed).unwrap(), packed, "packing twice changes nothing");
}

#[test]
fn a_packed_tape_begins_with_metadata_keyframe_index_and_setup() {
    let packed = pack_bytes(&sample(1300)).unwrap();
    let tape = Tape::open(&packed).unwrap();
    let mut order: Vec<_> = tape.chunks.iter().collect();
    order.sort_by_key(|chunk| chunk.offset);
    let kinds: Vec<u8> = order.iter().map(|chunk| chunk.header.kind.0).collect();
    let mut runs = kinds.clone();
    runs.dedup();
    assert_eq!(runs, [1, 2, 8, 5, 6, 3, 4, 7, 10, 200]);
    let first_of = |kind| *order.iter().find(|chunk| chunk.header.kind == kind).unwrap();
    let (setup, first) = (first_of(ChunkKind::SETUP), first_of(ChunkKind::FULL_KEYFRAME));
    assert_eq!(tape.keyframes.chunk_range(0), Some(first.range()));
    // Header, metadata, keyframe index and setup are one range at the beginning.
    let page = tape.summary.pages.iter().find(|page| page.stream == 2).unwrap();
    assert_eq!(page.range.start, order[1].range().end);
    assert_eq!(page.range.end, setup.offset);
    // Offsets of keyframes count from after the index.
    let entry = tape.keyframes.entries()[0];
    assert_eq!(u64::from(entry.blob_offset), first.offset + 56 - page.range.end);
}

#[test]
fn every_keyframe_is_the_same_before_and_after_packing() {
    let bytes = sample(4000);
    let packed = pack_bytes(&bytes).unwrap();
    let (before, after) = (Tape::open(&bytes).unwrap(), Tape::open(&packed).unwrap());
    assert_eq!(before.keyframes.entries().len(), 14);
    for tick in (0..4000).step_by(100) {
        let a = before.restore(&bytes, Tick(tick), |_| true).unwrap().unwrap();
        let b = after.restore(&packed, Tick(tick), |_| true).unwrap().unwrap();
        assert_eq!(a, b);
        assert_eq!(a.to_bytes(), state(tick / 300 * 300).to_bytes());
    }
}

#[test]
fn packing_copies_ranges_and_needs_no_payload() {
    let bytes = sample(700);
    let segments = pack(&Tape::open(&bytes).unwrap()).unwrap();
    let own: usize = segments
        .iter()
        .map(|segment| match segment {
            Segment::Bytes(own) => own.len(),
            Segment::Copy(_) => 0,
        })
        .sum();
    assert!(own < 3000, "{own}");
    assert!(pack(&Tape::open_to(&bytes, Depth::Summary).unwrap()).is_err());
    assert!(pack(&Tape::open(&bytes[..bytes.len() - 1]).unwrap()).is_err());
}

#[test]
fn a_tape_without_keyframes_packs_too() {
    let bytes = finished(TapeWriter::new(header(), b"{}").unwrap());
    let packed = pack_bytes(&bytes).unwrap();
    assert!(verify_bytes(&packed, Level::Chain, None).unwrap().passed());
}

#[test]
fn a_cut_has_no_byte_of_another_view() {
    let bytes = signed(700);
    for number in 0..3 {
        let cut = cut_bytes(&bytes, views(&[number]), 5).unwrap();
        assert!(verify_bytes(&cut.bytes, Level::Chain, None).unwrap().passed());
        let all = everything(&cut.bytes);
        for tick in 0..700 {
            for other in [0, 1, 2, 11, 12] {
                let is_own = other == number || other == number + 10 && number > 0;
                let expected = is_own && (other < 10 || tick % 10 == 3);
                assert_eq!(contains(&all, &payload(other, tick)), expected, "{other} at {tick}");
            }
        }
        assert!(!contains(&all, b"view 99"), "events are nobody's");
        assert!(contains(&all, b"everybody receives this"));
        assert!(contains(&all, b"from a later version"));
        let tape = Tape::open(&cut.bytes).unwrap();
        assert!(tape.keyframes.entries().is_empty(), "states of the whole game are nobody's");
        assert_eq!(cut.dropped_of(ChunkKind::SIGNATURE), 1);
        assert_eq!(tape.summary.views, views(&[number]));
    }
}

#[test]
fn a_cut_does_not_depend_on_the_other_views() {
    let write = |others: &dyn Fn(u64) -> Vec<u8>| {
        let mut tape = TapeWriter::new(header(), b"{}").unwrap();
        for tick in 0..3000 {
            let (own, others) = (payload(2, tick), others(tick));
            tape.frame(0, Tick(tick), &[(view(1), &others), (view(2), &own)]).unwrap();
            if others.len() % 5 == 0 {
                tape.flush().unwrap();
            }
        }
        cut_bytes(&finished(tape), views(&[2]), 5).unwrap().bytes
    };
    let quiet = write(&|_| b"quiet".to_vec());
    let loud = write(&|tick| vec![tick as u8; tick as usize % 1000]);
    let same = write(&|tick| payload(2, tick));
    assert!(quiet == loud && quiet == same);
}

#[test]
fn unknown_chunks_are_cut_carefully() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    let mut put = |kind, flags, views, raw: &[u8]| {
        let draft = ChunkDraft::new(ChunkKind(kind)).with_flags(flags).with_views(views);
        tape.chunk(&draft, raw).unwrap();
    };
    let safe = Flags::SAFE_TO_COPY;
    put(200, safe, ViewSet::ALL, b"public and safe");
    put(201, safe.with(Flags::PARTS), ViewSet::ALL, b"parts of everybody");
    put(202, safe, views(&[1, 2]), b"of one and two");
    put(203, safe, views(&[1]), b"of one alone");
    put(204, Flags::NONE, ViewSet::ALL, b"not safe to copy");
    put(205, safe, ViewSet::EMPTY, b"of nobody");
    let bytes = finished(tape);
    let kept = |bytes: &[u8]| -> Vec<u8> {
        Tape::open(bytes).unwrap().chunks.iter().map(|chunk| chunk.header.kind.0).collect()
    };
    assert_eq!(kept(&cut_bytes(&bytes, views(&[1]), 5).unwrap().bytes), [1, 200, 203]);
    assert_eq!(kept(&cut_bytes(&bytes, views(&[1, 2]), 5).unwrap().bytes), [1, 200, 202, 203]);
    assert_eq!(kept(&pack_bytes(&bytes).unwrap()), [1, 200, 201, 202, 203, 204, 205]);
    let repaired = repair_bytes(&bytes, None, 5).unwrap();
    assert_eq!(kept(&repaired.bytes), [1, 200, 201, 202, 203, 205]);
    assert_eq!(repaired.dropped_of(ChunkKind(204)), 1);
}

/// Deltas whose full keyframe is lost are whole; what they build on is not there.
#[test]
fn deltas_without_their_baseline_are_left_out_for_that_reason() {
    let mut bytes = sample(700);
    let full = *Tape::open(&bytes).unwrap().stream(ChunkKind::FULL_KEYFRAME, 0).next().unwrap();
    bytes[full.offset as usize + 70] ^= 1;
    let repaired = repair_bytes(&bytes, None, 6).unwrap();
    let dropped: Vec<_> =
        repaired.dropped.iter().map(|row| (row.kind, row.reason, row.chunks)).collect();
    assert_eq!(dropped, [(ChunkKind::DELTA_KEYFRAME, DropReason::NoBaseline, 2)]);
    assert!(verify_bytes(&repaired.bytes, Level::Chain, None).unwrap().passed());
}

#[test]
fn a_repaired_tape_has_what_was_whole_and_says_what_was_not() {
    let mut bytes = signed(700);
    let original = Tape::open(&bytes).unwrap();
    let hit = original.stream(ChunkKind::FRAMES, 0).nth(2).unwrap();
    bytes[hit.offset as usize + 70] ^= 1;
    let found = Recovered::from_bytes(&bytes);
    let repaired = repair_bytes(&bytes, None, 6).unwrap();
    let report = verify_bytes(&repaired.bytes, Level::Chain, None).unwrap();
    assert!(report.passed(), "{:?}", report.findings());
    let tape = Tape::open(&repaired.bytes).unwrap();
    assert_eq!(tape.chunks.len(), original.chunks.len() - 2 + 1, "a chunk, the signature, a gap");
    let gap = tape.stream(ChunkKind::GAP, 0).next().unwrap();
    let gap = Gap::read(&tape.read(gap, &repaired.bytes).unwrap()).unwrap();
    assert_eq!((gap.cause, gap.kind), (GapCause::DAMAGE, ChunkKind::FRAMES));
    assert_eq!(gap.first_tick..gap.first_tick + 100, found.lost_ticks(&found.damages[0]));
    assert_eq!(gap.views, views(&[0, 1, 2]));
}

#[test]
fn a_repair_without_a_header_needs_the_tick_length() {
    let bytes = sample(100);
    let end = Tape::open(&bytes).unwrap().chunks.last().unwrap().range().end as usize;
    let mut bytes = bytes[..end].to_vec();
    bytes[3] = 0;
    assert!(repair_bytes(&bytes, None, 6).is_err());
    let repaired = repair_bytes(&bytes, Some(header()), 6).unwrap();
    let tape = Tape::open(&repaired.bytes).unwrap();
    assert_eq!(tape.header, TapeHeader::new(TickLength::from_micros(66_667).unwrap(), 6));
    assert_eq!(tape.summary.end_tick, Tick(100));
    let mut names = NameTable::default();
    let chunk = tape.stream(ChunkKind::NAMES, 0).next().unwrap();
    names.add(&tape.read(chunk, &repaired.bytes).unwrap()).unwrap();
    assert_eq!(names.get(0), Some("soldier"));
}

#[test]
fn range_requests_for_a_seek_are_few() {
    let packed = pack_bytes(&sample(4000)).unwrap();
    let mut reader = TapeReader::new(packed.len() as u64, Depth::Keyframes);
    let mut source = Counted::new(&packed);
    drive(&mut reader, &mut source).unwrap();
    let tape = reader.finish().unwrap();
    let plan = tape.keyframes.plan(Tick(3500), |_| true).unwrap();
    let requests = source.requests + tape.keyframes.plan_ranges(&plan).len();
    assert!(requests <= 4, "{requests}");
}

#[test]
fn a_cut_of_a_damaged_tape_says_what_its_views_lost() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    for (stream, who) in [(0, &[1][..]), (1, &[2]), (2, &[1, 2])] {
        let parts: Vec<(View, &[u8])> =
            who.iter().map(|&who| (view(who), &b"payload"[..])).collect();
        tape.frame(stream, Tick(10), &parts).unwrap();
    }
    tape.flush().unwrap();
    let chunks = tape.chunks().to_vec();
    let mut bytes = tape.take();
    for chunk in &chunks[1..] {
        bytes[chunk.range().end as usize - 1] ^= 1;
    }
    let cut = cut_bytes(&bytes, views(&[1]), 5).unwrap().bytes;
    let tape = Tape::open(&cut).unwrap();
    let gaps: Vec<Gap> = tape
        .stream(ChunkKind::GAP, 0)
        .map(|entry| Gap::read(&tape.read(entry, &cut).unwrap()).unwrap())
        .collect();
    let declared: Vec<_> = gaps.iter().map(|gap| (gap.stream, gap.views, gap.bytes)).collect();
    let own = chunks[1].header.chunk_length();
    assert_eq!(declared, [(0, views(&[1]), own), (2, views(&[1]), 0)]);
    assert!(gaps.iter().all(|gap| (gap.cause, gap.first_tick) == (GapCause::DAMAGE, Tick(10))));
}

#[test]
fn what_is_said_of_a_torn_tape_is_true_of_it() {
    let bytes = sample(300);
    let said = |length: usize| {
        let report = verify_bytes(&bytes[..length], Level::Chain, None).unwrap();
        report.findings().iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    // There is no summary to differ from.
    let torn = said(bytes.len() / 2);
    assert!(torn.contains("chain: nothing says where it ends"), "{torn}");
    // There is no chunk that could be the first.
    let tiny = said(20);
    assert!(tiny.contains("metadata: there is none") && !tiny.contains("first chunk"), "{tiny}");
    assert!(!tiny.contains("at byte 32"), "{tiny}");
}
