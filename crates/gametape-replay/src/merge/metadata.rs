//! One metadata out of several.

use gametape_wire::{Arrange, Result, Source};
use serde_json::{Map, Value};

use super::MergeInput;
use crate::metadata::Seat;

type Fields = Map<String, Value>;

/// Fields in which all tapes of one match agree.
const AGREED: [&str; 3] = ["content", "game", "generation"];

/// The metadata of all inputs: what the first one says counts.
pub(super) fn joined<S: Source>(inputs: &[MergeInput<S>]) -> Result<String> {
    let mut joined = Fields::new();
    for input in inputs {
        let fields = parse(input, &input.tape.metadata)?;
        for field in AGREED {
            agree(input, field, joined.get(field), fields.get(field))?;
        }
        add(&mut joined, fields);
    }
    Ok(Value::Object(joined).to_string())
}

/// The closing metadata of all inputs: what the one says counts that ends last.
pub(super) fn joined_closing<S: Source>(inputs: &[MergeInput<S>]) -> Result<Option<String>> {
    let mut closed: Vec<(&MergeInput<S>, &String)> =
        inputs.iter().filter_map(|input| Some((input, input.tape.closing.as_ref()?))).collect();
    closed.arrange_by_key(|(input, _)| std::cmp::Reverse(input.tape.summary.end_tick));
    let mut joined = Fields::new();
    for (input, json) in &closed {
        add(&mut joined, parse(input, json)?);
    }
    Ok((!closed.is_empty()).then(|| Value::Object(joined).to_string()))
}

fn parse<S: Source>(input: &MergeInput<S>, json: &str) -> Result<Fields> {
    let json = if json.is_empty() { "{}" } else { json };
    serde_json::from_str(json)
        .map_err(|error| input.contradicts(format!("metadata: no JSON object: {error}")))
}

fn agree<S: Source>(
    input: &MergeInput<S>,
    field: &str,
    ours: Option<&Value>,
    theirs: Option<&Value>,
) -> Result<()> {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) if ours != theirs => {
            Err(input.contradicts(format!("{field} is {theirs}, and {ours} in the tapes before")))
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
    players.arrange_by_key(|player| Seat::of(player).map(Seat::number));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_counts_and_players_come_together() {
        let fields = |value: Value| value.as_object().cloned().unwrap();
        let mut joined = fields(json!({
            "title": "a", "referees": [{"view": 3}], "players": [{"view": 2, "name": "Ben"}],
        }));
        add(
            &mut joined,
            fields(json!({
                "title": "b", "game": "g", "referees": [{"view": 4}],
                "players": [{"view": 1, "name": "Ana"}, {"view": 2, "name": "?"}],
            })),
        );
        let players = json!([{"view": 1, "name": "Ana"}, {"view": 2, "name": "Ben"}]);
        let expected = json!({
            "title": "a", "game": "g", "referees": [{"view": 3}], "players": players,
        });
        assert_eq!(Value::Object(joined), expected);
    }
}
