//! What a single message may say.

use std::borrow::Cow;

use crate::Generation;
use gametape_wire::{Error, ErrorKind, Place};

use super::rule::Rule;
use crate::dialect::Dialect;
use crate::map::{Coord, Grid, ItemKind, StructureKind, TileKind};
use crate::message::{Message, PlayerUpdate, Text, Who};
use crate::setup::SetupHeader;

/// What there is to speak of in a recording.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) dialect: Dialect,
    grid: Grid,
    radius: u8,
    max_player: u8,
    /// v0.1 does not say how many clients a player has.
    max_sub_player: Option<u8>,
    cities: u8,
}

impl Bounds {
    pub(super) fn of(header: &SetupHeader) -> Self {
        let current = header.dialect.generation() == Generation::Current;
        Self {
            dialect: header.dialect,
            grid: header.grid(),
            radius: header.radius,
            max_player: header.max_player,
            max_sub_player: current.then_some(header.max_sub_player),
            cities: header.city_count,
        }
    }
}

/// A check of one message. `report` receives the rule, and how to make the error if it is wanted.
pub(super) struct MessageCheck<'m, R> {
    pub(super) bounds: &'m Bounds,
    pub(super) message: &'m Message<'m>,
    pub(super) report: R,
}

impl<R: FnMut(Rule, &dyn Fn() -> Error)> MessageCheck<'_, R> {
    /// Checks what the message says, and how `wire` says it.
    pub(super) fn run(mut self, wire: &[u8]) {
        self.check_operands();
        if !self.message.text_gives(wire, self.bounds.dialect) {
            let problem = match self.message {
                Message::DigitRun { digits } if digits.len() == 1 => {
                    "one digit, in the form for several"
                }
                Message::DigitRun { .. } => "bits that are not zero after the last digit",
                _ => "a duration that has a finer byte",
            };
            self.wrong(Rule::NotCanonical, || problem.into());
        }
    }

    fn check_operands(&mut self) {
        match *self.message {
            Message::Player { who, update } => self.player_update(who, update),
            Message::Tremor {} => {}
            Message::SmokeStart { tile }
            | Message::SmokeEnd { tile }
            | Message::FlagPlaced { tile }
            | Message::FlagRemoved { tile }
            | Message::Debug { tile, .. }
            | Message::StructureGone { tile }
            | Message::StructureHp { tile, .. }
            | Message::ConstructionProgress { tile, .. } => self.tile(tile),
            Message::CityMoney { city, .. }
            | Message::CitySpending { city, .. }
            | Message::CityTransaction { city, .. }
            | Message::CityResources { city, .. }
            | Message::CityTrade { city, .. } => self.city(city),
            Message::Flag { player, tile } => {
                self.reserved(player > 15, "high half of the flag's player", player >> 4);
                self.player(player & 15);
                self.tile(tile);
            }
            Message::Item { tile, kind } => {
                self.tile(tile);
                self.reserved(matches!(kind, ItemKind::Unknown(_)), "item kind", kind.code());
            }
            Message::Tile { tile, kind } => {
                self.tile(tile);
                self.reserved(matches!(kind, TileKind::Unknown(_)), "tile kind", kind.code());
            }
            Message::ConstructionQueued { tile, kind, .. } | Message::Structure { tile, kind } => {
                self.tile(tile);
                let unknown = matches!(kind, StructureKind::Unknown(_));
                self.reserved(unknown, "structure kind", kind.code());
            }
            Message::Explosions { tiles } => tiles.iter().for_each(|tile| self.tile(tile)),
            Message::Owner { player, tiles } => {
                self.player(player);
                tiles.iter().for_each(|tile| self.tile(tile));
            }
            Message::DigitSingle { digit } => self.tile(digit.tile),
            Message::DigitRun { digits } => digits.iter().for_each(|digit| self.tile(digit.tile)),
        }
    }

    fn player_update(&mut self, who: Who, update: PlayerUpdate<'_>) {
        use PlayerUpdate as P;
        self.player(who.player);
        self.sub_player(who.sub);
        match update {
            P::Joined { name: text }
            | P::VoteNew { text, .. }
            | P::ChatAll { text }
            | P::ChatFriendly { text } => self.text(text),
            P::Explode { tile, killer } => {
                self.tile(tile);
                self.player(killer);
            }
            P::CityCapturing { city, .. }
            | P::CityCaptured { city }
            | P::CityContested { city } => {
                self.city(city);
            }
            P::Vote { ballot, .. } => self.reserved(ballot.0 > 1, "ballot", ballot.0),
            _ => {}
        }
    }

    /// Player 0 is nobody, or the whole game, and always there.
    fn player(&mut self, player: u8) {
        let max = self.bounds.max_player;
        if player > max {
            self.wrong(Rule::Player, || format!("player {player}, but the highest is {max}"));
        }
    }

    fn sub_player(&mut self, sub: u8) {
        if let Some(max) = self.bounds.max_sub_player
            && sub > max
            && sub != Who::EVERYONE
        {
            self.wrong(Rule::SubPlayer, || format!("sub id {sub}, but the highest is {max}"));
        }
    }

    fn tile(&mut self, tile: Coord) {
        let Bounds { grid, radius, .. } = *self.bounds;
        if !grid.contains(radius, tile) {
            let problem = || format!("tile {tile} is outside the {grid} map of radius {radius}");
            self.wrong(Rule::Tile, problem);
        }
    }

    fn city(&mut self, city: u8) {
        let count = self.bounds.cities;
        if city >= count {
            self.wrong(Rule::City, || format!("city {city}, but there are {count}"));
        }
    }

    fn text(&mut self, text: Text<'_>) {
        if text.as_str().is_none() {
            self.wrong(Rule::Text, || "text that is not UTF-8".into());
        }
    }

    fn reserved(&mut self, is_reserved: bool, what: &'static str, value: u8) {
        if is_reserved {
            self.wrong(Rule::ReservedValue, || format!("{what} {value} is reserved"));
        }
    }

    fn wrong(&mut self, rule: Rule, problem: impl Fn() -> String) {
        let generation = self.bounds.dialect.generation();
        let message = self.message;
        (self.report)(rule, &|| {
            let kind = ErrorKind::BadSyntax { problem: problem().into() };
            Error::new(Place::Nowhere, message_name(message, generation), kind)
        });
    }
}

/// The words by which a message is known.
fn message_name(message: &Message<'_>, generation: Generation) -> Cow<'static, str> {
    let word = message.word_in(generation);
    match message {
        Message::Player { update, .. } => format!("{word} {}", update.word_in(generation)).into(),
        _ => word.into(),
    }
}
