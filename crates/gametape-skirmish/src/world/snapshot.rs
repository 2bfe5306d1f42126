//! The whole state as a snapshot; normative text: `spec/skirmish.md`, section 11.

use gametape_minewars::{Coord, ItemKind, TileKind};
use gametape_tape::{CellPos, Key, SimCoreSnapshot, SimSnapshot, SlotTable, UnitTag, ValueTable};
use gametape_wire::{Reader, Result, Tick, Writer};

use super::restore::wrong;
use super::{Counters, Outcome, Player, Reason, Skirmish, Tile};
use crate::atlas::Cell;
use crate::units::Unit;

/// A snapshot is made of parts that fit by construction: keys ascend, slots are few.
fn put<K: Key>(table: &mut SlotTable<K>, key: K, slots: &[(u8, &[u8])]) {
    let result = table.push(key, slots);
    debug_assert!(result.is_ok(), "{result:?}");
}

/// The same for a table of single values.
fn put_value<K: Key>(table: &mut ValueTable<K>, key: K, value: &[u8]) {
    let result = table.push(key, value);
    debug_assert!(result.is_ok(), "{result:?}");
}

impl Skirmish {
    pub(super) fn take_snapshot(&self) -> SimSnapshot {
        let mut snapshot = self.take_snapshot_without_map();
        for cell in self.changed_cells() {
            put_value(&mut snapshot.core.map, self.position(cell), &self.tile(cell).to_bytes());
        }
        snapshot
    }

    /// All of a snapshot but the tiles.
    pub(super) fn take_snapshot_without_map(&self) -> SimSnapshot {
        let mut core = SimCoreSnapshot {
            tick: Tick(self.tick),
            seed: self.config.seed,
            map_hash: self.atlas.map_hash,
            random_state: self.dice.draws().to_be_bytes().to_vec(),
            ..SimCoreSnapshot::default()
        };
        for (tag, unit) in self.units.iter() {
            self.put_unit(&mut core, tag, unit);
        }
        for (number, player) in self.players.iter().enumerate().skip(1) {
            let fields = [vec![player.state()], player.times(), player.counters.to_bytes()];
            let slots = [(0, &fields[0][..]), (1, &fields[1][..]), (2, &fields[2][..])];
            put(&mut core.players, number as u8, &slots);
        }
        for (name, content) in self.sections() {
            put_value(&mut core.sections, name.to_owned(), &content);
        }
        SimSnapshot { core, ..SimSnapshot::default() }
    }

    /// Tiles that are not as they were at the start, in the order of snapshots; structures are kept
    /// with the units.
    fn changed_cells(&self) -> impl Iterator<Item = Cell> {
        let both = (0..).zip(self.cells.iter().zip(&self.atlas.start));
        let changed =
            both.filter(|(_, (now, start))| **now != Tile { structure: now.structure, ..**start });
        changed.map(|(cell, _)| cell)
    }

    fn position(&self, cell: Cell) -> CellPos {
        let Coord { y, x } = self.atlas.coord(cell);
        CellPos { z: 0, y: y.into(), x: x.into() }
    }

    fn put_unit(&self, core: &mut SimCoreSnapshot, tag: UnitTag, unit: &Unit) {
        let position = self.atlas.coord(unit.cell).to_wire();
        let (kind, owner, hp) = ([unit.kind.code()], [unit.owner], [unit.hp]);
        let mut slots: Vec<(u8, &[u8])> = vec![(0, &kind), (1, &owner), (2, &position)];
        let mut rest = Writer::new();
        let mut capture = Writer::new();
        match (unit.construction, self.atlas.city_at(unit.cell)) {
            (Some(work), _) => {
                rest.u8(work.city).u16_be(work.done).u16_be(work.rate);
                slots.push((4, rest.as_bytes()));
            }
            (None, Some(id)) => {
                let city = &self.cities[id];
                rest.u8(id as u8).u32_be(city.money).u16_be(city.resources);
                rest.u8(city.export).u8(city.import).u16_be(city.income);
                slots.push((5, rest.as_bytes()));
                if let Some((by, since)) = city.capture {
                    capture.u8(by).u64_be(since);
                    slots.push((6, capture.as_bytes()));
                }
            }
            (None, None) => slots.push((3, &hp)),
        }
        put(&mut core.entities, tag, &slots);
    }

