//! The file header and the three checksums.

use std::ops::Range;

use crate::Generation;
use gametape_wire::{Error, ErrorKind, Reader, Result, Writer};

/// The header of a replay file as it is in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileHeader {
    /// Checksums of headers, setup data and frames.
    pub checksums: [u64; 3],
    /// Bytes of the frames as stored.
    pub frames_stored: u32,
    /// Bytes of the frames when unpacked.
    pub frames_raw: u32,
}

impl FileHeader {
    /// Bytes of the header in `generation`.
    #[must_use]
    pub const fn length(generation: Generation) -> usize {
        match generation {
            Generation::V01 => 28,
            Generation::Current => 32,
        }
    }

    pub(crate) fn read(r: &mut Reader<'_>, generation: Generation) -> Result<Self> {
        let mut checksum = || r.u64_be("checksum");
        let checksums = [checksum()?, checksum()?, checksum()?];
        let mut length = || match generation {
            Generation::V01 => r.u16_be("length of the frames").map(u32::from),
            Generation::Current => r.u32_be("length of the frames"),
        };
        Ok(Self { checksums, frames_stored: length()?, frames_raw: length()? })
    }

    /// Writes the header; in v0.1 the lengths must be known to fit.
    pub(crate) fn write(&self, w: &mut Writer, generation: Generation) {
        for checksum in self.checksums {
            w.u64_be(checksum);
        }
        for length in [self.frames_stored, self.frames_raw] {
            match generation {
                Generation::V01 => w.u16_be(length as u16),
                Generation::Current => w.u32_be(length),
            };
        }
    }
}

/// The parts of a file that have a checksum each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FilePart {
    /// File header and setup header, without the first checksum itself.
    Headers,
    /// The setup data.
    Setup,
    /// The frames.
    Frames,
}

impl FilePart {
    /// The three, in the order of their checksums.
    pub const ALL: [Self; 3] = [Self::Headers, Self::Setup, Self::Frames];

    /// The part's name, as errors print it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Headers => "headers",
            Self::Setup => "setup data",
            Self::Frames => "frames",
        }
    }
}

/// One checksum: as stored, and as it is for the bytes that are there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Check {
    /// What it covers.
    pub part: FilePart,
    /// The checksum in the file header.
    pub stored: u64,
    /// The checksum of the bytes in `range`.
    pub computed: u64,
    /// The bytes it covers, as far as the file has them.
    pub range: Range<usize>,
}

impl Check {
    /// Is the part as it was written?
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.stored == self.computed
    }

    /// The error that a wrong checksum is.
    #[must_use]
    pub fn error(&self) -> Option<Error> {
        let (stored, computed) = (self.stored, self.computed);
        let error = || {
            let kind = ErrorKind::Checksum { stored, computed };
            Error::at(self.range.start as u64, self.part.name(), kind)
        };
        (!self.is_ok()).then(error)
    }
}

/// Writes the three checksums into a whole file whose setup data and frames are in these ranges.
///
/// From the last to the first, because the first covers the other two.
pub(crate) fn seal(file: &mut [u8], setup_data: Range<usize>, frames: Range<usize>) {
    let headers = 8..setup_data.start;
    for (slot, covered) in [(16, frames), (8, setup_data), (0, headers)] {
        let checksum = seahash::hash(&file[covered]).to_be_bytes();
        file[slot..slot + 8].copy_from_slice(&checksum);
    }
}
