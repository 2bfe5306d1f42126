//! States as canonical JSON, with references kept or expanded.

use std::io::{self, Write};

use crate::state::keys::Key;
use crate::state::tree::{Shape, Value};
use crate::state::{GameObjects, Node, State, decoded};
use crate::text::json::Kind;

/// A container that is being written.
struct Level<'a> {
    node: Node<'a>,
    entries: std::vec::IntoIter<(Key, Value)>,
    list: bool,
    first: bool,
    /// It is written instead of a reference.
    expanded: bool,
}

/// More than this is handed on.
const BUFFERED: usize = 64 << 10;

/// Writes a value. Of its references, `depth` inside each other are expanded. Stops when more than
/// `limit` bytes were written, and returns how many it wrote.
pub(crate) fn write(
    node: Node<'_>,
    depth: usize,
    limit: u64,
    out: &mut impl Write,
) -> io::Result<u64> {
    let objects = if depth > 0 { node.state().game_objects() } else { GameObjects::default() };
    let buffer = Vec::with_capacity(if depth > 0 { BUFFERED } else { 256 });
    let (inside, levels) = (Vec::new(), Vec::new());
    let mut writer = Writer { depth, objects, inside, levels, buffer, written: 0, out };
    writer.begin(node)?;
    while let Some(level) = writer.levels.last_mut() {
        match level.entries.next() {
            Some((key, value)) => {
                let child = level.node.with_child(key, value);
                writer.entry(key, child)?;
            }
            None => writer.end(),
        }
        if writer.buffer.len() > BUFFERED {
            writer.flush()?;
        }
        if writer.written > limit {
            return Ok(writer.written);
        }
    }
    writer.flush()?;
    Ok(writer.written)
}

struct Writer<'a, 'o, O> {
    depth: usize,
    /// What references refer to.
    objects: GameObjects<'a>,
    /// The game objects that are written instead of references and are being written.
    inside: Vec<Value>,
    levels: Vec<Level<'a>>,
    buffer: Vec<u8>,
    written: u64,
    out: &'o mut O,
}

impl<'a, O: Write> Writer<'a, '_, O> {
    fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(&self.buffer)?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    fn entry(&mut self, key: Key, child: Node<'a>) -> io::Result<()> {
        let Some(level) = self.levels.last_mut() else { return Ok(()) };
        if !std::mem::replace(&mut level.first, false) {
            self.buffer.push(b',');
        }
        if !level.list {
            write_key(child.state(), key, &mut self.buffer);
        }
        self.begin(child)
    }

    /// Writes a scalar whole; of a container the opening bracket.
    fn begin(&mut self, node: Node<'a>) -> io::Result<()> {
        let text = node.state().text;
        match node.value().shape() {
            Shape::Absent => self.buffer.extend_from_slice(b"null"),
            Shape::Literal(span) | Shape::Plain(span) => return self.scalar(span.of(text)),
            Shape::Escaped(span) => {
                gametape_wire::json::push_bytes(&decoded(text, span, true), &mut self.buffer);
            }
            Shape::Reference(_) | Shape::Container(_) => match self.to_expand(node) {
                Some(target) => {
                    self.inside.push(target.value());
                    self.begin_container(target, true);
                }
                None => self.begin_container(node, false),
            },
        }
        Ok(())
    }

    /// Long text does not go through the buffer.
    fn scalar(&mut self, text: &[u8]) -> io::Result<()> {
        if text.len() < BUFFERED {
            self.buffer.extend_from_slice(text);
            return Ok(());
        }
        self.flush()?;
        self.written += text.len() as u64;
        self.out.write_all(text)
    }

    /// What the node refers to, if it is a reference to be expanded here.
    fn to_expand(&self, node: Node<'a>) -> Option<Node<'a>> {
        if self.inside.len() >= self.depth {
            return None;
        }
        let target = self.objects.target(node)?;
        (!self.inside.contains(&target.value())).then_some(target)
    }

    fn begin_container(&mut self, node: Node<'a>, expanded: bool) {
        let list = node.kind() == Kind::List;
        self.buffer.push(if list { b'[' } else { b'{' });
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
        self.buffer.push(if level.list { b']' } else { b'}' });
        if level.expanded {
            self.inside.pop();
        }
    }
}

/// Appends an object's key and colon.
fn write_key(state: State<'_>, key: Key, out: &mut Vec<u8>) {
    gametape_wire::json::push_bytes(&state.keys.name(key), out);
    out.push(b':');
}
