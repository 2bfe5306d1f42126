//! Writing and opening tapes.

use crate::common::*;
use gametape_tape::{
    Chunk, ChunkDraft, ChunkEntry, ChunkHeader, ChunkKind, Depth, Flags, Found, Gap, GapCause,
    NameTable, Recovery, Resource, Tape, TapeFrames, TapeReader, TapeWriter, limits,
};
use gametape_wire::{ErrorClass, SansIo, Tick, ViewSet, drive};

/// Drives a reader as a file would, and says how many bytes it asked for.
fn open_counting(bytes: &[u8], depth: Depth) -> (Tape, u64) {
    let mut reader = TapeReader::new(bytes.len() as u64, depth);
    let mut source = Counted::new(bytes);
    drive(&mut reader, &mut source).unwrap();
    (reader.finish().unwrap(), source.bytes)
}

/// Everything view `number` receives, in order.
fn received(tape: &Tape, bytes: &[u8], number: u8) -> Vec<(u64, Vec<u8>)> {
    let mut received = Vec::new();
    let mut buffer = Vec::new();
    for entry in tape.stream(ChunkKind::FRAMES, 0) {
        let chunk = tape.read(entry, bytes).unwrap();
        for frame in TapeFrames::new(&chunk.header, chunk.raw_in(&mut buffer).unwrap()) {
            let frame = frame.unwrap();
            received.extend(frame.view(view(number)).map(|bytes| (frame.tick.0, bytes.to_vec())));
        }
    }
    received
}

