//! Gamelogs without what says who played.

mod names;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use gametape_wire::{Error, Result};

use crate::limits::{Options, PLAYERS};
use crate::log::Log;
use crate::log::markers::Markers;
use crate::text;
use crate::text::json::Cursor;
use crate::text::layout::{Part, Step, rewrite};
use crate::text::raw::{Name, Raw};

pub use names::Names;

/// A log without what says who played.
///
/// ```
/// use gametape_cadre::{Log, Options, anonymize, sample};
///
/// let log = Log::open(sample::log(50, 1), &Options::default())?;
/// let result = anonymize(&log, &Options::default())?;
/// assert!(String::from_utf8_lossy(&log.to_json()).contains("Bob"));
/// assert!(!String::from_utf8_lossy(&result.log.to_json()).contains("Bob"));
/// assert!(result.remaining.is_empty());
/// # Ok::<(), gametape_wire::Error>(())
/// ```
pub fn anonymize(log: &Log, options: &Options) -> Result<Anonymized> {
    let mut anonymizer = Anonymizer::new();
    let (before, after) = log.around_deltas();
    let root = [before, after].concat();
    anonymizer.learn_root(&root);
    for delta in log.deltas() {
        anonymizer.learn_delta(delta.raw().as_bytes());
    }
    let root = anonymizer.root(&root);
    anonymizer.search(&root);
    let mut scrubbed = Log::open(root, options)?;
    for (index, delta) in log.deltas().enumerate() {
        let delta = anonymizer.delta(delta.raw().as_bytes());
        anonymizer.search(&delta);
        let within = |error: Error| error.within(format_args!("deltas[{index}]"));
        scrubbed.push(&delta).map_err(within)?;
    }
    let (removed, remaining) = (anonymizer.removed().collect(), anonymizer.remaining().collect());
    Ok(Anonymized { log: scrubbed, removed, remaining })
}

/// What [`anonymize`] returns.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Anonymized {
    /// The log as it may be handed out.
    pub log: Log,
    /// What was removed, and how often.
    pub removed: BTreeMap<&'static str, u64>,
    /// What was found in the result although it should be gone, and how often.
    pub remaining: BTreeMap<String, u64>,
}

/// Removes what says who played from a log, one delta at a time.
///
/// First it learns from everything ([`learn_root`](Self::learn_root),
/// [`learn_delta`](Self::learn_delta)), then it rewrites everything ([`root`](Self::root),
/// [`delta`](Self::delta), [`state`](Self::state)), and then results can be searched
/// ([`search`](Self::search)). `spec/gamelog.md`, section 12, says what is removed.
#[derive(Debug, Default)]
pub struct Anonymizer {
    markers: Markers,
    names: Names,
    /// Texts that are removed where they are expected, and otherwise only searched for.
    secrets: Names,
    /// Ids of the game objects that are players.
    players: BTreeSet<String>,
    /// What keys with names in them became: different keys stay different.
    keys: HashMap<String, String>,
    new_keys: BTreeSet<String>,
    removed: BTreeMap<&'static str, u64>,
    remaining: BTreeMap<String, u64>,
}

/// What is there instead of anything that is not a name.
const NOBODY: &str = "anonymous";

/// Fields of the root that a log keeps: those that the format has.
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

/// Keys that mean something to the format: as keys, and as values of these keys, words are not names.
const FORMAT_KEYS: [&str; 34] = [
    "type",
    "data",
    "game",
    "player",
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
    "players",
    "id",
    "logs",
    "won",
    "lost",
    "reason",
    "reasonWon",
    "reasonLost",
    "clientType",
    "currentTurn",
    "currentPlayer",
    "session",
    "disconnected",
    "timedOut",
    "playerNames",
    "password",
    "DELTA_REMOVED",
    "DELTA_LIST_LENGTH",
];

/// Keys whose values are words of the game.
const WORD_KEYS: [&str; 7] = [
    "type",
    "functionName",
    "gameObjectName",
    "gameName",
    "gamelogVersion",
    "DELTA_REMOVED",
    "DELTA_LIST_LENGTH",
];

/// Paths are matched by this many keys.
const FIRST_KEYS: usize = 8;

/// Which part of a log a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whole {
    Root,
    Delta,
    State,
}

impl Anonymizer {
    /// Nothing is known yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The names that were learned.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Learns a name that is known from elsewhere, such as the metadata of a tape.
    pub fn learn_name(&mut self, name: &str, replacement: &str) {
        if self.names.len() < PLAYERS {
            self.names.add(name, replacement);
        }
    }

