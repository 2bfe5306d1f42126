//! From a state back to messages: what a view must receive to know what it knows.
//!
//! Order matters, because messages act on each other (see `land.rs`). So the messages are tried on a
//! state while they are written, and each step writes only what still differs.

mod land;

use crate::Generation;
use gametape_wire::{Error, Result};

use super::people::{CityState, ClientState, Gone, PlayerState};
use super::{FlagState, TileState, ViewState};
use crate::map::Coord;
use crate::message::{
    Ballot, DigitTile, Duration, Message, Money, Packer, PlayerUpdate, Text, Who,
};

impl ViewState {
    /// A payload that carries `start` to this state, packed. `start` is what the same view knows
    /// of the same map before its first message.
    ///
    /// Exact for every state that messages can lead to.
    ///
    /// ```
    /// use gametape_minewars::{Coord, Dialect, Grid, ItemKind, Map, Message, Messages};
    /// use gametape_minewars::{Tile, TileKind, ViewState};
    /// use gametape_minewars::Generation;
    /// use gametape_wire::View;
    ///
    /// let land = Tile { kind: TileKind::Regular, item: ItemKind::None };
    /// let map = Map::new(Grid::Hex, 3, land)?;
    /// let start = ViewState::new(&map, View::SPECTATOR, Generation::Current);
    /// let mut state = start.clone();
    /// state.apply(&Message::SmokeStart { tile: Coord::new(1, 1) })?;
    ///
    /// let mut again = start.clone();
    /// let payload = state.rebuild_from(&start)?;
    /// for message in Messages::new(&payload, 0, Dialect::Current) {
    ///     again.apply(&message?)?;
    /// }
    /// assert_eq!(again.hash(), state.hash());
    /// # Ok::<(), gametape_wire::Error>(())
    /// ```
    pub fn rebuild_from(&self, start: &Self) -> Result<Vec<u8>> {
        let same = (self.view, self.generation) == (start.view, start.generation);
        if !same || self.geography != start.geography {
            let problem = "the two states are not of the same view on the same map";
            return Err(Error::misuse("view state", problem));
        }
        let packer = Packer::new(self.generation);
        let mut rebuild = Rebuild { goal: self, now: start.clone(), packer };
        rebuild.write_land()?;
        rebuild.write_things()?;
        rebuild.write_cities()?;
        rebuild.write_players()?;
        rebuild.write_votes()?;
        if rebuild.now != *self {
            return Err(Error::misuse("view state", "no messages lead to it"));
        }
        rebuild.packer.finish()
    }
}

/// A state on its way to another.
struct Rebuild<'s> {
    goal: &'s ViewState,
    now: ViewState,
    packer: Packer,
}

