use std::time::Duration;

use gametape_cadre::{Log, Options, sample};
use gametape_minewars::Generation;
use gametape_replay::{
    Clock, ConvertOptions, DeepLevel, Direction, MarkerKind, Playback, Player, PlayerOptions, Rate,
    Recording, Source, Timeline, Track, cadre, minewars,
};
use gametape_tape::{Cut, Tape, TapeHeader, cut_bytes, pack_bytes};
use gametape_wire::{Moment, Tick, View, ViewSet};

use super::common::{ByTick, cadre_tape, chained, linear, minewars_tape, shuffled};
use super::toy::{self, Toy};

/// Every tick forward, backward and in random order, with cumulative and with chained deltas.
fn every_tick<T: Track>(
    bytes: &[u8],
    open: impl Fn(Recording<Vec<u8>>, PlayerOptions) -> Playback<Vec<u8>, Player<T>> + Copy,
) {
    let expected = linear(bytes, open);
    let ticks: Vec<u64> = expected.keys().copied().collect();
    for tape in [bytes.to_vec(), chained(bytes)] {
        assert!(Tape::open(&tape).unwrap().keyframes.entries().len() > 3);
        for options in [
            PlayerOptions::default(),
            PlayerOptions::new().with_cache_bytes(0).with_check(false),
            PlayerOptions::new().with_cache_bytes(30_000),
        ] {
            let mut player = open(Recording::open(tape.clone()).unwrap(), options);
            let back = ticks.iter().rev().copied();
            for tick in ticks.iter().copied().chain(back).chain(shuffled(&ticks)) {
                player.before(tick);
                assert_eq!(player.tick(), tick);
                assert!(player.snapshot().state_hash() == expected[&tick], "tick {tick}");
                assert!(player.timeline().cached_bytes() <= options.cache_bytes);
            }
            assert_eq!(player.findings(), []);
            assert_eq!(player.doubt(), None);
        }
    }
}

fn view_of<S: Source>(
    number: u8,
) -> impl Fn(
    Recording<S>,
    PlayerOptions,
) -> Playback<S, Player<gametape_replay::ViewTrack<minewars::MinewarsView>>>
+ Copy {
    move |recording, options| {
        minewars::player(recording, View::new(number).unwrap(), options).unwrap()
    }
}

#[test]
fn every_tick_of_a_current_match() {
    let tape = minewars_tape(Generation::Current);
    every_tick(&tape, view_of(0));
}

#[test]
fn every_tick_of_a_v01_match_seen_by_a_player() {
    let tape = minewars_tape(Generation::V01);
    every_tick(&tape, view_of(2));
}

#[test]
fn every_tick_of_a_gamelog() {
    every_tick(&cadre_tape(), |recording, options| cadre::player(recording, options).unwrap());
}

#[test]
fn every_tick_of_a_simulation() {
    let tape = toy::tape(Toy::new(), 400);
    every_tick(&tape, |recording, options| {
        Playback::simulation(recording, Toy::new(), options).unwrap()
    });
}

#[test]
fn steps_go_over_what_changes_and_back_again() {
    let tape = minewars_tape(Generation::Current);
    let open = view_of(1);
    let mut player = open(Recording::open(tape).unwrap(), PlayerOptions::default());
    let mut stops = vec![(player.tick(), player.snapshot())];
    assert!(player.changes().is_empty());
    while player.step(Direction::Forward).unwrap() {
        assert!(!player.changes().is_empty());
        stops.push((player.tick(), player.snapshot()));
    }
    assert!(stops.len() > 40);
    for (tick, snapshot) in stops[..stops.len() - 1].iter().rev() {
        assert!(player.step(Direction::Backward).unwrap());
        assert_eq!((player.tick(), &player.snapshot()), (*tick, snapshot));
        assert_eq!(player.changes().is_empty(), *tick == 0);
    }
    assert!(!player.step(Direction::Backward).unwrap());
}

/// Also where play enters at a keyframe, and so has not read what came before it.
#[test]
fn what_changed_is_known_wherever_play_enters() {
    let log = Log::open(sample::log(6000, 1), &Options::default()).unwrap();
    let tape = cadre::to_tape(&log, &ConvertOptions::new(7).with_spacing(100_000)).unwrap();
    let entries = Tape::open(&tape).unwrap().keyframes;
    let keyframes: Vec<u64> = entries.entries().iter().map(|keyframe| keyframe.tick.0).collect();
    assert!(keyframes.len() > 3, "{keyframes:?}");
    let open =
        || cadre::player(Recording::open(tape.clone()).unwrap(), PlayerOptions::default()).unwrap();
    let mut player = open();
    while player.step(Direction::Forward).unwrap() {
        if keyframes.contains(&player.tick()) {
            let mut entered = open();
            entered.before(player.tick());
            assert!(!player.changes().is_empty());
            assert_eq!(entered.changes(), player.changes(), "tick {}", player.tick());
        }
    }
}

