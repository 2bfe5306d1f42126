//! Finding the deltas that touch a path.

use std::borrow::Cow;
use std::collections::HashMap;

use gametape_wire::{Arrange, Error, Result};

use crate::check::objects_of;
use crate::limits::CHANGES;
use crate::log::Log;
use crate::merge::Merger;
use crate::merge::merge_pass::over_limit;
use crate::merge::watch::{Oddity, Site, Watch};
use crate::state::keys::{Key, Keys};
use crate::state::tree::Value;
use crate::state::{Node, State};
use crate::text;
use crate::text::path;
use crate::text::raw::Raw;

/// A path with wildcards: `gameObjects.523.*`. A key `*` matches any one key.
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
#[non_exhaustive]
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
            Ok(Some(string)) => gametape_wire::json::push_bytes(string.as_bytes(), &mut wanted),
            Ok(None) => wanted.extend_from_slice(value.trim().as_bytes()),
            Err(_) => gametape_wire::json::push_bytes(value.as_bytes(), &mut wanted),
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
    /// The game object that it is part of.
    pub object: Option<FoundObject>,
}

/// What a game object is, and whose.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct FoundObject {
    /// Its key in `gameObjects`.
    pub id: String,
    /// Its `gameObjectName`.
    pub kind: Option<String>,
    /// The id of its `owner`. Where it has none any more, the last one that was found.
    pub owner: Option<String>,
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
    let mut merger = Merger::new(log.markers().clone(), log.shares())?;
    let mut finder = Finder::new(query, 0);
    let mut failed = false;
    let per_delta = (0..log.len()).map_while(move |delta| {
        if failed {
            return None;
        }
        finder.delta = delta;
        let merged = merger.merge_delta(log, delta, &mut finder);
        failed = merged.is_err();
        let found = finder.take(&mut merger, log.text());
        merger.journal.clear();
        merger.tidy();
        failed |= found.is_err();
        Some(match merged.and(found) {
            Ok(changes) => changes.into_iter().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        })
    });
    Ok(per_delta.flatten())
}

/// Every change that a delta of a log makes, merging it.
pub(crate) fn changes_of(merger: &mut Merger, log: &Log, delta: usize) -> Result<Vec<Change>> {
    let everything = Query { pattern: Pattern { keys: vec![None] }, to: None, touched: false };
    let mut finder = Finder::new(everything, delta);
    merger.merge_delta(log, delta, &mut finder)?;
    finder.take(merger, log.text())
}

struct Finder {
    query: Query,
    delta: usize,
    changes: Vec<Change>,
    /// The keys of the game objects that the changes are part of.
    objects: Vec<Option<Key>>,
    /// The last owners of game objects.
    owners: HashMap<Key, String>,
    /// Bytes of memory that the changes take, roughly.
    bytes: u64,
}

/// Owners that are kept for when an object has none any more.
const OWNERS: usize = 1 << 16;

impl Finder {
    fn new(query: Query, delta: usize) -> Self {
        let (changes, objects, owners) = (Vec::new(), Vec::new(), HashMap::new());
        Self { query, delta, changes, objects, owners, bytes: 0 }
    }

    /// Notes what the game objects of the changes are, now that the delta is merged.
    fn describe(&mut self, changes: &mut [Change], merger: &mut Merger, text: &[u8]) {
        let objects = std::mem::take(&mut self.objects);
        let all = objects_of(&mut merger.tree, &merger.keys);
        for (change, key) in changes.iter_mut().zip(objects) {
            let Some(key) = key else { continue };
            let value = all.and_then(|all| Some((all, merger.tree.index_of(all, key)?)));
            let value = value.map(|(all, index)| merger.tree.values_of(all)[index as usize]);
            let state = State { tree: &merger.tree, keys: &merger.keys, text };
            if let Some(value) = value.filter(|value| !value.is_absent()) {
                change.object = Some(FoundObject::of(state, key, value));
            }
            if let Some(object) = &mut change.object {
                self.note_owner(key, object);
            }
        }
    }

