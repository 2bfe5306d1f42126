//! The fast checksum, against accidents.

use xxhash_rust::xxh3::xxh3_64;

/// XXH3-64.
pub(crate) fn check64(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// The lower half of XXH3-64.
pub(crate) fn check32(bytes: &[u8]) -> u32 {
    xxh3_64(bytes) as u32
}
