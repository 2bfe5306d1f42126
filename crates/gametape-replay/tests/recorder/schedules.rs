//! Any schedule of calls and of the disk: what is on the tape, and what the counters say.

use std::time::Duration;

use gametape_replay::{Counters, EventBlock, RecorderOptions, streams};
use gametape_tape::{Gap, GapCause};
use gametape_wire::{Tick, View};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::*;

/// What happens next.
#[derive(Debug, Clone)]
enum Act {
    /// This many ticks pass.
    Wait(u8),
    Order(u16, u8, u16),
    Frame(Vec<(u8, u16)>),
    Shared(u16, u16),
    Keyframe(Option<u8>, u16),
    Events(u16, u16),
    EndTick,
    /// The disk works again, after this long.
    Disk(u16),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        3 => (0..4u8).prop_map(Act::Wait),
        4 => (0..3u16, 0..16u8, 0..300u16).prop_map(|(s, p, n)| Act::Order(s, p, n)),
        3 => proptest::collection::btree_map(0..16u8, 0..200u16, 1..5)
            .prop_map(|parts| Act::Frame(parts.into_iter().collect())),
        1 => (1..u16::MAX, 0..200u16).prop_map(|(views, n)| Act::Shared(views, n)),
        2 => (proptest::option::of(0..3u8), 0..2000u16).prop_map(|(v, n)| Act::Keyframe(v, n)),
        3 => (0..3u16, 0..1500u16).prop_map(|(s, n)| Act::Events(s, n)),
        2 => Just(Act::EndTick),
        2 => (0..800u16).prop_map(Act::Disk),
    ]
}

fn payload(tick: u64, length: u16) -> Vec<u8> {
    (0..length).map(|n| (u64::from(n) ^ tick) as u8).collect()
}

/// Plays a schedule; gives what was given, what is on the tape, and the counters.
fn run(acts: &[Act], options: &RecorderOptions) -> (Content, Content, Counters) {
    let (recorder, mut pump, sink) = driven(options);
    let mut given = Content::default();
    let (mut tick, mut now) = (0, Duration::ZERO);
    for act in acts {
        match act {
            Act::Wait(ticks) => tick += u64::from(*ticks),
            Act::Order(stream, player, length) => {
                let bytes = payload(tick, *length);
                let player = view(*player);
                match *stream {
                    streams::ORDERS => recorder.order(Tick(tick), player, &bytes).unwrap(),
                    streams::TALK => recorder.talk(Tick(tick), player, &bytes).unwrap(),
                    _ => recorder.reported(Tick(tick), player, &bytes).unwrap(),
                }
                given.orders.push((*stream, tick, player, bytes));
            }
            Act::Frame(parts) => {
                let parts: Vec<(View, Vec<u8>)> =
                    parts.iter().map(|(v, n)| (view(*v), payload(tick, *n))).collect();
                let borrowed: Vec<_> = parts.iter().map(|(v, bytes)| (*v, &bytes[..])).collect();
                recorder.frame(Tick(tick), &borrowed).unwrap();
                given.frames.extend(parts.into_iter().map(|(v, bytes)| (tick, v, bytes)));
            }
            Act::Shared(views, length) => {
                let views = gametape_wire::ViewSet::from_bits(*views);
                let bytes = payload(tick, *length);
                recorder.frame_for_all(Tick(tick), views, &bytes).unwrap();
                given.frames.extend(views.iter().map(|v| (tick, v, bytes.clone())));
            }
            Act::Keyframe(of, bulk) => {
                let snapshot = state(tick, (*bulk).into());
                let hash = snapshot.state_hash();
                let (stream, outcome) = match of {
                    None => (0, recorder.keyframe(snapshot)),
                    Some(v) => (16 + u16::from(*v), recorder.view_keyframe(view(*v), snapshot)),
                };
                // A second one at the same tick is refused.
                if outcome.is_ok() {
                    given.keyframes.push((stream, tick, false, hash));
                }
            }
            Act::Events(stream, length) => {
                let raw = payload(tick, *length);
                recorder
                    .events(EventBlock::new(*stream, (Tick(tick), Tick(tick + 1)), 3, raw.clone()))
                    .unwrap();
                given.events.push((*stream, tick, 3, raw));
            }
            Act::EndTick => recorder.end_tick(Tick(tick)),
            Act::Disk(milliseconds) => {
                now += Duration::from_millis((*milliseconds).into());
                pump.step(now);
            }
        }
    }
    let report = finish(recorder, &mut pump);
    assert!(report.is_finished);
    (given, Content::of_finished(&sink.bytes()), report.counters)
}

