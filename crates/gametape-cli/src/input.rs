//! Reading files, and telling what they are by what is in them.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use flate2::read::GzDecoder;
use gametape_cadre::{Log, Options, Summary};
use gametape_minewars::{Detection, Dialect, ReplayFile};
use gametape_replay::open::{Format, SNIFFED_BYTES, sniff};
use gametape_wire::{Error, ErrorClass, ErrorKind};

use crate::failure::Failure;
use crate::global::max_memory;
use crate::many::FilesArgs;
use crate::tape::{TapeFile, is_tape};
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
        self.open_any(false)
    }

    /// Opens the file; where `is_known`, it is a recording whatever it looks like.
    pub(crate) fn open_any(&self, is_known: bool) -> Result<Opened, Failure> {
        match self {
            Self::Stdin => self.open_reader(io::stdin().lock(), None, is_known),
            Self::File(path) => {
                let failed = |error: io::Error| Failure::io(self, &error);
                let file = File::open(path).map_err(failed)?;
                let about = file.metadata().map_err(failed)?;
                let length = about.is_file().then_some(about.len());
                match self.open_tape_in(file, length)? {
                    Ok(tape) => Ok(Opened::Tape(tape)),
                    Err(file) => self.open_reader(file, length, is_known),
                }
            }
        }
    }

    /// The tape in a file that can be entered anywhere, or the file again, at its start.
    fn open_tape_in(
        &self,
        mut file: File,
        length: Option<u64>,
    ) -> Result<Result<TapeFile, File>, Failure> {
        if length.is_none() {
            return Ok(Err(file));
        }
        let mut start = Vec::new();
        let read = (&mut file).take(4).read_to_end(&mut start).and_then(|_| file.rewind());
        read.map_err(|error| Failure::io(self, &error))?;
        Ok(if is_tape(&start) { Ok(TapeFile::in_file(self, file)) } else { Err(file) })
    }

    /// Opens what can only be read from its start to its end. `length` is how long it is, where that
    /// is known.
    fn open_reader(
        &self,
        mut reader: impl Read,
        length: Option<u64>,
        is_known: bool,
    ) -> Result<Opened, Failure> {
        let mut bytes = Vec::new();
        let sniffed = (&mut reader).take(SNIFFED_BYTES as u64).read_to_end(&mut bytes);
        let sniffed = sniffed.map_err(|error| Failure::io(self, &error))?;
        let length = if sniffed < SNIFFED_BYTES { Some(sniffed as u64) } else { length };
        match sniff(&bytes, length) {
            _ if bytes.is_empty() => return Err(Failure::refused(self, "it is empty")),
            // Of a short file, what is wrong with it can be said.
            None if !is_known && sniffed == SNIFFED_BYTES => {
                return Err(Failure::of(self, &is_nothing()));
            }
            _ => self.read_on(reader, length, &mut bytes)?,
        }
        if is_tape(&bytes) {
            return Ok(Opened::Tape(TapeFile::in_memory(self, bytes)));
        }
        Ok(Opened::Whole(Input { source: self.clone(), bytes, dialect: None, headerless: false }))
    }

    /// Reads the rest, unless it is more than memory may be used for.
    fn read_on(
        &self,
        reader: impl Read,
        length: Option<u64>,
        bytes: &mut Vec<u8>,
    ) -> Result<(), Failure> {
        let most = max_memory();
        if length.is_none_or(|length| length <= most) {
            let rest = most.saturating_add(1).saturating_sub(bytes.len() as u64);
            let missing = length.unwrap_or(0).saturating_sub(bytes.len() as u64);
            bytes.reserve_exact(missing as usize);
            let read = reader.take(rest).read_to_end(bytes);
            read.map_err(|error| Failure::io(self, &error))?;
            if bytes.len() as u64 <= most {
                return Ok(());
            }
        }
        Err(self.too_large("it", length))
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
        let mut bytes = Vec::new();
        match self {
            Self::Stdin => self.read_on(io::stdin().lock(), None, &mut bytes)?,
            Self::File(path) => {
                let failed = |error: io::Error| Failure::io(self, &error);
                let file = File::open(path).map_err(failed)?;
                let about = file.metadata().map_err(failed)?;
                self.read_on(file, about.is_file().then_some(about.len()), &mut bytes)?;
            }
        }
        Ok(bytes)
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

fn is_nothing() -> Error {
    let problem = "neither a tape nor a gamelog nor a MineWars file begins like this".into();
    Error::at(0, "file", ErrorKind::BadSyntax { problem })
}

/// Does the file look like a recording of any kind?
pub(crate) fn is_recording(source: &Source) -> Result<bool, Failure> {
    let Source::File(path) = source else { return Ok(true) };
    let failed = |error: io::Error| Failure::io(source, &error);
    let mut start = Vec::new();
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    file.take(SNIFFED_BYTES as u64).read_to_end(&mut start).map_err(failed)?;
    Ok(match sniff(&start, Some(length)) {
        // Much that is JSON or gzip is something else.
        Some(Format::Gamelog) => has_fields_of_gamelog(&start),
        found => found.is_some(),
    })
}

/// Are there fields of a gamelog in the start of JSON, plain or gzip?
fn has_fields_of_gamelog(start: &[u8]) -> bool {
    let mut text = Vec::new();
    let is_gzip = start.starts_with(&[0x1F, 0x8B]);
    if is_gzip {
        // The start ends in the middle of a block: what was unpacked before is enough.
        let _ = GzDecoder::new(start).take(SNIFFED_BYTES as u64).read_to_end(&mut text);
    }
    let text = if is_gzip { &text } else { start };
    let has = |field: &[u8]| text.windows(field.len()).any(|window| window == field);
    GAMELOG_FIELDS.iter().any(|field| has(field))
}

/// Fields that gamelogs of every age have near their start.
const GAMELOG_FIELDS: [&[u8]; 3] = [b"\"gameName\"", b"\"deltas\"", b"\"gameSession\""];

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

    /// The same, to be read as a stream without file header.
    pub(crate) fn headerless(self, headerless: bool) -> Result<Self, Failure> {
        match self {
            Self::Tape(tape) => {
                tape.refuse(&[("--headerless", headerless)])?;
                Ok(Self::Tape(tape))
            }
            Self::Whole(input) => Ok(Self::Whole(Input { headerless, ..input })),
        }
    }
}

