//! Unpacking an LZ4 block as far as it goes.
//!
//! The ordinary decoder gives everything or nothing, and that is right where data must be whole. From
//! a damaged block the beginning can still be had: this one is for that alone.

/// What a block unpacks to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unpacked {
    /// The bytes up to the damage.
    pub(super) bytes: Vec<u8>,
    /// Where in the block the damage shows, if it does.
    pub(super) damaged_at: Option<usize>,
}

/// The shortest match that a block can name.
const MIN_MATCH: usize = 4;

/// Unpacks a block up to its end, to the first thing that cannot be, or to `limit` bytes.
pub(super) fn unpack_prefix(block: &[u8], dictionary: &[u8], limit: usize) -> Unpacked {
    let mut unpacker = Unpacker { block, at: 0, dictionary, limit, out: Vec::new() };
    let whole = loop {
        match unpacker.sequence() {
            Step::More => {}
            Step::End => break true,
            Step::Damage => break false,
        }
    };
    let damaged_at = if whole { None } else { Some(unpacker.at) };
    Unpacked { bytes: unpacker.out, damaged_at }
}

enum Step {
    More,
    End,
    Damage,
}

struct Unpacker<'b> {
    block: &'b [u8],
    at: usize,
    dictionary: &'b [u8],
    limit: usize,
    out: Vec<u8>,
}

impl Unpacker<'_> {
    /// One sequence: literals, then a match, which only the last sequence lacks.
    fn sequence(&mut self) -> Step {
        let Some(token) = self.byte() else { return Step::Damage };
        let Some(literals) = self.length(token >> 4) else { return Step::Damage };
        let there = literals.min(self.block.len() - self.at).min(self.room());
        self.out.extend_from_slice(&self.block[self.at..self.at + there]);
        self.at += there;
        if there < literals {
            return Step::Damage;
        }
        if self.at == self.block.len() {
            return Step::End;
        }
        let (Some(low), Some(high)) = (self.byte(), self.byte()) else { return Step::Damage };
        let Some(length) = self.length(token & 15) else { return Step::Damage };
        self.copy(usize::from(u16::from_le_bytes([low, high])), length + MIN_MATCH)
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = self.block.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    /// A length that begins in a token: 15 goes on in further bytes, up to one that is not 255.
    fn length(&mut self, nibble: u8) -> Option<usize> {
        let mut length = usize::from(nibble);
        if nibble == 15 {
            loop {
                let more = self.byte()?;
                length += usize::from(more);
                if more != 255 {
                    break;
                }
            }
        }
        Some(length)
    }

    fn room(&self) -> usize {
        self.limit - self.out.len()
    }

    /// Repeats what is `back` bytes before; a match may run into what it writes itself.
    fn copy(&mut self, back: usize, length: usize) -> Step {
        let reach = self.dictionary.len() + self.out.len();
        if back == 0 || back > reach {
            return Step::Damage;
        }
        let there = length.min(self.room());
        for _ in 0..there {
            let byte = match self.out.len().checked_sub(back) {
                Some(from) => self.out[from],
                None => self.dictionary[self.dictionary.len() + self.out.len() - back],
            };
            self.out.push(byte);
        }
        if there < length { Step::Damage } else { Step::More }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lz4_flex::block;
    use proptest::prelude::*;

    const NO_LIMIT: usize = 1 << 20;

    #[test]
    fn a_small_block_by_hand() {
        // One literal, a match of 10 one byte back; then the closing token with one literal.
        let packed = [0x16, b'a', 1, 0, 0x10, b'b'];
        let whole = unpack_prefix(&packed, &[], NO_LIMIT);
        assert_eq!((&whole.bytes[..], whole.damaged_at), (&b"aaaaaaaaaaab"[..], None));
        let cut = unpack_prefix(&packed[..3], &[], NO_LIMIT);
        assert_eq!((&cut.bytes[..], cut.damaged_at), (&b"a"[..], Some(3)));
        let far = unpack_prefix(&[0x16, b'a', 2, 0, 0], &[], NO_LIMIT);
        assert_eq!((&far.bytes[..], far.damaged_at), (&b"a"[..], Some(4)));
        let reached = unpack_prefix(&[0x16, b'a', 2, 0, 0], b"z", NO_LIMIT);
        assert_eq!((&reached.bytes[..], reached.damaged_at), (&b"azazazazaza"[..], None));
        assert_eq!(unpack_prefix(&[], &[], NO_LIMIT).damaged_at, Some(0));
        assert_eq!(unpack_prefix(&packed, &[], 5).bytes, b"aaaaa");
    }

    fn redundant_bytes() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(prop_oneof![8 => 0u8..4, 1 => any::<u8>()], 0..2000)
    }

    proptest! {
        #[test]
        fn whole_blocks_unpack_as_the_ordinary_decoder_does(
            raw in redundant_bytes(),
            dictionary in redundant_bytes(),
        ) {
            let packed = block::compress(&raw);
            let whole = Unpacked { bytes: raw.clone(), damaged_at: None };
            prop_assert_eq!(unpack_prefix(&packed, &[], NO_LIMIT), whole.clone());
            let packed = block::compress_with_dict(&raw, &dictionary);
            prop_assert_eq!(unpack_prefix(&packed, &dictionary, NO_LIMIT), whole);
        }

        #[test]
        fn a_block_that_is_cut_gives_a_beginning(raw in redundant_bytes(), cut in 0usize..2000) {
            let packed = block::compress(&raw);
            let cut = cut.min(packed.len());
            let part = unpack_prefix(&packed[..cut], &[], NO_LIMIT);
            prop_assert!(raw.starts_with(&part.bytes));
        }

        #[test]
        fn any_bytes_end_within_the_limit(
            block in prop::collection::vec(any::<u8>(), 0..500),
            limit in 0usize..3000,
        ) {
            let some = unpack_prefix(&block, &[1, 2, 3], limit);
            prop_assert!(some.bytes.len() <= limit);
            prop_assert!(some.damaged_at.is_none_or(|at| at <= block.len()));
        }
    }
}
