//! Reading files, and telling what they are by what is in them.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use flate2::read::GzDecoder;
use gametape_cadre::{Log, Options, Summary};
use gametape_minewars::{Detection, Dialect, ReplayFile};
use gametape_wire::{Error, ErrorKind, View};

use crate::failure::Failure;
use crate::many::FilesArgs;
use crate::tape::{TapeFile, is_tape};

/// The largest file that is read: it is held in memory as a whole.
const MAX_FILE_BYTES: u64 = 4 << 30;

/// A file to read, `-` for standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
}

impl From<OsString> for Source {
    fn from(text: OsString) -> Self {
        if text == "-" { Self::Stdin } else { Self::File(text.into()) }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

impl Source {
    /// Is it a folder?
    pub(crate) fn is_folder(&self) -> bool {
        matches!(self, Self::File(path) if path.is_dir())
    }

    /// Opens the file as far as is needed to tell whether it is a tape.
    pub(crate) fn open(&self) -> Result<Opened, Failure> {
        let failed = |error: io::Error| Failure::io(self, &error);
        if let Self::File(path) = self
            && let Some(file) = open_tape(path).map_err(failed)?
        {
            return Ok(Opened::Tape(TapeFile::in_file(self, file)));
        }
        let bytes = self.read()?;
        if bytes.is_empty() {
            return Err(Failure::refused(self, "it is empty"));
        }
        if is_tape(&bytes) {
            return Ok(Opened::Tape(TapeFile::in_memory(self, bytes)));
        }
        Ok(Opened::Whole(Input { source: self.clone(), bytes, dialect: None }))
    }

    /// The file as a tape, whatever it begins with.
    pub(crate) fn open_as_tape(&self) -> Result<TapeFile, Failure> {
        if let Self::File(path) = self
            && fs::metadata(path).is_ok_and(|about| about.is_file())
        {
            let file = File::open(path).map_err(|error| Failure::io(self, &error))?;
            return Ok(TapeFile::in_file(self, file));
        }
        Ok(TapeFile::in_memory(self, self.read()?))
    }

    /// The tape in the file; `Err` when it is something else.
    pub(crate) fn tape(&self) -> Result<TapeFile, Failure> {
        match self.open()? {
            Opened::Tape(tape) => Ok(tape),
            Opened::Whole(_) => {
                let problem = "it does not begin as a tape does".into();
                let error = Error::at(0, "tape", ErrorKind::BadSyntax { problem });
                Err(Failure::of(self, &error))
            }
        }
    }

    /// The whole file.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Failure> {
        let read = match self {
            Self::Stdin => read_limited(io::stdin().lock(), 0),
            Self::File(path) => read_file(path),
        };
        read.map_err(|error| Failure::io(self, &error))
    }

    /// The whole file, which must be UTF-8.
    pub(crate) fn read_text(&self) -> Result<String, Failure> {
        String::from_utf8(self.read()?).map_err(|error| {
            let offset = error.utf8_error().valid_up_to() as u64;
            let kind = ErrorKind::BadSyntax { problem: "not UTF-8".into() };
            Failure::of(self, &Error::at(offset, "text", kind))
        })
    }
}

/// How much of a file shows whether it is a recording.
const SNIFFED_BYTES: u64 = 64 << 10;

/// Does the file look like a recording of any kind?
pub(crate) fn is_recording(source: &Source) -> Result<bool, Failure> {
    let Source::File(path) = source else { return Ok(true) };
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(SNIFFED_BYTES).read_to_end(&mut start));
    read.map_err(|error| Failure::io(source, &error))?;
    Ok(is_tape(&start) || ReplayFile::open(&start).is_ok() || looks_like_gamelog(&start))
}

/// Is this the start of JSON, plain or gzip, with the fields of a gamelog?
fn looks_like_gamelog(start: &[u8]) -> bool {
    let mut text = Vec::new();
    if start.starts_with(&[0x1F, 0x8B]) {
        // What was unpacked before the start ends is enough.
        let _ = GzDecoder::new(start).take(SNIFFED_BYTES).read_to_end(&mut text);
    } else {
        text.extend_from_slice(start);
    }
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&text).trim_ascii_start();
    let has = |field: &[u8]| text.windows(field.len()).any(|window| window == field);
    text.starts_with(b"{") && GAMELOG_FIELDS.iter().any(|field| has(field))
}

/// Fields that gamelogs of every age have near their start.
const GAMELOG_FIELDS: [&[u8]; 3] = [b"\"gameName\"", b"\"deltas\"", b"\"gameSession\""];

