//! The games that this tool knows.

use gametape_replay::games::{self, KnownGame};
use gametape_skirmish::SkirmishGame;

/// Every known game.
pub(crate) const GAMES: [&dyn KnownGame; 1] = [&SkirmishGame];

/// The game of tapes with this `content`.
pub(crate) fn known(content: Option<&str>) -> Option<&'static dyn KnownGame> {
    games::find(&GAMES, content)
}

/// The titles of the games, for messages.
pub(crate) fn titles() -> String {
    GAMES.map(KnownGame::title).join(", ")
}
