//! Orders as functions that somebody ran.

use gametape_replay::Order;

use super::facts::Ids;
use super::json::{object, or_null, quoted, reference};
use crate::order::{Argument, Channel, Command};
use crate::world::{Refusal, Skirmish};

/// The `data` of the delta for an order: who ran what, where, with which arguments, and what came
/// of it.
pub(super) fn ran(
    game: &Skirmish,
    ids: &Ids,
    order: &Order<'_>,
    answer: Option<Result<(), Refusal>>,
) -> String {
    let command = Command::from_bytes(order.payload).ok();
    let command = command.filter(|command| command.channel() == Channel::Game);
    let mut tile = None;
    let mut args = Vec::new();
    for (name, argument) in command.iter().flat_map(Command::arguments) {
        match argument {
            Argument::Tile(at) => tile = game.find(at),
            other => args.push((name, json_of(&other))),
        }
    }
    let run = object(&[
        ("args", object(&args)),
        ("caller", or_null(tile.map(|cell| reference(ids.tile(cell))))),
        ("functionName", quoted(command.as_ref().map_or("unknown", Command::name))),
    ]);
    let player = reference(Ids::player(order.player.number()));
    let refusal = answer.and_then(Result::err).map(|refusal| quoted(&refusal.to_string()));
    object(&[
        ("player", player),
        ("run", run),
        ("returned", or_null(answer.map(|answer| answer.is_ok().to_string()))),
        ("invalid", or_null(refusal)),
    ])
}

fn json_of(argument: &Argument<'_>) -> String {
    match argument {
        Argument::Flag(is) => is.to_string(),
        Argument::Number(number) => number.to_string(),
        Argument::Player(player) => reference(Ids::player(*player)),
        other => quoted(&other.to_string()),
    }
}
