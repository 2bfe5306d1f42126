//! Reading and writing bytes with absolute offsets.

use crate::error::{Error, ErrorKind, Result};

/// A cursor over borrowed bytes that knows where they are in the whole input.
///
/// Every method names the item it reads, so that an error can say what was missing and where.
///
/// ```
/// use gametape_wire::Reader;
///
/// let mut r = Reader::with_base(&[0x01, 0x02, 0x03], 100);
/// assert_eq!(r.u16_be("length").unwrap(), 0x0102);
/// let error = r.u16_be("mask").unwrap_err();
/// assert_eq!(error.offset(), Some(102));
/// assert_eq!(error.item(), "mask");
/// ```
#[derive(Debug, Clone)]
pub struct Reader<'a> {
    rest: &'a [u8],
    /// Absolute offset of the end: what is left is all that has to be kept up to date.
    end: u64,
}

impl<'a> Reader<'a> {
    /// A reader over bytes that begin at offset 0 of the input.
    #[must_use]
    #[inline]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self::with_base(bytes, 0)
    }

    /// A reader over bytes that begin at offset `base` of the input.
    #[must_use]
    #[inline]
    pub fn with_base(bytes: &'a [u8], base: u64) -> Self {
        Self { rest: bytes, end: base + bytes.len() as u64 }
    }

    /// Absolute offset of the next byte.
    #[must_use]
    #[inline]
    pub fn offset(&self) -> u64 {
        self.end - self.rest.len() as u64
    }

    /// Bytes not read yet.
    #[must_use]
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// How many bytes are not read yet.
    #[must_use]
    #[inline]
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Is everything read?
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The bytes read since this reader was where `earlier` is.
    #[must_use]
    #[inline]
    pub fn since(&self, earlier: &Self) -> &'a [u8] {
        let read = earlier.remaining().saturating_sub(self.remaining());
        &earlier.rest[..read]
    }

    /// The next `count` bytes, borrowed.
    #[inline]
    pub fn take(&mut self, count: usize, item: &'static str) -> Result<&'a [u8]> {
        match self.rest.split_at_checked(count) {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(taken)
            }
            None => Err(truncated(self.offset(), self.remaining(), count, item)),
        }
    }

    /// The next `N` bytes as an array.
    #[inline]
    pub fn array<const N: usize>(&mut self, item: &'static str) -> Result<[u8; N]> {
        match self.rest.split_first_chunk::<N>() {
            Some((taken, rest)) => {
                self.rest = rest;
                Ok(*taken)
            }
            None => Err(truncated(self.offset(), self.remaining(), N, item)),
        }
    }

    /// The next `count` groups of `N` bytes, borrowed.
    #[inline]
    pub fn chunks<const N: usize>(
        &mut self,
        count: usize,
        item: &'static str,
    ) -> Result<&'a [[u8; N]]> {
        let bytes = self.take(count.saturating_mul(N), item)?;
        Ok(bytes.as_chunks::<N>().0)
    }

    /// One byte.
    #[inline]
    pub fn u8(&mut self, item: &'static str) -> Result<u8> {
        Ok(self.array::<1>(item)?[0])
    }

    /// A big-endian u16.
    #[inline]
    pub fn u16_be(&mut self, item: &'static str) -> Result<u16> {
        Ok(u16::from_be_bytes(self.array(item)?))
    }

    /// A big-endian u32.
    #[inline]
    pub fn u32_be(&mut self, item: &'static str) -> Result<u32> {
        Ok(u32::from_be_bytes(self.array(item)?))
    }

    /// A big-endian u64.
    #[inline]
    pub fn u64_be(&mut self, item: &'static str) -> Result<u64> {
        Ok(u64::from_be_bytes(self.array(item)?))
    }

    /// A little-endian u16.
    #[inline]
    pub fn u16_le(&mut self, item: &'static str) -> Result<u16> {
        Ok(u16::from_le_bytes(self.array(item)?))
    }

    /// A little-endian u32.
    #[inline]
    pub fn u32_le(&mut self, item: &'static str) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(item)?))
    }

    /// A little-endian u64.
    #[inline]
    pub fn u64_le(&mut self, item: &'static str) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array(item)?))
    }

    /// A varint: LEB128, at most ten bytes, refused when it is longer than needed.
    #[inline]
    pub fn varint(&mut self, item: &'static str) -> Result<u64> {
        match self.rest {
            [byte @ 0..0x80, rest @ ..] => {
                self.rest = rest;
                Ok((*byte).into())
            }
            [low, high @ 1..0x80, rest @ ..] => {
                self.rest = rest;
                Ok(u64::from(low & 0x7F) | u64::from(*high) << 7)
            }
            _ => {
                let (value, rest) = self.clone().long_varint(item)?;
                *self = rest;
                Ok(value)
            }
        }
    }

    /// A varint, and the reader after it.
    fn long_varint(self, item: &'static str) -> Result<(u64, Self)> {
        let mut rest = self.clone();
        let mut value = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = rest.u8(item)?;
            let bits = u64::from(byte & 0x7F);
            value |= bits << shift;
            if byte < 0x80 {
                let fits = bits << shift >> shift == bits;
                if !fits || (byte == 0 && shift > 0) {
                    break;
                }
                return Ok((value, rest));
            }
        }
        let problem = "a varint longer than needed or over 64 bits".into();
        Err(Error::at(self.offset(), item, ErrorKind::BadSyntax { problem }))
    }

    /// An error unless everything is read.
    pub fn finish(&self, item: &'static str) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let extra = self.remaining() as u64;
        Err(Error::at(self.offset(), item, ErrorKind::Trailing { extra }))
    }
}

