//! Damage: what is whole is kept, nothing is invented, every damage is reported.

use gametape_wire::{Tick, TickLength, ViewSet};
use std::ops::Range;

use crate::common::*;
use gametape_tape::{
    ChunkDraft, ChunkEntry, ChunkKind, DamageKind, Level, Recovered, Remedy, Tape, TapeHeader,
    TapeWriter, recover_bytes, verify_bytes,
};

/// A way to spoil bytes.
#[derive(Debug, Clone, Copy)]
enum Spoil {
    Zero,
    Flip,
    Noise,
    Remove,
}

fn spoil(bytes: &mut Vec<u8>, range: Range<usize>, how: Spoil, random: &mut Random) {
    match how {
        Spoil::Zero => bytes[range].fill(0),
        Spoil::Flip => bytes[range].iter_mut().for_each(|byte| *byte ^= 0x10),
        Spoil::Noise => bytes[range].iter_mut().for_each(|byte| *byte = random.next() as u8),
        Spoil::Remove => drop(bytes.drain(range)),
    }
}

/// Which bytes are not as they were.
fn differ(range: &Range<usize>, how: Spoil, before: &[u8], after: &[u8]) -> bool {
    matches!(how, Spoil::Remove) && !range.is_empty() || before != after
}

fn whole_chunks(original: &[ChunkEntry], damaged: &Range<u64>) -> Vec<u32> {
    let untouched = |c: &&ChunkEntry| c.range().end <= damaged.start || c.offset >= damaged.end;
    original.iter().filter(untouched).map(|chunk| chunk.header.sequence).collect()
}

#[test]
fn a_thousand_damages() {
    let bytes = sample(700);
    let original = Tape::open(&bytes).unwrap().chunks;
    let mut random = Random(1);
    for round in 0..1000 {
        let how = [Spoil::Zero, Spoil::Flip, Spoil::Noise, Spoil::Remove][round % 4];
        let most = [1, 60, 4096][round / 4 % 3];
        let start = random.below(bytes.len());
        let range = start..(start + 1 + random.below(most)).min(bytes.len());
        let mut damaged = bytes.clone();
        spoil(&mut damaged, range.clone(), how, &mut random);
        if !differ(&range, how, &bytes, &damaged) {
            continue;
        }
        let found = Recovered::from_bytes(&damaged);
        let kept: Vec<u32> = found.chunks.iter().map(|chunk| chunk.header.sequence).collect();
        let expected = whole_chunks(&original, &(range.start as u64..range.end as u64));
        assert_eq!(kept, expected, "round {round}: {how:?} {range:?}");
        for chunk in &found.chunks {
            let header = original[chunk.header.sequence as usize].header;
            assert_eq!(chunk.header, header, "round {round}: nothing is invented");
        }
        assert!(reported(&found, &range, how, bytes.len()), "round {round}: {how:?} {range:?}");
    }
}

/// Is there a damage at the range? Bytes removed at the very end leave no damage.
fn reported(found: &Recovered, range: &Range<usize>, how: Spoil, length: usize) -> bool {
    let (start, end) = (range.start as u64, range.end as u64);
    let touches = |r: &Range<u64>| match how {
        Spoil::Remove => r.start <= start && start <= r.end,
        _ => r.start < end && start < r.end,
    };
    let by_number = !found.missing.is_empty();
    found.damages.iter().any(|damage| touches(&damage.range))
        || (matches!(how, Spoil::Remove) && (by_number || range.end == length))
}

#[test]
fn every_torn_end_is_told() {
    let bytes = sample(60);
    let original = Tape::open(&bytes).unwrap().chunks;
    for length in 0..bytes.len() {
        let found = Recovered::from_bytes(&bytes[..length]);
        let whole = original.iter().filter(|chunk| chunk.range().end <= length as u64).count();
        assert_eq!(found.chunks.len(), whole, "cut to {length}");
        assert!(!found.is_finished, "cut to {length}");
        let torn = found.damages.iter().all(|damage| damage.kind == DamageKind::Torn);
        assert!(torn && found.damages.len() <= 1, "cut to {length}: {:?}", found.damages);
        let lost: u64 = found.damages.iter().map(|d| d.range.end - d.range.start).sum();
        assert!(lost + found.end <= length as u64, "cut to {length}");
    }
}

