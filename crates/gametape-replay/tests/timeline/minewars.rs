use gametape_minewars::sample::Sample;
use gametape_minewars::{Dialect, FrameLayout, Frames, Generation, Setup, replay_view};
use gametape_minewars::{ReplayFile, WriteOptions, write_file};
use gametape_replay::{MinewarsTimeline, Timeline, TimelineOptions};
use gametape_wire::{Moment, Severity, Tick, View};
use proptest::prelude::*;

use crate::common::{check_steps, go, jumps};

fn sample(generation: Generation) -> (Setup, Vec<u8>) {
    let sample = Sample { moments: 400, radius: 4, ..Sample::default() };
    sample.build(generation).unwrap()
}

fn whole(setup: &Setup, frames: &[u8], view: u8, kept: usize) -> MinewarsTimeline {
    let options = TimelineOptions::default().with_kept_bytes(kept);
    let view = View::new(view).unwrap();
    let mut timeline = MinewarsTimeline::new(setup, view, options).unwrap();
    timeline.extend(frames).unwrap();
    timeline
}

fn frames<'a>(setup: &Setup, bytes: &'a [u8]) -> Frames<'a> {
    Frames::new(FrameLayout::new(setup.generation, setup.max_view()).unwrap(), bytes)
}

#[test]
fn a_seek_equals_playing_from_the_start_whatever_the_order_and_the_budget() {
    for generation in [Generation::V01, Generation::Current] {
        let (setup, bytes) = sample(generation);
        let end = frames(&setup, &bytes).map(|frame| frame.unwrap().time()).last().unwrap();
        for (view, kept) in [(0, usize::MAX), (1, 0), (2, 20_000)] {
            let mut timeline = whole(&setup, &bytes, view, kept);
            assert_eq!(timeline.end(), Moment::after(Tick(end)));
            for moment in jumps(end + 1, 120) {
                go(&mut timeline, moment);
                let dialect = Dialect::from(generation);
                let (view, frames) = (View::new(view).unwrap(), frames(&setup, &bytes));
                let expected = match moment.last_tick() {
                    None => replay_view(&setup.map, [], dialect, view, 0),
                    Some(last) => replay_view(&setup.map, frames, dialect, view, last.0),
                };
                assert!(*timeline.state().state() == expected.state, "{moment:?}");
            }
            assert!(timeline.kept_bytes() <= kept);
            assert!(timeline.report().findings().is_empty());
            check_steps(&mut timeline);
        }
    }
}

#[test]
fn a_file_is_played_as_it_is() {
    let (setup, bytes) = sample(Generation::Current);
    let file = write_file(&setup, &bytes, &WriteOptions::default()).unwrap();
    let file = ReplayFile::open(&file).unwrap();
    let options = TimelineOptions::default();
    let mut timeline = MinewarsTimeline::open(&file, View::SPECTATOR, options).unwrap();
    let mut other = whole(&setup, &bytes, 0, 1 << 20);
    assert_eq!(timeline.end(), other.end());
    let end = timeline.end();
    go(&mut timeline, end);
    go(&mut other, end);
    assert!(timeline.state().state() == other.state().state());
    assert!(timeline.extend(&[0]).is_err(), "a file has ended");
    let missing = MinewarsTimeline::open(&file, View::new(9).unwrap(), options);
    assert_eq!(missing.unwrap_err().to_string(), "view: there are views 0 to 3, not 9");
}

#[test]
fn the_changes_of_a_moment_are_the_messages_of_its_last_tick() {
    let (setup, bytes) = sample(Generation::Current);
    let view = View::new(1).unwrap();
    let mut timeline = whole(&setup, &bytes, 1, 1 << 20);
    for time in (0..timeline.end().next_tick().0).step_by(37) {
        go(&mut timeline, Moment::after(Tick(time)));
        let all = frames(&setup, &bytes).map(Result::unwrap);
        let now = all.filter(|frame| frame.time() == time && frame.views().contains(view));
        let expected: Vec<&[u8]> = now.map(|frame| frame.view(view).unwrap()).collect();
        let changes: Vec<&[u8]> = timeline.changes().iter().map(|change| change.payload).collect();
        assert_eq!(changes, expected, "{time}");
    }
}

#[test]
fn what_is_wrong_is_found_once_however_often_it_is_played() {
    let (setup, mut bytes) = sample(Generation::Current);
    let end = frames(&setup, &bytes).map(|frame| frame.unwrap().time()).last().unwrap();
    // Tile 100,0 is not on the map.
    bytes.extend([0x80, 5, 0b001, 2, 0x81, 100, 0]);
    // A frame that is cut.
    bytes.push(0x80);
    let mut timeline = whole(&setup, &bytes, 0, 1 << 20);
    assert_eq!((timeline.end(), timeline.rest()), (Moment::after(Tick(end + 5)), &[0x80][..]));
    for _ in 0..3 {
        go(&mut timeline, Moment::START);
        let end = timeline.end();
        go(&mut timeline, end);
    }
    let found = timeline.report().findings();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].rule, found[0].tick), ("input", Some(Tick(end + 5))));
    timeline.close();
    timeline.close();
    let found = timeline.report().findings();
    assert_eq!((found.len(), found[1].rule, found[1].severity), (2, "frame", Severity::Error));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// States, findings and end do not depend on the pieces in which frames came, nor on where the
    /// position was meanwhile.
    #[test]
    fn extended_in_any_pieces_is_opened_whole(
        cuts in prop::collection::vec((0usize..6000, 0u64..1000), 0..8),
        torn in 0usize..4,
    ) {
        let (setup, mut bytes) = sample(Generation::Current);
        bytes.truncate(bytes.len() - torn);
        let mut opened = whole(&setup, &bytes, 1, 1 << 20);
        let mut cuts: Vec<_> = cuts.into_iter().map(|(at, to)| (at.min(bytes.len()), to)).collect();
        cuts.sort_unstable();
        let mut grown = whole(&setup, &[], 1, 1 << 20);
        let mut from = 0;
        for (at, share) in cuts {
            grown.extend(&bytes[from..at]).unwrap();
            from = at;
            let ticks = grown.end().next_tick().0;
            go(&mut grown, Moment::before(Tick(ticks * share / 1000)));
        }
        let before = (grown.position(), grown.state().state().hash());
        grown.extend(&bytes[from..]).unwrap();
        prop_assert_eq!((grown.position(), grown.state().state().hash()), before);
        grown.close();
        opened.close();
        prop_assert_eq!(grown.end(), opened.end());
        prop_assert_eq!(grown.rest(), opened.rest());
        for moment in jumps(opened.end().next_tick().0, 20).chain([opened.end()]) {
            go(&mut grown, moment);
            go(&mut opened, moment);
            prop_assert!(grown.state().state() == opened.state().state());
            prop_assert_eq!(grown.changes(), opened.changes());
        }
        prop_assert_eq!(grown.report(), opened.report());
    }
}
