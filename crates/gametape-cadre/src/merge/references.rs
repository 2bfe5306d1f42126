//! References one after the other in a list: `"7":{"id":"63"},"8":{"id":"5"}`.
//!
//! Most of the text of most deltas is such lists. Their indices count up, so the text of the next
//! one is known before it is read, and it only has to be compared; and an id is mostly as long as
//! the one before. A processor that need not wait for where an entry ends reads several at once.

use crate::merge::Merger;
use crate::merge::merge_pass::{Merged, Pass, Target};
use crate::merge::watch::Watch;
use crate::state::keys::Key;
use crate::state::tree::Value;
use crate::text::json::Span;
use crate::text::swar;

/// What is before an index, and between it and the id.
const BEFORE: &[u8; 2] = b",\"";
const BETWEEN: &[u8; 9] = b"\":{\"id\":\"";
/// What a reference begins with.
pub(crate) const REFERENCE: &[u8; 7] = b"{\"id\":\"";
/// What is after the id.
const AFTER: u16 = u16::from_le_bytes(*b"\"}");

/// Indices from here on are read like any key.
const COUNTED: usize = 1000;

const MOST_DIGITS: usize = 3;

/// The digits of each index, the first one in the lowest byte, and in the highest how many there are.
const DIGITS: [u32; COUNTED] = {
    let mut all = [0; COUNTED];
    let mut index = 0;
    while index < COUNTED {
        let (mut rest, mut digits, mut count) = (index, 0, 0);
        loop {
            digits = digits << 8 | (b'0' as u32 + (rest % 10) as u32);
            rest /= 10;
            count += 1;
            if rest == 0 {
                break;
            }
        }
        all[index] = digits | count << 24;
        index += 1;
    }
    all
};

/// What an entry of a list looks like around its index, up to where entries differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// For indices with this many digits, which are zero here; and the bits that count.
    words: [u128; MOST_DIGITS + 1],
    masks: [u128; MOST_DIGITS + 1],
    /// How much of it is not the index.
    length: usize,
}

impl Entry {
    const REFERENCE: Self = Self::new(BETWEEN);

    const fn new(after_index: &[u8]) -> Self {
        let length = BEFORE.len() + after_index.len();
        let (mut words, mut masks, mut digits) = ([0; 4], [0; 4], 1);
        while digits < words.len() {
            words[digits] =
                swar::of(BEFORE) | swar::of(after_index) << (8 * (BEFORE.len() + digits));
            masks[digits] = u128::MAX >> (u128::BITS as usize - 8 * (length + digits));
            digits += 1;
        }
        Self { words, masks, length }
    }

    /// An element that is removed, if this marker is short and always written as it is.
    pub(crate) fn removal(marker: &[u8]) -> Option<Self> {
        let after_index = [b"\":\"", marker, b"\""].concat();
        let longest = size_of::<u128>() - BEFORE.len() - MOST_DIGITS;
        (is_plain(marker) && after_index.len() <= longest).then(|| Self::new(&after_index))
    }

    /// Its text with this index, the bits of it that count, and how long it is.
    #[inline(always)]
    fn with_index(&self, index: u32) -> Option<(u128, u128, usize)> {
        let digits = *DIGITS.get(index as usize)?;
        let count = (digits >> 24) as usize % self.words.len();
        let digits = u128::from(digits & 0x00FF_FFFF) << (8 * BEFORE.len());
        Some((self.words[count] | digits, self.masks[count], self.length + count))
    }
}

/// What the length that ends a list looks like, up to its digits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LengthEntry {
    word: u128,
    /// The bits of it that count.
    mask: u128,
    length: usize,
}

impl LengthEntry {
    /// That of a list with this marker, if it is short and always written as it is.
    pub(crate) fn of(marker: &[u8]) -> Option<Self> {
        let text = [BEFORE, marker, b"\":"].concat();
        (is_plain(marker) && text.len() <= size_of::<u128>()).then(|| Self {
            word: swar::of(&text),
            mask: u128::MAX >> (u128::BITS as usize - 8 * text.len()),
            length: text.len(),
        })
    }
}

