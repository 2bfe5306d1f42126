//! Orders as functions that somebody ran.

use gametape_minewars::Coord;
use gametape_replay::Order;

use super::facts::Ids;
use super::json::{object, or_null, quoted, reference};
use crate::order::{Command, VoteKind};
use crate::world::Skirmish;

/// The `data` of the delta for an order: who ran what, where, with which arguments.
pub(super) fn ran(game: &Skirmish, ids: &Ids, order: &Order<'_>) -> String {
    let (function, place, args) = match Command::from_bytes(order.payload) {
        Ok(command) => call(&command),
        Err(_) => ("unknown", None, Vec::new()),
    };
    let tile = place.and_then(|at| game.find(at)).map(|cell| reference(ids.tile(cell)));
    let run = object(&[
        ("args", object(&args)),
        ("caller", or_null(tile)),
        ("functionName", quoted(function)),
    ]);
    let player = reference(Ids::player(order.player.number()));
    object(&[("player", player), ("run", run)])
}

type Call = (&'static str, Option<Coord>, Vec<(&'static str, String)>);

fn call(command: &Command) -> Call {
    let plain = |name, at: &Coord| (name, Some(*at), Vec::new());
    match command {
        Command::Capture(at) => plain("capture", at),
        Command::Flag(at, on) => ("flag", Some(*at), vec![("on", on.to_string())]),
        Command::Deploy(at, item) => {
            ("deploy", Some(*at), vec![("item", quoted(&item.to_string()))])
        }
        Command::Build(at, kind) => ("build", Some(*at), vec![("kind", quoted(&kind.to_string()))]),
        Command::Bulldoze(at) => plain("bulldoze", at),
        Command::Harvest(at) => plain("harvest", at),
        Command::Strike(at) => plain("strike", at),
        Command::Reveal(at) => plain("reveal", at),
        Command::Smoke(at) => plain("smoke", at),
        Command::Trade { city, export, import } => {
            let numbers = [("city", city), ("export", export), ("import", import)];
            ("trade", None, numbers.map(|(name, number)| (name, number.to_string())).into())
        }
        Command::Surrender { leave } => ("surrender", None, vec![("leave", leave.to_string())]),
        Command::CallVote(kind) => ("callVote", None, vote_arguments(*kind)),
        Command::Ballot { id, yes } => {
            ("ballot", None, vec![("vote", id.to_string()), ("yes", yes.to_string())])
        }
        Command::Pause(on) => ("pause", None, vec![("on", on.to_string())]),
        Command::Chat { .. }
        | Command::Camera { .. }
        | Command::Selection { .. }
        | Command::ControlGroup { .. }
        | Command::RoundTrip(_)
        | Command::Note(..) => ("noOrder", None, Vec::new()),
    }
}

fn vote_arguments(kind: VoteKind) -> Vec<(&'static str, String)> {
    match kind {
        VoteKind::Surrender => vec![("kind", quoted("surrender"))],
        VoteKind::Draw => vec![("kind", quoted("draw"))],
        VoteKind::Kick(player) => {
            vec![("kind", quoted("kick")), ("player", reference(Ids::player(player)))]
        }
    }
}
