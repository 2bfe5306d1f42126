//! Reading a state.

mod canonical;
pub(crate) mod diff;
pub(crate) mod keys;
pub(crate) mod tree;

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use gametape_wire::Result;
use sha2::{Digest, Sha256};

use crate::limits::EXPANDED;
use crate::merge::merge_pass::over_limit;
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

    /// The value at a path such as `gameObjects.523.units.0`; a `.` in a key is written `\.`.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<Node<'a>> {
        path::split(path).iter().try_fold(self.root(), |node, key| node.get(key))
    }

    /// The game objects, for whoever resolves many references of one state.
    #[must_use]
    pub fn game_objects(&self) -> GameObjects<'a> {
        let Some(objects) = self.root().get("gameObjects") else { return GameObjects::default() };
        let entries = objects.sorted().into_iter();
        let nodes = entries.map(|(key, value)| (key, objects.with_child(key, value)));
        GameObjects { nodes: nodes.collect() }
    }

    /// The state as canonical JSON.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        self.root().canonical()
    }

    /// The SHA-256 of the canonical JSON.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        let mut hasher = Hasher(Sha256::new());
        // Hashing cannot fail.
        let _ = self.root().write_canonical(&mut hasher);
        hasher.0.finalize().into()
    }

    /// The hash as 64 hexadecimal digits.
    #[must_use]
    pub fn hash_hex(&self) -> String {
        gametape_wire::text::hex(&self.hash())
    }
}

/// Hashes what is written to it.
struct Hasher(Sha256);

impl Write for Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The game objects of a state by their keys: finding one takes the same time however many there are.
///
/// ```
/// use gametape_cadre::{Markers, Timeline};
///
/// let mut timeline = Timeline::empty(Markers::default()).unwrap();
/// timeline.push_game(br#"{"gameObjects":{"7":{"id":"7","x":1}},"best":{"id":"7"}}"#).unwrap();
/// let state = timeline.state();
/// let objects = state.game_objects();
/// let best = objects.target(state.get("best").unwrap()).unwrap();
/// assert_eq!(best.get("x").unwrap().as_i64(), Some(1));
/// ```
#[derive(Debug, Default)]
pub struct GameObjects<'a> {
    nodes: HashMap<Key, Node<'a>>,
}

impl<'a> GameObjects<'a> {
    /// The game object that a node refers to; `None` when it is not a reference, or to nothing.
    #[must_use]
    pub fn target(&self, node: Node<'a>) -> Option<Node<'a>> {
        let key = node.state.keys.find(&node.reference_id()?)?;
        self.nodes.get(&key).copied()
    }
}

/// What a node is by where it is.
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
    /// A value whose position does not matter.
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
        Node::anywhere(self.state, self.reference_value()?).decoded()
    }

    /// The id that it refers to, which is a string.
    pub(crate) fn reference_value(&self) -> Option<Value> {
        match self.value.shape() {
            _ if self.role == Role::GameObject => None,
            Shape::Reference(id) => Some(Value::string(id, false)),
            Shape::Container(id) if !self.state.tree.container(id).is_list() => {
                let mut entries = self.state.tree.entries(id);
                let (Some((key, value)), None) = (entries.next(), entries.next()) else {
                    return None;
                };
                let is_string = matches!(value.shape(), Shape::Plain(_) | Shape::Escaped(_));
                (is_string && *self.state.keys.name(key) == *b"id").then_some(value)
            }
            _ => None,
        }
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
        // Writing to memory cannot fail.
        let _ = self.write_canonical(&mut out);
        out
    }

    /// Writes the value as canonical JSON.
    pub fn write_canonical(&self, out: &mut impl Write) -> io::Result<()> {
        canonical::write(*self, 0, u64::MAX, out).map(drop)
    }

    /// The value as canonical JSON with references replaced by what they refer to, `depth` of them
    /// inside each other at most, and none inside of itself. An error when that is more than
    /// [`EXPANDED`](crate::limits::EXPANDED).
    pub fn expanded(&self, depth: usize) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        let written = canonical::write(*self, depth, EXPANDED.max, &mut out)?;
        over_limit(EXPANDED, written)?;
        Ok(out)
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