#[test]
fn what_is_written_is_read() {
    let bytes = sample(1000);
    let tape = Tape::open(&bytes).unwrap();
    assert!(tape.is_finished(), "{:?}", tape.index_problem);
    assert_eq!(tape.header, header());
    assert_eq!(tape.metadata, r#"{"game":"sample","players":["Ana","Ben"]}"#);
    assert_eq!(tape.closing.as_deref(), Some(r#"{"winner":"Ana"}"#));
    assert_eq!((tape.summary.first_tick, tape.summary.end_tick), (Tick::ZERO, Tick(1000)));
    assert_eq!(tape.summary.views, views(&[0, 1, 2]));
    assert_eq!(tape.summary.kind(ChunkKind::FRAMES).unwrap().items, 1100);
    assert_eq!(tape.summary.kind(UNKNOWN).unwrap().chunks, 5);
    tape.check_playable().unwrap();

    let second = received(&tape, &bytes, 2);
    let own = second.iter().filter(|(_, bytes)| bytes != b"everybody receives this");
    assert!(own.eq(&(0..1000).map(|tick| (tick, payload(2, tick))).collect::<Vec<_>>()));
    assert_eq!(second.len(), 1100);
    assert!(received(&tape, &bytes, 3).is_empty());
}

/// Tables of events repeat a name in every row: a long one would make gigabytes of a few bytes.
#[test]
fn a_name_over_4_kib_is_refused() {
    let mut writer = TapeWriter::new(header(), b"{}").unwrap();
    writer.names(&["n".repeat(4096)]).unwrap();
    assert!(writer.names(&["n".repeat(4097)]).is_err());
    let raw = [&[0, 1, 0x81, 0x20][..], &[b'n'; 4097]].concat();
    let draft = ChunkDraft::new(ChunkKind::NAMES).with_detail(1);
    writer.chunk(&draft, &raw).unwrap();
    let bytes = [writer.take(), writer.finish().unwrap()].concat();
    let tape = Tape::open(&bytes).unwrap();
    let mut chunks = tape.stream(ChunkKind::NAMES, 0).map(|entry| tape.read(entry, &bytes));
    let mut add = || NameTable::default().add(&chunks.next().unwrap().unwrap());
    add().unwrap();
    assert_eq!(add().unwrap_err().class(), ErrorClass::Limit);
}

/// So nothing is written that a reader refuses.
#[test]
fn there_are_no_more_names_than_a_reader_takes() {
    let mut writer = TapeWriter::new(header(), b"{}").unwrap();
    let most = 1 << 20;
    assert_eq!(writer.names(&vec!["n"; most - 1]).unwrap(), 0);
    assert!(writer.names(&["n"; 3]).is_err());
    assert_eq!(writer.names(&["n"]).unwrap() as usize, most - 1);
    assert!(writer.names(&["n"]).is_err());
}

#[test]
fn names_and_resources_are_read() {
    let bytes = sample(10);
    let tape = Tape::open(&bytes).unwrap();
    let of = |kind| tape.read(tape.stream(kind, 0).next().unwrap(), &bytes).unwrap();
    let mut names = NameTable::default();
    names.add(&of(ChunkKind::NAMES)).unwrap();
    assert_eq!((names.get(1), names.get(2)), (Some("tank"), None));
    let chunk = of(ChunkKind::RESOURCE);
    let resource = Resource::read(&chunk).unwrap();
    assert_eq!((resource.name(), resource.content()), ("map.png", &[0x5A; 300][..]));
}

#[test]
fn the_rebuilt_index_is_the_written_one() {
    let bytes = sample(1000);
    let whole = Tape::open(&bytes).unwrap();
    let trailer_gone = &bytes[..bytes.len() - 1];
    let mut rebuilt = Tape::open(trailer_gone).unwrap();
    assert!(!rebuilt.is_finished());
    assert_eq!(rebuilt.chunks, whole.chunks);
    assert_eq!(rebuilt.keyframes, whole.keyframes);
    assert_eq!(rebuilt.metadata, whole.metadata);
    rebuilt.summary.chain_head = whole.summary.chain_head;
    rebuilt.summary.pages = whole.summary.pages.clone();
    assert_eq!(rebuilt.summary, whole.summary);
}

#[test]
fn a_tape_is_valid_at_every_flush() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    let mut file = tape.take();
    for tick in 0..50 {
        tape.frame(0, Tick(tick), &[(view(1), &payload(1, tick))]).unwrap();
        tape.flush().unwrap();
        file.extend(tape.take());
        let opened = Tape::open(&file).unwrap();
        assert!(opened.damages.is_empty() && opened.missing.is_empty());
        assert_eq!(opened.summary.end_tick, Tick(tick + 1));
        assert_eq!(received(&opened, &file, 1).len() as u64, tick + 1);
    }
}

#[test]
fn a_large_tape_opens_with_few_bytes() {
    // As many chunks as 1 GB in chunks of 64 KiB, without their weight.
    let mut tape =
        TapeWriter::new(header(), format!("{{\"x\":\"{}\"}}", "y".repeat(11_000)).as_bytes())
            .unwrap();
    for tick in 0..16_384 {
        tape.frame(0, Tick(tick), &[(view(0), &tick.to_le_bytes())]).unwrap();
        tape.flush().unwrap();
        if tick % 16 == 0 {
            tape.keyframe(0, ViewSet::EMPTY, &keyframe(tick)).unwrap();
        }
    }
    tape.closing_metadata(b"{\"winner\":1}").unwrap();
    let bytes = finished(tape);
    let (summary, read) = open_counting(&bytes, Depth::Summary);
    assert!(summary.is_finished() && summary.chunks.is_empty());
    assert_eq!(summary.summary.chunk_count, 16_384 + 1024 + 2);
    assert_eq!(summary.closing.as_deref(), Some("{\"winner\":1}"));
    assert!(read <= 64 << 10, "{read} bytes read");
    let (keyframes, read) = open_counting(&bytes, Depth::Keyframes);
    assert_eq!(keyframes.keyframes.entries().len(), 1024);
    assert!(read <= 128 << 10, "{read} bytes read");
}

#[test]
fn no_tape_needs_more_than_64_kib_for_its_summary() {
    let rows = 255 * 32 + 640 * 32;
    let summary = 56 + 104 + rows;
    let metadata = 56 + limits::METADATA_BYTES.max;
    assert!(32 + 2 * metadata + summary + 32 + 2 * 4096 <= 64 << 10);
}

#[test]
fn a_growing_tape_is_followed() {
    let bytes = sample(500);
    let mut recovery = Recovery::growing();
    let mut chunks = Vec::new();
    // The file grows by 97 bytes whenever the reader has to wait.
    let mut there = 10;
    while there < bytes.len() {
        there = (there + 97).min(bytes.len());
        recovery.grow(there as u64);
        while let [range] = recovery.need().ranges() {
            let part = &bytes[range.start as usize..range.end as usize];
            match recovery.look(range.clone(), part) {
                Found::Chunk(chunk) => chunks.push(chunk.header),
                Found::Damage(damage) => panic!("{damage}"),
                _ => {}
            }
        }
    }
    recovery.close(bytes.len() as u64);
    assert!(recovery.need().is_ready());
    let found = recovery.finish();
    assert!(found.is_undamaged() && found.is_finished);
    let counted: Vec<_> = chunks.into_iter().filter(|header| header.kind.is_counted()).collect();
    let table: Vec<_> = Tape::open(&bytes).unwrap().chunks.iter().map(|c| c.header).collect();
    assert_eq!(counted, table);
}

#[test]
fn an_interrupted_tape_is_continued_as_if_nothing_happened() {
    let write = |tape: &mut TapeWriter, ticks: std::ops::Range<u64>| {
        for tick in ticks {
            tape.frame(0, Tick(tick), &[(view(1), &payload(1, tick))]).unwrap();
            tape.flush().unwrap();
        }
    };
    let mut uninterrupted = TapeWriter::new(header(), b"{}").unwrap();
    write(&mut uninterrupted, 0..20);
    let expected = finished(uninterrupted);

    let mut first = TapeWriter::new(header(), b"{}").unwrap();
    write(&mut first, 0..11);
    let mut file = first.take();
    let torn = file.len() - 3;
    file.truncate(torn);
    let found = gametape_tape::Recovered::from_bytes(&file);
    assert_eq!(found.damages.len(), 1);
    file.truncate(found.end as usize);
    let mut second = found.resume().unwrap();
    assert!(second.frame(0, Tick(8), &[(view(1), b"too early")]).is_err());
    write(&mut second, 10..20);
    file.extend(finished(second));
    assert_eq!(file, expected);
}

#[test]
fn a_gap_says_what_is_missing_of_which_stream() {
    let gap = Gap::new(GapCause::SHED, ChunkKind::EVENTS)
        .with_stream(0x0102)
        .with_size(3, 0x0A0B)
        .with_views(views(&[2]))
        .with_ticks(Tick(40), 9);
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.gap(&gap).unwrap();
    let file = finished(tape);
    let tape = Tape::open(&file).unwrap();
    let chunk = tape.read(tape.stream(ChunkKind::GAP, 0).next().unwrap(), &file).unwrap();
    assert_eq!(*chunk.raw().unwrap(), [1, 7, 2, 1, 3, 0, 0, 0, 0x0B, 0x0A, 0, 0, 0, 0, 0, 0]);
    assert_eq!(Gap::read(&chunk).unwrap(), gap);
}

#[test]
fn what_cannot_be_is_refused_and_changes_nothing() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.frame(0, Tick(10), &[(view(1), b"x")]).unwrap();
    assert!(tape.frame(0, Tick(9), &[(view(1), b"x")]).is_err(), "back in time");
    assert!(tape.frame(0, Tick(11), &[(view(1), b"x"), (view(1), b"y")]).is_err(), "a view twice");
    assert!(tape.frame(0, Tick(11), &[]).is_err(), "for nobody");
    assert!(tape.frame_for_all(0, Tick(11), ViewSet::EMPTY, b"x").is_err(), "for nobody");
    assert!(tape.frame(0, Tick::MAX, &[(view(1), b"x")]).is_err(), "after all time");
    assert!(tape.closing_metadata(b"not JSON").is_err());
    assert!(tape.closing_metadata(&[b'{'; 13 << 10]).is_err());
    let events = ChunkDraft::new(ChunkKind::EVENTS);
    let error = tape.chunk(&events, &vec![0; 257 << 10]).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Limit);
    assert!(tape.chunk(&ChunkDraft::new(ChunkKind::INDEX), b"").is_err());
    assert!(tape.chunk(&ChunkDraft::new(ChunkKind(0)), b"").is_err());
    assert!(tape.resource("big", ViewSet::ALL, &vec![0; 17 << 20]).is_err());
    let bytes = finished(tape);
    let opened = Tape::open(&bytes).unwrap();
    assert_eq!(received(&opened, &bytes, 1), [(10, b"x".to_vec())]);
    assert_eq!(opened.summary.chunk_count, 2);
}

