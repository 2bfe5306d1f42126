//! Events in tapes.

use std::borrow::Cow;
use std::ops::Range;

use gametape_analysis::{
    AnalysisEvent, EventKind, EventReader, EventStream, EventWriter, KindSet, MatchId, NameReader,
    Names, OwnEvents, TapeEvents, read_names, sample,
};
use gametape_tape::{
    ChunkDraft, ChunkEntry, ChunkKind, Level, SigningKey, Tape, TapeHeader, TapeWriter, pack_bytes,
    verify_bytes,
};
use gametape_wire::{
    Error, ErrorKind, Need, Result, SansIo, Source, Tick, TickLength, View, ViewSet,
};

use crate::common::examples;

/// A tape with the events, and with other chunks between them.
fn tape_of(events: &[AnalysisEvent]) -> Vec<u8> {
    signed_tape_of(events, None)
}

fn signed_tape_of(events: &[AnalysisEvent], key: Option<&SigningKey>) -> Vec<u8> {
    let mut tape = TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), b"{}").unwrap();
    let mut writer = EventWriter::new();
    tape.setup(0, ViewSet::ALL, b"setup").unwrap();
    tape.names(&sample::NAMES).unwrap();
    for (index, event) in events.iter().enumerate() {
        writer.push(event).unwrap();
        let blocks = if index % 1000 == 999 { writer.flush().unwrap() } else { writer.take() };
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

/// Bytes that note what is fetched of them.
struct Watched<'b> {
    bytes: &'b [u8],
    fetched: Vec<u64>,
}

impl Source for Watched<'_> {
    fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.fetched.push(range.start);
        self.bytes.fetch(range)
    }
}

#[test]
fn events_come_back_from_a_tape_sorted_by_tick() {
    let events = sample::played(8, 3);
    let bytes = tape_of(&events);
    assert!(verify_bytes(&bytes, Level::Chain, None).unwrap().passed());
    let tape = Tape::open(&bytes).unwrap();
    let read = TapeEvents::new(&tape, KindSet::ALL, Tick::ZERO..Tick::MAX, &bytes[..]);
    let read: Vec<_> = read.map(Result::unwrap).collect();
    let mut expected = events;
    expected.sort_by_key(|event| (event.tick(), event.kind().stream()));
    assert_eq!(read, expected);
    assert_eq!(read_names(&tape, &bytes[..]).unwrap().name(7), Some("timeout"));
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
    let mut source = Watched { bytes: &bytes, fetched: Vec::new() };
    assert!(read_names(&tape, &mut source).is_ok());
    let fetched: Vec<_> = source.fetched.drain(..).map(kind_at).collect();
    assert_eq!(fetched, [(ChunkKind::NAMES, 0)]);

    let ticks = 3000..4000;
    let simulation = KindSet::of_stream(EventStream::Simulation);
    assert!(simulation.streams().eq([EventStream::Simulation]));
    let wanted = KindSet::EMPTY.with(EventKind::UnitDestroyed);
    let read: Vec<_> =
        TapeEvents::new(&tape, wanted, Tick(ticks.start)..Tick(ticks.end), &mut source)
            .map(Result::unwrap)
            .collect();
    let expected = events.iter().filter(|event| {
        event.kind() == EventKind::UnitDestroyed && ticks.contains(&event.tick().0)
    });
    assert!(read.iter().eq(expected) && !read.is_empty());
    let fetched: Vec<_> = source.fetched.into_iter().map(kind_at).collect();
    let all = tape.stream(ChunkKind::EVENTS, 0).count();
    assert!(fetched.len() < all, "{} of {all}", fetched.len());
    assert!(fetched.iter().all(|&chunk| chunk == (ChunkKind::EVENTS, 0)));
}

/// A block that lies costs itself alone.
#[test]
fn a_bad_block_gives_one_error() {
    let mut tape = TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), b"{}").unwrap();
    let mut writer = EventWriter::new();
    let example = &examples()[0];
    let mut put = |draft: &ChunkDraft, raw: &[u8]| tape.chunk(draft, raw).unwrap();
    let mut blocks = Vec::new();
    for tick in [10, 20, 30, 40] {
        writer.push(&example.clone().with_tick(Tick(tick))).unwrap();
        blocks.extend(writer.flush().unwrap());
    }
    put(&blocks[0].draft(), &blocks[0].bytes);
    put(&blocks[1].draft().with_detail(2), &blocks[1].bytes);
    put(&blocks[2].draft(), &[1, 30, 99]);
    put(&blocks[3].draft(), &blocks[3].bytes);
    let bytes = [tape.take(), tape.finish().unwrap()].concat();
    let tape = Tape::open(&bytes).unwrap();
    let (ticks, problems) = ticks_and_problems(&tape, &bytes);
    assert_eq!(ticks, [10, 40]);
    assert!(problems[0].starts_with("events chunk: its header does not say"), "{}", problems[0]);
    assert!(problems[1].starts_with("length of an event: the input ends early"), "{}", problems[1]);
}

