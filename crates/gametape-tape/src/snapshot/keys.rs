//! What rows of a snapshot are found by.

use gametape_wire::{Reader, Result, Writer, unzigzag, zigzag};

use crate::layout::names::{read_string, write_string};

/// How a table finds, orders and writes its rows.
pub trait Key: Ord + Clone {
    /// What the rows are, for errors.
    const ITEM: &'static str;
    /// How many slots a row can have.
    const SLOTS: u32;
    /// How many rows a table can have.
    const MOST_ROWS: u64;

    /// Reads a key that follows `previous`.
    fn read(r: &mut Reader<'_>, previous: Option<&Self>) -> Result<Self>;
    /// Writes the key, which follows `previous`.
    fn write(&self, w: &mut Writer, previous: Option<&Self>);
}

/// A unit: a slot of the game's table, and which tenant of the slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct UnitTag {
    /// The slot.
    pub index: u16,
    /// How often the slot was given away before.
    pub generation: u16,
}

impl Key for UnitTag {
    const ITEM: &'static str = "entity";
    const SLOTS: u32 = 64;
    const MOST_ROWS: u64 = 1 << 17;

    fn read(r: &mut Reader<'_>, _: Option<&Self>) -> Result<Self> {
        Ok(Self { index: r.u16_le(Self::ITEM)?, generation: r.u16_le(Self::ITEM)? })
    }

    fn write(&self, w: &mut Writer, _: Option<&Self>) {
        w.u16_le(self.index).u16_le(self.generation);
    }
}

/// A player's number, 1..=15 in most games.
pub type PlayerId = u8;

impl Key for PlayerId {
    const ITEM: &'static str = "player";
    const SLOTS: u32 = 32;
    const MOST_ROWS: u64 = 1 << 8;

    fn read(r: &mut Reader<'_>, _: Option<&Self>) -> Result<Self> {
        r.u8(Self::ITEM)
    }

    fn write(&self, w: &mut Writer, _: Option<&Self>) {
        w.u8(*self);
    }
}

/// A cell of the map; ordered by z, then y, then x.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct CellPos {
    /// Level.
    pub z: i32,
    /// Row.
    pub y: i32,
    /// Column.
    pub x: i32,
}

impl Key for CellPos {
    const ITEM: &'static str = "map cell";
    const SLOTS: u32 = 1;
    const MOST_ROWS: u64 = 1 << 20;

    fn read(r: &mut Reader<'_>, previous: Option<&Self>) -> Result<Self> {
        let from = previous.copied().unwrap_or_default();
        Ok(Self { z: read_step(r, from.z)?, y: read_step(r, from.y)?, x: read_step(r, from.x)? })
    }

    fn write(&self, w: &mut Writer, previous: Option<&Self>) {
        let from = previous.copied().unwrap_or_default();
        for (to, from) in [(self.z, from.z), (self.y, from.y), (self.x, from.x)] {
            w.varint(zigzag(to.wrapping_sub(from).into()));
        }
    }
}

fn read_step(r: &mut Reader<'_>, from: i32) -> Result<i32> {
    const STEP: gametape_wire::Limit = gametape_wire::Limit::new("map cell", u32::MAX as u64);
    let offset = r.offset();
    let coded = STEP.check(r.varint(CellPos::ITEM)?, offset)?;
    Ok(from.wrapping_add(unzigzag(coded) as i32))
}

impl Key for String {
    const ITEM: &'static str = "section";
    const SLOTS: u32 = 1;
    const MOST_ROWS: u64 = 1 << 12;

    fn read(r: &mut Reader<'_>, _: Option<&Self>) -> Result<Self> {
        read_string(r, Self::ITEM).map(str::to_owned)
    }

    fn write(&self, w: &mut Writer, _: Option<&Self>) {
        write_string(w, self);
    }
}
