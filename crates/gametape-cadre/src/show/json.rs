//! The JSON objects of rows.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use super::{Found, Row, moment};
use crate::check::find::FoundObject;
use crate::check::records::{Action, ChangeCount, Played};
use crate::log::markers::Markers;
use crate::state::State;
use crate::state::diff::diff;
use crate::text::layout::compact;
use crate::text::raw::Raw;
use crate::timeline::Timeline;

/// JSON text as part of a JSON result; as a string if it is no JSON.
#[must_use]
pub fn embed(json: &[u8]) -> Option<Box<RawValue>> {
    let text = String::from_utf8(compact(json)).ok()?;
    RawValue::from_string(text).or_else(|_| to_raw_value(&String::from_utf8_lossy(json))).ok()
}

fn embedded(json: Option<Raw<'_>>) -> Option<Box<RawValue>> {
    embed(json?.as_bytes())
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        DeltaFields::of(self.played).serialize(serializer)
    }
}

#[derive(Serialize)]
struct DeltaFields<'a> {
    delta: usize,
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    player: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<Run<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<Order<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    returned: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    invalid: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Box<RawValue>>,
    changes: Changes,
}

#[derive(Serialize)]
struct Run<'a> {
    function: &'a str,
    caller: Option<&'a str>,
    args: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Order<'a> {
    name: &'a str,
    index: Option<i64>,
    args: Option<Box<RawValue>>,
    errors: Option<i64>,
}

#[derive(Serialize)]
struct Changes {
    added: usize,
    replaced: usize,
    removed: usize,
    objects: usize,
}

impl<'a> DeltaFields<'a> {
    fn of(Played { record, turn, changes, .. }: &'a Played<'a>) -> Self {
        let &ChangeCount { added, replaced, removed, objects } = changes;
        Self {
            delta: record.index,
            kind: &record.kind,
            turn: *turn,
            player: record.player.as_deref(),
            run: Run::of(&record.action),
            order: Order::of(&record.action),
            returned: embedded(record.returned),
            invalid: embedded(record.invalid),
            data: embedded(record.unknown),
            changes: Changes { added, replaced, removed, objects },
        }
    }
}

impl<'a> Run<'a> {
    fn of(action: &'a Action<'_>) -> Option<Self> {
        let Action::Ran { function, caller, args } = action else { return None };
        Some(Self { function, caller: caller.as_deref(), args: embedded(*args) })
    }
}

impl<'a> Order<'a> {
    fn of(action: &'a Action<'_>) -> Option<Self> {
        let Action::Order { name, index, args, errors } = action else { return None };
        Some(Self { name, index: *index, args: embedded(*args), errors: *errors })
    }
}

impl Serialize for Found<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ChangeFields::of(self).serialize(serializer)
    }
}

#[derive(Serialize)]
struct ChangeFields<'a> {
    delta: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<i64>,
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    player: Option<&'a str>,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<Object<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Object<'a> {
    id: &'a str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<&'a str>,
}

impl<'a> ChangeFields<'a> {
    fn of(found: &'a Found<'a>) -> Self {
        let change = found.change;
        Self {
            delta: change.delta,
            turn: found.turn,
            kind: &found.kind,
            player: found.player.as_deref(),
            path: &change.path,
            object: change.object.as_ref().map(Object::of),
            before: change.before.as_deref().and_then(embed),
            after: change.after.as_deref().and_then(embed),
        }
    }
}

impl<'a> Object<'a> {
    fn of(FoundObject { id, kind, owner, .. }: &'a FoundObject) -> Self {
        Self { id, kind: kind.as_deref(), owner: owner.as_deref() }
    }
}

/// How two states differ, as `gametape diff --json` prints it.
#[derive(Debug, Serialize)]
pub struct Differences {
    from: Side,
    to: Side,
    same: bool,
    deltas: Vec<Box<RawValue>>,
}

impl Differences {
    /// The differences of two states as deltas with these markers, three at most: merged in order into
    /// the first state, they make the second one.
    pub fn of(
        [from, to]: [Side; 2],
        [a, b]: [State<'_>; 2],
        markers: &Markers,
    ) -> gametape_wire::Result<Self> {
        let deltas = diff(a, b, markers)?;
        let same = deltas.is_empty();
        Ok(Self {
            from,
            to,
            same,
            deltas: deltas.iter().filter_map(|delta| embed(delta)).collect(),
        })
    }

    /// Are the states the same?
    #[must_use]
    pub fn are_none(&self) -> bool {
        self.same
    }
}

/// A state that is compared: the log that it is from, and the last delta that is merged.
#[derive(Debug, Clone, Serialize)]
pub struct Side {
    file: String,
    delta: Option<usize>,
    #[serde(skip)]
    moment: String,
}

impl Side {
    /// Where a timeline is; `name` is that of its log.
    #[must_use]
    pub fn of(name: impl Into<String>, timeline: &Timeline) -> Self {
        let delta = timeline.position().checked_sub(1);
        Self { file: name.into(), delta, moment: moment(timeline) }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.file, self.moment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_no_json_becomes_a_string() {
        assert_eq!(embed(b"[1, \"\\ud800\"]").unwrap().get(), "[1,\"\\ud800\"]");
        assert_eq!(embed(b"[1,,]").unwrap().get(), "\"[1,,]\"");
    }
}
