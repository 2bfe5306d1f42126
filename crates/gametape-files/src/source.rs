//! The files that are read.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use gametape_minewars::Dialect;
use gametape_replay::inspect::gap_lines;
use gametape_replay::open::{
    self, Content, Format, Inner, OpenOptions, SNIFFED_BYTES, WHOLE_SIZE, likely_format,
    open_stream, remains, sniff,
};
use gametape_skirmish::registry::GAMES;
use gametape_wire::{Error, ErrorKind, Limit, Source as _};

use crate::host::{waiting, warn_of_loss};
use crate::memory::max_memory;
use crate::outcome::Failure;
use crate::remote;
use crate::tape::TapeFile;

/// A file to read, `-` for standard input, or an address: `s3://…`, `https://…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// The file with this path.
    File(PathBuf),
    /// What is at this address.
    Address(String),
}

/// Where the bytes of a source come from.
enum Bytes {
    /// They can be entered anywhere.
    Anywhere(Box<TapeFile>),
    /// They come one after the other.
    Stream(Box<dyn Read>),
}

/// A recording that was opened. Of a tape only the start was read.
pub type Opened = open::Opened<TapeFile>;

impl From<OsString> for Source {
    fn from(text: OsString) -> Self {
        match text.to_str() {
            Some("-") => Self::Stdin,
            Some(address) if remote::is_address(address) => Self::Address(address.to_owned()),
            _ => Self::File(text.into()),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) => path.display().fmt(f),
            Self::Address(address) => f.write_str(address),
        }
    }
}

