//! A MineWars file in memory.

use gametape_minewars::{Dialect, ReplayFile};
use gametape_wire::Result;

/// The bytes of a MineWars file, and the dialect that the caller asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinewarsBytes {
    bytes: Vec<u8>,
    dialect: Option<Dialect>,
    headerless: bool,
}

impl MinewarsBytes {
    /// A MineWars file in these bytes, in a dialect where the caller knows it.
    #[must_use]
    pub fn new(bytes: Vec<u8>, dialect: Option<Dialect>) -> Self {
        Self { bytes, dialect, headerless: false }
    }

    /// The same bytes, read as a stream without file header.
    #[must_use]
    pub fn headerless(self, headerless: bool) -> Self {
        Self { headerless, ..self }
    }

    /// The file; its headers are read, its parts when they are asked for.
    pub fn file(&self) -> Result<ReplayFile<'_>> {
        open_file(&self.bytes, self.dialect, self.headerless)
    }

    /// All bytes of the file.
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

/// Opens a MineWars file as the caller asks for.
pub(super) fn open_file(
    bytes: &[u8],
    dialect: Option<Dialect>,
    headerless: bool,
) -> Result<ReplayFile<'_>> {
    match dialect {
        _ if headerless => ReplayFile::open_stream(bytes, dialect),
        Some(dialect) => ReplayFile::open_as(bytes, dialect),
        None => ReplayFile::open(bytes),
    }
}
