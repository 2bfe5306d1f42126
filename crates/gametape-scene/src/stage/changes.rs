//! What a delta changed: as a list, and as marks in the tree.

use std::collections::{HashMap, HashSet};

use gametape_cadre::{Change, Kind, Raw, State};
use gametape_wire::{Moment, Result, Source};

use super::Stage;
use super::rows::Tone;

/// More changes of one delta are not listed.
const SHOWN_CHANGES: usize = 20_000;

/// What the last delta of a gamelog changed, in the order of the delta; nothing for other recordings.
pub fn changes<S: Source>(stage: &mut Stage<S>) -> Result<Vec<Change>> {
    let (now, Some(last)) = (stage.position(), stage.position().last_tick()) else {
        return Ok(Vec::new());
    };
    if stage.gamelog().is_none() {
        return Ok(Vec::new());
    }
    stage.seek(Moment::before(last))?;
    let before = stage.gamelog().map(gametape_cadre::Timeline::snapshot);
    stage.seek(now)?;
    let (Some(log), Some(before)) = (stage.gamelog(), before) else { return Ok(Vec::new()) };
    let index = last.0 as usize;
    let body = log.log().delta(index).and_then(|delta| delta.game());
    let states = (log.view(&before), log.state());
    let mut changes = Vec::new();
    for path in body.map(touched).unwrap_or_default() {
        let value = |state: State<'_>| state.get(&path).map(|node| node.canonical());
        let (before, after) = (value(states.0), value(states.1));
        if before != after {
            changes.push(Change { delta: index, path, before, after, object: None });
        }
    }
    Ok(changes)
}

/// The paths of all values in the body of a delta that are neither lists nor objects, or are empty.
fn touched(body: Raw<'_>) -> Vec<String> {
    let (mut paths, mut open) = (Vec::new(), vec![(String::new(), body)]);
    while let Some((path, value)) = open.pop() {
        if paths.len() >= SHOWN_CHANGES {
            break;
        }
        let entries: Vec<_> = value.entries().map_while(Result::ok).collect();
        if value.kind() != Kind::Object || entries.is_empty() {
            paths.push(path);
            continue;
        }
        let below =
            entries.into_iter().rev().map(|(key, value)| (joined(&path, &key.as_str()), value));
        open.extend(below);
    }
    paths
}

/// What happened to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It is new.
    Added,
    /// It had another value.
    Replaced,
    /// It is gone.
    Removed,
    /// Something below it changed.
    Within,
}

impl Mark {
    /// The sign beside it.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Added => "+",
            Self::Replaced => "~",
            Self::Removed => "-",
            Self::Within => "·",
        }
    }

    /// How it is shown.
    #[must_use]
    pub fn tone(self) -> Tone {
        match self {
            Self::Added => Tone::Added,
            Self::Replaced => Tone::Replaced,
            Self::Removed => Tone::Removed,
            Self::Within => Tone::Within,
        }
    }

    /// What happened to the value of a change.
    #[must_use]
    pub fn of(change: &Change) -> Self {
        match (&change.before, &change.after) {
            (None, _) => Self::Added,
            (Some(_), Some(_)) => Self::Replaced,
            (Some(_), None) => Self::Removed,
        }
    }
}

/// The marks of a tree, by path.
#[derive(Debug, Default)]
pub struct Marks<'a> {
    changed: HashMap<&'a str, Mark>,
    within: HashSet<&'a str>,
}

impl<'a> Marks<'a> {
    /// The marks of a list of changes.
    #[must_use]
    pub fn of(changes: &'a [Change]) -> Self {
        let changed = changes.iter().map(|change| (&*change.path, Mark::of(change))).collect();
        let within = changes.iter().flat_map(|change| parents(&change.path)).collect();
        Self { changed, within }
    }

    /// What happened at a path.
    #[must_use]
    pub fn at(&self, path: &str) -> Option<Mark> {
        let within = || self.within.contains(path).then_some(Mark::Within);
        self.changed.get(path).copied().or_else(within)
    }
}

/// The paths above a path, outermost first: `a` and `a.b` above `a.b.c`.
pub(super) fn parents(path: &str) -> impl Iterator<Item = &str> {
    let mut escaped = false;
    path.char_indices().filter_map(move |(at, c)| {
        let is_dot = c == '.' && !escaped;
        escaped = c == '\\' && !escaped;
        is_dot.then(|| &path[..at])
    })
}

/// A path and one more key; a `.` or `\` in the key is preceded by `\`.
pub(super) fn joined(above: &str, key: &str) -> String {
    let key = key.replace('\\', "\\\\").replace('.', "\\.");
    if above.is_empty() { key } else { format!("{above}.{key}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_end_at_dots_that_are_not_escaped() {
        let of = |path| parents(path).collect::<Vec<_>>();
        assert_eq!(of("a.b.c"), ["a", "a.b"]);
        assert_eq!(of(r"a\.b.c\\.d"), [r"a\.b", r"a\.b.c\\"]);
        assert_eq!(of("a"), [""; 0]);
    }

    #[test]
    fn a_change_marks_its_path_and_all_above_it() {
        let change = |path: &str, before: Option<&[u8]>, after: Option<&[u8]>| Change {
            delta: 0,
            path: path.to_owned(),
            before: before.map(<[u8]>::to_vec),
            after: after.map(<[u8]>::to_vec),
            object: None,
        };
        let changes = [
            change("a.b.c", Some(b"1"), Some(b"2")),
            change("a.d", None, Some(b"1")),
            change("e", Some(b"1"), None),
        ];
        let marks = Marks::of(&changes);
        let expected = [
            ("a", Some(Mark::Within)),
            ("a.b", Some(Mark::Within)),
            ("a.b.c", Some(Mark::Replaced)),
            ("a.d", Some(Mark::Added)),
            ("e", Some(Mark::Removed)),
            ("a.x", None),
        ];
        for (path, mark) in expected {
            assert_eq!(marks.at(path), mark, "{path}");
        }
    }
}
