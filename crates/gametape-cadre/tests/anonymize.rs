//! Logs without what says who played.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use gametape_cadre::{Anonymizer, Log, Markers, Options, Timeline, anonymize};

/// A file of the hostile corpus; none, with the reason printed, where there is no corpus.
fn hostile(name: &str) -> Option<Log> {
    let Some(corpus) = std::env::var_os("GAMETAPE_CORPUS") else {
        println!("skipped: GAMETAPE_CORPUS is not set");
        return None;
    };
    let path = PathBuf::from(corpus).join("hostile").join(name);
    Some(Log::open(std::fs::read(path).unwrap(), &Options::default()).unwrap())
}

/// All strings of the log and of its last state, in lower case.
fn everything(log: &Log) -> String {
    let timeline = Timeline::load(log.clone(), &Options::default()).unwrap();
    let state = timeline.state().canonical();
    let text = [log.to_json(), state].concat();
    String::from_utf8(text).unwrap().to_lowercase()
}

#[test]
fn no_name_is_left_in_values_and_keys_in_any_case() {
    let Some(log) = hostile("names.json") else { return };
    let result = anonymize(&log, &Options::default()).unwrap();
    let text = everything(&result.log);
    for gone in ["zorbulina", "bob the", "bob  the", "s1", "python", "10.1.2.3", "example.org"] {
        assert!(!text.contains(gone), "{gone} in {text}");
    }
    assert_eq!(result.remaining.len(), 0, "{:?}", result.remaining);
    assert!(result.removed["names in keys"] >= 2);
    assert_eq!(result.log.header().winners()[0].name().unwrap(), "Player 0");
    assert_eq!(result.log.header().epoch(), Some(0));
}

#[test]
fn no_session_is_left_in_the_state() {
    let Some(log) = hostile("chess.json.gz") else { return };
    let result = anonymize(&log, &Options::default()).unwrap();
    let text = everything(&result.log);
    for gone in ["arena1", "chess random bot", "rawpython"] {
        assert!(!text.contains(gone), "{gone}");
    }
    assert_eq!(result.remaining.len(), 0, "{:?}", result.remaining);
    let before = Timeline::load(log, &Options::default()).unwrap();
    let after = Timeline::load(result.log, &Options::default()).unwrap();
    assert_eq!(after.state().get("session").unwrap().as_str().unwrap(), "anonymous");
    let fen = |timeline: &Timeline| timeline.state().get("fen").unwrap().canonical();
    assert_eq!(fen(&after), fen(&before));
}

fn log(deltas: &[&str]) -> Log {
    let mut log = Log::new(Markers::default(), &Options::default());
    for delta in deltas {
        log.push(delta.as_bytes()).unwrap();
    }
    log
}

#[test]
fn a_player_who_is_renamed_is_found_and_keys_stay_apart() {
    let log = log(&[
        r#"{"game":{"gameObjects":{"0":{"id":"0","gameObjectName":"Player","name":"Grünwald"}}}}"#,
        r#"{"game":{"gameObjects":{"0":{"name":"Zed of Ur"}},"x":{"grünwald":1,"GRÜNWALD":2},"by":"zed OF ur"}}"#,
        r#"{"game":{"x":{"GRÜNWALD":"&RM"}}}"#,
    ]);
    let result = anonymize(&log, &Options::default()).unwrap();
    let timeline = Timeline::load(result.log, &Options::default()).unwrap();
    let state = String::from_utf8(timeline.state().canonical()).unwrap();
    let expected = r#"{"by":"Player 0","gameObjects":{"0":{"gameObjectName":"Player","id":"0","name":"Player 0"}},"x":{"Player 0":1}}"#;
    assert_eq!(state, expected);
}

#[test]
fn words_of_the_format_and_numbers_are_no_names() {
    let log = log(&[
        r#"{"type":"start","game":{"gameObjects":{"7":{"id":"7","gameObjectName":"Player","name":"units"},"1":{"id":"1","gameObjectName":"Player","name":"7"},"3":{"id":"3","gameObjectName":"Player","name":"Player"}},"units":{"0":{"id":"7"},"&LEN":1}}}"#,
    ]);
    let result = anonymize(&log, &Options::default()).unwrap();
    let timeline = Timeline::load(result.log, &Options::default()).unwrap();
    let state = timeline.state();
    let text = |path: &str| state.get(path).unwrap().as_str().unwrap().into_owned();
    assert_eq!(text("gameObjects.7.name"), "Player 7");
    assert_eq!(text("gameObjects.1.name"), "Player 1");
    assert_eq!(text("gameObjects.3.name"), "Player 3");
    assert_eq!(text("gameObjects.7.gameObjectName"), "Player");
    assert_eq!(state.get("Player 7.0").unwrap().reference().unwrap(), "7");
    assert!(
        result.remaining.keys().all(|what| what.contains("Player 3")),
        "{:?}",
        result.remaining
    );
}

#[test]
fn a_delta_at_a_time_is_the_whole_log() {
    let log = Log::open(gametape_cadre::sample::log(80, 3), &Options::default()).unwrap();
    let whole = anonymize(&log, &Options::default()).unwrap();
    let mut anonymizer = Anonymizer::new();
    anonymizer.learn_root(&log.to_json());
    log.deltas().for_each(|delta| anonymizer.learn_delta(delta.raw().as_bytes()));
    assert_eq!(anonymizer.root(&log.to_json()), whole.log.to_json());
    let last = Timeline::load(log.clone(), &Options::default()).unwrap().state().canonical();
    let scrubbed = Timeline::load(whole.log, &Options::default()).unwrap().state().canonical();
    assert_eq!(anonymizer.state(&last), scrubbed);
}
