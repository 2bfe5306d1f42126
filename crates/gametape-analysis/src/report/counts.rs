//! How many events there are of each kind.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::event::table::EventKind;

/// How many events there are of each kind in a match. Its JSON is what `gametape events --count --json`
/// prints.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EventCounts {
    /// Where the match is from.
    pub file: String,
    /// All of them.
    pub events: u64,
    /// By the name of the kind.
    pub kinds: BTreeMap<&'static str, u64>,
}

impl EventCounts {
    /// No events yet.
    #[must_use]
    pub fn new(file: impl Into<String>) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// One more.
    pub fn add(&mut self, kind: EventKind) {
        self.events += 1;
        *self.kinds.entry(kind.name()).or_default() += 1;
    }

    /// The kinds that occur, in the order of their numbers.
    pub fn rows(&self) -> impl Iterator<Item = (EventKind, u64)> {
        let count = |kind: &EventKind| Some((*kind, *self.kinds.get(kind.name())?));
        EventKind::ALL.iter().filter_map(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_counted_and_listed_by_number() {
        let mut counts = EventCounts::new("a.tape");
        let kinds = [EventKind::MatchEnded, EventKind::UnitCreated, EventKind::MatchEnded];
        kinds.into_iter().for_each(|kind| counts.add(kind));
        let rows: Vec<_> = counts.rows().collect();
        assert_eq!(rows, [(EventKind::UnitCreated, 1), (EventKind::MatchEnded, 2)]);
        let json = r#"{"file":"a.tape","events":3,"kinds":{"MatchEnded":2,"UnitCreated":1}}"#;
        assert_eq!(serde_json::to_string(&counts).unwrap(), json);
    }
}
