//! A whole chunk, borrowed from the bytes of a tape.

use std::borrow::Cow;

use gametape_wire::{Error, ErrorKind, Reader, Result};
use lz4_flex::block;

use crate::check::check64;
use crate::header::ChunkHeader;
use crate::kind::Codec;
use crate::limits::LZ4_EXPANSION;

/// A chunk whose header is valid and whose stored bytes match their checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// What it is.
    pub header: ChunkHeader,
    /// Where its header begins in the tape.
    pub offset: u64,
    /// The bytes as they stand in the tape.
    pub stored: &'a [u8],
}

impl<'a> Chunk<'a> {
    /// The chunk at the beginning of `bytes`, which begin at `offset` of the tape.
    pub fn read(bytes: &'a [u8], offset: u64) -> Result<Self> {
        let mut r = Reader::with_base(bytes, offset);
        let header = ChunkHeader::read(&r.array("chunk header")?, offset)?;
        let stored = r.take(header.stored_length as usize, "chunk")?;
        let chunk = Self { header, offset, stored };
        chunk.check_payload()?;
        Ok(chunk)
    }

    fn check_payload(&self) -> Result<()> {
        let (stored, computed) = (self.header.check, check64(self.stored));
        if stored == computed {
            return Ok(());
        }
        let kind = ErrorKind::Checksum { stored, computed };
        Err(Error::at(self.payload_offset(), self.header.kind.to_string(), kind))
    }

    /// Where the stored bytes begin in the tape.
    #[must_use]
    pub fn payload_offset(&self) -> u64 {
        self.offset + ChunkHeader::LENGTH as u64
    }

    /// The raw bytes: borrowed where they are stored raw.
    pub fn raw(&self) -> Result<Cow<'a, [u8]>> {
        if self.header.codec == Codec::RAW {
            return Ok(Cow::Borrowed(self.stored));
        }
        let mut raw = vec![0; self.checked_length()?];
        self.unpack_into(&mut raw)?;
        Ok(Cow::Owned(raw))
    }

    /// The raw bytes: in `buffer` where they must be unpacked, so that it can serve many chunks.
    pub fn raw_in<'b>(&self, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]>
    where
        'a: 'b,
    {
        if self.header.codec == Codec::RAW {
            return Ok(self.stored);
        }
        // It only ever grows: what is overwritten needs no clearing.
        let length = self.checked_length()?;
        if buffer.len() < length {
            buffer.resize(length, 0);
        }
        let raw = &mut buffer[..length];
        self.unpack_into(raw)?;
        Ok(raw)
    }

    /// The raw length, if the stored bytes can hold so much.
    fn checked_length(&self) -> Result<usize> {
        let codec = self.header.codec;
        if codec != Codec::LZ4 {
            let kind = ErrorKind::Unknown { code: codec.0.into() };
            return Err(Error::at(self.offset + 14, "codec", kind));
        }
        let (stored, raw) = (self.stored.len() as u64, self.header.raw_length);
        if u64::from(raw) > stored * LZ4_EXPANSION {
            let most = stored * LZ4_EXPANSION;
            return Err(self.refuse(format!("a block of {stored} bytes holds at most {most}")));
        }
        Ok(raw as usize)
    }

    fn unpack_into(&self, raw: &mut [u8]) -> Result<()> {
        match block::decompress_into(self.stored, raw) {
            Ok(length) if length == raw.len() => Ok(()),
            Ok(length) => Err(self.refuse(format!("there are only {length}"))),
            Err(error) => Err(self.refuse(error.to_string())),
        }
    }

    #[cold]
    fn refuse(&self, problem: String) -> Error {
        let announced = self.header.raw_length.into();
        let kind = ErrorKind::Compression { announced, problem: problem.into() };
        Error::at(self.payload_offset(), self.header.kind.to_string(), kind)
    }
}

/// Compresses chunk after chunk with the same buffers.
pub(crate) struct Compressor {
    table: block::CompressTable,
    packed: Vec<u8>,
}

impl Default for Compressor {
    fn default() -> Self {
        Self { table: block::CompressTable::large(), packed: Vec::new() }
    }
}

impl Compressor {
    /// The bytes to store for `raw`: as an LZ4 block where that is smaller.
    pub(crate) fn pack<'a>(&'a mut self, raw: &'a [u8]) -> (Codec, &'a [u8]) {
        let most = block::get_maximum_output_size(raw.len());
        if self.packed.len() < most {
            self.packed.resize(most, 0);
        }
        match block::compress_into_with_table(raw, &mut self.packed, &mut self.table) {
            Ok(length) if length < raw.len() => (Codec::LZ4, &self.packed[..length]),
            _ => (Codec::RAW, raw),
        }
    }
}

impl std::fmt::Debug for Compressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compressor").finish_non_exhaustive()
    }
}