/// In each stream by itself: between streams, the tape may have another order.
fn by_stream<T: Clone>(rows: &[T], stream: impl Fn(&T) -> u16) -> Vec<Vec<T>> {
    let of = |wanted| rows.iter().filter(|row| stream(row) == wanted).cloned().collect();
    (0..32).map(of).collect()
}

fn is_subsequence<T: PartialEq>(part: &[T], whole: &[T]) -> bool {
    let mut rest = whole.iter();
    part.iter().all(|row| rest.any(|other| other == row))
}

fn counted(gaps: &[Gap], cause: GapCause, stream: Option<u16>) -> u64 {
    let ours = |gap: &&Gap| {
        gap.cause == cause && stream.is_none_or(|s| gap.kind.0 == 7 && gap.stream == s)
    };
    gaps.iter().filter(ours).map(|gap| u64::from(gap.count)).sum()
}

fn is_covered(tick: u64, gaps: &[Gap]) -> bool {
    let covers = |gap: &Gap| {
        let ticks = gap.first_tick..gap.first_tick + u64::from(gap.tick_count);
        gap.cause == GapCause::INTERRUPTED && ticks.contains(&Tick(tick))
    };
    gaps.iter().any(covers)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn orders_frames_and_events_are_all_there_in_order_whatever_is_shed(
        acts in vec(act(), 0..150),
        queue_bytes in 500..20_000usize,
    ) {
        let options = options().with_memory(queue_bytes, 256 << 20);
        let (given, content, counters) = run(&acts, &options);
        prop_assert_eq!(by_stream(&content.orders, |o| o.0), by_stream(&given.orders, |o| o.0));
        prop_assert_eq!(&content.frames, &given.frames);
        let [ours, theirs] = [&content, &given].map(|c| by_stream(&c.events, |e| e.0));
        prop_assert_eq!(&ours[0], &theirs[0]);
        let shed = &counters.shed;
        for (stream, count) in [(1, shed.positions), (2, shed.reported)] {
            prop_assert!(is_subsequence(&ours[stream], &theirs[stream]));
            prop_assert_eq!((theirs[stream].len() - ours[stream].len()) as u64, count.items);
            prop_assert_eq!(counted(&content.gaps, GapCause::SHED, Some(stream as u16)), count.items);
        }
        prop_assert_eq!(
            (given.keyframes.len() - content.keyframes.len()) as u64,
            shed.keyframes.items
        );
        let lost = shed.keyframes.items + shed.positions.items + shed.reported.items;
        prop_assert_eq!(counted(&content.gaps, GapCause::SHED, None), lost);
        prop_assert_eq!((counters.failure, counters.lost.items), (None, 0));
        keyframes_are_right(&given, &content)?;
    }

    #[test]
    fn what_an_interruption_costs_is_counted_and_told(
        acts in vec(act(), 0..150),
        queue_bytes in 200..3000usize,
        more in 0..3000usize,
    ) {
        let most_queue_bytes = queue_bytes + more;
        let options = options().with_memory(queue_bytes, most_queue_bytes);
        let (given, content, counters) = run(&acts, &options);
        let gaps = &content.gaps;
        prop_assert_eq!(counted(gaps, GapCause::INTERRUPTED, None), counters.lost.items);
        prop_assert_eq!(counters.failure.is_some(), counters.lost.items > 0);
        prop_assert!(is_subsequence(&content.frames, &given.frames));
        let [ours, theirs] = [&content, &given].map(|c| by_stream(&c.orders, |o| o.0));
        for (ours, theirs) in ours.iter().zip(&theirs) {
            prop_assert!(is_subsequence(ours, theirs));
        }
        let lost = given.orders.iter().filter(|order| !content.orders.contains(order));
        prop_assert!(lost.clone().all(|order| is_covered(order.1, gaps)));
        let lost = given.frames.iter().filter(|frame| !content.frames.contains(frame));
        prop_assert!(lost.clone().all(|frame| is_covered(frame.0, gaps)));
        keyframes_are_right(&given, &content)?;
    }
}

/// Every keyframe on the tape is the state that was given, and after one that is missing comes a
/// full one.
fn keyframes_are_right(given: &Content, content: &Content) -> Result<(), TestCaseError> {
    let [ours, theirs] = [content, given].map(|c| by_stream(&c.keyframes, |k| k.0));
    for (ours, theirs) in ours.iter().zip(&theirs) {
        let mut ours = ours.iter().peekable();
        let mut must_be_full = true;
        for (_, tick, _, hash) in theirs {
            match ours.next_if(|keyframe| keyframe.1 == *tick) {
                Some(keyframe) => {
                    prop_assert_eq!(&keyframe.3, hash);
                    prop_assert!(keyframe.2 || !must_be_full, "delta at {}", tick);
                    must_be_full = false;
                }
                None => must_be_full = true,
            }
        }
        prop_assert!(ours.next().is_none());
    }
    Ok(())
}