    /// In order of their names.
    fn sections(&self) -> [(&'static str, Vec<u8>); 6] {
        let slots = self.units.generations().flat_map(u16::to_be_bytes).collect();
        let pause = self.pause.map_or((0, 0), |pause| (pause.by, pause.ticks_left));
        let [high, low] = pause.1.to_be_bytes();
        [
            ("clock", self.clock.to_be_bytes().to_vec()),
            ("clusters", self.cluster_owners.clone()),
            ("outcome", self.outcome.map_or(Vec::new(), |outcome| outcome.to_bytes().to_vec())),
            ("pause", vec![pause.0, high, low]),
            ("slots", slots),
            ("vote", self.vote_bytes()),
        ]
    }

    fn vote_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new();
        w.u8(self.last_vote);
        if let Some(vote) = self.vote {
            w.bytes(&vote.kind.to_bytes()).u8(vote.caller).u64_be(vote.end);
            w.u16_be(vote.yes).u16_be(vote.no);
        }
        w.into_bytes()
    }
}

impl Player {
    fn state(&self) -> u8 {
        let bits = [self.out, self.surrendered, self.left, self.kicked];
        bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit))
    }

    fn times(&self) -> Vec<u8> {
        let mut w = Writer::new();
        w.u64_be(self.ready_at).u64_be(self.strike_ready);
        w.u64_be(self.timeout_end).u64_be(self.protection_end);
        w.into_bytes()
    }

    pub(super) fn read(state: &[u8], times: &[u8], counters: &[u8]) -> Result<Self> {
        let &[state @ 0..16] = state else { return Err(wrong("player", "unknown state")) };
        let mut r = Reader::new(times);
        let mut time = || r.u64_be("times of a player");
        let player = Self {
            out: state & 1 != 0,
            surrendered: state & 2 != 0,
            left: state & 4 != 0,
            kicked: state & 8 != 0,
            ready_at: time()?,
            strike_ready: time()?,
            timeout_end: time()?,
            protection_end: time()?,
            counters: Counters::read(counters)?,
            ..Self::default()
        };
        r.finish("times of a player")?;
        Ok(player)
    }
}

impl Counters {
    fn to_bytes(self) -> Vec<u8> {
        let mut w = Writer::new();
        w.u32_be(self.orders).u32_be(self.refused).u32_be(self.timeouts).u32_be(self.kills);
        w.u32_be(self.losses).u32_be(self.finished);
        w.u64_be(self.value_killed).u64_be(self.value_lost).u8(self.pauses);
        w.into_bytes()
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        const ITEM: &str = "counters of a player";
        let mut r = Reader::new(bytes);
        let counters = Self {
            orders: r.u32_be(ITEM)?,
            refused: r.u32_be(ITEM)?,
            timeouts: r.u32_be(ITEM)?,
            kills: r.u32_be(ITEM)?,
            losses: r.u32_be(ITEM)?,
            finished: r.u32_be(ITEM)?,
            value_killed: r.u64_be(ITEM)?,
            value_lost: r.u64_be(ITEM)?,
            pauses: r.u8(ITEM)?,
        };
        r.finish(ITEM)?;
        Ok(counters)
    }
}

impl Tile {
    fn to_bytes(self) -> [u8; 13] {
        let mut bytes = [0; 13];
        bytes[..3].copy_from_slice(&[self.ground.code(), self.owner, self.item.code()]);
        bytes[3..5].copy_from_slice(&self.flags.to_be_bytes());
        bytes[5..].copy_from_slice(&self.smoke_end.to_be_bytes());
        bytes
    }

    pub(super) fn read(bytes: &[u8], players: u8) -> Result<Self> {
        let mut r = Reader::new(bytes);
        let tile = Self {
            ground: TileKind::from_code(r.u8("map cell")?),
            owner: r.u8("map cell")?,
            item: ItemKind::from_code(r.u8("map cell")?),
            flags: r.u16_be("map cell")?,
            smoke_end: r.u64_be("map cell")?,
            structure: None,
        };
        r.finish("map cell")?;
        let item =
            tile.item.word().is_some() && (tile.ground.is_land() || tile.item == ItemKind::None);
        let fits = item && tile.owner < players && tile.flags >> players == 0;
        fits.then_some(tile).ok_or_else(|| wrong("map cell", "values that it cannot have"))
    }
}

impl Outcome {
    fn to_bytes(self) -> [u8; 3] {
        let number = |reason: Reason| reason as u8;
        match self {
            Self::Won { winner, reason } => [0, winner, number(reason)],
            Self::Draw { reason } => [1, 0, number(reason)],
            Self::Abandoned { leaver } => [2, leaver, 0],
        }
    }

    pub(super) fn read(r: &Reader<'_>, players: u8) -> Result<Option<Self>> {
        let bad = || wrong("outcome", "not one");
        let &[form, player, reason] = r.rest() else {
            return r.is_empty().then_some(None).ok_or_else(bad);
        };
        let reason = Reason::ALL.get(usize::from(reason)).copied().ok_or_else(bad)?;
        let outcome = match form {
            0 => Self::Won { winner: player, reason },
            1 => Self::Draw { reason },
            2 => Self::Abandoned { leaver: player },
            _ => return Err(bad()),
        };
        (player < players).then_some(Some(outcome)).ok_or_else(bad)
    }
}
