//! What the metadata of a tape says, as far as tools know its fields.

use gametape_tape::Tape;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::text::printable;

/// Both metadata of a tape as one: where both have a field, the closing one counts.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    fields: Map<String, Value>,
    /// What could not be read.
    pub(crate) problems: Vec<String>,
}

/// Who plays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct PlayerName {
    #[serde(flatten)]
    pub(crate) seat: Seat,
    pub(crate) name: String,
}

/// Which player somebody is: that of a view, or one of a game whose players have no views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Seat {
    View(u64),
    Player(u64),
}

impl Seat {
    /// The seat that a row of players names.
    pub(crate) fn of(row: &Value) -> Option<Self> {
        let number = |field: &str| row.get(field).and_then(Value::as_u64);
        number("view").map(Self::View).or_else(|| number("player").map(Self::Player))
    }

    pub(crate) fn number(self) -> u64 {
        let (Self::View(number) | Self::Player(number)) = self;
        number
    }
}

impl Metadata {
    pub(crate) fn of(tape: &Tape) -> Self {
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
    pub(crate) fn text(&self, field: &str) -> Option<String> {
        match self.fields.get(field)? {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            other => Some(other.to_string()),
        }
    }

    /// The players in the order of the metadata.
    pub(crate) fn players(&self) -> Vec<PlayerName> {
        let rows = self.fields.get("players").and_then(Value::as_array);
        let player = |row: &Value| {
            let name = row.get("name").and_then(Value::as_str)?.to_owned();
            Some(PlayerName { seat: Seat::of(row)?, name })
        };
        rows.into_iter().flatten().filter_map(player).collect()
    }
}

impl PlayerName {
    pub(crate) fn to_text(&self) -> String {
        format!("{:>2} {}", self.seat.number(), printable(&self.name))
    }
}
