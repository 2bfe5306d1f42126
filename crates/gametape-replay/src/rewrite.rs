//! What all that write a recording again have in common.

use gametape_tape::TapeHeader;
use gametape_wire::Result;
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
    let tick_length = from.first().map_or(0, |header| header.tick_length.micros());
    TapeHeader::new(tick_length, id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_change_of_the_same_tape_has_the_same_id() {
        let headers = [1, 2].map(|id| TapeHeader::new(1000, id).unwrap());
        let id = |header, what| derived_header(&[header], what).unwrap().tape_id;
        assert_eq!(id(headers[0], "cut"), id(headers[0], "cut"));
        assert_ne!(id(headers[0], "cut"), id(headers[1], "cut"));
        assert_ne!(id(headers[0], "cut"), id(headers[0], "repair"));
    }
}
