//! Finding the deltas that touch a path.

use gametape_wire::{Error, Result};

use crate::log::Log;
use crate::merge::Merger;
use crate::merge::watch::{Oddity, Site, Watch};
use crate::state::keys::{Key, Keys};
use crate::state::tree::Value;
use crate::state::{Node, State};
use crate::text;
use crate::text::path;
use crate::text::raw::Raw;

/// A path with wildcards: `gameObjects.523.*`. A key `*` stands for any one key.
///
/// A change matches when it happened at such a path, or anywhere below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    keys: Vec<Option<Vec<u8>>>,
}

impl Pattern {
    /// Reads a pattern. A `.` or `\` inside of a key is preceded by `\`.
    pub fn parse(pattern: &str) -> Result<Self> {
        if pattern.is_empty() {
            return Err(Error::misuse("pattern", "a pattern must have at least one key"));
        }
        let key = |key: String| (key != "*").then(|| key.into_bytes());
        Ok(Self { keys: path::split(pattern).into_iter().map(key).collect() })
    }

    /// Do the first keys of the path match, as far as both go?
    fn matches(&self, keys: &Keys, path: &[Key]) -> bool {
        let same = |(wanted, key): (&Option<Vec<u8>>, &Key)| match wanted {
            Some(name) => **name == *keys.name(*key),
            None => true,
        };
        self.keys.iter().zip(path).all(same)
    }
}

/// What to look for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// Where.
    pub pattern: Pattern,
    /// Only changes to this value, in canonical JSON.
    pub to: Option<Vec<u8>>,
    /// Also where a delta wrote what was there already.
    pub touched: bool,
}

impl Query {
    /// Every change that the pattern matches.
    pub fn new(pattern: &str) -> Result<Self> {
        Ok(Self { pattern: Pattern::parse(pattern)?, to: None, touched: false })
    }

    /// Also where a delta wrote what was there already.
    #[must_use]
    pub fn touched(mut self) -> Self {
        self.touched = true;
        self
    }

    /// Only changes to this value. Text that is no JSON is taken as a string.
    #[must_use]
    pub fn to(mut self, value: &str) -> Self {
        let mut wanted = Vec::new();
        match Raw::parse(value.as_bytes()).map(|raw| raw.as_str()) {
            Ok(Some(string)) => text::write_quoted(string.as_bytes(), &mut wanted),
            Ok(None) => wanted.extend_from_slice(value.trim().as_bytes()),
            Err(_) => text::write_quoted(value.as_bytes(), &mut wanted),
        }
        self.to = Some(wanted);
        self
    }
}

/// A change that was looked for. Values are canonical JSON; none is a value that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The delta that made it.
    pub delta: usize,
    /// Where.
    pub path: String,
    /// What was there.
    pub before: Option<Vec<u8>>,
    /// What is there now.
    pub after: Option<Vec<u8>>,
}

