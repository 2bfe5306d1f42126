//! A disk that does not keep up: the pump of these tests is stepped late, or never.

use std::time::Duration;

use gametape_replay::{EventBlock, RecorderOptions, Shed, streams};
use gametape_tape::{ChunkKind, GapCause};
use gametape_wire::{ErrorClass, Tick, ViewSet};

use crate::common::*;

fn with_memory(queue_bytes: usize, most_queue_bytes: usize) -> RecorderOptions {
    options().with_memory(queue_bytes, most_queue_bytes)
}

fn items(shed: &Shed) -> [u64; 3] {
    [shed.reported, shed.positions, shed.keyframes].map(|count| count.items)
}

#[test]
fn reported_events_go_first_then_positions_then_keyframes_and_orders_never() {
    let (recorder, mut pump, sink) = driven(&with_memory(40_000, 1 << 20));
    for n in 0..3 {
        recorder
            .events(EventBlock::new(streams::REPORTED_EVENTS, (Tick(n), Tick(n)), 1, vec![2; 4000]))
            .unwrap();
        recorder
            .events(EventBlock::new(streams::POSITIONS, (Tick(n), Tick(n)), 1, vec![1; 4000]))
            .unwrap();
        recorder
            .events(EventBlock::new(streams::EVENTS, (Tick(n), Tick(n)), 1, vec![0; 100]))
            .unwrap();
        recorder.keyframe(state(n, 1000)).unwrap();
    }
    assert_eq!(items(&recorder.counters().shed), [0, 0, 0]);
    let mut order = Vec::new();
    for tick in 0..90 {
        recorder.order(Tick(tick), view(1), &[7; 1000]).unwrap();
        order.push(items(&recorder.counters().shed));
    }
    order.dedup();
    let steps = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0], [3, 1, 0], [3, 2, 0], [3, 3, 0]];
    assert_eq!(order, [&steps[..], &[[3, 3, 1], [3, 3, 2], [3, 3, 3]]].concat());
    assert_eq!(recorder.failure(), None, "shedding is no failure");

    // Nothing of these classes fits now.
    recorder
        .events(EventBlock::new(streams::POSITIONS, (Tick(9), Tick(9)), 1, vec![1; 10]))
        .unwrap();
    recorder.keyframe(state(9, 0)).unwrap();
    assert_eq!(items(&recorder.counters().shed), [3, 4, 4]);

    finish(recorder, &mut pump);
    let content = Content::of_finished(&sink.bytes());
    assert_eq!((content.orders.len(), content.events.len()), (90, 3));
    assert!(content.events.iter().all(|(stream, ..)| *stream == streams::EVENTS));
    assert_eq!(content.keyframes, []);
    let gap = |kind, stream| {
        let gaps = content.gaps_of(GapCause::SHED, kind, stream);
        gaps.iter().map(|gap| (gap.first_tick, gap.tick_count, gap.count)).collect::<Vec<_>>()
    };
    assert_eq!(gap(ChunkKind::EVENTS, streams::REPORTED_EVENTS), [(0, 3, 3)]);
    assert_eq!(gap(ChunkKind::EVENTS, streams::POSITIONS), [(0, 10, 4)]);
    assert_eq!(gap(ChunkKind::FULL_KEYFRAME, streams::SIMULATION), [(0, 9, 4)]);
    assert!(content.gaps.iter().all(|gap| gap.views == ViewSet::EMPTY));
}