    /// Learns from the fields of a log, with or without its deltas.
    pub fn learn_root(&mut self, root: &[u8]) {
        let Ok(root) = Raw::parse(root) else { return };
        self.markers = Markers::from_constants(root.get("constants")).unwrap_or_default();
        for list in ["winners", "losers"].into_iter().filter_map(|list| root.get(list)) {
            for client in list.elements().map_while(Result::ok).take(PLAYERS) {
                let text = |field| client.get(field).and_then(|value| value.as_str());
                if let (Some(id), Some(name)) = (text("id"), text("name")) {
                    self.learn_name(&name, &format!("Player {id}"));
                }
            }
        }
        let settings = root.get("settings");
        let wanted = settings.and_then(|settings| settings.get("playerNames"));
        let wanted = wanted.iter().flat_map(Raw::elements).map_while(Result::ok);
        for (index, name) in wanted.take(PLAYERS).enumerate() {
            if let Some(name) = name.as_str() {
                self.learn_name(&name, &format!("Player {index}"));
            }
        }
        let session = settings.and_then(|settings| settings.get("session"));
        for session in [root.get("gameSession"), session].into_iter().flatten() {
            self.learn_secret("the session", session);
        }
    }

    fn learn_secret(&mut self, what: &str, value: Raw<'_>) {
        if let Some(text) = value.as_str().filter(|text| text.chars().count() > 3)
            && self.secrets.len() < PLAYERS
        {
            self.secrets.add(&text, what);
        }
    }

    /// Learns from a delta.
    pub fn learn_delta(&mut self, delta: &[u8]) {
        // Only a delta that brings or renames a player has this word in it.
        if memchr::memmem::find(delta, b"\"name\"").is_none() {
            return;
        }
        let objects = Raw::parse(delta).ok();
        let objects = objects.and_then(|delta| delta.at(&["game", "gameObjects"]));
        for (id, object) in objects.iter().flat_map(Raw::entries).map_while(Result::ok) {
            let text = |field| object.get(field).and_then(|value| value.as_str());
            let is_player = text("gameObjectName").is_some_and(|name| name == "Player");
            if !is_player && !self.players.contains(&*id.as_str()) {
                continue;
            }
            let id = id.as_str();
            if let Some(name) = text("name") {
                self.learn_name(&name, &format!("Player {id}"));
            }
            if let Some(client) = object.get("clientType") {
                self.learn_secret("a client type", client);
            }
            if self.players.len() < PLAYERS {
                self.players.insert(id.into_owned());
            }
        }
    }

    /// The fields of a log as they may stay. Deltas in it are rewritten as well.
    pub fn root(&mut self, root: &[u8]) -> Vec<u8> {
        let known = self.known_fields(root);
        self.rewrite(Whole::Root, &known)
    }

