//! The deltas that turn one state into another.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::iter::Peekable;
use std::vec::IntoIter;

use gametape_wire::{Error, Place, Result};

use crate::log::markers::Markers;
use crate::state::keys::Key;
use crate::state::tree::{Shape, Value};
use crate::state::{Node, State};
use crate::text;
use crate::text::json::Kind;

/// The `game` bodies that turn `a` into `b`, to be merged in this order: none when they are the
/// same, mostly one, at most three. See `spec/gamelog.md`, section 7.
///
/// ```
/// use gametape_cadre::{Markers, Timeline, diff};
///
/// let mut timeline = Timeline::empty(Markers::default()).unwrap();
/// timeline.push_game(br#"{"a":{"0":1,"1":2,"&LEN":2},"b":1}"#).unwrap();
/// let before = timeline.snapshot();
/// timeline.push_game(br#"{"a":{"0":7,"&LEN":1},"b":"&RM"}"#).unwrap();
/// let deltas = diff(timeline.view(&before), timeline.state(), &Markers::default()).unwrap();
/// assert_eq!(deltas, [br#"{"a":{"0":7,"&LEN":1},"b":"&RM"}"#]);
/// ```
pub fn diff(a: State<'_>, b: State<'_>, markers: &Markers) -> Result<Vec<Vec<u8>>> {
    let mut deltas = Vec::new();
    for phase in [Phase::Clear, Phase::Set, Phase::Trim] {
        let mut differ = Differ { phase, markers, path: Vec::new(), out: Vec::new() };
        differ.write(a.root(), b.root())?;
        if !differ.out.is_empty() {
            deltas.push(differ.out);
        }
    }
    Ok(deltas)
}

/// What one delta of the difference is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Removes containers that are of the wrong kind.
    Clear,
    /// Sets everything; what was cleared is not there.
    Set,
    /// Removes the null that a list was made to end with, where it has to end in a hole.
    Trim,
}

struct Differ<'a> {
    phase: Phase,
    markers: &'a Markers,
    /// The keys down to here, decoded, for errors.
    path: Vec<Vec<u8>>,
    out: Vec<u8>,
}

/// Two containers of the same kind, of which the first may not be there.
struct Pair<'s> {
    a: Option<Node<'s>>,
    b: Node<'s>,
    /// Their entries, both in the same order.
    olds: Peekable<IntoIter<(Key, Value)>>,
    news: IntoIter<(Key, Value)>,
    /// Where the output of the entry begins, and where that of its value.
    key_at: usize,
    value_at: usize,
}

impl<'s> Pair<'s> {
    fn new(a: Option<Node<'s>>, b: Node<'s>, key_at: usize, value_at: usize) -> Self {
        let olds = a.map(|a| a.sorted()).unwrap_or_default().into_iter().peekable();
        Self { a, b, olds, news: b.sorted().into_iter(), key_at, value_at }
    }
}

