//! Converting a recording of any kind to any other.

use gametape_cadre::{Log, Options};
use gametape_minewars::{Check, Generation, ReplayFile, WriteOptions, write_file};
use gametape_wire::{Error, Result, Source};

use super::ConvertOptions;
use super::gamelog::{Layout, write_gamelog};
use crate::games::{self, KnownGame};
use crate::inspect::gap_lines;
use crate::open::{Content, GamelogBytes, Inner, MinewarsBytes, Opened, inner_recording};
use crate::recover::unwritten_text;
use crate::rewrite::{Put, tape_id_of};
use crate::source::Recording;
use crate::{cadre, minewars};

/// What a recording is converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// A tape.
    Tape,
    /// A MineWars file of the generation that the recording has.
    MineWars,
    /// A MineWars file of this generation.
    Generation(Generation),
    /// A gamelog.
    Gamelog,
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 5] = [
        Self::Tape,
        Self::MineWars,
        Self::Generation(Generation::V01),
        Self::Generation(Generation::Current),
        Self::Gamelog,
    ];

    /// The name that the command line uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tape => "tape",
            Self::MineWars => "minewars",
            Self::Generation(generation) => generation.name(),
            Self::Gamelog => "gamelog",
        }
    }

    /// Is what another form asks for of this form? A MineWars file is one of any generation.
    #[must_use]
    pub fn includes(self, other: Self) -> bool {
        self == other || (self == Self::MineWars && other.generation().is_some())
    }

    /// The generation that it asks for.
    #[must_use]
    pub fn generation(self) -> Option<Generation> {
        match self {
            Self::Generation(generation) => Some(generation),
            _ => None,
        }
    }
}

/// How parts of a MineWars file, or a gamelog as a whole, are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Storage {
    /// Compressed where that makes them smaller.
    Compressed,
    /// As they are.
    Plain,
    /// Compressed with the dictionary of MineWars v0.1.
    Dictionary,
}

/// What is asked of a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Conversion {
    /// What to convert to; where it is not given, what a tape holds, and else the format and
    /// generation of the recording.
    pub to: Option<Form>,
    /// How the result is stored; where it is not given, compressed, or a gamelog for people plain.
    pub storage: Option<Storage>,
    /// How a gamelog is laid out.
    pub layout: Layout,
}

impl Conversion {
    /// The same conversion to another form.
    #[must_use]
    pub fn with_form(mut self, to: Option<Form>) -> Self {
        self.to = to;
        self
    }

    /// The same conversion with the result stored in another way.
    #[must_use]
    pub fn with_storage(mut self, storage: Option<Storage>) -> Self {
        self.storage = storage;
        self
    }

    /// The same conversion with another layout of gamelogs.
    #[must_use]
    pub fn with_layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Is a gamelog to be compressed?
    fn wants_gzip(&self) -> Result<bool> {
        match self.storage {
            Some(Storage::Dictionary) => Err(misuse("a gamelog has no dictionary")),
            Some(storage) => Ok(storage == Storage::Compressed),
            None => Ok(self.layout.is_for_machines()),
        }
    }
}

/// What a conversion led to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
#[must_use]
pub struct Converted {
    /// What is not in the result, one line each.
    pub lost: Vec<String>,
    /// Checksums of the original that are wrong; those of the result are right.
    pub wrong_checksums: Vec<Error>,
}

/// Converts a recording of any kind, and puts the result piece by piece.
///
/// Tapes of one of `games` also become gamelogs: the match is simulated again.
pub fn convert<S: Source>(
    opened: Opened<S>,
    conversion: &Conversion,
    games: &[&dyn KnownGame],
    put: &mut Put<'_>,
) -> Result<Converted> {
    let wants_tape = conversion.to == Some(Form::Tape);
    if wants_tape && (conversion.storage.is_some() || conversion.layout != Layout::default()) {
        return Err(misuse("a new tape has no other storage or layout"));
    }
    match opened {
        Opened::Tape(_) if wants_tape => Err(misuse(
            "it is a tape already; `pack`, `cut`, `merge` and `recover` make tapes of tapes",
        )),
        Opened::Tape(source) => {
            let recording = Recording::open(source)?;
            match games::find(games, recording.field("content").as_deref()) {
                Some(game) if conversion.to == Some(Form::Gamelog) => {
                    simulate(game, &mut recording.into_source(), conversion, put)
                }
                _ => convert_tape(recording, conversion, games, put),
            }
        }
        Opened::MineWars(file) => convert_minewars(&file, conversion, put),
        Opened::Gamelog(log) => convert_gamelog(&log, conversion, put),
    }
}