/// Is a marker always written as it is?
fn is_plain(marker: &[u8]) -> bool {
    marker.iter().all(|byte| byte.is_ascii_graphic() && !b"\"\\".contains(byte))
}

/// Reads references, as long as nothing about them is unusual.
pub(crate) struct References<'t> {
    text: &'t [u8],
    /// Of the comma before the next one, or of the bracket before the first.
    pub(crate) at: usize,
    /// The index of the next one.
    pub(crate) index: u32,
    /// The bits of the first byte that count: those of a comma, but not those of a bracket.
    first_byte: u8,
    /// How long the id of the one before was.
    pub(crate) id_length: u32,
}

impl<'t> References<'t> {
    /// Those of a list that begins at `at`.
    #[inline(always)]
    pub(crate) fn new(text: &'t [u8], at: usize, merger: &Merger) -> Self {
        Self { text, at, index: 0, first_byte: 0, id_length: merger.id_length }
    }

    /// Was nothing taken yet?
    #[inline(always)]
    pub(crate) fn is_first(&self) -> bool {
        self.first_byte == 0
    }

    /// The reference that comes next, and its end, if its index is the next one and all of it is
    /// written without any frills.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<(Value, usize)> {
        let length = self.matches(&Entry::REFERENCE)?;
        let id = self.at + length;
        let length = self.id_length(u64::from_le_bytes(*self.text.get(id..)?.first_chunk()?))?;
        let end = id + length as usize;
        Some((Value::reference(Span::new(id - 1, end + 1)), end + 2))
    }

    /// Begins with the index that the first one has, if that is `most` at most.
    #[inline(always)]
    pub(crate) fn start_at_most(&mut self, most: u32) {
        let first =
            self.text.get(self.at + BEFORE.len()..).and_then(|rest| rest.first_chunk::<8>());
        // Most begin with the index 0, or with the length.
        if let Some(word @ [b'1'..=b'9', ..]) = first
            && let Some((index, _)) = swar::leading_number(u64::from_le_bytes(*word))
            && index <= most
        {
            self.index = index;
        }
    }

    /// How long an entry of this kind is, up to where entries differ, if one with the next index is here.
    #[inline(always)]
    pub(crate) fn matches(&self, entry: &Entry) -> Option<usize> {
        let (word, mask, length) = entry.with_index(self.index)?;
        let bytes = self.text.get(self.at..)?.first_chunk()?;
        let mask = mask & !0xFF | u128::from(self.first_byte);
        ((u128::from_le_bytes(*bytes) ^ word) & mask == 0).then_some(length)
    }

    /// The length of the list, and its end, if both come next.
    #[inline(always)]
    pub(crate) fn end_of_list(&self, entry: &LengthEntry) -> Option<(u32, usize)> {
        let word = u128::from_le_bytes(*self.text.get(self.at..)?.first_chunk()?);
        let mask = entry.mask & !0xFF | u128::from(self.first_byte);
        if (word ^ entry.word) & mask != 0 {
            return None;
        }
        let digits = self.text.get(self.at + entry.length..)?;
        let (length, count) = swar::leading_number(u64::from_le_bytes(*digits.first_chunk()?))?;
        let end = self.at + entry.length + count + 1;
        (digits.get(count) == Some(&b'}')).then_some((length, end))
    }

    /// The length of the id at the beginning of a word, if it is a number in a few digits and the only thing in its
    /// object.
    #[inline(always)]
    fn id_length(&mut self, word: u64) -> Option<u32> {
        let ends = swar::no_digits(word);
        // Compared, not computed: what follows need not wait for the result.
        if ends & ends.wrapping_neg() != 0x80 << (8 * self.id_length) {
            let length = ends.trailing_zeros() / 8;
            if length == 0 || length > LONGEST_ID {
                return None;
            }
            self.id_length = length;
        }
        ((word >> (8 * self.id_length)) as u16 == AFTER).then_some(self.id_length)
    }

    /// Goes on after the one that ends there.
    #[inline(always)]
    pub(crate) fn take(&mut self, end: usize) {
        self.at = end;
        self.index += 1;
        self.first_byte = 0xFF;
    }
}