impl Rebuild<'_> {
    fn write(&mut self, message: &Message<'_>) -> Result<()> {
        self.packer.push(message)?;
        self.now.apply(message)
    }

    fn write_player(&mut self, who: Who, update: PlayerUpdate<'_>) -> Result<()> {
        self.write(&Message::Player { who, update })
    }

    fn write_owner(&mut self, index: usize, player: u8) -> Result<()> {
        self.write(&Message::Owner { player, tiles: self.coord(index).into() })
    }

    fn write_ground(&mut self, index: usize) -> Result<()> {
        let kind = self.goal.tile_at(index).kind;
        self.write(&Message::Tile { tile: self.coord(index), kind })
    }

    fn coord(&self, index: usize) -> Coord {
        self.goal.grid().coord_at(index).unwrap_or_default()
    }

    /// The tiles for which `wanted` holds: of their state now, and of the goal.
    fn tiles_where(&self, wanted: impl Fn(&TileState, &TileState) -> bool) -> Vec<usize> {
        let both = self.now.tiles().zip(self.goal.tiles()).enumerate();
        both.filter(|(_, ((_, now), (_, goal)))| wanted(now, goal)).map(|(i, _)| i).collect()
    }

    fn write_digit(&mut self, index: usize) -> Result<()> {
        let tile = self.coord(index);
        match self.goal.tile_at(index).digit {
            Some(digit) => self.write(&Message::DigitSingle { digit: DigitTile { digit, tile } }),
            None => Ok(()),
        }
    }

    /// Items, structures, constructions, flags and smoke.
    fn write_things(&mut self) -> Result<()> {
        for index in self.tiles_where(|now, goal| now != goal) {
            let tile = self.coord(index);
            let (now, goal) = (self.now.tile_at(index), self.goal.tile_at(index));
            if now.item != goal.item {
                self.write(&Message::Item { tile, kind: goal.item })?;
            }
            if let Some(kind) = goal.structure {
                self.write(&Message::Structure { tile, kind })?;
            }
            if goal.hp != 0 {
                self.write(&Message::StructureHp { tile, hp: goal.hp })?;
            }
            self.write_construction(tile, &goal)?;
            match goal.flag {
                Some(FlagState::Of(player)) => self.write(&Message::Flag { player, tile })?,
                Some(FlagState::Unnamed) => self.write(&Message::FlagPlaced { tile })?,
                None => {}
            }
            if goal.smoke {
                self.write(&Message::SmokeStart { tile })?;
            }
        }
        Ok(())
    }

    fn write_construction(&mut self, tile: Coord, goal: &TileState) -> Result<()> {
        let Some(pending) = goal.pending else { return Ok(()) };
        if let Some(kind) = pending.kind {
            self.write(&Message::ConstructionQueued { tile, kind, points: pending.points })?;
        }
        let (current, rate) = (pending.current, pending.rate);
        if pending.kind.is_none() || (current, rate) != (0, 0) {
            self.write(&Message::ConstructionProgress { tile, current, rate })?;
        }
        Ok(())
    }

    fn write_cities(&mut self) -> Result<()> {
        let goal = self.goal;
        for (city, known) in goal.cities() {
            self.write_city_fate(city, known)?;
            self.write_money(city, known)?;
            if let Some(resources) = known.resources {
                self.write(&Message::CityResources { city, resources })?;
            }
            if let Some((export, import)) = known.trade {
                self.write(&Message::CityTrade { city, export, import })?;
            }
            if !self.now.people.cities.contains_key(&city) {
                // Known of, but nothing about it: as after spending from an unknown balance.
                self.write_transfer(city, 0)?;
            }
        }
        Ok(())
    }

    fn write_city_fate(&mut self, city: u8, known: &CityState) -> Result<()> {
        if known.owner != 0 {
            self.write_player(Who::all_of(known.owner), PlayerUpdate::CityCaptured { city })?;
        }
        if let Some((player, time)) = known.capturing {
            let time = Duration(time);
            self.write_player(Who::all_of(player), PlayerUpdate::CityCapturing { city, time })?;
        }
        if let Some(player) = known.contested_by {
            self.write_player(Who::all_of(player), PlayerUpdate::CityContested { city })?;
        }
        Ok(())
    }

    /// A balance can be written up to 31 bits; transfers carry it on from there.
    fn write_money(&mut self, city: u8, known: &CityState) -> Result<()> {
        let Some(balance) = known.money else { return Ok(()) };
        let written = balance.min(i32::MAX as u32);
        let money = Money { balance: written, income: known.income };
        self.write(&Message::CityMoney { city, money })?;
        let mut missing = balance - written;
        while missing > 0 {
            let amount = missing.min(i16::MAX as u32);
            self.write_transfer(city, amount as i16)?;
            missing -= amount;
        }
        Ok(())
    }

    /// v0.1 knows spending only, so there a balance never grows by it.
    fn write_transfer(&mut self, city: u8, amount: i16) -> Result<()> {
        match self.goal.generation {
            Generation::V01 => self.write(&Message::CitySpending { city, spent: 0 }),
            Generation::Current => self.write(&Message::CityTransaction { city, amount }),
        }
    }

    fn write_players(&mut self) -> Result<()> {
        let goal = self.goal;
        for (id, player) in goal.players() {
            for (&sub, client) in &player.clients {
                self.write_client(Who { player: id, sub }, client)?;
            }
            self.write_fate(id, player)?;
        }
        Ok(())
    }

    fn write_client(&mut self, who: Who, client: &ClientState) -> Result<()> {
        if !client.name.is_empty() || (client.rtt, client.gone) == (None, None) {
            self.write_player(who, PlayerUpdate::Joined { name: Text(&client.name) })?;
        }
        if let Some(time) = client.rtt {
            self.write_player(who, PlayerUpdate::Rtt { time: Duration(time) })?;
        }
        match client.gone {
            Some(Gone::Left) => self.write_player(who, PlayerUpdate::Disconnected {}),
            Some(Gone::Kicked) => self.write_player(who, PlayerUpdate::Kicked {}),
            None => Ok(()),
        }
    }

    fn write_fate(&mut self, id: u8, player: &PlayerState) -> Result<()> {
        use PlayerUpdate as P;
        let who = Who::whole(id, self.goal.generation);
        let eliminated =
            player.eliminated && !self.now.people.players.get(&id).is_some_and(|p| p.eliminated);
        let updates = [
            player.lives.map(|lives| P::Lives { lives }),
            player.timeout.map(|time| P::Timeout { time: Duration(time) }),
            player.protected.then_some(P::Protected {}),
            player.surrendered.then_some(P::Surrendered {}),
            eliminated.then_some(P::Eliminated {}),
        ];
        for update in updates.into_iter().flatten() {
            self.write_player(who, update)?;
        }
        if !self.now.people.players.contains_key(&id) {
            // Known of, but nothing about it: as after play resumed.
            self.write_player(who, P::Resume {})?;
        }
        Ok(())
    }

    /// Who called a vote is not known any more; the whole game asks again.
    fn write_votes(&mut self) -> Result<()> {
        let goal = self.goal;
        for (id, vote) in goal.votes() {
            if !vote.text.is_empty() || vote.ballots.is_empty() {
                let text = Text(&vote.text);
                self.write_player(
                    Who::whole(0, goal.generation),
                    PlayerUpdate::VoteNew { id, text },
                )?;
            }
            for (&(player, sub), &ballot) in &vote.ballots {
                let update = PlayerUpdate::Vote { id, ballot: Ballot(ballot) };
                self.write_player(Who { player, sub }, update)?;
            }
        }
        if let Some(seconds) = goal.time_limit() {
            self.write_player(Who::whole(0, goal.generation), PlayerUpdate::TimeLimit { seconds })?;
        }
        Ok(())
    }
}