    fn note_owner(&mut self, key: Key, object: &mut FoundObject) {
        match &object.owner {
            Some(owner) if self.owners.len() < OWNERS || self.owners.contains_key(&key) => {
                self.owners.insert(key, owner.clone());
            }
            Some(_) => {}
            None => object.owner = self.owners.get(&key).cloned(),
        }
    }

    /// The changes of a delta; an error when they are too many.
    fn take(&mut self, merger: &mut Merger, text: &[u8]) -> Result<Vec<Change>> {
        let mut changes = std::mem::take(&mut self.changes);
        self.describe(&mut changes, merger, text);
        let bytes = std::mem::take(&mut self.bytes);
        let within = over_limit(CHANGES, bytes);
        within.map_err(|error| error.within(format_args!("deltas[{}]", self.delta)))?;
        Ok(changes)
    }

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
        if self.bytes > CHANGES.max {
            return;
        }
        if before != after || self.query.touched {
            let site_path = path;
            let path = path::display(site.keys, path);
            let size = |value: &Option<Vec<u8>>| value.as_ref().map_or(0, Vec::len);
            self.bytes += (size_of::<Change>() + path.len() + size(&before) + size(&after)) as u64;
            let key = object_key(site.keys, site_path);
            // An object that goes is not there to be looked at later.
            let gone = key.filter(|_| site_path.len() == 2 && new.is_absent());
            let object = gone.map(|key| FoundObject::of(state, key, old));
            self.objects.push(key);
            self.changes.push(Change { delta: self.delta, path, before, after, object });
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
                keys.arrange_by_key(|key| key.number());
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

/// The key of the game object that a path leads into.
fn object_key(keys: &Keys, path: &[Key]) -> Option<Key> {
    match path {
        [objects, object, ..] if *keys.name(*objects) == *b"gameObjects" => Some(*object),
        _ => None,
    }
}

impl FoundObject {
    fn of(state: State<'_>, key: Key, value: Value) -> Self {
        let node = Node::anywhere(state, value);
        let kind = node.get("gameObjectName").and_then(|name| name.as_str());
        let owner = node.get("owner").and_then(|owner| owner.reference());
        Self {
            id: path::shortened(&text::lossy(state.keys.name(key))).into_owned(),
            kind: kind.map(|kind| path::shortened(&kind).into_owned()),
            owner: owner.map(Cow::into_owned),
        }
    }
}

impl Watch for Finder {
    const ACTIVE: bool = true;

    fn change(&mut self, site: &Site<'_>, old: Value, new: Value) {
        if !self.query.pattern.matches(site.keys, site.path) {
            return;
        }
        if site.path.len() >= self.query.pattern.keys.len() {
            self.report(site, site.path, old, new);
        } else {
            self.descend(site, &mut site.path.to_vec(), old, new);
        }
    }

    fn odd(&mut self, _: &Keys, _: &[Key], _: Oddity) {}

    fn start_over(&mut self) {
        self.changes.clear();
        self.objects.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Options;

    #[test]
    fn a_change_names_the_type_and_the_last_owner_of_its_object() {
        let json = br#"{"deltas":[
            {"game":{"gameObjects":{"7":{"id":"7","gameObjectName":"Fox","hp":2,"owner":{"id":"1"}}}}},
            {"game":{"gameObjects":{"7":{"hp":0,"owner":null}},"hp":3}},
            {"game":{"gameObjects":{"7":"&RM"}}}]}"#;
        let log = Log::open(&json[..], &Options::default()).unwrap();
        let query = Query::new("gameObjects.7").unwrap();
        let changes: Vec<Change> = find(&log, query).unwrap().map(Result::unwrap).collect();
        let fox = FoundObject {
            id: "7".to_owned(),
            kind: Some("Fox".to_owned()),
            owner: Some("1".to_owned()),
        };
        assert_eq!(changes.len(), 4);
        assert!(changes.iter().all(|change| change.object.as_ref() == Some(&fox)), "{changes:?}");
        let outside = find(&log, Query::new("hp").unwrap()).unwrap().next().unwrap().unwrap();
        assert_eq!(outside.object, None);
    }

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
