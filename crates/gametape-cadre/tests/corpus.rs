//! The real logs, if the environment says where they are.

use std::path::PathBuf;

use gametape_cadre::{Log, Markers, Options, Outcome, Summary, Timeline};
use serde_json::Value;

/// The folder of real logs, or none, said aloud.
fn corpus() -> Option<PathBuf> {
    let root = std::env::var_os("GAMETAPE_CORPUS");
    if root.is_none() {
        println!("skipped: GAMETAPE_CORPUS is not set");
    }
    Some(PathBuf::from(root?).join("cadre"))
}

fn json(path: PathBuf) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

/// Every log with what is expected of it.
fn logs() -> Vec<(String, Vec<u8>, Value)> {
    let Some(folder) = corpus() else { return Vec::new() };
    let expected = json(folder.join("EXPECTED.json"));
    let read = |(name, expected): (&String, &Value)| {
        (name.clone(), std::fs::read(folder.join(name)).unwrap(), expected.clone())
    };
    expected.as_object().unwrap().iter().map(read).collect()
}

#[test]
fn every_expected_state_has_its_hash() {
    for (name, input, expected) in logs() {
        let log = Log::open(&input, &Options::default()).unwrap();
        assert_eq!(log.len() as u64, expected["deltas"].as_u64().unwrap(), "{name}");
        assert_eq!(log.header().game_name().unwrap(), expected["gameName"].as_str().unwrap());
        let mut timeline = Timeline::load(log, &Options::default()).unwrap();
        for (index, state) in expected["states"].as_object().unwrap() {
            timeline.seek(index.parse::<usize>().unwrap() + 1).unwrap();
            let canonical = timeline.state().canonical();
            assert_eq!(canonical.len() as u64, state["canonical_bytes"].as_u64().unwrap());
            assert_eq!(
                timeline.state().hash_hex(),
                state["sha256"].as_str().unwrap(),
                "{name} {index}"
            );
        }
    }
}

#[test]
fn every_corner_case_merges_as_expected() {
    let Some(folder) = corpus() else { return };
    let cases = json(folder.join("CORNER_CASES.json"));
    for case in cases["cases"].as_array().unwrap() {
        let text = case["deltas_json"].as_str().unwrap();
        let mut timeline = Timeline::empty(Markers::default()).unwrap();
        let raw = gametape_cadre::Raw::parse(text.as_bytes()).unwrap();
        let outcome: Result<(), _> =
            raw.elements().try_for_each(|game| timeline.push_game(game?.as_bytes()));
        let found = match outcome {
            Ok(()) => String::from_utf8(timeline.state().canonical()).unwrap(),
            Err(_) => "error".to_owned(),
        };
        assert_eq!(found, case["expect"].as_str().unwrap(), "{}", case["name"]);
    }
}

#[test]
fn the_summary_has_the_outcome_of_the_last_state() {
    for (name, input, expected) in logs() {
        let log = Log::open(&input, &Options::default()).unwrap();
        let timeline = Timeline::load(log, &Options::default()).unwrap();
        let outcome = Outcome::of(timeline.state(), timeline.log().header());
        let summary = Summary::read(&input, &Options::default()).unwrap();
        assert_eq!(*summary.outcome(), outcome, "{name}");
        assert_eq!(outcome.players.len(), 2, "{name}");
        assert_eq!(summary.delta_count() as u64, expected["deltas"].as_u64().unwrap());
        assert_eq!(summary.json_bytes() as u64, expected["json_bytes"].as_u64().unwrap());
        println!("{name} {:?}", outcome.disagreements);
    }
}