#[test]
fn a_critical_unknown_kind_forbids_playing_only() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    let draft = ChunkDraft::new(UNKNOWN).with_flags(Flags::CRITICAL);
    tape.chunk(&draft, b"you must know this").unwrap();
    let tape = Tape::open(&finished(tape)).unwrap();
    assert_eq!(tape.check_playable().unwrap_err().class(), ErrorClass::Unsupported);
}

#[test]
fn large_frames_get_chunks_of_their_own() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    let large = vec![1; 1 << 20];
    for tick in 0..3 {
        tape.frame(0, Tick(tick), &[(view(0), b"small")]).unwrap();
        tape.frame(0, Tick(tick), &[(view(0), &large), (view(1), b"other")]).unwrap();
    }
    let bytes = finished(tape);
    let opened = Tape::open(&bytes).unwrap();
    let lengths: Vec<u32> =
        opened.stream(ChunkKind::FRAMES, 0).map(|chunk| chunk.header.raw_length).collect();
    assert_eq!(lengths.len(), 6, "{lengths:?}");
    assert_eq!(received(&opened, &bytes, 0)[5], (2, large));
}

#[test]
fn a_bomb_is_refused_before_anything_is_allocated() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.setup(0, ViewSet::ALL, &[0; 10_000]).unwrap();
    let bytes = finished(tape);
    let opened = Tape::open(&bytes).unwrap();
    let mut chunk = opened.read(&opened.chunks[1], &bytes).unwrap();
    assert_eq!(chunk.raw().unwrap().len(), 10_000);
    chunk.header.raw_length = 16 << 20;
    assert_eq!(chunk.raw().unwrap_err().class(), ErrorClass::Malformed);
    assert!(Chunk::read(&bytes[32..60], 32).is_err());
}

