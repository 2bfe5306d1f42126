//! What is in a log, counted.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::check::records::{Action, Record};
use crate::limits::COUNTED_NAMES;
use crate::log::Log;
use crate::text::path::shortened;

/// Counts over all deltas of a log. None of it needs merging.
///
/// ```
/// use gametape_cadre::{Index, Log, Options, sample};
///
/// let log = Log::open(sample::log(100, 1), &Options::default()).unwrap();
/// let index = Index::of(&log);
/// assert_eq!(index.kinds["start"].count, 1);
/// assert!(index.players["0"].invalid > 0);
/// assert!(index.players["1"].ran["move"] > 0);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Index {
    /// How many deltas.
    pub deltas: usize,
    /// Bytes of JSON.
    pub json_bytes: usize,
    /// Bytes of all `game`.
    pub game_bytes: usize,
    /// Bytes of all `data`.
    pub data_bytes: usize,
    /// By the deltas' type.
    pub kinds: BTreeMap<String, KindCount>,
    /// By the id of the player who caused the deltas.
    pub players: BTreeMap<String, PlayerCount>,
}

/// Deltas of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct KindCount {
    /// How many.
    pub count: usize,
    /// Bytes of them.
    pub bytes: usize,
}

/// What one player did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct PlayerCount {
    /// Deltas that the player caused.
    pub deltas: usize,
    /// Calls that were refused.
    pub invalid: usize,
    /// Calls by the function's name, refused ones too.
    pub ran: BTreeMap<String, usize>,
    /// Orders given, by name.
    pub orders: BTreeMap<String, usize>,
    /// Orders finished, by name.
    pub finished: BTreeMap<String, usize>,
}

impl Index {
    /// Counts over all deltas.
    #[must_use]
    pub fn of(log: &Log) -> Self {
        let mut index = Self { json_bytes: log.json_bytes(), ..Self::default() };
        for delta in log.deltas() {
            index.deltas += 1;
            index.game_bytes += delta.game().map_or(0, |raw| raw.as_bytes().len());
            index.data_bytes += delta.data().map_or(0, |raw| raw.as_bytes().len());
            let record = Record::of(&delta);
            let kind = entry(&mut index.kinds, &record.kind);
            kind.count += 1;
            kind.bytes += delta.raw().as_bytes().len();
            index.note(&record);
        }
        index
    }

    fn note(&mut self, record: &Record<'_>) {
        let Some(id) = &record.player else { return };
        let player = entry(&mut self.players, id);
        player.deltas += 1;
        player.invalid += usize::from(record.invalid.is_some());
        let (counts, name) = match &record.action {
            Action::None => return,
            Action::Ran { function, .. } => (&mut player.ran, function),
            Action::Order { name, .. } if record.kind == "finished" => (&mut player.finished, name),
            Action::Order { name, .. } => (&mut player.orders, name),
        };
        *entry(counts, name) += 1;
    }
}

/// What everything is counted as that comes when there are [`COUNTED_NAMES`] names already.
const OTHERS: &str = "…";

/// The entry of a name. A log can have as many names as it likes: only the first have entries of their own.
fn entry<'m, T: Default>(entries: &'m mut BTreeMap<String, T>, name: &str) -> &'m mut T {
    let is_full = entries.len() >= COUNTED_NAMES && !entries.contains_key(name);
    let name = if is_full { Cow::Borrowed(OTHERS) } else { shortened(name) };
    entries.entry(name.into_owned()).or_default()
}
