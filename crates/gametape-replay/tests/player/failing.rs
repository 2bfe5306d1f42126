//! Checking, recovering and converting where reads fail: that ends the call, and nothing is made of it.

use std::borrow::Cow;
use std::ops::Range;

use gametape_minewars::Generation;
use gametape_replay::recover::FoundTape;
use gametape_replay::verify::{Checked, Level, TapeCheck, TapeChecks};
use gametape_replay::{Recording, Source, minewars};
use gametape_tape::ChunkKind;
use gametape_wire::{Error, ErrorKind, Result};

use super::common::{cadre_tape, chained, chunks, minewars_tape};
use super::ranges::FailsOnce;

/// Calls with a source that fails at its first request, its second, and so on. Returns what comes out
/// where none fails, and how many there are.
fn with_every_failure<T>(
    tape: &[u8],
    call: impl Fn(&mut FailsOnce<'_>) -> Result<T>,
) -> (T, usize) {
    let cut = ErrorKind::Truncated { needed: 9, available: 3 };
    let errors = [Error::unreadable(5, "disk", "it is gone"), Error::at(5, "file", cut)];
    let mut request = 0;
    loop {
        for error in &errors {
            let mut source = FailsOnce::at(tape, Some(request)).with(error.clone());
            match call(&mut source) {
                Err(failed) => assert!(
                    !source.is_waiting() && failed.kind() == error.kind(),
                    "request {request}: {failed}"
                ),
                Ok(result) => {
                    assert!(source.is_waiting(), "request {request} failed unnoticed");
                    return (result, request);
                }
            }
        }
        request += 1;
    }
}

fn check<S: Source>(source: &mut S) -> Result<String> {
    let checked = TapeCheck::of("a.tape", source, &TapeChecks::new(Level::Keyframes, None, &[]))?;
    assert_eq!(checked.is_sound(), checked.reached() == Some(Level::Keyframes));
    Ok(checked.to_text(100))
}

#[test]
fn verifying_ends_with_the_error_of_a_read() {
    let minewars = chained(&minewars_tape(Generation::Current));
    let mut damaged = minewars.clone();
    let keyframe = chunks(&minewars, ChunkKind::DELTA_KEYFRAME, 16)[0];
    damaged[keyframe.offset as usize + 60] ^= 1;
    for tape in [minewars, damaged, cadre_tape()] {
        let (found, requests) = with_every_failure(&tape, |source| check(source));
        assert_eq!(found, check(&mut &tape[..]).unwrap());
        assert!(requests > 10, "{requests}");
    }
}

/// A file that somebody cuts after some reads.
struct Shrinking<'a> {
    tape: &'a [u8],
    reads: usize,
}

impl Source for Shrinking<'_> {
    fn length(&self) -> u64 {
        self.tape.len() as u64
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        match self.reads.checked_sub(1) {
            Some(left) => self.reads = left,
            None => self.tape = &self.tape[..40.min(self.tape.len())],
        }
        self.tape.fetch(range).map(|bytes| Cow::Owned(bytes.into_owned()))
    }
}

#[test]
fn a_file_that_shrinks_while_it_is_read_is_no_damaged_tape() {
    let tape = chained(&minewars_tape(Generation::Current));
    let whole = check(&mut &tape[..]).unwrap();
    let mut reads = 0;
    loop {
        let mut source = Shrinking { tape: &tape, reads };
        match check(&mut source) {
            Ok(found) => {
                assert!(found == whole && source.length() > 40, "{reads} reads: {found}");
                break;
            }
            Err(error) => assert!(matches!(error.kind(), ErrorKind::Truncated { .. }), "{error}"),
        }
        reads += 1;
    }
    assert!(reads > 10, "{reads}");
}

#[test]
fn recovering_ends_with_the_error_of_a_read() {
    let mut tape = chained(&minewars_tape(Generation::Current));
    tape.truncate(tape.len() - 7);
    let recover = |source: &mut FailsOnce<'_>| {
        let found = FoundTape::search(source)?.unwrap();
        let mut whole = Vec::new();
        let report = found.write(source, None, &mut |bytes| {
            whole.extend_from_slice(bytes);
            Ok(())
        })?;
        Ok((whole, report.conclusion()))
    };
    let ((whole, conclusion), requests) = with_every_failure(&tape, recover);
    assert!(conclusion.starts_with("no chunk was lost"), "{conclusion}");
    assert!(requests > 10 && check(&mut &whole[..]).unwrap().contains("sound"), "{requests}");
}

/// Frames that are damaged are left out of the file; those that cannot be read at the moment are not.
#[test]
fn a_file_of_a_damaged_tape_has_all_that_can_be_read() {
    let tape = minewars_tape(Generation::Current);
    let frames = chunks(&tape, ChunkKind::FRAMES, 0);
    let mut damaged = tape.clone();
    damaged[frames[1].offset as usize + 60] ^= 1;
    damaged.truncate(damaged.len() - 7);
    let file = |source: &mut FailsOnce<'_>| {
        let mut recording = Recording::open(source)?;
        Ok(minewars::from_tape(&mut recording, None)?.bytes)
    };
    let (bytes, requests) = with_every_failure(&damaged, file);
    let whole = minewars::from_tape(&mut Recording::open(&tape[..]).unwrap(), None).unwrap().bytes;
    assert!(bytes.len() < whole.len() && requests > 1, "{requests}");
}
