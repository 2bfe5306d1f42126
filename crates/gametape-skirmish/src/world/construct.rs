//! Structures: begun, finished, damaged, gone; and the economy that pays for them.

use std::sync::Arc;

use gametape_minewars::{ItemKind, StructureKind, TileKind};
use gametape_tape::UnitTag;

use super::log::Refusal;
use super::orders::{CITY_THERE, ITEM_THERE, NO_REGION, NOT_OWN_LAND, STRUCTURE_THERE};
use super::{MOST_OWNERS, Moment, Skirmish};
use crate::atlas::Cell;
use crate::rules::{
    BUILD_RATE, CITY_YIELD, CRAFT_RATE, IMPORT_PRICE, crafts, full_hp, structure_points,
};
use crate::units::{Construction, Unit, UnitKind};

impl Skirmish {
    pub(super) fn start_structure(
        &mut self,
        player: u8,
        cell: Cell,
        kind: StructureKind,
    ) -> Result<(), Refusal> {
        let tile = self.tile(cell);
        Refusal::unless(tile.structure.is_none(), STRUCTURE_THERE)?;
        let is_begun = self.pending.contains_key(&(cell, player));
        Refusal::unless(!is_begun, "the player is building there already")?;
        let city = match kind {
            StructureKind::Bridge if tile.ground == TileKind::Water => {
                let why = "no free city of the player is next to the water";
                self.bridge_city(player, cell).ok_or(Refusal::Because(why))
            }
            StructureKind::Bridge => Err(Refusal::Because("the tile is not water")),
            _ => self.land_city(player, cell),
        }?;
        let construction = Some(Construction { city: city as u8, done: 0, rate: 0 });
        let kind = UnitKind::Structure(kind);
        let unit = Unit { kind, owner: player, cell, hp: 0, construction };
        let tag = self.units.add(unit).ok_or(Refusal::Because("there are too many units"))?;
        self.pending.insert((cell, player), tag);
        self.cities[city].building = Some(tag);
        self.log.touch(cell);
        self.log.push(Moment::Started { tag, unit });
        Ok(())
    }

    /// The city that would build on a tile of own land, if it may.
    fn land_city(&self, player: u8, cell: Cell) -> Result<usize, Refusal> {
        let tile = self.tile(cell);
        Refusal::unless(tile.owner == player && tile.ground.is_land(), NOT_OWN_LAND)?;
        Refusal::unless(tile.item == ItemKind::None, ITEM_THERE)?;
        Refusal::unless(self.atlas.city_at(cell).is_none(), CITY_THERE)?;
        let city = self.atlas.region(cell).ok_or(Refusal::Because(NO_REGION))?;
        Refusal::unless(self.city_owner(city) == player, "the city is not the player's")?;
        Refusal::unless(self.may_build(player, city), "the city is building something else")?;
        Ok(city)
    }

    /// The city that would build a bridge.
    fn bridge_city(&self, player: u8, cell: Cell) -> Option<usize> {
        let own = self.atlas.neighbours(cell).filter(|beside| self.is_own_land(player, *beside));
        own.filter_map(|beside| self.atlas.region(beside))
            .find(|city| self.may_build(player, *city))
    }

    fn may_build(&self, player: u8, city: usize) -> bool {
        self.city_owner(city) == player && self.cities[city].building.is_none()
    }

    pub(super) fn bulldoze(&mut self, player: u8, cell: Cell) -> Result<(), Refusal> {
        let is_own = |tag: &UnitTag| self.units.get(*tag).is_some_and(|unit| unit.owner == player);
        let pending = self.pending.get(&(cell, player)).copied();
        let tag = pending.or_else(|| self.tile(cell).structure.filter(is_own));
        let tag = tag.ok_or(Refusal::Because("no structure of the player is there"))?;
        self.destroy(tag, 0);
        Ok(())
    }

    /// Damages the structure on a tile: was one hit, and is it gone? Own structures and those of
    /// protected players take none.
    pub(super) fn damage(&mut self, cell: Cell, damage: u8, by: u8) -> Option<bool> {
        let tag = self.tile(cell).structure?;
        let owner = self.units.get(tag)?.owner;
        (owner != by && !self.is_protected(owner)).then_some(())?;
        let unit = self.units.get_mut(tag)?;
        unit.hp = unit.hp.saturating_sub(damage);
        let gone = unit.hp == 0;
        self.log.touch(cell);
        self.log.push(Moment::Damaged { tag, by, cell, owner });
        if gone {
            self.destroy(tag, by);
        }
        Some(gone)
    }

    /// Removes a structure, finished or not. The killer is 0 when nobody else did it.
    pub(super) fn destroy(&mut self, tag: UnitTag, killer: u8) {
        let Some(unit) = self.units.get(tag).copied() else { return };
        match unit.construction {
            Some(Construction { city, .. }) => {
                self.pending.remove(&(unit.cell, unit.owner));
                self.cities[usize::from(city)].building = None;
            }
            None => self.clear_structure(&unit),
        }
        self.units.remove(tag);
        self.log.touch(unit.cell);
        self.log.push(Moment::Destroyed { tag, unit, killer });
        if unit.construction.is_none() {
            self.count_loss(&unit, killer);
        }
    }

    fn clear_structure(&mut self, unit: &Unit) {
        match unit.structure() {
            Some(StructureKind::Tower) => self.close_eyes(unit.owner, unit.cell, true),
            Some(StructureKind::Bridge) => self.close_eyes(unit.owner, unit.cell, false),
            _ => {}
        }
        self.tile_mut(unit.cell).structure = None;
    }

