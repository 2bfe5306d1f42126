//! What the metadata of a tape says, as far as tools know its fields: `spec/tape-contents.md`,
//! section 2.

use gametape_tape::Tape;
use gametape_wire::{Arrange, View, ViewSet};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::text::printable;

/// Which player somebody is: that of a view, or one of a game whose players have no views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Seat {
    /// The player of a view.
    View(u64),
    /// A player by index, in a game whose players have no views.
    Player(u64),
}

impl Seat {
    /// The seat that a row of `players` names.
    #[must_use]
    pub fn of(row: &Value) -> Option<Self> {
        let number = |field: &str| row.get(field).and_then(Value::as_u64);
        number("view").map(Self::View).or_else(|| number("player").map(Self::Player))
    }

    /// The number of the view or player.
    #[must_use]
    pub fn number(self) -> u64 {
        let (Self::View(number) | Self::Player(number)) = self;
        number
    }

    /// The name of the field that has the number.
    #[must_use]
    pub fn field(self) -> &'static str {
        match self {
            Self::View(_) => "view",
            Self::Player(_) => "player",
        }
    }
}

/// Who plays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PlayerName {
    /// Which player.
    #[serde(flatten)]
    pub seat: Seat,
    /// What the player is called.
    pub name: String,
}

/// A string of the metadata; the closing metadata counts where both have it.
#[must_use]
pub fn field(tape: &Tape, name: &str) -> Option<String> {
    let metadata = [tape.closing.as_deref(), Some(&*tape.metadata)];
    metadata.into_iter().flatten().find_map(|json| text_field(json, name))
}

/// A string of one JSON object.
#[must_use]
pub fn text_field(json: &str, name: &str) -> Option<String> {
    let fields: Map<String, Value> = serde_json::from_str(json).ok()?;
    fields.get(name)?.as_str().map(ToOwned::to_owned)
}

/// Metadata without what came out in the end; empty where it cannot be read.
pub(crate) fn without_outcome(json: &str) -> String {
    let mut fields: Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
    ["outcome", "winner"].iter().for_each(|name| drop(fields.remove(*name)));
    Value::Object(fields).to_string()
}

/// Closing metadata for those who are some of these views alone: `spec/tape-contents.md`, section 9. The
/// names of others are in it only where the metadata at the start, which is for everybody, has them too.
#[must_use]
pub fn for_views(closing: &str, start: &str, views: ViewSet) -> String {
    let mut fields: Map<String, Value> = serde_json::from_str(closing).unwrap_or_default();
    let start: Map<String, Value> = serde_json::from_str(start).unwrap_or_default();
    let public = names_in(start.get("players"));
    let is_own = |row: &Value| match Seat::of(row) {
        Some(Seat::View(number)) => {
            u8::try_from(number).ok().and_then(View::new).is_some_and(|view| views.contains(view))
        }
        // Players without views: who received something received it all.
        _ => true,
    };
    let is_public = |row: &Value| {
        row.get("name").and_then(Value::as_str).is_none_or(|name| public.contains(&name))
    };
    let Some(Value::Array(players)) = fields.remove("players") else {
        return Value::Object(fields).to_string();
    };
    let (kept, hidden): (Vec<Value>, Vec<Value>) =
        players.into_iter().partition(|row| is_own(row) || is_public(row));
    let hidden = Value::Array(hidden);
    let hidden = names_in(Some(&hidden));
    // Whatever else names one of the others says more than these views know.
    fields.retain(|_, value| {
        let text = value.to_string();
        !hidden.iter().any(|name| !name.is_empty() && text.contains(name))
    });
    if !kept.is_empty() {
        fields.insert("players".to_owned(), kept.into());
    }
    Value::Object(fields).to_string()
}

/// The closing metadata of several views as one: `players` of all of them, other fields of the first that
/// has them. `None` where there is none.
#[must_use]
pub fn joined_closing(closings: &[String]) -> Option<String> {
    let mut joined: Map<String, Value> = Map::new();
    let mut players: Vec<Value> = Vec::new();
    for closing in closings {
        let fields: Map<String, Value> = serde_json::from_str(closing).unwrap_or_default();
        for (name, value) in fields {
            match value {
                Value::Array(rows) if name == "players" => {
                    rows.into_iter().for_each(|row| {
                        if !players.contains(&row) {
                            players.push(row);
                        }
                    });
                }
                value => drop(joined.entry(name).or_insert(value)),
            }
        }
    }
    if !players.is_empty() {
        players.arrange_by_key(|row| Seat::of(row).map(Seat::number));
        joined.insert("players".to_owned(), players.into());
    }
    (!closings.is_empty()).then(|| Value::Object(joined).to_string())
}

/// The names in rows of `players`.
fn names_in(players: Option<&Value>) -> Vec<&str> {
    let rows = players.and_then(Value::as_array).into_iter().flatten();
    rows.filter_map(|row| row.get("name")?.as_str()).collect()
}

/// The players that the metadata of a tape names.
#[must_use]
pub fn players(tape: &Tape) -> Vec<PlayerName> {
    Metadata::of(tape).players()
}

/// The views of the players that a metadata names.
#[must_use]
pub fn views_of_players(json: &str) -> ViewSet {
    let mut metadata = Metadata::default();
    metadata.add("metadata", json);
    let view = |player: &PlayerName| match player.seat {
        Seat::View(number) => u8::try_from(number).ok().and_then(View::new),
        Seat::Player(_) => None,
    };
    metadata.players().iter().filter_map(view).collect()
}

/// Both metadata of a tape as one: where both have a field, the closing one counts.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Metadata {
    fields: Map<String, Value>,
    /// What could not be read.
    pub problems: Vec<String>,
}

impl Metadata {
    /// The metadata of a tape.
    #[must_use]
    pub fn of(tape: &Tape) -> Self {
        let mut metadata = Self::default();
        metadata.add("metadata", &tape.metadata);
        metadata.add("closing metadata", tape.closing.as_deref().unwrap_or("{}"));
        metadata
    }

    fn add(&mut self, which: &str, json: &str) {
        match serde_json::from_str::<Map<String, Value>>(json) {
            Ok(mut fields) => self.fields.append(&mut fields),
            Err(_) if json.is_empty() => self.problems.push(format!("{which}: it is lost")),
            Err(error) => self.problems.push(format!("{which}: no JSON object: {error}")),
        }
    }

    /// A field's text; other values as JSON.
    #[must_use]
    pub fn text(&self, field: &str) -> Option<String> {
        match self.fields.get(field)? {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            other => Some(other.to_string()),
        }
    }

    /// The players in the order of the metadata.
    #[must_use]
    pub fn players(&self) -> Vec<PlayerName> {
        let rows = self.fields.get("players").and_then(Value::as_array);
        let player = |row: &Value| {
            let name = row.get("name").and_then(Value::as_str)?.to_owned();
            Some(PlayerName { seat: Seat::of(row)?, name })
        };
        rows.into_iter().flatten().filter_map(player).collect()
    }
}

impl PlayerName {
    /// Number and name, as a line of a list.
    #[must_use]
    pub fn to_text(&self) -> String {
        format!("{:>2} {}", self.seat.number(), printable(&self.name))
    }
}
