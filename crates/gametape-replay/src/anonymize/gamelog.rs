//! Gamelogs without names, sessions, times and clients.

use std::collections::{BTreeMap, BTreeSet};

use gametape_cadre::{Raw, write_quoted};

use super::names::Names;
use crate::json::{Step, Token, compact, rewrite};

/// Removes what says who played from a log, one delta at a time: first it learns from everything, then
/// it rewrites everything.
#[derive(Debug, Default)]
pub(super) struct Anonymizer {
    names: Names,
    /// Ids of the game objects that are players.
    players: BTreeSet<String>,
    removed: BTreeMap<&'static str, u64>,
    remaining: BTreeSet<String>,
}

/// What is there instead of anything that is not a name.
const NOBODY: &str = "anonymous";

/// Fields of the root that the format has; others are dropped.
const ROOT_FIELDS: [&str; 11] = [
    "gamelogVersion",
    "gameVersion",
    "gameName",
    "gameSession",
    "constants",
    "deltas",
    "epoch",
    "randomSeed",
    "settings",
    "winners",
    "losers",
];

/// Keys whose values are words of the format and of the game, not of persons.
const WORDS: [&str; 6] =
    ["type", "functionName", "gameObjectName", "gameName", "gamelogVersion", "id"];

/// Keys that the format has: a player who is called so is not one of them.
const FORMAT_KEYS: [&str; 22] = [
    "type",
    "data",
    "game",
    "player",
    "players",
    "run",
    "functionName",
    "caller",
    "args",
    "order",
    "name",
    "index",
    "errors",
    "returned",
    "invalid",
    "gameObjects",
    "gameObjectName",
    "id",
    "logs",
    "session",
    "clientType",
    "constants",
];

impl Anonymizer {
    pub(super) fn learn_name(&mut self, name: &str, replacement: &str) {
        self.names.add(name, replacement);
    }

    /// Learns from the fields around the deltas.
    pub(super) fn learn_root(&mut self, root: &[u8]) {
        let Ok(root) = Raw::parse(root) else { return };
        for list in ["winners", "losers"].into_iter().filter_map(|list| root.get(list)) {
            for client in list.elements().map_while(Result::ok) {
                let text = |field| client.get(field).and_then(|value| value.as_str());
                if let (Some(id), Some(name)) = (text("id"), text("name")) {
                    self.names.add(&name, &format!("Player {id}"));
                }
            }
        }
        let wanted = root.at(&["settings", "playerNames"]);
        let wanted = wanted.iter().flat_map(Raw::elements).map_while(Result::ok);
        for (index, name) in wanted.enumerate() {
            if let Some(name) = name.as_str() {
                self.names.add(&name, &format!("Player {index}"));
            }
        }
    }

    /// Learns from a delta.
    pub(super) fn learn_delta(&mut self, delta: &[u8]) {
        let objects = Raw::parse(delta).ok();
        let objects = objects.and_then(|delta| delta.at(&["game", "gameObjects"]));
        for (id, object) in objects.iter().flat_map(Raw::entries).map_while(Result::ok) {
            let text = |field| object.get(field).and_then(|value| value.as_str());
            let is_player = text("gameObjectName").is_some_and(|name| name == "Player");
            if !is_player && !self.players.contains(&*id.as_str()) {
                continue;
            }
            if let Some(name) = text("name") {
                self.names.add(&name, &format!("Player {}", id.as_str()));
            }
            self.players.insert(id.as_str().into_owned());
        }
    }