/// Simulates a match again, and writes it as a gamelog.
fn simulate(
    game: &dyn KnownGame,
    source: &mut dyn Source,
    conversion: &Conversion,
    put: &mut Put<'_>,
) -> Result<Converted> {
    let made = game.gamelog(source)?;
    let log = Log::open(made.json, &Options::default())?;
    write_gamelog(&log, &conversion.layout, conversion.wants_gzip()?, put)?;
    let lost = made.findings.iter().map(ToString::to_string).collect();
    Ok(Converted { lost, ..Converted::default() })
}

/// Converts a tape to what it holds.
fn convert_tape<S: Source>(
    mut recording: Recording<S>,
    conversion: &Conversion,
    games: &[&dyn KnownGame],
    put: &mut Put<'_>,
) -> Result<Converted> {
    let mut gaps = gap_lines(recording.gaps());
    gaps.extend(recording.tape().unwritten().as_ref().map(unwritten_text));
    let content = Content::of(&recording, games)?;
    if content != Content::MineWars || conversion.storage.is_some() {
        // As any other recording of its kind.
        let mut converted = match inner_recording(&mut recording, games)? {
            Inner::MineWars(file) => convert_minewars(&file, conversion, put)?,
            Inner::Gamelog(log) => convert_gamelog(&log, conversion, put)?,
        };
        converted.lost.extend(gaps);
        return Ok(converted);
    }
    refuse_gamelog(conversion)?;
    let made = minewars::from_tape(&mut recording, conversion.to.and_then(Form::generation))?;
    put(&made.bytes)?;
    let mut lost: Vec<String> = made.losses.to_string().lines().map(ToOwned::to_owned).collect();
    if made.left_out > 0 {
        lost.push(format!("{} payloads for views that the setup does not have", made.left_out));
    }
    lost.extend(gaps);
    Ok(Converted { lost, ..Converted::default() })
}

fn convert_minewars(
    bytes: &MinewarsBytes,
    conversion: &Conversion,
    put: &mut Put<'_>,
) -> Result<Converted> {
    let file = bytes.file()?;
    if conversion.to == Some(Form::Tape) {
        let options = ConvertOptions::new(tape_id_of(bytes.bytes()));
        minewars::write_tape(&file, &options, put).map_err(as_input)?;
        return Ok(Converted::default());
    }
    refuse_gamelog(conversion)?;
    let setup = file.setup().to_setup()?;
    let frames = file.frames()?.bytes;
    let target = conversion.to.and_then(Form::generation).unwrap_or(setup.generation);
    let storage = conversion.storage.unwrap_or(Storage::Compressed);
    if storage == Storage::Dictionary && target != Generation::V01 {
        return Err(misuse("only v0.1 has a dictionary"));
    }
    let made = gametape_minewars::convert(&setup, &frames, file.dialect(), target);
    let made = made.map_err(as_input)?;
    let options = WriteOptions::new()
        .with_compress(storage != Storage::Plain)
        .with_dictionary(storage == Storage::Dictionary);
    put(&write_file(&made.setup, &made.frames, &options).map_err(as_input)?)?;
    Ok(Converted {
        lost: made.losses.to_string().lines().map(ToOwned::to_owned).collect(),
        wrong_checksums: wrong_checksums(&file),
    })
}

fn wrong_checksums(file: &ReplayFile<'_>) -> Vec<Error> {
    file.checks().iter().filter_map(Check::error).collect()
}

/// What a recording does not allow is not the fault of the caller.
fn as_input(error: Error) -> Error {
    use gametape_wire::{ErrorKind, Place};
    match (error.kind(), error.place()) {
        (ErrorKind::Misuse { problem }, Place::Nowhere) => {
            let kind = ErrorKind::BadSyntax { problem: problem.clone() };
            Error::new(Place::Nowhere, error.item().to_owned(), kind)
        }
        _ => error,
    }
}

fn convert_gamelog(
    bytes: &GamelogBytes,
    conversion: &Conversion,
    put: &mut Put<'_>,
) -> Result<Converted> {
    let log = bytes.log()?;
    match conversion.to {
        Some(Form::Tape) => {
            let options = ConvertOptions::new(tape_id_of(bytes.bytes()));
            cadre::write_tape(&log, &options, put)?;
        }
        None | Some(Form::Gamelog) => {
            write_gamelog(&log, &conversion.layout, conversion.wants_gzip()?, put)?;
        }
        Some(_) => return Err(misuse("it is a gamelog, which has no MineWars form")),
    }
    Ok(Converted::default())
}

/// Refuses what only gamelogs have.
fn refuse_gamelog(conversion: &Conversion) -> Result<()> {
    if conversion.to == Some(Form::Gamelog) {
        return Err(misuse("it is a MineWars recording, which has no gamelog form"));
    }
    match conversion.layout.option() {
        Some(option) => Err(misuse(format!("{option} is for gamelogs"))),
        None => Ok(()),
    }
}

#[cold]
fn misuse(problem: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::misuse("convert", problem)
}