impl Differ<'_> {
    /// Writes what has to be merged into `a` to make it `b`; nothing when that is nothing.
    fn write<'s>(&mut self, a: Node<'s>, b: Node<'s>) -> Result<()> {
        self.out.push(b'{');
        let mut open = vec![Pair::new(Some(a), b, 0, 0)];
        while let Some(pair) = open.last_mut() {
            let Some((key, value)) = pair.news.next() else {
                self.close(pair)?;
                self.path.pop();
                open.pop();
                continue;
            };
            let old = self.counterpart(pair, key)?;
            let new = pair.b.with_child(key, value);
            self.path.push(new.state().keys.name(key).into_owned());
            match self.entry(old, new)? {
                Some(inner) => open.push(inner),
                None => drop(self.path.pop()),
            }
        }
        // The comma that every entry ends with.
        self.out.pop();
        Ok(())
    }

    /// What `a` has at a key of `b`. What it has before that is gone.
    fn counterpart<'s>(&mut self, pair: &mut Pair<'s>, key: Key) -> Result<Option<Node<'s>>> {
        let Some(a) = pair.a else { return Ok(None) };
        while let Some(&(old_key, old)) = pair.olds.peek() {
            match order(a, old_key, pair.b, key) {
                Ordering::Less => self.gone(a, old_key, pair.b)?,
                Ordering::Greater => break,
                Ordering::Equal => {
                    pair.olds.next();
                    return Ok(Some(a.with_child(old_key, old)));
                }
            }
            pair.olds.next();
        }
        Ok(None)
    }

    /// Removes what `a` has and `b` has not, unless a shorter length does it.
    fn gone(&mut self, a: Node<'_>, key: Key, b: Node<'_>) -> Result<()> {
        let is_cut = b.kind() == Kind::List && key.index().is_some_and(|i| i as usize >= b.len());
        if self.phase != Phase::Set || is_cut {
            return Ok(());
        }
        self.key(&a.state().keys.name(key))?;
        self.removed();
        Ok(())
    }

    /// Writes an entry, or opens it if it is a container that there may be something to say about.
    fn entry<'s>(&mut self, old: Option<Node<'s>>, new: Node<'s>) -> Result<Option<Pair<'s>>> {
        let (was, is) = (old.and_then(container_kind), container_kind(new));
        let clear = self.phase == Phase::Clear;
        let name = self.path.last().cloned().unwrap_or_default();
        match is {
            Some(_) if was == is => return self.open(&name, old, new).map(Some),
            Some(_) if !clear => return self.open(&name, None, new).map(Some),
            Some(_) if was.is_some() => {
                self.key(&name)?;
                self.removed();
            }
            None if self.phase == Phase::Set && !same_scalar(old, new) => {
                self.key(&name)?;
                self.scalar(new)?;
            }
            _ => {}
        }
        Ok(None)
    }

    fn open<'s>(&mut self, name: &[u8], old: Option<Node<'s>>, new: Node<'s>) -> Result<Pair<'s>> {
        let key_at = self.out.len();
        self.key(name)?;
        let value_at = self.out.len();
        self.out.push(b'{');
        Ok(Pair::new(old, new, key_at, value_at))
    }

    /// Ends a container; takes it back when there is nothing to say about it.
    fn close(&mut self, pair: &mut Pair<'_>) -> Result<()> {
        if let Some(a) = pair.a {
            for (key, _) in pair.olds.by_ref() {
                self.gone(a, key, pair.b)?;
            }
        }
        self.list_end(pair.a, pair.b)?;
        let is_new = pair.a.is_none() && self.phase == Phase::Set;
        if self.out.len() == pair.value_at + 1 && !is_new {
            self.out.truncate(pair.key_at);
            return Ok(());
        }
        if self.out.last() == Some(&b',') {
            self.out.pop();
        }
        self.out.extend_from_slice(b"},");
        Ok(())
    }

    /// What a list needs besides its elements: its length, and care for a hole at its end.
    fn list_end(&mut self, a: Option<Node<'_>>, b: Node<'_>) -> Result<()> {
        if b.kind() != Kind::List {
            return Ok(());
        }
        let (was, is) = (a.map_or(0, |a| a.len()), b.len());
        let last = is.wrapping_sub(1).to_string().into_bytes();
        let ends_in_hole = is > was && b.last_is_hole();
        if self.phase == Phase::Trim && ends_in_hole {
            self.key(&last)?;
            self.removed();
        }
        if self.phase != Phase::Set {
            return Ok(());
        }
        if ends_in_hole {
            self.key(&last)?;
            self.out.extend_from_slice(b"null,");
        }
        let is_untouched = self.out.last() == Some(&b'{') && was == is;
        if !is_untouched || a.is_none() {
            gametape_wire::json::push_bytes(&self.markers.length, &mut self.out);
            self.out.extend_from_slice(format!(":{is}").as_bytes());
        }
        Ok(())
    }

    fn key(&mut self, name: &[u8]) -> Result<()> {
        if *name == *self.markers.length {
            return Err(self.unsayable("a key that is the length marker cannot be in a delta"));
        }
        gametape_wire::json::push_bytes(name, &mut self.out);
        self.out.push(b':');
        Ok(())
    }

    fn removed(&mut self) {
        gametape_wire::json::push_bytes(&self.markers.removed, &mut self.out);
        self.out.push(b',');
    }

    fn scalar(&mut self, node: Node<'_>) -> Result<()> {
        if node.decoded().is_some_and(|string| *string == *self.markers.removed) {
            return Err(self.unsayable("a string that is the removal marker cannot be in a delta"));
        }
        self.out.extend_from_slice(&node.canonical());
        self.out.push(b',');
        Ok(())
    }

    #[cold]
    fn unsayable(&self, problem: &'static str) -> Error {
        let names = self.path.iter().map(|name| text::lossy(Cow::Borrowed(&**name)));
        let path = names.collect::<Vec<_>>().join(".");
        Error::misuse("difference", problem).with_place(Place::Path(path))
    }
}

/// The canonical order of a key of one container and a key of another of the same kind.
fn order(a: Node<'_>, a_key: Key, b: Node<'_>, b_key: Key) -> Ordering {
    if a.kind() == Kind::List {
        return a_key.index().cmp(&b_key.index());
    }
    let (a, b) = (a.state().keys, b.state().keys);
    if std::ptr::eq(a, b) && a_key == b_key {
        return Ordering::Equal;
    }
    text::compare_utf16(&a.name(a_key), &b.name(b_key))
}

/// Object or list; none for scalars.
fn container_kind(node: Node<'_>) -> Option<Kind> {
    Some(node.kind()).filter(|kind| matches!(kind, Kind::Object | Kind::List))
}

fn same_scalar(old: Option<Node<'_>>, new: Node<'_>) -> bool {
    let Some(old) = old else { return false };
    match (old.value().shape(), new.value().shape()) {
        (Shape::Literal(_), Shape::Literal(_)) => old.as_literal() == new.as_literal(),
        (Shape::Plain(_) | Shape::Escaped(_), Shape::Plain(_) | Shape::Escaped(_)) => {
            old.decoded() == new.decoded()
        }
        _ => false,
    }
}
