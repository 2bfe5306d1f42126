//! Recordings to look at, for `map` and `play`: files opened as stages, and their problems reported.

use gametape_wire::{Error, ErrorKind, Place};

use crate::failure::Failure;
use crate::input::{FormatArgs, Source};
use crate::tape::TapeFile;
use crate::view_arg::ViewArg;
pub(super) use gametape_files::warn_of_problems;

/// A recording to look at.
pub(super) type Stage = gametape_scene::stage::Stage<TapeFile>;

/// Opens a recording, seen as the view that somebody asked for, or else as its first.
pub(super) fn open(source: &Source, format: &FormatArgs, who: &ViewArg) -> Result<Stage, Failure> {
    gametape_files::open_stage(source, format, who.given.as_ref())
}

/// Opens a tape that may be growing; `None` while its first chunks are not there yet.
pub(super) fn open_followed(
    file: TapeFile,
    source: &Source,
    who: &ViewArg,
) -> Result<Option<Stage>, Failure> {
    gametape_files::open_followed(file, source, who.given.as_ref())
}

/// Why there is no board, and what to use instead.
pub(super) fn no_board() -> Error {
    let problem = "nothing in its state has a position (x and y, a tile, fen), so there is no \
                   board; `gametape state` and `gametape play` show it as a tree";
    let kind = ErrorKind::BadSyntax { problem: problem.into() };
    Error::new(Place::Nowhere, "board", kind)
}
