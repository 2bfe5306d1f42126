//! One metadata out of several.

use serde_json::{Map, Value};

use super::{Part, contradiction};
use crate::failure::Failure;
use crate::tape::Seat;

type Fields = Map<String, Value>;

/// Fields in which all tapes of one match agree.
const AGREED: [&str; 3] = ["content", "game", "generation"];

/// The metadata of all parts: what the first one says counts.
pub(super) fn joined(parts: &[Part]) -> Result<String, Failure> {
    let mut joined = Fields::new();
    for part in parts {
        let fields = parse(part, &part.tape.metadata)?;
        for field in AGREED {
            agree(part, field, joined.get(field), fields.get(field))?;
        }
        add(&mut joined, fields);
    }
    Ok(Value::Object(joined).to_string())
}

/// The closing metadata of all parts: what the one says counts that ends last.
pub(super) fn joined_closing(parts: &[Part]) -> Result<Option<String>, Failure> {
    let mut closed: Vec<(&Part, &String)> =
        parts.iter().filter_map(|part| Some((part, part.tape.closing.as_ref()?))).collect();
    closed.sort_by_key(|(part, _)| std::cmp::Reverse(part.tape.summary.end_tick));
    let mut joined = Fields::new();
    for (part, json) in &closed {
        add(&mut joined, parse(part, json)?);
    }
    Ok((!closed.is_empty()).then(|| Value::Object(joined).to_string()))
}

fn parse(part: &Part, json: &str) -> Result<Fields, Failure> {
    let json = if json.is_empty() { "{}" } else { json };
    serde_json::from_str(json).map_err(|error| {
        Failure::refused(&part.file.source, &format!("metadata: no JSON object: {error}"))
    })
}

fn agree(
    part: &Part,
    field: &str,
    ours: Option<&Value>,
    theirs: Option<&Value>,
) -> Result<(), Failure> {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) if ours != theirs => {
            let source = &part.file.source;
            Err(contradiction(&format!("{field} is {theirs} in {source}, and {ours} before")))
        }
        _ => Ok(()),
    }
}

/// Adds fields, and players of other views, that are not there yet.
fn add(joined: &mut Fields, fields: Fields) {
    for (name, value) in fields {
        match joined.get_mut(&name) {
            None => {
                joined.insert(name, value);
            }
            Some(Value::Array(players)) if name == "players" => add_players(players, value),
            Some(_) => {}
        }
    }
}

fn add_players(players: &mut Vec<Value>, more: Value) {
    let Value::Array(more) = more else { return };
    for player in more {
        if !players.iter().any(|known| Seat::of(known) == Seat::of(&player)) {
            players.push(player);
        }
    }
    players.sort_by_key(|player| Seat::of(player).map(Seat::number));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_counts_and_players_come_together() {
        let fields = |value: Value| value.as_object().cloned().unwrap();
        let mut joined = fields(json!({"title": "a", "players": [{"view": 2, "name": "Ben"}]}));
        add(
            &mut joined,
            fields(json!({
                "title": "b", "game": "g",
                "players": [{"view": 1, "name": "Ana"}, {"view": 2, "name": "?"}],
            })),
        );
        let players = json!([{"view": 1, "name": "Ana"}, {"view": 2, "name": "Ben"}]);
        assert_eq!(Value::Object(joined), json!({"title": "a", "game": "g", "players": players}));
    }
}
