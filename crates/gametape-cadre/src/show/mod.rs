//! Logs and states for people: rows, trees and differences as text with colours, and as JSON with the
//! feature `serde`.
//!
//! Colours are ANSI escape codes; text of a log is made harmless to a terminal.
//!
//! ```
//! use gametape_cadre::show::{Filter, Players, Row};
//! use gametape_cadre::{Log, Options, play, sample};
//!
//! let log = Log::open(sample::log(50, 1), &Options::default())?;
//! let players = Players::of(&log);
//! let mut filter = Filter::default();
//! filter.refused = true;
//! for played in play(&log)? {
//!     let played = played?;
//!     if filter.wants(&played, &players) {
//!         println!("{}", Row::new(&played, &players));
//!     }
//! }
//! # Ok::<(), gametape_wire::Error>(())
//! ```

mod compare;
mod found;
#[cfg(feature = "serde")]
mod json;
mod row;
mod tree;

use std::collections::BTreeMap;
use std::fmt;

use anstyle::Style;
use gametape_wire::Result;
use gametape_wire::text::{printable, shortened};

use crate::log::Log;
use crate::text::json::Kind;
use crate::text::layout::compact;
use crate::text::raw::Raw;
use crate::timeline::Timeline;

pub use compare::print_differences;
pub use found::Found;
#[cfg(feature = "serde")]
pub use json::{Differences, Side, embed};
pub use row::{Filter, Row, TurnSpan};
pub use tree::print_tree;

/// Takes text, a line or several at a time.
pub type Put<'p> = dyn FnMut(fmt::Arguments<'_>) -> Result<()> + 'p;

/// The moment of a timeline in words: `after delta 12, in turn 3`.
#[must_use]
pub fn moment(timeline: &Timeline) -> String {
    let delta = timeline.position().checked_sub(1);
    moment_of(delta.map(|delta| delta as u64), delta.and_then(|delta| timeline.turns().at(delta)))
}

/// The moment after a delta in words, with the turn where it is known.
#[must_use]
pub fn moment_of(delta: Option<u64>, turn: Option<i64>) -> String {
    match (delta, turn) {
        (None, _) => "without deltas".to_owned(),
        (Some(delta), Some(turn)) => format!("after delta {delta}, in turn {turn}"),
        (Some(delta), None) => format!("after delta {delta}"),
    }
}

/// The longest name of a player that a line shows whole.
const PLAYER_CHARS: usize = 24;

/// The names of the players at the start of a game, by id.
#[derive(Debug, Clone, Default)]
pub struct Players(BTreeMap<String, String>);

impl Players {
    /// Those that the first delta of a log brings.
    #[must_use]
    pub fn of(log: &Log) -> Self {
        Self(players_of(log.delta(0).and_then(|delta| delta.game())))
    }

    /// Is that the player with this id or name?
    #[must_use]
    pub fn is(&self, id: &str, wanted: &str) -> bool {
        id == wanted || self.0.get(id).is_some_and(|name| name == wanted)
    }

    /// Is there a player with this id or name? Of a log that names nobody it is not known.
    #[must_use]
    pub fn has(&self, wanted: &str) -> bool {
        self.0.is_empty() || self.0.keys().any(|id| self.is(id, wanted))
    }

    /// `the players are 0 Ann, 1 Ben`
    fn list(&self) -> String {
        let titles: Vec<String> = self.0.keys().map(|id| self.title(id)).collect();
        format!("the players are {}", titles.join(", "))
    }

    /// Id and name: `0 Ann`.
    #[must_use]
    pub fn title(&self, id: &str) -> String {
        let title = match self.0.get(id) {
            Some(name) => format!("{id} {name}"),
            None => id.to_owned(),
        };
        shortened(&printable(&title), PLAYER_CHARS)
    }
}

/// Ids and names of the players in the `game` of a delta.
fn players_of(game: Option<Raw<'_>>) -> BTreeMap<String, String> {
    let objects = game.and_then(|game| game.get("gameObjects"));
    let objects = objects.iter().flat_map(Raw::entries).map_while(Result::ok);
    let is_player = |object: &Raw<'_>| {
        object.get("gameObjectName").and_then(|name| name.as_str()).is_some_and(|n| n == "Player")
    };
    let named = objects.filter(|(_, object)| is_player(object)).filter_map(|(id, object)| {
        Some((id.as_str().into_owned(), object.get("name")?.as_str()?.into_owned()))
    });
    named.collect()
}

/// The start of a line about a delta: its index, turn, type and player.
struct Prefix<'a> {
    delta: usize,
    turn: Option<i64>,
    kind: &'a str,
    who: &'a str,
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
#[must_use]
pub fn brief(json: Raw<'_>) -> String {
    match reference(json) {
        Some(id) => format!("#{}", shortened(&printable(&id), VALUE_CHARS)),
        None => {
            // What is not shown need not be laid out.
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
