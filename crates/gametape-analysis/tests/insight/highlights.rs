//! The rules of `spec/highlights.md`.

use std::ops::Range;

use gametape_analysis::sample::{self, Random};
use gametape_analysis::{
    AnalysisEvent, EventKind, EventStream, HighlightFinder, Rarity, WHOLE, Why,
};
use gametape_wire::{Tick, TickLength};
use proptest::prelude::*;

use crate::build::{death, ended, highlights, kill, quiet_match, snapshot, started, superweapon};

/// A window as the numbers of its ticks.
fn numbers(window: &Range<Tick>) -> Range<u64> {
    window.start.0..window.end.0
}

#[test]
fn the_example_of_the_specification() {
    let events = [kill(200, 100), kill(400, 100), kill(401, 100), kill(402, 100)];
    let found = highlights(&events, 600);
    let moments: Vec<_> = found
        .iter()
        .map(|found| (found.tick.0, numbers(&found.window), found.score, found.kills, found.player))
        .collect();
    assert_eq!(moments, [(400, 385..415, 315_000, 3, None), (200, 185..215, 160_344, 1, None)]);
    let parts = |why: Why| (why.engagement, why.momentum, why.anomaly, why.rarity, why.rarest);
    assert_eq!(parts(found[0].why), (500_000, 0, 700_000, 0, None));
    assert_eq!(parts(found[1].why), (172_413, 0, 200_000, 300_000, Some(Rarity::FirstCombat)));
}

/// The balance turns at one tick; whether that is in the window of a moment decides its momentum.
#[test]
fn momentum_is_that_of_the_window() {
    let momentum = |turn: u64| {
        let balance = [
            snapshot(0, 1, 1000),
            snapshot(0, 2, 1000),
            snapshot(turn, 1, 1000),
            snapshot(turn, 2, 400),
        ];
        let events: Vec<_> = balance.into_iter().chain([superweapon(500)]).collect();
        highlights(&events, 2000)[0].why.momentum
    };
    // The window is 485..515: a turn at its first tick has happened when it begins.
    assert_eq!([485, 486, 514, 515].map(momentum), [0, 500_000, 500_000, 0]);
}

#[test]
fn highlights_never_share_more_than_a_third_of_the_shorter_window() {
    for seed in 1..20 {
        let mut finder = HighlightFinder::new(TickLength::from_micros(50_000).unwrap());
        sample::played(20, seed).iter().for_each(|event| finder.add(event));
        let found = finder.finish(Tick(20 * 60 * 20));
        assert!(found.len() > 5);
        for (index, one) in found.iter().enumerate() {
            for other in &found[index + 1..] {
                let (a, b) = (&one.window, &other.window);
                let shared = a.end.min(b.end).since(a.start.max(b.start));
                let shorter = a.end.since(a.start).min(b.end.since(b.start));
                assert!(3 * shared <= shorter, "{a:?} and {b:?}");
            }
        }
    }
}

#[test]
fn a_highlight_says_whose_base_it_was() {
    let fallen = |tick, player| AnalysisEvent::BaseDestroyed {
        tick: Tick(tick),
        player,
        pos: gametape_analysis::WorldPos::default(),
        buildings_lost: Vec::new(),
    };
    let found = highlights(&[fallen(500, 3), fallen(505, 1), fallen(500, 2)], 2000);
    assert_eq!(found[0].player, Some(2), "the lowest player of the first tick");
    let words = found[0].in_words(|player| format!("player {player}"));
    assert_eq!(words.as_deref(), Some("base of player 2 destroyed"));
}

#[test]
fn windows_are_around_their_moment() {
    let window = |tick, end| numbers(&highlights(&[superweapon(tick)], end)[0].window);
    assert_eq!(window(500, 1000), 485..515);
    // Cut at the end of the match; never under 15 seconds while the match is longer.
    assert_eq!(window(999, 1000), 984..1000);
    assert_eq!(window(999, 0), 984..1000);
    let opening = |tick, end| {
        let kills: Vec<_> = (0..5).map(|_| kill(tick, 100)).collect();
        numbers(&highlights(&kills, end)[0].window)
    };
    assert_eq!(opening(0, 1000), 0..15);
    assert_eq!(opening(3, 10), 0..10);
}

#[test]
fn engagements_are_matched_by_their_id() {
    let window = |events: &[AnalysisEvent]| {
        let found = highlights(events, 2000);
        numbers(&found.iter().find(|highlight| highlight.tick == Tick(500)).unwrap().window)
    };
    // Another one's start does not count; without a start the duration does.
    let other = [started(470, 8), superweapon(500), ended(520, 7, 30)];
    assert_eq!(window(&other), 485..515);
    let lost_start = [superweapon(500), ended(520, 7, 50)];
    assert_eq!(window(&lost_start), 470..521);
    // An id that is used again: the last start before the end.
    let again =
        [started(200, 7), ended(210, 7, 10), started(480, 7), superweapon(500), ended(530, 7, 50)];
    assert_eq!(window(&again), 480..531);
    // The longest of several.
    let several = [superweapon(500), ended(520, 1, 40), ended(525, 2, 50), ended(510, 3, 45)];
    assert_eq!(window(&several), 475..526);
}

#[test]
fn the_opening_counts_only_with_five_kills() {
    let kills = |count| (0..count).map(|_| kill(119, 100)).collect::<Vec<_>>();
    assert!(highlights(&kills(4), 600).is_empty());
    assert_eq!(highlights(&kills(5), 600).len(), 1);
    assert!(highlights(&[superweapon(119)], 600).is_empty());
    assert_eq!(highlights(&[superweapon(120)], 600).len(), 1);
}

