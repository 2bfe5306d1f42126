//! Events in tapes.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;

use gametape_analysis::{
    AnalysisEvent, EventKind, EventWriter, KindSet, MatchId, Names, TapeEvents, read_names, sample,
};
use gametape_tape::{
    ChunkDraft, ChunkKind, Level, SigningKey, Tape, TapeHeader, TapeWriter, pack_bytes,
    verify_bytes,
};
use gametape_wire::{Result, View, ViewSet};

use crate::common::examples;

/// A tape with the events, and with other chunks between them.
fn tape_of(events: &[AnalysisEvent]) -> Vec<u8> {
    signed_tape_of(events, None)
}

fn signed_tape_of(events: &[AnalysisEvent], key: Option<&SigningKey>) -> Vec<u8> {
    let mut tape = TapeWriter::new(TapeHeader::new(50_000, 1).unwrap(), b"{}").unwrap();
    let mut writer = EventWriter::new();
    tape.setup(0, ViewSet::ALL, b"setup").unwrap();
    tape.names(&sample::NAMES).unwrap();
    for (place, event) in events.iter().enumerate() {
        writer.push(event).unwrap();
        let blocks = if place % 1000 == 999 { writer.flush().unwrap() } else { writer.take() };
        for block in blocks {
            tape.frame(0, event.tick(), &[(View::SPECTATOR, b"frame")]).unwrap();
            tape.chunk(&block.draft(), &block.bytes).unwrap();
        }
    }
    for block in writer.flush().unwrap() {
        tape.chunk(&block.draft(), &block.bytes).unwrap();
    }
    key.into_iter().for_each(|key| tape.sign(key).unwrap());
    [tape.take(), tape.finish().unwrap()].concat()
}

/// What is exported names its match: the same one in every tape that keeps it.
#[test]
fn packing_and_signing_do_not_change_the_id_of_a_match() {
    let events = sample::played(8, 3);
    let bytes = tape_of(&events);
    let id = |bytes: &[u8]| MatchId::of(&Tape::open(bytes).unwrap());
    let signed = signed_tape_of(&events, Some(&SigningKey::from_seed(&[7; 32])));
    let packed = [pack_bytes(&bytes).unwrap(), pack_bytes(&signed).unwrap()];
    for other in [&signed, &packed[0], &packed[1]] {
        assert_ne!(*other, bytes);
        assert_eq!(id(other), id(&bytes));
    }
    assert_ne!(id(&tape_of(&sample::played(9, 3))), id(&bytes));
    assert_eq!(id(&bytes).to_string().len(), 32);
}

fn slice(bytes: &[u8], range: Range<u64>) -> Cow<'_, [u8]> {
    Cow::Borrowed(&bytes[range.start as usize..range.end as usize])
}

#[test]
fn events_come_back_from_a_tape_sorted_by_tick() {
    let events = sample::played(8, 3);
    let bytes = tape_of(&events);
    assert!(verify_bytes(&bytes, Level::Chain, None).unwrap().passed());
    let tape = Tape::open(&bytes).unwrap();
    let fetch = |range| Ok(slice(&bytes, range));
    let read = TapeEvents::new(&tape, KindSet::ALL, 0..u64::MAX, fetch);
    let read: Vec<_> = read.map(Result::unwrap).collect();
    let mut expected = events;
    expected.sort_by_key(|event| (event.tick(), event.kind().stream()));
    assert_eq!(read, expected);
    assert_eq!(read_names(&tape, fetch).unwrap().name(7), Some("timeout"));
}

#[test]
fn only_what_is_needed_is_fetched() {
    let events = sample::played(8, 3);
    let bytes = tape_of(&events);
    let tape = Tape::open(&bytes).unwrap();
    let kind_at = |offset| {
        let entry = tape.chunks.iter().find(|chunk| chunk.offset == offset).unwrap();
        (entry.header.kind, entry.header.stream)
    };
    let fetched = RefCell::new(Vec::new());
    let fetch = |range: Range<u64>| {
        fetched.borrow_mut().push(kind_at(range.start));
        Ok(slice(&bytes, range))
    };
    assert!(read_names(&tape, fetch).is_ok());
    assert_eq!(fetched.take(), [(ChunkKind::NAMES, 0)]);

    let ticks = 3000..4000;
    let wanted = KindSet::EMPTY.with(EventKind::UnitDestroyed);
    let read: Vec<_> =
        TapeEvents::new(&tape, wanted, ticks.clone(), fetch).map(Result::unwrap).collect();
    let expected = events
        .iter()
        .filter(|event| event.kind() == EventKind::UnitDestroyed && ticks.contains(&event.tick()));
    assert!(read.iter().eq(expected) && !read.is_empty());
    let fetched = fetched.take();
    let all = tape.stream(ChunkKind::EVENTS, 0).count();
    assert!(fetched.len() < all, "{} of {all}", fetched.len());
    assert!(fetched.iter().all(|&place| place == (ChunkKind::EVENTS, 0)));
}

/// A block that lies costs itself alone.
#[test]
fn a_bad_block_gives_one_error() {
    let mut tape = TapeWriter::new(TapeHeader::new(50_000, 1).unwrap(), b"{}").unwrap();
    let mut writer = EventWriter::new();
    let example = &examples()[0];
    let mut put = |draft: &ChunkDraft, raw: &[u8]| tape.chunk(draft, raw).unwrap();
    let mut blocks = Vec::new();
    for tick in [10, 20, 30, 40] {
        writer.push(&example.clone().with_tick(tick)).unwrap();
        blocks.extend(writer.flush().unwrap());
    }
    put(&blocks[0].draft(), &blocks[0].bytes);
    put(&ChunkDraft { detail: 2, ..blocks[1].draft() }, &blocks[1].bytes);
    put(&blocks[2].draft(), &[1, 30, 99]);
    put(&blocks[3].draft(), &blocks[3].bytes);
    let bytes = [tape.take(), tape.finish().unwrap()].concat();
    let tape = Tape::open(&bytes).unwrap();
    let read: Vec<_> =
        TapeEvents::new(&tape, KindSet::ALL, 0..100, |range| Ok(slice(&bytes, range))).collect();
    let ticks: Vec<_> =
        read.iter().map(|event| event.as_ref().ok().map(AnalysisEvent::tick)).collect();
    assert_eq!(ticks, [Some(10), None, None, Some(40)]);
    let texts: Vec<_> = read.into_iter().filter_map(Result::err).map(|e| e.to_string()).collect();
    assert!(texts[0].starts_with("events chunk: its header does not say"), "{}", texts[0]);
    assert!(texts[1].starts_with("length of an event: the input ends early"), "{}", texts[1]);
}