#[test]
fn every_flipped_bit_is_detected() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.frame(0, Tick::ZERO, &[(view(0), b"a"), (view(1), b"b")]).unwrap();
    tape.keyframe(0, ViewSet::ALL, &keyframe(1)).unwrap();
    let mut bytes = finished(tape);
    assert!(Recovered::from_bytes(&bytes).is_undamaged());
    for bit in 0..bytes.len() * 8 {
        bytes[bit / 8] ^= 1 << (bit % 8);
        let found = Recovered::from_bytes(&bytes);
        let hit = |d: &gametape_tape::Damage| d.range.contains(&(bit as u64 / 8));
        assert_eq!(found.damages.iter().filter(|damage| hit(damage)).count(), 1, "bit {bit}");
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn a_tape_inside_a_tape_stays_a_resource() {
    let inner = finished(
        TapeWriter::new(TapeHeader::new(TickLength::MILLISECOND, 99), b"{\"inner\":1}").unwrap(),
    );
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.resource("inner.tape", ViewSet::ALL, &inner).unwrap();
    tape.frame(0, Tick(5), &[(view(1), b"x")]).unwrap();
    let mut bytes = finished(tape);
    let offset = Tape::open(&bytes).unwrap().chunks[1].offset as usize;
    // Whether the header or the first byte of the content is hit, the inner chunks are not ours.
    for hit in [offset + 20, offset + 60] {
        bytes[hit] ^= 1;
        let found = Recovered::from_bytes(&bytes);
        let kept: Vec<u32> = found.chunks.iter().map(|chunk| chunk.header.sequence).collect();
        assert_eq!(kept, [0, 2]);
        bytes[hit] ^= 1;
    }
}

#[test]
fn a_chunk_that_comes_twice_is_taken_once() {
    let bytes = sample(60);
    let chunks = Tape::open(&bytes).unwrap().chunks;
    let range = chunks[3].offset as usize..chunks[3].range().end as usize;
    let mut twice = bytes[..range.end].to_vec();
    twice.extend_from_slice(&bytes[range.clone()]);
    twice.extend_from_slice(&bytes[range.end..]);
    let found = Recovered::from_bytes(&twice);
    assert_eq!(found.chunks.len(), chunks.len());
    assert_eq!(found.damages[0].kind, DamageKind::Duplicate);
    assert_eq!(found.damages[0].range, range.end as u64..(range.end + range.len()) as u64);
}

#[test]
fn a_lost_header_is_found_in_the_summary() {
    let mut bytes = sample(60);
    let whole = Recovered::from_bytes(&bytes);
    bytes[..32].fill(0);
    let found = Recovered::from_bytes(&bytes);
    assert_eq!(found.chunks, whole.chunks);
    assert_eq!(found.header, Some(header()));
    assert_eq!(found.damages[0].range, 0..32);
    assert!(found.resume().is_err());
}

/// Frames of ten ticks in each chunk, and where the chunks are.
fn tens(chunks: u64) -> (Vec<u8>, Vec<Range<usize>>) {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    for tick in 0..chunks * 10 {
        tape.frame(0, Tick(tick), &[(view(1), b"moved")]).unwrap();
        if tick % 10 == 9 {
            tape.flush().unwrap();
        }
    }
    let bytes = finished(tape);
    let frames = Tape::open(&bytes).unwrap();
    let range = |entry: &ChunkEntry| entry.offset as usize..entry.range().end as usize;
    let ranges = frames.stream(ChunkKind::FRAMES, 0).map(range).collect();
    (bytes, ranges)
}

/// The ticks of the gaps that a damage leaves, and how many chunks are known to be lost.
fn gaps_of(bytes: &[u8]) -> Vec<(u64, u32, u32)> {
    let gaps = Recovered::from_bytes(bytes).gaps();
    gaps.iter().map(|gap| (gap.first_tick.0, gap.tick_count, gap.count)).collect()
}

#[test]
fn a_gap_has_the_ticks_between_the_chunks_around_it() {
    let (bytes, chunks) = tens(5);
    assert_eq!(gaps_of(&bytes), []);
    for (number, chunk) in chunks.iter().enumerate() {
        let first = 10 * number as u64;
        // A header that is left says which ticks are lost.
        let mut spoilt = bytes.clone();
        spoilt[chunk.end - 3] ^= 1;
        assert_eq!(gaps_of(&spoilt), [(first, 10, 1)], "chunk {number}");
        // Without one they are those between the neighbours; after the last one nothing is known.
        let mut erased = bytes.clone();
        erased[chunk.clone()].fill(0);
        let found = Recovered::from_bytes(&erased);
        let gap = found.gaps().into_iter().find(|gap| gap.bytes > 0).unwrap();
        assert!(gap.to_string().contains(": chunks of unknown kind"), "{gap}");
        let ticks = if number == 4 { 0 } else { 10 };
        assert_eq!((gap.first_tick, gap.tick_count), (Tick(first), ticks), "chunk {number}");
    }
}

/// A chunk that is missing by its number may share ticks with its neighbours.
#[test]
fn a_missing_chunk_has_the_ticks_of_its_neighbours_too() {
    let (bytes, chunks) = tens(5);
    let missing = |chunk: &Range<usize>| {
        let mut without = bytes.clone();
        without.drain(chunk.clone());
        let gaps = Recovered::from_bytes(&without).gaps();
        let gap = gaps.into_iter().find(|gap| gap.bytes == 0 && gap.count > 0).unwrap();
        (gap.first_tick, gap.tick_count, gap.count)
    };
    assert_eq!(missing(&chunks[0]), (Tick::ZERO, 20, 1));
    assert_eq!(missing(&chunks[2]), (Tick(10), 30, 1));
    assert_eq!(missing(&(chunks[1].start..chunks[2].end)), (Tick::ZERO, 40, 2));
    assert_eq!(missing(&chunks[4]), (Tick(30), 10, 1), "to the end of all");
}

#[test]
fn a_dropped_chunk_is_missing_by_number() {
    let bytes = sample(60);
    let chunks = Tape::open(&bytes).unwrap().chunks;
    let mut without = bytes.clone();
    without.drain(chunks[2].offset as usize..chunks[4].offset as usize);
    let found = Recovered::from_bytes(&without);
    assert_eq!(found.missing.iter().cloned().flatten().collect::<Vec<_>>(), [2, 3]);
    assert!(found.resume().is_err());
}

#[test]
fn hostile_headers_do_not_make_the_search_slow() {
    // Thousands of valid headers, each of which claims all the rest as its payload.
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.setup(0, ViewSet::ALL, b"x").unwrap();
    let mut bytes = tape.take();
    let mut header = tape.chunks()[1].header;
    let count = 20_000u32;
    for number in 0..count {
        header.stored_length = (count - number - 1) * 56 + 10;
        header.raw_length = header.stored_length;
        header.sequence = 2 + number;
        bytes.extend_from_slice(&header.to_bytes());
    }
    bytes.extend_from_slice(&[1; 20]);
    let found = Recovered::from_bytes(&bytes);
    assert_eq!(found.chunks.len(), 2);
    assert_eq!(found.damages.len(), 1);
}

/// An unfinished tape whose frames end before its events lost frames; one whose frames go on did not.
#[test]
fn frames_that_were_not_written_while_events_were_are_declared() {
    let unfinished = |frames: u64, events: u64| {
        let mut writer = TapeWriter::new(header(), b"{}").unwrap();
        for tick in 0..frames {
            writer.frame(0, Tick(tick), &[(view(0), b"moved")]).unwrap();
        }
        writer.flush().unwrap();
        let draft =
            ChunkDraft::new(ChunkKind::EVENTS).with_ticks(Tick::ZERO, events as u32).with_detail(1);
        writer.chunk(&draft, b"events").unwrap();
        writer.take()
    };
    let bytes = unfinished(100, 150);
    let found = Recovered::from_bytes(&bytes);
    assert_eq!(found.unwritten(), Some(Tick(100)..Tick(150)));
    assert!(found.rebuild().is_err());
    let (remedy, result) = recover_bytes(&bytes, None, 9).unwrap();
    assert_eq!(remedy, Remedy::Repair);
    let verified = verify_bytes(&result.bytes, Level::Chain, None).unwrap();
    assert!(verified.passed(), "{verified:?}");
    let warnings: Vec<String> = verified.findings().iter().map(|f| f.error.to_string()).collect();
    let said = "lost to damage: frames of stream 0, ticks 100 to 149";
    assert!(warnings.iter().any(|warning| warning.contains(said)), "{warnings:?}");
    // Recovering again changes nothing.
    let (remedy, again) = recover_bytes(&result.bytes, None, 10).unwrap();
    assert_eq!((remedy, again.bytes == result.bytes), (Remedy::Keep, true));

    for (frames, events) in [(150, 150), (160, 150), (0, 150)] {
        let bytes = unfinished(frames, events);
        assert_eq!(Recovered::from_bytes(&bytes).unwritten(), None);
        assert_eq!(recover_bytes(&bytes, None, 9).unwrap().0, Remedy::Rebuild);
    }
}

/// A tape with many streams is written in a time that grows with their number, not with its square.
#[test]
fn many_streams_cost_each_the_same() {
    let cost = |streams: u16| {
        let start = std::time::Instant::now();
        let mut writer = TapeWriter::new(header(), b"{}").unwrap();
        for stream in 0..streams {
            writer.frame(stream, Tick::ZERO, &[(view(0), b"moved")]).unwrap();
        }
        for stream in 0..streams {
            writer.setup(stream, ViewSet::ALL, b"setup").unwrap();
            writer.flush().unwrap();
        }
        drop(writer.finish().unwrap());
        start.elapsed()
    };
    let least = |streams: u16| (0..3).map(|_| cost(streams)).min().unwrap();
    let (few, many) = (least(2500), least(20_000));
    assert!(many < few * 24, "{few:?} {many:?}");
}
