//! Metadata without what tells who played, when and with what.

use gametape_tape::Tape;
use serde_json::{Map, Value, json};

use super::names::Names;
use super::removed::Removed;
use crate::tape::{Metadata, PlayerName, Seat};

/// Fields that say nothing about persons; outcomes without names.
const KEPT: [&str; 6] = ["content", "game", "generation", "storage", "outcome", "winner"];

/// The names that the metadata knows.
pub(super) fn collect(tape: &Tape, names: &mut Names) {
    for player in Metadata::of(tape).players() {
        names.add(&player.name, &pseudonym(player.seat));
    }
}

/// The metadata as it may stay.
pub(super) fn scrubbed(which: &str, json: &str, names: &Names, removed: &mut Removed) -> String {
    let fields: Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
    let mut kept = Map::new();
    for (field, value) in fields {
        match value {
            Value::Array(players) if field == "players" => {
                let unnamed: Vec<Value> = players.iter().filter_map(anonymous).collect();
                let changed = players.iter().filter(|player| !unnamed.contains(player)).count();
                removed.add(&format!("names of players in the {which}"), changed as u64);
                kept.insert(field, unnamed.into());
            }
            value if KEPT.contains(&&*field) => {
                kept.insert(field, without_names(value, names, which, removed));
            }
            _ => removed.add(&format!("`{field}` in the {which}"), 1),
        }
    }
    Value::Object(kept).to_string()
}

fn anonymous(player: &Value) -> Option<Value> {
    let seat = Seat::of(player)?;
    Some(json!(PlayerName { seat, name: pseudonym(seat) }))
}

fn pseudonym(seat: Seat) -> String {
    format!("Player {}", seat.number())
}

/// A value whose texts have no names in them.
fn without_names(value: Value, names: &Names, which: &str, removed: &mut Removed) -> Value {
    let mut again = |value| without_names(value, names, which, removed);
    match value {
        Value::String(text) => match names.replaced(&text) {
            Some(replaced) => {
                removed.add(&format!("names in texts of the {which}"), 1);
                Value::String(replaced)
            }
            None => Value::String(text),
        },
        // Its depth is limited: it was parsed.
        Value::Array(values) => Value::Array(values.into_iter().map(again).collect()),
        Value::Object(fields) => {
            Value::Object(fields.into_iter().map(|(key, value)| (key, again(value))).collect())
        }
        other => other,
    }
}
