//! States as canonical JSON, with references kept or expanded.

use std::collections::HashMap;

use crate::state::keys::Key;
use crate::state::tree::{Shape, Value};
use crate::state::{Node, State, decoded};
use crate::text;
use crate::text::json::Kind;

/// Beyond this many bytes references are no longer expanded.
const EXPANDED_BYTES: usize = 64 << 20;

/// A container that is being written.
struct Level<'a> {
    node: Node<'a>,
    entries: std::vec::IntoIter<(Key, Value)>,
    list: bool,
    first: bool,
    /// It stands in place of a reference.
    expanded: bool,
}

/// Appends a value. Of its references, `depth` inside each other are expanded.
pub(crate) fn write(node: Node<'_>, depth: usize, out: &mut Vec<u8>) {
    let objects = if depth > 0 { node.state().game_objects() } else { HashMap::new() };
    let mut writer = Writer { depth, objects, inside: Vec::new(), levels: Vec::new(), out };
    writer.begin(node);
    while let Some(level) = writer.levels.last_mut() {
        match level.entries.next() {
            Some((key, value)) => {
                let child = level.node.with_child(key, value);
                writer.entry(key, child);
            }
            None => writer.end(),
        }
    }
}

struct Writer<'a, 'o> {
    depth: usize,
    /// What references refer to.
    objects: HashMap<Key, Node<'a>>,
    /// The game objects that stand in place of references and are being written.
    inside: Vec<Value>,
    levels: Vec<Level<'a>>,
    out: &'o mut Vec<u8>,
}

impl<'a> Writer<'a, '_> {
    fn entry(&mut self, key: Key, child: Node<'a>) {
        let Some(level) = self.levels.last_mut() else { return };
        if !std::mem::replace(&mut level.first, false) {
            self.out.push(b',');
        }
        if !level.list {
            write_key(child.state(), key, self.out);
        }
        self.begin(child);
    }

    /// Writes a scalar whole; of a container the opening bracket.
    fn begin(&mut self, node: Node<'a>) {
        let text = node.state().text;
        match node.value().shape() {
            Shape::Absent => self.out.extend_from_slice(b"null"),
            Shape::Literal(span) | Shape::Plain(span) => {
                self.out.extend_from_slice(span.of(text));
            }
            Shape::Escaped(span) => text::write_quoted(&decoded(text, span, true), self.out),
            Shape::Reference(_) | Shape::Container(_) => match self.to_expand(node) {
                Some(target) => {
                    self.inside.push(target.value());
                    self.begin_container(target, true);
                }
                None => self.begin_container(node, false),
            },
        }
    }

    /// What stands behind the node, if it is a reference to be expanded here.
    fn to_expand(&self, node: Node<'a>) -> Option<Node<'a>> {
        if self.inside.len() >= self.depth || self.out.len() > EXPANDED_BYTES {
            return None;
        }
        let key = node.state().keys.find(&node.reference_id()?)?;
        let target = self.objects.get(&key)?;
        (!self.inside.contains(&target.value())).then_some(*target)
    }

    fn begin_container(&mut self, node: Node<'a>, expanded: bool) {
        let list = node.kind() == Kind::List;
        self.out.push(if list { b'[' } else { b'{' });
        let entries = match node.value().shape() {
            Shape::Container(id) if list => {
                let values = node.state().tree.values_of(id).iter();
                values.map(|value| (Key::from_index(0), *value)).collect()
            }
            _ => node.sorted(),
        };
        let entries = entries.into_iter();
        self.levels.push(Level { node, entries, list, first: true, expanded });
    }

    fn end(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        self.out.push(if level.list { b']' } else { b'}' });
        if level.expanded {
            self.inside.pop();
        }
    }
}

/// Appends an object's key and colon.
fn write_key(state: State<'_>, key: Key, out: &mut Vec<u8>) {
    text::write_quoted(&state.keys.name(key), out);
    out.push(b':');
}
