//! Stored and raw bytes: LZ4 blocks with every claim checked before anything is allocated.

use std::borrow::Cow;

use gametape_wire::{Error, ErrorKind, Limit, Result};
use lz4_flex::block;

/// What one stored byte of an LZ4 block can at most add to the output.
const MAX_EXPANSION: u64 = 255;

/// A part of the file as it is stored, and how long it is when unpacked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packed<'a> {
    /// What the part is, for errors.
    pub(crate) item: &'static str,
    /// The bytes as stored.
    pub(crate) stored: &'a [u8],
    /// Absolute offset of the first of them.
    pub(crate) offset: u64,
    /// The length that the file announces for the unpacked bytes.
    pub(crate) raw: u64,
}

impl<'a> Packed<'a> {
    /// Is the part stored as an LZ4 block?
    pub(crate) fn is_compressed(&self) -> bool {
        (self.stored.len() as u64) < self.raw
    }

    /// The raw bytes: borrowed where they are stored raw.
    pub(crate) fn unpack(&self, limit: Limit) -> Result<Cow<'a, [u8]>> {
        self.unpack_with(limit, block::decompress_into)
    }

    /// The raw bytes of a block that was packed with `dictionary`.
    pub(crate) fn unpack_with_dictionary(
        &self,
        limit: Limit,
        dictionary: &[u8],
    ) -> Result<Cow<'a, [u8]>> {
        self.unpack_with(limit, |stored, raw| {
            block::decompress_into_with_dict(stored, raw, dictionary)
        })
    }

    fn unpack_with(
        &self,
        limit: Limit,
        decode: impl FnOnce(&[u8], &mut [u8]) -> Result<usize, block::DecompressError>,
    ) -> Result<Cow<'a, [u8]>> {
        self.check_claim(limit)?;
        if !self.is_compressed() {
            return Ok(Cow::Borrowed(self.stored));
        }
        let mut raw = vec![0; self.raw as usize];
        let length = decode(self.stored, &mut raw).map_err(|e| self.refuse(e.to_string()))?;
        if length != raw.len() {
            return Err(self.refuse(format!("there are only {length}")));
        }
        Ok(Cow::Owned(raw))
    }

    /// Is the announced length possible at all?
    fn check_claim(&self, limit: Limit) -> Result<()> {
        let stored = self.stored.len() as u64;
        if stored > self.raw {
            let problem = format!("{stored} bytes are stored, more than that");
            return Err(self.refuse(problem));
        }
        limit.check(self.raw, self.offset)?;
        if self.is_compressed() && self.raw > stored * MAX_EXPANSION {
            let most = stored * MAX_EXPANSION;
            return Err(self.refuse(format!("a block of {stored} bytes holds at most {most}")));
        }
        Ok(())
    }

    #[cold]
    fn refuse(&self, problem: String) -> Error {
        let kind = ErrorKind::Compression { announced: self.raw, problem: problem.into() };
        Error::at(self.offset, self.item, kind)
    }
}

/// The LZ4 block of `raw` where it is strictly smaller, else `raw` itself.
///
/// *Strictly*: a block of equal length would be read as raw bytes.
pub(crate) fn pack<'a>(raw: &'a [u8], dictionary: &[u8]) -> Cow<'a, [u8]> {
    let packed = block::compress_with_dict(raw, dictionary);
    if packed.len() < raw.len() { Cow::Owned(packed) } else { Cow::Borrowed(raw) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIMIT: Limit = Limit::new("raw bytes", 1000);

    fn packed(stored: &[u8], raw: u64) -> Packed<'_> {
        Packed { item: "part", stored, offset: 7, raw }
    }

    #[test]
    fn equal_lengths_mean_raw_bytes() {
        let raw = packed(&[1, 2, 3], 3).unpack(LIMIT).unwrap();
        assert!(matches!(raw, Cow::Borrowed([1, 2, 3])));
        assert!(packed(&[], 0).unpack(LIMIT).unwrap().is_empty());
    }

    #[test]
    fn a_block_unpacks_to_exactly_the_announced_length() {
        // Token 1 literal + match of 4 + 6, offset 1; then the closing token without literals.
        let block = [0x16, b'a', 1, 0, 0x00];
        assert_eq!(packed(&block, 11).unpack(LIMIT).unwrap(), b"aaaaaaaaaaa".as_slice());
        for wrong in [10, 12, 200] {
            let error = packed(&block, wrong).unpack(LIMIT).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Compression { .. }), "{error}");
            assert_eq!(error.offset(), Some(7));
        }
    }

    #[test]
    fn impossible_claims_are_refused_without_unpacking() {
        let decode = |_: &[u8], _: &mut [u8]| -> Result<usize, block::DecompressError> {
            panic!("must be refused before");
        };
        for (stored, raw) in [(&[0u8; 3][..], 2), (&[0; 3], 766), (&[0; 3], 1001), (&[], 1)] {
            assert!(packed(stored, raw).unpack_with(LIMIT, decode).is_err());
        }
    }

    #[test]
    fn what_does_not_shrink_stays_raw() {
        let counting: Vec<u8> = (0..50).collect();
        assert!(matches!(pack(&counting, &[]), Cow::Borrowed(_)));
        assert!(pack(&[7; 50], &[]).len() < 50);
        assert!(pack(&counting, &counting).len() < 50);
    }

    proptest! {
        /// Why a reader may try without the dictionary first: whatever unpacks without it is the
        /// same with it.
        #[test]
        fn a_block_that_unpacks_plainly_does_not_depend_on_a_dictionary(
            block in prop::collection::vec(prop_oneof![0..32u8, any::<u8>()], 1..24),
            raw in 0..200u64,
            dictionary in prop::collection::vec(any::<u8>(), 0..64),
        ) {
            let packed = packed(&block, raw);
            if let Ok(plain) = packed.unpack(LIMIT) {
                let with = packed.unpack_with_dictionary(LIMIT, &dictionary).unwrap();
                prop_assert_eq!(with, plain);
            }
        }

        #[test]
        fn packing_with_a_dictionary_is_undone_by_it(
            raw in prop::collection::vec(0..4u8, 0..400),
            dictionary in prop::collection::vec(0..4u8, 0..400),
        ) {
            let stored = pack(&raw, &dictionary);
            let packed = packed(&stored, raw.len() as u64);
            prop_assert_eq!(&packed.unpack_with_dictionary(LIMIT, &dictionary).unwrap()[..], &raw[..]);
        }
    }
}