/// So that what is after an id is in the same word.
const LONGEST_ID: u32 = 6;

/// The reference whose id is at `id`, and its end, if the id is a number in a few digits and the only thing in its
/// object.
#[inline(always)]
pub(crate) fn short_reference(text: &[u8], id: usize) -> Option<(Value, usize)> {
    reference_of(u64::from_le_bytes(*text.get(id..)?.first_chunk()?), id)
}

/// The same, where this word of the text is at `id`.
#[inline(always)]
pub(crate) fn reference_of(word: u64, id: usize) -> Option<(Value, usize)> {
    let length = swar::leading_digits(word) as u32;
    if length == 0 || length > LONGEST_ID {
        return None;
    }
    let end = id + length as usize;
    ((word >> (8 * length)) as u16 == AFTER)
        .then(|| (Value::reference(Span::new(id - 1, end + 1)), end + 2))
}

impl<'t, W: Watch> Pass<'_, 't, '_, W> {
    /// Takes the references that come next, as long as nothing about them is unusual.
    #[inline]
    pub(crate) fn take_references(&mut self) -> Merged<()> {
        if self.frame.is_array || !self.merger.plain_lists {
            return Ok(());
        }
        match self.frame.target {
            Target::Object { .. } => Ok(()),
            Target::List { id, .. } => self.take_into_list(id),
            Target::New { .. } => self.take_into_new(),
        }
    }

    fn take_into_list(&mut self, id: u32) -> Merged<()> {
        let mut references = self.references();
        while let Some((value, end)) = references.next() {
            let index = references.index;
            let list = self.merger.tree.container(id);
            let known = list.start + index;
            let slot = (index < list.length).then_some(known);
            if slot.is_some_and(|slot| self.merger.tree.values[slot as usize].is_container()) {
                break;
            }
            references.take(end);
            self.assign_at(slot, Key::from_index(index), value)?;
        }
        // A list that became shorter mostly ends with what was removed.
        while let Some(length) =
            self.merger.removal.as_ref().and_then(|entry| references.matches(entry))
        {
            let key = Key::from_index(references.index);
            references.take(references.at + length);
            self.remove(key)?;
        }
        self.took(&references)
    }

    fn take_into_new(&mut self) -> Merged<()> {
        let mut references = self.references();
        while let Some((value, end)) = references.next() {
            let key = Key::from_index(references.index);
            references.take(end);
            self.add_new(key, value)?;
        }
        self.took(&references)
    }

