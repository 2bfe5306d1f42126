//! A MineWars file in memory.

use gametape_minewars::{Dialect, ReplayFile};
use gametape_wire::{Limit, Result};

/// What an error calls the size of a file whose parts take too much memory when they are unpacked.
pub const UNPACKED_SIZE: &str = "unpacked size of a MineWars file";

/// The bytes of a MineWars file, and the dialect that the caller asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MinewarsBytes {
    bytes: Vec<u8>,
    dialect: Option<Dialect>,
    headerless: bool,
    max_bytes: u64,
}

impl MinewarsBytes {
    /// A MineWars file in these bytes, in a dialect where the caller knows it.
    #[must_use]
    pub fn new(bytes: Vec<u8>, dialect: Option<Dialect>) -> Self {
        Self { bytes, dialect, headerless: false, max_bytes: u64::MAX }
    }

    /// The same bytes, read as a stream without file header.
    #[must_use]
    pub fn headerless(self, headerless: bool) -> Self {
        Self { headerless, ..self }
    }

    /// The same file, which is refused where it takes more bytes of memory than these.
    #[must_use]
    pub fn with_max_bytes(self, max_bytes: u64) -> Self {
        Self { max_bytes, ..self }
    }

    /// The file; its headers are read, its parts when they are asked for. Refused where unpacking
    /// these takes more memory than it may.
    pub fn file(&self) -> Result<ReplayFile<'_>> {
        let file = self.headers()?;
        let raw = u64::from(file.header().frames_raw) + u64::from(file.setup().header().map_raw);
        let all = raw.saturating_add(self.bytes.len() as u64);
        Limit::new(UNPACKED_SIZE, self.max_bytes).check(all, 0)?;
        Ok(file)
    }

    /// The file, for whoever looks at its headers only.
    pub fn headers(&self) -> Result<ReplayFile<'_>> {
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