fn ticks_and_problems(tape: &Tape, bytes: &[u8]) -> (Vec<u64>, Vec<String>) {
    let mut events = TapeEvents::new(tape, KindSet::ALL, Tick::ZERO..Tick::MAX, bytes);
    let ticks = events.by_ref().map(|event| event.unwrap().tick().0).collect();
    (ticks, events.problems().iter().map(ToString::to_string).collect())
}

/// First tick, last tick and count of a header must be those of its events.
#[test]
fn a_header_with_other_ticks_than_its_events_is_a_problem() {
    let example = &examples()[0];
    let mut writer = EventWriter::new();
    for tick in [10, 15, 20] {
        writer.push(&example.clone().with_tick(Tick(tick))).unwrap();
    }
    let block = &writer.flush().unwrap()[0];
    let right = block.draft();
    assert_eq!((right.first_tick, right.tick_count, right.detail), (Tick(10), 11, 3));
    let drafts = [
        (right, true),
        (right.with_ticks(Tick(9), 12), false),
        (right.with_ticks(Tick(11), 10), false),
        (right.with_ticks(Tick(10), 10), false),
        (right.with_ticks(Tick(10), 12), false),
        (right.with_detail(2), false),
        (right.with_detail(4), false),
    ];
    for (draft, is_right) in drafts {
        let mut tape =
            TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), b"{}").unwrap();
        tape.chunk(&draft, &block.bytes).unwrap();
        let bytes = [tape.take(), tape.finish().unwrap()].concat();
        let (ticks, problems) = ticks_and_problems(&Tape::open(&bytes).unwrap(), &bytes);
        assert_eq!(ticks == [10, 15, 20], is_right, "{draft:?}");
        assert_eq!(problems.is_empty(), is_right, "{draft:?}");
        assert!(is_right || problems[0].contains("its header does not say"), "{problems:?}");
    }
}

/// What the index names after the end of the tape is lost, and everything else is there.
#[test]
fn blocks_after_the_end_are_lost() {
    let bytes = tape_of(&sample::played(8, 3));
    let tape = Tape::open(&bytes).unwrap();
    let blocks = tape.chunks.iter().filter(|entry| entry.header.kind == ChunkKind::EVENTS);
    let blocks: Vec<_> = blocks.map(ChunkEntry::range).collect();
    let half = blocks[blocks.len() / 2].start as usize;
    let (ticks, problems) = ticks_and_problems(&tape, &bytes[..half]);
    assert_eq!(problems.len(), blocks.len() - blocks.len() / 2);
    assert!(!ticks.is_empty());
    let mut names = NameReader::new(&tape);
    names.read_from(&mut &bytes[..10]).unwrap();
    assert_eq!(names.problems().len(), 1);
    assert!(read_names(&tape, &bytes[..10]).is_err());
}

/// Fails at every request with an odd number: by what `error` says.
struct Flaky<'b> {
    bytes: &'b [u8],
    requests: usize,
    error: Error,
}

impl Source for Flaky<'_> {
    fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        self.requests += 1;
        if self.requests % 2 == 1 { Err(self.error.clone()) } else { self.bytes.fetch(range) }
    }
}

/// A read that fails is an error, whatever kind it is of; nothing is lost by it.
#[test]
fn a_read_that_fails_ends_the_events_and_nothing_else() {
    let events = sample::played(8, 3);
    let bytes = tape_of(&events);
    let tape = Tape::open(&bytes).unwrap();
    let expected = ticks_and_problems(&tape, &bytes).0;
    let cut = ErrorKind::Truncated { needed: 100, available: 3 };
    for error in [Error::unreadable(7, "disk", "it is gone"), Error::at(7, "file", cut)] {
        let flaky = || Flaky { bytes: &bytes, requests: 0, error: error.clone() };
        let mut read = TapeEvents::new(&tape, KindSet::ALL, Tick::ZERO..Tick::MAX, flaky());
        let (mut ticks, mut failures) = (Vec::new(), 0);
        while ticks.len() < expected.len() {
            let events: Vec<_> = read.by_ref().collect();
            let (last, whole) = events.split_last().unwrap();
            ticks.extend(whole.iter().map(|event| event.as_ref().unwrap().tick().0));
            match last {
                Ok(event) => ticks.push(event.tick().0),
                Err(failed) => {
                    assert_eq!(*failed, error);
                    failures += 1;
                }
            }
        }
        assert!(ticks == expected && failures > 5, "{failures} failures");
        assert_eq!(read.problems(), []);

        let mut names = NameReader::new(&tape);
        let mut source = flaky();
        assert_eq!(names.read_from(&mut source), Err(error.clone()));
        assert_eq!(names.read_from(&mut source), Ok(()));
        assert_eq!(names.problems(), []);
        assert_eq!(names.finish().name(7), Some("timeout"));
    }
}