/// A thing makes room by shedding what is less important than itself, never its own class or more.
#[test]
fn nothing_is_shed_for_something_less_important() {
    let block = |stream, tick, length| {
        EventBlock::new(stream, (Tick(tick), Tick(tick)), 1, vec![7; length])
    };
    let (recorder, _pump, _sink) = driven(&with_memory(20_000, 1 << 20));
    recorder.events(block(streams::REPORTED_EVENTS, 0, 5000)).unwrap();
    recorder.events(block(streams::POSITIONS, 0, 5000)).unwrap();
    recorder.keyframe(state(0, 4000)).unwrap();
    assert_eq!(items(&recorder.counters().shed), [0, 0, 0]);
    // Another report does not fit, and sheds nothing but itself.
    recorder.events(block(streams::REPORTED_EVENTS, 1, 9000)).unwrap();
    assert_eq!(items(&recorder.counters().shed), [1, 0, 0]);
    // Positions shed reports, and themselves where that is not enough.
    recorder.events(block(streams::POSITIONS, 1, 5000)).unwrap();
    assert_eq!(items(&recorder.counters().shed), [2, 0, 0]);
    recorder.events(block(streams::POSITIONS, 2, 9000)).unwrap();
    assert_eq!(items(&recorder.counters().shed), [2, 1, 0]);
    // A keyframe sheds positions, the newest first, and no keyframe.
    recorder.keyframe(state(1, 4000)).unwrap();
    assert_eq!(items(&recorder.counters().shed), [2, 2, 0]);
    recorder.keyframe(state(2, 19_000)).unwrap();
    assert_eq!(items(&recorder.counters().shed), [2, 3, 1]);
}