/// A simulation changes in every tick, with orders or without.
#[test]
fn steps_of_a_simulation_are_ticks() {
    let recording = Recording::open(toy::tape(Toy::new(), 60)).unwrap();
    let mut player = Playback::simulation(recording, Toy::new(), PlayerOptions::default()).unwrap();
    for tick in 1..=60 {
        assert!(player.step(Direction::Forward).unwrap());
        assert_eq!(player.tick(), tick);
    }
    assert!(!player.step(Direction::Forward).unwrap());
    for tick in (0..60).rev() {
        assert!(player.step(Direction::Backward).unwrap());
        assert_eq!(player.tick(), tick);
    }
    assert!(!player.step(Direction::Backward).unwrap());
}

#[test]
fn stepping_back_costs_a_few_steps() {
    let toy = Toy::new();
    let steps = toy.steps.clone();
    let tape = toy::tape(Toy::new(), 1000);
    // Without keyframes everything has to be played from the start.
    let tape = super::common::finish(super::common::without_keyframes(&tape));
    let mut player =
        Playback::simulation(Recording::open(tape).unwrap(), toy, PlayerOptions::default())
            .unwrap();
    player.before(1000);
    let before = steps.get();
    while player.step(Direction::Backward).unwrap() {}
    let cost = steps.get() - before;
    assert!(cost < 1000 * 11, "{cost} steps for 1000 steps back");
}

#[test]
fn play_follows_the_clock_of_the_caller() {
    let tape = toy::tape(Toy::new(), 400);
    let recording = Recording::open(&tape[..]).unwrap();
    let mut player = Playback::simulation(recording, Toy::new(), PlayerOptions::default()).unwrap();
    let mut clock = Clock::new(player.tick_length());
    let advance = |player: &mut Playback<_, _>, clock: &mut Clock, millis| {
        let due = clock.due(Duration::from_millis(millis), player.position(), player.end());
        player.seek(due).unwrap();
        player.tick()
    };
    // Ticks have 50 ms.
    clock.play(Rate::NORMAL, Duration::from_secs(1), player.position());
    assert_eq!(advance(&mut player, &mut clock, 1_049), 0);
    assert_eq!(advance(&mut player, &mut clock, 1_050), 1);
    assert_eq!(advance(&mut player, &mut clock, 2_000), 20);
    clock.play(Rate::thousandths(-1_000), Duration::from_secs(3), player.position());
    assert_eq!(advance(&mut player, &mut clock, 3_500), 10);
    // Who seeks goes on from there.
    player.before(300);
    clock.moved();
    assert_eq!(advance(&mut player, &mut clock, 5_000), 300);
    assert_eq!(advance(&mut player, &mut clock, 5_100), 298);
    assert!(player.seek(Moment::after(Tick(400))).is_err());
}

#[test]
fn a_packed_tape_and_one_cut_to_a_view_play_the_same() {
    let tape = minewars_tape(Generation::Current);
    let open = view_of(2);
    let expected = linear(&tape, open);
    let own = ViewSet::EMPTY.with(View::new(2).unwrap());
    for changed in [pack_bytes(&tape).unwrap(), cut_bytes(&tape, own, 9).unwrap().bytes] {
        let mut player = open(Recording::open(changed).unwrap(), PlayerOptions::default());
        let end = player.end_tick();
        for (&tick, hash) in expected.range(..=end).rev().step_by(3) {
            player.before(tick);
            assert!(player.snapshot().state_hash() == *hash, "tick {tick}");
        }
        let verified = player.verify(DeepLevel::Keyframes).unwrap();
        assert!(verified.passed() && verified.keyframes > 3, "{:?}", verified.report);
    }
}

/// The ticks of a tape, written as another tape.
fn cut_to(bytes: &[u8], views: Option<ViewSet>, ticks: std::ops::Range<u64>) -> Vec<u8> {
    let tape = Tape::open(bytes).unwrap();
    let cut = Cut::new(&tape, views, Tick(ticks.start)..Tick(ticks.end)).unwrap();
    let header = TapeHeader::new(tape.header.tick_length, 9);
    let mut rewriter = cut.rewriter(&tape, header).unwrap();
    for entry in tape.chunks.iter().filter(|entry| cut.keeps(entry)) {
        rewriter.chunk(&tape.read(entry, bytes).unwrap()).unwrap();
    }
    [rewriter.take(), rewriter.finish().unwrap().bytes].concat()
}