/// The file, if it is a tape that can be entered anywhere.
fn open_tape(path: &Path) -> io::Result<Option<File>> {
    let mut file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut start = Vec::new();
    (&mut file).take(4).read_to_end(&mut start)?;
    file.rewind()?;
    Ok(is_tape(&start).then_some(file))
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    read_limited(file, length)
}

/// Everything there is, unless it is too much. A file may say that it is empty and not be.
fn read_limited(from: impl Read, expected: u64) -> io::Result<Vec<u8>> {
    if expected > MAX_FILE_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(expected as usize);
    from.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES { Err(too_large()) } else { Ok(bytes) }
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "larger than 4 GiB, which is the most that is read")
}

/// The arguments of every command that reads a recording.
#[derive(Debug, clap::Args)]
pub(crate) struct RecordingArgs {
    /// Recording to read, `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) source: Source,

    /// Read MineWars data in this dialect, whatever it looks like; mw-datatool is never guessed
    #[arg(long, value_parser = one_of(&Dialect::ALL, Dialect::name))]
    pub(crate) dialect: Option<Dialect>,
}

/// The arguments of every command that reads many recordings.
#[derive(Debug, clap::Args)]
pub(crate) struct RecordingsArgs {
    #[command(flatten)]
    pub(crate) files: FilesArgs,

    /// Read MineWars data in this dialect, whatever it looks like; mw-datatool is never guessed
    #[arg(long, value_parser = one_of(&Dialect::ALL, Dialect::name))]
    pub(crate) dialect: Option<Dialect>,
}

/// The argument of every command that reads a tape and nothing else.
#[derive(Debug, clap::Args)]
pub(crate) struct TapeArgs {
    /// Tape to read, `-` for standard input
    #[arg(value_name = "TAPE")]
    pub(crate) source: Source,
}

/// The argument of every command that reads a gamelog and nothing else.
#[derive(Debug, clap::Args)]
pub(crate) struct GamelogArgs {
    /// Gamelog to read, plain or gzip, `-` for standard input
    #[arg(value_name = "FILE")]
    pub(crate) source: Source,
}

/// An argument that is the name of one of several things.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(all.iter().map(move |one| name(*one)));
    let find = move |given: String| all.iter().copied().find(|one| name(*one) == given);
    names.try_map(move |given| find(given).ok_or("no such name"))
}

/// A view as an argument.
pub(crate) fn parse_view(text: &str) -> Result<View, String> {
    text.parse().ok().and_then(View::new).ok_or_else(|| format!("views are 0 to {}", View::MAX))
}

/// A file that was opened.
#[derive(Debug)]
pub(crate) enum Opened {
    /// A tape, of which nothing was read yet.
    Tape(TapeFile),
    /// A file of another kind, whole.
    Whole(Input),
}

impl Opened {
    /// The same, to be read in a dialect.
    pub(crate) fn in_dialect(self, dialect: Option<Dialect>) -> Result<Self, Failure> {
        match self {
            Self::Tape(tape) => {
                tape.refuse(&[("--dialect", dialect.is_some())])?;
                Ok(Self::Tape(tape))
            }
            Self::Whole(input) => Ok(Self::Whole(Input { dialect, ..input })),
        }
    }
}

/// A file in memory, and how it is to be read.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) source: Source,
    pub(crate) bytes: Vec<u8>,
    pub(crate) dialect: Option<Dialect>,
}

/// A recording of any kind. The place where kinds are told apart: by content, never by name.
#[derive(Debug)]
pub(crate) enum Recording<'a> {
    /// A MineWars replay file.
    MineWars(ReplayFile<'a>),
    /// A Cadre gamelog.
    Gamelog(Gamelog<'a>),
}

/// A gamelog that nobody looked into yet: commands need more or less of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gamelog<'a> {
    pub(crate) source: &'a Source,
    pub(crate) bytes: &'a [u8],
}

impl RecordingArgs {
    /// Opens the file, which may be a tape.
    pub(crate) fn open(&self) -> Result<Opened, Failure> {
        self.source.open()?.in_dialect(self.dialect)
    }

    /// Reads the file; a tape as the recording that it holds.
    pub(crate) fn read(&self) -> Result<Input, Failure> {
        Input::of_opened(self.open()?)
    }
}

impl GamelogArgs {
    /// Reads the file.
    pub(crate) fn read(&self) -> Result<Input, Failure> {
        Input::of(&self.source)
    }
}

impl Input {
    /// Reads a file that can be of any kind; a tape as the recording that it holds.
    pub(crate) fn of(source: &Source) -> Result<Self, Failure> {
        Self::of_opened(source.open()?)
    }