    /// Counts a finished unit that is gone; the killer is 0 when nobody else did it.
    pub(super) fn count_loss(&mut self, unit: &Unit, killer: u8) {
        let value = u64::from(unit.kind.value());
        if killer != 0 {
            let winner = &mut self.player_mut(killer).counters;
            winner.kills = winner.kills.saturating_add(1);
            winner.value_killed = winner.value_killed.saturating_add(value);
        }
        if unit.owner == 0 {
            return;
        }
        let loser = &mut self.player_mut(unit.owner).counters;
        loser.losses = loser.losses.saturating_add(1);
        loser.value_lost = loser.value_lost.saturating_add(value);
    }

    pub(super) fn cancel_pending_of_others(&mut self, cell: Cell, player: u8) {
        while let Some(tag) = self.pending_of_another(cell, player) {
            self.destroy(tag, 0);
        }
    }

    fn pending_of_another(&self, cell: Cell, player: u8) -> Option<UnitTag> {
        let here = self.pending.range((cell, 0)..=(cell, u8::MAX));
        here.filter(|((_, owner), _)| *owner != player).map(|(_, tag)| *tag).next()
    }

    /// Every city yields, builds and trades.
    pub(super) fn run_economy(&mut self) {
        let yields = self.yields();
        for (city, income) in yields.into_iter().enumerate() {
            let owner = self.city_owner(city);
            if owner == 0 {
                continue;
            }
            let state = &mut self.cities[city];
            state.income = income.min(u32::from(u16::MAX)) as u16;
            state.resources = state.resources.saturating_add(state.income);
            if let Some(tag) = state.building {
                self.build(city, tag, owner);
            }
            let state = &mut self.cities[city];
            let sold = (u32::from(state.resources) * u32::from(state.export)).div_ceil(100);
            state.resources -= sold as u16;
            state.money = state.money.saturating_add(sold).min(i32::MAX as u32);
        }
    }

    /// What each city yields: itself, and the tiles of its region that its owner has.
    fn yields(&self) -> Vec<u32> {
        let of = |(city, by_owner): (usize, &[u32; MOST_OWNERS])| {
            CITY_YIELD + by_owner[usize::from(self.city_owner(city))]
        };
        self.yields.iter().enumerate().map(of).collect()
    }

    /// A second of construction.
    fn build(&mut self, city: usize, tag: UnitTag, owner: u8) {
        let crafts = crafts(self.players[usize::from(owner)].counters.finished) as u16;
        let state = &mut self.cities[city];
        let Some(unit) = self.units.get_mut(tag) else { return };
        let (UnitKind::Structure(kind), Some(work)) = (unit.kind, &mut unit.construction) else {
            return;
        };
        let needed = structure_points(kind) - work.done;
        let wanted = needed.min(BUILD_RATE + CRAFT_RATE * crafts);
        let own = wanted.min(state.resources);
        let affordable = (state.money / IMPORT_PRICE).min(u32::from(state.import)) as u16;
        let bought = (wanted - own).min(affordable);
        state.resources -= own;
        if bought > 0 {
            let price = u32::from(bought) * IMPORT_PRICE;
            state.money -= price;
            self.log.push(Moment::Paid { city, amount: -(price as i32) });
        }
        work.rate = own + bought;
        work.done += work.rate;
        self.log.touch(unit.cell);
        if work.done == structure_points(kind) {
            self.finish(tag, kind);
        }
    }

    fn finish(&mut self, tag: UnitTag, kind: StructureKind) {
        let Some(unit) = self.units.get_mut(tag) else { return };
        let Some(work) = unit.construction.take() else { return };
        unit.hp = full_hp(kind);
        let unit = *unit;
        self.cities[usize::from(work.city)].building = None;
        self.pending.remove(&(unit.cell, unit.owner));
        self.cancel_pending_of_others(unit.cell, unit.owner);
        if kind == StructureKind::Bridge {
            self.set_owner(unit.cell, unit.owner);
        }
        self.tile_mut(unit.cell).structure = Some(tag);
        match kind {
            StructureKind::Bridge => self.open_eyes(unit.owner, unit.cell, false),
            StructureKind::Tower => self.open_eyes(unit.owner, unit.cell, true),
            _ => {}
        }
        self.log.push(Moment::Completed { tag });
        self.log.push(Moment::Created { tag, unit });
        self.learn_craft(unit.owner);
    }

    fn learn_craft(&mut self, player: u8) {
        let counters = &mut self.player_mut(player).counters;
        let before = crafts(counters.finished);
        counters.finished = counters.finished.saturating_add(1);
        let craft = crafts(counters.finished);
        if craft > before {
            self.log.push(Moment::Upgraded { player, craft });
        }
    }

    /// Ends what a player has under construction or finished, of the tiles for which `wanted` holds.
    pub(super) fn raze(&mut self, player: u8, killer: u8, wanted: impl Fn(&Self, Cell) -> bool) {
        let doomed: Vec<UnitTag> = self
            .units
            .iter()
            .filter(|(_, unit)| unit.owner == player && unit.kind != UnitKind::City)
            .filter(|(_, unit)| wanted(self, unit.cell))
            .map(|(tag, _)| tag)
            .collect();
        doomed.into_iter().for_each(|tag| self.destroy(tag, killer));
    }

    /// The region that a structure is in: for a bridge that of the city that would build it.
    pub(super) fn serves(&self, cell: Cell, city: usize) -> bool {
        let atlas = Arc::clone(&self.atlas);
        match atlas.region(cell) {
            Some(region) => region == city,
            None => atlas.neighbours(cell).any(|beside| atlas.region(beside) == Some(city)),
        }
    }
}