/// Cuts of all lengths from everywhere play as the whole tape, at every tick that was asked for.
fn every_cut<T: Track>(
    bytes: &[u8],
    views: Option<ViewSet>,
    open: impl Fn(Recording<Vec<u8>>, PlayerOptions) -> Playback<Vec<u8>, Player<T>> + Copy,
) {
    let expected = linear(bytes, open);
    let end = *expected.keys().last().unwrap();
    for start in (0..end).step_by(end as usize / 9) {
        for stop in [start + 1, start + end / 5, end] {
            let part = cut_to(bytes, views, start..stop);
            let mut player = open(Recording::open(part).unwrap(), PlayerOptions::default());
            let last = player.end_tick().min(stop);
            let asked: Vec<u64> = (start..=last).collect();
            for tick in asked.iter().rev().copied().chain(shuffled(&asked)) {
                player.before(tick);
                assert!(player.snapshot().state_hash() == expected[&tick], "{start}: tick {tick}");
                assert_eq!(player.doubt(), None, "{start}: tick {tick}");
            }
        }
    }
}

#[test]
fn a_tape_cut_by_time_plays_the_same() {
    let own = ViewSet::EMPTY.with(View::new(2).unwrap());
    let tape = minewars_tape(Generation::Current);
    every_cut(&tape, None, view_of(1));
    every_cut(&tape, Some(own), view_of(2));
    every_cut(&chained(&cadre_tape()), None, |recording, options| {
        cadre::player(recording, options).unwrap()
    });
    every_cut(&toy::tape(Toy::new(), 300), None, |recording, options| {
        Playback::simulation(recording, Toy::new(), options).unwrap()
    });
}

/// What was cut away is no part of the timeline, in a box as without.
#[test]
fn a_timeline_begins_where_play_does_and_marks_the_keyframes_from_there_on() {
    let tape = toy::tape(Toy::new(), 300);
    for (ticks, begin, marked) in [
        (0..300, 0, vec![0, 50, 100, 150, 200, 250]),
        (100..220, 100, vec![100, 150, 200]),
        (110..220, 100, vec![100, 150, 200]),
    ] {
        let part = cut_to(&tape, None, ticks.clone());
        let recording = Recording::open(part).unwrap();
        let player = Playback::simulation(recording, Toy::new(), PlayerOptions::default()).unwrap();
        let (_, timeline) = player.into_parts();
        let keyframes = |timeline: &dyn Timeline<State = Toy>| -> Vec<u64> {
            let markers = timeline.markers().iter();
            let keyframes = markers.filter(|marker| marker.kind == MarkerKind::Keyframe);
            keyframes.map(|marker| marker.moment.next_tick().0).collect()
        };
        let shape = |timeline: &dyn Timeline<State = Toy>| {
            let ends = [timeline.begin(), timeline.end(), timeline.position()];
            (ends.map(|moment| moment.next_tick().0), timeline.tick_length(), keyframes(timeline))
        };
        let found = shape(&timeline);
        assert_eq!(found.0, [begin, ticks.end, begin]);
        assert_eq!(found.2, marked, "{ticks:?}");
        assert_eq!(shape(&Box::new(timeline)), found);
    }
}

/// Counts what is read.
struct Counted(Vec<u8>, std::rc::Rc<std::cell::Cell<usize>>);

impl Source for Counted {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }

    fn fetch(
        &mut self,
        range: std::ops::Range<u64>,
    ) -> gametape_wire::Result<std::borrow::Cow<'_, [u8]>> {
        self.1.set(self.1.get() + 1);
        Ok(self.0[range.start as usize..range.end as usize].into())
    }
}

#[test]
fn steps_behind_the_last_keyframe_do_not_read_it_again() {
    let tape = toy::tape(Toy::new(), 349);
    let reads = std::rc::Rc::new(std::cell::Cell::new(0));
    let recording = Recording::open(Counted(tape, reads.clone())).unwrap();
    let mut player = Playback::simulation(recording, Toy::new(), PlayerOptions::default()).unwrap();
    player.before(301);
    let before = reads.get();
    while player.step(Direction::Forward).unwrap() {}
    assert_eq!(player.tick(), 349);
    assert!(reads.get() - before < 5, "{} reads in 48 steps", reads.get() - before);
}
