//! Unpacking gzip in large strides, within a limit.
//!
//! The members of a file are read here rather than by a reader adaptor, because inflating straight
//! into one large buffer is twice as fast.

use flate2::{Decompress, FlushDecompress, Status};
use gametape_wire::{Error, ErrorKind, Limit, Reader, Result};

/// What every member begins with.
pub(crate) const MAGIC: &[u8] = &[0x1F, 0x8B];

const DEFLATE: u8 = 8;

// Flags of a member's header: which optional parts follow it.
const HEADER_CHECKSUM: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;

/// How much larger than its packed form text is expected to be, at most, before it is seen. That of
/// `sample::log` is eleven times as large.
const EXPECTED_RATIO: usize = 16;
/// The least by which the output grows.
const STRIDE: usize = 64 << 10;

/// The contents of all members, joined.
pub(crate) fn unpack(input: &[u8], limit: Limit) -> Result<Vec<u8>> {
    let mut out = Output::with_room(expected_size(input).min(limit.max as usize));
    let mut reader = Reader::new(input);
    while !reader.is_empty() {
        skip_header(&mut reader)?;
        let start = out.made;
        inflate(&mut reader, &mut out, limit)?;
        check_trailer(&mut reader, &out.bytes[start..out.made])?;
    }
    Ok(out.finish())
}

/// What was unpacked, and room for more after it.
///
/// The room is asked for as zeros, which the allocator often has already. A `Vec` that is inflated into its
/// capacity would be filled with zeros before every stride.
struct Output {
    bytes: Vec<u8>,
    made: usize,
}

impl Output {
    fn with_room(room: usize) -> Self {
        Self { bytes: vec![0; room], made: 0 }
    }

    /// Makes more room when there is none, but never for more than one byte over the limit.
    fn grow(&mut self, limit: Limit) {
        if self.made == self.bytes.len() {
            let most = (limit.max as usize).saturating_add(1).saturating_sub(self.made);
            let room = self.made + self.made.max(STRIDE).min(most).max(1);
            self.bytes.reserve_exact(room - self.made);
            self.bytes.resize(room, 0);
        }
    }

    fn finish(mut self) -> Vec<u8> {
        self.bytes.truncate(self.made);
        self.bytes.shrink_to_fit();
        self.bytes
    }
}

/// What the last four bytes say, believed only as far as the size of the input bears it out.
fn expected_size(input: &[u8]) -> usize {
    (claimed_size(input) as usize).min(input.len() * EXPECTED_RATIO)
}

/// How many bytes there are unpacked, by what the last four bytes say.
pub(crate) fn claimed_size(input: &[u8]) -> u64 {
    input.last_chunk::<4>().map_or(0, |bytes| u64::from(u32::from_le_bytes(*bytes)))
}

fn skip_header(reader: &mut Reader<'_>) -> Result<()> {
    let start = reader.offset();
    let [first, second, method, flags, ..] = reader.array::<10>("gzip header")?;
    if [first, second] != *MAGIC || method != DEFLATE {
        return Err(damaged(start, "not a gzip member"));
    }
    if flags & EXTRA != 0 {
        let length = u16::from_le_bytes(reader.array("gzip header")?);
        reader.take(usize::from(length), "gzip header")?;
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            let length = memchr::memchr(0, reader.rest()).unwrap_or(reader.remaining());
            reader.take(length + 1, "gzip header")?;
        }
    }
    if flags & HEADER_CHECKSUM != 0 {
        reader.take(2, "gzip header")?;
    }
    Ok(())
}

/// Takes one deflate stream.
fn inflate(reader: &mut Reader<'_>, out: &mut Output, limit: Limit) -> Result<()> {
    let mut inflater = Decompress::new(false);
    let start = reader.offset();
    loop {
        out.grow(limit);
        let (taken, made) = (inflater.total_in(), inflater.total_out());
        let room = &mut out.bytes[out.made..];
        let status = inflater.decompress(reader.rest(), room, FlushDecompress::Finish);
        let taken = (inflater.total_in() - taken) as usize;
        let made = (inflater.total_out() - made) as usize;
        reader.take(taken, "gzip")?;
        out.made += made;
        limit.check(out.made as u64, limit.max)?;
        match status {
            Ok(Status::StreamEnd) => return Ok(()),
            Ok(_) if taken > 0 || made > 0 => {}
            Ok(_) => {
                let kind = ErrorKind::Truncated { needed: 1, available: 0 };
                return Err(Error::at(reader.offset(), "gzip", kind));
            }
            Err(_) => return Err(damaged(start, "damaged deflate stream")),
        }
    }
}

/// Compares what was unpacked with the checksum and the size after it.
fn check_trailer(reader: &mut Reader<'_>, made: &[u8]) -> Result<()> {
    let start = reader.offset();
    let stored = u32::from_le_bytes(reader.array("gzip")?);
    let size = u32::from_le_bytes(reader.array("gzip")?);
    let computed = checksum(made);
    if stored != computed || size != made.len() as u32 {
        let (stored, computed) = (u64::from(stored), u64::from(computed));
        return Err(Error::at(start, "gzip", ErrorKind::Checksum { stored, computed }));
    }
    Ok(())
}

/// The CRC-32 of bytes, by instructions as wide as the processor has them: those that unpack know only narrow ones.
#[cfg(not(target_arch = "wasm32"))]
fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// The CRC-32 of bytes. There are no instructions for it here, and the tables of what unpacks are there already.
#[cfg(target_arch = "wasm32")]
fn checksum(bytes: &[u8]) -> u32 {
    let mut checksum = flate2::Crc::new();
    checksum.update(bytes);
    checksum.sum()
}

#[cold]
fn damaged(offset: u64, problem: &'static str) -> Error {
    Error::at(offset, "gzip", ErrorKind::BadSyntax { problem: problem.into() })
}
