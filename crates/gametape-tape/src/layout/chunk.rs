//! A whole chunk, borrowed from the bytes of a tape.

use std::borrow::Cow;

use gametape_wire::{Error, ErrorKind, Reader, Result};
use lz4_flex::block;

use crate::layout::checksum::check64;
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::columns::{WIDTHS, likely_width, to_columns, to_rows};
use crate::layout::kind::Codec;
use crate::limits::LZ4_EXPANSION;

/// A chunk whose header is valid and whose stored bytes match their checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// What it is.
    pub header: ChunkHeader,
    /// Where its header begins in the tape.
    pub offset: u64,
    /// The bytes as they are in the tape.
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
        let mut raw = Vec::new();
        let length = self.raw_in(&mut raw)?.len();
        raw.truncate(length);
        Ok(Cow::Owned(raw))
    }

    /// The raw bytes: in `buffer` where they must be unpacked, so that it can serve many chunks.
    pub fn raw_in<'b>(&self, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]>
    where
        'a: 'b,
    {
        match self.header.codec {
            Codec::RAW => Ok(self.stored),
            Codec::LZ4 => {
                let length = self.checked_length(self.stored)?;
                let raw = first_bytes(buffer, length);
                self.unpack_into(self.stored, raw)?;
                Ok(raw)
            }
            Codec::LZ4_COLUMNS => {
                let (width, block) = self.columns()?;
                let length = self.checked_length(block)?;
                let (raw, columns) = first_bytes(buffer, 2 * length).split_at_mut(length);
                self.unpack_into(block, columns)?;
                to_rows(columns, width, raw);
                Ok(raw)
            }
            codec => {
                let kind = ErrorKind::Unknown { code: codec.0.into() };
                Err(Error::at(self.offset + 14, "codec", kind))
            }
        }
    }

    /// The width of the columns, and the block that holds them.
    fn columns(&self) -> Result<(usize, &'a [u8])> {
        let (&width, block) = self.stored.split_first().unwrap_or((&0, &[]));
        if WIDTHS.contains(&width.into()) {
            return Ok((width.into(), block));
        }
        let kind = ErrorKind::BadValue { found: width.into(), expected: "2..=255" };
        Err(Error::at(self.payload_offset(), "width of the columns", kind))
    }

    /// The raw length, if the block can hold that much.
    fn checked_length(&self, block: &[u8]) -> Result<usize> {
        let (stored, raw) = (block.len() as u64, self.header.raw_length);
        if u64::from(raw) > stored * LZ4_EXPANSION {
            let most = stored * LZ4_EXPANSION;
            return Err(self.refuse(format!("a block of {stored} bytes holds at most {most}")));
        }
        Ok(raw as usize)
    }

    fn unpack_into(&self, block: &[u8], raw: &mut [u8]) -> Result<()> {
        match block::decompress_into(block, raw) {
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

/// The first bytes of a buffer that only ever grows: what is overwritten needs no clearing.
fn first_bytes(buffer: &mut Vec<u8>, length: usize) -> &mut [u8] {
    if buffer.len() < length {
        buffer.resize(length, 0);
    }
    &mut buffer[..length]
}

/// Compresses chunk after chunk with the same buffers.
pub(crate) struct Compressor {
    table: block::CompressTable,
    packed: Vec<u8>,
    columns: Vec<u8>,
}

/// How many bytes of a chunk are tried to guess how the whole is packed best.
const TRIED: usize = 8 << 10;

impl Default for Compressor {
    fn default() -> Self {
        let table = block::CompressTable::large();
        Self { table, packed: Vec::new(), columns: Vec::new() }
    }
}

impl Compressor {
    /// The bytes to store for `raw`: compressed where that is smaller, in columns where that
    /// promises to be clearly smaller still.
    pub(crate) fn pack<'a>(&'a mut self, raw: &'a [u8]) -> (Codec, &'a [u8]) {
        let width = likely_width(raw).filter(|&width| self.is_better_in_columns(raw, width));
        let (codec, length) = match width {
            Some(width) => (Codec::LZ4_COLUMNS, self.pack_columns(raw, width)),
            None => (Codec::LZ4, self.pack_plain(raw)),
        };
        if length < raw.len() { (codec, &self.packed[..length]) } else { (Codec::RAW, raw) }
    }

    fn is_better_in_columns(&mut self, raw: &[u8], width: usize) -> bool {
        let start = raw.len().saturating_sub(TRIED) / 2;
        let tried = &raw[start..raw.len().min(start + TRIED)];
        let (plain, columns) = (self.pack_plain(tried), self.pack_columns(tried, width));
        // A little less is not worth the turning back, and the whole repeats more than a part does.
        columns + columns / 3 < plain
    }

    /// Packs the bytes as they are; returns the length.
    fn pack_plain(&mut self, raw: &[u8]) -> usize {
        compress(raw, &mut self.packed, 0, &mut self.table)
    }

    /// Packs the bytes in columns after their width; returns the length.
    fn pack_columns(&mut self, raw: &[u8], width: usize) -> usize {
        let columns = first_bytes(&mut self.columns, raw.len());
        to_columns(raw, width, columns);
        let length = compress(columns, &mut self.packed, 1, &mut self.table);
        self.packed[0] = width as u8;
        length
    }
}

/// Compresses into `packed` from `start` on; returns where that ends.
fn compress(
    raw: &[u8],
    packed: &mut Vec<u8>,
    start: usize,
    table: &mut block::CompressTable,
) -> usize {
    let room = first_bytes(packed, start + block::get_maximum_output_size(raw.len()));
    let length = block::compress_into_with_table(raw, &mut room[start..], table);
    // There is room for the worst case, so nothing is refused.
    length.map_or(raw.len(), |length| start + length)
}

impl std::fmt::Debug for Compressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compressor").finish_non_exhaustive()
    }
}
