//! The last bytes of a finished tape: where its summary is.

use std::ops::Range;

use gametape_wire::{Error, ErrorKind, Reader, Result, Writer};

use crate::layout::checksum::check64;

const MAGIC: [u8; 8] = [b'\n', 0x1A, b'\n', b'\r', b'P', b'A', b'T', 0x89];

/// The last 32 bytes of a finished tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trailer {
    pub(crate) summary_offset: u64,
    pub(crate) summary_length: u32,
    pub(crate) tape_id: u32,
}

impl Trailer {
    pub(crate) const LENGTH: usize = 32;

    /// The trailer at `offset`.
    pub(crate) fn read(bytes: &[u8; Self::LENGTH], offset: u64) -> Result<Self> {
        let mut r = Reader::with_base(bytes, offset);
        let trailer = Self {
            summary_offset: r.u64_le("trailer")?,
            summary_length: r.u32_le("trailer")?,
            tape_id: r.u32_le("trailer")?,
        };
        let (stored, computed) = (r.u64_le("trailer")?, check64(&bytes[..16]));
        if r.array("trailer")? != MAGIC {
            let kind = ErrorKind::BadSyntax { problem: "there is none".into() };
            return Err(Error::at(offset + 24, "trailer", kind));
        }
        if stored != computed {
            let kind = ErrorKind::Checksum { stored, computed };
            return Err(Error::at(offset + 16, "trailer", kind));
        }
        if trailer.summary_range().end != offset {
            let kind = ErrorKind::BadSyntax { problem: "the summary is not before it".into() };
            return Err(Error::at(offset, "trailer", kind));
        }
        Ok(trailer)
    }

    /// Where the summary's chunk is.
    pub(crate) fn summary_range(&self) -> Range<u64> {
        let end = self.summary_offset.saturating_add(self.summary_length.into());
        self.summary_offset..end
    }

    pub(crate) fn write(&self, out: &mut Writer) {
        let mut w = Writer::new();
        w.u64_le(self.summary_offset).u32_le(self.summary_length).u32_le(self.tape_id);
        w.u64_le(check64(w.as_bytes())).bytes(&MAGIC);
        out.bytes(w.as_bytes());
    }
}
