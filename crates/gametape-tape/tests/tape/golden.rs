//! The bytes that `spec/tape.md`, section 13, gives, both ways.

use crate::common::*;
use gametape_tape::{
    CellPos, Chunk, ChunkKind, Codec, DeltaSnapshot, Keyframe, Level, Recovered, SimSnapshot, Tape,
    TapeFrames, TapeHeader, TapeWriter, UnitTag, verify_bytes,
};
use gametape_wire::{ErrorClass, Tick, TickLength, ViewSet};

const SPEC: &str = include_str!("../../../../spec/tape.md");
const PARTS: [&str; 8] =
    ["header", "metadata", "frames", "keyframe", "table", "keyframes", "summary", "trailer"];

/// The bytes of a block of the specification.
fn block(name: &str) -> Vec<u8> {
    let (_, rest) = SPEC.split_once(&format!("```hex {name}\n")).unwrap();
    let (hex, _) = rest.split_once("```").unwrap();
    hex.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

fn whole() -> Vec<u8> {
    PARTS.iter().flat_map(|name| block(name)).collect()
}

/// The state of the example's keyframe.
fn before() -> SimSnapshot {
    let mut state = SimSnapshot::default();
    state.core.tick = Tick(109);
    state.core.seed = 42;
    state.core.random_state = vec![0xAB, 0xCD];
    state.core.intern_table.entries = vec!["tank".into()];
    let tag = UnitTag { index: 7, generation: 1 };
    state.core.entities.push(tag, &[(0, &[0x64]), (2, &[])]).unwrap();
    state.core.players.push(2, &[(0, &[0x10, 0x27])]).unwrap();
    state.core.map.push(CellPos { x: 3, y: -1, z: 0 }, &[9]).unwrap();
    state.core.map.push(CellPos::default(), &[]).unwrap();
    state.core.sections.push("fog".into(), &[0xFF]).unwrap();
    state.script_state = Some(b"hi".to_vec());
    state
}

/// The state that the example's delta leads to.
fn after() -> SimSnapshot {
    let mut state = SimSnapshot::default();
    state.core.tick = Tick(400);
    state.core.seed = 42;
    state.core.random_state = vec![0xEE];
    state.core.intern_table.entries = vec!["tank".into(), "mine".into()];
    let tag = UnitTag { index: 7, generation: 1 };
    state.core.entities.push(tag, &[(0, &[0x32]), (3, &[1])]).unwrap();
    state.core.players.push(2, &[(0, &[0x10, 0x27])]).unwrap();
    state.core.map.push(CellPos::default(), &[]).unwrap();
    state.campaign_state = Some(b"c".to_vec());
    state
}

#[test]
fn the_example_is_read() {
    let bytes = whole();
    assert_eq!(bytes.len(), 1033);
    let tape = Tape::open(&bytes).unwrap();
    assert!(tape.is_finished(), "{:?}", tape.index_problem);
    assert_eq!(
        tape.header,
        TapeHeader::new(TickLength::millis::<50>(), u32::from_le_bytes(*b"TSET"))
    );
    assert_eq!(tape.metadata, r#"{"game":"example"}"#);
    let report = verify_bytes(&bytes, Level::Chain, None).unwrap();
    assert!(report.passed(), "{:?}", report.findings());
    assert!(Recovered::from_bytes(&bytes).is_undamaged());

    let entry = tape.stream(ChunkKind::FRAMES, 0).next().unwrap();
    let chunk = tape.read(entry, &bytes).unwrap();
    let raw = chunk.raw().unwrap();
    let frames: Vec<_> = TapeFrames::new(&chunk.header, &raw).map(Result::unwrap).collect();
    assert_eq!(frames.iter().map(|frame| frame.tick).collect::<Vec<_>>(), [7, 108].map(Tick));
    assert_eq!(frames[0].view(view(1)), Some(&[0xAA, 0xBB, 0xCC][..]));
    assert_eq!(frames[1].view(view(0)), Some(&[0x0A, 0x0B][..]));
    assert_eq!(frames[1].view(view(1)), None);
    assert_eq!(frames[1].view(view(2)), Some(&[0x2A][..]));
    assert_eq!(tape.restore(&bytes, Tick(500), |_| true).unwrap(), Some(before()));
    assert_eq!(tape.restore(&bytes, Tick(108), |_| true).unwrap(), None);
}

#[test]
fn the_example_is_written() {
    let header = TapeHeader::new(TickLength::millis::<50>(), u32::from_le_bytes(*b"TSET"));
    let mut tape = TapeWriter::new(header, br#"{"game":"example"}"#).unwrap();
    tape.frame(0, Tick(7), &[(view(0), &[0xAA, 0xBB, 0xCC]), (view(1), &[0xAA, 0xBB, 0xCC])])
        .unwrap();
    tape.frame(0, Tick(108), &[(view(2), &[0x2A]), (view(0), &[0x0A, 0x0B])]).unwrap();
    let written = tape.take();
    assert_eq!(written, [block("header"), block("metadata")].concat());
    tape.flush().unwrap();
    assert_eq!(tape.take(), block("frames"));
    // The example's keyframe is stored raw; a writer would compress it.
    let keyframe = Keyframe::full(&before());
    assert_eq!(keyframe.raw, block("keyframe")[56..]);
    tape.keyframe(0, ViewSet::EMPTY, &keyframe).unwrap();
    let tape = Tape::open(&[written, block("frames"), finished(tape)].concat()).unwrap();
    let example = Tape::open(&whole()).unwrap();
    assert_eq!(tape.chunks[..2], example.chunks[..2]);
    assert_eq!(tape.keyframes.entries()[0].tick, example.keyframes.entries()[0].tick);
}

#[test]
fn the_delta_of_the_example() {
    let delta = DeltaSnapshot::between(&before(), &after()).unwrap();
    assert_eq!(delta.to_bytes(), block("delta"));
    assert_eq!(DeltaSnapshot::read(&block("delta")).unwrap(), delta);
    let mut state = SimSnapshot::read(&block("keyframe")[56..]).unwrap();
    state.apply(&delta).unwrap();
    assert_eq!(state, after());
    assert_eq!(state.to_bytes(), block("after"));
}

/// A chunk with these stored bytes, in columns.
fn in_columns(stored: &[u8], raw_length: u32) -> Chunk<'_> {
    let mut header = Tape::open(&whole()).unwrap().chunks[1].header;
    (header.codec, header.raw_length) = (Codec::LZ4_COLUMNS, raw_length);
    header.stored_length = stored.len() as u32;
    Chunk { header, offset: 0, stored }
}

#[test]
fn the_columns_of_the_example() {
    let (stored, raw) = (block("columns"), block("rows"));
    assert_eq!(in_columns(&stored, 33).raw().unwrap(), raw);
    // A longer buffer that was used before does not matter.
    assert_eq!(in_columns(&stored, 33).raw_in(&mut vec![9; 1000]).unwrap(), raw);
}

#[test]
fn impossible_columns_are_refused() {
    let stored = block("columns");
    for width in [0, 1] {
        let stored = [&[width], &stored[1..]].concat();
        let error = in_columns(&stored, 33).raw().unwrap_err();
        assert_eq!(error.class(), ErrorClass::Malformed);
        assert!(error.to_string().contains("width of the columns"), "{error}");
    }
    for (stored, raw_length) in [(&stored[..], 32), (&stored, 34), (&stored[..20], 33), (&[], 1)] {
        assert!(in_columns(stored, raw_length).raw().is_err());
    }
    assert!(in_columns(&stored, 16 << 20).raw().is_err(), "it cannot hold that much");
    // Wider than there are bytes: nothing but the rest.
    let wide = [&[255], &stored[1..]].concat();
    assert_eq!(in_columns(&wide, 33).raw().unwrap()[..3], [0, 1, 2]);
}

#[test]
fn rows_of_one_shape_are_stored_in_columns() {
    let rows: Vec<u8> =
        (0..900u32).flat_map(|n| [n * n, 7, n / 3, 0, 9]).flat_map(u32::to_le_bytes).collect();
    let mut tape = TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), b"{}").unwrap();
    tape.setup(0, ViewSet::ALL, &rows).unwrap();
    let bytes = finished(tape);
    let tape = Tape::open(&bytes).unwrap();
    let chunk = tape.read(&tape.chunks[1], &bytes).unwrap();
    assert_eq!((chunk.header.codec, chunk.stored[0]), (Codec::LZ4_COLUMNS, 20));
    assert!(chunk.stored.len() * 3 < rows.len());
    assert_eq!(chunk.raw().unwrap(), rows);
}
