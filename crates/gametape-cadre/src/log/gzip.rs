//! Unpacking gzip in large strides, within a limit.
//!
//! The members of a file are read here rather than by a reader adaptor, because inflating straight
//! into one large buffer is twice as fast. What a stride made is looked at while it is in the
//! processor's cache: memory is waited for once, not for every look.

use flate2::{Decompress, FlushDecompress, Status};
use gametape_wire::{Error, ErrorKind, Limit, Reader, Result};

use crate::text::utf8::KnownUtf8;

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
/// The least by which memory for the output grows.
const LEAST_ROOM: usize = 64 << 10;
/// What is inflated at a time: so little that it stays in a cache, and so much that beginning costs nothing.
const STRIDE: usize = 256 << 10;

/// The contents of all members, joined, and how much of it is UTF-8.
pub(crate) fn unpack(input: &[u8], limit: Limit) -> Result<(Vec<u8>, KnownUtf8)> {
    let mut out = Output::with_room(expected_size(input).min(limit.max as usize));
    let mut reader = Reader::new(input);
    while !reader.is_empty() {
        skip_header(&mut reader)?;
        out.begin_member();
        inflate(&mut reader, &mut out, limit)?;
        out.check_trailer(&mut reader)?;
    }
    Ok(out.finish())
}

/// What was unpacked, and room for more after it.
struct Output {
    /// The bytes that were made, and zeros for what is made next. What inflates takes no room that is not written.
    bytes: Vec<u8>,
    made: usize,
    utf8: KnownUtf8,
    /// Where the member begins, and the checksum of what was made of it.
    start: usize,
    checksum: Checksum,
}

impl Output {
    fn with_room(room: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(room),
            made: 0,
            utf8: KnownUtf8::default(),
            start: 0,
            checksum: Checksum::default(),
        }
    }

    fn begin_member(&mut self) {
        self.start = self.made;
        self.checksum = Checksum::default();
    }

    /// Makes room for a stride when there is none, but never for more than one byte over the limit.
    fn grow(&mut self, limit: Limit) {
        if self.made < self.bytes.len() {
            return;
        }
        let most = (limit.max as usize).saturating_add(1).saturating_sub(self.made).max(1);
        if self.made == self.bytes.capacity() {
            self.bytes.reserve_exact(self.made.max(LEAST_ROOM).min(most));
        }
        let room = (self.bytes.capacity() - self.made).min(STRIDE).min(most);
        self.bytes.resize(self.made + room, 0);
    }

    /// The next bytes were made.
    fn take(&mut self, made: usize) {
        let start = self.made;
        self.made += made;
        self.checksum.update(&self.bytes[start..self.made]);
        self.utf8.look_at(&self.bytes[..self.made]);
    }

    /// Compares what was unpacked of a member with the checksum and the size after it.
    fn check_trailer(&self, reader: &mut Reader<'_>) -> Result<()> {
        let start = reader.offset();
        let stored = u32::from_le_bytes(reader.array("gzip")?);
        let size = u32::from_le_bytes(reader.array("gzip")?);
        let computed = self.checksum.sum();
        if stored != computed || size != (self.made - self.start) as u32 {
            let (stored, computed) = (u64::from(stored), u64::from(computed));
            return Err(Error::at(start, "gzip", ErrorKind::Checksum { stored, computed }));
        }
        Ok(())
    }

    fn finish(mut self) -> (Vec<u8>, KnownUtf8) {
        self.bytes.truncate(self.made);
        self.bytes.shrink_to_fit();
        (self.bytes, self.utf8)
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
        out.take(made);
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

/// A CRC-32, by instructions as wide as the processor has them: those that unpack know only narrow ones.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Default)]
struct Checksum(crc32fast::Hasher);

#[cfg(not(target_arch = "wasm32"))]
impl Checksum {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn sum(&self) -> u32 {
        self.0.clone().finalize()
    }
}

/// A CRC-32. There are no instructions for it here, and the tables of what unpacks are there already.
#[cfg(target_arch = "wasm32")]
use flate2::Crc as Checksum;

#[cold]
fn damaged(offset: u64, problem: &'static str) -> Error {
    Error::at(offset, "gzip", ErrorKind::BadSyntax { problem: problem.into() })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(1));
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn limited(input: &[u8], most: usize) -> Result<(Vec<u8>, KnownUtf8)> {
        unpack(input, Limit::new("bytes", most as u64))
    }

    /// Text without long repetitions, so that it is about half as large when packed.
    fn text(bytes: usize) -> Vec<u8> {
        let numbers = (0..u64::MAX).map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut text: Vec<u8> =
            numbers.flat_map(|n| n.to_string().into_bytes()).take(bytes).collect();
        text.splice(STRIDE - 1..STRIDE + 1, "é".bytes());
        text
    }

    #[test]
    fn members_are_joined_wherever_strides_end() {
        for bytes in [STRIDE + 1, 3 * STRIDE, 3 * STRIDE + 7] {
            let (first, second) = (text(bytes), text(STRIDE + 5));
            let whole = [&first[..], &second, b"", &first].concat();
            let members = [packed(&first), packed(&second), packed(b""), packed(&first)].concat();
            let (unpacked, utf8) = limited(&members, usize::MAX).unwrap();
            assert!(unpacked == whole, "{bytes}");
            assert!(utf8.check(&unpacked).is_ok());
        }
    }

    #[test]
    fn the_limit_is_exact_in_every_stride() {
        for bytes in [STRIDE + 1, 2 * STRIDE - 1, 2 * STRIDE, 2 * STRIDE + 1] {
            let input = packed(&text(bytes));
            assert_eq!(limited(&input, bytes).unwrap().0.len(), bytes);
            let error = limited(&input, bytes - 1).unwrap_err();
            let (value, limit) = (bytes as u64, bytes as u64 - 1);
            assert_eq!(*error.kind(), ErrorKind::OverLimit { value, limit });
        }
    }

    #[test]
    fn a_checksum_is_that_of_its_member() {
        let input = [packed(&text(STRIDE + 1)), packed(&text(2 * STRIDE))].concat();
        for trailer in [packed(&text(STRIDE + 1)).len(), input.len()] {
            for byte in [trailer - 8, trailer - 4] {
                let mut damaged = input.clone();
                damaged[byte] ^= 1;
                let error = limited(&damaged, usize::MAX).unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::Checksum { .. }), "{error}");
            }
        }
    }
}
