//! The state of a gamelog, or of a simulation, at a moment.

use gametape_cadre::show::{moment, moment_of};
use gametape_cadre::{Game, Log, Options, State, Timeline};
use gametape_wire::{Error, ErrorKind, Place, Result, Source, View, When, drive};

use super::{PLAY_ONCE, StateRequest, doubts};
use crate::cadre::{self, CadreGame};
use crate::games::{self, KnownGame};
use crate::inspect::losses;
use crate::moments::{moment_by_clock, moment_of_gamelog};
use crate::open::GamelogBytes;
use crate::player::{Player, ViewTrack};
use crate::players::players_of_tape;
use crate::source::Recording;
use crate::timeline::Timeline as _;
use crate::unknown;
use crate::watched::{self, TapeTrack};

/// The state of a game at a moment.
#[derive(Debug)]
#[non_exhaustive]
pub struct GameAt {
    held: Held,
    /// When it is so, in words: `after delta 12, in turn 3`.
    pub moment: String,
    /// What is missing on the way to the state, a line each.
    pub losses: Vec<String>,
}

/// Who holds the state.
#[derive(Debug)]
enum Held {
    Timeline(Box<Timeline>),
    Player(Box<Player<ViewTrack<CadreGame>>>),
    Game(Box<Game>),
}

impl GameAt {
    /// The state.
    #[must_use]
    pub fn state(&self) -> State<'_> {
        match &self.held {
            Held::Timeline(timeline) => timeline.state(),
            Held::Player(player) => player.state().state(),
            Held::Game(game) => game.state(),
        }
    }

    /// The state where a timeline is.
    pub(super) fn of_timeline(timeline: Timeline) -> Self {
        let moment = moment(&timeline);
        Self { held: Held::Timeline(Box::new(timeline)), moment, losses: Vec::new() }
    }

    /// The state of a gamelog in a tape, at any moment but a turn.
    pub(super) fn of_tape<S: Source>(recording: Recording<S>, at: When) -> Result<Self> {
        let mut losses: Vec<String> = losses(recording.tape()).collect();
        let mut player = cadre::player(recording, PLAY_ONCE)?;
        let position = moment_of_gamelog(at, player.end().next_tick().0, |_| None)?;
        player.seek(position)?;
        losses.extend(doubts(player.findings()));
        let turn = player.state().state().get("currentTurn").and_then(|turn| turn.as_i64());
        let moment = moment_of(position.last_tick().map(|tick| tick.0), turn);
        let (_, player) = player.into_parts();
        Ok(Self { held: Held::Player(Box::new(player)), moment, losses })
    }
}

impl GameAt {
    /// What a tape of a game that nobody here knows has recorded at a moment.
    pub(super) fn of_unknown<S: Source>(
        recording: Recording<S>,
        request: &StateRequest<'_>,
    ) -> Result<Self> {
        let mut losses: Vec<String> = losses(recording.tape()).collect();
        let views = unknown::views(recording.tape());
        let view = match request.view {
            Some(who) => who.find(|| players_of_tape(recording.tape()))?,
            None => views.iter().next().unwrap_or(View::SPECTATOR),
        };
        if !views.contains(view) {
            return Err(Error::misuse("view", format!("there are views {views}, not {view}")));
        }
        let (mut source, tape) = recording.into_parts();
        let track = TapeTrack::unknown(tape.tape(), view);
        let mut timeline = watched::player(tape, track, PLAY_ONCE)?;
        let span = timeline.begin()..timeline.end();
        let position = moment_by_clock(request.at, timeline.tick_length(), span)?;
        if !timeline.seek(position)?.is_ready() {
            drive(&mut timeline, &mut source)?;
        }
        losses.extend(doubts(timeline.report().findings()));
        let TapeTrack::Unknown(track) = timeline.state() else {
            return Err(Error::misuse("tape", "its game is known"));
        };
        let game = track.state().tree(timeline.changes().iter().map(|change| change.payload))?;
        let moment = match position.last_tick() {
            Some(tick) => format!("at {}, after tick {tick}", timeline.tick_length().time_of(tick)),
            None => "at the start".to_owned(),
        };
        Ok(Self { held: Held::Game(Box::new(game)), moment, losses })
    }
}

/// Reads a log and goes to a moment of it. What cannot be merged matters only up to there.
pub fn gamelog_at(log: &GamelogBytes, at: When) -> Result<Timeline> {
    let (mut timeline, problem) = Timeline::load_readable(log.log()?, log.options())?;
    match (seek_gamelog(&mut timeline, at), problem) {
        (Ok(()), _) => Ok(timeline),
        (Err(_), Some(error)) | (Err(error), None) => Err(error),
    }
}

/// Goes to a moment of a log.
pub fn seek_gamelog(timeline: &mut Timeline, at: When) -> Result<()> {
    let first_delta = |turn| timeline.turns().first_delta(turn).map(|delta| delta as u64);
    let moment = moment_of_gamelog(at, timeline.len() as u64, first_delta)?;
    timeline.seek(moment.next_tick().0 as usize)
}

/// The state of the simulation of a tape at a moment, which has the shape of the game's gamelog: the
/// match is run again. Refused where the tape is of none of these games.
pub fn simulation_at<S: Source>(source: S, at: When, games: &[&dyn KnownGame]) -> Result<GameAt> {
    let recording = Recording::open(source)?;
    let game = games::of_tape(&recording, games)?;
    let found = game.simulated_state(&mut recording.into_source(), at)?;
    let options = Options::default();
    let timeline = Timeline::load(Log::open(found.gamelog, &options)?, &options)?;
    let moment = match found.moment.last_tick() {
        Some(tick) => format!("after tick {tick}"),
        None => "before the first tick".to_owned(),
    };
    let losses = found.findings.iter().map(ToString::to_string).collect();
    Ok(GameAt { held: Held::Timeline(Box::new(timeline)), moment, losses })
}

impl GameAt {
    /// The error about a path at which nothing is.
    #[must_use]
    pub fn nothing_at(&self, path: &str) -> Error {
        let problem = format!("nothing is there {}", self.moment).into();
        Error::new(Place::Path(path.to_owned()), "state", ErrorKind::BadSyntax { problem })
    }
}
