//! The files that commands read.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use gametape_cadre::{Log, Options};
use gametape_minewars::{Dialect, ReplayFile};
use gametape_replay::open::{
    Format, Held, OpenOptions, Opened as AnyRecording, SNIFFED_BYTES, WHOLE_SIZE, likely_format,
    open, open_stream, parse,
};
use gametape_wire::{Error, ErrorClass, ErrorKind};

use crate::failure::Failure;
use crate::global::max_memory;
use crate::many::FilesArgs;
use crate::tape::TapeFile;
use crate::text::{count, thousands};

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

    /// Opens the file. Of a tape, and of something that is no recording, only the start is read.
    pub(crate) fn open(&self) -> Result<Opened, Failure> {
        self.open_in(None, false)
    }

    /// Opens the file; MineWars data in a dialect, or as a stream without file header.
    pub(crate) fn open_in(
        &self,
        dialect: Option<Dialect>,
        headerless: bool,
    ) -> Result<Opened, Failure> {
        let options = open_options(dialect, headerless);
        let opened = match self.file()? {
            Some((_, Some(0))) => return Err(Failure::refused(self, "it is empty")),
            Some((file, Some(length))) => {
                let opened = open(TapeFile::in_file(self, file), &options);
                match opened.map_err(|error| self.unopened(&error, Some(length)))? {
                    // The file keeps its start itself.
                    AnyRecording::Tape(tape) => AnyRecording::Tape(tape.into_inner()),
                    AnyRecording::MineWars(file) => AnyRecording::MineWars(file),
                    AnyRecording::Gamelog(log) => AnyRecording::Gamelog(log),
                    _ => return Err(Failure::refused(self, UNKNOWN_KIND)),
                }
            }
            Some((file, None)) => self.open_stream(file, &options)?,
            None => self.open_stream(io::stdin().lock(), &options)?,
        };
        let input = |bytes| Input { source: self.clone(), bytes, dialect, headerless };
        Ok(match opened {
            AnyRecording::Tape(tape) => {
                tape.refuse(&[("--dialect", dialect.is_some()), ("--headerless", headerless)])?;
                Opened::Tape(tape)
            }
            AnyRecording::MineWars(file) => Opened::Whole(input(file.into_bytes())),
            AnyRecording::Gamelog(log) => Opened::Whole(input(log.into_bytes())),
            _ => return Err(Failure::refused(self, UNKNOWN_KIND)),
        })
    }

    /// The file and, where it can be entered anywhere, its length; `None` for standard input.
    fn file(&self) -> Result<Option<(File, Option<u64>)>, Failure> {
        let Self::File(path) = self else { return Ok(None) };
        let file = File::open(path).and_then(|file| {
            let about = file.metadata()?;
            Ok((file, about.is_file().then_some(about.len())))
        });
        file.map(Some).map_err(|error| Failure::io(self, &error))
    }

    fn open_stream(
        &self,
        reader: impl Read,
        options: &OpenOptions,
    ) -> Result<AnyRecording<TapeFile>, Failure> {
        match open_stream(reader, options).map_err(|error| self.unopened(&error, None))? {
            AnyRecording::Tape(bytes) => Ok(AnyRecording::Tape(TapeFile::in_memory(self, bytes))),
            AnyRecording::MineWars(file) => Ok(AnyRecording::MineWars(file)),
            AnyRecording::Gamelog(log) => Ok(AnyRecording::Gamelog(log)),
            _ => Err(Failure::refused(self, UNKNOWN_KIND)),
        }
    }

    fn unopened(&self, error: &Error, length: Option<u64>) -> Failure {
        match error.class() {
            ErrorClass::Limit if error.item() == WHOLE_SIZE => self.too_large("it", length),
            _ => Failure::of(self, error),
        }
    }

    /// Something about the file takes more memory than it may.
    fn too_large(&self, what: &str, bytes: Option<u64>) -> Failure {
        let takes = bytes.map_or("more than".to_owned(), |bytes| {
            format!("{}, and the most is", count(bytes, "byte"))
        });
        let most = thousands(max_memory());
        let problem = format!("{what} takes {takes} {most}: --max-memory allows more");
        Failure::refused(self, &problem)
    }

    /// The file as a tape, whatever it begins with.
    pub(crate) fn open_as_tape(&self) -> Result<TapeFile, Failure> {
        match self.file()? {
            Some((file, Some(_))) => Ok(TapeFile::in_file(self, file)),
            _ => Ok(TapeFile::in_memory(self, self.read()?)),
        }
    }

    /// The tape in the file; `Err` when it is something else.
    pub(crate) fn tape(&self) -> Result<TapeFile, Failure> {
        match self.open_raw()? {
            Opened::Tape(tape) => Ok(tape),
            Opened::Whole(_) => {
                let problem = "it does not begin as a tape does".into();
                let error = Error::at(0, "tape", ErrorKind::BadSyntax { problem });
                Err(Failure::of(self, &error))
            }
        }
    }

    /// The file as a tape if it begins like one, or else as bytes that may be anything.
    pub(crate) fn open_raw(&self) -> Result<Opened, Failure> {
        let mut file = self.open_as_tape()?;
        match file.is_tape()? {
            None => Err(Failure::refused(self, "it is empty")),
            Some(true) => Ok(Opened::Tape(file)),
            Some(false) => {
                let bytes = if file.may_grow() { self.read()? } else { file.into_memory() };
                let source = self.clone();
                Ok(Opened::Whole(Input { source, bytes, dialect: None, headerless: false }))
            }
        }
    }

    /// The whole file, unless it is more than memory may be used for.
    pub(crate) fn read(&self) -> Result<Vec<u8>, Failure> {
        match self.file()? {
            Some((_, Some(length))) if length > max_memory() => {
                Err(self.too_large("it", Some(length)))
            }
            Some((file, length)) => self.read_all(file, length),
            None => self.read_all(io::stdin().lock(), None),
        }
    }

    fn read_all(&self, reader: impl Read, length: Option<u64>) -> Result<Vec<u8>, Failure> {
        let most = max_memory();
        let mut bytes = Vec::with_capacity(length.unwrap_or(0) as usize);
        let read = reader.take(most.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| Failure::io(self, &error))?;
        if bytes.len() as u64 <= most { Ok(bytes) } else { Err(self.too_large("it", None)) }
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

const UNKNOWN_KIND: &str = "it is of a kind that is not known here";

/// How recordings are opened.
fn open_options(dialect: Option<Dialect>, headerless: bool) -> OpenOptions {
    let options = OpenOptions::default().in_dialect(dialect).headerless(headerless);
    options.with_max_bytes(max_memory())
}

/// What kind of recording a file looks like; `None` where it looks like something else, or is standard
/// input.
pub(crate) fn format_of(source: &Source) -> Result<Option<Format>, Failure> {
    let Some((file, length)) = source.file()? else { return Ok(None) };
    let mut start = Vec::new();
    let read = file.take(SNIFFED_BYTES as u64).read_to_end(&mut start);
    read.map_err(|error| Failure::io(source, &error))?;
    Ok(likely_format(&start, length))
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

    /// Read MineWars data as a stream without file header, as sent over a network
    #[arg(long)]
    pub(crate) headerless: bool,
}

/// The arguments of every command that reads many recordings.
#[derive(Debug, clap::Args)]
pub(crate) struct RecordingsArgs {
    #[command(flatten)]
    pub(crate) files: FilesArgs,

    /// Read MineWars data in this dialect, whatever it looks like; mw-datatool is never guessed
    #[arg(long, value_parser = one_of(&Dialect::ALL, Dialect::name))]
    pub(crate) dialect: Option<Dialect>,

    /// Read MineWars data as a stream without file header, as sent over a network
    #[arg(long)]
    pub(crate) headerless: bool,
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

/// A file that was opened.
#[derive(Debug)]
pub(crate) enum Opened {
    /// A tape, of which nothing was read yet.
    Tape(TapeFile),
    /// A file of another kind, whole.
    Whole(Input),
}

/// A file in memory, and how it is to be read.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) source: Source,
    pub(crate) bytes: Vec<u8>,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) headerless: bool,
}

