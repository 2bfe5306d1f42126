//! A part of a recorded match: nothing of what comes after it is in it, and it begins where it begins.
#![allow(clippy::unwrap_used, clippy::panic)]

use gametape_analysis::{AnalysisEvent, Events};
use gametape_minewars::Generation;
use gametape_replay::cut::{CutRequest, cut_tape};
use gametape_replay::inspect::TapeSummary;
use gametape_replay::{DeepLevel, Direction, Playback, PlayerOptions, Recording, minewars};
use gametape_skirmish::{Config, Match, Style, metadata, record_match, recorded_game};
use gametape_tape::{ChunkKind, Level, Tape, verify_bytes};
use gametape_wire::{Moment, Tick, View, ViewSet, When};

fn recorded(ticks: u64) -> Vec<u8> {
    let config = Config::new(2, 12, 2);
    let mut game = Match::new(config.clone(), &Style::ALL, Generation::Current).unwrap();
    record_match(&mut game, &metadata(&config, Generation::Current), 7, Tick(ticks)).unwrap()
}

fn cut(bytes: &[u8], views: &[u8], from: u64, to: u64) -> Vec<u8> {
    let views = views.iter().filter_map(|number| View::new(*number)).collect();
    let (from, to) = (When::Tick(Tick(from)), When::Tick(Tick(to)));
    let mut out = Vec::new();
    let tape = Tape::open(bytes).unwrap();
    let request = CutRequest::default().with_views(views).with_from(from).with_to(to);
    let _ = cut_tape(&mut &bytes[..], &tape, &request, &mut |bytes| {
        out.extend_from_slice(bytes);
        Ok(())
    })
    .unwrap();
    let verified = verify_bytes(&out, Level::Chain, None).unwrap();
    assert!(verified.passed() && verified.report.warnings() == 0, "{verified:?}");
    out
}

/// All events of a tape with the number of their stream.
fn events(bytes: &[u8]) -> Vec<(u16, AnalysisEvent)> {
    let tape = Tape::open(bytes).unwrap();
    let mut events = Vec::new();
    for entry in tape.chunks.iter().filter(|entry| entry.header.kind == ChunkKind::EVENTS) {
        let chunk = tape.read(entry, bytes).unwrap();
        let raw = chunk.raw().unwrap();
        let block = Events::new(&raw, 0).unwrap().map(Result::unwrap);
        events.extend(block.map(|event| (entry.header.stream, event)));
    }
    events.sort_by_key(|(stream, event)| (*stream, event.tick()));
    events
}

#[test]
fn nothing_that_comes_after_a_cut_is_in_it() {
    let whole = recorded(900);
    let all = events(&whole);
    for (from, to) in [(0, 100), (0, 301), (310, 450)] {
        let part = cut(&whole, &[], from, to);
        let tape = Tape::open(&part).unwrap();
        assert!(tape.chunks.iter().all(|entry| entry.header.end_tick() <= Tick(to)));
        assert!((to - 20..=to).contains(&tape.summary.end_tick.0), "{}", tape.summary.end_tick);
        // The cut begins with a keyframe of the views, which is that of the start.
        let mut expected = all.clone();
        expected.retain(|(_, event)| event.tick().0 < to);
        assert!(!expected.is_empty() && expected.len() < all.len());
        assert_eq!(events(&part), expected, "{from} to {to}");
        let summary = TapeSummary::of("part", &mut &part[..], false).unwrap();
        assert_eq!((summary.first_tick, summary.end_tick), (Tick::ZERO, tape.summary.end_tick));
        // A player's part has of the player's own events those of the time.
        let own = events(&cut(&whole, &[1], from, to));
        assert!(!own.is_empty() && own.iter().all(|(_, event)| event.tick().0 < to));
    }
}

#[test]
fn a_cut_begins_where_its_data_begins() {
    let whole = recorded(3000);
    let part = cut(&whole, &[], 2600, 2900);
    let open = || Recording::open(&part[..]).unwrap();
    let summary = TapeSummary::of("part", &mut &part[..], false).unwrap();
    let (first, end) = (summary.first_tick, summary.end_tick);
    assert!((1..=2600).contains(&first.0) && (2880..=2900).contains(&end.0), "{first} to {end}");
    assert_eq!(summary.duration_ms, end.since(first) * 50);
    assert!(events(&part).iter().all(|(_, event)| (first..Tick(2900)).contains(&event.tick())));

    let options = PlayerOptions::default();
    for view in open().tape().views().iter() {
        let mut player = minewars::player(open(), view, options).unwrap();
        let begin = player.begin();
        assert_eq!(begin, Moment::before(first));
        assert_eq!(player.position(), begin);
        for when in ["start", "0%", "0:00", "tick:7"] {
            let moment = player.moment(when.parse().unwrap()).unwrap();
            assert_eq!(moment, Moment::after(first), "{when}");
        }
        let half = player.moment("50%".parse().unwrap()).unwrap();
        assert_eq!(half, Moment::before(first + end.since(first) / 2));
        player.seek(Moment::START).unwrap();
        assert_eq!(player.position(), begin);
        assert!(!player.step(Direction::Backward).unwrap());
        assert!(player.markers().iter().all(|marker| marker.moment >= begin));

        let mut original =
            minewars::player(Recording::open(&whole[..]).unwrap(), view, options).unwrap();
        for moment in [begin, half, Moment::after(Tick(2600)), begin, player.end()] {
            player.seek(moment).unwrap();
            original.seek(moment).unwrap();
            assert!(player.state().state() == original.state().state(), "{view:?} {moment:?}");
        }
        while player.step(Direction::Backward).unwrap() {}
        assert_eq!(player.position(), begin);
        assert_eq!((player.findings(), player.doubt()), (&[][..], None));
        let verified = player.verify(DeepLevel::Keyframes).unwrap();
        assert!(verified.passed() && verified.keyframes > 0, "{:?}", verified.report);
    }

    let game = recorded_game(&mut open()).unwrap();
    let mut player = Playback::simulation(open(), game, options).unwrap();
    assert!(player.begin() >= Moment::before(first) && player.begin() <= player.end());
    assert_eq!(player.position(), player.begin());
    player.seek(Tick(2650)).unwrap();
    let game = recorded_game(&mut Recording::open(&whole[..]).unwrap()).unwrap();
    let whole = Recording::open(&whole[..]).unwrap();
    let mut original = Playback::simulation(whole, game, options).unwrap();
    original.seek(Tick(2650)).unwrap();
    assert_eq!(player.snapshot(), original.snapshot());
    let verified = player.verify(DeepLevel::Keyframes).unwrap();
    assert!(verified.passed(), "{:?}", verified.report);
}

#[test]
fn a_view_that_is_not_in_the_part_is_refused() {
    let part = cut(&recorded(100), &[2], 0, 90);
    let open = || Recording::open(&part[..]).unwrap();
    assert_eq!(open().tape().first_view(), View::new(2).unwrap());
    for view in [0, 1] {
        let view = View::new(view).unwrap();
        let refused = minewars::player(open(), view, PlayerOptions::default());
        let error = refused.map(drop).unwrap_err().to_string();
        assert!(error.contains("view 2 only"), "{error}");
    }
    let views = ViewSet::EMPTY.with(View::new(2).unwrap());
    assert_eq!(open().tape().views(), views);
}
