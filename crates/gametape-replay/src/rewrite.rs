//! What all that write a recording again have in common.

use std::ops::Range;

use gametape_tape::{Segment, TapeHeader};
use gametape_wire::{Error, Result, Source};
use sha2::{Digest, Sha256};

/// Takes the bytes of a result, one piece after the other. An error ends the work.
pub type Put<'a> = dyn FnMut(&[u8]) -> Result<()> + 'a;

/// The id of a tape that is made of something else: the same bytes become the same tape.
#[must_use]
pub fn tape_id_of(bytes: &[u8]) -> u32 {
    let digest = Sha256::digest(bytes);
    u32::from_le_bytes([digest[0], digest[1], digest[2], digest[3]])
}

/// The header of a tape that is made of others. Its id follows from theirs and from what was done:
/// the same command makes the same tape.
pub fn derived_header(from: &[TapeHeader], what: &str) -> Result<TapeHeader> {
    let headers = from.iter().flat_map(TapeHeader::to_bytes);
    let id = tape_id_of(&headers.chain(what.bytes()).collect::<Vec<u8>>());
    let none = || Error::misuse("tape", "it is made of no other");
    Ok(TapeHeader::new(from.first().ok_or_else(none)?.tick_length, id))
}

/// Writes a tape that is made of another one; returns how many bytes it has.
pub fn put_segments<S: Source>(
    source: &mut S,
    segments: &[Segment],
    put: &mut Put<'_>,
) -> Result<u64> {
    for segment in segments {
        match segment {
            Segment::Bytes(bytes) => put(bytes)?,
            Segment::Copy(range) => copy_bytes(source, range.clone(), put)?,
        }
    }
    Ok(segments.iter().map(Segment::length).sum())
}

/// Copies a range of bytes, a piece at a time.
pub(crate) fn copy_bytes<S: Source>(
    source: &mut S,
    range: Range<u64>,
    put: &mut Put<'_>,
) -> Result<()> {
    const PIECE: u64 = 1 << 20;
    let mut at = range.start;
    while at < range.end {
        let end = range.end.min(at + PIECE);
        put(&source.fetch(at..end)?)?;
        at = end;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use gametape_wire::TickLength;

    use super::*;

    #[test]
    fn the_same_change_of_the_same_tape_has_the_same_id() {
        let headers = [1, 2].map(|id| TapeHeader::new(TickLength::MILLISECOND, id));
        let id = |header, what| derived_header(&[header], what).unwrap().tape_id;
        assert_eq!(id(headers[0], "cut"), id(headers[0], "cut"));
        assert_ne!(id(headers[0], "cut"), id(headers[1], "cut"));
        assert_ne!(id(headers[0], "cut"), id(headers[0], "repair"));
    }
}
