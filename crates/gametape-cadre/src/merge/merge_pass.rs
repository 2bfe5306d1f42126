//! One pass over the text of a delta: each value goes straight into the state.
//!
//! There is no recursion: a stack of [`Frame`]s says which containers are open. A container that is
//! new collects its slots in a common scratch space and is laid out when it closes; one that exists
//! is changed in place. This file reads the text; `apply` changes the state.

use gametape_wire::{Error, ErrorKind, Limit, Place, Result};

use crate::limits::{GAME_DEPTH, LIST_INDEX, LIST_LENGTH, SCALAR_BYTES};
use crate::merge::Merger;
use crate::merge::duplicate_keys::Names;
use crate::merge::plan::Plan;
use crate::merge::references::{REFERENCE, short_reference};
use crate::merge::watch::{Oddity, Watch};
use crate::state::keys::{Expected, Key};
use crate::state::tree::{ROOT, Shape, Value};
use crate::text::json::{Cursor, Span, StringToken};
use crate::text::path;

/// A container of the delta that is not closed yet.
///
/// In this order it is cleared by words that do not overlap: the processor would wait for the one before.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct Frame {
    pub(crate) target: Target,
    /// The key under which it is in the container around it.
    pub(crate) key: Key,
    /// The names that it had.
    pub(crate) names: Names,
    /// The length marker's value, once it is known.
    pub(crate) length: Option<u32>,
    /// One more than the highest index that was read as a key.
    pub(crate) next_index: u32,
    pub(crate) is_array: bool,
    /// Nothing was read yet.
    pub(crate) is_first: bool,
}

/// What a frame merges into.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// An object, and where the key before was found.
    Object { id: u32, hint: u32 },
    /// A list, its length before, and one more than the highest index that was not removed.
    List { id: u32, was: u32, top: u32 },
    /// A new container whose slots are in the scratch space from here on.
    New { from: usize },
}

/// Why a pass stops before the end.
pub(crate) enum Stop {
    /// The delta needs a [`Plan`].
    NeedsPlan,
    Failed(Error),
}

impl From<Error> for Stop {
    #[cold]
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

pub(crate) type Merged<T> = std::result::Result<T, Stop>;

pub(crate) struct Pass<'m, 't, 'p, W> {
    pub(crate) merger: &'m mut Merger,
    pub(crate) cursor: Cursor<'t>,
    pub(crate) plan: Option<&'p Plan>,
    pub(crate) watch: &'m mut W,
    /// The innermost open container; those around it are in `merger.frames`.
    pub(crate) frame: Frame,
    /// The path of that container, kept while somebody watches.
    pub(crate) path: Vec<Key>,
}

impl<'m, 't, 'p, W: Watch> Pass<'m, 't, 'p, W> {
    pub(crate) fn new(
        merger: &'m mut Merger,
        cursor: Cursor<'t>,
        plan: Option<&'p Plan>,
        watch: &'m mut W,
    ) -> Self {
        let target = Target::Object { id: ROOT, hint: 0 };
        let frame = Frame::new(target, Key::from_index(0));
        Self { merger, cursor, plan, watch, frame, path: Vec::new() }
    }

    pub(crate) fn run(mut self) -> Merged<()> {
        self.merge_all().map_err(|stop| match stop {
            Stop::Failed(error) if *error.place() == Place::Nowhere => {
                let path = path::display(&self.merger.keys, &self.frame_keys());
                Stop::Failed(error.with_place(Place::Path(path)))
            }
            other => other,
        })
    }

    /// The path of the innermost open container.
    fn frame_keys(&self) -> Vec<Key> {
        // The outermost frame is the root, which has no key.
        let outer = self.merger.frames.iter().chain([&self.frame]).skip(1);
        outer.map(|frame| frame.key).collect()
    }

    fn merge_all(&mut self) -> Merged<()> {
        if !matches!(self.cursor.peek(), b'{' | b'[') {
            let problem = "a delta's game must be an object".into();
            let kind = ErrorKind::BadSyntax { problem };
            return Err(Error::new(Place::Nowhere, "game", kind).into());
        }
        self.begin()?;
        loop {
            if self.plan.is_none() {
                if self.take_usual() {
                    return Ok(());
                }
                self.take_references()?;
            }
            match self.next_key()? {
                Some(key) => self.entry(key)?,
                None => {
                    let Some(outer) = self.merger.frames.pop() else { return Ok(()) };
                    self.close(outer)?;
                }
            }
        }
    }

    /// Opens a container inside of the current one.
    fn open(&mut self, target: Target, key: Key) -> Merged<()> {
        self.merger.frames.push(self.frame);
        self.frame = Frame::new(target, key);
        if W::ACTIVE {
            self.path.push(key);
        }
        over_limit(GAME_DEPTH, self.merger.frames.len() as u64 + 1)?;
        self.begin()
    }

