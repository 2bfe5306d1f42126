//! Games whose rules are known: what tools ask of them by the `content` of a tape.
//!
//! A game implements [`KnownGame`]; a tool keeps one list of the games that it knows and finds the
//! right one with [`find`].

use std::fmt;

use gametape_wire::{Error, ErrorKind, Finding, Moment, Place, Result, Source, When};

use crate::source::Recording;
use crate::{DeepVerification, PlayerOptions};

/// A game whose tapes can be run again, exported and anonymised.
///
/// Only [`content`](Self::content) and [`title`](Self::title) must be given; what a game does not
/// have is refused.
pub trait KnownGame: fmt::Debug + Sync {
    /// The `content` of its tapes: how they are recognised.
    fn content(&self) -> &'static str;

    /// The name of the game, for people.
    fn title(&self) -> &'static str;

    /// The `content` of tapes that have the same frames, such as `minewars`, for players and tools
    /// that show what a view knows. The game's own content where nobody else has such frames.
    fn frames(&self) -> &'static str {
        self.content()
    }

    /// Runs the match again from its orders and compares it with the keyframes of the simulation.
    fn resimulate(
        &self,
        tape: &mut dyn Source,
        options: PlayerOptions,
    ) -> Result<DeepVerification> {
        let _ = (tape, options);
        Err(self.cannot("be run again"))
    }

    /// The state of the simulation at a moment, found by running the match again.
    fn simulated_state(&self, tape: &mut dyn Source, at: When) -> Result<SimulatedState> {
        let _ = (tape, at);
        Err(self.cannot("be run again"))
    }

    /// The match as a Cadre gamelog.
    fn gamelog(&self, tape: &mut dyn Source) -> Result<GamelogExport> {
        let _ = tape;
        Err(self.cannot("become a gamelog"))
    }

    /// The setup of the simulation, with the names of players replaced by pseudonyms; `pseudonym`
    /// gives that of a player with a number from 1 on.
    fn anonymous_setup(
        &self,
        setup: &[u8],
        pseudonym: &dyn Fn(u8) -> String,
    ) -> Result<AnonymousSetup> {
        let _ = (setup, pseudonym);
        Err(self.cannot("be anonymised"))
    }

    /// The error of what a game does not have.
    fn cannot(&self, what: &str) -> Error {
        Error::misuse(self.content(), format!("a match of {} cannot {what}", self.title()))
    }
}

/// The state of a simulation, as the first delta of a gamelog says it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimulatedState {
    /// How much has been applied.
    pub moment: Moment,
    /// A gamelog whose only delta is the whole state.
    pub gamelog: Vec<u8>,
    /// SHA-256 of the canonical snapshot: the hash that keyframes are compared by.
    pub hash: [u8; 32],
    /// What was wrong on the way.
    pub findings: Vec<Finding>,
}

impl SimulatedState {
    /// The state of a simulation at a moment.
    #[must_use]
    pub fn new(moment: Moment, gamelog: Vec<u8>, hash: [u8; 32], findings: Vec<Finding>) -> Self {
        Self { moment, gamelog, hash, findings }
    }
}

/// A match as a gamelog.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GamelogExport {
    /// The whole file, plain JSON.
    pub json: Vec<u8>,
    /// What was wrong on the way: lost orders, keyframes that differ. The gamelog follows the
    /// keyframes then.
    pub findings: Vec<Finding>,
}

impl GamelogExport {
    /// A gamelog and what was wrong while it was made.
    #[must_use]
    pub fn new(json: Vec<u8>, findings: Vec<Finding>) -> Self {
        Self { json, findings }
    }
}

/// A setup without names.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AnonymousSetup {
    /// The bytes of the setup.
    pub bytes: Vec<u8>,
    /// The names that were replaced.
    pub names: Vec<String>,
}

impl AnonymousSetup {
    /// A setup and the names that it had.
    #[must_use]
    pub fn new(bytes: Vec<u8>, names: Vec<String>) -> Self {
        Self { bytes, names }
    }
}

/// The game of tapes with this `content`, where it is one of `games`.
#[must_use]
pub fn find<'a>(games: &[&'a dyn KnownGame], content: Option<&str>) -> Option<&'a dyn KnownGame> {
    games.iter().copied().find(|game| content == Some(game.content()))
}

/// The game of a tape, by its `content`. Refused where it is none of these.
pub fn of_tape<'a, S: Source>(
    recording: &Recording<S>,
    games: &[&'a dyn KnownGame],
) -> Result<&'a dyn KnownGame> {
    let content = recording.field("content");
    find(games, content.as_deref()).ok_or_else(|| {
        let titles: Vec<&str> = games.iter().map(|game| game.title()).collect();
        let content = content.map_or("not given".to_owned(), |name| format!("`{name}`"));
        let titles = titles.join(", ");
        let problem = format!("only {titles} can be run again, and its content is {content}");
        Error::new(Place::Nowhere, "tape", ErrorKind::BadSyntax { problem: problem.into() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Digger;

    impl KnownGame for Digger {
        fn content(&self) -> &'static str {
            "digger"
        }

        fn title(&self) -> &'static str {
            "Digger"
        }
    }

    #[test]
    fn a_game_is_found_by_content_and_refuses_what_it_does_not_have() {
        let games: [&dyn KnownGame; 1] = [&Digger];
        assert!(find(&games, None).is_none() && find(&games, Some("Digger")).is_none());
        let digger = find(&games, Some("digger")).unwrap();
        assert_eq!(digger.frames(), "digger");
        let refused = digger.gamelog(&mut &b""[..]).unwrap_err().to_string();
        assert!(refused.contains("a match of Digger cannot become a gamelog"), "{refused}");
    }
}
