//! A change that was found, as a line.

use std::borrow::Cow;
use std::fmt;

use gametape_wire::text::printable;

use super::{Players, Prefix, brief};
use crate::check::find::{Change, FoundObject};
use crate::check::records::Record;
use crate::text::raw::Raw;
use crate::timeline::Timeline;

/// A change that [`find`](crate::find()) found, as a line of text or a JSON object.
#[derive(Debug)]
pub struct Found<'a> {
    pub(super) change: &'a Change,
    pub(super) turn: Option<i64>,
    pub(super) kind: Cow<'a, str>,
    pub(super) player: Option<Cow<'a, str>>,
    who: String,
    /// ` (Fox of 1 Otto)`
    object: String,
}

impl<'a> Found<'a> {
    /// A change in the log of a timeline.
    #[must_use]
    pub fn new(timeline: &'a Timeline, players: &Players, change: &'a Change) -> Self {
        let delta = timeline.log().delta(change.delta);
        let record = delta.as_ref().map(Record::of);
        let (kind, player) = record.map_or_else(Default::default, |r| (r.kind, r.player));
        let object = change.object.as_ref().and_then(|object| described(object, players));
        Self {
            change,
            turn: timeline.turns().at(change.delta),
            kind,
            who: player.as_deref().map_or_else(String::new, |id| players.title(id)),
            player,
            object: object.unwrap_or_default(),
        }
    }
}

fn described(object: &FoundObject, players: &Players) -> Option<String> {
    let owner = object.owner.as_ref().map(|id| format!(" of {}", players.title(id)));
    Some(format!(" ({}{})", printable(object.kind.as_ref()?), owner.unwrap_or_default()))
}

impl fmt::Display for Found<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { change, turn, kind, who, object, .. } = self;
        write!(f, "{}", Prefix { delta: change.delta, turn: *turn, kind, who })?;
        let (before, after) = (value(change.before.as_deref()), value(change.after.as_deref()));
        write!(f, "{}{object}: {before} → {after}", printable(&change.path))
    }
}

/// A value on a line.
fn value(json: Option<&[u8]>) -> String {
    let parsed = json.and_then(|json| Raw::parse(json).ok());
    parsed.map_or_else(|| "nothing".to_owned(), brief)
}
