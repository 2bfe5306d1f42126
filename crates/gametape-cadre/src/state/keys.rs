//! Keys of objects and indices of lists, as small numbers.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use gametape_wire::{Error, ErrorKind, Place, Result};

use crate::limits::{KEYS, LIST_INDEX};
use crate::text;
use crate::text::json::StringToken;
use crate::text::swar;

/// A key: an index as itself, any other name as a number that [`Keys`] gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key(u32);

/// Keys from here on are names.
const FIRST_NAME: u32 = 1 << 24;

impl Key {
    #[inline]
    pub(crate) fn from_index(index: u32) -> Self {
        debug_assert!(index < FIRST_NAME);
        Self(index)
    }

    /// The index, if the key is one that a list can have.
    #[inline]
    pub(crate) fn index(self) -> Option<u32> {
        (self.0 < FIRST_NAME).then_some(self.0)
    }

    /// The number of the name among all names.
    #[inline]
    pub(crate) fn name(self) -> Option<usize> {
        self.0.checked_sub(FIRST_NAME).map(|number| number as usize)
    }

    #[inline]
    pub(crate) fn number(self) -> u32 {
        self.0
    }
}

/// Bits of a slot's number in the table before the hash map.
const RECENT_BITS: u32 = 9;

/// A short name that was seen: its bytes, and its number.
#[derive(Debug, Clone, Copy, Default)]
struct Recent {
    name: u128,
    number: u32,
}

/// What is known about a name besides itself. The first of them is the start of a delta.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    /// The key as it is written, with a comma before it, its quotes and its colon, and the bits of it that count: all
    /// but those of the comma. Nothing for what is too long: it is never expected.
    spelling: Words,
    bits: Words,
    length: u32,
    /// What came after it the last time, by its index in what is known, and what came after it before.
    follower: u32,
    other_follower: u32,
    /// Its index in the object in which it was found the last time.
    hint: u32,
}

impl Known {
    /// Is it what this text begins with, after its first byte?
    #[inline(always)]
    fn is_at(&self, text: &[u8; EXPECTED]) -> bool {
        let (words, _) = text.as_chunks();
        let differ = |i: usize| (u128::from_le_bytes(words[i]) ^ self.spelling[i]) & self.bits[i];
        differ(0) | differ(1) == 0 && self.length > 0
    }
}

/// Bits for the bytes from `start` up to `end`.
fn bits(start: usize, end: usize) -> Words {
    let bytes: [u8; EXPECTED] =
        std::array::from_fn(|i| if (start..end).contains(&i) { 0xFF } else { 0 });
    words_of(&bytes)
}

fn words_of(bytes: &[u8]) -> Words {
    let (first, second) = bytes.split_at(bytes.len().min(size_of::<u128>()));
    [swar::of(first), swar::of(second)]
}

/// What an expected key is compared in.
type Words = [u128; 2];

/// Bytes of text that are looked at to see whether a key is the expected one.
pub(crate) const EXPECTED: usize = size_of::<Words>();

/// A key that was expected, and is here.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected {
    pub(crate) key: Key,
    /// Where its value begins.
    pub(crate) value: usize,
    /// The index that it is likely to have in its object.
    pub(crate) hint: u32,
}

/// Names from here on are read without any help from before: so a log of many names takes no more memory.
const MOST_KNOWN: usize = 1 << 10;

/// All names that occur in one log, each once.
#[derive(Debug, Clone)]
pub(crate) struct Keys {
    names: Vec<Arc<[u8]>>,
    /// Bytes of memory that the names take, and how many they may take.
    bytes: u64,
    max_bytes: u64,
    numbers: HashMap<Arc<[u8]>, u32, RandomState>,
    /// The short name that was last seen for each slot: most keys are a few short names.
    recent: Vec<Recent>,
    /// Names of deltas come in the same order again and again: the text of the next one is mostly known
    /// before it is read, and only has to be compared.
    known: Vec<Known>,
    /// Which of them was read last.
    last: u32,
}

