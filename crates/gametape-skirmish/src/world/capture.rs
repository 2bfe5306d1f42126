//! Capturing tiles, and what goes off doing so.

use std::collections::VecDeque;
use std::sync::Arc;

use gametape_minewars::{Digit, ItemKind, StructureKind, TileKind};

use super::log::Refusal;
use super::orders::{CITY_THERE, NO_LAND, OWN_TILE, PROTECTED, SMOKED, STRUCTURE_THERE};
use super::{Collected, Moment, Skirmish, Tile};
use crate::atlas::Cell;
use crate::rules::{CAPTURE_MS, EXPANSION, MOST_DIGIT, SMOKE, TICK_MS, TIMEOUT};

impl Skirmish {
    pub(super) fn capture(&mut self, player: u8, cell: Cell) -> Result<(), Refusal> {
        let tile = self.tile(cell);
        if let Some(why) = self.obstacle(player, tile, cell) {
            return Err(Refusal::Because(why));
        }
        Refusal::unless(!self.is_protected(tile.owner), PROTECTED)?;
        let barred = self.structure_at(cell).is_some_and(|kind| kind != StructureKind::Road);
        Refusal::unless(!barred, STRUCTURE_THERE)?;
        let ready = self.players[usize::from(player)].ready_at <= self.now_ms();
        Refusal::unless(ready, "the last capture was too short ago")?;
        let touches = self.touches_own_land(player, cell);
        Refusal::unless(touches, "the tile is not next to the player's land")?;
        let earliest = self.now_ms().saturating_sub(u64::from(TICK_MS));
        let state = self.player_mut(player);
        state.ready_at = state.ready_at.max(earliest) + CAPTURE_MS;
        match self.tile(cell).item {
            ItemKind::Mine => {
                self.set_off_mine(player, cell);
                return Ok(());
            }
            ItemKind::Decoy => self.break_decoy(player, cell),
            ItemKind::Trap => self.smoke_around(cell),
            ItemKind::None | ItemKind::Unknown(_) => {}
        }
        self.expand(player, cell);
        Ok(())
    }

    /// Why the player could not take a tile like this, wherever it lies.
    fn obstacle(&self, player: u8, tile: &Tile, cell: Cell) -> Option<&'static str> {
        let is_flagged = tile.flags & 1 << player != 0;
        match tile {
            _ if !tile.ground.is_land() => Some(NO_LAND),
            _ if tile.owner == player => Some(OWN_TILE),
            _ if tile.smoke_end != 0 => Some(SMOKED),
            _ if is_flagged => Some("the player's flag is there"),
            _ if self.atlas.city_at(cell).is_some() => Some(CITY_THERE),
            _ => None,
        }
    }

    fn set_off_mine(&mut self, player: u8, cell: Cell) {
        let killer = self.tile(cell).owner;
        self.explode(cell);
        self.damage(cell, 2, player);
        let end = self.clock + TIMEOUT;
        let state = self.player_mut(player);
        state.timeout_end = end;
        state.counters.timeouts = state.counters.timeouts.saturating_add(1);
        self.log.push(Moment::Died { player, cell, killer });
    }

    fn break_decoy(&mut self, player: u8, cell: Cell) {
        let city = self.atlas.region(cell).filter(|city| self.city_owner(*city) == player);
        if let Some(city) = city {
            let amount = 10 + self.dice.below(41) as u32;
            self.cities[city].money = self.cities[city].money.saturating_add(amount);
            self.log.push(Moment::Paid { city, amount: amount as i32 });
            self.log.push(Moment::Collected { player, what: Collected::Scrap, amount });
        }
    }

    /// Takes a tile and, from digits of 0, those around.
    fn expand(&mut self, player: u8, start: Cell) {
        let atlas = Arc::clone(&self.atlas);
        self.take_tile(player, start);
        let mut taken = 1;
        let mut open = VecDeque::from([start]);
        while let Some(cell) = open.pop_front() {
            if self.digit(player, cell).value != 0 {
                continue;
            }
            for beside in atlas.neighbours(cell) {
                let tile = self.tile(beside);
                if taken < EXPANSION
                    && tile.owner == 0
                    && self.obstacle(player, tile, beside).is_none()
                {
                    self.take_tile(player, beside);
                    taken += 1;
                    open.push_back(beside);
                }
            }
        }
    }

    fn take_tile(&mut self, player: u8, cell: Cell) {
        let from = self.tile(cell).owner;
        if let Some(tag) = self.tile(cell).structure {
            self.destroy(tag, player);
        }
        self.cancel_pending_of_others(cell, player);
        let tile = self.tile_mut(cell);
        tile.item = ItemKind::None;
        tile.flags &= !(1 << player);
        self.set_owner(cell, player);
        self.log.push(Moment::Captured { cell, by: player, from });
    }

    /// The digit that a player's tile shows.
    pub(crate) fn digit(&self, player: u8, cell: Cell) -> Digit {
        let mut digit = Digit::default();
        for beside in self.atlas.neighbours(cell) {
            let tile = self.tile(beside);
            if tile.item != ItemKind::None && tile.owner != player {
                digit.value = (digit.value + 1).min(MOST_DIGIT);
                digit.asterisk |= tile.item != ItemKind::Mine;
            }
        }
        digit
    }

    /// A tile explodes: land is destroyed, an item gone.
    pub(super) fn explode(&mut self, cell: Cell) {
        self.tile_mut(cell).item = ItemKind::None;
        if self.tile(cell).ground.is_land() {
            self.set_ground(cell, TileKind::Destroyed);
        }
        self.touch_with_digits(cell);
        self.log.push(Moment::Exploded { cell });
    }

    pub(super) fn smoke_around(&mut self, cell: Cell) {
        let atlas = Arc::clone(&self.atlas);
        atlas.neighbours(cell).for_each(|beside| self.smoke_tile(beside));
    }

    pub(super) fn smoke_tile(&mut self, cell: Cell) {
        let end = self.clock + SMOKE;
        self.tile_mut(cell).smoke_end = end;
        self.smoke.push_back((end, cell));
        self.log.touch(cell);
    }
}