    fn of_opened(opened: Opened) -> Result<Self, Failure> {
        match opened {
            Opened::Whole(input) => Ok(input),
            Opened::Tape(tape) => tape.into_recording(),
        }
    }

    /// The recording that the file holds.
    pub(crate) fn recording(&self) -> Result<Recording<'_>, Failure> {
        let gamelog = Gamelog { source: &self.source, bytes: &self.bytes };
        let file = match self.dialect {
            Some(dialect) => ReplayFile::open_as(&self.bytes, dialect),
            None => ReplayFile::open(&self.bytes),
        };
        match (file, gamelog.is_likely()) {
            (Ok(file), likely) if !likely || file.detection() != Detection::Structure => {
                Ok(Recording::MineWars(file))
            }
            (_, true) => {
                gamelog.refuse(&[("--dialect", self.dialect.is_some())])?;
                Ok(Recording::Gamelog(gamelog))
            }
            (file, false) => {
                file.map(Recording::MineWars).map_err(|error| self.is_nothing_known(&error))
            }
        }
    }

    /// The file is no recording of any kind, or a MineWars file that is badly damaged.
    fn is_nothing_known(&self, as_minewars: &Error) -> Failure {
        let source = &self.source;
        match self.dialect {
            Some(_) => Failure::of(source, as_minewars),
            None => {
                let elsewhere = "neither a tape nor a gamelog, and as a MineWars file";
                Failure::of(&format_args!("{source}: {elsewhere}"), as_minewars)
            }
        }
    }

    /// The MineWars replay file that it holds; `Err` when it is a recording of another kind.
    pub(crate) fn minewars(&self) -> Result<ReplayFile<'_>, Failure> {
        match self.recording()? {
            Recording::MineWars(file) => Ok(file),
            Recording::Gamelog(log) => Err(log.misfit("this command is")),
        }
    }

    /// The gamelog that it holds; `Err` when it is a recording of another kind.
    pub(crate) fn gamelog(&self) -> Result<Gamelog<'_>, Failure> {
        match self.recording() {
            Ok(Recording::Gamelog(log)) => Ok(log),
            Ok(Recording::MineWars(_)) => Err(self.not_a_gamelog("this command is")),
            Err(_) => {
                let problem = "it is neither gzip nor a JSON object".into();
                let error = Error::at(0, "gamelog", ErrorKind::BadSyntax { problem });
                Err(Failure::of(&self.source, &error))
            }
        }
    }

    /// A usage error if a MineWars recording was given options that only gamelogs know.
    pub(crate) fn refuse_for_minewars(&self, options: &[(&str, bool)]) -> Result<(), Failure> {
        refuse(options, |option| self.not_a_gamelog(&format!("{option} is")))
    }

    fn not_a_gamelog(&self, what_is: &str) -> Failure {
        let source = &self.source;
        Failure::usage(format_args!("{what_is} for gamelogs, and {source} is a MineWars recording"))
    }
}

impl Gamelog<'_> {
    /// Is the file gzip, or does it begin like a JSON object?
    fn is_likely(&self) -> bool {
        let text = self.bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(self.bytes);
        self.is_gzip() || text.trim_ascii_start().first() == Some(&b'{')
    }

    /// Is it stored as gzip?
    pub(crate) fn is_gzip(&self) -> bool {
        self.bytes.starts_with(&[0x1F, 0x8B])
    }

    /// Header and outcome, which is all that can be had quickly.
    pub(crate) fn summary(&self) -> Result<Summary, Failure> {
        Summary::read(self.bytes, &Options::default()).map_err(|error| self.failure(&error))
    }

    /// The log with all its deltas, none of them merged.
    pub(crate) fn log(&self) -> Result<Log, Failure> {
        Log::open(self.bytes, &Options::default()).map_err(|error| self.failure(&error))
    }

    /// Something is wrong with this log.
    pub(crate) fn failure(&self, error: &Error) -> Failure {
        Failure::of(self.source, error)
    }

    /// A usage error if one of these options was given, which only MineWars recordings know.
    pub(crate) fn refuse(&self, options: &[(&str, bool)]) -> Result<(), Failure> {
        refuse(options, |option| self.misfit(&format!("{option} is")))
    }

    fn misfit(&self, what_is: &str) -> Failure {
        let source = self.source;
        Failure::usage(format_args!("{what_is} for MineWars recordings, and {source} is a gamelog"))
    }
}

/// Fails with the first option that was given.
pub(crate) fn refuse(
    options: &[(&str, bool)],
    fail: impl Fn(&str) -> Failure,
) -> Result<(), Failure> {
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(fail(option)),
        None => Ok(()),
    }
}
