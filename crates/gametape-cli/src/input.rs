//! The files that commands read.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use gametape_minewars::Dialect;
use gametape_replay::inspect::gap_lines;
use gametape_replay::open::{
    self, Content, Format, Inner, OpenOptions, SNIFFED_BYTES, WHOLE_SIZE, likely_format,
    open_stream, remains,
};
use gametape_wire::{Error, ErrorKind, Limit, Source as _};

use crate::failure::{Failure, warn_of_loss};
use crate::games::GAMES;
use crate::global::max_memory;
use crate::many::FilesArgs;
use crate::progress::waiting;
use crate::remote;
use crate::tape::TapeFile;

/// A file to read, `-` for standard input, or an address: `s3://…`, `https://…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
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
pub(crate) type Opened = open::Opened<TapeFile>;

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
    /// Is it a folder?
    pub(crate) fn is_folder(&self) -> bool {
        matches!(self, Self::File(path) if path.is_dir())
    }

    /// The name of the file without its folders.
    pub(crate) fn short_name(&self) -> String {
        let name = match self {
            Self::File(path) => path.file_name(),
            Self::Address(address) => Path::new(address).file_name(),
            Self::Stdin => None,
        };
        name.map_or_else(|| self.to_string(), |name| name.to_string_lossy().into_owned())
    }

    /// Opens the file. Of a tape, and of something that is no recording, only the start is read.
    pub(crate) fn open(&self) -> Result<Opened, Failure> {
        self.open_with(&FormatArgs::default())
    }

    /// Opens the file, MineWars data as it is asked for.
    pub(crate) fn open_with(&self, format: &FormatArgs) -> Result<Opened, Failure> {
        let options = format.options();
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
        format.check(self, opened.format())?;
        if let Opened::Gamelog(log) = &opened {
            log.losses().iter().for_each(|loss| warn_of_loss(self, loss));
        }
        Ok(opened)
    }

    /// The MineWars file or gamelog in the file, which may be a tape that holds it: what `command` reads.
    pub(crate) fn inner(
        &self,
        format: &FormatArgs,
        wanted: (&str, Content),
    ) -> Result<Inner, Failure> {
        self.inner_of(self.open_with(format)?, wanted)
    }

    /// The MineWars file or gamelog in what was opened.
    pub(crate) fn inner_of(
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
        let file = File::open(path).and_then(|file| Ok((file.metadata()?.is_file(), file)));
        match file.map_err(|error| Failure::io(self, &error))? {
            (true, file) => Ok(Bytes::Anywhere(Box::new(TapeFile::in_file(self, file)))),
            (false, stream) => Ok(Bytes::Stream(Box::new(stream))),
        }
    }

    /// The file as a tape, whatever it begins with.
    pub(crate) fn open_as_tape(&self) -> Result<TapeFile, Failure> {
        match self.bytes()? {
            Bytes::Anywhere(file) => Ok(*file),
            Bytes::Stream(_) => Ok(TapeFile::in_memory(self, self.read()?)),
        }
    }

    /// The tape in the file; `Err` when it is something else.
    pub(crate) fn tape(&self) -> Result<TapeFile, Failure> {
        if let Bytes::Anywhere(mut file) = self.bytes()? {
            return match file.is_tape()? {
                None => Err(Failure::refused(self, "it is empty")),
                Some(true) => Ok(*file),
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
    pub(crate) fn read(&self) -> Result<Vec<u8>, Failure> {
        let limit = Limit::new(WHOLE_SIZE, max_memory());
        let check = |bytes| limit.check(bytes, 0).map_err(|error| Failure::of(self, &error));
        // One byte more shows that there is more.
        let most = limit.max.saturating_add(1);
        let bytes = match self.bytes()? {
            Bytes::Anywhere(mut file) => {
                check(file.length())?;
                file.first(most)?
            }
            Bytes::Stream(stream) => self.read_up_to(most, stream)?,
        };
        check(bytes.len() as u64)?;
        Ok(bytes)
    }

    /// Reads at most `most` bytes.
    fn read_up_to(&self, most: u64, reader: impl Read) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let read = reader.take(most).read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|error| Failure::io(self, &error))
    }

    /// The whole file, which must be UTF-8.
    pub(crate) fn read_text(&self) -> Result<String, Failure> {
        String::from_utf8(self.read()?).map_err(|error| {
            let offset = error.utf8_error().valid_up_to() as u64;
            let kind = ErrorKind::BadSyntax { problem: "not UTF-8".into() };
            Failure::of(self, &Error::at(offset, "text", kind))
        })
    }

    /// It is a recording of a format that this version does not know.
    pub(crate) fn unknown(&self) -> Failure {
        Failure::refused(self, "it is of a kind that is not known here")
    }

    /// A usage error if an option was given that is for recordings of another format than that of the
    /// file.
    pub(crate) fn check_options(
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
pub(crate) fn format_of(source: &Source) -> Result<Option<(Format, Option<Failure>)>, Failure> {
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
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct FormatArgs {
    /// Read MineWars data in this dialect, whatever it looks like; mw-datatool is never guessed
    #[arg(long, value_parser = one_of(&Dialect::ALL, Dialect::name))]
    pub(crate) dialect: Option<Dialect>,

    /// Read MineWars data as a stream without file header, as sent over a network
    #[arg(long)]
    pub(crate) headerless: bool,
}

impl FormatArgs {
    fn options(&self) -> OpenOptions {
        let options = OpenOptions::default().in_dialect(self.dialect).headerless(self.headerless);
        options.with_max_bytes(max_memory())
    }

    /// A usage error if they were given for something else than MineWars data.
    pub(crate) fn check(&self, source: &Source, found: Format) -> Result<(), Failure> {
        let options = [("--dialect", self.dialect.is_some()), ("--headerless", self.headerless)];
        source.check_options(found, &options.map(|(name, given)| (name, given, Format::MineWars)))
    }
}

/// The arguments of every command that reads a recording.
#[derive(Debug, clap::Args)]
pub(crate) struct RecordingArgs {
    /// Recording to read, `-` for standard input, or its address: s3://…, https://…
    #[arg(value_name = "FILE")]
    pub(crate) source: Source,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// The arguments of every command that reads many recordings.
#[derive(Debug, clap::Args)]
pub(crate) struct RecordingsArgs {
    #[command(flatten)]
    pub(crate) files: FilesArgs,

    #[command(flatten)]
    pub(crate) format: FormatArgs,
}

/// The argument of every command that reads a tape and nothing else.
#[derive(Debug, clap::Args)]
pub(crate) struct TapeArgs {
    /// Tape to read, `-` for standard input, or its address: s3://…, https://…
    #[arg(value_name = "TAPE")]
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
