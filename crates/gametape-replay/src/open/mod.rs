//! Any recording, opened by what is in it, never by its name.
//!
//! ```
//! use gametape_replay::open::{Format, OpenOptions, Opened, open};
//!
//! let log = gametape_cadre::sample::log(20, 1);
//! let Opened::Gamelog(gamelog) = open(&log[..], &OpenOptions::default())? else { panic!() };
//! assert_eq!(gamelog.log()?.len(), 20);
//!
//! let error = open(&[0_u8; 100_000][..], &OpenOptions::default()).unwrap_err();
//! assert!(error.to_string().contains("neither a tape nor a gamelog"));
//! # Ok::<(), gametape_wire::Error>(())
//! ```

mod content;
mod gamelog;
mod kept_start;
mod minewars;
mod sniff;
mod tape;

use std::io::{Chain, Cursor, Read, Take};

use gametape_minewars::{Detection, Dialect};
use gametape_wire::{Error, ErrorClass, ErrorKind, Limit, Place, Result, Source};

pub use content::{Content, Held, Inner, inner_recording, unknown_content};
pub use gamelog::{GamelogBytes, StreamFacts};
pub use kept_start::KeptStart;
pub use minewars::{MinewarsBytes, UNPACKED_SIZE};
pub use sniff::{Format, SNIFFED_BYTES, is_gzip, likely_format, remains, sniff};
pub use tape::{open_tape, visit_chunks};

/// How a recording is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenOptions {
    /// The dialect of MineWars data, whatever it looks like.
    pub dialect: Option<Dialect>,
    /// Read MineWars data as a stream without file header.
    pub headerless: bool,
    /// The most bytes of a recording that is held in memory as a whole: all but tapes.
    pub max_bytes: u64,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self { dialect: None, headerless: false, max_bytes: 256 << 20 }
    }
}

impl OpenOptions {
    /// The same options with MineWars data in this dialect.
    #[must_use]
    pub fn in_dialect(self, dialect: Option<Dialect>) -> Self {
        Self { dialect, ..self }
    }

    /// The same options with MineWars data read as a stream without file header.
    #[must_use]
    pub fn headerless(self, headerless: bool) -> Self {
        Self { headerless, ..self }
    }

    /// The same options with another limit for what is held in memory as a whole.
    #[must_use]
    pub fn with_max_bytes(self, max_bytes: u64) -> Self {
        Self { max_bytes, ..self }
    }

    fn limit(&self) -> Limit {
        Limit::new(WHOLE_SIZE, self.max_bytes)
    }
}

/// What an error calls the size of a recording that is over [`OpenOptions::max_bytes`].
pub const WHOLE_SIZE: &str = "size of a recording that is no tape";

/// A recording of any kind.
#[derive(Debug)]
#[non_exhaustive]
pub enum Opened<S> {
    /// A tape, of which only the first bytes were read: [`Recording`](crate::Recording) opens it.
    Tape(S),
    /// A MineWars replay file.
    MineWars(MinewarsBytes),
    /// A Cadre gamelog, plain or gzip, or one that was made of a spectator stream.
    Gamelog(GamelogBytes),
}

impl<S> Opened<S> {
    /// What it is. A spectator stream is a gamelog once it is open.
    #[must_use]
    pub fn format(&self) -> Format {
        match self {
            Self::Tape(_) => Format::Tape,
            Self::MineWars(_) => Format::MineWars,
            Self::Gamelog(_) => Format::Gamelog,
        }
    }

    /// The same recording, a tape with another source.
    #[must_use]
    pub fn map_source<T>(self, map: impl FnOnce(S) -> T) -> Opened<T> {
        match self {
            Self::Tape(source) => Opened::Tape(map(source)),
            Self::MineWars(bytes) => Opened::MineWars(bytes),
            Self::Gamelog(bytes) => Opened::Gamelog(bytes),
        }
    }
}

/// Opens a recording that can be read anywhere.
///
/// Reads [`SNIFFED_BYTES`] of something that is no recording, and of a tape; all other recordings
/// as a whole. What was read of a tape is kept for whoever opens it.
pub fn open<S: Source>(source: S, options: &OpenOptions) -> Result<Opened<KeptStart<S>>> {
    let mut source = KeptStart::new(source);
    let length = source.length();
    match identify(source.start()?, Some(length), options)? {
        Format::Tape => Ok(Opened::Tape(source)),
        _ => {
            options.limit().check(length, 0)?;
            whole(source.fetch(0..length)?.into_owned(), options)
        }
    }
}

