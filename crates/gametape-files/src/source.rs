//! The files that are read.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use gametape_minewars::Dialect;
use gametape_replay::inspect::gap_lines;
use gametape_replay::open::{
    self, Content, Format, Inner, OpenOptions, SNIFFED_BYTES, WHOLE_SIZE, likely_format,
    open_stream, remains,
};
use gametape_skirmish::registry::GAMES;
use gametape_wire::{Error, ErrorKind, Limit};

use crate::host::warn_of_loss;
use crate::memory::max_memory;
use crate::outcome::Failure;
use crate::tape::TapeFile;

/// A file to read, `-` for standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// The file with this path.
    File(PathBuf),
}

/// A recording that was opened. Of a tape only the start was read.
pub type Opened = open::Opened<TapeFile>;

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
    #[must_use]
    pub fn is_folder(&self) -> bool {
        matches!(self, Self::File(path) if path.is_dir())
    }

    /// The name of the file without its folders.
    #[must_use]
    pub fn short_name(&self) -> String {
        let name = match self {
            Self::File(path) => path.file_name(),
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
        let opened = match self.file()? {
            // The file keeps its start itself.
            Some((file, Some(_))) => open::open(TapeFile::in_file(self, file), &options)
                .map(|opened| opened.map_source(open::KeptStart::into_inner)),
            Some((file, None)) => open_stream(file, &options).map(in_memory),
            None => open_stream(io::stdin().lock(), &options).map(in_memory),
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

    /// The file and, where it can be entered anywhere, its length; `None` for standard input.
    fn file(&self) -> Result<Option<(File, Option<u64>)>, Failure> {
        let Self::File(path) = self else { return Ok(None) };
        let file = File::open(path).and_then(|file| {
            let about = file.metadata()?;
            Ok((file, about.is_file().then_some(about.len())))
        });
        file.map(Some).map_err(|error| Failure::io(self, &error))
    }

    /// The file as a tape, whatever it begins with.
    pub fn open_as_tape(&self) -> Result<TapeFile, Failure> {
        match self.file()? {
            Some((file, Some(_))) => Ok(TapeFile::in_file(self, file)),
            _ => Ok(TapeFile::in_memory(self, self.read()?)),
        }
    }

    /// The tape in the file; `Err` when it is something else.
    pub fn tape(&self) -> Result<TapeFile, Failure> {
        if let Some((file, Some(_))) = self.file()? {
            let mut file = TapeFile::in_file(self, file);
            return match file.is_tape()? {
                None => Err(Failure::refused(self, "it is empty")),
                Some(true) => Ok(file),
                Some(false) => {
                    let looks_like = format_of(self).ok().flatten();
                    Err(self.no_tape(looks_like.map(|(format, _)| format)))
                }
            };
        }
        match self.open()? {
            Opened::Tape(file) => Ok(file),
            opened => Err(self.no_tape(Some(opened.format()))),
        }
    }

    fn no_tape(&self, looks_like: Option<Format>) -> Failure {
        let problem = match looks_like {
            Some(Format::Tape) | None => "it does not begin as a tape does".into(),
            Some(format) => format!("it is {format}, and this command reads tapes").into(),
        };
        Failure::of(self, &Error::at(0, "tape", ErrorKind::BadSyntax { problem }))
    }

    /// The whole file, unless it is more than memory may be used for.
    pub fn read(&self) -> Result<Vec<u8>, Failure> {
        let limit = Limit::new(WHOLE_SIZE, max_memory());
        let check = |bytes| limit.check(bytes, 0).map_err(|error| Failure::of(self, &error));
        // One byte more shows that there is more.
        let most = limit.max.saturating_add(1);
        let bytes = match self.file()? {
            Some((file, length)) => {
                check(length.unwrap_or(0))?;
                self.read_up_to(most, file)
            }
            None => self.read_up_to(most, io::stdin().lock()),
        }?;
        check(bytes.len() as u64)?;
        Ok(bytes)
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
    let Some((file, length)) = source.file()? else { return Ok(None) };
    let start = source.read_up_to(SNIFFED_BYTES as u64, file)?;
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
