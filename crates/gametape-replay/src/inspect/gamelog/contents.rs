//! What is in the deltas of a gamelog.

use std::collections::BTreeMap;

use gametape_cadre::show::Players;
use gametape_cadre::{Index, KindCount, Log, Options, PlayerCount, Query, Timeline, find};
use gametape_wire::Result;
use serde::Serialize;

use super::super::Facts;
use crate::text::{clock, count, printable, thousands};

/// What is in the deltas of a gamelog.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct DeltaContents {
    /// The last turn.
    pub turns: Option<i64>,
    /// Deltas by type.
    pub by_type: Vec<TypeFigures>,
    /// Bytes of `game`.
    pub game_bytes: usize,
    /// Bytes of `data`.
    pub data_bytes: usize,
    /// What each player did.
    pub players: Vec<PlayerFigures>,
}

/// The deltas of one type.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct TypeFigures {
    /// The type.
    #[serde(rename = "type")]
    pub kind: String,
    /// How many deltas.
    pub deltas: usize,
    /// Their bytes.
    pub bytes: usize,
}

/// What a player did.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct PlayerFigures {
    /// The id.
    pub id: String,
    /// Deltas of this player.
    pub deltas: usize,
    /// Calls that were refused.
    pub invalid: usize,
    /// Calls by function.
    pub ran: BTreeMap<String, usize>,
    /// Orders by name.
    pub orders: BTreeMap<String, usize>,
    /// Orders that were carried out, by name.
    pub finished: BTreeMap<String, usize>,
    /// Nanoseconds that the player's clock lost; none if that is not known.
    pub clock_ns: Option<u64>,
    #[serde(skip)]
    title: String,
}

impl DeltaContents {
    pub(in crate::inspect) fn of(stored: &[u8], options: &Options) -> Result<Self> {
        let log = Log::open(stored, options)?;
        let timeline = Timeline::load(log, &options.with_keyframe_bytes(0))?;
        let clocks = Clocks::of(&timeline)?;
        let (index, players) = (Index::of(timeline.log()), Players::of(timeline.log()));
        let figures = |(id, done): (String, PlayerCount)| {
            let clock_ns = clocks.lost(&id);
            PlayerFigures::of(id, done, clock_ns, &players)
        };
        Ok(Self {
            turns: timeline.turns().last(),
            by_type: index.kinds.into_iter().map(TypeFigures::of).collect(),
            game_bytes: index.game_bytes,
            data_bytes: index.data_bytes,
            players: index.players.into_iter().map(figures).collect(),
        })
    }

    pub(super) fn add_to(&self, fields: &mut Facts) {
        let turns = self.turns.map_or("not counted".to_owned(), |turn| format!("up to {turn}"));
        fields.add("turns", turns);
        let bytes = |bytes: usize| count(bytes as u64, "byte");
        fields.add("contents", format!("{} of game", bytes(self.game_bytes)));
        fields.more(format!("{} of data", bytes(self.data_bytes)));
        fields.add("types", "deltas by type");
        for TypeFigures { kind, deltas, .. } in &self.by_type {
            fields.more(format!("{:<13}{:>11}", printable(kind), thousands(*deltas as u64)));
        }
        fields.add("done", "deltas, refused calls, time and calls by player");
        for player in &self.players {
            player.add_to(fields);
        }
        fields.add("duration", self.duration_text());
    }

    fn duration_text(&self) -> String {
        let clocks: Option<Vec<u64>> = self.players.iter().map(|player| player.clock_ns).collect();
        match clocks {
            Some(clocks) if !clocks.is_empty() => {
                let all = clocks.iter().fold(0, |all: u64, clock| all.saturating_add(*clock));
                format!("{} by the players' clocks", time(all))
            }
            _ => "not known".to_owned(),
        }
    }
}

fn time(nanoseconds: u64) -> String {
    clock(nanoseconds / 1_000_000)
}

impl TypeFigures {
    fn of((kind, KindCount { count, bytes, .. }): (String, KindCount)) -> Self {
        Self { kind, deltas: count, bytes }
    }
}

impl PlayerFigures {
    fn of(id: String, done: PlayerCount, clock_ns: Option<u64>, players: &Players) -> Self {
        let PlayerCount { deltas, invalid, ran, orders, finished, .. } = done;
        let title = players.title(&id);
        Self { id, deltas, invalid, ran, orders, finished, clock_ns, title }
    }

    fn add_to(&self, fields: &mut Facts) {
        let (deltas, invalid) = (count(self.deltas as u64, "delta"), self.invalid as u64);
        let clock = self.clock_ns.map_or_else(String::new, |clock| format!(", {}", time(clock)));
        fields.more(format!("{}: {deltas}, {} refused{clock}", self.title, thousands(invalid)));
        for (function, times) in &self.ran {
            fields.more(format!("  {:<17}{:>7}", printable(function), thousands(*times as u64)));
        }
    }
}

/// How much time the clocks of players lost. What they gained was given to them. Clocks that never
/// change are left out: not every server writes them down.
#[derive(Default)]
struct Clocks(BTreeMap<String, Option<u64>>);

impl Clocks {
    fn of(timeline: &Timeline) -> Result<Self> {
        let mut clocks = Self::default();
        for change in find(timeline.log(), Query::new("gameObjects.*.timeRemaining")?)? {
            let change = change?;
            let id = change.path.split('.').nth(1).unwrap_or_default();
            // That a clock is set for the first time is no change of it.
            if let Some(before) = &change.before {
                let lost = clocks.0.entry(id.to_owned()).or_insert(Some(0));
                *lost = lost
                    .zip(loss(before, change.after.as_deref()))
                    .and_then(|(lost, more): (u64, u64)| lost.checked_add(more));
            }
        }
        Ok(clocks)
    }

    fn lost(&self, id: &str) -> Option<u64> {
        self.0.get(id).copied().flatten()
    }
}

/// How much less it is after than before; none if one of them is no whole number.
fn loss(before: &[u8], after: Option<&[u8]>) -> Option<u64> {
    let number = |json: &[u8]| std::str::from_utf8(json).ok()?.parse::<i64>().ok();
    let (before, after) = (number(before)?, number(after?)?);
    Some(u64::try_from(before.saturating_sub(after)).unwrap_or(0))
}
