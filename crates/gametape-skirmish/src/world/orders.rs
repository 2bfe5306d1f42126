//! Orders: what is allowed, and what each does. What is refused changes nothing.

use gametape_minewars::{Coord, ItemKind, TileKind};

use super::log::Refusal;
use super::{Ability, Collected, Moment, Pause, Skirmish};
use crate::atlas::Cell;
use crate::order::{Channel, Command};
use crate::rules::{
    LONGEST_PAUSE, PAUSES, REVEAL_COST, SMOKE_COST, STRIKE_COST, STRIKE_PAUSE, item_cost,
};

// Reasons that several orders are refused for.
pub(super) const NO_LAND: &str = "the tile is not land";
pub(super) const OWN_TILE: &str = "the tile is the player's own";
pub(super) const NOT_OWN_LAND: &str = "the tile is not the player's land";
pub(super) const NO_REGION: &str = "the tile belongs to no city";
pub(super) const CITY_THERE: &str = "a city is there";
pub(super) const STRUCTURE_THERE: &str = "a structure is there";
pub(super) const ITEM_THERE: &str = "an item is there";
pub(super) const SMOKED: &str = "the tile is in smoke";
pub(super) const PROTECTED: &str = "the owner of the tile is protected";
const OUT_OF_SIGHT: &str = "the tile is not in sight";

impl Skirmish {
    /// Carries out an order of a player of the match.
    pub(super) fn execute(&mut self, player: u8, command: &Command) -> Result<(), Refusal> {
        if command.channel() != Channel::Game {
            return Err(Refusal::NoInput);
        }
        if self.outcome.is_some() {
            return Err(Refusal::Over);
        }
        if !self.is_in(player) {
            return Err(Refusal::Out);
        }
        match *command {
            Command::Surrender { leave } => {
                self.surrender(player, leave);
                Ok(())
            }
            Command::CallVote { kind } => self.call_vote(player, kind),
            Command::Ballot { id, yes } => self.cast_ballot(player, id, yes),
            Command::Pause { on } => self.set_pause(player, on),
            _ if self.pause.is_some() => Err(Refusal::Paused),
            _ if self.players[usize::from(player)].timeout_end != 0 => Err(Refusal::TimedOut),
            _ => self.execute_in_play(player, command),
        }
    }

    /// Orders that need a match that is not paused and a player who is not timed out.
    fn execute_in_play(&mut self, player: u8, command: &Command) -> Result<(), Refusal> {
        match *command {
            Command::Capture { tile } => self.capture(player, self.named(tile)?),
            Command::Flag { tile, on } => self.set_flag(player, self.named(tile)?, on),
            Command::Deploy { tile, item } => self.deploy(player, self.named(tile)?, item),
            Command::Build { tile, kind } => self.start_structure(player, self.named(tile)?, kind),
            Command::Bulldoze { tile } => self.bulldoze(player, self.named(tile)?),
            Command::Harvest { tile } => self.harvest(player, self.named(tile)?),
            Command::Strike { tile } => self.strike(player, self.named(tile)?),
            Command::Reveal { tile } => self.reveal(player, self.named(tile)?),
            Command::Smoke { tile } => self.smoke_screen(player, self.named(tile)?),
            Command::Trade { city, export, import } => {
                self.set_trade(player, city.into(), export, import)
            }
            _ => Err(Refusal::NoInput),
        }
    }

    /// The tile that an order names.
    fn named(&self, tile: Coord) -> Result<Cell, Refusal> {
        self.find(tile).ok_or(Refusal::Because("there is no such tile"))
    }

    fn set_flag(&mut self, player: u8, cell: Cell, on: bool) -> Result<(), Refusal> {
        let tile = self.tile(cell);
        let bit = 1 << player;
        if on {
            Refusal::unless(tile.ground.is_land(), NO_LAND)?;
            Refusal::unless(tile.owner != player, OWN_TILE)?;
            Refusal::unless(tile.flags & bit == 0, "the player's flag is there already")?;
            Refusal::unless(self.sees(player, cell), OUT_OF_SIGHT)?;
        } else {
            Refusal::unless(tile.flags & bit != 0, "no flag of the player is there")?;
        }
        self.tile_mut(cell).flags ^= bit;
        self.log.touch(cell);
        Ok(())
    }

    fn deploy(&mut self, player: u8, cell: Cell, item: ItemKind) -> Result<(), Refusal> {
        let tile = self.tile(cell);
        Refusal::unless(tile.owner == player && tile.ground.is_land(), NOT_OWN_LAND)?;
        Refusal::unless(tile.structure.is_none(), STRUCTURE_THERE)?;
        Refusal::unless(tile.item == ItemKind::None, ITEM_THERE)?;
        let unused = !self.pending.contains_key(&(cell, player));
        Refusal::unless(unused, "the player is building there")?;
        Refusal::unless(self.atlas.city_at(cell).is_none(), CITY_THERE)?;
        self.pay(player, item_cost(item))?;
        self.tile_mut(cell).item = item;
        self.touch_with_digits(cell);
        Ok(())
    }

