//! What happens to players, and what they say.

use gametape_minewars::Generation;
use gametape_minewars::{Ballot, Coord, ItemKind, Message, PlayerUpdate, Text, TileBuf, TileKind};

use super::ViewUpdate;
use crate::atlas::Cell;
use crate::order::{Command, VoteKind};
use crate::rules::{CITY_CAPTURE, SECOND, TICK_MS, TIMEOUT};
use crate::world::Moment;

/// How often the time limit is reported.
const MINUTE: u64 = 60 * SECOND;

impl ViewUpdate<'_> {
    pub(super) fn moment(&mut self, moment: &Moment) {
        use PlayerUpdate as P;
        match *moment {
            Moment::Exploded { cell } => self.exploded(cell),
            Moment::Captured { cell, from, .. } if self.is_me(from) => {
                self.send_item(self.game.atlas.coord(cell), ItemKind::None);
            }
            Moment::Revealed { player, cell, item } if self.is_me(player) => {
                self.send_item(self.game.atlas.coord(cell), item);
            }
            Moment::Died { player, cell, killer } => self.died(player, cell, killer),
            Moment::Resumed { player } => self.send_player(player, P::Resume {}),
            Moment::Unprotected { player } => self.send_player(player, P::Unprotected {}),
            Moment::Eliminated { player } => self.send_player(player, P::Eliminated {}),
            Moment::Surrendered { player } => self.send_player(player, P::Surrendered {}),
            Moment::Left { player } => self.send_client(player, P::Disconnected {}),
            Moment::Kicked { player } => self.send_client(player, P::Kicked {}),
            Moment::VoteCalled { .. } | Moment::Ballot { .. } | Moment::VoteEnded { .. } => {
                self.vote(moment);
            }
            Moment::CityCapturing { city, by } if self.sees_city(city) => {
                let time = self.duration(CITY_CAPTURE as u32 * TICK_MS);
                self.send_player(by, P::CityCapturing { city: city as u8, time });
            }
            Moment::CityContested { city, by } if self.sees_city(city) => {
                self.send_player(by, P::CityContested { city: city as u8 });
            }
            _ => {}
        }
    }

    fn sees_city(&self, city: usize) -> bool {
        self.sees(self.game.atlas.cities[city].cell)
    }

    fn exploded(&mut self, cell: Cell) {
        let tile = self.game.atlas.coord(cell);
        let mut tiles = TileBuf::new();
        tiles.push(tile);
        self.send(&Message::Explosions { tiles: tiles.as_tiles() });
        // In v0.1 the explosion says so itself, and bridges need the opposite.
        let ground = self.game.tile(cell).ground;
        if (self.generation == Generation::Current) == (ground == TileKind::Destroyed) {
            self.send(&Message::Tile { tile, kind: ground });
        }
    }

    pub(super) fn send_item(&mut self, tile: Coord, kind: ItemKind) {
        if self.state.tile(tile).is_some_and(|known| known.item != kind) {
            self.send(&Message::Item { tile, kind });
        }
    }

    fn died(&mut self, player: u8, cell: Cell, killer: u8) {
        if self.is_me(player) || self.sees(cell) {
            let tile = self.game.atlas.coord(cell);
            self.send_player(player, PlayerUpdate::Explode { tile, killer });
        }
        let time = self.duration(TIMEOUT as u32 * TICK_MS);
        self.send_player(player, PlayerUpdate::Timeout { time });
    }

    fn vote(&mut self, moment: &Moment) {
        use PlayerUpdate as P;
        match *moment {
            Moment::VoteCalled { id, kind, by } => {
                let text = vote_text(kind);
                self.send_client(by, P::VoteNew { id, text: Text::from(&text[..]) });
            }
            Moment::Ballot { id, by, yes } => {
                self.send_client(by, P::Vote { id, ballot: Ballot(yes.into()) });
            }
            Moment::VoteEnded { id, by, passed: true } => {
                self.send_client(by, P::VotePassed { id });
            }
            Moment::VoteEnded { id, by, passed: false } => {
                self.send_client(by, P::VoteFailed { id });
            }
            _ => {}
        }
    }

    /// The time that is left, now and then.
    pub(super) fn clock(&mut self, first: bool) {
        let on_the_minute = |clock: u64| clock != 0 && clock.is_multiple_of(MINUTE);
        if first || self.game.log.clock.is_some_and(on_the_minute) {
            let gone = self.game.log.clock.unwrap_or(0) / SECOND;
            let seconds = u64::from(self.game.config.time_limit).saturating_sub(gone) as u16;
            self.send_player(0, PlayerUpdate::TimeLimit { seconds });
        }
    }

    pub(super) fn input(&mut self, player: u8, command: &Command) {
        use PlayerUpdate as P;
        let own = self.is_spectator() || self.is_me(player);
        match command {
            Command::Chat { friends: false, text } => {
                self.send_client(player, P::ChatAll { text: Text::from(&text[..]) });
            }
            Command::Chat { friends: true, text } if own => {
                self.send_client(player, P::ChatFriendly { text: Text::from(&text[..]) });
            }
            Command::RoundTrip { ms } => {
                let time = self.duration((*ms).into());
                self.send_client(player, P::Rtt { time });
            }
            Command::Note { value, tile } if own && self.game.find(*tile).is_some() => {
                self.send(&Message::Debug { value: *value, tile: *tile });
            }
            _ => {}
        }
    }
}

pub(crate) fn vote_text(kind: VoteKind) -> String {
    match kind {
        VoteKind::Surrender => "surrender".to_owned(),
        VoteKind::Draw => "draw".to_owned(),
        VoteKind::Kick(player) => format!("kick {player}"),
    }
}
