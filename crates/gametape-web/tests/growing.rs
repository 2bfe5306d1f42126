//! A tape that grows while the page looks at it.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use gametape_minewars::sample::Sample;
use gametape_minewars::{Generation, ReplayFile, WriteOptions, write_file};
use gametape_replay::ConvertOptions;
use gametape_replay::minewars::to_tape;
use gametape_web::{Answered, Session};
use serde_json::{Value, json};

/// A match without events, whose tape is written in many chunks.
fn tape() -> Vec<u8> {
    let sample = Sample { radius: 4, moments: 1500, ..Sample::default() };
    let (setup, frames) = sample.build(Generation::Current).unwrap();
    let file = write_file(&setup, &frames, &WriteOptions::default()).unwrap();
    let options = ConvertOptions::new(1).with_spacing(2000);
    to_tape(&ReplayFile::open(&file).unwrap(), &options).unwrap()
}

fn ask(session: &mut Session, bytes: &[u8], request: &Value) -> Result<Value, String> {
    for _ in 0..100 {
        if let Answered::Ready(json) = session.call(&request.to_string())? {
            return Ok(serde_json::from_str(&json).unwrap());
        }
        for range in session.missing() {
            session.supply(range.start, &bytes[range.start as usize..range.end as usize]);
        }
    }
    panic!("{request} is never answered");
}

/// All that there is to report so far.
fn story(session: &mut Session, bytes: &[u8]) -> Value {
    for _ in 0..1000 {
        let story = ask(session, bytes, &json!({"do": "story"})).unwrap();
        if story["reported"].as_f64().unwrap() >= 1.0 {
            return story;
        }
    }
    panic!("the story never ends");
}

fn whole(tape: &[u8]) -> Session {
    let mut whole = Session::new("a.tape", tape.len() as u64);
    let about = ask(&mut whole, tape, &json!({"do": "open"})).unwrap();
    assert_eq!(about["growing"], false);
    whole
}

#[test]
fn a_tape_that_grows_shows_what_the_whole_tape_shows_at_every_moment_it_has() {
    let tape = tape();
    let mut whole = whole(&tape);
    let all = story(&mut whole, &tape)["markers"].as_array().unwrap().clone();
    for step in [1_500, 20_000] {
        let mut growing = Session::growing("a.tape");
        let start = tape.len() / 4;
        assert_eq!(growing.extend(&tape[..start]).unwrap(), 0);
        let about = ask(&mut growing, &tape, &json!({"do": "open"})).unwrap();
        assert_eq!(about["growing"], true);
        let mut end = about["end"].as_u64().unwrap();
        let mut at = start;
        let mut ends = 0;
        for piece in tape[start..].chunks(step) {
            at += piece.len();
            let now = growing.extend(piece).unwrap();
            assert!(now >= end, "it never becomes shorter");
            if now == end && at < tape.len() {
                continue;
            }
            (end, ends) = (now, ends + 1);
            for moment in [end, end / 2, end - 1] {
                let [shown, alone] =
                    [(&mut growing, at), (&mut whole, tape.len())].map(|(session, length)| {
                        let bytes = &tape[..length];
                        ask(session, bytes, &json!({"do": "seek", "to": moment})).unwrap();
                        ask(session, bytes, &json!({"do": "hash"})).unwrap()
                    });
                assert_eq!(shown, alone, "{moment} of {end}");
            }
            // What was said of the part that is there.
            let reported = story(&mut growing, &tape[..at])["markers"].as_array().unwrap().clone();
            assert!(reported.len() <= all.len() && reported[..] == all[..reported.len()], "{end}");
            let is_later = |marker: &Value| marker["moment"].as_u64().unwrap() > end;
            assert!(
                all[reported.len()..].iter().all(is_later),
                "{} of {}",
                reported.len(),
                all.len()
            );
        }
        assert!(ends > 1, "{ends}");
        let about = ask(&mut growing, &tape, &json!({"do": "open"})).unwrap();
        let same = ask(&mut whole, &tape, &json!({"do": "open"})).unwrap();
        assert_eq!((&about["growing"], &about["end"]), (&json!(false), &same["end"]));
        assert_eq!(story(&mut growing, &tape), story(&mut whole, &tape));
    }
}

#[test]
fn every_view_of_a_tape_that_grows_can_be_changed_to() {
    let tape = tape();
    let mut whole = whole(&tape);
    let mut growing = Session::growing("a.tape");
    let middle = tape.len() / 2;
    growing.extend(&tape[..middle]).unwrap();
    ask(&mut growing, &tape, &json!({"do": "open"})).unwrap();
    for (view, rest) in [(1, &tape[middle..middle + 5_000]), (2, &tape[middle + 5_000..])] {
        ask(&mut growing, &tape, &json!({"do": "view", "view": view})).unwrap();
        ask(&mut whole, &tape, &json!({"do": "view", "view": view})).unwrap();
        let end = growing.extend(rest).unwrap();
        let seek = json!({"do": "seek", "to": end});
        ask(&mut growing, &tape, &seek).unwrap();
        ask(&mut whole, &tape, &seek).unwrap();
        let hash = json!({"do": "hash"});
        assert_eq!(
            ask(&mut growing, &tape, &hash).unwrap(),
            ask(&mut whole, &tape, &hash).unwrap()
        );
    }
}

#[test]
fn what_is_too_early_or_no_tape_is_said_and_can_be_tried_again() {
    let tape = tape();
    let mut growing = Session::growing("a.tape");
    let open = json!({"do": "open"});
    assert!(ask(&mut growing, &tape, &open).is_err(), "there is nothing yet");
    growing.extend(&tape[..40]).unwrap();
    assert!(ask(&mut growing, &tape, &open).is_err(), "there is no setup yet");
    growing.extend(&tape[40..tape.len() / 2]).unwrap();
    let about = ask(&mut growing, &tape, &open).unwrap();
    // What is no chunk is refused, and what was there stays.
    assert!(growing.extend(&[0x5A; 4000]).is_err());
    let shown = ask(&mut growing, &tape, &json!({"do": "seek", "to": about["end"]})).unwrap();
    assert_eq!(shown["moment"], about["end"]);
}
