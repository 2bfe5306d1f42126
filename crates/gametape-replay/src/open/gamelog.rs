//! A gamelog in memory, as it is stored.

use gametape_cadre::{Log, Options, Summary};
use gametape_wire::Result;

use super::sniff::is_gzip;

/// The bytes of a gamelog, plain or gzip, and how it is read. Callers read as much of it as they need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GamelogBytes {
    bytes: Vec<u8>,
    options: Options,
}

impl GamelogBytes {
    /// A gamelog in these bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, options: Options::default() }
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
