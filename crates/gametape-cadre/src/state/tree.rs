//! The state of a game in three flat arrays.
//!
//! Scalars are not copied out of the log: a [`Value`] is eight bytes that say where in the text
//! it is. A [`Container`] owns a block of neighbouring *slots*, each a key and a value. The
//! arrays only grow while deltas are merged; what is no longer reachable stays until
//! [`Tree::compacted`] drops it. That makes an undo log short (old value, old block)
//! and a copy of the whole state three `memcpy`.

use std::collections::HashMap;
use std::sync::OnceLock;

use foldhash::fast::RandomState;

use crate::state::keys::Key;
use crate::text::json::{Kind, Span, kind_of};

/// A value: what it is in the upper four bits, then a length and an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value(u64);

/// What a [`Value`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Nothing: a hole in a list, a key that is not there.
    Absent,
    /// A number, boolean or null: its text.
    Literal(Span),
    /// A string without escapes: its text, with quotes.
    Plain(Span),
    /// A string with escapes: its text, with quotes.
    Escaped(Span),
    /// An object with the one key `id`, whose value is this string without escapes.
    Reference(Span),
    /// A container.
    Container(u32),
}

const TAG_SHIFT: u32 = 60;
const LITERAL: u64 = 1;
const PLAIN: u64 = 2;
const ESCAPED: u64 = 3;
const REFERENCE: u64 = 4;
const CONTAINER: u64 = 5;

impl Value {
    pub(crate) const ABSENT: Self = Self(0);

    #[inline]
    fn tagged(tag: u64, start: u32, length: u32) -> Self {
        Self(tag << TAG_SHIFT | u64::from(length) << 32 | u64::from(start))
    }

    /// The span must be within [`SCALAR_BYTES`](crate::limits::SCALAR_BYTES).
    #[inline]
    pub(crate) fn literal(span: Span) -> Self {
        Self::tagged(LITERAL, span.start, span.end - span.start)
    }

    #[inline]
    pub(crate) fn string(span: Span, escaped: bool) -> Self {
        let tag = if escaped { ESCAPED } else { PLAIN };
        Self::tagged(tag, span.start, span.end - span.start)
    }

    /// A reference by a string without escapes.
    #[inline]
    pub(crate) fn reference(span: Span) -> Self {
        Self::tagged(REFERENCE, span.start, span.end - span.start)
    }

    #[inline]
    pub(crate) fn container(id: u32) -> Self {
        Self::tagged(CONTAINER, id, 0)
    }

    #[inline]
    pub(crate) fn is_container(self) -> bool {
        self.0 >> TAG_SHIFT == CONTAINER
    }

    #[inline]
    pub(crate) fn container_id(self) -> Option<u32> {
        self.is_container().then_some(self.0 as u32)
    }

    #[inline]
    pub(crate) fn is_absent(self) -> bool {
        self == Self::ABSENT
    }

    #[inline]
    pub(crate) fn shape(self) -> Shape {
        let start = self.0 as u32;
        let length = (self.0 >> 32) as u32 & (u32::MAX >> 4);
        let span = Span { start, end: start + length };
        match self.0 >> TAG_SHIFT {
            LITERAL => Shape::Literal(span),
            PLAIN => Shape::Plain(span),
            ESCAPED => Shape::Escaped(span),
            REFERENCE => Shape::Reference(span),
            CONTAINER => Shape::Container(start),
            _ => Shape::Absent,
        }
    }
}

/// A list or object and its block of slots.
#[derive(Debug, Clone, Copy, Eq)]
pub(crate) struct Container {
    pub(crate) start: u32,
    pub(crate) length: u32,
    /// Slots of the block; the top bit says that it is a list.
    capacity: u32,
}

const IS_LIST: u32 = 1 << 31;

/// Without a jump after each part: keyframes compare many.
impl PartialEq for Container {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let start = self.start ^ other.start;
        (start | self.length ^ other.length | self.capacity ^ other.capacity) == 0
    }
}