    #[inline(always)]
    fn references(&self) -> References<'t> {
        let is_first = self.frame.is_first;
        // The bracket was taken already; a comma was not.
        let at = self.cursor.at - usize::from(is_first);
        let references = References::new(self.cursor.text, at, self.merger);
        let first_byte = if is_first { 0 } else { 0xFF };
        References { index: self.frame.next_index, first_byte, ..references }
    }

    #[inline(always)]
    fn took(&mut self, references: &References<'t>) -> Merged<()> {
        self.merger.id_length = references.id_length;
        if references.index > self.frame.next_index {
            self.cursor.at = references.at;
            self.frame.is_first = false;
            self.frame.next_index = references.index;
        }
        self.end_list(references)
    }

    /// Ends the list, if its length is what comes next, and the last that is in it.
    #[inline(always)]
    fn end_list(&mut self, references: &References<'t>) -> Merged<()> {
        let end = self.merger.length_entry.and_then(|entry| references.end_of_list(&entry));
        let Some((length, end)) = end.filter(|_| self.frame.length.is_none()) else {
            return Ok(());
        };
        let Some(outer) = self.merger.frames.pop() else { return Ok(()) };
        self.cursor.at = end;
        self.apply_length(length)?;
        self.close(outer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_expected_text_is_that_of_an_entry() {
        for index in 0..COUNTED as u32 {
            let text = format!(",\"{index}{}", String::from_utf8_lossy(BETWEEN));
            let mut bytes = [0; 16];
            bytes[..text.len()].copy_from_slice(text.as_bytes());
            let mask = u128::MAX >> (128 - 8 * text.len());
            let expected = Some((u128::from_le_bytes(bytes), mask, text.len()));
            assert_eq!(Entry::REFERENCE.with_index(index), expected);
        }
        assert_eq!(Entry::REFERENCE.with_index(COUNTED as u32), None);
    }

    #[test]
    fn a_list_ends_with_its_length_and_nothing_else() {
        let entry = LengthEntry::of(b"&LEN").unwrap();
        let end = |text: &str, is_first: bool| {
            let text = format!("{text}                ");
            let references = References {
                text: text.as_bytes(),
                at: 0,
                index: 0,
                first_byte: if is_first { 0 } else { 0xFF },
                id_length: 1,
            };
            references.end_of_list(&entry)
        };
        assert_eq!(end(r#","&LEN":12}"#, false), Some((12, 11)));
        assert_eq!(end(r#"{"&LEN":0}"#, true), Some((0, 10)));
        assert_eq!(end(r#"{"&LEN":0}"#, false), None);
        for text in [
            r#","&LEM":1}"#,
            r#","&LEN":1 }"#,
            r#","&LEN":01}"#,
            r#","&LEN":1234567}"#,
            r#","&LEN":-1}"#,
            r#","&LEN":1,"0":2}"#,
            r#","&LEN": 1}"#,
        ] {
            assert_eq!(end(text, false), None, "{text}");
        }
        assert!(LengthEntry::of(b"exactly-twelve").is_none());
        assert!(LengthEntry::of(b"12 bytes").is_none());
        assert!(LengthEntry::of(b"twelve-bytes").is_some());
        assert!(LengthEntry::of(br#"a"b"#).is_none());
    }

    #[test]
    fn short_references_are_whole_numbers() {
        let reference = |text: &str, rest: &str| {
            short_reference(format!("\"{text}{rest}").as_bytes(), 1).map(|found| found.1 - 1)
        };
        for (text, end) in [("7\"}", 3), ("0012\"}", 6), ("123456\"}", 8)] {
            assert_eq!(reference(text, "        "), Some(end), "{text}");
        }
        assert_eq!(reference("7\"}", ""), None);
        for text in
            ["\"}", "1234567\"}", "&RM\"}", "7x\"}", "7\",", "7\" }", "7\\n\"}", "7\n\"}", "ü\"}"]
        {
            assert_eq!(reference(text, "        "), None, "{text}");
        }
        let (value, _) = short_reference(b"{\"id\":\"42\"}      ", 7).unwrap();
        assert_eq!(value, Value::reference(Span::new(6, 10)));
    }

    #[test]
    fn only_short_markers_without_frills_are_removed_in_a_row() {
        let removal = Entry::removal(b"&RM").unwrap();
        let (word, mask, length) = removal.with_index(12).unwrap();
        assert_eq!((word, length), (swar::of(br#","12":"&RM""#), 11));
        assert_eq!(mask, u128::MAX >> 40);
        assert!(Entry::removal(b"7 bytes").is_none());
        assert!(Entry::removal(b"7-bytes").is_some());
        assert!(Entry::removal(b"8--bytes").is_none());
        for marker in [r#"a"b"#, r"a\b", "ü"] {
            assert!(Entry::removal(marker.as_bytes()).is_none(), "{marker}");
        }
    }
}
