//! Cutting by time: what is asked for plays as it does in the whole tape.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::common::*;
use gametape_tape::{
    Chunk, ChunkDraft, ChunkKind, Cut, Flags, Gap, GapCause, Keyframe, KeyframeIndexEntry,
    KeyframeMaker, Level, SimSnapshot, Tape, TapeFrames, TapeHeader, TapeWriter, verify_bytes,
};
use gametape_wire::{Tick, TickLength, View, ViewSet};
use proptest::prelude::*;

/// Ticks in the tape that is cut.
const TICKS: u64 = 200;

/// Frames of two views, orders of both together, keyframes of the game and of both views.
fn original(spacings: [u64; 3]) -> Vec<u8> {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    let mut makers = [(0, ViewSet::EMPTY), (17, views(&[1])), (18, views(&[2]))]
        .map(|(stream, whose)| (stream, whose, KeyframeMaker::default()));
    for tick in 0..TICKS {
        for ((stream, whose, maker), spacing) in makers.iter_mut().zip(spacings) {
            if tick % spacing == 0 {
                let keyframe: Keyframe = maker.make(state_of(*stream, tick));
                tape.keyframe(*stream, *whose, &keyframe).unwrap();
            }
        }
        let [one, two] = [payload(1, tick), payload(2, tick)];
        if tick % 3 != 0 {
            tape.frame(0, Tick(tick), &[(view(1), &one), (view(2), &two)]).unwrap();
        }
        if tick % 7 == 0 {
            tape.orders(0, Tick(tick), &[(view(2), &two), (view(1), &one)]).unwrap();
        }
        if tick % 50 == 49 {
            tape.flush().unwrap();
        }
    }
    finished(tape)
}

fn state_of(stream: u16, tick: u64) -> SimSnapshot {
    let mut state = state(tick);
    state.core.seed = stream.into();
    state
}

fn cut(bytes: &[u8], wanted: Option<ViewSet>, asked: Range<u64>) -> (Cut, Vec<u8>) {
    let tape = Tape::open(bytes).unwrap();
    let cut = Cut::new(&tape, wanted, Tick(asked.start)..Tick(asked.end)).unwrap();
    let mut rewriter =
        cut.rewriter(&tape, TapeHeader::new(TickLength::from_micros(66_667).unwrap(), 8)).unwrap();
    for entry in tape.chunks.iter().filter(|entry| cut.keeps(entry)) {
        rewriter.chunk(&tape.read(entry, bytes).unwrap()).unwrap();
    }
    let part = [rewriter.take(), rewriter.finish().unwrap().bytes].concat();
    let report = verify_bytes(&part, Level::Chain, None).unwrap();
    assert!(report.passed(), "{:?}", report.findings());
    (cut, part)
}

/// Every payload of a kind by tick and view.
fn payloads(bytes: &[u8], kind: ChunkKind) -> BTreeMap<(Tick, u8), Vec<u8>> {
    let tape = Tape::open(bytes).unwrap();
    let mut all = BTreeMap::new();
    for entry in tape.stream(kind, 0) {
        let chunk: Chunk<'_> = tape.read(entry, bytes).unwrap();
        for frame in TapeFrames::new(&chunk.header, &chunk.raw().unwrap()) {
            let frame = frame.unwrap();
            for part in frame.parts() {
                let row = |view: View| ((frame.tick, view.number()), part.payload.to_vec());
                all.extend(part.views.iter().map(row));
            }
        }
    }
    all
}