impl Source {
    /// A usage error if standard input is among these more than once: it can be read only once.
    pub fn check_stdin<'s>(sources: impl IntoIterator<Item = &'s Self>) -> Result<(), Failure> {
        match sources.into_iter().filter(|source| **source == Self::Stdin).count() {
            0 | 1 => Ok(()),
            _ => Err(Failure::usage("standard input can be read only once")),
        }
    }

    /// Is it a folder?
    #[must_use]
    pub fn is_folder(&self) -> bool {
        matches!(self, Self::File(path) if path.is_dir())
    }

    /// May bytes be added to it while it is read? To a pipe or a device they cannot: all of it is read first.
    #[must_use]
    pub fn may_grow(&self) -> bool {
        matches!(self, Self::File(path) if !path.exists() || path.is_file() || path.is_dir())
    }

    /// The name of the file without its folders.
    #[must_use]
    pub fn short_name(&self) -> String {
        let name = match self {
            Self::File(path) => path.file_name(),
            Self::Address(address) => Path::new(address).file_name(),
            Self::Stdin => None,
        };
        name.map_or_else(|| self.to_string(), |name| name.to_string_lossy().into_owned())
    }

    /// Opens the file. Of a tape, and of something that is no recording, only the start is read.
    pub fn open(&self) -> Result<Opened, Failure> {
        self.open_with(Reading::default())
    }

    /// Opens the file, MineWars data as it is asked for.
    pub fn open_with(&self, reading: impl Into<Reading>) -> Result<Opened, Failure> {
        let reading = reading.into();
        let options = reading.options();
        let in_memory = |opened: open::Opened<Vec<u8>>| {
            opened.map_source(|bytes| TapeFile::in_memory(self, bytes))
        };
        let opened = match self.bytes()? {
            // The file keeps its start itself.
            Bytes::Anywhere(file) => open::open(*file, &options)
                .map(|opened| opened.map_source(open::KeptStart::into_inner)),
            Bytes::Stream(stream) => open_stream(stream, &options).map(in_memory),
        };
        let opened = opened.map_err(|error| Failure::of(self, &error))?;
        reading.check(self, opened.format())?;
        if let Opened::Gamelog(log) = &opened {
            log.losses().iter().for_each(|loss| warn_of_loss(self, loss));
        }
        Ok(opened)
    }

    /// The MineWars file or gamelog in the file, which may be a tape that holds it: what `command` reads.
    pub fn inner(
        &self,
        reading: impl Into<Reading>,
        wanted: (&str, Content),
    ) -> Result<Inner, Failure> {
        self.inner_of(self.open_with(reading)?, wanted)
    }

    /// The MineWars file or gamelog in what was opened.
    pub fn inner_of(
        &self,
        mut opened: Opened,
        (command, wanted): (&str, Content),
    ) -> Result<Inner, Failure> {
        let failed = |error: Error| Failure::of(self, &error);
        let held = opened.held(&GAMES).map_err(failed)?;
        if held.content != Some(wanted) {
            let (found, wanted) = (held.name, wanted.name());
            let problem = format_args!("{self} is a {found}; `{command}` reads {wanted}s");
            return Err(Failure::other_kind(problem));
        }
        let (inner, gaps) = opened.into_inner(&GAMES).map_err(failed)?;
        gap_lines(&gaps).iter().for_each(|line| warn_of_loss(self, line));
        Ok(inner)
    }

    /// Its bytes. Of something at an address the first are read.
    fn bytes(&self) -> Result<Bytes, Failure> {
        let path = match self {
            Self::Stdin => return Ok(Bytes::Stream(Box::new(io::stdin().lock()))),
            Self::Address(address) => {
                let opened = waiting("connecting", || remote::open(address));
                let opened = opened.map_err(|error| Failure::of(self, &error))?;
                return Ok(Bytes::Anywhere(Box::new(TapeFile::at_address(self, opened))));
            }
            Self::File(path) => path,
        };
        if path.is_dir() {
            return Err(self.no_file());
        }
        let file = File::open(path).and_then(|file| Ok((file.metadata()?.is_file(), file)));
        match file.map_err(|error| Failure::io(self, &error))? {
            (true, file) => Ok(Bytes::Anywhere(Box::new(TapeFile::in_file(self, file)))),
            (false, stream) => Ok(Bytes::Stream(Box::new(stream))),
        }
    }

    /// The file as a tape, whatever it begins with.
    pub fn open_as_tape(&self) -> Result<TapeFile, Failure> {
        match self.bytes()? {
            Bytes::Anywhere(file) => Ok(*file),
            Bytes::Stream(_) => Ok(TapeFile::in_memory(self, self.read()?)),
        }
    }

    /// The tape in the file; `Err` when it is something else, of which only the start is read.
    pub fn tape(&self) -> Result<TapeFile, Failure> {
        let (start, length) = match self.bytes()? {
            Bytes::Anywhere(mut file) => match file.first(SNIFFED_BYTES as u64)? {
                start if is_tape(&start) => return Ok(*file),
                start => (start, Some(file.length())),
            },
            Bytes::Stream(mut stream) => {
                match self.read_up_to(SNIFFED_BYTES as u64, &mut stream)? {
                    start if is_tape(&start) => {
                        let bytes = self.read_all(io::Cursor::new(start).chain(stream))?;
                        return Ok(TapeFile::in_memory(self, bytes));
                    }
                    start => (start, None),
                }
            }
        };
        if start.is_empty() {
            return Err(Failure::refused(self, "not a recording: it is empty"));
        }
        Err(self.no_tape(likely_format(&start, length)))
    }

    fn no_tape(&self, looks_like: Option<Format>) -> Failure {
        match looks_like {
            Some(Format::Tape) | None => Failure::refused(self, "not a tape"),
            Some(format) => {
                let problem = format_args!("it is {format}, and this command reads tapes");
                Failure::other_kind(format_args!("{self}: not a tape: {problem}"))
            }
        }
    }

    /// The whole file, unless it is more than memory may be used for.
    pub fn read(&self) -> Result<Vec<u8>, Failure> {
        match self.bytes()? {
            Bytes::Anywhere(mut file) => {
                self.check_size(file.length())?;
                file.first(u64::MAX)
            }
            Bytes::Stream(stream) => self.read_all(stream),
        }
    }

    /// Everything that comes, unless it is more than memory may be used for.
    fn read_all(&self, stream: impl Read) -> Result<Vec<u8>, Failure> {
        // One byte more shows that there is more.
        let bytes = self.read_up_to(max_memory().saturating_add(1), stream)?;
        self.check_size(bytes.len() as u64)?;
        Ok(bytes)
    }

    fn check_size(&self, bytes: u64) -> Result<(), Failure> {
        let checked = Limit::new(WHOLE_SIZE, max_memory()).check(bytes, 0);
        checked.map(drop).map_err(|error| Failure::of(self, &error))
    }

    /// The bytes of a recording, as many as may be in memory; not of something else: a device may have no end.
    pub fn read_recording(&self) -> Result<Vec<u8>, Failure> {
        match self.open()? {
            Opened::Tape(tape) => tape.into_bytes(),
            Opened::MineWars(bytes) => Ok(bytes.bytes().to_vec()),
            Opened::Gamelog(bytes) => Ok(bytes.into_bytes()),
            _ => Err(self.unknown()),
        }
    }

    /// Reads at most `most` bytes.
    fn read_up_to(&self, most: u64, reader: impl Read) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let read = reader.take(most).read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|error| Failure::io(self, &error))
    }

    /// The whole file, which must be UTF-8.
    pub fn read_text(&self) -> Result<String, Failure> {
        String::from_utf8(self.read()?).map_err(|error| {
            let offset = error.utf8_error().valid_up_to() as u64;
            let kind = ErrorKind::BadSyntax { problem: "not UTF-8".into() };
            Failure::of(self, &Error::at(offset, "text", kind))
        })
    }

    /// It is a folder.
    #[must_use]
    pub fn no_file(&self) -> Failure {
        Failure::refused(self, "it is a folder, and a file is needed here")
    }

    /// It is a recording of a format that this version does not know.
    #[must_use]
    pub fn unknown(&self) -> Failure {
        Failure::refused(self, "it is of a kind that is not known here")
    }

    /// A usage error if an option was given that is for recordings of another format than that of the
    /// file.
    pub fn check_options(
        &self,
        found: Format,
        options: &[(&str, bool, Format)],
    ) -> Result<(), Failure> {
        let misfit = options.iter().find(|(_, given, wanted)| *given && *wanted != found);
        let Some((option, _, wanted)) = misfit else { return Ok(()) };
        let (wanted, found) = (name_of(*wanted), name_of(found));
        Err(Failure::usage(format_args!("{option} is for {wanted}s, and {self} is a {found}")))
    }
}

