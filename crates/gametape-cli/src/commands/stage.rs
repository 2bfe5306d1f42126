//! Recordings to look at, for `map` and `play`: files opened as stages, and their problems reported.

use gametape_replay::open::MinewarsBytes;
use gametape_wire::{Error, ErrorKind, Place};

use crate::failure::{Done, Failure, warn, warn_of_loss};
use crate::games;
use crate::input::{Input, Opened, Recording, RecordingArgs, Source, gamelog_options};
use crate::tape::{TapeFile, warn_of_gaps};
use crate::text::count;
use crate::view_arg::{Names, ViewArg};

/// More problems than this are counted, not shown.
const SHOWN_PROBLEMS: usize = 10;

/// A recording to look at.
pub(super) type Stage = gametape_scene::stage::Stage<TapeFile>;

/// Opens a recording, seen as its first view.
pub(super) fn open(recording: &RecordingArgs) -> Result<Stage, Failure> {
    match recording.open()? {
        Opened::Whole(input) => of_input(input),
        Opened::Tape(file) => of_tape(file),
    }
}

pub(super) fn of_tape(file: TapeFile) -> Result<Stage, Failure> {
    let source = file.source.clone();
    let stage = Stage::of_tape(file, &games::GAMES, &gamelog_options())
        .map_err(|error| Failure::of(&source, &error))?;
    // What damage took of the deltas is among the gaps of a gamelog.
    if !stage.is_gamelog() {
        stage.losses().iter().for_each(|loss| warn_of_loss(&source, loss));
    }
    warn_of_gaps(&source, stage.gaps());
    let dress = games::known(stage.content()).and_then(games::dress);
    Ok(stage.with_dress(dress).with_default_name(short_name(&source)))
}

pub(super) fn of_input(input: Input) -> Result<Stage, Failure> {
    let source = input.source.clone();
    let stage = match input.recording()? {
        Recording::Gamelog(log) => Stage::of_gamelog(log.log()?, &gamelog_options()),
        Recording::MineWars(_) => {
            let bytes = MinewarsBytes::new(input.bytes, input.dialect);
            Stage::of_minewars(bytes.headerless(input.headerless))
        }
    };
    let stage = stage.map_err(|error| Failure::of(&source, &error))?;
    Ok(stage.with_default_name(short_name(&source)))
}

/// Sees a recording as the view that somebody asked for, by name or number.
pub(super) fn look_as(stage: &mut Stage, source: &Source, who: &ViewArg) -> Result<(), Failure> {
    let Some(name) = &who.given else { return Ok(()) };
    if stage.is_gamelog() {
        let problem = "--view is for MineWars recordings, and";
        return Err(Failure::usage(format_args!("{problem} {source} is a gamelog")));
    }
    let view = name.find(source, || Names::of(stage.players()))?;
    if !stage.views().contains(view) {
        let views = stage.listed_views();
        return Err(Failure::usage(format_args!("{source} has views {views}, not {view}")));
    }
    stage.change_view(view).map_err(|error| Failure::of(source, &error))
}

/// Reports what went wrong on the way: the first problems, and how many there are in all.
pub(super) fn warn_of_problems(stage: &Stage, source: &Source) -> Done {
    let report = stage.report();
    let all = report.errors() + report.warnings();
    let shown = report.findings().iter().take(SHOWN_PROBLEMS);
    let hidden = all.saturating_sub(shown.len() as u64);
    shown.for_each(|finding| warn(source, finding));
    if hidden > 0 {
        warn(source, format_args!("{} more like this", count(hidden, "problem")));
    }
    Done::lost_if(report.errors() > 0)
}

/// Why there is no board, and what to use instead.
pub(super) fn no_board() -> Error {
    let problem = "nothing in its state has a position (x and y, a tile, fen), so there is no \
                   board; `gametape state` and `gametape play` show it as a tree";
    let kind = ErrorKind::BadSyntax { problem: problem.into() };
    Error::new(Place::Nowhere, "board", kind)
}

/// The name of a file without its folders.
fn short_name(source: &Source) -> String {
    let name = match source {
        Source::File(path) => path.file_name(),
        Source::Stdin => None,
    };
    name.map_or_else(|| source.to_string(), |name| name.to_string_lossy().into_owned())
}