/// Opens a recording that can only be read from its start to its end: a pipe, a device.
///
/// Stops reading as soon as it is clear that it is no recording, or too large.
pub fn open_stream(mut reader: impl Read, options: &OpenOptions) -> Result<Opened<Vec<u8>>> {
    let mut start = Vec::new();
    let first = (&mut reader).take(SNIFFED_BYTES as u64).read_to_end(&mut start);
    let first = first.map_err(|why| Error::unreadable(0, "recording", why))?;
    let length = (first < SNIFFED_BYTES).then_some(first as u64);
    let format = identify(&start, length, options)?;
    let bytes = read_rest(Cursor::new(start).chain(reader.take(u64::MAX)), options.limit())?;
    match format {
        Format::Tape => Ok(Opened::Tape(bytes)),
        _ => whole(bytes, options),
    }
}

/// Everything there is, unless it is over the limit.
fn read_rest(reader: Chain<Cursor<Vec<u8>>, Take<impl Read>>, limit: Limit) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = reader.take(limit.max.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|why| Error::unreadable(bytes.len() as u64, "recording", why))?;
    limit.check(bytes.len() as u64, 0)?;
    Ok(bytes)
}

/// The format by the first bytes, or why there is none. What these do not show is read as a
/// MineWars file where that is asked for, or where it is short: then it is known what is wrong with it.
fn identify(start: &[u8], length: Option<u64>, options: &OpenOptions) -> Result<Format> {
    if start.is_empty() {
        return Err(unknown("it is empty"));
    }
    let is_asked_for = options.dialect.is_some() || options.headerless;
    match sniff(start, length) {
        Some(format) => Ok(format),
        None if is_asked_for || start.len() < SNIFFED_BYTES => Ok(Format::MineWars),
        None => Err(unknown(NO_FORMAT)),
    }
}

fn whole<S>(bytes: Vec<u8>, options: &OpenOptions) -> Result<Opened<S>> {
    let OpenOptions { dialect, headerless, max_bytes } = *options;
    if is_gamelog(&bytes, options)? {
        let reading = gametape_cadre::Options::default().with_max_memory(max_bytes);
        if sniff::is_spectator_stream(&bytes) {
            // The stream and the log that is made of it are in memory at the same time, and the log alone after that.
            let left = max_bytes.saturating_sub(bytes.len() as u64);
            let log = GamelogBytes::of_stream(&bytes, reading.with_max_memory(left))?;
            return Ok(Opened::Gamelog(log.with_options(reading)));
        }
        return Ok(Opened::Gamelog(GamelogBytes::new(bytes).with_options(reading)));
    }
    let opened = MinewarsBytes::new(bytes, dialect).headerless(headerless);
    Ok(Opened::MineWars(opened.with_max_bytes(max_bytes)))
}

/// Is it a gamelog? An error where it is neither that nor a MineWars file, whose headers are read.
fn is_gamelog(bytes: &[u8], options: &OpenOptions) -> Result<bool> {
    if let Some(format) = sniff::gzip_of(bytes) {
        let problem = format!("it is {format} in gzip: unpack it first").into();
        return Err(Error::at(0, "recording", ErrorKind::BadSyntax { problem }));
    }
    let file = minewars::open_file(bytes, options.dialect, options.headerless);
    match (file, sniff::is_gamelog(bytes)) {
        // A gamelog may look like a MineWars file by its lengths, but never by a checksum.
        (Ok(file), true) => Ok(file.detection() == Detection::Structure),
        (Ok(_), false) => Ok(false),
        (Err(_), true) => Ok(true),
        (Err(error), false) if options.dialect.is_some() || options.headerless => Err(error),
        (Err(error), false) => match error.class() {
            _ if sniff(bytes, Some(bytes.len() as u64)).is_some() => {
                Err(error.within("MineWars file"))
            }
            ErrorClass::Truncated => Err(unknown(TOO_SHORT)),
            _ => Err(unknown(NO_FORMAT)),
        },
    }
}

/// What is wrong with a file that looks like nothing that is known here.
const NO_FORMAT: &str = "it is neither a tape nor a gamelog nor a MineWars file";
/// The same of one that has no room for the checksums that MineWars files begin with.
const TOO_SHORT: &str = "it is neither a tape nor a gamelog, and too short for a MineWars file";

#[cold]
fn unknown(problem: &'static str) -> Error {
    Error::new(Place::Nowhere, "not a recording", ErrorKind::BadSyntax { problem: problem.into() })
}