#[test]
fn neighbours_of_a_better_one_are_dropped() {
    let ticks = |events: &[AnalysisEvent]| {
        highlights(events, 2000).iter().map(|highlight| highlight.tick.0).collect::<Vec<_>>()
    };
    // The window of 515 holds both, that of 500 only one.
    assert_eq!(ticks(&[superweapon(500), superweapon(515)]), [515]);
    // Far enough apart, but more than a third of their windows is the same; then exactly a third.
    assert_eq!(ticks(&[superweapon(500), superweapon(519)]), [500]);
    assert_eq!(ticks(&[superweapon(500), superweapon(520)]), [500, 520]);
    // 520 falls to 510, which is the best; so 530 is near nobody who was taken.
    let chain = [superweapon(500), superweapon(510), superweapon(520), superweapon(530)];
    assert_eq!(ticks(&chain), [510, 530]);
}

#[test]
fn only_kills_by_others_count() {
    let found = highlights(&[death(500, 1, None, 9), death(600, 1, Some(1), 9)], 2000);
    assert!(found.is_empty());
    assert_eq!(highlights(&[death(500, 1, Some(3), 9)], 2000)[0].kills, 1);
    assert!(highlights(&[], 2000).is_empty());
}

/// The same events give the same highlights, whatever their order and whatever players report.
#[test]
fn order_and_reports_do_not_matter() {
    let events = sample::played(20, 9);
    let find = |events: &[AnalysisEvent]| {
        let mut finder = HighlightFinder::new(TickLength::from_micros(50_000).unwrap());
        events.iter().for_each(|event| finder.add(event));
        finder.finish(Tick(20 * 60 * 20 + 1))
    };
    let expected = find(&events);
    assert!(expected.len() > 5);
    let mut random = Random::new(4);
    let mut shuffled = events.clone();
    shuffled.sort_by_cached_key(|_| random.number());
    assert_eq!(find(&shuffled), expected);
    let reported = EventKind::ALL.iter().filter(|kind| kind.stream() != EventStream::Simulation);
    let reported = reported.cycle().take(3000).map(|&kind| {
        let tick = random.below(24_000);
        sample::event(kind, Tick(tick), &mut random)
    });
    let with_reports: Vec<_> = events.iter().cloned().chain(reported).collect();
    assert_eq!(find(&with_reports), expected);
}

/// Numbers that must be the same on every platform.
#[test]
fn scores_are_golden() {
    let mut finder = HighlightFinder::new(TickLength::from_micros(50_000).unwrap());
    sample::played(60, 1).iter().for_each(|event| finder.add(event));
    let found = finder.finish(Tick(60 * 60 * 20 + 1));
    let text: Vec<String> = found
        .iter()
        .take(4)
        .map(|h| {
            let Why { engagement, momentum, anomaly, rarity, .. } = h.why;
            format!(
                "{} {:?} {} = {engagement} {momentum} {anomaly} {rarity}",
                h.tick,
                numbers(&h.window),
                h.score
            )
        })
        .collect();
    let expected = [
        "41101 40801..41401 448374 = 498272 487156 360952 400000",
        "12200 11900..12500 440885 = 477533 519929 318832 400000",
        "24060 23760..24360 422963 = 488402 433026 318832 400000",
        "46921 46621..47221 407097 = 428069 510190 248631 400000",
    ];
    assert_eq!((found.len(), text), (73, expected.map(str::to_owned).to_vec()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever the events say, what comes out keeps to the rules.
    #[test]
    fn highlights_keep_to_the_rules(
        seed: u64,
        spread in prop_oneof![1u64..3000, 1u64..1_000_000, Just(u64::MAX)],
        micros in prop_oneof![Just(50_000u32), 1u32..5_000_000, Just(u32::MAX)],
        end: u64,
    ) {
        let mut random = Random::new(seed);
        let mut finder = HighlightFinder::new(TickLength::from_micros(micros).unwrap());
        let mut last = 0;
        for &kind in EventKind::ALL.iter().cycle().take(150) {
            let tick = random.below(spread);
            if kind.stream() == EventStream::Simulation {
                last = last.max(tick);
            }
            finder.add(&sample::event(kind, Tick(tick), &mut random));
        }
        let end = end.min(spread).max(last.saturating_add(1));
        let ticks = |s: u64| ((s * 1_000_000 + u64::from(micros) / 2) / u64::from(micros)).max(1);
        let found = finder.finish(Tick(end));
        for (index, one) in found.iter().enumerate() {
            let length = one.window.end.since(one.window.start);
            prop_assert!(one.window.end <= Tick(end) && one.window.contains(&one.tick));
            let most = ticks(60).max(ticks(30) + ticks(15));
            prop_assert!((ticks(15).min(end)..=most).contains(&length));
            prop_assert!(one.score > 0 && one.score <= WHOLE && one.score == one.why.score());
            for other in &found[..index] {
                prop_assert!((other.score, one.tick) > (one.score, other.tick) );
                prop_assert!(other.tick.0.abs_diff(one.tick.0) > ticks(15));
            }
        }
    }

    /// A kill more in the best moment never makes the match's best moment worse than the others.
    #[test]
    fn more_kills_stay_first(extra in 10u64..60) {
        let mut events = quiet_match();
        events.extend((0..extra).map(|_| kill(1000, 100)));
        let found = highlights(&events, 1900);
        prop_assert_eq!(found[0].tick, Tick(1000));
    }
}
