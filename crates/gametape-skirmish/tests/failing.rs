//! Reads that fail while a match is exported or run again: that ends the call, and nothing is made of it.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::borrow::Cow;
use std::ops::Range;

use gametape_minewars::Generation;
use gametape_replay::verify::{Checked, Level, TapeCheck, TapeChecks};
use gametape_replay::{KnownGame, Recording, Source};
use gametape_skirmish::{Config, Match, SkirmishGame, Style, gamelog, metadata, record_match};
use gametape_tape::{Tape, TapeWriter};
use gametape_wire::{Error, Result, Tick, ViewSet};

/// Fails at one request.
struct FailsOnce<'a> {
    tape: &'a [u8],
    left: Option<usize>,
}

impl Source for FailsOnce<'_> {
    fn length(&self) -> u64 {
        self.tape.len() as u64
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        match &mut self.left {
            Some(0) => {
                self.left = None;
                return Err(Error::unreadable(range.start, "disk", "it is gone"));
            }
            left => *left = left.map(|left| left - 1),
        }
        self.tape.fetch(range)
    }
}

/// Calls with a source that fails at its first request, its second, and so on; returns what comes out
/// where none fails.
fn with_every_failure<T>(tape: &[u8], call: impl Fn(&mut FailsOnce<'_>) -> Result<T>) -> T {
    for request in 0.. {
        let mut source = FailsOnce { tape, left: Some(request) };
        match call(&mut source) {
            Err(error) => assert!(error.to_string().contains("it is gone"), "{error}"),
            Ok(result) => {
                assert!(source.left.is_some(), "request {request} failed unnoticed");
                assert!(request > 3, "{request} requests");
                return result;
            }
        }
    }
    unreachable!("there are fewer requests than numbers")
}

/// A short match between noise, so that its chunks are not read together with the index.
fn tape() -> Vec<u8> {
    let config = Config::new(2, 6, 1);
    let about = metadata(&config, Generation::Current);
    let mut game = Match::new(config, &Style::ALL, Generation::Current).unwrap();
    let bytes = record_match(&mut game, &about, 7, Tick(400)).unwrap();
    let tape = Tape::open(&bytes).unwrap();
    let mut writer = TapeWriter::new(tape.header, tape.metadata.as_bytes()).unwrap();
    let mut dice = 1_u32;
    let noise = (0..60_000).map(|_| {
        dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (dice >> 24) as u8
    });
    let noise: Vec<u8> = noise.collect();
    writer.resource("noise", ViewSet::ALL, &noise).unwrap();
    for entry in tape.chunks.iter().skip(1) {
        writer.copy(&tape.read(entry, &bytes).unwrap(), entry.header.views).unwrap();
    }
    writer.resource("more noise", ViewSet::ALL, &noise).unwrap();
    [writer.take(), writer.finish().unwrap()].concat()
}

#[test]
fn a_gamelog_lacks_no_order_because_a_read_failed() {
    let tape = tape();
    let made = with_every_failure(&tape, |source| gamelog(Recording::open(source)?));
    assert_eq!(made.findings, []);
    assert!(made.json.windows(5).filter(|window| window == b"\"ran\"").count() > 0);
    assert_eq!(made, gamelog(Recording::open(&tape[..]).unwrap()).unwrap());
}

#[test]
fn a_match_that_cannot_be_read_is_not_verified() {
    let tape = tape();
    let games: [&dyn KnownGame; 1] = [&SkirmishGame];
    let checks = TapeChecks::new(Level::Resim, None, &games);
    let checked = with_every_failure(&tape, |source| TapeCheck::of("a.tape", source, &checks));
    assert!(checked.is_sound() && checked.reached() == Some(Level::Resim));
}
