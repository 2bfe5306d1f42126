//! Merging one delta's text into a state, in one pass.
//!
//! The text is read once; each value goes straight to its place. There is no recursion: a stack of
//! [`Frame`]s says which containers are open. A container that is new collects its slots in a
//! common scratch space and is laid out when it closes; one that exists is changed in place.

use gametape_wire::{Error, ErrorKind, Limit, Place, Result};

use crate::journal::Journal;
use crate::json::{Cursor, Span, StringToken};
use crate::keys::{Key, Keys};
use crate::limits::{GAME_DEPTH, HOLES, LIST_INDEX, LIST_LENGTH, SCALAR_BYTES, STATE_PLACES};
use crate::log::Log;
use crate::markers::Markers;
use crate::path;
use crate::plan::Plan;
use crate::seen::Seen;
use crate::tree::{ROOT, Shape, Tree, Value};
use crate::watch::{Oddity, Site, Watch};

/// A state and what is needed to change it and to take changes back.
#[derive(Debug)]
pub(crate) struct Merger {
    pub(crate) tree: Tree,
    pub(crate) keys: Keys,
    pub(crate) journal: Journal,
    markers: Markers,
    length_key: Key,
    id_key: Key,
    /// May `{"id":"…"}` be taken as a reference without looking closer?
    plain_ids: bool,
    holes_left: u64,
    /// The size of the tree when it was last compact.
    compact_size: usize,
    seen: Seen,
    frames: Vec<Frame>,
    scratch: Vec<(Key, Value)>,
}

/// Trees smaller than this are not worth compacting.
const TIDY_FROM: usize = 1 << 14;

/// A container of the delta that is not closed yet.
#[derive(Debug)]
struct Frame {
    target: Target,
    /// The key under which it stands in the container around it.
    key: Key,
    /// For a JSON array: the next index.
    element: Option<u32>,
    /// The length marker's value, once it is known.
    length: Option<u32>,
    /// Nothing was read yet.
    first: bool,
    serial: u32,
    marks: u32,
}

#[derive(Debug, Clone, Copy)]
enum Target {
    Object {
        id: u32,
        hint: u32,
    },
    /// `was`: the length before; `top`: one more than the highest index assigned.
    List {
        id: u32,
        was: u32,
        top: u32,
    },
    /// A new container whose slots stand in the scratch space from `from` on.
    New {
        from: usize,
    },
}

/// Why merging stops before the end.
enum Stop {
    /// The delta needs a [`Plan`].
    NeedsPlan,
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

type Merged<T> = std::result::Result<T, Stop>;

impl Merger {
    /// The empty state.
    pub(crate) fn new(markers: Markers) -> Result<Self> {
        let mut keys = Keys::new();
        let length_key = keys.intern(&markers.length)?;
        let id_key = keys.intern(b"id")?;
        Ok(Self {
            tree: Tree::new(),
            keys,
            journal: Journal::default(),
            plain_ids: length_key != id_key,
            markers,
            length_key,
            id_key,
            holes_left: HOLES.max,
            compact_size: 0,
            seen: Seen::default(),
            frames: Vec::new(),
            scratch: Vec::new(),
        })
    }

    pub(crate) fn markers(&self) -> &Markers {
        &self.markers
    }

    pub(crate) fn id_key(&self) -> Key {
        self.id_key
    }

    /// From here on holes are counted anew.
    pub(crate) fn grant_holes(&mut self) {
        self.holes_left = HOLES.max;
    }

    /// Merges a delta of a log, if it has anything to merge.
    pub(crate) fn merge_delta(
        &mut self,
        log: &Log,
        index: usize,
        watch: &mut impl Watch,
    ) -> Result<()> {
        match log.game_span(index) {
            Some(span) => {
                self.merge(log.text(), span, watch).map_err(|error| in_delta(error, index))
            }
            None => {
                self.journal.begin(&self.tree);
                Ok(())
            }
        }
    }