    fn harvest(&mut self, player: u8, cell: Cell) -> Result<(), Refusal> {
        let tile = self.tile(cell);
        let amount = match tile.ground {
            TileKind::Regular => 40,
            TileKind::Fertile => 80,
            _ => return Err(Refusal::Because("there is nothing to harvest")),
        };
        let city = self.atlas.region(cell).ok_or(Refusal::Because(NO_REGION))?;
        Refusal::unless(tile.owner == player, NOT_OWN_LAND)?;
        Refusal::unless(self.city_owner(city) == player, "the city is not the player's")?;
        Refusal::unless(tile.structure.is_none(), STRUCTURE_THERE)?;
        self.set_ground(cell, TileKind::Foundation);
        let resources = &mut self.cities[city].resources;
        *resources = resources.saturating_add(amount);
        self.log.cities_touched = true;
        self.log.touch(cell);
        let (what, amount) = (Collected::Harvest, amount.into());
        self.log.push(Moment::Collected { player, what, amount });
        Ok(())
    }

    fn strike(&mut self, player: u8, cell: Cell) -> Result<(), Refusal> {
        let owner = self.tile(cell).owner;
        Refusal::unless(self.is_footing(cell), "the tile is neither land nor a bridge")?;
        Refusal::unless(owner != player, OWN_TILE)?;
        Refusal::unless(self.atlas.city_at(cell).is_none(), CITY_THERE)?;
        let ready = self.players[usize::from(player)].strike_ready <= self.clock;
        Refusal::unless(ready, "the last strike was too short ago")?;
        Refusal::unless(self.sees(player, cell), OUT_OF_SIGHT)?;
        Refusal::unless(!self.is_smoked(cell), SMOKED)?;
        Refusal::unless(!self.is_protected(owner), PROTECTED)?;
        self.pay(player, STRIKE_COST)?;
        self.player_mut(player).strike_ready = self.clock + STRIKE_PAUSE;
        let items = u32::from(self.tile(cell).item != ItemKind::None);
        self.explode(cell);
        let mut hits = vec![(cell, 2)];
        hits.extend(self.atlas.neighbours(cell).map(|beside| (beside, 1)));
        let (mut buildings, mut destroyed) = (0, 0);
        for (cell, damage) in hits {
            if let Some(gone) = self.damage(cell, damage, player) {
                buildings += 1;
                destroyed += u32::from(gone);
            }
        }
        let ability = Ability::Strike;
        self.log.push(Moment::Ability { player, ability, cell, destroyed, buildings, items });
        Ok(())
    }

    fn reveal(&mut self, player: u8, cell: Cell) -> Result<(), Refusal> {
        let tile = self.tile(cell);
        Refusal::unless(tile.ground.is_land(), NO_LAND)?;
        Refusal::unless(tile.owner != player, OWN_TILE)?;
        Refusal::unless(self.sees(player, cell), OUT_OF_SIGHT)?;
        Refusal::unless(!self.is_smoked(cell), SMOKED)?;
        let item = tile.item;
        self.pay(player, REVEAL_COST)?;
        self.log.touch(cell);
        self.log.push(Moment::Revealed { player, cell, item });
        self.note_ability(player, Ability::Reveal, cell);
        Ok(())
    }

    fn smoke_screen(&mut self, player: u8, cell: Cell) -> Result<(), Refusal> {
        Refusal::unless(self.sees(player, cell), OUT_OF_SIGHT)?;
        self.pay(player, SMOKE_COST)?;
        self.smoke_tile(cell);
        self.smoke_around(cell);
        self.note_ability(player, Ability::Smoke, cell);
        Ok(())
    }

    fn note_ability(&mut self, player: u8, ability: Ability, cell: Cell) {
        let (destroyed, buildings, items) = (0, 0, 0);
        self.log.push(Moment::Ability { player, ability, cell, destroyed, buildings, items });
    }

    fn set_trade(
        &mut self,
        player: u8,
        city: usize,
        export: u8,
        import: u8,
    ) -> Result<(), Refusal> {
        let state = self.cities.get(city).ok_or(Refusal::Because("there is no such city"))?;
        let same = (state.export, state.import) == (export, import);
        Refusal::unless(self.city_owner(city) == player, "the city is not the player's")?;
        Refusal::unless(!same, "the city trades like this already")?;
        (self.cities[city].export, self.cities[city].import) = (export, import);
        self.log.cities_touched = true;
        Ok(())
    }

    fn set_pause(&mut self, player: u8, on: bool) -> Result<(), Refusal> {
        if !on {
            Refusal::unless(self.pause.is_some(), "the match is not paused")?;
            self.end_pause();
            return Ok(());
        }
        Refusal::unless(self.pause.is_none(), "the match is paused already")?;
        let pauses = &mut self.players[usize::from(player)].counters.pauses;
        Refusal::unless(*pauses < PAUSES, "the player has no pauses left")?;
        *pauses += 1;
        self.pause = Some(Pause { by: player, ticks_left: LONGEST_PAUSE });
        self.log.push(Moment::Paused { player, on });
        Ok(())
    }

    pub(super) fn end_pause(&mut self) {
        if let Some(Pause { by: player, .. }) = self.pause.take() {
            self.log.push(Moment::Paused { player, on: false });
        }
    }

    /// Takes money from the player's richest city.
    pub(super) fn pay(&mut self, player: u8, cost: u32) -> Result<(), Refusal> {
        let own = (0..self.cities.len()).filter(|city| self.city_owner(*city) == player);
        // Of equal ones max_by_key takes the last, so the lowest must come last.
        let richest = own.rev().max_by_key(|city| self.cities[*city].money);
        let richest = richest.ok_or(Refusal::Because("the player has no city"))?;
        let money = &mut self.cities[richest].money;
        let left = money.checked_sub(cost);
        *money = left.ok_or(Refusal::Because("no city of the player has enough money"))?;
        self.log.push(Moment::Paid { city: richest, amount: -(cost as i32) });
        Ok(())
    }
}
