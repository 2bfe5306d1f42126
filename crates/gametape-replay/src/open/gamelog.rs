//! A gamelog in memory, as it is stored.

use gametape_cadre::{Log, Options, Summary};
use gametape_wire::Result;

use super::sniff::is_gzip;

/// The bytes of a gamelog, plain or gzip. Callers read as much of it as they need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GamelogBytes {
    bytes: Vec<u8>,
}

impl GamelogBytes {
    /// A gamelog in these bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// Is it stored as gzip?
    #[must_use]
    pub fn is_gzip(&self) -> bool {
        is_gzip(&self.bytes)
    }

    /// Header and outcome, which is all that can be had quickly.
    pub fn summary(&self) -> Result<Summary> {
        Summary::read(&self.bytes[..], &Options::default())
    }

    /// The log with all its deltas, none of them merged.
    pub fn log(&self) -> Result<Log> {
        Log::open(&self.bytes[..], &Options::default())
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
