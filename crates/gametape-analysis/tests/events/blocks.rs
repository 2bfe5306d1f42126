//! Events go into blocks and come out again.

use gametape_analysis::sample::{self, Random};
use gametape_analysis::{
    AnalysisEvent, Block, EventKind, EventStream, EventWriter, Events, KindSet, SAMPLE_UNITS,
    UnitTag, WorldPos,
};
use gametape_wire::{ErrorClass, Tick};
use proptest::prelude::*;

use crate::common::{at_tick, examples, tag};

fn read(blocks: &[Block], stream: EventStream) -> Vec<AnalysisEvent> {
    let ours = blocks.iter().filter(|block| block.stream == stream);
    ours.flat_map(|block| Events::new(&block.bytes, 0).unwrap().in_stream(stream))
        .map(Result::unwrap)
        .collect()
}

fn of_stream(events: &[AnalysisEvent], stream: EventStream) -> Vec<AnalysisEvent> {
    events.iter().filter(|event| event.kind().stream() == stream).cloned().collect()
}

fn random_events(seed: u64, count: u64, spread: u64) -> Vec<AnalysisEvent> {
    let mut random = Random::new(seed);
    let mut one = || {
        let kind = EventKind::ALL[random.below(EventKind::ALL.len() as u64) as usize];
        let tick = random.below(spread);
        sample::event(kind, Tick(tick), &mut random)
    };
    (0..count).map(|_| one()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// In whatever order events are reported, they come back whole and sorted by tick.
    #[test]
    fn events_come_back_sorted(seed: u64, count in 1u64..400, spread in 1u64..1_000_000) {
        let mut events = random_events(seed, count, spread);
        let mut writer = EventWriter::new();
        events.iter().for_each(|event| writer.push(event).unwrap());
        let blocks = writer.flush().unwrap();
        events.sort_by_key(AnalysisEvent::tick);
        for stream in EventStream::ALL {
            prop_assert_eq!(read(&blocks, stream), of_stream(&events, stream));
        }
        for block in &blocks {
            let ticks: Vec<Tick> = Events::new(&block.bytes, 0).unwrap()
                .map(|event| event.unwrap().tick()).collect();
            prop_assert_eq!(ticks.first(), Some(&block.first_tick));
            prop_assert_eq!(ticks.last(), Some(&block.last_tick));
            prop_assert_eq!(ticks.len(), block.count as usize);
        }
    }

    /// What is read without some kinds is what is left of everything.
    #[test]
    fn kinds_can_be_left_out(seed: u64, left_out in 0usize..22) {
        let events = random_events(seed, 100, 50);
        let wanted: KindSet =
            EventKind::ALL.iter().copied().filter(|kind| EventKind::ALL[left_out] != *kind).collect();
        let mut writer = EventWriter::new();
        events.iter().for_each(|event| writer.push(event).unwrap());
        for block in writer.flush().unwrap() {
            let all = Events::new(&block.bytes, 0).unwrap().map(Result::unwrap);
            let some = Events::new(&block.bytes, 0).unwrap().only(wanted).map(Result::unwrap);
            prop_assert!(all.filter(|event| wanted.has(event.kind())).eq(some));
        }
    }
}

#[test]
fn late_events_share_blocks_as_early_ones_do() {
    for first in [0, 1 << 40] {
        let mut writer = EventWriter::new();
        for tick in first..first + 100 {
            let pause = AnalysisEvent::PauseEvent { tick: Tick(tick), player: 1, paused: true };
            writer.push(&pause).unwrap();
        }
        let blocks = writer.flush().unwrap();
        assert_eq!(blocks.len(), 1, "from tick {first}");
        let read = Events::new(&blocks[0].bytes, 0).unwrap().map(|event| event.unwrap().tick().0);
        assert!(read.eq(first..first + 100));
    }
}

#[test]
fn long_matches_become_several_blocks() {
    let events = sample::played(60, 1);
    let mut writer = EventWriter::new();
    let mut blocks = Vec::new();
    for event in &events {
        writer.push(event).unwrap();
        blocks.extend(writer.take());
    }
    blocks.extend(writer.flush().unwrap());
    assert!(blocks.iter().filter(|block| block.stream == EventStream::Samples).count() > 1);
    assert!(blocks.iter().all(|block| block.bytes.len() <= 256 << 10));
    for stream in EventStream::ALL {
        assert_eq!(read(&blocks, stream), of_stream(&events, stream));
        let ours: Vec<_> = blocks.iter().filter(|block| block.stream == stream).collect();
        assert!(ours.windows(2).all(|pair| pair[0].last_tick <= pair[1].first_tick));
    }
}

#[test]
fn late_events_make_a_full_block_two() {
    let example = &examples()[3];
    let mut writer = EventWriter::new();
    for tick in 10_000..21_000 {
        writer.push(&at_tick(example, tick)).unwrap();
    }
    for tick in 0..4000 {
        writer.push(&at_tick(example, tick)).unwrap();
    }
    let blocks = writer.flush().unwrap();
    assert!(blocks.len() > 1);
    let ticks: Vec<u64> =
        read(&blocks, EventStream::Simulation).iter().map(|event| event.tick().0).collect();
    assert!(ticks.iter().copied().eq((0..4000).chain(10_000..21_000)));
}

#[test]
fn what_is_written_is_past() {
    let mut writer = EventWriter::new();
    writer.push(&at_tick(&examples()[0], 50)).unwrap();
    drop(writer.flush().unwrap());
    let error = writer.push(&at_tick(&examples()[0], 49)).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Misuse);
    assert_eq!(error.to_string(), "event: tick 49 is before the tick 50 already written");
    writer.push(&at_tick(&examples()[0], 50)).unwrap();
    // Other streams have their own time.
    writer.push(&at_tick(&examples()[4], 1)).unwrap();
}