impl Keys {
    pub(crate) fn new(max_bytes: u64) -> Self {
        Self {
            names: Vec::new(),
            bytes: 0,
            max_bytes,
            numbers: HashMap::default(),
            recent: vec![Recent::default(); 1 << RECENT_BITS],
            known: vec![Known::default()],
            last: 0,
        }
    }

    /// Bytes of memory that the names take, roughly.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// From here on names may take this many bytes of memory.
    pub(crate) fn limit(&mut self, max_bytes: u64) {
        self.max_bytes = max_bytes;
    }

    /// How many names there are.
    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }

    /// The key for a decoded name, which is remembered.
    pub(crate) fn intern(&mut self, name: &[u8]) -> Result<Key> {
        if let Some(index) = parse_index(name) {
            return Ok(Key(index));
        }
        Ok(Key(FIRST_NAME + self.number(name)?))
    }

    /// Another delta begins.
    pub(crate) fn begin_delta(&mut self) {
        self.last = 0;
    }

    /// The key that is after the byte at `at`, with its colon, if it is the one that is expected there.
    #[inline(always)]
    pub(crate) fn expected(&self, text: &[u8; EXPECTED], at: usize) -> Option<Expected> {
        let last = self.known.get(self.last as usize)?;
        self.expected_index(last.follower, text, at)
            .or_else(|| self.expected_index(last.other_follower, text, at))
    }

    /// The same for one key, by its index in what is known.
    #[inline(always)]
    fn expected_index(&self, index: u32, text: &[u8; EXPECTED], at: usize) -> Option<Expected> {
        let known = self.known.get(index as usize).filter(|known| known.is_at(text))?;
        let (key, value) = (Key(FIRST_NAME + index - 1), at + known.length as usize);
        Some(Expected { key, value, hint: known.hint })
    }

    /// The same for a key that is not expected there, but was read before.
    #[inline(never)]
    pub(crate) fn unexpected(&self, text: &[u8], at: usize) -> Option<Expected> {
        let start = at + b",\"".len();
        let end = swar::short_string_end(text, start)?;
        let name = swar::short_string(text, start, end)?;
        let recent = self.recent[slot_of(name)];
        let known = self.known.get(recent.number as usize + 1)?;
        let value = end + b"\":".len();
        let is_known = recent.name == name && known.length as usize == value - at;
        let is_plain = text[at + 1] == b'"' && text.get(end + 1) == Some(&b':');
        let key = Key(FIRST_NAME + recent.number);
        (is_known && is_plain).then_some(Expected { key, value, hint: known.hint })
    }

    /// Notes that an expected key was taken.
    #[inline(always)]
    pub(crate) fn took(&mut self, expected: Key) {
        self.follow(expected.0 - (FIRST_NAME - 1));
    }

    /// From here on the name with this index is what was read last.
    #[inline(always)]
    fn follow(&mut self, index: u32) {
        let last = std::mem::replace(&mut self.last, index);
        if let Some(last) = self.known.get_mut(last as usize)
            && last.follower != index
        {
            last.other_follower = last.follower;
            last.follower = index;
        }
    }

    /// Notes a key that was read and was not the expected one; `spelled` is its text, without escapes.
    #[inline]
    pub(crate) fn note_unexpected(&mut self, key: Key, spelled: &[u8]) {
        let Some(number) = key.name().filter(|number| *number < MOST_KNOWN) else { return };
        let index = number + 1;
        if self.known.get(index).is_none_or(|known| known.length == 0) {
            self.note_spelling(index, spelled);
        }
        self.follow(index as u32);
    }

    #[inline(never)]
    fn note_spelling(&mut self, index: usize, spelled: &[u8]) {
        if index >= self.known.len() {
            self.known.resize(index + 1, Known::default());
        }
        let length = spelled.len() + b",\"\":".len();
        if length <= EXPECTED {
            let known = &mut self.known[index];
            known.spelling = words_of(&[b",\"", spelled, b"\":"].concat());
            known.bits = bits(1, length);
            known.length = length as u32;
        }
    }

    /// The index in an object that a key is likely to have.
    #[inline]
    pub(crate) fn hint(&self, key: Key) -> u32 {
        match key.name() {
            Some(number) => self.known.get(number + 1).map_or(0, |known| known.hint),
            // Game objects are mostly made in the order of their numbers, and all of them are kept.
            None => key.0,
        }
    }

    /// Notes the index that a key had in an object.
    #[inline]
    pub(crate) fn note_hint(&mut self, key: Key, index: u32) {
        if let Some(number) = key.name()
            && let Some(known) = self.known.get_mut(number + 1)
        {
            known.hint = index;
        }
    }

    /// The key for a name without escapes, which is in the text.
    #[inline]
    pub(crate) fn intern_plain(&mut self, text: &[u8], token: StringToken) -> Result<Key> {
        match swar::short_string(text, token.start + 1, token.end - 1) {
            Some(name) => {
                let slot = slot_of(name);
                let recent = self.recent[slot];
                if recent.name == name {
                    return Ok(Key(FIRST_NAME + recent.number));
                }
                self.intern_recent(token.inner(text), Recent { name, number: 0 }, slot)
            }
            None => self.intern(token.inner(text)),
        }
    }

    /// The same for a short name that its slot does not have.
    #[inline(never)]
    fn intern_recent(&mut self, name: &[u8], mut recent: Recent, slot: usize) -> Result<Key> {
        let key = self.intern(name)?;
        if let Some(number) = key.name() {
            recent.number = number as u32;
            self.recent[slot] = recent;
        }
        Ok(key)
    }

    /// The number of a name that is no index.
    fn number(&mut self, name: &[u8]) -> Result<u32> {
        if let Some(number) = self.numbers.get(name) {
            return Ok(*number);
        }
        let number = self.names.len();
        if number as u64 >= KEYS.max {
            return Err(too_many(KEYS.name, number as u64 + 1, KEYS.max));
        }
        self.bytes += name.len() as u64 + NAME_BYTES;
        if self.bytes > self.max_bytes {
            let bytes = std::mem::replace(&mut self.bytes, self.max_bytes);
            return Err(too_many("memory for keys", bytes, self.max_bytes));
        }
        let name: Arc<[u8]> = name.into();
        self.names.push(name.clone());
        self.numbers.insert(name, number as u32);
        Ok(number as u32)
    }

    /// The key for a decoded name, if any log text had it.
    pub(crate) fn find(&self, name: &[u8]) -> Option<Key> {
        match parse_index(name) {
            Some(index) => Some(Key(index)),
            None => self.numbers.get(name).map(|number| Key(FIRST_NAME + number)),
        }
    }

    /// The decoded name of a key.
    pub(crate) fn name(&self, key: Key) -> Cow<'_, [u8]> {
        match key.name() {
            Some(number) => Cow::Borrowed(&self.names[number]),
            None => Cow::Owned(key.0.to_string().into_bytes()),
        }
    }

    /// The order of two keys by the UTF-16 code units of their names.
    pub(crate) fn compare(&self, a: Key, b: Key) -> Ordering {
        match (a.index(), b.index()) {
            (Some(a), Some(b)) => compare_decimal(a, b),
            _ => text::compare_utf16(&self.name(a), &self.name(b)),
        }
    }

    /// The value of a name that looks like an index but is over the limit.
    pub(crate) fn oversized_index(&self, key: Key) -> Option<u64> {
        let name = &self.names[key.name()?];
        if name.first() == Some(&b'0') || !name.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let digits = std::str::from_utf8(name).ok()?;
        (!digits.is_empty()).then(|| digits.parse().unwrap_or(u64::MAX))
    }
}

