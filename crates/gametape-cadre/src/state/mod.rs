//! Reading a state.

mod canonical;
pub(crate) mod diff;
pub(crate) mod keys;
pub(crate) mod tree;

use std::borrow::Cow;
use std::collections::HashMap;

use sha2::{Digest, Sha256};

use crate::state::keys::{Key, Keys};
use crate::state::tree::{ROOT, Shape, Tree, Value};
use crate::text;
use crate::text::json::{Kind, Span, StringToken};
use crate::text::path;

/// The state of a game at one moment, to look at.
///
/// ```
/// use gametape_cadre::{Markers, Timeline};
///
/// let mut timeline = Timeline::empty(Markers::default()).unwrap();
/// timeline.push_game(br#"{"gameObjects":{"7":{"id":"7","x":1}},"best":{"id":"7"}}"#).unwrap();
/// let best = timeline.state().get("best").unwrap();
/// assert_eq!(best.resolve().get("x").unwrap().as_i64(), Some(1));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct State<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) keys: &'a Keys,
    pub(crate) text: &'a [u8],
}

impl<'a> State<'a> {
    /// The whole state, an object.
    #[must_use]
    pub fn root(&self) -> Node<'a> {
        Node { state: *self, value: Value::container(ROOT), role: Role::Root }
    }

    /// What stands at a path such as `gameObjects.523.units.0`; a `.` in a key is written `\.`.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<Node<'a>> {
        path::split(path).iter().try_fold(self.root(), |node, key| node.get(key))
    }

    /// All game objects by their keys.
    pub(crate) fn game_objects(&self) -> HashMap<Key, Node<'a>> {
        let Some(objects) = self.root().get("gameObjects") else { return HashMap::new() };
        let entries = objects.sorted().into_iter();
        entries.map(|(key, value)| (key, objects.with_child(key, value))).collect()
    }

    /// The state as canonical JSON.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        self.root().canonical()
    }

    /// The SHA-256 of the canonical JSON.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.canonical()).into()
    }

    /// The hash as 64 hexadecimal digits.
    #[must_use]
    pub fn hash_hex(&self) -> String {
        self.hash().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// What a node is by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Root,
    /// The root's `gameObjects`.
    GameObjects,
    /// A direct child of it.
    GameObject,
    Other,
}

/// One value of a state.
#[derive(Debug, Clone, Copy)]
pub struct Node<'a> {
    state: State<'a>,
    value: Value,
    role: Role,
}

impl<'a> Node<'a> {
    /// A value whose place does not matter.
    pub(crate) fn anywhere(state: State<'a>, value: Value) -> Self {
        Self { state, value, role: Role::Other }
    }

    pub(crate) fn value(&self) -> Value {
        self.value
    }

