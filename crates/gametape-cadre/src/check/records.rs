//! One line per delta: who did what in which turn, and what came of it.

use std::borrow::Cow;

use gametape_wire::{Arrange, Result};

use crate::check::KNOWN_TYPES;
use crate::log::{Delta, Log};
use crate::merge::Merger;
use crate::merge::watch::{Oddity, Site, Watch};
use crate::state::keys::{Key, Keys};
use crate::state::tree::Value;
use crate::text::json::Kind;
use crate::text::raw::Raw;
use crate::timeline::turns::TurnReader;

/// What a delta is about, read from its `type` and `data`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Record<'a> {
    /// The delta's index.
    pub index: usize,
    /// The delta's type.
    pub kind: Cow<'a, str>,
    /// The id of the player who caused it.
    pub player: Option<Cow<'a, str>>,
    /// What was done.
    pub action: Action<'a>,
    /// What came back, if anything did.
    pub returned: Option<Raw<'a>>,
    /// Why it was refused, if it was.
    pub invalid: Option<Raw<'a>>,
    /// All of the `data` of a delta whose type is not known.
    pub unknown: Option<Raw<'a>>,
}

/// What was done.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Action<'a> {
    /// Nothing that the delta names.
    None,
    /// A game object ran a function.
    Ran {
        /// The function's name.
        function: Cow<'a, str>,
        /// The id of the game object.
        caller: Option<Cow<'a, str>>,
        /// The arguments as the client sent them.
        args: Option<Raw<'a>>,
    },
    /// A client was ordered something, or has finished it.
    Order {
        /// The order's name.
        name: Cow<'a, str>,
        /// Which order it is.
        index: Option<i64>,
        /// The arguments.
        args: Option<Raw<'a>>,
        /// How many errors the client made, when it has finished.
        errors: Option<i64>,
    },
}

impl<'a> Record<'a> {
    /// Reads what a delta is about.
    #[must_use]
    pub fn of(delta: &Delta<'a>) -> Self {
        let data = delta.data();
        let part = |name: &str| data.and_then(|data| data.get(name));
        let kind = delta.kind();
        Self {
            index: delta.index(),
            unknown: data.filter(|_| !KNOWN_TYPES.contains(&&*kind)),
            kind,
            player: part("player").and_then(id_of),
            action: part("run")
                .and_then(Action::ran)
                .or_else(|| part("order").and_then(Action::order))
                .unwrap_or(Action::None),
            returned: part("returned"),
            // Some writers have the field everywhere.
            invalid: part("invalid").filter(|why| why.kind() != Kind::Null),
        }
    }
}

impl<'a> Action<'a> {
    fn ran(run: Raw<'a>) -> Option<Self> {
        let function = run.get("functionName")?.as_str()?;
        Some(Self::Ran {
            function,
            caller: run.get("caller").and_then(id_of),
            args: run.get("args"),
        })
    }

    /// The seed's order is a string, today's is an object.
    fn order(order: Raw<'a>) -> Option<Self> {
        let number = |name: &str| order.get(name)?.as_i64();
        let name = match order.kind() {
            Kind::String => order.as_str()?,
            _ => order.get("name")?.as_str()?,
        };
        let (index, errors) = (number("index"), number("errors"));
        Some(Self::Order { name, index, args: order.get("args"), errors })
    }
}

fn id_of(reference: Raw<'_>) -> Option<Cow<'_, str>> {
    reference.get("id")?.as_str()
}

/// How much a delta changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ChangeCount {
    /// Values that were not there before.
    pub added: usize,
    /// Values that were replaced.
    pub replaced: usize,
    /// Values that are gone.
    pub removed: usize,
    /// Different direct children of `gameObjects` that were touched.
    pub objects: usize,
}

/// A record with what only merging shows.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Played<'a> {
    /// What the delta is about.
    pub record: Record<'a>,
    /// The turn in the state after it.
    pub turn: Option<i64>,
    /// How much it changed.
    pub changes: ChangeCount,
}

/// Merges a log delta by delta and returns a record of each. Ends at the first that cannot be merged.
///
/// ```
/// use gametape_cadre::{Log, Options, play, sample};
///
/// let log = Log::open(sample::log(40, 1), &Options::default()).unwrap();
/// let played: Vec<_> = play(&log).unwrap().map(Result::unwrap).collect();
/// assert_eq!(played.len(), 40);
/// assert_eq!(played[20].turn, Some(1));
/// assert!(played[0].changes.added > 0);
/// ```
pub fn play(log: &Log) -> Result<impl Iterator<Item = Result<Played<'_>>>> {
    let mut merger = Merger::new(log.markers().clone(), log.shares())?;
    let mut turn_reader = TurnReader::new(&mut merger)?;
    let mut failed = false;
    Ok(log.deltas().map_while(move |delta| {
        if failed {
            return None;
        }
        let mut counter = Counter::default();
        let merged = merger.merge_delta(log, delta.index(), &mut counter);
        failed = merged.is_err();
        let turn = turn_reader.read(&mut merger, log.text());
        let changes = counter.count();
        merger.journal.clear();
        merger.tidy();
        Some(merged.map(|()| Played { record: Record::of(&delta), turn, changes }))
    }))
}

/// Counts what happens.
#[derive(Default)]
struct Counter {
    changes: ChangeCount,
    objects: Vec<Key>,
}

impl Counter {
    fn count(mut self) -> ChangeCount {
        self.objects.arrange_by_key(|key| key.number());
        self.objects.dedup();
        ChangeCount { objects: self.objects.len(), ..self.changes }
    }
}

impl Watch for Counter {
    const ACTIVE: bool = true;

    fn change(&mut self, site: &Site<'_>, old: Value, new: Value) {
        match (old.is_absent(), new.is_absent()) {
            (true, _) => self.changes.added += 1,
            (false, false) => self.changes.replaced += 1,
            (false, true) => self.changes.removed += 1,
        }
        if let [objects, object, ..] = site.path
            && *site.keys.name(*objects) == *b"gameObjects"
        {
            self.objects.push(*object);
        }
    }

    fn odd(&mut self, _: &Keys, _: &[Key], _: Oddity) {}

    fn start_over(&mut self) {
        *self = Self::default();
    }
}