/// What keeping a name takes besides its bytes, roughly.
pub(crate) const NAME_BYTES: u64 = 96;

#[cold]
fn too_many(item: &'static str, value: u64, limit: u64) -> Error {
    Error::new(Place::Nowhere, item, ErrorKind::OverLimit { value, limit })
}

/// The number that a canonical index within the limit spells.
#[inline]
pub(crate) fn parse_index(name: &[u8]) -> Option<u32> {
    match name {
        [first @ b'1'..=b'9', rest @ ..] if rest.len() < 7 => {
            let mut index = u32::from(first - b'0');
            for byte in rest {
                let digit = byte.wrapping_sub(b'0');
                if digit > 9 {
                    return None;
                }
                index = index * 10 + u32::from(digit);
            }
            (u64::from(index) <= LIST_INDEX.max).then_some(index)
        }
        b"0" => Some(0),
        _ => None,
    }
}

/// The order of two indices as text: `10` comes before `2`.
fn compare_decimal(a: u32, b: u32) -> Ordering {
    let digits = |n: u32| n.checked_ilog10().unwrap_or(0);
    let widest = digits(a).max(digits(b));
    let widened = |n: u32| u64::from(n) * 10u64.pow(widest - digits(n));
    widened(a).cmp(&widened(b)).then(a.cmp(&b))
}

