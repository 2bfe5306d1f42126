//! Recordings to look at, for `map` and `play`: files opened as stages, and their problems reported.

use gametape_cadre::Options;
use gametape_replay::inspect::gap_lines;
use gametape_wire::{Error, ErrorKind, Place};

use crate::failure::{Done, Failure, warn_of_each, warn_of_loss};
use crate::games::{GAMES, dress};
use crate::global::max_memory;
use crate::input::{FormatArgs, Source};
use crate::tape::TapeFile;
use crate::view_arg::ViewArg;

/// A recording to look at.
pub(super) type Stage = gametape_scene::stage::Stage<TapeFile>;

/// Opens a recording, seen as the view that somebody asked for, or else as its first.
pub(super) fn open(source: &Source, format: &FormatArgs, who: &ViewArg) -> Result<Stage, Failure> {
    let options = Options::default().with_max_memory(max_memory());
    let stage = Stage::open(source.open_with(format)?, &GAMES, &options);
    prepared(stage.map_err(|error| Failure::of(source, &error))?, source, who)
}

/// Opens a tape that may be growing; `None` while its first chunks are not there yet.
pub(super) fn open_followed(
    file: TapeFile,
    source: &Source,
    who: &ViewArg,
) -> Result<Option<Stage>, Failure> {
    let options = Options::default().with_max_memory(max_memory());
    match Stage::of_tape(file, &GAMES, &options).and_then(Stage::follow) {
        Ok(stage) => prepared(stage, source, who).map(Some),
        Err(error) if Stage::is_early(&error) => Ok(None),
        Err(error) => Err(Failure::of(source, &error)),
    }
}

fn prepared(stage: Stage, source: &Source, who: &ViewArg) -> Result<Stage, Failure> {
    let failed = |error: Error| Failure::of(source, &error);
    // What damage took of the deltas is among the gaps of a gamelog.
    if !stage.is_gamelog() {
        stage.losses().iter().for_each(|loss| warn_of_loss(source, loss));
    }
    gap_lines(stage.gaps()).iter().for_each(|line| warn_of_loss(source, line));
    let dress = dress(stage.content());
    let mut stage = stage.with_dress(dress).with_default_name(source.short_name());
    if let Some(name) = &who.given {
        stage.look_as(name).map_err(failed)?;
    }
    Ok(stage)
}

/// Reports what went wrong on the way: the first problems, and how many there are in all.
pub(super) fn warn_of_problems(stage: &Stage, source: &Source) -> Done {
    let report = stage.report();
    let all = report.errors() + report.warnings();
    warn_of_each(source, report.findings(), all, "problem");
    Done::lost_if(report.errors() > 0)
}

/// Why there is no board, and what to use instead.
pub(super) fn no_board() -> Error {
    let problem = "nothing in its state has a position (x and y, a tile, fen), so there is no \
                   board; `gametape state` and `gametape play` show it as a tree";
    let kind = ErrorKind::BadSyntax { problem: problem.into() };
    Error::new(Place::Nowhere, "board", kind)
}