#[test]
fn a_refused_event_leaves_no_trace() {
    let many = |count: u64| AnalysisEvent::UnitPositionSample {
        tick: Tick(5),
        positions: vec![(tag(9, 9), WorldPos { x: 7, y: 7, z: 7 }); count as usize],
    };
    let mut writer = EventWriter::new();
    writer.push(&many(1)).unwrap();
    let error = writer.push(&many(SAMPLE_UNITS.max + 1)).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Limit);
    writer.push(&many(SAMPLE_UNITS.max)).unwrap();
    writer.push(&many(2)).unwrap();
    let blocks = writer.flush().unwrap();
    assert_eq!(read(&blocks, EventStream::Samples), [many(1), many(SAMPLE_UNITS.max), many(2)]);
    assert!(writer.push(&many(1).with_tick(Tick(1 << 56))).is_err());
    assert!(writer.push_own(Tick(9), 64, b"").is_err());
    assert!(writer.push_own(Tick(9), 65, &vec![0; (1 << 16) + 1]).is_err());
}

#[test]
fn ticks_far_apart_are_in_different_blocks() {
    let mut writer = EventWriter::new();
    let far = u64::from(u32::MAX);
    for tick in [0, far - 1, far, 1 << 55] {
        writer.push(&at_tick(&examples()[0], tick)).unwrap();
    }
    let blocks = writer.flush().unwrap();
    let spans: Vec<_> =
        blocks.iter().map(|block| (block.first_tick.0, block.last_tick.0)).collect();
    assert_eq!(spans, [(0, far - 1), (far, far), (1 << 55, 1 << 55)]);
    assert_eq!(blocks[0].draft().tick_count, u32::MAX);
}

/// The largest event that the limits allow has room in a block.
#[test]
fn the_largest_event_fits() {
    let tags: Vec<UnitTag> = (0..1u16 << 14)
        .map(|index| if index % 2 == 0 { tag(u16::MAX, u16::MAX) } else { tag(0, 1 << 14) })
        .collect();
    let event = AnalysisEvent::SelectionChanged {
        tick: Tick(1),
        player: 1,
        added: tags.clone(),
        removed: tags,
    };
    let mut writer = EventWriter::new();
    writer.push(&event).unwrap();
    let blocks = writer.flush().unwrap();
    assert!(blocks[0].bytes.len() > 180_000);
    assert_eq!(read(&blocks, EventStream::Reported), [event]);
}

/// A game's own kinds keep their order among the others, also when they come late.
#[test]
fn own_kinds_are_kept_and_skipped() {
    let mut writer = EventWriter::new();
    writer.push(&at_tick(&examples()[0], 9)).unwrap();
    writer.push_own(Tick(7), 65, b"late").unwrap();
    writer.push_own(Tick(9), 127, b"").unwrap();
    let block = writer.flush().unwrap().remove(0);
    let raw: Vec<_> = gametape_analysis::RawEvents::new(&block.bytes, 0)
        .unwrap()
        .map(|raw| raw.map(|raw| (raw.tick.0, raw.kind, raw.body.len())).unwrap())
        .collect();
    assert_eq!(raw, [(7, 65, 4), (9, 1, 9), (9, 127, 0)]);
    let mut events = Events::new(&block.bytes, 0).unwrap();
    assert_eq!(events.by_ref().count(), 1);
    assert_eq!(events.skipped(), 2);
}