fn is_tape(start: &[u8]) -> bool {
    sniff(start, None) == Some(Format::Tape)
}

fn name_of(format: Format) -> &'static str {
    match format {
        Format::Tape => "tape",
        Format::MineWars => "MineWars recording",
        Format::Gamelog => "gamelog",
        _ => "recording of another kind",
    }
}

/// What kind of recording a file looks like, and what is wrong with one that looks like none any more;
/// `None` where it looks like something else, or is standard input.
pub fn format_of(source: &Source) -> Result<Option<(Format, Option<Failure>)>, Failure> {
    let (start, length) = match source.bytes()? {
        _ if *source == Source::Stdin => return Ok(None),
        Bytes::Anywhere(mut file) => (file.first(SNIFFED_BYTES as u64)?, Some(file.length())),
        Bytes::Stream(stream) => (source.read_up_to(SNIFFED_BYTES as u64, stream)?, None),
    };
    if let Some(format) = likely_format(&start, length) {
        return Ok(Some((format, None)));
    }
    let remains = remains(&start, &source.short_name());
    Ok(remains.map(|(format, problem)| (format, Some(Failure::damaged(source, problem)))))
}

/// How MineWars data is read.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Reading {
    /// In this dialect, whatever it looks like.
    pub dialect: Option<Dialect>,
    /// As a stream without file header.
    pub headerless: bool,
}

impl Reading {
    /// In this dialect, where one is given.
    #[must_use]
    pub fn in_dialect(self, dialect: Option<Dialect>) -> Self {
        Self { dialect, ..self }
    }

    /// As a stream without file header, or not.
    #[must_use]
    pub fn headerless(self, headerless: bool) -> Self {
        Self { headerless, ..self }
    }

    fn options(self) -> OpenOptions {
        let options = OpenOptions::default().in_dialect(self.dialect).headerless(self.headerless);
        options.with_max_bytes(max_memory())
    }

    /// A usage error if something of it was asked for, and the file is no MineWars data.
    pub fn check(self, source: &Source, found: Format) -> Result<(), Failure> {
        let options = [("--dialect", self.dialect.is_some()), ("--headerless", self.headerless)];
        source.check_options(found, &options.map(|(name, given)| (name, given, Format::MineWars)))
    }
}
