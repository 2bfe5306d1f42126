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
        let Expected { key, hint, .. } = *entry;
        match self.merger.tree.slot_at(object, hint, key) {
            Some(slot) => Some(slot),
            None => {
                let index = self.merger.index_elsewhere(object, key, hint)?;
                Some(self.merger.tree.container(object).start + index)
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Options;
    use crate::log::Log;
    use crate::log::markers::Markers;
    use crate::merge::watch::{Oddity, Site, Unwatched};
    use crate::state::State;
    use crate::state::keys::Keys;
    use crate::timeline::Timeline;

    /// For somebody who looks on, nothing is taken for usual.
    struct Looking;

    impl Watch for Looking {
        const ACTIVE: bool = true;

        fn change(&mut self, _: &Site<'_>, _: Value, _: Value) {}

        fn odd(&mut self, _: &Keys, _: &[Key], _: Oddity) {}

        fn start_over(&mut self) {}
    }

    /// The states after each of these deltas, or why they cannot be merged.
    fn states(games: &[&[u8]], markers: &Markers, watch: &mut impl Watch) -> Vec<String> {
        let shares = Log::new(markers.clone(), &Options::default()).shares();
        let mut merger = Merger::new(markers.clone(), shares).unwrap();
        let mut text = Vec::new();
        let merged = games.iter().map(|game| {
            let span = Span::new(text.len(), text.len() + game.len());
            // What is usual is only seen with room after it.
            text.extend_from_slice(game);
            text.extend_from_slice(&[b' '; 2 * EXPECTED]);
            let result = merger.merge(&text[..text.len()], span, watch);
            let state = State { tree: &merger.tree, keys: &merger.keys, text: &text }.canonical();
            format!("{result:?} {}", String::from_utf8_lossy(&state))
        });
        merged.collect()
    }

    fn assert_same(games: &[&[u8]], markers: &Markers) {
        let usual = states(games, markers, &mut Unwatched);
        let expected = states(games, markers, &mut Looking);
        let last = String::from_utf8_lossy(games.last().unwrap());
        assert_eq!(usual, expected, "{last}");
    }

    const GAMES: [&str; 7] = [
        r#"{"gameObjects":{"0":{"id":"0","gold":1,"path":{"&LEN":0},"a":{"b":{"c":{"d":{"e":{"f":{"g":1}}}}}}},"1":{"id":"1","unit":null,"tags":{"0":"x","1":{"y":1},"&LEN":2}}},"turn":0,"name":"n"}"#,
        r#"{"gameObjects":{"0":{"gold":12,"path":{"0":{"id":"1"},"1":{"id":"0"},"&LEN":2}},"1":{"unit":{"id":"0"}}},"turn":1}"#,
        r#"{"gameObjects":{"0":{"gold":-1.5,"path":{"0":{"id":"0"},"1":"&RM","&LEN":1}},"1":{"unit":null,"id":"1"}},"turn":2}"#,
        r#"{"gameObjects":{"0":{"gold":"&RM","path":{"1":{"id":"1"},"2":{"id":"123456"},"3":{"id":"1"},"4":{"id":"2"},"&LEN":5}},"1":{"unit":{"id":"0"}}}}"#,
        r#"{"gameObjects":{"0":{"a":{"b":{"c":{"d":{"e":{"f":{"g":2}}}}}},"path":{"0":"&RM","&LEN":0}},"1":{"tags":{"1":{"id":"7"},"&LEN":2}}},"7":"&RM","name":"a longer name than a word"}"#,
        r#"{"turn":3,"gameObjects":{"1":{"unit":{"id":"0","gold":3},"new":{"id":"4"}},"2":{"id":"2","path":{"&LEN":0}}}}"#,
        r#"{"gameObjects":{"1":{"unit":{"id":"5"}},"2":{"path":{"0":{"id":"2"},"&LEN":1}}},"turn":null}"#,
    ];

    #[test]
    fn what_is_usual_is_merged_as_everything() {
        let games = GAMES.map(str::as_bytes);
        for (removed, length) in
            [("&RM", "&LEN"), ("7", "&LEN"), ("&RM", "id"), ("&RM", "3"), ("null", "gold")]
        {
            assert_same(&games, &Markers::new(removed, length));
        }
    }

    #[test]
    fn what_is_not_quite_usual_is_merged_as_everything() {
        let games = GAMES.map(str::as_bytes);
        for (index, game) in games.iter().enumerate().skip(1) {
            for at in 0..game.len() {
                let (before, rest) = game.split_at(at);
                let mut others = vec![before.to_vec()];
                for byte in b"\"\\,:{}[]07x &" {
                    others.push([before, &[*byte], rest].concat());
                    others.push([before, &[*byte], &rest[1..]].concat());
                }
                for other in others {
                    let games = [&games[..index], &[&*other]].concat();
                    assert_same(&games, &Markers::default());
                }
            }
        }
    }

    #[test]
    fn names_and_indices_that_come_again_are_found() {
        let start =
            br#"{"a":{"x":1,"y":{"&LEN":0},"o":{"p":1,"q":1},"5":{"z":1},"6":{"z":1}},"b":2}"#
                .as_slice();
        let odd = [
            r#"{"a":{"x":2,"x":3}}"#,
            r#"{"a":{"x":2},"b":3,"a":{"x":4}}"#,
            r#"{"a":{"o":{"p":2},"o":{"q":3}}}"#,
            r#"{"a":{"new":1,"o":{"p":4},"x":2,"o":{"q":5}}}"#,
            r#"{"a":{"o":{"p":6},"x":2,"new":1,"o":{"q":7}}}"#,
            r#"{"a":{"x":2,"5":{"z":2},"5":{"z":3}}}"#,
            r#"{"a":{"6":{"z":2},"5":{"z":3}}}"#,
            r#"{"a":{"x":2,"new":1,"x":3}}"#,
            r#"{"a":{"new":1,"x":2,"new":3}}"#,
            r#"{"a":{"x":2,"y":{"0":{"q":1},"&LEN":1},"x":3}}"#,
            r#"{"a":{"y":{"1":{"id":"1"},"0":{"id":"0"},"&LEN":2}}}"#,
            r#"{"a":{"y":{"0":{"id":"1"},"1":{"id":"0"},"&LEN":1}}}"#,
        ];
        for first in odd {
            for second in odd {
                let games = [start, first.as_bytes(), second.as_bytes()];
                assert_same(&games, &Markers::default());
            }
        }
    }

    #[test]
    fn a_log_is_loaded_as_it_is_pushed_wherever_a_delta_is_odd() {
        let usual: Vec<String> = (0..40)
            .map(|n| format!(r#"{{"gameObjects":{{"0":{{"gold":{n},"path":{{"0":{{"id":"{n}"}},"&LEN":1}}}}}},"turn":{n}}}"#))
            .collect();
        let odd = [
            r#"{"turn":1,"turn":2}"#,
            r#"{"gameObjects":{"0":{"path":{"0":{"id":"7"},"1":{"id":"8"},"2":{"id":"9"},"&LEN":1}}}}"#,
            r#"{"gameObjects":{"0":{"gold":1,"gold":{"x":"bad}}}"#,
            r#"{"turn":01}"#,
        ];
        for at in [1, 2, 20, 39] {
            for (first, second) in odd.iter().flat_map(|a| odd.iter().map(move |b| (a, b))) {
                let mut games: Vec<&str> = usual.iter().map(String::as_str).collect();
                games.insert(at, first);
                games.insert((at + 7).min(games.len()), second);
                compare_loaded(&games);
            }
        }
    }

    /// Loads a log of these deltas, and compares it with one to which they are pushed.
    fn compare_loaded(games: &[&str]) {
        let deltas: Vec<String> =
            games.iter().map(|game| format!(r#"{{"game":{game}}}"#)).collect();
        let text = format!(r#"{{"deltas":[{}]}}"#, deltas.join(","));
        // A delta that is no JSON ends the log in another way.
        let Ok(log) = Log::open(text.as_bytes(), &Options::default()) else { return };
        let (mut loaded, error) = Timeline::load_readable(log, &Options::default()).unwrap();
        let mut pushed = Timeline::empty(Markers::default()).unwrap();
        let refused = games.iter().find_map(|game| pushed.push_game(game.as_bytes()).err());
        assert_eq!(error.is_some(), refused.is_some(), "{text}");
        assert_eq!(loaded.position(), pushed.position(), "{text}");
        assert_eq!(loaded.state().canonical(), pushed.state().canonical(), "{text}");
        while loaded.position() > 0 {
            assert!(loaded.step_back().unwrap() && pushed.step_back().unwrap());
            assert_eq!(loaded.state().canonical(), pushed.state().canonical(), "{text}");
        }
    }
}