/// Takes values, not the reader: a reader whose address is handed out is kept in memory, not in registers.
#[cold]
fn truncated(offset: u64, available: usize, needed: usize, item: &'static str) -> Error {
    let (needed, available) = (needed as u64, available as u64);
    Error::at(offset, item, ErrorKind::Truncated { needed, available })
}

/// A growing byte buffer that knows its offset in the whole output.
#[derive(Debug, Clone, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    base: u64,
}

impl From<Vec<u8>> for Writer {
    /// A writer that goes on after `bytes`, which begin at offset 0 of the output.
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, base: 0 }
    }
}

impl Writer {
    /// An empty writer at offset 0 of the output.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty writer at offset `base` of the output.
    #[must_use]
    pub fn with_base(base: u64) -> Self {
        Self { bytes: Vec::new(), base }
    }

    /// Absolute offset of the next byte.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// What was written so far.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What was written, owned.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// One byte.
    #[inline]
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.bytes.push(value);
        self
    }

    /// A big-endian u16.
    pub fn u16_be(&mut self, value: u16) -> &mut Self {
        self.bytes(&value.to_be_bytes())
    }

    /// A big-endian u32.
    pub fn u32_be(&mut self, value: u32) -> &mut Self {
        self.bytes(&value.to_be_bytes())
    }

    /// A big-endian u64.
    pub fn u64_be(&mut self, value: u64) -> &mut Self {
        self.bytes(&value.to_be_bytes())
    }

    /// A little-endian u16.
    pub fn u16_le(&mut self, value: u16) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    /// A little-endian u32.
    pub fn u32_le(&mut self, value: u32) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    /// A little-endian u64.
    pub fn u64_le(&mut self, value: u64) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    /// A varint: LEB128, seven bits a byte, lowest first.
    #[inline]
    pub fn varint(&mut self, mut value: u64) -> &mut Self {
        while value >= 0x80 {
            self.u8(value as u8 | 0x80);
            value >>= 7;
        }
        self.u8(value as u8)
    }

    /// Forgets what was written after `position`, which counts from this writer's start.
    pub fn truncate(&mut self, position: usize) {
        self.bytes.truncate(position);
    }
}

/// A signed number for a varint, small where the number is near zero: 0, −1, 1, −2 … become 0, 1, 2,
/// 3 …
#[inline]
#[must_use]
pub const fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

/// The number that [`zigzag`] coded.
#[inline]
#[must_use]
pub const fn unzigzag(coded: u64) -> i64 {
    (coded >> 1) as i64 ^ -((coded & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn zigzag_counts_away_from_zero() {
        assert_eq!([0, -1, 1, -2, i64::MAX, i64::MIN].map(zigzag), [0, 1, 2, 3, !1, !0]);
        assert_eq!([0, 1, 2, 3, !1, !0].map(unzigzag), [0, -1, 1, -2, i64::MAX, i64::MIN]);
    }

    #[test]
    fn varints_have_one_form() {
        let vectors: [(u64, &[u8]); 5] = [
            (0, &[0]),
            (127, &[0x7F]),
            (128, &[0x80, 0x01]),
            (300, &[0xAC, 0x02]),
            (u64::MAX, &[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
        ];
        for (value, bytes) in vectors {
            assert_eq!(Writer::new().varint(value).as_bytes(), bytes);
            assert_eq!(Reader::new(bytes).varint("value").unwrap(), value);
        }
        let over = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02];
        for wrong in [&[0x80, 0x00][..], &over, &[0x80; 11]] {
            let error = Reader::with_base(wrong, 7).varint("value").unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::BadSyntax { .. }), "{error}");
            assert_eq!(error.offset(), Some(7));
        }
        let mut cut = Reader::new(&[0x80]);
        assert_eq!(cut.varint("value").unwrap_err().class(), crate::ErrorClass::Truncated);
        assert_eq!(cut.remaining(), 1, "a refused varint is not consumed");
    }

    proptest! {
        #[test]
        fn varints_and_little_endian_numbers_come_back(value: u64) {
            let mut w = Writer::new();
            w.varint(value).u16_le(value as u16).u32_le(value as u32).u64_le(value);
            let mut r = Reader::new(w.as_bytes());
            prop_assert_eq!(r.varint("v").unwrap(), value);
            prop_assert_eq!(r.u16_le("v").unwrap(), value as u16);
            prop_assert_eq!(r.u32_le("v").unwrap(), value as u32);
            prop_assert_eq!(r.u64_le("v").unwrap(), value);
            prop_assert!(r.is_empty());
        }
    }
}
