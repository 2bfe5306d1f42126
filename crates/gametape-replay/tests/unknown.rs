//! Tapes of games that nobody here knows.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may fail it")]

use gametape_replay::open::{OpenOptions, open};
use gametape_replay::state_at::{StateAt, StateRequest, state_at};
use gametape_replay::unknown::{self, UnknownState};
use gametape_replay::watched::{TapeTrack, player};
use gametape_replay::{Direction, Player, PlayerOptions, Recording, Timeline, ViewName, sample};
use gametape_tape::KeyframeIndexEntry;
use gametape_wire::{Moment, Tick, View, drive};

type Any = Player<TapeTrack>;

fn timeline(tape: &[u8], view: u8) -> Any {
    let recording = Recording::open(tape).unwrap();
    let track = TapeTrack::unknown(recording.tape(), View::new(view).unwrap());
    player(recording.open_tape().clone(), track, PlayerOptions::default()).unwrap()
}

fn state(timeline: &Any) -> &UnknownState {
    let TapeTrack::Unknown(track) = timeline.state() else { panic!("nobody knows snails") };
    track.state()
}

fn go(timeline: &mut Any, mut tape: &[u8], to: u64) {
    if !timeline.seek(Moment::before(Tick(to))).unwrap().is_ready() {
        drive(timeline, &mut tape).unwrap();
    }
}

fn walk(timeline: &mut Any, mut tape: &[u8], direction: Direction) -> u64 {
    if !timeline.step(direction).unwrap().is_ready() {
        drive(timeline, &mut tape).unwrap();
    }
    timeline.position().next_tick().0
}

fn json(timeline: &Any) -> String {
    state(timeline).json(timeline.changes().iter().map(|change| change.payload))
}

#[test]
fn every_way_to_a_moment_leads_to_the_same_state() {
    let tape = sample::race(230).unwrap();
    for view in 0..=3 {
        let mut walked = timeline(&tape, view);
        let mut states = vec![json(&walked)];
        while walked.position() < walked.end() {
            walk(&mut walked, &tape, Direction::Forward);
            states.push(json(&walked));
        }
        assert_eq!(states.len(), 231);
        let mut sought = timeline(&tape, view);
        for number in 0..231u64 {
            let moment = number * 97 % 231;
            go(&mut sought, &tape, moment);
            assert_eq!(json(&sought), states[moment as usize], "view {view}, moment {moment}");
        }
        for moment in (0..231u64).rev() {
            go(&mut walked, &tape, moment);
            assert_eq!(json(&walked), states[moment as usize], "view {view}, back to {moment}");
        }
        assert!(
            walked.report().findings().is_empty() && sought.report().findings().is_empty(),
            "nothing is compared"
        );
    }
}

#[test]
fn keyframes_count_where_play_comes_to_them() {
    let tape = sample::race(120).unwrap();
    let mut all = timeline(&tape, 0);
    go(&mut all, &tape, 101);
    assert_eq!((state(&all).keyframe(), state(&all).updates()), (Some(100), 1));
    assert_eq!(walk(&mut all, &tape, Direction::Backward), 100);
    assert_eq!((state(&all).keyframe(), state(&all).updates()), (Some(100), 0));
    assert_eq!(walk(&mut all, &tape, Direction::Backward), 99);
    assert_eq!((state(&all).keyframe(), state(&all).updates()), (Some(50), 49));
}

#[test]
fn the_state_is_found_by_name_and_time_and_holds_nothing_of_others() {
    let tape = sample::race(120).unwrap();
    let state = |view: Option<&str>| {
        let opened = open(&tape[..], &OpenOptions::default()).unwrap();
        let view = view.map(|view| view.parse::<ViewName>().unwrap());
        let request = StateRequest::new("5.5s".parse().unwrap()).seen_by(view.as_ref());
        let StateAt::Game(game) = state_at(opened, &request, &[]).unwrap() else { panic!() };
        (game.moment.clone(), String::from_utf8(game.state().root().canonical()).unwrap())
    };
    let (moment, all) = state(None);
    assert_eq!(moment, "at 0:05.5, after tick 55");
    assert_eq!(all.matches(r#""2":""#).count(), 3, "{all}");
    let (_, own) = state(Some("Turbo"));
    assert_eq!(own.matches(r#""2":""#).count(), 1, "{own}");
    assert!(own.contains("weather") && own.contains(r#""tick":50"#));
}

#[test]
fn a_damaged_keyframe_is_played_around() {
    let mut tape = sample::race(160).unwrap();
    let recording = Recording::open(&tape[..]).unwrap();
    let keyframes = &recording.tape().keyframes;
    let own = gametape_replay::streams::keyframes_of(View::SPECTATOR);
    let is_it = |entry: &KeyframeIndexEntry| entry.tick == Tick(100) && entry.stream == own;
    let index = keyframes.entries().iter().position(is_it).unwrap();
    let at = keyframes.plan_ranges(&[index])[0].end as usize - 5;
    tape[at] ^= 0xff;
    let mut all = timeline(&tape, 0);
    go(&mut all, &tape, 120);
    assert_eq!((state(&all).keyframe(), state(&all).updates()), (Some(50), 70));
    assert!(!all.report().findings().is_empty(), "it is reported");
    go(&mut all, &tape, 155);
    assert_eq!(state(&all).keyframe(), Some(150));
}

#[test]
fn a_tape_of_events_alone_has_the_all_seeing_view() {
    use gametape_tape::{TapeHeader, TapeWriter};
    use gametape_wire::TickLength;
    let mut writer =
        TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 7), b"{}").unwrap();
    let tape = [writer.take(), writer.finish().unwrap()].concat();
    let recording = Recording::open(&tape[..]).unwrap();
    let views: Vec<u8> = unknown::views(recording.tape()).iter().map(View::number).collect();
    assert_eq!(views, [0]);
    assert_eq!(json(&timeline(&tape, 0)), "{}");
}
