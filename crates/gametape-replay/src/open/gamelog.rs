//! A gamelog in memory, as it is stored.

use gametape_cadre::{Log, Options, Spectated, Summary};
use gametape_wire::Result;

use super::sniff::is_gzip;

/// The bytes of a gamelog, plain or gzip, and how it is read. Callers read as much of it as they need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GamelogBytes {
    bytes: Vec<u8>,
    options: Options,
    stream: Option<StreamFacts>,
}

/// What is known of the spectator stream that a gamelog was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StreamFacts {
    /// Is it stored as gzip?
    pub is_gzip: bool,
    /// Its size as stored.
    pub stored_bytes: usize,
    /// What is missing, one line each.
    pub losses: Vec<String>,
}

impl GamelogBytes {
    /// A gamelog in these bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, options: Options::default(), stream: None }
    }

    /// The gamelog of a spectator stream in these bytes, plain or gzip, cut or not.
    pub fn of_stream(stored: &[u8], options: Options) -> Result<Self> {
        let Spectated { log, ending, .. } = Spectated::read(stored, &options)?;
        let (is_gzip, stored_bytes) = (is_gzip(stored), stored.len());
        let stream = Some(StreamFacts { is_gzip, stored_bytes, losses: ending.losses() });
        Ok(Self { bytes: log.to_json(), options, stream })
    }

    /// The spectator stream that it was made of, if it was.
    #[must_use]
    pub fn stream(&self) -> Option<&StreamFacts> {
        self.stream.as_ref()
    }

    /// What is missing in it, one line each.
    #[must_use]
    pub fn losses(&self) -> &[String] {
        self.stream.as_ref().map_or(&[], |stream| &stream.losses)
    }

    /// The same gamelog, read with other options.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// How it is read.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Is it stored as gzip?
    #[must_use]
    pub fn is_gzip(&self) -> bool {
        is_gzip(&self.bytes)
    }

    /// Header and outcome, which is all that can be had quickly.
    pub fn summary(&self) -> Result<Summary> {
        Summary::read(&self.bytes[..], &self.options)
    }

    /// The log with all its deltas, none of them merged.
    pub fn log(&self) -> Result<Log> {
        Log::open(&self.bytes[..], &self.options)
    }

    /// The same, of bytes that nobody needs any more: those of plain text are not copied.
    pub fn into_log(self) -> Result<Log> {
        Log::open(self.bytes, &self.options)
    }

    /// The bytes as they are stored.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes themselves.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
