//! References one after the other in a list: `"7":{"id":"63"},"8":{"id":"5"}`.
//!
//! Most of the text of most deltas is such lists. Their indices count up, so the text of the next
//! one is known before it is read, and it only has to be compared; and an id is mostly as long as
//! the one before. A processor that need not wait for where an entry ends reads several at once.

use crate::merge::merge_pass::{Merged, Pass, Target};
use crate::merge::watch::Watch;
use crate::state::keys::Key;
use crate::state::tree::Value;
use crate::text::json::Span;
use crate::text::swar;

/// What is between an index and the id.
const BETWEEN: &[u8; 9] = b"\":{\"id\":\"";

/// Indices from here on are read like any key.
const COUNTED: usize = 1000;

/// The digits of each index, the first one in the lowest byte.
const DIGITS: [u32; COUNTED] = {
    let mut all = [0; COUNTED];
    let mut index = 0;
    while index < COUNTED {
        let (mut rest, mut digits) = (index, 0);
        loop {
            digits = digits << 8 | (b'0' as u32 + (rest % 10) as u32);
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        all[index] = digits;
        index += 1;
    }
    all
};

/// What must follow the quote of an index: its text, and which bits of it count.
#[inline(always)]
fn expected(index: u32) -> Option<(u128, u128, usize)> {
    const fn between(digits: usize) -> u128 {
        swar::of(BETWEEN) << (8 * digits)
    }
    const WORDS: [u128; 4] = [0, between(1), between(2), between(3)];
    let digits = *DIGITS.get(index as usize)?;
    let count = 1 + usize::from(index >= 10) + usize::from(index >= 100);
    let length = count + BETWEEN.len();
    let mask = u128::MAX >> (u128::BITS as usize - 8 * length);
    Some((WORDS[count] | u128::from(digits), mask, length))
}

impl<W: Watch> Pass<'_, '_, '_, W> {
    /// Takes the references that come next, as long as nothing about them is unusual.
    #[inline]
    pub(crate) fn take_references(&mut self) -> Merged<()> {
        let is_object = matches!(self.frame.target, Target::Object { .. });
        if is_object || self.frame.is_array || !self.merger.plain_lists {
            return Ok(());
        }
        while let Some((value, end)) = self.next_reference() {
            let key = Key::from_index(self.frame.next_index);
            let slot = self.slot(key);
            if slot.is_some_and(|slot| self.merger.tree.values[slot as usize].is_container()) {
                break;
            }
            self.cursor.at = end;
            self.frame.is_first = false;
            self.frame.next_index += 1;
            self.assign_at(slot, key, value)?;
        }
        Ok(())
    }

    /// The reference that comes next, and its end, if its index is the next one and all of it is
    /// written without any frills.
    #[inline(always)]
    fn next_reference(&mut self) -> Option<(Value, usize)> {
        let text = self.cursor.text;
        // Without the comma and the quote.
        let at = self.cursor.at + 1 + usize::from(!self.frame.is_first);
        let (word, mask, length) = expected(self.frame.next_index)?;
        let bytes = text.get(at..)?.first_chunk()?;
        if (u128::from_le_bytes(*bytes) ^ word) & mask != 0 || text[at - 1] != b'"' {
            return None;
        }
        if !self.frame.is_first && text[at - 2] != b',' {
            return None;
        }
        let id = at + length;
        let end = id + self.id_length(text.get(id..)?.first_chunk()?)?;
        if text.get(end..)?.first_chunk() != Some(b"\"}") {
            return None;
        }
        Some((Value::reference(Span::new(id - 1, end + 1)), end + 2))
    }

    /// The length of the id at the beginning of `bytes`, if it is short and not the removal marker.
    #[inline(always)]
    fn id_length(&mut self, bytes: &[u8; 8]) -> Option<usize> {
        let special = swar::special_in_short_strings(u64::from_le_bytes(*bytes));
        if Some(&bytes[0]) == self.merger.markers.removed.first() {
            return None;
        }
        // Compared, not computed: what follows need not wait for the result.
        let guess = self.merger.id_length;
        if special & special.wrapping_neg() != 0x80 << (8 * guess) {
            let length = special.trailing_zeros() / 8;
            if length == 0 || length as usize == bytes.len() {
                return None;
            }
            self.merger.id_length = length;
        }
        Some(self.merger.id_length as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_text_is_that_of_an_entry() {
        for index in 0..COUNTED as u32 {
            let text = format!("{index}{}", String::from_utf8_lossy(BETWEEN));
            let mut bytes = [0; 16];
            bytes[..text.len()].copy_from_slice(text.as_bytes());
            let (word, mask, length) = expected(index).unwrap();
            assert_eq!((word, length), (u128::from_le_bytes(bytes), text.len()));
            assert_eq!(mask.trailing_ones() as usize, 8 * length);
        }
        assert_eq!(expected(COUNTED as u32), None);
    }
}