/// The slot for a short name.
#[inline]
fn slot_of(name: u128) -> usize {
    // Two odd constants without a pattern: their products differ in the upper bits.
    let low = (name as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let high = ((name >> 64) as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    ((low ^ high) >> (u64::BITS - RECENT_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_canonical_and_within_the_limit() {
        for (name, index) in [("0", 0), ("7", 7), ("10", 10), ("1000000", 1_000_000)] {
            assert_eq!(parse_index(name.as_bytes()), Some(index));
        }
        for name in ["", "00", "01", "-1", "1.5", "1a", "1000001", "4294967295", " 1"] {
            assert_eq!(parse_index(name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn indices_sort_like_their_text() {
        let numbers = [0, 1, 2, 9, 10, 11, 19, 20, 99, 100, 101, 110, 999, 1000, 1_000_000];
        for a in numbers {
            for b in numbers {
                assert_eq!(compare_decimal(a, b), a.to_string().cmp(&b.to_string()), "{a} {b}");
            }
        }
    }

    #[test]
    fn a_name_has_one_number_however_it_is_read() {
        let names = ["a", "ab", "units", "exactly16letters", "seventeen-letters", "12", "x"];
        let text = names.map(|name| format!("\"{name}\"")).join("") + &" ".repeat(16);
        let mut keys = Keys::new(u64::MAX);
        for _ in 0..3 {
            let mut start = 0;
            for name in names {
                let end = start + name.len() + 2;
                let token = StringToken { start, end, escaped: false };
                let key = keys.intern_plain(text.as_bytes(), token).unwrap();
                assert_eq!(key, keys.intern(name.as_bytes()).unwrap());
                // Without room after the name.
                let cut = keys.intern_plain(&text.as_bytes()[..end], token).unwrap();
                assert_eq!((cut, &*keys.name(key)), (key, name.as_bytes()));
                start = end;
            }
        }
        assert_eq!(keys.names.len(), names.len() - 1);
    }

    /// The key that is expected after the byte at `at`, and where its value begins. It is taken.
    fn expected(keys: &mut Keys, text: &[u8], at: usize) -> Option<(Key, usize)> {
        let expected = keys.expected(text[at..].first_chunk()?, at)?;
        keys.took(expected.key);
        Some((expected.key, expected.value))
    }

    #[test]
    fn the_name_that_came_last_time_is_expected() {
        let text = [br#"{"units":1,"gold":2,"units":3,"gameObjectName":4"#, &[b' '; EXPECTED][..]]
            .concat();
        let mut keys = Keys::new(u64::MAX);
        let [units, gold] = [b"units".as_slice(), b"gold"].map(|name| keys.intern(name).unwrap());
        keys.begin_delta();
        assert_eq!(expected(&mut keys, &text, 0), None);
        keys.note_unexpected(units, b"units");
        keys.note_unexpected(gold, b"gold");
        keys.begin_delta();
        assert_eq!(expected(&mut keys, &text, 0), Some((units, 9)));
        // Something before it, another name, too little text after it.
        assert_eq!(expected(&mut keys, &text, 9), None);
        assert_eq!(expected(&mut keys, &text, 19), None);
        assert_eq!(expected(&mut keys, &text[..10 + EXPECTED - 1], 10), None);
        assert_eq!(expected(&mut keys, &text, 10), Some((gold, 18)));
        let name = keys.intern(b"gameObjectName").unwrap();
        keys.note_unexpected(name, b"gameObjectName");
        keys.begin_delta();
        assert_eq!(expected(&mut keys, &text, 0), Some((units, 9)));
        assert_eq!(expected(&mut keys, &text, 10), Some((gold, 18)));
        assert_eq!(expected(&mut keys, &text, 29), Some((name, 47)));
    }

    #[test]
    fn two_names_are_expected_after_one() {
        let text = [br#"{"b":1,"c":2,"d":3"#, &[b' '; EXPECTED][..]].concat();
        let mut keys = Keys::new(u64::MAX);
        let [b, c, d] = [b"b", b"c", b"d"].map(|name| keys.intern(name).unwrap());
        for (key, name) in [(b, b"b"), (c, b"c"), (d, b"d")] {
            keys.begin_delta();
            keys.note_unexpected(key, name);
        }
        for (at, key) in [(0, None), (6, Some(c)), (12, Some(d)), (6, Some(c))] {
            keys.begin_delta();
            let found = expected(&mut keys, &text, at).map(|found| found.0);
            assert_eq!(found, key, "{at}");
        }
    }

    #[test]
    fn a_name_that_is_too_long_is_never_expected() {
        for length in [EXPECTED - 5, EXPECTED - 4, EXPECTED - 3, EXPECTED] {
            let name = "n".repeat(length);
            let text = format!(",\"{name}\":1{}", " ".repeat(EXPECTED));
            let mut keys = Keys::new(u64::MAX);
            let key = keys.intern(name.as_bytes()).unwrap();
            keys.note_unexpected(key, name.as_bytes());
            keys.begin_delta();
            let found = expected(&mut keys, text.as_bytes(), 0);
            assert_eq!(found, (length + 4 <= EXPECTED).then_some((key, length + 4)), "{length}");
        }
    }

    #[test]
    fn a_name_that_was_read_is_found_where_another_is_expected() {
        let mut keys = Keys::new(u64::MAX);
        let padding = " ".repeat(EXPECTED);
        let found = |keys: &Keys, text: &str| {
            let text = format!("{text}{padding}");
            keys.unexpected(text.as_bytes(), 0).map(|found| (found.key, found.value))
        };
        assert_eq!(found(&keys, r#","gold":1"#), None);
        let text = format!("\"gold\"{padding}");
        let token = StringToken { start: 0, end: 6, escaped: false };
        let gold = keys.intern_plain(text.as_bytes(), token).unwrap();
        // Its spelling is not known yet.
        assert_eq!(found(&keys, r#","gold":1"#), None);
        keys.note_unexpected(gold, b"gold");
        assert_eq!(found(&keys, r#","gold":1"#), Some((gold, 8)));
        for text in [
            r#","gold" :1"#,
            r#", "gold":1"#,
            r#","gole":1"#,
            r#","g\u006fld":1"#,
            r#",gold":1"#,
            r#","gold"#,
        ] {
            assert_eq!(found(&keys, text), None, "{text}");
        }
    }

    #[test]
    fn names_are_numbered_once() {
        let mut keys = Keys::new(u64::MAX);
        let a = keys.intern(b"units").unwrap();
        let b = keys.intern(b"unite").unwrap();
        assert_ne!(a, b);
        assert_eq!(keys.intern(b"units").unwrap(), a);
        assert_eq!(keys.find(b"unite"), Some(b));
        assert_eq!(keys.find(b"nobody"), None);
        assert_eq!(&*keys.name(a), b"units");
        assert_eq!(&*keys.name(Key::from_index(12)), b"12");
        let huge = keys.intern(b"4294967295").unwrap();
        assert_eq!(keys.oversized_index(huge), Some(4_294_967_295));
        assert_eq!(keys.oversized_index(a), None);
    }
}