    /// What kind of value it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.state.tree.kind(self.value, self.state.text)
    }

    /// The value at `key` of an object or list; none for holes and keys that are not there.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Node<'a>> {
        let key = self.state.keys.find(key.as_bytes())?;
        let value = self.child(key);
        (!value.is_absent()).then(|| self.with_child(key, value))
    }

    pub(crate) fn child(&self, key: Key) -> Value {
        match self.value.shape() {
            Shape::Container(id) => self.state.tree.get(id, key),
            Shape::Reference(id) if *self.state.keys.name(key) == *b"id" => {
                Value::string(id, false)
            }
            _ => Value::ABSENT,
        }
    }

    pub(crate) fn with_child(&self, key: Key, value: Value) -> Node<'a> {
        let role = match self.role {
            Role::Root if *self.state.keys.name(key) == *b"gameObjects" => Role::GameObjects,
            Role::GameObjects => Role::GameObject,
            _ => Role::Other,
        };
        Node { state: self.state, value, role }
    }

    /// The length of a list, holes counted, or the number of keys of an object.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.value.shape() {
            Shape::Container(id) if self.kind() == Kind::List => {
                self.state.tree.container(id).length as usize
            }
            Shape::Container(id) => self.state.tree.entries(id).count(),
            Shape::Reference(_) => 1,
            _ => 0,
        }
    }

    /// Is it a list that ends in a hole?
    pub(crate) fn last_is_hole(&self) -> bool {
        match self.value.shape() {
            Shape::Container(id) => self.state.tree.values_of(id).last() == Some(&Value::ABSENT),
            _ => false,
        }
    }

    /// Has it no children?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The children with their keys, in canonical order; holes are left out.
    #[must_use]
    pub fn children(&self) -> Vec<(Cow<'a, str>, Node<'a>)> {
        let named =
            |(key, value)| (text::lossy(self.state.keys.name(key)), self.with_child(key, value));
        self.sorted().into_iter().map(named).collect()
    }

    /// The keys and values, in canonical order; holes are left out.
    pub(crate) fn sorted(&self) -> Vec<(Key, Value)> {
        let mut entries: Vec<_> = match self.value.shape() {
            Shape::Container(id) => self.state.tree.entries(id).collect(),
            Shape::Reference(id) => match self.state.keys.find(b"id") {
                Some(key) => vec![(key, Value::string(id, false))],
                None => Vec::new(),
            },
            _ => Vec::new(),
        };
        if self.kind() == Kind::Object {
            entries.sort_unstable_by(|a, b| self.state.keys.compare(a.0, b.0));
        }
        entries
    }

    /// A string, lone surrogates replaced by U+FFFD.
    #[must_use]
    pub fn as_str(&self) -> Option<Cow<'a, str>> {
        self.decoded().map(text::lossy)
    }

    /// A string in WTF-8.
    pub(crate) fn decoded(&self) -> Option<Cow<'a, [u8]>> {
        match self.value.shape() {
            Shape::Plain(span) => Some(decoded(self.state.text, span, false)),
            Shape::Escaped(span) => Some(decoded(self.state.text, span, true)),
            _ => None,
        }
    }

    /// The text of a number, boolean or null as it was written.
    #[must_use]
    pub fn as_literal(&self) -> Option<&'a str> {
        match self.value.shape() {
            Shape::Literal(span) => std::str::from_utf8(span.of(self.state.text)).ok(),
            _ => None,
        }
    }

    /// A number that an `i64` can hold.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.as_literal()?.parse().ok()
    }

    /// Is it `true`?
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.as_literal() == Some("true")
    }

    /// The id that it refers to, if it is a reference.
    #[must_use]
    pub fn reference(&self) -> Option<Cow<'a, str>> {
        self.reference_id().map(text::lossy)
    }

    /// The id that it refers to, in WTF-8.
    pub(crate) fn reference_id(&self) -> Option<Cow<'a, [u8]>> {
        if self.role == Role::GameObject || self.kind() != Kind::Object || self.len() != 1 {
            return None;
        }
        self.get("id")?.decoded()
    }

    /// The game object that it refers to; itself when it is no reference or to nothing.
    #[must_use]
    pub fn resolve(&self) -> Node<'a> {
        self.target().unwrap_or(*self)
    }

    /// The game object that it refers to, if there is one.
    pub(crate) fn target(&self) -> Option<Node<'a>> {
        let id = self.reference_id()?;
        let objects = self.state.root().get("gameObjects")?;
        let key = self.state.keys.find(&id)?;
        let value = objects.child(key);
        (!value.is_absent()).then(|| objects.with_child(key, value))
    }

    /// The value as canonical JSON.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        let mut out = Vec::new();
        canonical::write(*self, 0, &mut out);
        out
    }

    /// The value as canonical JSON with references replaced by what they refer to, `depth` of them
    /// inside each other at most, and none inside of itself.
    #[must_use]
    pub fn expanded(&self, depth: usize) -> Vec<u8> {
        let mut out = Vec::new();
        canonical::write(*self, depth, &mut out);
        out
    }

    pub(crate) fn state(&self) -> State<'a> {
        self.state
    }
}

/// The decoded string whose text, with quotes, is at `span`.
pub(crate) fn decoded(text: &[u8], span: Span, escaped: bool) -> Cow<'_, [u8]> {
    let token = StringToken { start: span.start as usize, end: span.end as usize, escaped };
    token.decoded(text)
}