    /// The fields that the format has: others may say anything, in their keys too.
    fn known_fields<'a>(&mut self, root: &'a [u8]) -> Cow<'a, [u8]> {
        let Ok(fields) = Raw::parse(root) else { return Cow::Borrowed(root) };
        let is_known = |name: &Name<'_>| ROOT_FIELDS.contains(&&*name.as_str());
        if fields.entries().map_while(Result::ok).all(|(name, _)| is_known(&name)) {
            return Cow::Borrowed(root);
        }
        let mut kept = vec![b'{'];
        for (name, value) in fields.entries().map_while(Result::ok) {
            if !is_known(&name) {
                self.note("unknown fields");
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
        Cow::Owned(kept)
    }

    /// A delta as it may stay.
    pub fn delta(&mut self, delta: &[u8]) -> Vec<u8> {
        self.rewrite(Whole::Delta, delta)
    }

    /// The canonical JSON of a state as it may stay. It has the same values, and may have its keys in
    /// another order.
    pub fn state(&mut self, state: &[u8]) -> Vec<u8> {
        self.rewrite(Whole::State, state)
    }

    fn rewrite(&mut self, part: Whole, json: &[u8]) -> Vec<u8> {
        rewrite(json, |path, kind, token| {
            let new = match kind {
                Part::Key => self.key(token)?,
                Part::Value => self.value(part, path, token)?,
            };
            (new != token).then_some(new)
        })
    }

    /// A key without names.
    fn key(&mut self, token: &[u8]) -> Option<Vec<u8>> {
        let key = string(token)?;
        if FORMAT_KEYS.contains(&&*key) || key.as_bytes() == &*self.markers.length {
            return None;
        }
        let new = self.new_key(&key)?;
        self.note("names in keys");
        Some(quoted(&new))
    }

    /// What a key becomes; `None` where there is no name in it.
    fn new_key(&mut self, key: &str) -> Option<String> {
        if let Some(new) = self.keys.get(key) {
            return Some(new.clone());
        }
        let mut new = self.names.replaced(key)?;
        while !self.new_keys.insert(new.clone()) {
            new.push('\'');
        }
        self.keys.insert(key.to_owned(), new.clone());
        Some(new)
    }

    fn value(&mut self, part: Whole, path: &[Step<'_>], token: &[u8]) -> Option<Vec<u8>> {
        if token.first() == Some(&b'"') && *decoded(token)? == *self.markers.removed {
            return None;
        }
        let last = path.last().map(step_name).unwrap_or_default();
        let keys: Vec<Cow<'_, str>> = path.iter().take(FIRST_KEYS).map(step_name).collect();
        let keys: Vec<&str> = keys.iter().map(|key| &**key).collect();
        let expected = match (part, &*keys) {
            (Whole::Root, ["deltas", _, "game", rest @ ..])
            | (Whole::Delta, ["game", rest @ ..]) => self.value_of_state(rest, token),
            (Whole::Root, ["deltas", _, ..]) | (Whole::Delta, _) => None,
            (Whole::Root, keys) => self.value_of_root(keys, token),
            (Whole::State, keys) => self.value_of_state(keys, token),
        };
        let (what, new) = expected.or_else(|| self.text(&last, token))?;
        if new != token {
            self.note(what);
        }
        Some(new)
    }

    fn value_of_root(&mut self, keys: &[&str], token: &[u8]) -> Option<(&'static str, Vec<u8>)> {
        match keys {
            ["gameSession"] | ["settings", "session"] => Some(("sessions", quoted(NOBODY))),
            ["settings", "password"] => Some(("passwords", quoted(NOBODY))),
            ["epoch"] => Some(("times", b"0".to_vec())),
            ["winners" | "losers", _, "name"] => self.name(token),
            _ => None,
        }
    }

    fn value_of_state(&mut self, keys: &[&str], token: &[u8]) -> Option<(&'static str, Vec<u8>)> {
        let is_string = token.first() == Some(&b'"');
        match keys {
            _ if !is_string => None,
            ["session"] => Some(("sessions", quoted(NOBODY))),
            ["gameObjects", _, "logs", _, ..] if token == b"\"\"" => None,
            ["gameObjects", _, "logs", _, ..] => Some(("logs of players' programs", quoted(""))),
            ["gameObjects", id, "name"] if self.players.contains(*id) => self.name(token),
            ["gameObjects", id, "clientType"] if self.players.contains(*id) => {
                Some(("types of clients", quoted(NOBODY)))
            }
            _ => None,
        }
    }

    /// The value of a field that is the name of a player.
    fn name(&mut self, token: &[u8]) -> Option<(&'static str, Vec<u8>)> {
        let text = string(token)?;
        let new = match self.names.replacement(&text) {
            Some(replacement) => replacement.to_owned(),
            None => self.names.replaced(&text)?,
        };
        Some(("names in texts", quoted(&new)))
    }

    /// Any other value.
    fn text(&mut self, key: &str, token: &[u8]) -> Option<(&'static str, Vec<u8>)> {
        let new = match key {
            key if WORD_KEYS.contains(&key) => return None,
            // What refers to a key becomes what the key became.
            "id" => self.new_key(&string(token)?)?,
            _ => self.names.replaced(&string(token)?)?,
        };
        Some(("names in texts", quoted(&new)))
    }

    fn note(&mut self, what: &'static str) {
        *self.removed.entry(what).or_default() += 1;
    }

    /// Searches a result for what should be gone: all strings of it, keys and values.
    pub fn search(&mut self, json: &[u8]) {
        rewrite(json, |_, part, token| {
            let text = string(token)?;
            let part = match part {
                Part::Key => "in a key",
                Part::Value => "in a value",
            };
            let is_own = self.is_own(&text);
            let names =
                self.names.found_in(&text).into_iter().map(|name| format!("the name of {name}"));
            let secrets = self.secrets.found_in(&text).into_iter().map(str::to_owned);
            for what in names.chain(secrets).filter(|_| !is_own) {
                *self.remaining.entry(format!("{what}, {part}")).or_default() += 1;
            }
            None
        });
    }

    /// Is that a text that was put there, or a word of the format?
    fn is_own(&self, text: &str) -> bool {
        text == NOBODY
            || FORMAT_KEYS.contains(&text)
            || text.strip_prefix("Player ").is_some_and(|id| self.players.contains(id))
    }

    /// What was removed, and how often.
    pub fn removed(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.removed.iter().map(|(what, count)| (*what, *count))
    }

    /// What [`search`](Self::search) found, and how often.
    pub fn remaining(&self) -> impl Iterator<Item = (String, u64)> {
        self.remaining.iter().map(|(what, count)| (what.clone(), *count))
    }
}

/// The string that a token is, in WTF-8.
fn decoded(token: &[u8]) -> Option<Cow<'_, [u8]>> {
    Some(Cursor::new(token, 0).string().ok()?.decoded(token))
}

/// The string that a token is, lone surrogates replaced.
fn string(token: &[u8]) -> Option<Cow<'_, str>> {
    decoded(token).map(text::lossy)
}

fn quoted(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    gametape_wire::json::push_bytes(text.as_bytes(), &mut out);
    out
}

/// The name of a step; empty in a list.
fn step_name<'a>(step: &Step<'a>) -> Cow<'a, str> {
    match step {
        Step::Key(token) => string(token).unwrap_or_default(),
        Step::Item => Cow::Borrowed(""),
    }
}