impl Container {
    fn new(start: usize, length: usize, list: bool) -> Self {
        let capacity = length as u32 | if list { IS_LIST } else { 0 };
        Self { start: start as u32, length: length as u32, capacity }
    }

    #[inline]
    pub(crate) fn is_list(self) -> bool {
        self.capacity & IS_LIST != 0
    }

    #[inline]
    pub(crate) fn capacity(self) -> u32 {
        self.capacity & !IS_LIST
    }

    pub(crate) fn kind(self) -> Kind {
        if self.is_list() { Kind::List } else { Kind::Object }
    }

    #[inline]
    pub(crate) fn slots(self) -> std::ops::Range<usize> {
        self.start as usize..(self.start + self.length) as usize
    }
}

/// The container of the whole state.
pub(crate) const ROOT: u32 = 0;

/// Objects with more keys than this are searched through a hash table.
const SEARCHED: u32 = 16;

/// The state of a game.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) containers: Vec<Container>,
    pub(crate) keys: Vec<Key>,
    pub(crate) values: Vec<Value>,
    /// Indexes of keys in large objects. An entry may be out of date: whoever uses it looks whether
    /// the key really is there. An entry that is needed is never missing.
    indexes: HashMap<(u32, Key), u32, RandomState>,
    /// One bit for each container: are its keys in `indexes`?
    indexed: Vec<u64>,
    /// What readers use who may not change the tree: of the root, and of one other large object.
    for_readers: [OnceLock<ReaderIndex>; 2],
}

/// The indexes of the keys of one object, as of one moment.
#[derive(Debug)]
struct ReaderIndex {
    id: u32,
    indexes: HashMap<Key, u32, RandomState>,
}

/// Objects with more keys than this are worth an index for readers.
const READ_THROUGH: u32 = 256;

impl Tree {
    /// The empty object.
    pub(crate) fn new() -> Self {
        Self {
            containers: vec![Container::new(0, 0, false)],
            keys: Vec::new(),
            values: Vec::new(),
            indexes: HashMap::default(),
            indexed: Vec::new(),
            for_readers: Default::default(),
        }
    }

