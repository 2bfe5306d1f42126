//! From a state back to messages: what a view must be told to know what it knows.
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
    Ballot, DigitTile, Duration, Message, Money, Packer, PlayerUpdate, Text, TileBuf, Who,
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
        rebuild.tell_land()?;
        rebuild.tell_things()?;
        rebuild.tell_cities()?;
        rebuild.tell_players()?;
        rebuild.tell_votes()?;
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
    fn tell(&mut self, message: &Message<'_>) -> Result<()> {
        self.packer.push(message)?;
        self.now.apply(message)
    }

    fn tell_player(&mut self, who: Who, update: PlayerUpdate<'_>) -> Result<()> {
        self.tell(&Message::Player { who, update })
    }

    fn tell_owner(&mut self, index: usize, player: u8) -> Result<()> {
        let mut tiles = TileBuf::new();
        tiles.push(self.coord(index));
        self.tell(&Message::Owner { player, tiles: tiles.as_tiles() })
    }

    fn tell_ground(&mut self, index: usize) -> Result<()> {
        let kind = self.goal.tile_at(index).kind;
        self.tell(&Message::Tile { tile: self.coord(index), kind })
    }

    fn coord(&self, index: usize) -> Coord {
        self.goal.grid().coord_at(index).unwrap_or_default()
    }

    /// The tiles for which `wanted` holds: of their state now, and of the goal.
    fn tiles_where(&self, wanted: impl Fn(&TileState, &TileState) -> bool) -> Vec<usize> {
        let both = self.now.tiles().zip(self.goal.tiles()).enumerate();
        both.filter(|(_, ((_, now), (_, goal)))| wanted(now, goal)).map(|(i, _)| i).collect()
    }

    fn tell_digit(&mut self, index: usize) -> Result<()> {
        let tile = self.coord(index);
        match self.goal.tile_at(index).digit {
            Some(digit) => self.tell(&Message::DigitSingle { digit: DigitTile { digit, tile } }),
            None => Ok(()),
        }
    }

    /// Items, structures, constructions, flags and smoke.
    fn tell_things(&mut self) -> Result<()> {
        for index in self.tiles_where(|now, goal| now != goal) {
            let tile = self.coord(index);
            let (now, goal) = (self.now.tile_at(index), self.goal.tile_at(index));
            if now.item != goal.item {
                self.tell(&Message::Item { tile, kind: goal.item })?;
            }
            if let Some(kind) = goal.structure {
                self.tell(&Message::Structure { tile, kind })?;
            }
            if goal.hp != 0 {
                self.tell(&Message::StructureHp { tile, hp: goal.hp })?;
            }
            self.tell_construction(tile, &goal)?;
            match goal.flag {
                Some(FlagState::Of(player)) => self.tell(&Message::Flag { player, tile })?,
                Some(FlagState::Unnamed) => self.tell(&Message::FlagPlaced { tile })?,
                None => {}
            }
            if goal.smoke {
                self.tell(&Message::SmokeStart { tile })?;
            }
        }
        Ok(())
    }

    fn tell_construction(&mut self, tile: Coord, goal: &TileState) -> Result<()> {
        let Some(pending) = goal.pending else { return Ok(()) };
        if let Some(kind) = pending.kind {
            self.tell(&Message::ConstructionQueued { tile, kind, points: pending.points })?;
        }
        let (current, rate) = (pending.current, pending.rate);
        if pending.kind.is_none() || (current, rate) != (0, 0) {
            self.tell(&Message::ConstructionProgress { tile, current, rate })?;
        }
        Ok(())
    }

    fn tell_cities(&mut self) -> Result<()> {
        let goal = self.goal;
        for (city, known) in goal.cities() {
            self.tell_city_fate(city, known)?;
            self.tell_money(city, known)?;
            if let Some(resources) = known.resources {
                self.tell(&Message::CityResources { city, resources })?;
            }
            if let Some((export, import)) = known.trade {
                self.tell(&Message::CityTrade { city, export, import })?;
            }
            if !self.now.people.cities.contains_key(&city) {
                // Heard of, but nothing known: as after spending from an unknown balance.
                self.tell_transfer(city, 0)?;
            }
        }
        Ok(())
    }

    fn tell_city_fate(&mut self, city: u8, known: &CityState) -> Result<()> {
        if known.owner != 0 {
            self.tell_player(Who::all_of(known.owner), PlayerUpdate::CityCaptured { city })?;
        }
        if let Some((player, time)) = known.capturing {
            let time = Duration(time);
            self.tell_player(Who::all_of(player), PlayerUpdate::CityCapturing { city, time })?;
        }
        if let Some(player) = known.contested_by {
            self.tell_player(Who::all_of(player), PlayerUpdate::CityContested { city })?;
        }
        Ok(())
    }

    /// A balance can be told up to 31 bits; transfers carry it on from there.
    fn tell_money(&mut self, city: u8, known: &CityState) -> Result<()> {
        let Some(balance) = known.money else { return Ok(()) };
        let told = balance.min(i32::MAX as u32);
        let money = Money { balance: told, income: known.income };
        self.tell(&Message::CityMoney { city, money })?;
        let mut missing = balance - told;
        while missing > 0 {
            let amount = missing.min(i16::MAX as u32);
            self.tell_transfer(city, amount as i16)?;
            missing -= amount;
        }
        Ok(())
    }

    /// v0.1 knows spending only, so there a balance never grows by it.
    fn tell_transfer(&mut self, city: u8, amount: i16) -> Result<()> {
        match self.goal.generation {
            Generation::V01 => self.tell(&Message::CitySpending { city, spent: 0 }),
            Generation::Current => self.tell(&Message::CityTransaction { city, amount }),
        }
    }

    fn tell_players(&mut self) -> Result<()> {
        let goal = self.goal;
        for (id, player) in goal.players() {
            for (&sub, client) in &player.clients {
                self.tell_client(Who { player: id, sub }, client)?;
            }
            self.tell_fate(id, player)?;
        }
        Ok(())
    }

    fn tell_client(&mut self, who: Who, client: &ClientState) -> Result<()> {
        if !client.name.is_empty() || (client.rtt, client.gone) == (None, None) {
            self.tell_player(who, PlayerUpdate::Joined { name: Text(&client.name) })?;
        }
        if let Some(time) = client.rtt {
            self.tell_player(who, PlayerUpdate::Rtt { time: Duration(time) })?;
        }
        match client.gone {
            Some(Gone::Left) => self.tell_player(who, PlayerUpdate::Disconnected {}),
            Some(Gone::Kicked) => self.tell_player(who, PlayerUpdate::Kicked {}),
            None => Ok(()),
        }
    }

    fn tell_fate(&mut self, id: u8, player: &PlayerState) -> Result<()> {
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
            self.tell_player(who, update)?;
        }
        if !self.now.people.players.contains_key(&id) {
            // Heard of, but nothing known: as after play resumed.
            self.tell_player(who, P::Resume {})?;
        }
        Ok(())
    }

    /// Who called a vote is not known any more; the whole game asks again.
    fn tell_votes(&mut self) -> Result<()> {
        let goal = self.goal;
        for (id, vote) in goal.votes() {
            if !vote.text.is_empty() || vote.ballots.is_empty() {
                let text = Text(&vote.text);
                self.tell_player(
                    Who::whole(0, goal.generation),
                    PlayerUpdate::VoteNew { id, text },
                )?;
            }
            for (&(player, sub), &ballot) in &vote.ballots {
                let update = PlayerUpdate::Vote { id, ballot: Ballot(ballot) };
                self.tell_player(Who { player, sub }, update)?;
            }
        }
        if let Some(seconds) = goal.time_limit() {
            self.tell_player(Who::whole(0, goal.generation), PlayerUpdate::TimeLimit { seconds })?;
        }
        Ok(())
    }
}
