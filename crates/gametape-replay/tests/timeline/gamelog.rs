use gametape_cadre::{Log, Options, sample};
use gametape_replay::{GamelogTimeline, MarkerKind, Timeline};
use gametape_wire::{Moment, Tick, When};
use proptest::prelude::*;

use crate::common::{check_steps, go, jumps};

fn log(deltas: usize) -> Log {
    Log::open(sample::log(deltas, 3), &Options::default()).unwrap()
}

fn timeline(deltas: usize) -> GamelogTimeline {
    GamelogTimeline::load(log(deltas), &Options::default()).unwrap()
}

#[test]
fn every_delta_is_a_tick() {
    let mut ours = timeline(200);
    let mut cadre = gametape_cadre::Timeline::load(log(200), &Options::default()).unwrap();
    assert_eq!((ours.end(), ours.position()), (Moment::before(Tick(200)), Moment::START));
    for moment in jumps(200, 100) {
        go(&mut ours, moment);
        cadre.seek(moment.next_tick().0 as usize).unwrap();
        assert_eq!(ours.state().state().hash(), cadre.state().hash());
    }
    check_steps(&mut ours);
    go(&mut ours, Moment::after(Tick(7)));
    let log = log(200);
    assert_eq!(ours.changes()[0].payload, log.delta(7).unwrap().raw().as_bytes());
}

#[test]
fn turns_are_markers_and_can_be_gone_to() {
    let mut timeline = timeline(200);
    let turns: Vec<_> = timeline.markers().to_vec();
    assert!(turns.len() > 5 && turns.is_sorted());
    for marker in turns {
        let MarkerKind::Turn(turn) = marker.kind else { panic!("{marker:?}") };
        assert_eq!(timeline.moment(When::Turn(turn)).unwrap(), marker.moment);
        go(&mut timeline, marker.moment);
        let state = timeline.state().state();
        assert_eq!(state.get("currentTurn").and_then(|node| node.as_i64()), Some(turn));
    }
    assert!(timeline.moment(When::Turn(9_999)).is_err());
    assert_eq!(timeline.moment(When::End).unwrap(), timeline.end());
}

#[test]
fn a_delta_that_cannot_be_merged_ends_the_timeline_in_a_file_and_live() {
    let text = br#"{"deltas":[{"game":{"turn":1}},{"game":7},{"game":{"turn":2}}]}"#;
    let log = Log::open(text, &Options::default()).unwrap();
    let mut opened = GamelogTimeline::load(log, &Options::default()).unwrap();
    let empty = Log::open(br#"{"deltas":[]}"#, &Options::default()).unwrap();
    let mut grown = GamelogTimeline::load(empty, &Options::default()).unwrap();
    grown.extend(br#"{"game":{"turn":1}}"#).unwrap();
    assert!(grown.extend(br#"{"game":7}"#).is_err());
    assert!(grown.extend(br#"{"game":{"turn":2}}"#).is_err());
    for timeline in [&mut opened, &mut grown] {
        assert_eq!(timeline.end(), Moment::before(Tick(1)));
        assert_eq!(timeline.report().findings()[0].tick, Some(Tick(1)));
        assert_eq!(timeline.report().count(), 1);
        go(timeline, Moment::after(Tick(0)));
        assert_eq!(timeline.state().state().canonical(), br#"{"turn":1}"#);
    }
    assert!(opened.extend(br#"{"game":{"turn":2}}"#).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn extended_in_any_pieces_is_opened_whole(known in 0usize..=60, at in 0usize..=60) {
        let whole = log(60);
        let mut opened = timeline(60);
        let (before, after) = whole.around_deltas();
        let first: Vec<&[u8]> =
            whole.deltas().take(known).map(|delta| delta.raw().as_bytes()).collect();
        let text = [before, first.join(&b','), after].concat();
        let log = Log::open(text, &Options::default()).unwrap();
        let mut grown = GamelogTimeline::load(log, &Options::default()).unwrap();
        let position = Moment::before(Tick(at.min(known) as u64));
        go(&mut grown, position);
        let hash = grown.state().state().hash();
        for delta in whole.deltas().skip(known) {
            grown.extend(delta.raw().as_bytes()).unwrap();
            prop_assert_eq!((grown.position(), grown.state().state().hash()), (position, hash));
        }
        prop_assert_eq!(grown.end(), opened.end());
        prop_assert_eq!(grown.markers(), opened.markers());
        prop_assert_eq!(grown.report(), opened.report());
        for moment in jumps(60, 30) {
            go(&mut grown, moment);
            go(&mut opened, moment);
            prop_assert_eq!(grown.state().state().hash(), opened.state().state().hash());
        }
    }
}