    /// The fields around the deltas as they may stay.
    pub(super) fn root(&mut self, root: &[u8]) -> Vec<u8> {
        let mut kept = vec![b'{'];
        let fields = Raw::parse(root).ok();
        for (name, value) in fields.iter().flat_map(Raw::entries).map_while(Result::ok) {
            if !ROOT_FIELDS.contains(&&*name.as_str()) {
                *self.removed.entry("unknown fields").or_default() += 1;
                continue;
            }
            if kept.len() > 1 {
                kept.push(b',');
            }
            kept.extend_from_slice(name.as_bytes());
            kept.push(b':');
            kept.extend_from_slice(value.as_bytes());
        }
        kept.push(b'}');
        self.rewrite(&kept, |this, path, token| match path {
            ["gameSession"] | ["settings", "session"] => Some(("sessions", NOBODY.to_owned())),
            ["settings", "password"] => Some(("passwords", NOBODY.to_owned())),
            ["epoch"] if token != b"0" => {
                *this.removed.entry("times").or_default() += 1;
                Some(("", String::new()))
            }
            _ => None,
        })
    }

    /// A delta as it may stay.
    pub(super) fn delta(&mut self, delta: &[u8]) -> Vec<u8> {
        self.rewrite(delta, |this, path, token| match path {
            ["game", "session"] => Some(("sessions", NOBODY.to_owned())),
            ["game", "gameObjects", _, "logs", _, ..] if token.len() > 2 => {
                Some(("logs of players' programs", String::new()))
            }
            ["game", "gameObjects", id, "clientType"] if this.players.contains(*id) => {
                Some(("types of clients", NOBODY.to_owned()))
            }
            _ => None,
        })
    }

    /// Rewrites strings: what `rule` says, and names in keys and all other values.
    fn rewrite(
        &mut self,
        json: &[u8],
        mut rule: impl FnMut(&mut Self, &[&str], &[u8]) -> Option<(&'static str, String)>,
    ) -> Vec<u8> {
        rewrite(json, |Token { path, text, is_key }| {
            let names: Vec<String> = path.iter().map(step_name).collect();
            let names: Vec<&str> = names.iter().map(|name| &**name).collect();
            if !is_key && let Some((what, new)) = rule(self, &names, text) {
                if what.is_empty() {
                    return Some(b"0".to_vec());
                }
                return (text.first() == Some(&b'"')).then(|| self.replace(what, &new, text))?;
            }
            let last = names.last().copied().unwrap_or_default();
            let is_format =
                if is_key { FORMAT_KEYS.contains(&last) } else { WORDS.contains(&last) };
            let is_string = text.first() == Some(&b'"');
            if is_format || !is_string || names.first() == Some(&"constants") {
                return None;
            }
            let new = self.names.replaced(&string(text)?)?;
            self.replace(if is_key { "names in keys" } else { "names in texts" }, &new, text)
        })
    }

    fn replace(&mut self, what: &'static str, new: &str, old: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        write_quoted(new.as_bytes(), &mut out);
        (out != old).then(|| *self.removed.entry(what).or_default() += 1)?;
        Some(out)
    }

    /// Searches a result for names: all strings of it, keys and values.
    pub(super) fn search(&mut self, json: &[u8]) {
        let (names, remaining) = (&self.names, &mut self.remaining);
        rewrite(json, |Token { path, text, is_key }| {
            let last = path.last().map(step_name).unwrap_or_default();
            let is_format =
                if is_key { FORMAT_KEYS.contains(&&*last) } else { WORDS.contains(&&*last) };
            if !is_format && text.first() == Some(&b'"') {
                for name in string(text).iter().flat_map(|text| names.found_in(text)) {
                    let place = path.iter().map(step_name).collect::<Vec<_>>().join(".");
                    remaining.insert(format!("the name of {name} at {place}"));
                }
            }
            None
        });
    }

    pub(super) fn removed(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.removed.iter().map(|(what, count)| (*what, *count))
    }

    pub(super) fn remaining(&self) -> impl Iterator<Item = String> {
        self.remaining.iter().cloned()
    }
}

/// The string that a token is.
fn string(token: &[u8]) -> Option<String> {
    serde_json::from_slice(&compact(token)).ok()
}

/// The key of a step; empty in a list.
fn step_name(step: &Step<'_>) -> String {
    match step {
        Step::Key(token) => string(token).unwrap_or_default(),
        Step::Item => String::new(),
    }
}
