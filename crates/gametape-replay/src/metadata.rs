//! What the metadata of a tape says, as far as tools know its fields: `spec/tape-contents.md`,
//! section 2.

use gametape_tape::Tape;
use serde_json::{Map, Value};

/// Which player somebody is: that of a view, or one of a game whose players have no views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerName {
    /// Which player.
    pub seat: Seat,
    /// What the player is called.
    pub name: String,
}

/// A string of the metadata; the closing metadata counts where both have it.
#[must_use]
pub fn field(tape: &Tape, name: &str) -> Option<String> {
    let metadata = [tape.closing.as_deref(), Some(&*tape.metadata)];
    metadata.into_iter().flatten().find_map(|json| {
        let fields: Map<String, Value> = serde_json::from_str(json).ok()?;
        fields.get(name)?.as_str().map(ToOwned::to_owned)
    })
}

/// The players that the metadata of a tape names; where both metadata name them, the closing one
/// counts.
#[must_use]
pub fn players(tape: &Tape) -> Vec<PlayerName> {
    let closing = tape.closing.as_deref().and_then(rows);
    closing.or_else(|| rows(&tape.metadata)).unwrap_or_default()
}

fn rows(json: &str) -> Option<Vec<PlayerName>> {
    let fields: Map<String, Value> = serde_json::from_str(json).ok()?;
    let rows = fields.get("players")?.as_array()?;
    let player = |row: &Value| {
        let name = row.get("name").and_then(Value::as_str)?.to_owned();
        Some(PlayerName { seat: Seat::of(row)?, name })
    };
    Some(rows.iter().filter_map(player).collect())
}
