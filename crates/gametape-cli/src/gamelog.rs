//! What commands share that look into gamelogs: states at a moment, text in pieces.

use std::fmt::Display;

use gametape_cadre::show::Put;
use gametape_cadre::{Options, Timeline};
use gametape_wire::{self as wire, Error};

use crate::failure::Failure;
use crate::input::{Gamelog, Source};
use crate::moment::{When, deltas_at};
use crate::output::Printer;
use crate::progress::waiting;

/// Reads a log and merges all its deltas, without keyframes to go back to.
pub(crate) fn load_once(gamelog: &Gamelog<'_>) -> Result<Timeline, Failure> {
    let (log, options) = (gamelog.log()?, Options::default().with_keyframe_bytes(0));
    let merged = waiting("merging", || Timeline::load(log, &options));
    merged.map_err(|error| gamelog.failure(&error))
}

/// Reads a log and goes to a moment of it. What cannot be merged matters only up to there.
pub(crate) fn load_at(gamelog: &Gamelog<'_>, at: When) -> Result<Timeline, Failure> {
    let log = gamelog.log()?;
    let read = waiting("merging", || Timeline::load_readable(log, &Options::default()));
    let (mut timeline, problem) = read.map_err(|error| gamelog.failure(&error))?;
    match (seek(&mut timeline, gamelog.source, at), problem) {
        (Ok(()), _) => Ok(timeline),
        (Err(_), Some(error)) => Err(gamelog.failure(&error)),
        (Err(failure), None) => Err(failure),
    }
}

/// Goes to a moment of a log.
pub(crate) fn seek(timeline: &mut Timeline, source: &Source, at: When) -> Result<(), Failure> {
    let position = match (deltas_at(source, at, timeline.len() as u64)?, at) {
        (Some(deltas), _) => deltas as usize,
        (None, When::Turn(turn)) => match timeline.turns().first_delta(turn) {
            Some(delta) => delta + 1,
            None => return Err(Failure::usage(format_args!("{source} has no turn {turn}"))),
        },
        (None, _) => timeline.len(),
    };
    timeline.seek(position).map_err(|error| Failure::of(source, &error))
}

/// Prints text that comes in pieces; errors of the work are about `source`.
pub(crate) fn print_pieces<T>(
    source: &impl Display,
    work: impl FnOnce(&mut Put<'_>) -> wire::Result<T>,
) -> Result<T, Failure> {
    let (mut printer, mut unwritten) = (Printer::new(), None);
    let done = work(&mut |piece| {
        printer.put(piece).map_err(|failure| {
            unwritten = Some(failure);
            Error::misuse("result", "it cannot be written")
        })
    });
    if let Some(failure) = unwritten {
        return Err(failure);
    }
    printer.finish()?;
    done.map_err(|error| Failure::of(source, &error))
}
