//! Where two states differ.

use std::cmp::Ordering;
use std::fmt;

use gametape_tape::{CellPos, Key, PlayerId, Row, SimSnapshot, SlotTable, UnitTag};
use gametape_wire::Tick;

/// Which part of a state differs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Site {
    /// What the match was started from.
    Seed,
    /// Which map.
    MapHash,
    /// The random generator.
    RandomState,
    /// An interned string, by its id.
    Name(usize),
    /// A component of an entity; `None`: the entity itself is there or not.
    Entity(UnitTag, Option<u8>),
    /// A field of a player; `None`: the player is there or not.
    Player(PlayerId, Option<u8>),
    /// A map cell.
    Cell(CellPos),
    /// A section of the game's own.
    Section(String),
    /// What the campaign keeps.
    Campaign,
    /// What scripts keep.
    Script,
}

/// One place at which two states differ.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// Where.
    pub site: Site,
    /// What was recorded there; `None` for nothing.
    pub expected: Option<Vec<u8>>,
    /// What was found there.
    pub found: Option<Vec<u8>>,
}

/// A replayed state that is not the one that was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Divergence {
    /// The last tick at which both are known to agree: that of the keyframe before. States are
    /// recorded at keyframes only, so between the two nobody knows which tick it was.
    pub agreed: Option<Tick>,
    /// The first tick at which they are known to differ.
    pub tick: Tick,
    /// Where they differ: the first [`MOST_DIFFERENCES`] of them.
    pub differences: Vec<Difference>,
}

/// More differences of two states are not listed.
pub const MOST_DIFFERENCES: usize = 16;

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seed => f.write_str("seed"),
            Self::MapHash => f.write_str("map hash"),
            Self::RandomState => f.write_str("random state"),
            Self::Name(id) => write!(f, "string {id}"),
            Self::Entity(tag, slot) => {
                write!(f, "entity {}.{}", tag.index, tag.generation)?;
                slot.map_or(Ok(()), |slot| write!(f, " component {slot}"))
            }
            Self::Player(player, slot) => {
                write!(f, "player {player}")?;
                slot.map_or(Ok(()), |slot| write!(f, " field {slot}"))
            }
            Self::Cell(CellPos { z, y, x }) => write!(f, "cell {x},{y},{z}"),
            Self::Section(name) => write!(f, "section {name}"),
            Self::Campaign => f.write_str("campaign state"),
            Self::Script => f.write_str("script state"),
        }
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tick = self.tick;
        match self.agreed {
            Some(agreed) if agreed + 1 == tick => write!(f, "goes wrong in tick {agreed}")?,
            Some(agreed) => {
                write!(f, "goes wrong between tick {agreed}, where it agrees, and tick {tick}, ")?;
                f.write_str("where it differs")?;
            }
            None => write!(f, "differs at tick {tick}; no earlier one was recorded")?,
        }
        for (number, difference) in self.differences.iter().enumerate() {
            write!(f, "{}{}", if number == 0 { ": " } else { ", " }, difference.site)?;
        }
        Ok(())
    }
}

/// The first places at which a state is not the expected one; none when they are equal.
#[must_use]
pub fn differences(expected: &SimSnapshot, found: &SimSnapshot) -> Vec<Difference> {
    let mut list = List(Vec::new());
    let (old, new) = (&expected.core, &found.core);
    list.value(Site::Seed, &old.seed.to_le_bytes(), &new.seed.to_le_bytes());
    list.value(Site::MapHash, &old.map_hash, &new.map_hash);
    list.value(Site::RandomState, &old.random_state, &new.random_state);
    let [old_names, new_names] = [old, new].map(|core| &core.intern_table.entries);
    for id in 0..old_names.len().max(new_names.len()) {
        let [old, new] = [old_names, new_names].map(|names| names.get(id).map(String::as_bytes));
        list.optional(|| Site::Name(id), old, new);
    }
    list.tables(&old.entities, &new.entities, |tag, slot| Site::Entity(*tag, slot));
    list.tables(&old.players, &new.players, |player, slot| Site::Player(*player, slot));
    list.values(old.map.iter(), new.map.iter(), |cell| Site::Cell(*cell));
    list.values(old.sections.iter(), new.sections.iter(), |name| Site::Section(name.clone()));
    let states = [expected, found].map(|state| state.campaign_state.as_deref());
    list.optional(|| Site::Campaign, states[0], states[1]);
    let states = [expected, found].map(|state| state.script_state.as_deref());
    list.optional(|| Site::Script, states[0], states[1]);
    list.0
}

struct List(Vec<Difference>);

impl List {
    fn value(&mut self, site: Site, expected: &[u8], found: &[u8]) {
        self.optional(|| site, Some(expected), Some(found));
    }

    fn optional(
        &mut self,
        site: impl FnOnce() -> Site,
        expected: Option<&[u8]>,
        found: Option<&[u8]>,
    ) {
        if expected != found && self.0.len() < MOST_DIFFERENCES {
            let [expected, found] = [expected, found].map(|value| value.map(<[u8]>::to_vec));
            self.0.push(Difference { site: site(), expected, found });
        }
    }

    fn tables<K: Key>(
        &mut self,
        old: &SlotTable<K>,
        new: &SlotTable<K>,
        site: impl Fn(&K, Option<u8>) -> Site,
    ) {
        let by_key = |a: &Row<'_, K>, b: &Row<'_, K>| a.key.cmp(b.key);
        for (a, b) in paired(old.iter(), new.iter(), by_key) {
            match (a, b) {
                (Some(a), Some(b)) => {
                    let by_slot = |a: &(u8, &[u8]), b: &(u8, &[u8])| a.0.cmp(&b.0);
                    for (x, y) in paired(a.slots(), b.slots(), by_slot) {
                        let slot = x.or(y).map(|(slot, _)| slot);
                        let [x, y] = [x, y].map(|slot| slot.map(|(_, value)| value));
                        self.optional(|| site(a.key, slot), x, y);
                    }
                }
                (a, b) => {
                    let Some(key) = a.as_ref().or(b.as_ref()).map(|row| row.key) else { continue };
                    let [a, b] = [a, b].map(|row| row.map(|row| row.values));
                    self.optional(|| site(key, None), a, b);
                }
            }
        }
    }

    fn values<'a, K: Ord + 'a>(
        &mut self,
        old: impl Iterator<Item = (&'a K, &'a [u8])>,
        new: impl Iterator<Item = (&'a K, &'a [u8])>,
        site: impl Fn(&K) -> Site,
    ) {
        for (a, b) in paired(old, new, |a, b| a.0.cmp(b.0)) {
            let Some((key, _)) = a.or(b) else { continue };
            let [a, b] = [a, b].map(|row| row.map(|(_, value)| value));
            self.optional(|| site(key), a, b);
        }
    }
}

/// Walks two ascending runs side by side.
fn paired<T>(
    old: impl Iterator<Item = T>,
    new: impl Iterator<Item = T>,
    order: impl Fn(&T, &T) -> Ordering,
) -> impl Iterator<Item = (Option<T>, Option<T>)> {
    let (mut old, mut new) = (old.peekable(), new.peekable());
    std::iter::from_fn(move || {
        let which = match (old.peek(), new.peek()) {
            (Some(a), Some(b)) => order(a, b),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return None,
        };
        Some(match which {
            Ordering::Less => (old.next(), None),
            Ordering::Equal => (old.next(), new.next()),
            Ordering::Greater => (None, new.next()),
        })
    })
}
