//! The state at a moment is the same in a file and in the tape that was made of it.

use gametape_cadre::{Log, Options, sample};
use gametape_minewars::sample::Sample;
use gametape_minewars::{Generation, ReplayFile, WriteOptions, write_file};
use gametape_replay::open::{OpenOptions, open};
use gametape_replay::state_at::{StateAt, StateRequest, state_at};
use gametape_replay::{ConvertOptions, ViewName, cadre, minewars};
use gametape_wire::Result;

fn find(bytes: &[u8], at: &str, view: Option<&str>) -> Result<StateAt> {
    let opened = open(bytes, &OpenOptions::default()).unwrap();
    let view: Option<ViewName> = view.map(|view| view.parse().unwrap());
    state_at(opened, &StateRequest::new(at.parse().unwrap()).seen_by(view.as_ref()), &[])
}

#[test]
fn a_view_knows_the_same_in_a_file_and_in_its_tape() {
    let (setup, frames) = Sample::default().build(Generation::Current).unwrap();
    let file = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let options = ConvertOptions::new(1).with_spacing(300);
    let tape = minewars::to_tape(&ReplayFile::open(&file).unwrap(), &options).unwrap();
    let mut hashes = Vec::new();
    for at in ["start", "tick:700", "1.5s", "2s", "end"] {
        for view in [None, Some("1"), Some("ada"), Some("2")] {
            let [a, b] = [&file, &tape].map(|bytes| match find(bytes, at, view).unwrap() {
                StateAt::View(view) => view,
                other => panic!("{other:?}"),
            });
            assert_eq!(a.replayed.state.hash(), b.replayed.state.hash(), "{at} {view:?}");
            assert_eq!((a.start, &a.cities), (b.start, &b.cities), "{at} {view:?}");
            assert!(!a.cities.is_empty() && b.losses.is_empty());
            hashes.push(a.replayed.state.hash());
        }
    }
    assert!(hashes.chunks(4).all(|same| same[1] == same[2] && same[0] != same[1]));
    hashes.dedup();
    assert!(hashes.len() > 10, "time and view matter");
}

#[test]
fn a_game_is_the_same_in_a_gamelog_and_in_its_tape() {
    let log = sample::log(120, 2);
    let options = ConvertOptions::new(1);
    let tape =
        cadre::to_tape(&Log::open(&log[..], &Options::default()).unwrap(), &options).unwrap();
    for at in ["start", "tick:5", "7", "50%", "turn:3", "end"] {
        let [a, b] = [&log, &tape].map(|bytes| match find(bytes, at, None).unwrap() {
            StateAt::Game(game) => game,
            other => panic!("{other:?}"),
        });
        assert_eq!(a.state().hash_hex(), b.state().hash_hex(), "{at}");
        assert_eq!((&a.moment, &b.losses), (&b.moment, &Vec::new()), "{at}");
    }
}

#[test]
fn what_is_not_there_is_refused_by_name() {
    let log = sample::log(20, 1);
    let (setup, frames) = Sample::default().build(Generation::Current).unwrap();
    let file = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    for (bytes, at, view, problem) in [
        (&log, "end", Some("1"), "view: a gamelog has none"),
        (&log, "20", None, "there are 20 deltas, counted from 0, and so no delta 20"),
        (&log, "1s", None, "a gamelog has no clock"),
        (&log, "turn:999", None, "there is no turn 999"),
        (&file, "end", Some("14"), "view: there are views 0 to "),
        (&file, "end", Some("Zoe"), "there is no player \"Zoe\": the players are 1 Ada"),
        (&file, "turn:3", None, "turns are for gamelogs"),
    ] {
        let error = find(bytes, at, view).unwrap_err().to_string();
        assert!(error.contains(problem), "{at} {view:?}: {error}");
    }
}
