//! What several tests need: arbitrary deltas, a plain reference merge, and exact dumps.

#![allow(dead_code, clippy::unwrap_used)]

use std::collections::BTreeMap;

use gametape_cadre::{Kind, Markers, Node, State, Timeline};
use proptest::prelude::*;

/// JSON as it is written: objects keep their order and may have a key twice.
#[derive(Debug, Clone)]
pub(crate) enum Json {
    Scalar(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(crate) fn text(&self) -> String {
        let join = |parts: Vec<String>| parts.join(",");
        match self {
            Self::Scalar(text) => text.clone(),
            Self::Array(all) => format!("[{}]", join(all.iter().map(Self::text).collect())),
            Self::Object(all) => {
                let entry = |(key, value): &(String, Json)| format!("{key:?}:{}", value.text());
                format!("{{{}}}", join(all.iter().map(entry).collect()))
            }
        }
    }

    /// The entries as merging sees them: arrays as objects, of equal keys the last.
    fn entries(&self) -> BTreeMap<String, &Json> {
        match self {
            Self::Scalar(_) => BTreeMap::new(),
            Self::Array(all) => {
                all.iter().enumerate().map(|(i, value)| (i.to_string(), value)).collect()
            }
            Self::Object(all) => all.iter().map(|(key, value)| (key.clone(), value)).collect(),
        }
    }
}

/// A delta's `game` over few keys, so that deltas overlap.
pub(crate) fn game(keys: &'static [&'static str]) -> impl Strategy<Value = Json> {
    let scalar = prop::sample::select(
        ["null", "true", "false", "0", "1", "-1.5e3", "\"&RM\"", "\"x\"", "\"\\ud800\""].as_slice(),
    );
    let scalar = scalar.prop_map(|text| Json::Scalar(text.to_owned()));
    let value = scalar.prop_recursive(4, 40, 5, move |inner| {
        let key = prop::sample::select(keys).prop_map(str::to_owned);
        let length = (0u32..6).prop_map(|length| Json::Scalar(length.to_string()));
        let entries = prop::collection::vec((key, inner.clone()), 0..6);
        let list = (entries.clone(), length, any::<prop::sample::Index>()).prop_map(
            |(mut entries, length, at)| {
                entries.insert(at.index(entries.len() + 1), ("&LEN".to_owned(), length));
                Json::Object(entries)
            },
        );
        prop_oneof![
            3 => entries.prop_map(Json::Object),
            3 => list,
            1 => prop::collection::vec(inner, 0..4).prop_map(Json::Array),
            1 => prop::sample::select(["7", "8"].as_slice())
                .prop_map(|id| Json::Object(vec![("id".into(), Json::Scalar(format!("{id:?}")))])),
        ]
    });
    let key = prop::sample::select(keys).prop_map(str::to_owned);
    prop::collection::vec((key, value), 0..6).prop_map(Json::Object)
}

/// Keys that do everything: names, indices, and what only looks like one.
pub(crate) const KEYS: &[&str] = &["a", "b", "id", "0", "1", "2", "5", "01", "gameObjects"];

pub(crate) fn games() -> impl Strategy<Value = Vec<Json>> {
    prop::collection::vec(game(KEYS), 1..8)
}

/// A state the slow and obvious way.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Plain {
    Scalar(String),
    List(Vec<Option<Plain>>),
    Object(BTreeMap<String, Plain>),
}

impl Plain {
    pub(crate) fn empty() -> Self {
        Self::Object(BTreeMap::new())
    }

    /// Section 4 of the specification, word by word.
    pub(crate) fn merge(&mut self, delta: &Json) {
        let entries = delta.entries();
        if let (Some(Json::Scalar(length)), Self::List(list)) = (entries.get("&LEN"), &mut *self) {
            list.truncate(length.parse().unwrap());
        }
        for (key, value) in entries.iter().filter(|(key, _)| *key != "&LEN") {
            match self {
                Self::Object(object) => {
                    let new = merged(object.remove(key), value);
                    object.extend(new.map(|new| (key.clone(), new)));
                }
                Self::List(list) => {
                    let Some(index) = index(key) else { continue };
                    let is_removal = matches!(value, Json::Scalar(text) if text == "\"&RM\"");
                    if index >= list.len() && !is_removal {
                        list.resize(index + 1, None);
                    }
                    if let Some(element) = list.get_mut(index) {
                        *element = merged(element.take(), value);
                    }
                }
                Self::Scalar(_) => unreachable!("a scalar is replaced, not merged into"),
            }
        }
    }

    /// Holes as `_`, everything else as in canonical JSON.
    pub(crate) fn dump(&self) -> String {
        match self {
            Self::Scalar(text) => text.clone(),
            Self::List(list) => {
                let element =
                    |element: &Option<Plain>| element.as_ref().map_or("_".into(), Self::dump);
                format!("[{}]", list.iter().map(element).collect::<Vec<_>>().join(","))
            }
            Self::Object(object) => {
                let entry = |(key, value): (&String, &Plain)| format!("{key:?}:{}", value.dump());
                format!("{{{}}}", object.iter().map(entry).collect::<Vec<_>>().join(","))
            }
        }
    }
}

/// What is left after `value` was merged into something; none if nothing is.
fn merged(old: Option<Plain>, value: &Json) -> Option<Plain> {
    if let Json::Scalar(text) = value {
        return (text != "\"&RM\"").then(|| Plain::Scalar(text.clone()));
    }
    let mut target = match old {
        Some(container @ (Plain::List(_) | Plain::Object(_))) => container,
        _ if value.entries().contains_key("&LEN") => Plain::List(Vec::new()),
        _ => Plain::empty(),
    };
    target.merge(value);
    Some(target)
}

fn index(key: &str) -> Option<usize> {
    key.parse::<usize>().ok().filter(|index| index.to_string() == key)
}

/// The state, in which holes differ from nulls.
pub(crate) fn dump(state: State<'_>) -> String {
    dump_node(state.root())
}

fn dump_node(node: Node<'_>) -> String {
    match node.kind() {
        Kind::List => {
            let element = |i: usize| node.get(&i.to_string()).map_or("_".into(), dump_node);
            format!("[{}]", (0..node.len()).map(element).collect::<Vec<_>>().join(","))
        }
        Kind::Object => {
            let entry = |(key, child)| format!("{key:?}:{}", dump_node(child));
            format!("{{{}}}", node.children().into_iter().map(entry).collect::<Vec<_>>().join(","))
        }
        _ => String::from_utf8(node.canonical()).unwrap(),
    }
}

/// A timeline over these deltas.
pub(crate) fn timeline(games: &[Json]) -> Timeline {
    let mut timeline = Timeline::empty(Markers::default()).unwrap();
    for game in games {
        timeline.push_game(game.text().as_bytes()).unwrap();
    }
    timeline
}