#[test]
fn the_newest_of_a_class_goes_first() {
    let (recorder, mut pump, sink) = driven(&with_memory(10_000, 1 << 20));
    for n in 0..5 {
        recorder
            .events(EventBlock::new(streams::POSITIONS, (Tick(n), Tick(n)), 1, vec![1; 3000]))
            .unwrap();
    }
    recorder.order(Tick(9), view(1), &[7; 3000]).unwrap();
    finish(recorder, &mut pump);
    let kept = Content::of_finished(&sink.bytes()).events;
    assert_eq!(kept.iter().map(|(_, tick, ..)| *tick).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn the_keyframe_after_one_that_was_shed_is_full() {
    let (recorder, mut pump, sink) = driven(&with_memory(12_000, 1 << 20));
    for tick in 0..60 {
        if tick == 15 {
            recorder.frame(Tick(tick), &[(view(3), &[1; 20_000])]).unwrap();
        }
        if recorder.keyframe_due(Tick(tick)) {
            recorder.keyframe(state(tick, 100)).unwrap();
        }
        // The disk hangs from tick 15 to 25: the keyframe of tick 20 does not fit.
        if !(15..25).contains(&tick) {
            pump.step(tick as u32 * SECOND);
        }
    }
    finish(recorder, &mut pump);
    let content = Content::of_finished(&sink.bytes());
    let keyframes: Vec<_> = content.keyframes.iter().map(|k| (k.1, k.2)).collect();
    assert_eq!(keyframes, [(0, true), (10, false), (30, true), (40, false), (50, false)]);
    let gaps = content.gaps_of(GapCause::SHED, ChunkKind::FULL_KEYFRAME, 0);
    assert_eq!(gaps.iter().map(|gap| gap.first_tick).collect::<Vec<_>>(), [20]);
}

#[test]
fn a_keyframe_of_a_view_is_a_gap_that_only_the_view_knows() {
    let (recorder, mut pump, sink) = driven(&with_memory(1000, 1 << 20));
    recorder.view_keyframe(view(5), state(3, 2000)).unwrap();
    finish(recorder, &mut pump);
    let gap = Content::of_finished(&sink.bytes()).gaps[0];
    assert_eq!((gap.stream, gap.views, gap.count), (21, only(5), 1));
}

#[test]
fn too_much_that_is_never_shed_interrupts_the_recording_until_the_disk_is_back() {
    let (recorder, mut pump, sink) = driven(&with_memory(10_000, 50_000));
    let mut failures = Vec::new();
    for tick in 0..200 {
        recorder.order(Tick(tick), view(1), &[tick as u8; 1000]).unwrap();
        recorder.end_tick(Tick(tick));
        failures.extend(recorder.failure());
    }
    assert_eq!(failures.len(), 1);
    assert_eq!(failures[0].class(), ErrorClass::Limit);
    let counters = recorder.counters();
    assert!(counters.queued_bytes <= 50_000 && !counters.has_stopped);
    let lost = counters.lost.items;
    assert!((150..160).contains(&lost), "{lost}");
    let kept = 200 - lost;
    assert_eq!(recorder.names(&["kept"]).unwrap(), 0);

    // The disk is back.
    pump.step(Duration::ZERO);
    pump.step(SECOND);
    assert_eq!(recorder.counters().last_written_tick, Some(Tick(kept - 1)));
    assert!(recorder.keyframe_due(Tick(200)), "play can start again");
    for tick in 200..230 {
        play(&recorder, tick);
        pump.step(2 * SECOND);
    }
    let report = finish(recorder, &mut pump);
    assert_eq!((report.is_finished, report.counters.lost.items), (true, lost));
    let content = Content::of_finished(&sink.bytes());
    let ticks: Vec<u64> = content.orders.iter().map(|(_, tick, ..)| *tick).collect();
    assert_eq!(ticks, (0..kept).chain(200..230).collect::<Vec<_>>());
    let gap = content.gaps_of(GapCause::INTERRUPTED, ChunkKind(0), 0);
    assert_eq!((gap.len(), content.gaps.len()), (1, 1));
    assert_eq!((gap[0].first_tick, u64::from(gap[0].tick_count)), (kept, lost));
    assert_eq!((u64::from(gap[0].count), gap[0].views), (lost, ViewSet::ALL));
    assert_eq!(content.keyframes.iter().map(|k| (k.1, k.2)).next(), Some((200, true)));
}

#[test]
fn an_interruption_at_the_end_is_told_too() {
    let (recorder, mut pump, sink) = driven(&with_memory(1000, 5000));
    for tick in 0..20 {
        recorder.order(Tick(tick), view(1), &[0; 1000]).unwrap();
    }
    let report = finish(recorder, &mut pump);
    let content = Content::of_finished(&sink.bytes());
    let kept = content.orders.len() as u64;
    assert_eq!(report.counters.lost.items, 20 - kept);
    assert_eq!((content.gaps.len(), content.gaps[0].first_tick), (1, kept));
}

#[test]
fn a_single_thing_over_all_memory_is_a_short_interruption() {
    let (recorder, mut pump, sink) = driven(&with_memory(1000, 2000));
    recorder.order(Tick(0), view(1), &[0; 5000]).unwrap();
    pump.step(Duration::ZERO);
    recorder.order(Tick(1), view(1), b"small").unwrap();
    finish(recorder, &mut pump);
    let content = Content::of_finished(&sink.bytes());
    assert_eq!(content.orders, [(0, 1, view(1), b"small".to_vec())]);
    assert_eq!((content.gaps.len(), content.gaps[0].tick_count), (1, 1));
}

#[test]
fn marks_of_what_was_shed_do_not_fill_the_memory() {
    let (recorder, _pump, _) = driven(&with_memory(4000, 8000));
    for tick in 0..50_000 {
        recorder.order(Tick(tick), view(1), &[0; 100]).unwrap();
        recorder
            .events(EventBlock::new(streams::POSITIONS, (Tick(tick), Tick(tick)), 1, vec![1; 100]))
            .unwrap();
        recorder
            .events(EventBlock::new(
                streams::REPORTED_EVENTS,
                (Tick(tick), Tick(tick)),
                1,
                vec![1; 100],
            ))
            .unwrap();
        recorder.view_keyframe(view((tick % 16) as u8), state(tick, 0)).unwrap();
        recorder.end_tick(Tick(tick));
    }
    let counters = recorder.counters();
    assert!(counters.queued_bytes < 16_000, "{} bytes", counters.queued_bytes);
}
