//! What most deltas are made of, merged without a stop: fields and elements of containers that are there already.
//!
//! Deltas name the same fields in the same order again and again, so a field is mostly known before it is read, and
//! only has to be compared. Nothing that is unusual is done here: then the frames are made as if all of it had been
//! merged as everything else is, and [`Pass`] goes on with the entry that is unusual.

use crate::limits::SCALAR_BYTES;
use crate::merge::Merger;
use crate::merge::duplicate_keys::Names;
use crate::merge::merge_pass::{Frame, Pass, Target};
use crate::merge::references::{REFERENCE, References, reference_of};
use crate::merge::watch::Watch;
use crate::state::keys::{EXPECTED, Expected, Key};
use crate::state::tree::Value;
use crate::text::json::Span;
use crate::text::swar;

/// How many containers inside of each other are merged here: game objects and what they have.
const DEPTH: u32 = 6;

/// An object that is merged here, up to where that is.
#[derive(Clone, Copy)]
struct Open {
    id: u32,
    key: Key,
    /// Of the comma before the next entry, or of the bracket before the first.
    at: usize,
    is_first: bool,
    next_index: u32,
    names: Names,
}

/// What became of an entry.
enum Entry {
    Taken,
    /// Its value is to be merged into this container.
    Container {
        id: u32,
        key: Key,
        at: usize,
    },
    Unusual,
}

