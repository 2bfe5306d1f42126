//! The games that Gametape knows, in one list for every tool.

use gametape_replay::games::{self, KnownGame};
use gametape_scene::Scene;
use gametape_wire::View;

use crate::SkirmishGame;

/// Every known game.
pub const GAMES: [&dyn KnownGame; 1] = [&SkirmishGame];

/// The game of tapes with this `content`.
#[must_use]
pub fn known(content: Option<&str>) -> Option<&'static dyn KnownGame> {
    games::find(&GAMES, content)
}

/// What a game adds to scenes of its views.
#[must_use]
pub fn dress(game: &dyn KnownGame) -> Option<fn(&mut Scene, View)> {
    let is_skirmish = game.content() == SkirmishGame.content();
    is_skirmish.then_some(crate::scene::mark_sight)
}