/// Without a source, bytes are supplied as they are needed; others are not looked at.
#[test]
fn a_reader_takes_what_it_needs_and_nothing_else() {
    let events = sample::played(2, 3);
    let bytes = tape_of(&events);
    let tape = Tape::open(&bytes).unwrap();
    let mut reader = EventReader::new(&tape, KindSet::ALL, Tick::ZERO..Tick::MAX);
    assert!(reader.take().is_none());
    let mut count = 0;
    while let Need::Bytes(ranges) = reader.need() {
        let [range] = &ranges[..] else { panic!("{ranges:?}") };
        reader.supply(range.start + 1..range.end, b"not asked for").unwrap();
        assert_eq!(reader.need().ranges(), ranges);
        let block = &bytes[range.start as usize..range.end as usize];
        reader.supply(range.clone(), block).unwrap();
        count += std::iter::from_fn(|| reader.take()).count();
    }
    assert_eq!(count, events.len());
}

#[test]
fn a_cut_keeps_a_players_own_events_and_nothing_of_others() {
    let stats = |tick, player| {
        let found = examples().into_iter().find_map(|event| match event {
            AnalysisEvent::PlayerStatSnapshot { stats, .. } => Some(stats),
            _ => None,
        });
        let stats = found.unwrap();
        AnalysisEvent::PlayerStatSnapshot { tick: Tick(tick), player, stats }
    };
    let amount = |player: u8| 1_000_000 + i32::from(player) * 7919;
    let collected = |tick, player| AnalysisEvent::ResourceCollected {
        tick: Tick(tick),
        player,
        resource_type: gametape_analysis::NameId(0),
        amount: amount(player),
    };
    let paused = AnalysisEvent::PauseEvent { tick: Tick(9), player: 2, paused: true };
    let events =
        [stats(3, 1), stats(3, 2), collected(4, 1), collected(5, 2), collected(6, 3), paused];
    let mut tape = TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), b"{}").unwrap();
    let [one, two] = [1, 2].map(|number| View::new(number).unwrap());
    tape.frame(0, Tick::ZERO, &[(one, b"a"), (two, b"b")]).unwrap();
    let mut writer = EventWriter::new();
    events.iter().for_each(|event| writer.push(event).unwrap());
    for block in writer.flush().unwrap() {
        tape.chunk(&block.draft(), &block.bytes).unwrap();
    }
    let bytes = [tape.take(), tape.finish().unwrap()].concat();
    let tape = Tape::open(&bytes).unwrap();
    let cut = gametape_tape::Cut::new(&tape, Some(ViewSet::EMPTY.with(one)), Tick::ZERO..Tick(100))
        .unwrap();
    let header = TapeHeader::new(TickLength::millis::<50>(), 2);
    let mut rewriter = cut.rewriter(&tape, header).unwrap().with_events(OwnEvents::new());
    for entry in tape.chunks.iter().filter(|entry| cut.keeps(entry)) {
        rewriter.chunk(&tape.read(entry, &bytes).unwrap()).unwrap();
    }
    let first = rewriter.take();
    let end = rewriter.finish().unwrap();
    let own = [first, end.bytes].concat();
    let tape = Tape::open(&own).unwrap();
    let kept: Vec<AnalysisEvent> =
        TapeEvents::new(&tape, KindSet::ALL, Tick::ZERO..Tick::MAX, &own[..])
            .collect::<Result<_>>()
            .unwrap();
    assert_eq!(kept, [events[0].clone(), events[2].clone(), events[5].clone()]);
    let dropped: Vec<_> = end.dropped.iter().map(|row| (row.kind, row.chunks, row.items)).collect();
    assert_eq!(dropped, [(ChunkKind::EVENTS, 0, 3)]);
    // Nothing of the others is in any chunk, packed or not.
    for entry in &tape.chunks {
        let raw = tape.read(entry, &own).unwrap().raw().unwrap().into_owned();
        for player in [2, 3] {
            let zigzag = (amount(player) as u64) << 1;
            let varint: Vec<u8> = (0..4).map(|n| (zigzag >> (7 * n)) as u8 & 0x7F | 0x80).collect();
            assert!(!raw.windows(3).any(|window| window == &varint[..3]), "player {player}");
        }
        assert!(
            entry.header.views == ViewSet::ALL || entry.header.views == ViewSet::EMPTY.with(one)
        );
    }
}
