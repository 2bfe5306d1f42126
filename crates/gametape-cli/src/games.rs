//! The games that this tool knows.

use gametape_replay::games::{self, KnownGame};
use gametape_scene::Scene;
use gametape_skirmish::SkirmishGame;
use gametape_wire::View;

/// Every known game.
pub(crate) const GAMES: [&dyn KnownGame; 1] = [&SkirmishGame];

/// The game of tapes with this `content`.
pub(crate) fn known(content: Option<&str>) -> Option<&'static dyn KnownGame> {
    games::find(&GAMES, content)
}

/// What a game adds to scenes of its views.
pub(crate) fn dress(game: &dyn KnownGame) -> Option<fn(&mut Scene, View)> {
    let is_skirmish = game.content() == SkirmishGame.content();
    is_skirmish.then_some(gametape_skirmish::scene::mark_sight)
}