/// What a player of a stream starts from to reach a tick: the last recorded state.
fn entry_state(tape: &Tape, bytes: &[u8], stream: u16, tick: u64) -> Option<SimSnapshot> {
    let wanted = |entry: &KeyframeIndexEntry| entry.stream == stream;
    tape.restore(bytes, Tick(tick), wanted).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn every_tick_in_a_cut_plays_as_in_the_whole_tape(
        a in 0..TICKS,
        length in 1..TICKS,
        spacings in prop::array::uniform3(prop::sample::select(&[7u64, 20, 45, 1000][..])),
        wanted in prop::sample::select(&[None, Some(1u8), Some(2)][..]),
    ) {
        let bytes = original(spacings);
        let b = a + length;
        let wanted = wanted.map(|number| views(&[number]));
        let (cut, part) = cut(&bytes, wanted, a..b);
        prop_assert!(cut.ticks().start <= Tick(a) && cut.ticks().end == Tick(b));
        let [whole_tape, part_tape] = [&bytes, &part].map(|bytes| Tape::open(bytes).unwrap());
        let streams = [(0, ViewSet::EMPTY), (17, views(&[1])), (18, views(&[2]))];
        for (stream, whose) in streams {
            let is_kept = wanted.is_none_or(|wanted| !whose.and(wanted).is_empty());
            for tick in a..b.min(TICKS) {
                let whole = entry_state(&whole_tape, &bytes, stream, tick);
                let part = entry_state(&part_tape, &part, stream, tick);
                prop_assert_eq!(&part, &whole.filter(|_| is_kept), "stream {} at {}", stream, tick);
                // From there on every frame is in the cut.
                prop_assert!(part.is_none_or(|state| state.core.tick.0 >= cut.ticks().start.0));
            }
        }
        for kind in [ChunkKind::FRAMES, ChunkKind::ORDERS] {
            let mut expected = payloads(&bytes, kind);
            expected.retain(|(tick, number), _| {
                let is_ours = wanted.is_none_or(|wanted| wanted.contains(view(*number)));
                cut.ticks().contains(tick) && is_ours
            });
            prop_assert_eq!(payloads(&part, kind), expected);
        }
    }
}

#[test]
fn the_time_before_is_a_gap() {
    let bytes = original([90, 40, 1000]);
    let (whole_cut, part) = cut(&bytes, Some(views(&[1])), 130..190);
    assert_eq!(whole_cut.ticks(), Tick(120)..Tick(190));
    let tape = Tape::open(&part).unwrap();
    let entry = tape.stream(ChunkKind::GAP, 0).next().unwrap();
    let gap = Gap::read(&tape.read(entry, &part).unwrap()).unwrap();
    assert_eq!((gap.cause, gap.kind), (GapCause::CUT, ChunkKind(0)));
    assert!(gap.to_string().contains(": everything"), "{gap}");
    assert_eq!((gap.first_tick, gap.tick_count, gap.views), (Tick::ZERO, 120, views(&[1])));
    // The keyframe at the entry builds on the one at tick 0.
    let ticks: Vec<u64> = tape.keyframes.entries().iter().map(|entry| entry.tick.0).collect();
    assert_eq!(ticks, [0, 120, 160]);
}

#[test]
fn losses_within_the_cut_are_declared_and_others_are_not() {
    let mut bytes = original([1000, 40, 40]);
    let tape = Tape::open(&bytes).unwrap();
    let hit = tape.stream(ChunkKind::FRAMES, 0).map(|entry| (entry.offset, entry.header));
    let hit: Vec<_> = hit.filter(|(_, header)| [40, 160].contains(&header.first_tick.0)).collect();
    assert_eq!(hit.len(), 2);
    hit.iter().for_each(|(offset, _)| bytes[*offset as usize + 60] ^= 1);
    // Without a trailer the tape is walked, and the damage known.
    bytes.pop();
    let (_, part) = cut(&bytes, Some(views(&[1])), 120..190);
    let tape = Tape::open(&part).unwrap();
    let declared: Vec<_> = tape
        .stream(ChunkKind::GAP, 0)
        .map(|entry| Gap::read(&tape.read(entry, &part).unwrap()).unwrap())
        .filter(|gap| gap.cause == GapCause::DAMAGE && gap.kind == ChunkKind::FRAMES)
        .map(|gap| (gap.first_tick, u64::from(gap.tick_count)))
        .collect();
    assert!(hit[1].1.end_tick() > Tick(190));
    assert_eq!(declared, [(Tick(160), 30)], "as far as the cut goes");
}

