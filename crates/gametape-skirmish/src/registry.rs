//! The games that Gametape knows, in one list for every tool.

use gametape_replay::games::{self, KnownGame};
use gametape_scene::Scene;
use gametape_wire::View;

use crate::SkirmishGame;
use crate::known::WatchedSkirmish;

/// Every known game.
pub const GAMES: [&dyn KnownGame; 1] = [&SkirmishGame];

/// Every known game, for those who only watch: none of them is simulated. *Why a list of its own: the browser loads what it
/// names, and the rules of the games are the larger part.*
pub const WATCHED: [&dyn KnownGame; 1] = [&WatchedSkirmish];

/// What the game of tapes with this `content` adds to scenes of its views.
#[must_use]
pub fn dress(content: Option<&str>) -> Option<fn(&mut Scene, View)> {
    let is_skirmish = games::find(&WATCHED, content)?.content() == WatchedSkirmish.content();
    is_skirmish.then_some(crate::scene::mark_sight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lists_have_the_same_games() {
        for (played, watched) in GAMES.iter().zip(WATCHED) {
            assert_eq!(played.content(), watched.content());
            assert_eq!(played.title(), watched.title());
            assert_eq!(played.frames(), watched.frames());
            assert!(dress(Some(played.content())).is_some());
        }
        assert!(GAMES.len() == WATCHED.len() && dress(Some("chess")).is_none());
    }
}