    /// Takes the opening bracket of the current frame.
    #[inline(always)]
    fn begin(&mut self) -> Merged<()> {
        self.frame.is_array = self.cursor.peek() == b'[';
        let start = self.cursor.at;
        self.cursor.at += 1;
        self.frame.names = self.merger.duplicate_keys.open();
        match self.plan {
            Some(plan) => self.begin_planned(plan, start),
            None => Ok(()),
        }
    }

    /// Applies the length that the container which begins at `start` has further on.
    #[cold]
    fn begin_planned(&mut self, plan: &Plan, start: usize) -> Merged<()> {
        let Some(at) = plan.length_at(start) else { return Ok(()) };
        let length = length_value(&mut Cursor::new(self.cursor.text, at))?;
        self.apply_length(length)
    }

    /// Ends the current frame, of which `outer` is the one around it.
    pub(crate) fn close(&mut self, outer: Frame) -> Merged<()> {
        let inner = std::mem::replace(&mut self.frame, outer);
        if W::ACTIVE {
            self.path.pop();
        }
        self.merger.duplicate_keys.close(&inner.names);
        match inner.target {
            Target::New { from } => {
                let id = self.lay_out(from, &inner)?;
                self.assign(inner.key, Value::container(id))
            }
            Target::List { id, .. } => {
                let made = self.merger.tree.container(id).length;
                self.compare_length(&inner, made);
                Ok(())
            }
            Target::Object { .. } => Ok(()),
        }
    }

    /// The key of the next entry; none when the container ends here.
    #[inline]
    fn next_key(&mut self) -> Merged<Option<Key>> {
        let close = if self.frame.is_array { b']' } else { b'}' };
        let more = if self.frame.is_first {
            self.frame.is_first = false;
            !self.cursor.accept(close)
        } else {
            self.cursor.comma_or(close)?
        };
        if !more {
            return Ok(None);
        }
        if self.frame.is_array {
            let index = self.frame.next_index;
            over_limit(LIST_INDEX, u64::from(index))?;
            self.frame.next_index += 1;
            return Ok(Some(Key::from_index(index)));
        }
        self.object_key().map(Some)
    }

    /// The key of the next entry of an object. Skips those that come again.
    #[inline(always)]
    fn object_key(&mut self) -> Merged<Key> {
        loop {
            let at = self.cursor.at;
            // Most keys are names that were expected, and no index is.
            let (start, key) = match self.expected_key(at) {
                Some(key) => (at, key),
                None if self.plan.is_some() => self.unexpected_key()?,
                None => match self.cursor.index_key() {
                    Some(index) => return self.next_index(index),
                    None => self.unexpected_key()?,
                },
            };
            if let Some(key) = self.unless_superseded(start, key)? {
                return Ok(key);
            }
        }
    }

    /// Takes the key that is at `at`, if it is the one that is expected there.
    #[inline(always)]
    fn expected_key(&mut self, at: usize) -> Option<Key> {
        let text = self.cursor.text.get(at - 1..)?.first_chunk()?;
        let Expected { key, value, .. } = self.merger.keys.expected(text, at - 1)?;
        self.merger.keys.took(key);
        self.cursor.at = value;
        Some(key)
    }

    /// The key for an index, which must be higher than those before it.
    #[inline(always)]
    fn next_index(&mut self, index: u32) -> Merged<Key> {
        if index < self.frame.next_index {
            return Err(Stop::NeedsPlan);
        }
        self.frame.next_index = index + 1;
        Ok(Key::from_index(index))
    }

    /// The key that was taken at `start`; none when it comes again and was skipped with its value.
    #[inline(always)]
    fn unless_superseded(&mut self, start: usize, key: Key) -> Merged<Option<Key>> {
        let Some(plan) = self.plan else {
            // Indices come in order or make a plan needed; this one was hidden by its spelling.
            let twice = key.index().is_some()
                || self.merger.duplicate_keys.twice(key, &mut self.frame.names);
            return if twice { Err(Stop::NeedsPlan) } else { Ok(Some(key)) };
        };
        if plan.is_superseded(start) {
            self.skip_superseded(key)?;
            return Ok(None);
        }
        Ok(Some(key))
    }

    /// Takes a key that is not the one that was expected, and says where it is.
    fn unexpected_key(&mut self) -> Merged<(usize, Key)> {
        let token = self.cursor.string()?;
        self.cursor.expect(b':', "expected a colon")?;
        let keys = &mut self.merger.keys;
        let key = if token.escaped {
            keys.intern(&token.decoded(self.cursor.text))?
        } else {
            let key = keys.intern_plain(self.cursor.text, token)?;
            keys.note_unexpected(key, token.inner(self.cursor.text));
            key
        };
        Ok((token.start, key))
    }

    /// Skips the value of a key that comes again, and the comma after it.
    #[cold]
    fn skip_superseded(&mut self, key: Key) -> Merged<()> {
        self.odd(Oddity::DuplicateKey, Some(key));
        self.cursor.skip_value()?;
        self.cursor.expect(b',', "expected a comma")?;
        Ok(())
    }

