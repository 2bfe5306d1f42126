//! What a delta changed: as a list, and as marks in the tree.

use std::collections::{HashMap, HashSet};

use gametape_cadre::{Change, Kind, Raw, State};
use gametape_wire::{self as wire, Moment};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::list::List;
use super::screen::DIM;
use super::tree::joined;
use crate::commands::stage::Stage;
use crate::gamelog::brief;
use crate::text::{printable, shortened};

/// More of a text than this is never shown.
const SHOWN_CHARS: usize = 300;

/// More changes of one delta are not listed.
const SHOWN_CHANGES: usize = 20_000;

/// What the last delta of a gamelog changed, in the order of the delta; nothing for other recordings.
pub(super) fn of(stage: &mut Stage) -> wire::Result<Vec<Change>> {
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
pub(super) enum Mark {
    Added,
    Replaced,
    Removed,
    /// Something below it changed.
    Within,
}

impl Mark {
    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Added => "+",
            Self::Replaced => "~",
            Self::Removed => "-",
            Self::Within => "·",
        }
    }

    pub(super) fn style(self) -> Style {
        Style::new().fg(match self {
            Self::Added => Color::Green,
            Self::Replaced => Color::Yellow,
            Self::Removed => Color::Red,
            Self::Within => Color::Cyan,
        })
    }

    fn of(change: &Change) -> Self {
        match (&change.before, &change.after) {
            (None, _) => Self::Added,
            (Some(_), Some(_)) => Self::Replaced,
            (Some(_), None) => Self::Removed,
        }
    }
}

/// The marks of a tree, by path.
#[derive(Debug, Default)]
pub(super) struct Marks<'a> {
    changed: HashMap<&'a str, Mark>,
    within: HashSet<&'a str>,
}

impl<'a> Marks<'a> {
    pub(super) fn of(changes: &'a [Change]) -> Self {
        let changed = changes.iter().map(|change| (&*change.path, Mark::of(change))).collect();
        let within = changes.iter().flat_map(|change| parents(&change.path)).collect();
        Self { changed, within }
    }

    pub(super) fn at(&self, path: &str) -> Option<Mark> {
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

/// Draws the changes, two lines each: where, and from what to what.
pub(super) fn draw(
    changes: &[Change],
    list: &mut List,
    focused: bool,
    area: Rect,
    screen: &mut Buffer,
) {
    let window = list.window(usize::from(area.height / 2).max(1), changes.len());
    let rows = area.rows().collect::<Vec<_>>();
    for (place, index) in rows.chunks(2).zip(window) {
        let lines = [path_line(&changes[index]), value_line(&changes[index], area.width.into())];
        for (row, line) in place.iter().zip(lines) {
            line.render(*row, screen);
            if focused && index == list.selected {
                screen.set_style(*row, Modifier::REVERSED);
            }
        }
    }
}

fn path_line(change: &Change) -> Line<'static> {
    let (mark, path) = (Mark::of(change), short(&change.path));
    Line::styled(format!("{} {path}", mark.sign()), mark.style())
}

/// `    #7 → #12`, each side cut if there is no room for both.
fn value_line(change: &Change, width: usize) -> Line<'static> {
    let (before, after) = (value(change.before.as_deref()), value(change.after.as_deref()));
    let arrow = if change.before.is_some() && change.after.is_some() { " → " } else { "" };
    let room = width.saturating_sub(4 + Span::raw(arrow).width());
    let (left, right) = shares(before.chars().count(), after.chars().count(), room);
    Line::from(vec![
        Span::styled(format!("    {}{arrow}", shortened(&before, left)), DIM),
        Span::raw(shortened(&after, right)),
    ])
}

/// How much of each of two texts is shown; a text that is cut has a sign for that at its end.
fn shares(first: usize, second: usize, room: usize) -> (usize, usize) {
    if first + second <= room {
        return (first, second);
    }
    let half = room / 2;
    let first_room = if second < room - half { room - second } else { half };
    let cut =
        |length: usize, room: usize| if length <= room { length } else { room.saturating_sub(1) };
    let first_cut = cut(first, first_room);
    (first_cut, cut(second, room - first.min(first_room)))
}

/// A value in canonical JSON as part of a line; references as `#7`.
fn value(json: Option<&[u8]>) -> String {
    let Some(json) = json else { return String::new() };
    // No more than can be shown is looked at.
    match Raw::parse(&json[..json.len().min(4 * SHOWN_CHARS)]) {
        Ok(raw) => brief(raw),
        Err(_) => short(&String::from_utf8_lossy(&json[..json.len().min(4 * SHOWN_CHARS)])),
    }
}

/// Text from a log that is harmless to a terminal and not longer than can be shown.
pub(super) fn short(text: &str) -> String {
    printable(&shortened(text, SHOWN_CHARS))
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
    fn two_texts_share_the_room_and_none_gets_more_than_it_needs() {
        assert_eq!(shares(3, 4, 7), (3, 4));
        assert_eq!(shares(100, 2, 10), (7, 2));
        assert_eq!(shares(2, 100, 10), (2, 7));
        assert_eq!(shares(100, 100, 10), (4, 4));
        assert_eq!(shares(5, 5, 0), (0, 0));
    }

    #[test]
    fn long_and_harmful_text_is_cut_and_escaped() {
        assert_eq!(short("a\u{1b}b"), "a\\u{1b}b");
        assert_eq!(short(&"é".repeat(1000)).chars().count(), SHOWN_CHARS + 1);
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
