//! Messages that are too long for a bus, in pieces. Normative: `spec/live.md`, section 15.

use std::collections::VecDeque;

use gametape_live::Shared;
use gametape_live::limits::MESSAGE_BYTES;
use gametape_wire::{Reader, Result, Writer};
use xxhash_rust::xxh3::xxh3_64;

/// The first byte of a piece; no message begins so.
const PIECE: u8 = 0xF0;
/// Bytes of a message in one piece at most.
pub(crate) const PIECE_BYTES: usize = 512 << 10;
/// Bytes that come before them at most.
pub(crate) const HEAD_BYTES: usize = 1 + 8 + 10 + 10;
/// Messages that are put together at the same time.
const AT_ONCE: usize = 4;

/// What travels of a message: itself, or its pieces.
pub(crate) fn pieces(message: &[u8]) -> Vec<Vec<u8>> {
    if message.len() <= PIECE_BYTES {
        return vec![message.to_vec()];
    }
    let hash = xxh3_64(message);
    let piece = |(number, bytes): (usize, &[u8])| {
        let mut w = Writer::new();
        w.u8(PIECE).bytes(&hash.to_le_bytes());
        w.varint(message.len() as u64).varint((number * PIECE_BYTES) as u64).bytes(bytes);
        w.into_bytes()
    };
    message.chunks(PIECE_BYTES).enumerate().map(piece).collect()
}

/// Puts pieces together.
#[derive(Debug, Default)]
pub(crate) struct Joiner {
    begun: VecDeque<Begun>,
}

#[derive(Debug)]
struct Begun {
    hash: u64,
    length: u64,
    bytes: Vec<u8>,
}

impl Joiner {
    /// Takes what came; gives a message when it is whole. What does not fit is dropped: it is asked for again.
    pub(crate) fn take(&mut self, came: &[u8]) -> Result<Option<Shared>> {
        if came.first() != Some(&PIECE) {
            return Ok(Some(came.into()));
        }
        let mut r = Reader::new(&came[1..]);
        let hash = r.u64_le("hash of a message")?;
        let length = MESSAGE_BYTES.check(r.varint("length of a message")?, 9)?;
        let offset = r.varint("offset of a piece")?;
        let bytes = r.take(r.remaining(), "piece")?;
        if offset == 0 {
            self.begun.retain(|begun| begun.hash != hash);
            self.begun.truncate(AT_ONCE - 1);
            self.begun.push_front(Begun { hash, length, bytes: Vec::new() });
        }
        let fits = |begun: &Begun| {
            begun.hash == hash && begun.length == length && begun.bytes.len() as u64 == offset
        };
        let Some(at) = self.begun.iter().position(fits) else { return Ok(None) };
        let begun = &mut self.begun[at];
        begun.bytes.extend_from_slice(bytes);
        if (begun.bytes.len() as u64) < length {
            return Ok(None);
        }
        let whole = self.begun.remove(at).map(|begun| begun.bytes).unwrap_or_default();
        let is_right = whole.len() as u64 == length && xxh3_64(&whole) == hash;
        Ok(is_right.then(|| whole.into()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(length: usize, seed: u8) -> Vec<u8> {
        (0..length).map(|at| (at as u8).wrapping_mul(seed) ^ 0x11).collect()
    }

    fn joined(pieces: &[Vec<u8>]) -> Vec<Shared> {
        let mut joiner = Joiner::default();
        pieces.iter().filter_map(|piece| joiner.take(piece).unwrap()).collect()
    }

    #[test]
    fn long_messages_are_put_together_and_short_ones_pass() {
        let (short, long) = (message(100, 3), message(3 * PIECE_BYTES + 7, 5));
        assert_eq!(pieces(&short), std::slice::from_ref(&short));
        let mut all = pieces(&long);
        assert_eq!(all.len(), 4);
        assert!(all.iter().all(|piece| piece.len() <= PIECE_BYTES + HEAD_BYTES));
        all.insert(2, short.clone());
        assert_eq!(joined(&all), [Shared::from(short), long.into()]);
    }

    #[test]
    fn missing_doubled_and_swapped_pieces_are_no_message() {
        let long = message(3 * PIECE_BYTES, 5);
        let all = pieces(&long);
        assert!(joined(&all[1..]).is_empty() && joined(&all[..2]).is_empty());
        assert!(joined(&[all[0].clone(), all[2].clone(), all[1].clone()]).is_empty());
        assert!(joined(&[all[0].clone(), all[0].clone(), all[2].clone()]).is_empty());
        let begun_again = [&all[..2], &all[..]].concat();
        assert_eq!(joined(&begun_again), [Shared::from(long)]);
        let mut changed = all.clone();
        changed[1][40] ^= 1;
        assert!(joined(&changed).is_empty(), "the hash is another");
    }

    #[test]
    fn nothing_is_held_because_a_piece_says_so() {
        let mut huge = Writer::new();
        huge.u8(PIECE).bytes(&[0; 8]).varint(u64::MAX >> 1).varint(0).bytes(b"x");
        assert!(Joiner::default().take(&huge.into_bytes()).is_err());
        let mut joiner = Joiner::default();
        for seed in 0..100_u64 {
            let mut begins = Writer::new();
            begins.u8(PIECE).bytes(&seed.to_le_bytes()).varint(1 << 20).varint(0).bytes(&[1; 9]);
            assert_eq!(joiner.take(&begins.into_bytes()).unwrap(), None);
        }
        assert_eq!(joiner.begun.len(), AT_ONCE);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let mut joiner = Joiner::default();
            let _ = joiner.take(&bytes);
            let _ = joiner.take(&[&[PIECE][..], &bytes].concat());
        }
    }
}
