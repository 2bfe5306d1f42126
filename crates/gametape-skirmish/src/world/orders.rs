//! Orders: what is allowed, and what each does. What is refused changes nothing.

use gametape_minewars::{Coord, ItemKind, TileKind};

use super::log::Refusal;
use super::{Ability, Collected, Moment, Pause, Skirmish};
use crate::atlas::Cell;
use crate::order::{Channel, Command};
use crate::rules::{
    LONGEST_PAUSE, PAUSES, REVEAL_COST, SMOKE_COST, STRIKE_COST, STRIKE_PAUSE, item_cost,
};

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
        let done = match *command {
            Command::Surrender { leave } => self.surrender(player, leave),
            Command::CallVote { kind } => self.call_vote(player, kind),
            Command::Ballot { id, yes } => self.cast_ballot(player, id, yes),
            Command::Pause { on } => self.set_pause(player, on),
            _ if self.pause.is_some() => return Err(Refusal::Paused),
            _ if self.players[usize::from(player)].timeout_end != 0 => {
                return Err(Refusal::TimedOut);
            }
            _ => self.execute_in_play(player, command),
        };
        done.ok_or_else(|| Refusal::Rule(command.rule()))
    }

    /// Orders that need a match that is not paused and a player who is not timed out. `None` means
    /// that a rule forbids it.
    fn execute_in_play(&mut self, player: u8, command: &Command) -> Option<()> {
        match *command {
            Command::Capture { tile } => self.capture(player, self.find(tile)?),
            Command::Flag { tile, on } => self.set_flag(player, self.find(tile)?, on),
            Command::Deploy { tile, item } => self.deploy(player, self.find(tile)?, item),
            Command::Build { tile, kind } => self.start_structure(player, self.find(tile)?, kind),
            Command::Bulldoze { tile } => self.bulldoze(player, self.find(tile)?),
            Command::Harvest { tile } => self.harvest(player, self.find(tile)?),
            Command::Strike { tile } => self.strike(player, tile),
            Command::Reveal { tile } => self.reveal(player, tile),
            Command::Smoke { tile } => self.smoke_screen(player, tile),
            Command::Trade { city, export, import } => {
                self.set_trade(player, city.into(), export, import)
            }
            _ => None,
        }
    }

    fn set_flag(&mut self, player: u8, cell: Cell, on: bool) -> Option<()> {
        let tile = self.tile(cell);
        let bit = 1 << player;
        let allowed = match on {
            true => {
                let fits = tile.ground.is_land() && tile.owner != player;
                fits && tile.flags & bit == 0 && self.sees(player, cell)
            }
            false => tile.flags & bit != 0,
        };
        allowed.then_some(())?;
        self.tile_mut(cell).flags ^= bit;
        self.log.touch(cell);
        Some(())
    }

    fn deploy(&mut self, player: u8, cell: Cell, item: ItemKind) -> Option<()> {
        let tile = self.tile(cell);
        let free = tile.structure.is_none() && tile.item == ItemKind::None;
        let own = tile.owner == player && tile.ground.is_land();
        let unused = !self.pending.contains_key(&(cell, player));
        (own && free && unused && self.atlas.city_at(cell).is_none()).then_some(())?;
        self.pay(player, item_cost(item))?;
        self.tile_mut(cell).item = item;
        self.touch_with_digits(cell);
        Some(())
    }

    fn harvest(&mut self, player: u8, cell: Cell) -> Option<()> {
        let tile = self.tile(cell);
        let amount = match tile.ground {
            TileKind::Regular => 40,
            TileKind::Fertile => 80,
            _ => return None,
        };
        let city = self.atlas.region(cell)?;
        let own = tile.owner == player && self.city_owner(city) == player;
        (own && tile.structure.is_none()).then_some(())?;
        self.set_ground(cell, TileKind::Foundation);
        let resources = &mut self.cities[city].resources;
        *resources = resources.saturating_add(amount);
        self.log.cities_touched = true;
        self.log.touch(cell);
        let (what, amount) = (Collected::Harvest, amount.into());
        self.log.push(Moment::Collected { player, what, amount });
        Some(())
    }

    fn strike(&mut self, player: u8, target: Coord) -> Option<()> {
        let cell = self.find(target)?;
        let owner = self.tile(cell).owner;
        let target = self.is_footing(cell) && owner != player && self.atlas.city_at(cell).is_none();
        let ready = self.players[usize::from(player)].strike_ready <= self.clock;
        let open = self.sees(player, cell) && !self.is_smoked(cell) && !self.is_protected(owner);
        (target && ready && open).then_some(())?;
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
        Some(())
    }

    fn reveal(&mut self, player: u8, target: Coord) -> Option<()> {
        let cell = self.find(target)?;
        let tile = self.tile(cell);
        let hidden = tile.ground.is_land() && tile.owner != player;
        (hidden && self.sees(player, cell) && !self.is_smoked(cell)).then_some(())?;
        let item = tile.item;
        self.pay(player, REVEAL_COST)?;
        self.log.touch(cell);
        self.log.push(Moment::Revealed { player, cell, item });
        self.note_ability(player, Ability::Reveal, cell);
        Some(())
    }

    fn smoke_screen(&mut self, player: u8, target: Coord) -> Option<()> {
        let cell = self.find(target)?;
        self.sees(player, cell).then_some(())?;
        self.pay(player, SMOKE_COST)?;
        self.smoke_tile(cell);
        self.smoke_around(cell);
        self.note_ability(player, Ability::Smoke, cell);
        Some(())
    }

    fn note_ability(&mut self, player: u8, ability: Ability, cell: Cell) {
        let (destroyed, buildings, items) = (0, 0, 0);
        self.log.push(Moment::Ability { player, ability, cell, destroyed, buildings, items });
    }

    fn set_trade(&mut self, player: u8, city: usize, export: u8, import: u8) -> Option<()> {
        let state = self.cities.get(city)?;
        let same = (state.export, state.import) == (export, import);
        (!same && self.city_owner(city) == player).then_some(())?;
        (self.cities[city].export, self.cities[city].import) = (export, import);
        self.log.cities_touched = true;
        Some(())
    }

    fn set_pause(&mut self, player: u8, on: bool) -> Option<()> {
        if !on {
            self.pause?;
            self.end_pause();
            return Some(());
        }
        let pauses = &mut self.players[usize::from(player)].counters.pauses;
        (self.pause.is_none() && *pauses < PAUSES).then_some(())?;
        *pauses += 1;
        self.pause = Some(Pause { by: player, ticks_left: LONGEST_PAUSE });
        self.log.push(Moment::Paused { player, on });
        Some(())
    }

    pub(super) fn end_pause(&mut self) {
        if let Some(Pause { by: player, .. }) = self.pause.take() {
            self.log.push(Moment::Paused { player, on: false });
        }
    }

    /// Takes money from the player's richest city.
    pub(super) fn pay(&mut self, player: u8, cost: u32) -> Option<()> {
        let own = (0..self.cities.len()).filter(|city| self.city_owner(*city) == player);
        // Of equal ones max_by_key takes the last, so the lowest must come last.
        let richest = own.rev().max_by_key(|city| self.cities[*city].money)?;
        let money = &mut self.cities[richest].money;
        *money = money.checked_sub(cost)?;
        self.log.push(Moment::Paid { city: richest, amount: -(cost as i32) });
        Some(())
    }
}