    /// Leaves behind what is no longer reachable, when it is worth it. Then nothing that was
    /// merged before can be undone.
    #[inline]
    pub(crate) fn tidy(&mut self) {
        if self.tree.size() > self.compact_size * 2 + TIDY_FROM {
            self.tree = self.tree.compacted();
            self.compact_size = self.tree.size();
            self.journal.clear();
        }
    }

    /// Merges the `game` that stands at `span`. After an error the state is as before.
    pub(crate) fn merge(&mut self, text: &[u8], span: Span, watch: &mut impl Watch) -> Result<()> {
        self.journal.begin(&self.tree);
        let result = match self.attempt(text, span, None, watch) {
            Err(Stop::NeedsPlan) => self.merge_with_plan(text, span, watch),
            Err(Stop::Failed(error)) => Err(error),
            Ok(()) => Ok(()),
        };
        if result.is_err() {
            self.journal.undo(&mut self.tree);
        }
        result
    }

    #[cold]
    fn merge_with_plan(&mut self, text: &[u8], span: Span, watch: &mut impl Watch) -> Result<()> {
        self.journal.undo(&mut self.tree);
        watch.start_over();
        let plan = Plan::read(text, span.start as usize, &self.markers.length);
        self.journal.begin(&self.tree);
        match self.attempt(text, span, Some(&plan?), watch) {
            Ok(()) => Ok(()),
            Err(Stop::Failed(error)) => Err(error),
            Err(Stop::NeedsPlan) => Err(Error::misuse("delta", "a plan does not ask for a plan")),
        }
    }

    fn attempt<W: Watch>(
        &mut self,
        text: &[u8],
        span: Span,
        plan: Option<&Plan>,
        watch: &mut W,
    ) -> Merged<()> {
        self.frames.clear();
        self.scratch.clear();
        self.seen.begin_delta();
        let cursor = Cursor::new(text, span.start as usize);
        let mut pass = Pass { merger: self, cursor, plan, watch };
        pass.run().map_err(|stop| match stop {
            Stop::Failed(error) => Stop::Failed(self.placed(error)),
            Stop::NeedsPlan => Stop::NeedsPlan,
        })
    }

    /// The error with the path of the innermost open container, unless it knows its place.
    fn placed(&self, error: Error) -> Error {
        if *error.place() != Place::Nowhere {
            return error;
        }
        let keys: Vec<Key> = self.frames.iter().skip(1).map(|frame| frame.key).collect();
        let path = path::display(&self.keys, &keys);
        error.with_place(Place::Path(path))
    }
}

/// The error with the delta in its place or, when that is a byte, in its item.
#[cold]
fn in_delta(error: Error, index: usize) -> Error {
    let game = format!("deltas[{index}].game");
    match error.place() {
        Place::Path(path) if path.is_empty() => error.with_place(Place::Path(game)),
        Place::Path(path) => {
            let path = format!("{game}.{path}");
            error.with_place(Place::Path(path))
        }
        _ => error.within(game),
    }
}

/// One pass over the text of one delta.
struct Pass<'m, 't, 'p, W> {
    merger: &'m mut Merger,
    cursor: Cursor<'t>,
    plan: Option<&'p Plan>,
    watch: &'m mut W,
}