/// Gaps are declared only as far as the cut goes; chunks that nobody can take apart stay out of it.
#[test]
fn nothing_reaches_over_the_end_of_a_cut() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    let gap = |first_tick, tick_count| {
        let gap = Gap::new(GapCause::SHED, ChunkKind::FRAMES).with_size(1, 9);
        gap.with_ticks(first_tick, tick_count)
    };
    let within =
        |ticks| gap(Tick(10), 20).within(&ticks).map(|gap| (gap.first_tick, gap.tick_count));
    assert_eq!(
        [within(Tick::ZERO..Tick(15)), within(Tick(15)..Tick(20))],
        [Some((Tick(10), 5)), Some((Tick(15), 5))]
    );
    assert_eq!(
        [within(Tick::ZERO..Tick(10)), within(Tick(30)..Tick(40))],
        [None, None],
        "beside it"
    );
    for (ticks, text) in [(0, ", at tick 7"), (1, ", tick 7"), (2, ", ticks 7 to 8")] {
        assert!(gap(Tick(7), ticks).to_string().ends_with(text), "{}", gap(Tick(7), ticks));
    }
    let unknown = |kind, first_tick| {
        let draft = ChunkDraft::new(ChunkKind(kind)).with_flags(Flags::SAFE_TO_COPY);
        draft.with_ticks(first_tick, 20)
    };
    for tick in 0..100 {
        tape.frame(0, Tick(tick), &[(view(1), b"one")]).unwrap();
    }
    tape.gap(&gap(Tick(10), 40)).unwrap();
    tape.gap(&gap(Tick(30), 5)).unwrap();
    tape.gap(&gap(Tick(60), 10)).unwrap();
    tape.chunk(&unknown(100, Tick(5)), b"before").unwrap();
    tape.chunk(&unknown(101, Tick(20)), b"spans").unwrap();
    let events = ChunkDraft::new(ChunkKind::EVENTS).with_ticks(Tick(20), 20);
    tape.chunk(&events, b"e").unwrap();
    let bytes = finished(tape);
    let (_, part) = cut(&bytes, None, 0..30);
    let tape = Tape::open(&part).unwrap();
    assert_eq!(tape.summary.end_tick, Tick(30));
    let gaps = tape.stream(ChunkKind::GAP, 0).map(|entry| entry.header);
    assert_eq!(
        gaps.map(|gap| (gap.first_tick, gap.tick_count)).collect::<Vec<_>>(),
        [(Tick(10), 20)]
    );
    let kinds: Vec<u8> = tape.chunks.iter().map(|entry| entry.header.kind.0).collect();
    assert!(kinds.contains(&100) && !kinds.contains(&101), "{kinds:?}");
    // Whoever does not know events cannot take a block apart.
    assert!(!kinds.contains(&ChunkKind::EVENTS.0), "{kinds:?}");
}

#[test]
fn cuts_of_nothing_are_refused() {
    let bytes = original([90; 3]);
    let tape = Tape::open(&bytes).unwrap();
    for asked in [5..5, 200..300] {
        assert!(Cut::new(&tape, None, Tick(asked.start)..Tick(asked.end)).is_err());
    }
}

#[test]
fn orders_given_together_are_one_frame() {
    let mut tape = TapeWriter::new(header(), b"{}").unwrap();
    tape.orders(0, Tick(3), &[(view(2), b"two"), (view(1), b"one")]).unwrap();
    tape.orders(0, Tick(3), &[(view(2), b"same"), (view(5), b"same")]).unwrap();
    assert!(tape.orders(0, Tick(4), &[]).is_err(), "nobody's");
    assert!(tape.orders(0, Tick(4), &[(view(1), b"a"), (view(1), b"b")]).is_err(), "twice");
    assert!(tape.orders(0, Tick(2), &[(view(1), b"a")]).is_err(), "earlier");
    let bytes = finished(tape);
    let tape = Tape::open(&bytes).unwrap();
    let chunk = tape.read(tape.stream(ChunkKind::ORDERS, 0).next().unwrap(), &bytes).unwrap();
    assert_eq!(chunk.header.detail, 2);
    let raw = chunk.raw().unwrap();
    let heterogenous = [&[0x01, 0x06, 3, 3][..], b"onetwo"].concat();
    let homogenous = [&[0x00, 0x24, 4][..], b"same"].concat();
    assert_eq!(*raw, [heterogenous, homogenous].concat());
}
