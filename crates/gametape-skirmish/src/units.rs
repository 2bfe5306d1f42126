//! Units and their tags.

use std::collections::BTreeSet;

use gametape_minewars::StructureKind;
use gametape_tape::UnitTag;

use crate::atlas::Cell;
use crate::rules::{CITY_VALUE, structure_points};

/// What kind of unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum UnitKind {
    /// A structure.
    Structure(StructureKind),
    /// A city.
    City,
}

/// The number of the kind of a city, in snapshots.
const CITY_CODE: u8 = 4;

impl UnitKind {
    /// What it is worth.
    #[must_use]
    pub fn value(self) -> u32 {
        match self {
            Self::Structure(kind) => structure_points(kind).into(),
            Self::City => CITY_VALUE,
        }
    }

    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Structure(kind) => kind.word().unwrap_or("structure"),
            Self::City => "city",
        }
    }

    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Structure(kind) => kind.code(),
            Self::City => CITY_CODE,
        }
    }

    pub(crate) const fn from_code(code: u8) -> Option<Self> {
        match code {
            0..=3 => Some(Self::Structure(StructureKind::from_code(code))),
            CITY_CODE => Some(Self::City),
            _ => None,
        }
    }
}

/// A structure, finished or not, or a city.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unit {
    pub(crate) kind: UnitKind,
    pub(crate) owner: u8,
    pub(crate) cell: Cell,
    /// Of a finished structure.
    pub(crate) hp: u8,
    /// Of a structure that is not finished.
    pub(crate) construction: Option<Construction>,
}

/// How a construction goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Construction {
    /// Who builds.
    pub(crate) city: u8,
    pub(crate) done: u16,
    /// Points of the last second: sent to views, but no part of the state.
    pub(crate) rate: u16,
}

impl Unit {
    pub(crate) fn structure(&self) -> Option<StructureKind> {
        match self.kind {
            UnitKind::Structure(kind) => Some(kind),
            UnitKind::City => None,
        }
    }
}

/// All units, by slot.
#[derive(Debug, Clone, Default)]
pub(crate) struct Units {
    slots: Vec<Slot>,
    free: BTreeSet<u16>,
}

impl Units {
    /// About how many bytes they take.
    pub(crate) fn memory(&self) -> usize {
        self.slots.len() * size_of::<Slot>()
    }
}

#[derive(Debug, Clone)]
struct Slot {
    generation: u16,
    unit: Option<Unit>,
}

impl Slot {
    /// A slot of the last generation is never given away: the next one would have an old tag.
    fn is_usable(&self) -> bool {
        self.unit.is_none() && self.generation < u16::MAX
    }
}

impl Units {
    /// Puts a unit into the lowest free slot; none when all are taken.
    pub(crate) fn add(&mut self, unit: Unit) -> Option<UnitTag> {
        let index = match self.free.pop_first() {
            Some(index) => index,
            None => self.new_slot()?,
        };
        let slot = &mut self.slots[usize::from(index)];
        slot.unit = Some(unit);
        Some(UnitTag { index, generation: slot.generation })
    }

    fn new_slot(&mut self) -> Option<u16> {
        let index = u16::try_from(self.slots.len()).ok()?;
        self.slots.push(Slot { generation: 0, unit: None });
        Some(index)
    }

    /// Takes a unit out.
    pub(crate) fn remove(&mut self, tag: UnitTag) -> Option<Unit> {
        let slot = self.slots.get_mut(usize::from(tag.index))?;
        if slot.generation != tag.generation {
            return None;
        }
        let unit = slot.unit.take()?;
        slot.generation = slot.generation.saturating_add(1);
        if slot.is_usable() {
            self.free.insert(tag.index);
        }
        Some(unit)
    }

    pub(crate) fn get(&self, tag: UnitTag) -> Option<&Unit> {
        let slot = self.slots.get(usize::from(tag.index))?;
        slot.unit.as_ref().filter(|_| slot.generation == tag.generation)
    }

    pub(crate) fn get_mut(&mut self, tag: UnitTag) -> Option<&mut Unit> {
        let slot = self.slots.get_mut(usize::from(tag.index))?;
        let generation = slot.generation;
        slot.unit.as_mut().filter(|_| generation == tag.generation)
    }

    /// All units in order of their tags.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (UnitTag, &Unit)> {
        self.slots.iter().enumerate().filter_map(|(index, slot)| {
            let tag = UnitTag { index: index as u16, generation: slot.generation };
            slot.unit.as_ref().map(|unit| (tag, unit))
        })
    }

    /// The generation of every slot.
    pub(crate) fn generations(&self) -> impl Iterator<Item = u16> {
        self.slots.iter().map(|slot| slot.generation)
    }

    /// Empty slots with these generations.
    pub(crate) fn with_generations(generations: impl Iterator<Item = u16>) -> Self {
        let slots: Vec<Slot> =
            generations.map(|generation| Slot { generation, unit: None }).take(1 << 16).collect();
        Self { slots, free: BTreeSet::new() }
    }

    /// Puts a unit where a snapshot has it; false where its slot is not free.
    pub(crate) fn put(&mut self, tag: UnitTag, unit: Unit) -> bool {
        match self.slots.get_mut(usize::from(tag.index)) {
            Some(slot) if slot.unit.is_none() && slot.generation == tag.generation => {
                slot.unit = Some(unit);
                true
            }
            _ => false,
        }
    }

    /// Finds the free slots again, after the last unit was put.
    pub(crate) fn find_free(&mut self) {
        let free = self.slots.iter().enumerate().filter(|(_, slot)| slot.is_usable());
        self.free = free.map(|(index, _)| index as u16).collect();
    }
}
