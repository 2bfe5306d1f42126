//! Metadata without what says who played, when and with what.

use gametape_cadre::Names;
use serde_json::{Map, Value, json};

use super::Anonymized;
use crate::metadata::Seat;

/// Fields that say nothing about persons; outcomes without names.
const KEPT: [&str; 6] = ["content", "game", "generation", "storage", "outcome", "winner"];

/// The metadata as it may stay.
pub(super) fn scrubbed(which: &str, json: &str, names: &Names, result: &mut Anonymized) -> String {
    let fields: Map<String, Value> = serde_json::from_str(json).unwrap_or_default();
    let mut kept = Map::new();
    for (field, value) in fields {
        match value {
            Value::Array(players) if field == "players" => {
                let unnamed: Vec<Value> = players.iter().filter_map(unnamed).collect();
                let changed = players.iter().filter(|player| !unnamed.contains(player)).count();
                result.add(&format!("names of players in the {which}"), changed as u64);
                kept.insert(field, unnamed.into());
            }
            value if KEPT.contains(&&*field) => {
                kept.insert(field, without_names(value, names, which, result));
            }
            _ => result.add(&format!("`{field}` in the {which}"), 1),
        }
    }
    Value::Object(kept).to_string()
}

fn unnamed(player: &Value) -> Option<Value> {
    let seat = Seat::of(player)?;
    Some(json!({ seat.field(): seat.number(), "name": pseudonym(seat) }))
}

/// What a player is called instead.
pub(super) fn pseudonym(seat: Seat) -> String {
    format!("Player {}", seat.number())
}

/// A value whose texts have no names in them.
fn without_names(value: Value, names: &Names, which: &str, result: &mut Anonymized) -> Value {
    match value {
        Value::String(text) => match names.replaced(&text) {
            Some(replaced) => {
                result.add(&format!("names in texts of the {which}"), 1);
                Value::String(replaced)
            }
            None => Value::String(text),
        },
        // The depth is limited: it was parsed.
        Value::Array(values) => {
            values.into_iter().map(|value| without_names(value, names, which, result)).collect()
        }
        Value::Object(fields) => fields
            .into_iter()
            .map(|(key, value)| {
                let key = names.replaced(&key).unwrap_or(key);
                (key, without_names(value, names, which, result))
            })
            .collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_metadata_only_seats_and_outcomes_stay() {
        let mut names = Names::default();
        names.add("Zorbulina", "Player 1");
        let json = json!({
            "game": "chess", "players": [{"view": 1, "name": "Zorbulina", "rank": 7}, {"name": "?"}],
            "winner": "Zorbulina", "referees": [{"view": 2, "name": "Ben"}], "date": "today",
        });
        let mut result = Anonymized::default();
        let scrubbed = scrubbed("metadata", &json.to_string(), &names, &mut result);
        let expected = json!({
            "game": "chess", "players": [{"view": 1, "name": "Player 1"}], "winner": "Player 1",
        });
        assert_eq!(serde_json::from_str::<Value>(&scrubbed).unwrap(), expected);
        assert_eq!(result.removed["names of players in the metadata"], 2);
        for field in ["referees", "date"] {
            assert_eq!(result.removed[&format!("`{field}` in the metadata")], 1);
        }
    }
}
