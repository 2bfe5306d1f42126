//! The state of a Cadre game, as one that can be recorded and entered.

use std::collections::BTreeMap;

use gametape_cadre::{Game, Kind, Markers, Node, Raw, State};
use gametape_tape::{SimSnapshot, UnitTag};
use gametape_wire::{Arrange, Error, ErrorKind, Place, Result, Tick};

use crate::game::GameState;

/// The section that holds the whole state, where it cannot be taken apart.
const WHOLE: &str = "*";
const GAME_OBJECTS: &str = "gameObjects";
/// More keys of the root than these are not sections of their own.
const MOST_KEYS: usize = 4_000;
/// More game objects than these are not entities.
const MOST_ENTITIES: usize = 1 << 17;

/// The state of a Cadre game: deltas are its payloads.
///
/// Snapshots are specified in `spec/tape-contents.md`, section 4.
#[derive(Debug, Clone)]
pub struct CadreGame {
    game: Game,
}

impl CadreGame {
    /// The empty state, before the first delta.
    pub fn new(markers: Markers) -> Result<Self> {
        Ok(Self { game: Game::new(markers)? })
    }

    /// The state now.
    #[must_use]
    pub fn state(&self) -> State<'_> {
        self.game.state()
    }
}

impl GameState for CadreGame {
    fn apply(&mut self, _: Tick, payload: &[u8]) -> Result<()> {
        self.game.merge(payload)
    }

    fn snapshot(&self, tick: Tick) -> SimSnapshot {
        let root = self.state().root();
        let parts = Parts::of(root).unwrap_or_else(|| Parts::whole(root));
        parts.into_snapshot(tick.0)
    }

    fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()> {
        let json = to_json(snapshot)?;
        self.game = Game::from_json(&json, self.game.markers().clone())?;
        Ok(())
    }

    fn copy(&self) -> Option<(Self, usize)> {
        Some((self.clone(), self.game.memory()))
    }
}

/// A state that is taken apart.
#[derive(Default)]
struct Parts {
    entities: BTreeMap<UnitTag, Vec<u8>>,
    sections: BTreeMap<String, Vec<u8>>,
}

impl Parts {
    fn whole(root: Node<'_>) -> Self {
        let sections = BTreeMap::from([(WHOLE.to_owned(), root.canonical())]);
        Self { sections, ..Self::default() }
    }

    /// The parts; `None` where some name is in the way.
    fn of(root: Node<'_>) -> Option<Self> {
        let children = root.children();
        if children.len() > MOST_KEYS {
            return None;
        }
        let mut parts = Self::default();
        for (name, node) in children {
            let content = match node.kind() {
                Kind::Object if name == GAME_OBJECTS => parts.take_objects(node)?,
                _ => node.canonical(),
            };
            parts.sections.insert(format!(".{}", clean(&name)?), content);
        }
        Some(parts)
    }

    /// Makes entities of the objects with numbers, and JSON of those that are left.
    fn take_objects(&mut self, objects: Node<'_>) -> Option<Vec<u8>> {
        let children = objects.children();
        let mut numbers = Vec::new();
        for (name, _) in &children {
            numbers.extend(number(clean(name)?));
        }
        numbers.arrange();
        let first_left = numbers.get(MOST_ENTITIES);
        let mut json = vec![b'{'];
        for (name, node) in children {
            match number(&name).filter(|number| first_left.is_none_or(|first| number < first)) {
                Some(number) => drop(self.entities.insert(tag(number), node.canonical())),
                None => put_entry(&mut json, name.as_bytes(), &node.canonical()),
            }
        }
        json.push(b'}');
        Some(json)
    }

    fn into_snapshot(self, tick: u64) -> SimSnapshot {
        let mut snapshot = SimSnapshot::default();
        snapshot.core.tick = Tick(tick);
        let mut fits = true;
        for (tag, json) in self.entities {
            fits &= snapshot.core.entities.push(tag, &[(0, &json)]).is_ok();
        }
        for (name, json) in self.sections {
            fits &= snapshot.core.sections.push(name, &json).is_ok();
        }
        debug_assert!(fits, "maps ascend and are within the limits");
        snapshot
    }
}

/// The name, unless it may have been something else before it was made UTF-8.
fn clean(name: &str) -> Option<&str> {
    (!name.contains(char::REPLACEMENT_CHARACTER)).then_some(name)
}

/// The number that a key is, if it is one in its usual form.
fn number(key: &str) -> Option<u32> {
    let usual = key == "0" || !key.starts_with('0');
    let digits = key.bytes().all(|byte| byte.is_ascii_digit());
    if usual && digits { key.parse().ok() } else { None }
}

fn tag(number: u32) -> UnitTag {
    UnitTag { index: number as u16, generation: (number >> 16) as u16 }
}

fn put_entry(json: &mut Vec<u8>, name: &[u8], value: &[u8]) {
    if json.last() != Some(&b'{') {
        json.push(b',');
    }
    gametape_wire::json::push_bytes(name, json);
    json.push(b':');
    json.extend_from_slice(value);
}

/// The whole state of a snapshot as JSON.
fn to_json(snapshot: &SimSnapshot) -> Result<Vec<u8>> {
    let core = &snapshot.core;
    if let Some(whole) = core.sections.get(&WHOLE.to_owned()) {
        return Ok(valid(whole)?.to_vec());
    }
    let mut json = vec![b'{'];
    let mut placed = core.entities.is_empty();
    for (name, content) in core.sections.iter() {
        let name = name.strip_prefix('.').ok_or_else(|| misfit("an unknown section"))?;
        let content = valid(content)?;
        if name == GAME_OBJECTS && !core.entities.is_empty() {
            put_entry(&mut json, name.as_bytes(), &with_entities(content, snapshot)?);
            placed = true;
        } else {
            put_entry(&mut json, name.as_bytes(), content);
        }
    }
    json.push(b'}');
    if placed { Ok(json) } else { Err(misfit("entities without gameObjects")) }
}

fn with_entities(objects: &[u8], snapshot: &SimSnapshot) -> Result<Vec<u8>> {
    let inner = objects.strip_prefix(b"{").and_then(|inner| inner.strip_suffix(b"}"));
    let inner = inner.ok_or_else(|| misfit("gameObjects is no object"))?;
    let mut json = [b"{", inner].concat();
    for row in snapshot.core.entities.iter() {
        let number = u32::from(row.key.index) | u32::from(row.key.generation) << 16;
        let Some((0, content)) = row.slots().next() else {
            return Err(misfit("an entity without its JSON"));
        };
        put_entry(&mut json, number.to_string().as_bytes(), valid(content)?);
    }
    json.push(b'}');
    Ok(json)
}

fn valid(json: &[u8]) -> Result<&[u8]> {
    Ok(Raw::parse(json)?.as_bytes())
}

#[cold]
fn misfit(problem: &'static str) -> Error {
    let kind = ErrorKind::BadSyntax { problem: problem.into() };
    Error::new(Place::Nowhere, "snapshot of a Cadre game", kind)
}
