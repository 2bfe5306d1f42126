//! A disk that does not keep up: the pump of these tests is stepped late, or never.

use std::time::Duration;

use gametape_replay::{EventBlock, Recorder, RecorderOptions, Shed, streams};
use gametape_tape::{ChunkKind, GapCause};
use gametape_wire::{ErrorClass, ErrorKind, Tick, View, ViewSet};

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
    let shed = recorder.counters().shed;
    for bytes in [shed.reported, shed.positions].map(|count| count.bytes) {
        assert!((12_000..13_000).contains(&bytes), "{bytes}");
    }

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
        gaps.iter().map(|gap| (gap.first_tick.0, gap.tick_count, gap.count)).collect::<Vec<_>>()
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

/// Up to the last byte of the memory everything is kept; with one byte less something is not.
#[test]
fn what_fits_exactly_is_kept() {
    let gives: [fn(&Recorder); 3] = [
        |recorder| recorder.order(Tick(0), view(1), &[7; 1000]).unwrap(),
        |recorder| recorder.keyframe(state(0, 1000)).unwrap(),
        |recorder| {
            let block = EventBlock::new(streams::POSITIONS, (Tick(0), Tick(0)), 1, vec![1; 500]);
            recorder.events(block).unwrap();
        },
    ];
    for (number, give) in gives.into_iter().enumerate() {
        let given = |memory| {
            let (recorder, _pump, _sink) = driven(&with_memory(memory, 1 << 20));
            let reports = streams::REPORTED_EVENTS;
            let block = EventBlock::new(reports, (Tick(0), Tick(0)), 1, vec![2; 500]);
            recorder.events(block).unwrap();
            give(&recorder);
            let counters = recorder.counters();
            (counters.queued_bytes as usize, items(&counters.shed))
        };
        let (all, shed) = given(1 << 20);
        assert_eq!(shed, [0; 3]);
        assert_eq!(given(all), (all, [0; 3]), "thing {number}");
        assert_eq!(given(all - 1).1, [1, 0, 0], "thing {number}");
    }
}

/// What is held for the writer is counted with all that comes with it.
#[test]
fn everything_that_waits_is_counted() {
    let memory = |give: &dyn Fn(&Recorder)| {
        let (recorder, mut pump, _sink) = driven(&with_memory(1 << 20, 1 << 20));
        let before = recorder.counters().queued_bytes;
        give(&recorder);
        let counted = recorder.counters().queued_bytes - before;
        pump.step(Duration::ZERO);
        assert_eq!(recorder.counters().queued_bytes, 0, "it was taken and written");
        counted
    };
    let content = |length| memory(&|r| r.resource("map", ViewSet::ALL, vec![7; length]).unwrap());
    assert_eq!(content(5000) - content(1000), 4000);
    let name = |length| memory(&|r| r.resource(&"n".repeat(length), ViewSet::ALL, vec![]).unwrap());
    assert_eq!(name(300) - name(100), 200);
    let names = |length| memory(&|r| assert_eq!(r.names(&["n".repeat(length)]).unwrap(), 0));
    assert_eq!(names(300) - names(100), 200);
    // Each payload of a frame costs the same, and something beside its bytes.
    let frame = |views: u8| {
        let payloads: Vec<[u8; 100]> = (0..views).map(|number| [number; 100]).collect();
        let parts: Vec<(View, &[u8])> =
            (0..).zip(&payloads).map(|(number, bytes)| (view(number), &bytes[..])).collect();
        memory(&|r| r.frame(Tick(0), &parts).unwrap())
    };
    let each = frame(2) - frame(1);
    assert!(each >= 100 + size_of::<ViewSet>() as u64, "{each}");
    assert_eq!(frame(9) - frame(8), each);
}

/// Events of the simulation, setups and resources are never shed: they are lost as orders are.
#[test]
fn everything_that_is_never_shed_can_interrupt_the_recording() {
    let gives: [fn(&Recorder); 3] = [
        |recorder| {
            let block = EventBlock::new(streams::EVENTS, (Tick(0), Tick(0)), 1, vec![1; 6000]);
            recorder.events(block).unwrap();
        },
        |recorder| recorder.resource("map", ViewSet::ALL, vec![1; 6000]).unwrap(),
        |recorder| recorder.frame(Tick(0), &[(view(1), &[1; 6000])]).unwrap(),
    ];
    for (number, give) in gives.into_iter().enumerate() {
        let (recorder, mut pump, sink) = driven(&with_memory(1000, 5000));
        give(&recorder);
        assert_eq!(recorder.counters().lost.items, 1, "thing {number}");
        assert_eq!(recorder.failure().unwrap().class(), ErrorClass::Limit);
        finish(recorder, &mut pump);
        assert_eq!(Content::of_finished(&sink.bytes()).gaps.len(), 1, "thing {number}");
    }
}

#[test]
fn ticks_in_which_nothing_happens_take_no_memory() {
    let (recorder, mut pump, _sink) = driven(&with_memory(4000, 8000));
    (0..100_000).for_each(|tick| recorder.end_tick(Tick(tick)));
    assert!(recorder.counters().queued_bytes < 1000);
    pump.step(Duration::ZERO);
    pump.step(SECOND);
    assert_eq!(recorder.counters().last_written_tick, Some(Tick(99_999)));
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
    assert_eq!(gaps.iter().map(|gap| gap.first_tick).collect::<Vec<_>>(), [Tick(20)]);
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
    let ErrorKind::OverLimit { value, limit } = *failures[0].kind() else { panic!("{failures:?}") };
    assert!(limit == 50_000 && (50_001..52_000).contains(&value), "{value}");
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
    assert_eq!((gap[0].first_tick, u64::from(gap[0].tick_count)), (Tick(kept), lost));
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
    assert_eq!((content.gaps.len(), content.gaps[0].first_tick), (1, Tick(kept)));
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
