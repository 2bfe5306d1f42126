//! Who plays in a recording, so that views can be named.

use std::collections::BTreeMap;

use gametape_cadre::{Log, Raw};
use gametape_minewars::{ReplayFile, player_names};
use gametape_tape::Tape;
use gametape_wire::{Result, View};

use crate::metadata::{Seat, players};

/// The views of a tape whose players its metadata names.
#[must_use]
pub fn players_of_tape(tape: &Tape) -> Vec<(View, String)> {
    let view = |seat: Seat| match seat {
        Seat::View(number) => u8::try_from(number).ok().and_then(View::new),
        Seat::Player(_) => None,
    };
    players(tape).into_iter().filter_map(|row| Some((view(row.seat)?, row.name))).collect()
}

/// The views of a MineWars file and their players: those of the setup, or else those that joined.
pub fn players_of_minewars(file: &ReplayFile<'_>) -> Result<Vec<(View, String)>> {
    let names = player_names(file)?.into_iter();
    Ok(names.filter_map(|(player, name)| Some((View::new(player)?, name))).collect())
}

/// The names of the players of a gamelog as the game began, by id.
#[must_use]
pub fn players_of_gamelog(log: &Log) -> BTreeMap<String, String> {
    let game = log.delta(0).and_then(|delta| delta.game());
    let objects = game.and_then(|game| game.get("gameObjects"));
    let objects = objects.iter().flat_map(Raw::entries).map_while(Result::ok);
    let is_player = |object: &Raw<'_>| {
        object.get("gameObjectName").and_then(|name| name.as_str()).is_some_and(|n| n == "Player")
    };
    let named = objects.filter(|(_, object)| is_player(object)).filter_map(|(id, object)| {
        Some((id.as_str().into_owned(), object.get("name")?.as_str()?.into_owned()))
    });
    named.collect()
}
