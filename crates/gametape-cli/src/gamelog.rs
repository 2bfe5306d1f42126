//! What commands share that look into gamelogs: states at a moment, names, one line for a value.

pub(crate) mod tree;

use std::collections::BTreeMap;
use std::fmt;

use anstyle::Style;
use gametape_cadre::{Kind, Log, Options, Raw, Timeline};
use gametape_replay::players_of_gamelog;

use crate::failure::Failure;
use crate::input::{Gamelog, Source};
use crate::json::compact;
use crate::moment::{When, deltas_at};
use crate::progress::waiting;
use crate::text::{printable, shortened};

/// Reads a log and merges all its deltas, for who will not go back in it.
pub(crate) fn load_once(gamelog: &Gamelog<'_>) -> Result<Timeline, Failure> {
    load_with(gamelog, &Options::default().with_keyframe_bytes(0))
}

fn load_with(gamelog: &Gamelog<'_>, options: &Options) -> Result<Timeline, Failure> {
    let log = gamelog.log()?;
    let merged = waiting("merging", || Timeline::load(log, options));
    merged.map_err(|error| gamelog.failure(&error))
}

/// Reads a log and goes to a moment of it. What cannot be merged matters only up to there.
pub(crate) fn load_at(gamelog: &Gamelog<'_>, at: When) -> Result<Timeline, Failure> {
    let log = gamelog.log()?;
    let read = waiting("merging", || Timeline::load_readable(log, &Options::default()));
    let (mut timeline, problem) = read.map_err(|error| gamelog.failure(&error))?;
    match (seek(&mut timeline, gamelog.source, at), problem) {
        (Ok(()), _) => Ok(timeline),
        (Err(_), Some(error)) => Err(gamelog.failure(&error)),
        (Err(failure), None) => Err(failure),
    }
}

/// Goes to a moment of a log.
pub(crate) fn seek(timeline: &mut Timeline, source: &Source, at: When) -> Result<(), Failure> {
    let position = match (deltas_at(source, at, timeline.len() as u64)?, at) {
        (Some(deltas), _) => deltas as usize,
        (None, When::Turn(turn)) => match timeline.turns().first_delta(turn) {
            Some(delta) => delta + 1,
            None => return Err(Failure::usage(format_args!("{source} has no turn {turn}"))),
        },
        (None, _) => timeline.len(),
    };
    timeline.seek(position).map_err(|error| Failure::of(source, &error))
}

/// The moment of a timeline in words: `after delta 12, in turn 3`.
pub(crate) fn moment(timeline: &Timeline) -> String {
    let delta = timeline.position().checked_sub(1);
    moment_of(delta.map(|delta| delta as u64), delta.and_then(|delta| timeline.turns().at(delta)))
}

/// The same of a delta and a turn.
pub(crate) fn moment_of(delta: Option<u64>, turn: Option<i64>) -> String {
    match (delta, turn) {
        (None, _) => "without deltas".to_owned(),
        (Some(delta), Some(turn)) => format!("after delta {delta}, in turn {turn}"),
        (Some(delta), None) => format!("after delta {delta}"),
    }
}

/// The names of the players as the game began, by id.
pub(crate) struct Players(BTreeMap<String, String>);

impl Players {
    pub(crate) fn of(log: &Log) -> Self {
        Self(players_of_gamelog(log))
    }

    /// Is that the player with this id or name?
    pub(crate) fn is(&self, id: &str, wanted: &str) -> bool {
        id == wanted || self.0.get(id).is_some_and(|name| name == wanted)
    }

    /// Id and name: `0 Ann`.
    pub(crate) fn title(&self, id: &str) -> String {
        let title = match self.0.get(id) {
            Some(name) => format!("{id} {name}"),
            None => id.to_owned(),
        };
        shortened(&printable(&title), PLAYER_CHARS)
    }
}

/// The longest name of a player that a line shows whole.
const PLAYER_CHARS: usize = 24;

/// What a line about a delta begins with: its number, turn, type and player.
pub(crate) struct Prefix<'a> {
    pub(crate) delta: usize,
    pub(crate) turn: Option<i64>,
    pub(crate) kind: &'a str,
    pub(crate) who: &'a str,
}

impl fmt::Display for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { delta, turn, kind, who } = self;
        let dim = Style::new().dimmed();
        let turn = turn.map_or_else(|| "-".to_owned(), |turn| turn.to_string());
        let kind = shortened(&printable(kind), 24);
        write!(f, "{delta:>6} {dim}turn{dim:#} {turn:<4} {kind:<10} ")?;
        if who.is_empty() { Ok(()) } else { write!(f, "{who}  ") }
    }
}

/// The longest value that a line shows whole.
const VALUE_CHARS: usize = 100;

/// JSON text as part of a line: references as `#7`, long text cut.
pub(crate) fn brief(json: Raw<'_>) -> String {
    match reference(json) {
        Some(id) => format!("#{}", shortened(&printable(&id), VALUE_CHARS)),
        None => {
            // What will not be shown need not be laid out.
            let start = &json.as_bytes()[..json.as_bytes().len().min(64 * VALUE_CHARS)];
            let text = printable(&String::from_utf8_lossy(&compact(start)));
            shortened(&text, VALUE_CHARS)
        }
    }
}

/// The id, if that is an object with an id and nothing else.
fn reference(json: Raw<'_>) -> Option<String> {
    if json.kind() != Kind::Object || json.entries().nth(1).is_some() {
        return None;
    }
    Some(json.get("id")?.as_str()?.into_owned())
}