/// Merges a log and gives every change that the query matches, delta by delta.
///
/// ```
/// use gametape_cadre::{Log, Options, Query, find, sample};
///
/// let log = Log::open(sample::log(100, 1), &Options::default()).unwrap();
/// let query = Query::new("gameObjects.*.won").unwrap().to("true");
/// let changes: Vec<_> = find(&log, query).unwrap().map(Result::unwrap).collect();
/// assert_eq!(changes.len(), 1);
/// assert_eq!((changes[0].delta, &*changes[0].path), (99, "gameObjects.1.won"));
/// assert_eq!(changes[0].before.as_deref(), Some(b"false".as_slice()));
/// ```
pub fn find(log: &Log, query: Query) -> Result<impl Iterator<Item = Result<Change>>> {
    let mut merger = Merger::new(log.markers().clone())?;
    let mut finder = Finder { query, delta: 0, changes: Vec::new() };
    let mut failed = false;
    let per_delta = (0..log.len()).map_while(move |delta| {
        if failed {
            return None;
        }
        finder.delta = delta;
        let merged = merger.merge_delta(log, delta, &mut finder);
        failed = merged.is_err();
        merger.journal.clear();
        merger.tidy();
        let changes = std::mem::take(&mut finder.changes);
        Some(match merged {
            Ok(()) => changes.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
    });
    Ok(per_delta.flatten())
}

/// Every change that a delta of a log makes, merging it.
pub(crate) fn changes_of(merger: &mut Merger, log: &Log, delta: usize) -> Result<Vec<Change>> {
    let everything = Query { pattern: Pattern { keys: vec![None] }, to: None, touched: false };
    let mut finder = Finder { query: everything, delta, changes: Vec::new() };
    merger.merge_delta(log, delta, &mut finder)?;
    Ok(finder.changes)
}

struct Finder {
    query: Query,
    delta: usize,
    changes: Vec<Change>,
}

impl Finder {
    /// Reports a change at a path that is at least as long as the pattern.
    fn report(&mut self, site: &Site<'_>, path: &[Key], old: Value, new: Value) {
        let state = State { tree: site.tree, keys: site.keys, text: site.text };
        let canonical =
            |value: Value| (!value.is_absent()).then(|| Node::anywhere(state, value).canonical());
        let after = canonical(new);
        if self.query.to.as_ref().is_some_and(|wanted| Some(wanted) != after.as_ref()) {
            return;
        }
        let before = canonical(old);
        if before != after || self.query.touched {
            let path = path::display(site.keys, path);
            self.changes.push(Change { delta: self.delta, path, before, after });
        }
    }

    /// A whole container came or went: looks in it for what the pattern wants.
    ///
    /// Recurses as deep as the pattern is long.
    fn descend(&mut self, site: &Site<'_>, path: &mut Vec<Key>, old: Value, new: Value) {
        if path.len() == self.query.pattern.keys.len() {
            return self.report(site, path, old, new);
        }
        let state = State { tree: site.tree, keys: site.keys, text: site.text };
        let (old, new) = (Node::anywhere(state, old), Node::anywhere(state, new));
        let wanted = self.query.pattern.keys[path.len()].clone();
        let children: Vec<Key> = match wanted {
            Some(name) => site.keys.find(&name).into_iter().collect(),
            None => {
                let mut keys: Vec<Key> =
                    old.sorted().into_iter().chain(new.sorted()).map(|entry| entry.0).collect();
                keys.sort_unstable_by_key(|key| key.number());
                keys.dedup();
                keys
            }
        };
        for key in children {
            let (old, new) = (old.child(key), new.child(key));
            if !(old.is_absent() && new.is_absent()) {
                path.push(key);
                self.descend(site, path, old, new);
                path.pop();
            }
        }
    }
}

impl Watch for Finder {
    const ACTIVE: bool = true;

    fn change(&mut self, site: &Site<'_>, old: Value, new: Value) {
        if !self.query.pattern.matches(site.keys, &site.path) {
            return;
        }
        if site.path.len() >= self.query.pattern.keys.len() {
            self.report(site, &site.path, old, new);
        } else {
            self.descend(site, &mut site.path.clone(), old, new);
        }
    }

    fn odd(&mut self, _: &Keys, _: Vec<Key>, _: Oddity) {}

    fn start_over(&mut self) {
        self.changes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Options;

    #[test]
    fn a_value_that_is_written_again_is_touched_but_not_changed() {
        let json = br#"{"deltas":[{"game":{"x":1}},{"game":{"x":1}},{"game":{"x":2}}]}"#;
        let log = Log::open(&json[..], &Options::default()).unwrap();
        let found = |query: Query| -> Vec<usize> {
            find(&log, query).unwrap().map(|change| change.unwrap().delta).collect()
        };
        assert_eq!(found(Query::new("x").unwrap()), [0, 2]);
        assert_eq!(found(Query::new("x").unwrap().touched()), [0, 1, 2]);
        assert_eq!(found(Query::new("x").unwrap().to("1")), [0]);
    }
}