impl<W: Watch> Pass<'_, '_, '_, W> {
    fn run(&mut self) -> Merged<()> {
        if !matches!(self.cursor.peek(), b'{' | b'[') {
            let problem = "a delta's game must be an object".into();
            let kind = ErrorKind::BadSyntax { problem };
            return Err(Error::new(Place::Nowhere, "game", kind).into());
        }
        let target = Target::Object { id: ROOT, hint: 0 };
        self.open(target, Key::from_index(0))?;
        while !self.merger.frames.is_empty() {
            match self.next_key()? {
                Some(key) => self.entry(key)?,
                None => self.close()?,
            }
        }
        Ok(())
    }

    #[inline]
    fn frame(&mut self) -> &mut Frame {
        let last = self.merger.frames.len() - 1;
        &mut self.merger.frames[last]
    }

    /// Begins the container whose opening bracket comes next.
    fn open(&mut self, target: Target, key: Key) -> Merged<()> {
        let start = self.cursor.at;
        let array = self.cursor.peek() == b'[';
        self.cursor.at += 1;
        let (serial, marks) = self.merger.seen.open();
        let element = array.then_some(0);
        let frame = Frame { target, key, element, length: None, first: true, serial, marks };
        self.merger.frames.push(frame);
        over_limit(GAME_DEPTH, self.merger.frames.len() as u64)?;
        if let Some(at) = self.plan.and_then(|plan| plan.length_at(start)) {
            let mut ahead = Cursor::new(self.cursor.text, at);
            let length = length_value(&mut ahead)?;
            self.apply_length(length)?;
        }
        Ok(())
    }

    /// The key of the next entry; none when the container ends here.
    #[inline]
    fn next_key(&mut self) -> Merged<Option<Key>> {
        let last = self.merger.frames.len() - 1;
        let frame = &mut self.merger.frames[last];
        let close = if frame.element.is_some() { b']' } else { b'}' };
        let more = if frame.first {
            frame.first = false;
            !self.cursor.accept(close)
        } else {
            self.cursor.comma_or(close)?
        };
        if !more {
            return Ok(None);
        }
        if let Some(index) = &mut frame.element {
            let key = *index;
            over_limit(LIST_INDEX, u64::from(key))?;
            *index += 1;
            return Ok(Some(Key::from_index(key)));
        }
        let serial = frame.serial;
        self.object_key(serial).map(Some)
    }

    #[inline]
    fn object_key(&mut self, serial: u32) -> Merged<Key> {
        let token = self.cursor.string()?;
        self.cursor.expect(b':', "expected a colon")?;
        let key = if token.escaped {
            self.merger.keys.intern(&token.decoded(self.cursor.text))?
        } else {
            self.merger.keys.intern(token.inner(self.cursor.text))?
        };
        match self.plan {
            None if self.merger.seen.twice(key, serial) => Err(Stop::NeedsPlan),
            Some(plan) if plan.is_superseded(token.start) => self.skip_superseded(key),
            _ => Ok(key),
        }
    }

    /// Skips the value of a key that comes again, and goes on with the next key.
    #[cold]
    fn skip_superseded(&mut self, key: Key) -> Merged<Key> {
        self.odd(Oddity::DuplicateKey, Some(key));
        self.cursor.skip_value()?;
        self.cursor.expect(b',', "expected a comma")?;
        let serial = self.frame().serial;
        self.object_key(serial)
    }

    #[inline]
    fn entry(&mut self, key: Key) -> Merged<()> {
        if key == self.merger.length_key && self.frame().element.is_none() {
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
                let span = scalar_span(span.start as usize, span.end as usize)?;
                self.assign(key, Value::literal(span))
            }
        }
    }

    #[inline]
    fn is_removal(&self, token: StringToken) -> bool {
        let marker = &self.merger.markers.removed;
        if token.escaped {
            *token.decoded(self.cursor.text) == **marker
        } else {
            *token.inner(self.cursor.text) == **marker
        }
    }

    /// A container as value of `key`: merged into the one that is there, or new.
    #[inline]
    fn container(&mut self, key: Key) -> Merged<()> {
        let (value, slot) = self.existing(key)?;
        match value.shape() {
            Shape::Container(id) => self.open_existing(id, key),
            shape => {
                if let Some(reference) = self.reference()? {
                    return self.assign(key, reference);
                }
                match (shape, slot) {
                    (Shape::Reference(span), Some(slot)) => {
                        let id = self.unfold_reference(span, slot)?;
                        self.open_existing(id, key)
                    }
                    _ => {
                        let from = self.merger.scratch.len();
                        self.open(Target::New { from }, key)
                    }
                }
            }
        }
    }

    fn open_existing(&mut self, id: u32, key: Key) -> Merged<()> {
        let container = self.merger.tree.container(id);
        if container.is_list() {
            return self.open(Target::List { id, was: container.length, top: 0 }, key);
        }
        self.open(Target::Object { id, hint: 0 }, key)
    }

    /// What is at `key` in the current container, and in which slot.
    #[inline]
    fn existing(&mut self, key: Key) -> Merged<(Value, Option<u32>)> {
        let target = self.frame().target;
        let tree = &mut self.merger.tree;
        let place = match target {
            Target::New { .. } => None,
            Target::List { id, .. } => {
                key.index().filter(|index| *index < tree.container(id).length).map(|i| (id, i))
            }
            Target::Object { id, hint } => tree.place(id, key, hint).map(|place| (id, place)),
        };
        let Some((id, place)) = place else { return Ok((Value::ABSENT, None)) };
        let slot = tree.container(id).start + place;
        Ok((tree.values[slot as usize], Some(slot)))
    }

    /// Takes `{"id":"…"}` if it stands here exactly so.
    #[inline]
    fn reference(&mut self) -> Merged<Option<Value>> {
        let rest = &self.cursor.text[self.cursor.at..];
        if !self.merger.plain_ids || !rest.starts_with(b"{\"id\":\"") {
            return Ok(None);
        }
        let mut ahead = Cursor::new(self.cursor.text, self.cursor.at + 6);
        let token = ahead.string()?;
        if token.escaped || self.is_removal(token) || ahead.text.get(ahead.at) != Some(&b'}') {
            return Ok(None);
        }
        self.cursor.at = ahead.at + 1;
        Ok(Some(Value::reference(scalar_span(token.start, token.end)?)))
    }

    /// Makes the reference in `slot` an ordinary object, to merge into.
    #[cold]
    fn unfold_reference(&mut self, id: Span, slot: u32) -> Merged<u32> {
        self.room(2)?;
        let entry = (self.merger.id_key, Value::string(id, false));
        let merger = &mut *self.merger;
        let container = merger.tree.add(false, &[entry]);
        merger.journal.set(&mut merger.tree, slot, Value::container(container));
        Ok(container)
    }

    /// Is there room for this many more containers and slots?
    #[inline]
    fn room(&self, more: usize) -> Merged<()> {
        Ok(over_limit(STATE_PLACES, (self.merger.tree.size() + more) as u64)?)
    }

    #[inline]
    fn assign(&mut self, key: Key, value: Value) -> Merged<()> {
        match self.frame().target {
            Target::New { .. } => {
                self.merger.scratch.push((key, value));
                Ok(())
            }
            Target::Object { id, hint } => self.assign_in_object(id, hint, key, value),
            Target::List { id, was, top } => self.assign_in_list(id, was, top, key, value),
        }
    }

    #[inline]
    fn assign_in_object(&mut self, id: u32, hint: u32, key: Key, value: Value) -> Merged<()> {
        let merger = &mut *self.merger;
        let place = merger.tree.place(id, key, hint);
        let container = merger.tree.container(id);
        let place = match place {
            Some(place) => {
                let slot = container.start + place;
                let old = merger.tree.values[slot as usize];
                merger.journal.set(&mut merger.tree, slot, value);
                self.changed(key, old, value);
                place
            }
            None => {
                self.append_to_object(id, key, value)?;
                container.length
            }
        };
        self.frame().target = Target::Object { id, hint: place + 1 };
        Ok(())
    }

    fn append_to_object(&mut self, id: u32, key: Key, value: Value) -> Merged<()> {
        let place = self.merger.tree.container(id).length;
        self.grow(id, place + 1)?;
        let merger = &mut *self.merger;
        let slot = merger.tree.container(id).start + place;
        merger.tree.keys[slot as usize] = key;
        merger.journal.set(&mut merger.tree, slot, value);
        merger.tree.note_key(id, key, place);
        self.changed(key, Value::ABSENT, value);
        Ok(())
    }

    #[inline]
    fn assign_in_list(
        &mut self,
        id: u32,
        was: u32,
        top: u32,
        key: Key,
        value: Value,
    ) -> Merged<()> {
        let Some(index) = key.index() else { return self.ignored_in_list(key) };
        let length = self.merger.tree.container(id).length;
        if index >= length {
            self.grow(id, index + 1)?;
            self.fill_holes(id, length, index)?;
        }
        let merger = &mut *self.merger;
        let slot = merger.tree.container(id).start + index;
        let old = if index < length { merger.tree.values[slot as usize] } else { Value::ABSENT };
        merger.journal.set(&mut merger.tree, slot, value);
        self.frame().target = Target::List { id, was, top: top.max(index + 1) };
        self.changed(key, old, value);
        Ok(())
    }

    /// A key on a list that is no index: nothing, or an error when it is one over the limit.
    #[cold]
    fn ignored_in_list(&mut self, key: Key) -> Merged<()> {
        if let Some(index) = self.merger.keys.oversized_index(key) {
            over_limit(LIST_INDEX, index)?;
        }
        self.odd(Oddity::IgnoredKey, Some(key));
        Ok(())
    }

    /// Makes a container longer; the new slots are not written yet.
    #[inline]
    fn grow(&mut self, id: u32, length: u32) -> Merged<()> {
        let merger = &mut *self.merger;
        merger.journal.touch(&merger.tree, id);
        if length > merger.tree.container(id).capacity() {
            // The new block may be half as long again as what is needed.
            self.room(length as usize * 3 / 2 + 4)?;
            self.merger.tree.relocate(id, length);
        }
        self.merger.tree.containers[id as usize].length = length;
        Ok(())
    }

    fn fill_holes(&mut self, id: u32, from: u32, to: u32) -> Merged<()> {
        self.spend_holes(u64::from(to - from))?;
        let merger = &mut *self.merger;
        let start = merger.tree.container(id).start;
        for slot in start + from..start + to {
            merger.journal.set(&mut merger.tree, slot, Value::ABSENT);
        }
        Ok(())
    }

    #[inline]
    fn spend_holes(&mut self, count: u64) -> Merged<()> {
        match self.merger.holes_left.checked_sub(count) {
            Some(left) => {
                self.merger.holes_left = left;
                Ok(())
            }
            None => Ok(over_limit(HOLES, HOLES.max + count - self.merger.holes_left)?),
        }
    }

    fn remove(&mut self, key: Key) -> Merged<()> {
        if let Target::List { .. } = self.frame().target
            && key.index().is_none()
        {
            return self.ignored_in_list(key);
        }
        let (old, slot) = self.existing(key)?;
        match slot {
            Some(slot) if !old.is_absent() => {
                let merger = &mut *self.merger;
                merger.journal.set(&mut merger.tree, slot, Value::ABSENT);
                self.changed(key, old, Value::ABSENT);
            }
            _ => self.odd(Oddity::StrayRemoval, Some(key)),
        }
        Ok(())
    }

    /// The length marker of the current container says `length`.
    fn apply_length(&mut self, length: u32) -> Merged<()> {
        let planned = self.plan.is_some();
        let frame = self.frame();
        if frame.length.replace(length).is_some() && planned {
            return Ok(());
        }
        match frame.target {
            Target::List { id, was, top } if length < was => {
                if top > length {
                    return Err(Stop::NeedsPlan);
                }
                self.cut_list(id, length);
            }
            Target::Object { .. } => self.odd(Oddity::KindKept, None),
            _ => {}
        }
        Ok(())
    }

    fn cut_list(&mut self, id: u32, length: u32) {
        if W::ACTIVE {
            for (place, old) in self.merger.tree.values_of(id).to_vec().iter().enumerate().rev() {
                if place >= length as usize && !old.is_absent() {
                    self.changed(Key::from_index(place as u32), *old, Value::ABSENT);
                }
            }
        }
        let merger = &mut *self.merger;
        if merger.tree.container(id).length > length {
            merger.journal.touch(&merger.tree, id);
            merger.tree.containers[id as usize].length = length;
        }
    }

    /// Ends the innermost container.
    #[inline]
    fn close(&mut self) -> Merged<()> {
        let Some(frame) = self.merger.frames.pop() else { return Ok(()) };
        self.merger.seen.close(frame.marks);
        match frame.target {
            Target::New { from } => {
                let id = self.lay_out(from, &frame)?;
                self.assign(frame.key, Value::container(id))
            }
            Target::List { id, .. } => {
                let made = self.merger.tree.container(id).length;
                self.compare_length(&frame, made);
                Ok(())
            }
            Target::Object { .. } => Ok(()),
        }
    }

    /// Makes a container of the scratch slots from `from` on.
    fn lay_out(&mut self, from: usize, frame: &Frame) -> Merged<u32> {
        self.room(self.merger.scratch.len() - from + 1)?;
        let list = frame.length.is_some();
        if list {
            self.sort_into_list(from)?;
        }
        let merger = &mut *self.merger;
        let id = merger.tree.add(list, &merger.scratch[from..]);
        merger.scratch.truncate(from);
        let made = merger.tree.container(id).length;
        self.compare_length(frame, made);
        Ok(id)
    }

    /// Puts the scratch slots from `from` on where their indices say, with holes between.
    fn sort_into_list(&mut self, from: usize) -> Merged<()> {
        let in_order = |slots: &[(Key, Value)]| {
            slots.iter().enumerate().all(|(i, slot)| slot.0.index() == Some(i as u32))
        };
        if in_order(&self.merger.scratch[from..]) {
            return Ok(());
        }
        let slots = self.merger.scratch.split_off(from);
        let mut length = 0;
        for (key, _) in &slots {
            match key.index() {
                Some(index) => length = length.max(index as usize + 1),
                None => self.ignored_in_list(*key)?,
            }
        }
        self.spend_holes(length.saturating_sub(slots.len()) as u64)?;
        self.room(length + 1)?;
        let hole = (Key::from_index(0), Value::ABSENT);
        self.merger.scratch.resize(from + length, hole);
        for (key, value) in slots {
            if let Some(index) = key.index() {
                self.merger.scratch[from + index as usize] = (key, value);
            }
        }
        Ok(())
    }

    /// Reports a length that the list does not have in the end.
    #[inline]
    fn compare_length(&mut self, frame: &Frame, made: u32) {
        if let Some(stated) = frame.length
            && stated != made
        {
            self.odd(Oddity::LengthMismatch { stated, made }, Some(frame.key));
        }
    }

    #[inline]
    fn changed(&mut self, key: Key, old: Value, new: Value) {
        if W::ACTIVE {
            let site = site(self.merger, self.cursor.text, Some(key));
            self.watch.change(&site, old, new);
        }
    }

    /// Reports something odd about the current container, or about a key in it.
    #[inline]
    fn odd(&mut self, oddity: Oddity, key: Option<Key>) {
        if W::ACTIVE {
            let site = site(self.merger, self.cursor.text, key);
            self.watch.odd(&site, oddity);
        }
    }
}

/// The place of a key in the innermost open container.
fn site<'a>(merger: &'a Merger, text: &'a [u8], key: Option<Key>) -> Site<'a> {
    let path = merger.frames.iter().skip(1).map(|frame| frame.key).chain(key).collect();
    Site { tree: &merger.tree, keys: &merger.keys, text, path }
}

/// An error unless `value` is within the limit. Its place is that of the current container.
#[inline]
fn over_limit(limit: Limit, value: u64) -> Result<()> {
    if value <= limit.max {
        return Ok(());
    }
    let kind = ErrorKind::OverLimit { value, limit: limit.max };
    Err(Error::new(Place::Nowhere, limit.name, kind))
}

#[inline]
fn scalar_span(start: usize, end: usize) -> Result<Span> {
    over_limit(SCALAR_BYTES, (end - start) as u64)?;
    Ok(Span::new(start, end))
}

/// Takes the value of a length marker: plain digits within the limit.
fn length_value(cursor: &mut Cursor<'_>) -> Result<u32> {
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
