//! The state of a recording of any format at a moment.
//!
//! ```
//! use gametape_cadre::sample;
//! use gametape_replay::open::{OpenOptions, open};
//! use gametape_replay::state_at::{StateAt, StateRequest, state_at};
//!
//! let log = open(sample::log(300, 1), &OpenOptions::default())?;
//! let request = StateRequest::new("turn:7".parse()?);
//! let StateAt::Game(game) = state_at(log, &request, &[])? else { panic!() };
//! assert_eq!(game.state().get("currentTurn").and_then(|turn| turn.as_i64()), Some(7));
//! # Ok::<(), gametape_wire::Error>(())
//! ```

mod game;
mod view;

use gametape_wire::{Error, Finding, Result, Source, When};

use crate::games::KnownGame;
use crate::inspect::gap_lines;
use crate::open::{Content, Inner, Opened, inner_recording};
use crate::player::{PlayRule, PlayerOptions};
use crate::players::ViewName;
use crate::source::Recording;

pub use game::{GameAt, gamelog_at, seek_gamelog, simulation_at};
pub use view::{ViewAt, view_of_file, view_of_tape};

/// Nothing is played twice.
const PLAY_ONCE: PlayerOptions = PlayerOptions::new().with_cache_bytes(0).with_check(false);

/// Which state is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateRequest<'a> {
    /// When.
    pub at: When,
    /// Whose; the spectator's where nobody is named. Gamelogs have no views.
    pub view: Option<&'a ViewName>,
}

impl<'a> StateRequest<'a> {
    /// What the spectator knows at a moment, or the state of a gamelog.
    #[must_use]
    pub fn new(at: When) -> Self {
        Self { at, view: None }
    }

    /// The same of a view.
    #[must_use]
    pub fn seen_by(self, view: Option<&'a ViewName>) -> Self {
        Self { view, ..self }
    }
}

/// The state of a recording at a moment.
#[derive(Debug)]
#[non_exhaustive]
pub enum StateAt {
    /// What a MineWars view knows.
    View(Box<ViewAt>),
    /// The state of a gamelog, or what a tape of a game that nobody here knows has recorded of it.
    Game(Box<GameAt>),
}

/// Finds the state of a recording at a moment. A tape is entered at the last keyframe before it.
pub fn state_at<S: Source>(
    opened: Opened<S>,
    request: &StateRequest<'_>,
    games: &[&dyn KnownGame],
) -> Result<StateAt> {
    let source = match opened {
        Opened::Tape(source) => source,
        Opened::MineWars(bytes) => return in_file(&Inner::MineWars(bytes), request),
        Opened::Gamelog(bytes) => return in_file(&Inner::Gamelog(bytes), request),
    };
    let mut recording = Recording::open(source)?;
    let Some(content) = Content::of_any(&recording, games)? else {
        return GameAt::of_unknown(recording, request).map(StateAt::of_game);
    };
    match (content, request.at) {
        (Content::MineWars, at) => view_of_tape(recording, request.view, at).map(StateAt::of_view),
        // Only the whole log knows where a turn begins.
        (Content::Gamelog, When::Turn(_)) => {
            let found = in_file(&inner_recording(&mut recording, games)?, request)?;
            Ok(found.with_losses(gap_lines(recording.gaps())))
        }
        (Content::Gamelog, at) => {
            refuse_view(request)?;
            GameAt::of_tape(recording, at).map(StateAt::of_game)
        }
    }
}

/// The state of a recording that is no tape.
fn in_file(inner: &Inner, request: &StateRequest<'_>) -> Result<StateAt> {
    match inner {
        Inner::MineWars(bytes) => {
            view_of_file(&bytes.file()?, request.view, request.at).map(StateAt::of_view)
        }
        Inner::Gamelog(bytes) => {
            refuse_view(request)?;
            let timeline = gamelog_at(bytes, request.at)?;
            Ok(StateAt::of_game(GameAt::of_timeline(timeline)))
        }
    }
}

fn refuse_view(request: &StateRequest<'_>) -> Result<()> {
    match request.view {
        Some(_) => Err(Error::misuse("view", "a gamelog has none")),
        None => Ok(()),
    }
}

impl StateAt {
    fn of_view(view: ViewAt) -> Self {
        Self::View(Box::new(view))
    }

    fn of_game(game: GameAt) -> Self {
        Self::Game(Box::new(game))
    }

    /// What is missing on the way to the state, and what could not be used, a line each.
    #[must_use]
    pub fn losses(&self) -> &[String] {
        match self {
            Self::View(view) => &view.losses,
            Self::Game(game) => &game.losses,
        }
    }

    fn with_losses(mut self, more: Vec<String>) -> Self {
        match &mut self {
            Self::View(view) => view.losses.extend(more),
            Self::Game(game) => game.losses.extend(more),
        }
        self
    }
}

/// What makes a state doubtful: everything but input that cannot be applied, which was so when it was
/// recorded.
fn doubts(findings: &[Finding]) -> Vec<String> {
    let doubtful = findings.iter().filter(|finding| finding.rule != PlayRule::INPUT);
    doubtful.map(ToString::to_string).collect()
}