    /// Containers and slots, reachable or not.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        self.containers.len() + self.values.len()
    }

    /// Bytes of memory that a copy of it takes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.containers.len() * size_of::<Container>()
            + self.values.len() * (size_of::<Value>() + size_of::<Key>())
    }

    #[inline]
    pub(crate) fn container(&self, id: u32) -> Container {
        self.containers[id as usize]
    }

    /// The keys of an object's block, removed ones too.
    pub(crate) fn keys_of(&self, id: u32) -> &[Key] {
        &self.keys[self.container(id).slots()]
    }

    /// The values of a container's block, absent ones too.
    pub(crate) fn values_of(&self, id: u32) -> &[Value] {
        &self.values[self.container(id).slots()]
    }

    /// The keys and values that are there, in no particular order for objects.
    pub(crate) fn entries(&self, id: u32) -> impl Iterator<Item = (Key, Value)> + '_ {
        let list = self.container(id).is_list();
        self.keys_of(id).iter().zip(self.values_of(id)).enumerate().filter_map(
            move |(i, (key, value))| {
                let key = if list { Key::from_index(i as u32) } else { *key };
                (!value.is_absent()).then_some((key, *value))
            },
        )
    }

    /// The key of the slot at `index` of a container.
    pub(crate) fn key_at(&self, id: u32, index: usize) -> Key {
        if self.container(id).is_list() {
            return Key::from_index(index as u32);
        }
        self.keys_of(id)[index]
    }

    /// The value at `key`, for readers; absent if it is not there.
    pub(crate) fn get(&self, id: u32, key: Key) -> Value {
        let container = self.container(id);
        let index = if container.is_list() {
            key.index().filter(|index| *index < container.length).map(|index| index as usize)
        } else if let Some(index) = self.expected_index(id, key) {
            Some(index)
        } else if self.is_indexed(id) {
            let index = self.indexes.get(&(id, key)).map(|index| *index as usize);
            index.filter(|index| self.keys_of(id).get(*index) == Some(&key))
        } else {
            self.index_for_reader(id, key)
        };
        index.map_or(Value::ABSENT, |index| self.values[container.start as usize + index])
    }

    /// The slot at `index` of the object's block, if `key` is there.
    #[inline]
    pub(crate) fn slot_at(&self, id: u32, index: u32, key: Key) -> Option<u32> {
        let container = self.container(id);
        let slot = container.start + index;
        let is_there =
            index < container.length && self.keys.get(slot as usize).is_some_and(|k| *k == key);
        is_there.then_some(slot)
    }

    /// The index of `key` in the object's block. `hint` is tried first.
    #[inline]
    pub(crate) fn find(&mut self, id: u32, key: Key, hint: u32) -> Option<u32> {
        let container = self.container(id);
        let keys = &self.keys[container.slots()];
        // Deltas mostly name keys in the order in which they were made.
        for index in [hint, hint + 1] {
            if keys.get(index as usize) == Some(&key) {
                return Some(index);
            }
        }
        // Game objects are mostly made in the order of their numbers, and all of them are kept.
        if let Some(index) = key.index()
            && keys.get(index as usize) == Some(&key)
        {
            return Some(index);
        }
        if container.length <= SEARCHED {
            return keys.iter().position(|known| *known == key).map(|index| index as u32);
        }
        self.index_in_large(id, key)
    }

    /// The index of `key` in a list or an object.
    pub(crate) fn index_of(&mut self, id: u32, key: Key) -> Option<u32> {
        let container = self.container(id);
        if container.is_list() {
            return key.index().filter(|index| *index < container.length);
        }
        self.find(id, key, 0)
    }

    fn index_in_large(&mut self, id: u32, key: Key) -> Option<u32> {
        let container = self.container(id);
        if !self.is_indexed(id) {
            self.set_indexed(id);
            for (index, key) in self.keys[container.slots()].iter().enumerate() {
                self.indexes.insert((id, *key), index as u32);
            }
        }
        let index = *self.indexes.get(&(id, key))?;
        (self.keys[container.slots()].get(index as usize) == Some(&key)).then_some(index)
    }

    /// The index of a key in an object that has no entries in `indexes`.
    fn index_for_reader(&self, id: u32, key: Key) -> Option<usize> {
        let keys = self.keys_of(id);
        if keys.len() > READ_THROUGH as usize {
            let index = self.for_readers[usize::from(id != ROOT)].get_or_init(|| {
                let numbered = (0..).zip(keys).map(|(index, key)| (*key, index));
                ReaderIndex { id, indexes: numbered.collect() }
            });
            if index.id == id {
                return index.indexes.get(&key).map(|index| *index as usize);
            }
        }
        keys.iter().position(|known| *known == key)
    }

    /// Must be called before keys change.
    #[inline]
    pub(crate) fn forget_readers(&mut self) {
        for index in &mut self.for_readers {
            if index.get().is_some() {
                *index = OnceLock::new();
            }
        }
    }

    /// Game objects are mostly made in the order of their numbers, and all of them are kept.
    fn expected_index(&self, id: u32, key: Key) -> Option<usize> {
        let index = key.index()? as usize;
        (self.keys_of(id).get(index) == Some(&key)).then_some(index)
    }

    #[inline]
    fn is_indexed(&self, id: u32) -> bool {
        self.indexed.get(id as usize / 64).is_some_and(|bits| bits >> (id % 64) & 1 == 1)
    }

    fn set_indexed(&mut self, id: u32) {
        let word = id as usize / 64;
        if self.indexed.len() <= word {
            self.indexed.resize(word + 1, 0);
        }
        self.indexed[word] |= 1 << (id % 64);
    }

    /// Is there something at `key`? Makes the search table that a large object needs.
    pub(crate) fn has(&mut self, id: u32, key: Key) -> bool {
        let index = self.index_of(id, key);
        index.is_some_and(|index| !self.values_of(id)[index as usize].is_absent())
    }

    /// Adds a key that was put at `index` to the search table.
    #[inline]
    pub(crate) fn note_key(&mut self, id: u32, key: Key, index: u32) {
        if index >= SEARCHED && self.is_indexed(id) {
            self.indexes.insert((id, key), index);
        }
    }

    /// A new container with these slots.
    pub(crate) fn add(&mut self, list: bool, slots: &[(Key, Value)]) -> u32 {
        let start = self.values.len();
        self.keys.extend(slots.iter().map(|slot| slot.0));
        self.values.extend(slots.iter().map(|slot| slot.1));
        self.containers.push(Container::new(start, slots.len(), list));
        self.containers.len() as u32 - 1
    }

    /// How many slots the block has that a container gets which needs this many.
    pub(crate) fn block_for(&self, id: u32, needed: u32) -> u32 {
        let length = self.container(id).length;
        needed.max(length + length / 2).max(4)
    }

    /// Gives a container a block at the end with room for at least `needed` slots.
    pub(crate) fn relocate(&mut self, id: u32, needed: u32) {
        let old = self.container(id);
        let capacity = self.block_for(id, needed);
        let start = self.values.len();
        self.keys.extend_from_within(old.slots());
        self.values.extend_from_within(old.slots());
        self.keys.resize(start + capacity as usize, Key::from_index(0));
        self.values.resize(start + capacity as usize, Value::ABSENT);
        let list = old.capacity & IS_LIST;
        self.containers[id as usize] =
            Container { start: start as u32, length: old.length, capacity: capacity | list };
    }

    /// Forgets everything from these lengths on.
    pub(crate) fn truncate(&mut self, containers: usize, slots: usize) {
        self.forget_readers();
        self.containers.truncate(containers);
        self.keys.truncate(slots);
        self.values.truncate(slots);
        self.indexed.truncate(containers.div_ceil(64));
        if let Some(last) = self.indexed.get_mut(containers / 64) {
            *last &= (1 << (containers % 64)) - 1;
        }
    }

    /// Must be called after the arrays were replaced.
    pub(crate) fn forget_indexes(&mut self) {
        self.forget_readers();
        self.indexes.clear();
        self.indexed.clear();
    }

    /// A copy with only what is reachable.
    pub(crate) fn compacted(&self) -> Self {
        let mut new = Self::new();
        // Containers of the old tree in the order of their new numbers.
        let mut order = vec![ROOT];
        let mut next = 0;
        while let Some(old) = order.get(next).copied() {
            let list = self.container(old).is_list();
            let start = new.values.len();
            for (key, value) in self.keys_of(old).iter().zip(self.values_of(old)) {
                if list || !value.is_absent() {
                    new.keys.push(*key);
                    new.values.push(renumbered(*value, &mut order));
                }
            }
            let container = Container::new(start, new.values.len() - start, list);
            if next == 0 {
                new.containers[0] = container;
            } else {
                new.containers.push(container);
            }
            next += 1;
        }
        new
    }

    /// What kind of value it is.
    pub(crate) fn kind(&self, value: Value, text: &[u8]) -> Kind {
        match value.shape() {
            Shape::Absent => Kind::Hole,
            Shape::Literal(span) => kind_of(text[span.start as usize]),
            Shape::Plain(_) | Shape::Escaped(_) => Kind::String,
            Shape::Reference(_) => Kind::Object,
            Shape::Container(id) => self.container(id).kind(),
        }
    }
}

/// The value with its container's new number, which is the next one.
fn renumbered(value: Value, order: &mut Vec<u32>) -> Value {
    match value.shape() {
        Shape::Container(old) => {
            order.push(old);
            Value::container(order.len() as u32 - 1)
        }
        _ => value,
    }
}