/// A recording of any kind. The place where kinds are reported apart: by content, never by name.
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

impl RecordingsArgs {
    /// Opens one of the files, which may be a tape.
    pub(crate) fn open(&self, source: &Source) -> Result<Opened, Failure> {
        source.open_in(self.dialect, self.headerless)
    }
}

impl RecordingArgs {
    /// Opens the file, which may be a tape.
    pub(crate) fn open(&self) -> Result<Opened, Failure> {
        self.source.open_in(self.dialect, self.headerless)
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
        Self::of_opened(source.open_raw()?)
    }

    pub(crate) fn of_opened(opened: Opened) -> Result<Self, Failure> {
        match opened {
            Opened::Whole(input) => Ok(input),
            Opened::Tape(tape) => tape.into_recording(),
        }
    }

    /// The recording that the file holds, unless it takes more memory than it may.
    pub(crate) fn recording(&self) -> Result<Recording<'_>, Failure> {
        let recording = self.headers()?;
        if let Recording::MineWars(file) = &recording {
            let raw =
                u64::from(file.header().frames_raw) + u64::from(file.setup().header().map_raw);
            if raw.saturating_add(self.bytes.len() as u64) > max_memory() {
                return Err(self.source.too_large("what it unpacks to", Some(raw)));
            }
        }
        Ok(recording)
    }

    /// The recording that the file holds, of which only headers are read.
    pub(crate) fn headers(&self) -> Result<Recording<'_>, Failure> {
        let held = parse(&self.bytes, &open_options(self.dialect, self.headerless));
        match held.map_err(|error| Failure::of(&self.source, &error))? {
            Held::MineWars(file) => Ok(Recording::MineWars(file)),
            Held::Gamelog(bytes) => {
                let gamelog = Gamelog { source: &self.source, bytes };
                gamelog.refuse(&[
                    ("--dialect", self.dialect.is_some()),
                    ("--headerless", self.headerless),
                ])?;
                Ok(Recording::Gamelog(gamelog))
            }
            _ => Err(Failure::refused(&self.source, UNKNOWN_KIND)),
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
    /// The log with all its deltas, none of them merged.
    pub(crate) fn log(&self) -> Result<Log, Failure> {
        Log::open(self.bytes, &gamelog_options()).map_err(|error| self.failure(&error))
    }

    /// Something is wrong with this log.
    pub(crate) fn failure(&self, error: &Error) -> Failure {
        if error.class() == ErrorClass::Limit && error.item() == GAMELOG_SIZE {
            return self.source.too_large("its text", None);
        }
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

/// What an error calls the text of a gamelog that is over the limit.
const GAMELOG_SIZE: &str = "gamelog size";

/// How gamelogs are read.
pub(crate) fn gamelog_options() -> Options {
    Options::default().with_max_memory(max_memory())
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