#[test]
fn other_files_are_told_apart() {
    for other in [&b""[..], b"{}", b"\x89PNG\r\n\x1A\n and so on, and so on, and so on"] {
        assert!(Tape::open(other).is_err());
    }
}

#[test]
fn chunks_are_found_by_their_ticks() {
    let bytes = sample(2000);
    let tape = Tape::open(&bytes).unwrap();
    let rebuilt = Tape::open(&bytes[..bytes.len() - 1]).unwrap();
    let kinds = [ChunkKind::FRAMES, ChunkKind::ORDERS, ChunkKind::EVENTS, ChunkKind::FULL_KEYFRAME];
    for (kind, start) in
        kinds.into_iter().flat_map(|kind| (0..2100).step_by(99).map(move |t| (kind, t)))
    {
        for ticks in [start..start, start..start + 1, start..start + 250] {
            let says = |header: &ChunkHeader| {
                header.first_tick < Tick(ticks.end) && header.end_tick() > Tick(ticks.start)
            };
            let of_kind = |h: &ChunkHeader| h.kind == kind && h.stream == 0;
            let expected: Vec<&ChunkEntry> =
                tape.chunks.iter().filter(|c| of_kind(&c.header) && says(&c.header)).collect();
            for tape in [&tape, &rebuilt] {
                let found: Vec<&ChunkEntry> =
                    tape.stream_at(kind, 0, Tick(ticks.start)..Tick(ticks.end)).collect();
                assert_eq!(found, expected, "{kind} {ticks:?}");
            }
        }
    }
}
