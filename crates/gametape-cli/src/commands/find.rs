//! `gametape find`: the deltas of a gamelog that touch or change something.

use std::borrow::Cow;
use std::fmt;

use gametape_cadre::{Change, FoundObject, Query, Raw, Record, Timeline, find};
use gametape_wire::Error;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::failure::{Done, Failure, Outcome};
use crate::gamelog::{self, Players, Prefix, load_once};
use crate::input::{Input, Source};
use crate::json::embed;
use crate::many::FilesArgs;
use crate::output::Lines;
use crate::progress::waiting;
use crate::text::printable;

/// Find the deltas of a gamelog that touch or change what is at a path
///
/// A path is keys joined by dots, such as gameObjects.523.health; `*` stands for any one key. It
/// finds what deltas write at the path and anywhere below it, also where that was there already,
/// unless only changes are asked for. A dot or backslash in a key is written with a backslash
/// before it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: FilesArgs,

    /// Where to look
    #[arg(value_name = "PATH")]
    path: String,

    /// Only where the value is another one afterwards
    #[arg(long)]
    changed: bool,

    /// Only changes to this value: JSON, or else text
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    to: Option<String>,

    /// Print one JSON object for each change
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"With --json there is one object a line:
  {"delta","turn","type","player","path","object":{"id","type","owner"},"before","after"}
"delta" counts from 0; "turn" is that after the delta; "object" is the game object of the path, and
"owner" the id of its last owner; what is not there is left out, "before" and "after" too.

Examples:
  gametape find game.json.gz gameObjects.523.health --to 0
  gametape find game.json.gz 'gameObjects.*.won' --to true
  gametape find game.json.gz currentTurn --changed --json | jq .delta"#;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        self.files.each("read", |source| self.search(source))
    }

    fn search(&self, source: &Source) -> Outcome {
        let input = Input::of(source)?;
        let failed = |error: Error| Failure::of(&input.source, &error);
        let query = Query::new(&self.path).map_err(failed)?;
        let query = match &self.to {
            Some(value) => query.to(value),
            None if self.changed => query,
            None => query.touched(),
        };
        let timeline = load_once(&input.gamelog()?)?;
        let players = Players::of(timeline.log());
        if !self.json {
            self.files.title(source)?;
        }
        let mut lines = Lines::new(self.json);
        waiting("searching", || {
            let mut changes = find(timeline.log(), query).map_err(failed)?;
            changes.try_for_each(|change| {
                let change = change.map_err(failed)?;
                lines.add(&self.files.row(source, Found::of(&timeline, &players, &change)))
            })
        })?;
        lines.finish()?;
        Ok(Done::Fine)
    }
}

/// A change that was looked for.
#[derive(Serialize)]
struct Found<'a> {
    delta: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<i64>,
    #[serde(rename = "type")]
    kind: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    player: Option<Cow<'a, str>>,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<Object<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Box<RawValue>>,
    #[serde(skip)]
    who: String,
}

/// The game object that a change is part of.
#[derive(Serialize)]
struct Object<'a> {
    id: &'a str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<&'a str>,
    #[serde(skip)]
    owned_by: String,
}

impl<'a> Object<'a> {
    fn of(object: &'a FoundObject, players: &Players) -> Self {
        let owner = object.owner.as_deref();
        let owned_by = owner.map_or_else(String::new, |id| format!(" of {}", players.title(id)));
        Self { id: &object.id, kind: object.kind.as_deref(), owner, owned_by }
    }
}

impl fmt::Display for Object<'_> {
    /// ` (Fox of 1 Otto)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Some(kind) => write!(f, " ({}{})", printable(kind), self.owned_by),
            None => Ok(()),
        }
    }
}

impl<'a> Found<'a> {
    fn of(timeline: &'a Timeline, players: &Players, change: &'a Change) -> Self {
        let delta = timeline.log().delta(change.delta);
        let record = delta.as_ref().map(Record::of);
        let (kind, player) = record.map_or_else(Default::default, |r| (r.kind, r.player));
        let embedded = |value: &Option<Vec<u8>>| value.as_deref().and_then(embed);
        Self {
            delta: change.delta,
            turn: timeline.turns().at(change.delta),
            kind,
            who: player.as_deref().map_or_else(String::new, |id| players.title(id)),
            player,
            path: &change.path,
            object: change.object.as_ref().map(|object| Object::of(object, players)),
            before: embedded(&change.before),
            after: embedded(&change.after),
        }
    }
}

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { delta, turn, kind, who, path, .. } = self;
        write!(f, "{}", Prefix { delta: *delta, turn: *turn, kind, who })?;
        let (before, after) = (brief(self.before.as_deref()), brief(self.after.as_deref()));
        write!(f, "{}", printable(path))?;
        if let Some(object) = &self.object {
            write!(f, "{object}")?;
        }
        write!(f, ": {before} → {after}")
    }
}

/// A value on a line.
fn brief(value: Option<&RawValue>) -> String {
    let parsed = value.and_then(|value| Raw::parse(value.get().as_bytes()).ok());
    parsed.map_or_else(|| "nothing".to_owned(), gamelog::brief)
}