impl<W: Watch> Pass<'_, '_, '_, W> {
    /// Merges as much of the current object, and of those around it, as is usual. True at the end of the delta.
    #[inline(always)]
    pub(crate) fn take_usual(&mut self) -> bool {
        if W::ACTIVE || !self.merger.plain_lists {
            return false;
        }
        while let Target::Object { id, .. } = self.frame.target
            && !self.frame.is_array
        {
            let Frame { key, is_first, .. } = self.frame;
            let Some(end) = self.fields(id, key, self.cursor.at - usize::from(is_first), 0) else {
                return false;
            };
            self.cursor.at = end;
            match self.merger.frames.pop() {
                Some(outer) => self.frame = outer,
                None => return true,
            }
        }
        false
    }

    /// Merges an object that begins at `at` and is inside of `depth` others, or what is left of the current one.
    /// Returns its end; none where it is left.
    fn fields(&mut self, id: u32, key: Key, at: usize, depth: u32) -> Option<usize> {
        let (is_first, next_index, names) = match depth {
            0 => (self.frame.is_first, self.frame.next_index, self.frame.names),
            _ => (true, 0, Names::default()),
        };
        let mut open = Open { id, key, at, is_first, next_index, names };
        loop {
            match self.field(&mut open, depth) {
                Entry::Taken => {}
                Entry::Container { id, key, at } => {
                    let outside = self.merger.frames.len();
                    match self.usual_container(id, key, at, depth + 1) {
                        Some(end) => open.at = end,
                        None => {
                            let frame = self.frame_of(&open);
                            self.merger.frames.insert(outside, frame);
                            return None;
                        }
                    }
                }
                Entry::Unusual => break,
            }
        }
        let end = open.at + usize::from(open.is_first);
        if self.cursor.text.get(end) == Some(&b'}') {
            self.merger.duplicate_keys.close(&open.names);
            return Some(end + 1);
        }
        self.frame = self.frame_of(&open);
        self.cursor.at = end;
        None
    }

    /// The frame in which the rest of an object is merged.
    fn frame_of(&mut self, open: &Open) -> Frame {
        let Open { id, key, is_first, next_index, names, .. } = *open;
        let names = self.merger.duplicate_keys.know(names);
        Frame { is_first, next_index, names, ..Frame::new(Target::Object { id, hint: 0 }, key) }
    }

    /// Takes the next entry of an object.
    #[inline(always)]
    fn field(&mut self, open: &mut Open, depth: u32) -> Entry {
        let Some(entry) = self.usual_key(open) else { return Entry::Unusual };
        let Expected { key, value: at, .. } = entry;
        let slot = self.usual_slot(open.id, &entry);
        let there = slot.map_or(Value::ABSENT, |slot| self.merger.tree.values[slot as usize]);
        if let Some(id) = there.container_id()
            && self.cursor.text.get(at) == Some(&b'{')
        {
            let is_usual = depth < DEPTH && self.is_new(open, key);
            return if is_usual { Entry::Container { id, key, at } } else { Entry::Unusual };
        }
        let Some((value, end)) = self.usual_value(at) else { return Entry::Unusual };
        if (slot.is_none() && !value.is_absent()) || !self.is_new(open, key) {
            return Entry::Unusual;
        }
        if let Some(slot) = slot {
            self.set(slot, value);
        }
        open.at = end;
        Entry::Taken
    }

    /// The key of the next entry, if it is an expected one or an index.
    #[inline(always)]
    fn usual_key(&self, open: &Open) -> Option<Expected> {
        let text: &[u8; EXPECTED] = self.cursor.text.get(open.at..)?.first_chunk()?;
        if text[0] != b',' && !open.is_first {
            return None;
        }
        if !text[2].is_ascii_digit() {
            let keys = &self.merger.keys;
            return keys
                .expected(text, open.at)
                .or_else(|| keys.unexpected(self.cursor.text, open.at));
        }
        let (index, length) = swar::leading_number(u64::from_le_bytes(*text[2..].first_chunk()?))?;
        let is_plain = text[1] == b'"' && text[2 + length..].starts_with(b"\":");
        let (key, value) = (Key::from_index(index), open.at + length + b",\"\":".len());
        (is_plain && index >= open.next_index).then_some(Expected { key, value, hint: index })
    }

    /// The slot of a key in an object.
    #[inline(always)]
    fn usual_slot(&mut self, object: u32, entry: &Expected) -> Option<u32> {
        match self.merger.tree.slot_at(object, entry.hint, entry.key) {
            Some(slot) => Some(slot),
            None => self.other_slot(object, entry.key, entry.hint),
        }
    }

    #[inline(never)]
    fn other_slot(&mut self, object: u32, key: Key, hint: u32) -> Option<u32> {
        let index = self.merger.tree.find(object, key, hint)?;
        self.merger.keys.note_hint(key, index);
        Some(self.merger.tree.container(object).start + index)
    }

    /// Notes a key of an object. False when it had it before, or that is not known.
    #[inline(always)]
    fn is_new(&mut self, open: &mut Open, key: Key) -> bool {
        match key.index() {
            Some(index) => open.next_index = index + 1,
            None => {
                if key == self.merger.length_key || open.names.first_twice(key) != Some(false) {
                    return false;
                }
                self.merger.keys.took(key);
            }
        }
        open.is_first = false;
        true
    }

    /// The value at `start`, if it is no container, and its end; an absent one where that is removed.
    #[inline(always)]
    fn usual_value(&mut self, start: usize) -> Option<(Value, usize)> {
        let text = self.cursor.text;
        let bytes: &[u8; 16] = text.get(start..)?.first_chunk()?;
        let start_bits = u64::MAX >> (64 - 8 * REFERENCE.len());
        if u64::from_le_bytes(*bytes.first_chunk()?) & start_bits == swar::of(REFERENCE) as u64 {
            let word = u64::from_le_bytes(*bytes[REFERENCE.len()..].first_chunk()?);
            return reference_of(word, start + REFERENCE.len());
        }
        self.other_value(start, bytes[0])
    }

    /// The same for one that is no reference and begins with the byte `first`.
    #[inline(never)]
    fn other_value(&mut self, start: usize, first: u8) -> Option<(Value, usize)> {
        self.cursor.at = start;
        let value = match first {
            b'-' | b'0'..=b'9' | b'a'..=b'z' => Value::literal(short(self.cursor.literal().ok()?)?),
            b'"' => {
                let token = self.cursor.string().ok()?;
                match self.is_removal_text(token.inner(self.cursor.text)) {
                    _ if token.escaped => return None,
                    true => Value::ABSENT,
                    false => Value::string(short(Span::new(token.start, token.end))?, false),
                }
            }
            _ => return None,
        };
        Some((value, self.cursor.at))
    }

    /// Merges a container, and returns its end. None where it is left.
    #[inline(always)]
    fn usual_container(&mut self, id: u32, key: Key, at: usize, depth: u32) -> Option<usize> {
        if self.merger.tree.container(id).is_list() {
            return self.elements(id, key, at);
        }
        self.fields(id, key, at, depth)
    }

    /// Merges a list, and returns its end. None where it is left.
    #[inline(never)]
    fn elements(&mut self, id: u32, key: Key, at: usize) -> Option<usize> {
        let was = self.merger.tree.container(id).length;
        let mut references = References::new(self.cursor.text, at, self.merger);
        references.start_at_most(was);
        self.replace_elements(id, &mut references);
        while references.index >= self.merger.tree.container(id).length
            && let Some((value, end)) = references.next()
            && self.append_element(id, references.index, value)
        {
            references.take(end);
        }
        let top = if references.is_first() { 0 } else { references.index };
        self.remove_elements(id, &mut references);
        self.merger.id_length = references.id_length;
        let end = self.merger.length_entry.and_then(|entry| references.end_of_list(&entry));
        match end {
            Some((length, end)) if length >= top.min(was) => {
                if length < was {
                    self.cut_list(id, length);
                }
                Some(end)
            }
            _ => {
                self.leave_list(Target::List { id, was, top }, key, &references);
                None
            }
        }
    }

    /// Takes references to the elements that are there, up to one that is no reference.
    #[inline(always)]
    fn replace_elements(&mut self, list: u32, references: &mut References<'_>) {
        let Merger { tree, journal, .. } = &mut *self.merger;
        let container = tree.container(list);
        let first = container.start + references.index;
        let Some(values) = tree.values.get_mut(container.slots()) else { return };
        for (slot, there) in (first..).zip(&mut values[references.index as usize..]) {
            let Some((value, end)) = references.next().filter(|_| !there.is_container()) else {
                return;
            };
            journal.note(slot, *there);
            *there = value;
            references.take(end);
        }
    }

    /// Makes a list longer by one.
    #[inline(always)]
    fn append_element(&mut self, list: u32, index: u32, value: Value) -> bool {
        let Merger { tree, journal, .. } = &mut *self.merger;
        let container = tree.container(list);
        if index >= container.capacity() {
            return self.append_to_full(list, index, value);
        }
        journal.touch(tree, list);
        tree.containers[list as usize].length = index + 1;
        journal.set(tree, container.start + index, value);
        true
    }

    #[inline(never)]
    fn append_to_full(&mut self, list: u32, index: u32, value: Value) -> bool {
        let start = self.grow(list, index + 1);
        if let Ok(start) = start {
            self.set(start + index, value);
        }
        start.is_ok()
    }

    /// A list that became shorter mostly ends with what was removed.
    #[inline(always)]
    fn remove_elements(&mut self, list: u32, references: &mut References<'_>) {
        let Merger { tree, journal, removal: Some(removal), .. } = &mut *self.merger else {
            return;
        };
        let container = tree.container(list);
        while let Some(length) = references.matches(removal) {
            let slot = container.start + references.index;
            if references.index < container.length && !tree.values[slot as usize].is_absent() {
                journal.set(tree, slot, Value::ABSENT);
            }
            references.take(references.at + length);
        }
    }

    /// From here on a list is merged as any.
    fn leave_list(&mut self, target: Target, key: Key, references: &References<'_>) {
        let names = self.merger.duplicate_keys.open();
        let is_first = references.is_first();
        let next_index = if is_first { 0 } else { references.index };
        self.frame = Frame { is_first, next_index, names, ..Frame::new(target, key) };
        self.cursor.at = references.at + usize::from(is_first);
    }
}

fn short(span: Span) -> Option<Span> {
    (u64::from(span.end - span.start) <= SCALAR_BYTES.max).then_some(span)
}