/// A file in memory, and how it is to be read.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) source: Source,
    pub(crate) bytes: Vec<u8>,
    pub(crate) dialect: Option<Dialect>,
    pub(crate) headerless: bool,
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

impl RecordingsArgs {
    /// Opens one of the files, which may be a tape.
    pub(crate) fn open(&self, source: &Source) -> Result<Opened, Failure> {
        let is_known = self.dialect.is_some() || self.headerless;
        source.open_any(is_known)?.in_dialect(self.dialect)?.headerless(self.headerless)
    }
}

impl RecordingArgs {
    /// Opens the file, which may be a tape.
    pub(crate) fn open(&self) -> Result<Opened, Failure> {
        let is_known = self.dialect.is_some() || self.headerless;
        self.source.open_any(is_known)?.in_dialect(self.dialect)?.headerless(self.headerless)
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
        let gamelog = Gamelog { source: &self.source, bytes: &self.bytes };
        let file = match self.dialect {
            _ if self.headerless => ReplayFile::open_stream(&self.bytes, self.dialect),
            Some(dialect) => ReplayFile::open_as(&self.bytes, dialect),
            None => ReplayFile::open(&self.bytes),
        };
        match (file, gamelog.is_likely()) {
            (Ok(file), likely) if !likely || file.detection() != Detection::Structure => {
                Ok(Recording::MineWars(file))
            }
            (_, true) => {
                gamelog.refuse(&[
                    ("--dialect", self.dialect.is_some()),
                    ("--headerless", self.headerless),
                ])?;
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
        Summary::read(self.bytes, &gamelog_options()).map_err(|error| self.failure(&error))
    }

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
