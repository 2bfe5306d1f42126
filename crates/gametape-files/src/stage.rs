//! Recordings to look at: files opened as stages, and their problems reported.

use gametape_cadre::Options;
use gametape_replay::ViewName;
use gametape_replay::inspect::gap_lines;
use gametape_replay::open::Opened;
use gametape_scene::stage::Stage;
use gametape_skirmish::registry::{GAMES, dress};
use gametape_wire::{Error, Source as Bytes, When};

use crate::host::{warn_of_each, warn_of_loss};
use crate::memory::max_memory;
use crate::outcome::{Done, Failure};
use crate::source::{Reading, Source};
use crate::tape::TapeFile;

/// Opens a recording, seen as the view that somebody asked for, or else as its first.
pub fn open_stage(
    source: &Source,
    reading: impl Into<Reading>,
    who: Option<&ViewName>,
) -> Result<Stage<TapeFile>, Failure> {
    let stage = Stage::open(source.open_with(reading)?, &GAMES, &options());
    prepared(stage.map_err(|error| Failure::of(source, &error))?, source, who)
}

/// Opens a tape that may be growing; `None` while its first chunks are not there yet.
pub fn open_followed(
    file: TapeFile,
    source: &Source,
    who: Option<&ViewName>,
) -> Result<Option<Stage<TapeFile>>, Failure> {
    match Stage::of_tape(file, &GAMES, &options()).and_then(Stage::follow) {
        Ok(stage) => prepared(stage, source, who).map(Some),
        Err(error) if Stage::<TapeFile>::is_early(&error) => Ok(None),
        Err(error) => Err(Failure::of(source, &error)),
    }
}

/// A recording to look at; nothing is reported.
pub fn silent_stage<S: Bytes>(source: &Source, opened: Opened<S>) -> Result<Stage<S>, Error> {
    Ok(dressed(Stage::open(opened, &GAMES, &options())?, source))
}

fn options() -> Options {
    Options::default().with_max_memory(max_memory())
}

fn dressed<S: Bytes>(stage: Stage<S>, source: &Source) -> Stage<S> {
    let dress = dress(stage.content());
    stage.with_dress(dress).with_default_name(source.short_name())
}

fn prepared(
    stage: Stage<TapeFile>,
    source: &Source,
    who: Option<&ViewName>,
) -> Result<Stage<TapeFile>, Failure> {
    // What damage took of the deltas is among the gaps of a gamelog.
    if !stage.is_gamelog() {
        stage.losses().iter().for_each(|loss| warn_of_loss(source, loss));
    }
    gap_lines(stage.gaps()).iter().for_each(|line| warn_of_loss(source, line));
    let mut stage = dressed(stage, source);
    if let Some(name) = who {
        stage.look_as(name).map_err(|error| Failure::of(source, &error))?;
    }
    Ok(stage)
}

/// Reports what went wrong on the way: the first problems, and how many there are in all.
pub fn warn_of_problems(stage: &Stage<TapeFile>, source: &Source) -> Done {
    let report = stage.report();
    let all = report.errors() + report.warnings();
    warn_of_each(source, report.findings(), all, "problem");
    Done::lost_if(report.errors() > 0)
}

/// Where in a recording a viewer begins, as a link has it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Begin {
    /// The moment as people write it.
    pub at: Option<String>,
    /// The number of the view.
    pub view: Option<String>,
}

impl Begin {
    /// A moment, as it was written and understood, and a view in a recording; refused where it has no such moment or
    /// view.
    pub fn find<S: Bytes>(
        source: &Source,
        opened: Opened<S>,
        at: Option<(&str, When)>,
        view: Option<&ViewName>,
    ) -> Result<Self, Failure> {
        let mut begin = Self::default();
        if at.is_none() && view.is_none() {
            return Ok(begin);
        }
        let failed = |error: Error| Failure::of(source, &error);
        let mut stage = silent_stage(source, opened).map_err(failed)?;
        if let Some(name) = view {
            stage.look_as(name).map_err(failed)?;
            begin.view = Some(stage.view().number().to_string());
        }
        if let Some((text, when)) = at {
            stage.find(when).map_err(failed)?;
            begin.at = Some(text.to_owned());
        }
        Ok(begin)
    }

    /// The same in a recording that cannot be looked at from here: views by number only.
    pub fn unseen(at: Option<&str>, view: Option<&ViewName>) -> Result<Self, Failure> {
        let nobody = |error: Error| Failure::of(&"an address of the web", &error);
        let view = view.map(|name| name.find(Vec::new).map_err(nobody)).transpose()?;
        Ok(Self { at: at.map(ToOwned::to_owned), view: view.map(|view| view.number().to_string()) })
    }
}