    #[inline]
    fn entry(&mut self, key: Key) -> Merged<()> {
        if key == self.merger.length_key && !self.frame.is_array {
            let length = length_value(&mut self.cursor)?;
            return self.apply_length(length);
        }
        match self.cursor.peek() {
            b'{' | b'[' => self.container(key),
            b'"' => {
                let token = self.cursor.string()?;
                if self.is_removal(token) {
                    return self.remove(key);
                }
                let span = scalar_span(token.start, token.end)?;
                self.assign(key, Value::string(span, token.escaped))
            }
            _ => {
                let span = self.cursor.literal()?;
                over_limit(SCALAR_BYTES, u64::from(span.end - span.start))?;
                self.assign(key, Value::literal(span))
            }
        }
    }

    #[inline]
    fn is_removal(&self, token: StringToken) -> bool {
        if token.escaped {
            return *token.decoded(self.cursor.text) == *self.merger.markers.removed;
        }
        self.is_removal_text(token.inner(self.cursor.text))
    }

    /// Is a string without escapes the removal marker? Takes no token: that would go through memory.
    #[inline(always)]
    pub(crate) fn is_removal_text(&self, inner: &[u8]) -> bool {
        let marker = &self.merger.markers.removed;
        inner.len() == marker.len() && inner.first() == marker.first() && *inner == **marker
    }

    /// A container as value of `key`: merged into the one that is there, or new.
    #[inline]
    fn container(&mut self, key: Key) -> Merged<()> {
        let slot = self.slot(key);
        let value = slot.map_or(Value::ABSENT, |slot| self.merger.tree.values[slot as usize]);
        let shape = value.shape();
        if let Shape::Container(id) = shape {
            return self.open_existing(id, key);
        }
        if let Some(reference) = self.reference()? {
            return self.assign_at(slot, key, reference);
        }
        match (shape, slot) {
            (Shape::Reference(span), Some(slot)) => {
                let id = self.unfold_reference(span, slot)?;
                self.open_existing(id, key)
            }
            _ => self.open(Target::New { from: self.merger.scratch.len() }, key),
        }
    }

    fn open_existing(&mut self, id: u32, key: Key) -> Merged<()> {
        self.note_top(key);
        let container = self.merger.tree.container(id);
        let target = if container.is_list() {
            Target::List { id, was: container.length, top: 0 }
        } else {
            Target::Object { id, hint: 0 }
        };
        self.open(target, key)
    }

    /// Takes `{"id":"…"}` if it is here exactly so.
    #[inline]
    fn reference(&mut self) -> Merged<Option<Value>> {
        let (text, start) = (self.cursor.text, self.cursor.at);
        if !self.merger.plain_ids || text[start..].first_chunk() != Some(REFERENCE) {
            return Ok(None);
        }
        let id = start + REFERENCE.len();
        if let Some((reference, end)) = short_reference(text, id) {
            self.cursor.at = end;
            return Ok(Some(reference));
        }
        self.cursor.at = id - 1;
        let StringToken { start: id, end, escaped } = self.cursor.string()?;
        if escaped || text.get(end) != Some(&b'}') || self.is_removal_text(&text[id + 1..end - 1]) {
            self.cursor.at = start;
            return Ok(None);
        }
        self.cursor.at = end + 1;
        Ok(Some(Value::reference(scalar_span(id, end)?)))
    }
}

impl Frame {
    pub(crate) fn new(target: Target, key: Key) -> Self {
        Self {
            target,
            key,
            length: None,
            is_array: false,
            is_first: true,
            next_index: 0,
            names: Names::default(),
        }
    }
}

/// An error unless `value` is within the limit. Its place is that of the current container.
#[inline]
pub(crate) fn over_limit(limit: Limit, value: u64) -> Result<()> {
    if value <= limit.max { Ok(()) } else { Err(exceeded(limit, value)) }
}

#[cold]
fn exceeded(limit: Limit, value: u64) -> Error {
    let kind = ErrorKind::OverLimit { value, limit: limit.max };
    Error::new(Place::Nowhere, limit.name, kind)
}

#[inline]
fn scalar_span(start: usize, end: usize) -> Result<Span> {
    over_limit(SCALAR_BYTES, (end - start) as u64)?;
    Ok(Span::new(start, end))
}

/// Takes the value of a length marker: plain digits within the limit.
#[inline]
fn length_value(cursor: &mut Cursor<'_>) -> Result<u32> {
    match cursor.last_number() {
        // At most six digits.
        Some(length) => Ok(length),
        None => any_length_value(cursor),
    }
}

#[inline(never)]
fn any_length_value(cursor: &mut Cursor<'_>) -> Result<u32> {
    let span = cursor.skip_value()?;
    let digits = span.of(cursor.text);
    if !digits.iter().all(u8::is_ascii_digit) {
        let problem = "a list's length must be plain digits".into();
        return Err(Error::new(Place::Nowhere, "list length", ErrorKind::BadSyntax { problem }));
    }
    let length = digits.iter().fold(0u64, |length, digit| {
        length.saturating_mul(10).saturating_add(u64::from(digit - b'0'))
    });
    over_limit(LIST_LENGTH, length)?;
    Ok(length as u32)
}
