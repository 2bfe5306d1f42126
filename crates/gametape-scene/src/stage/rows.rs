//! The contents of panels: rows of text with styles by meaning, for any screen.

use gametape_cadre::json::compact;
use gametape_cadre::{Change, Kind, Raw};
use gametape_wire::text::shortened;
pub(super) use gametape_wire::text::thousands;

use super::changes::Mark;
use crate::inspect::Inspection;
use crate::legend::{Entry, Legend, Swatch};
use crate::model::{Line, Look, Scene, Value};
use crate::palette::Palette;
use crate::text::Ink;

/// More of a text than this is never shown.
const SHOWN_CHARS: usize = 300;
/// The longest value of a change that is shown whole.
const VALUE_CHARS: usize = 100;
/// Columns of a kind in a legend, at least.
const KIND_COLUMNS: usize = 14;

/// A row of a panel.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// Its parts, from left to right.
    pub spans: Vec<Span>,
}

/// A part of a row. The text is that of the recording: who shows it on a terminal escapes control
/// characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// What it says.
    pub text: String,
    /// What it means.
    pub tone: Tone,
}

/// What a part of a row means, for its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Tone {
    /// Nothing special.
    Plain,
    /// Important.
    Strong,
    /// Less important.
    Faint,
    /// A value without parts.
    Value,
    /// Something new.
    Added,
    /// Something with another value.
    Replaced,
    /// Something that is gone.
    Removed,
    /// Something in which something changed.
    Within,
    /// Something that was refused.
    Refused,
    /// Somebody who is out of the match.
    Out,
    /// A sign as on the board.
    Sign(Ink),
}

impl Row {
    /// A row of several parts.
    #[must_use]
    pub fn of(spans: impl IntoIterator<Item = Span>) -> Self {
        Self { spans: spans.into_iter().collect() }
    }

    /// A row of one part.
    #[must_use]
    pub fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self::of([Span::new(text, tone)])
    }

    /// The row without styles.
    #[must_use]
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| &*span.text).collect()
    }
}

impl Span {
    /// A part of a row.
    #[must_use]
    pub fn new(text: impl Into<String>, tone: Tone) -> Self {
        Self { text: text.into(), tone }
    }
}

impl Row {
    /// The row as several of at most `width` characters each, broken at blanks where there are any.
    fn wrapped(&self, width: usize) -> Vec<Self> {
        let width = width.max(1);
        let signs: Vec<(char, Tone)> =
            self.spans.iter().flat_map(|span| span.text.chars().map(|c| (c, span.tone))).collect();
        let (mut rows, mut rest) = (Vec::new(), &signs[..]);
        while rest.len() > width {
            // The blank itself may be after the last column.
            let blank = rest[..=width].iter().rposition(|(sign, _)| *sign == ' ');
            let end = blank.filter(|at| *at > 0).unwrap_or(width);
            rows.push(Self::of_signs(&rest[..end]));
            let is_blank = rest.get(end).is_some_and(|(sign, _)| *sign == ' ');
            rest = &rest[end + usize::from(is_blank)..];
        }
        rows.push(Self::of_signs(rest));
        rows
    }

    fn of_signs(signs: &[(char, Tone)]) -> Self {
        let text = |run: &[(char, Tone)]| run.iter().map(|sign| sign.0).collect::<String>();
        Self::of(signs.chunk_by(|a, b| a.1 == b.1).map(|run| Span::new(text(run), run[0].1)))
    }
}

/// The same rows, those that are longer than `width` characters as several.
pub(super) fn wrapped_rows(rows: &[Row], width: usize) -> Vec<Row> {
    rows.iter().flat_map(|row| row.wrapped(width)).collect()
}

/// What happened, a row each.
#[must_use]
pub fn line_rows(lines: &[Line]) -> Vec<Row> {
    let tone = |line: &Line| match &*line.kind {
        "refused" => Tone::Refused,
        "capture" | "death" | "out" => Tone::Strong,
        "land" => Tone::Faint,
        _ => Tone::Plain,
    };
    lines.iter().map(|line| Row::new(&*line.text, tone(line))).collect()
}

/// What is known of a tile, a value each row.
#[must_use]
pub fn inspection_rows(found: &Inspection, scene: &Scene) -> Vec<Row> {
    let row = |value: &Value| {
        let name = Span::new(format!("{:<14} ", value.name), Tone::Faint);
        Row::of([name, Span::new(value.value.text(scene), Tone::Plain)])
    };
    found.values.iter().map(row).collect()
}

/// What the signs mean: players and pieces with names a row each, then kinds, as many as fit into
/// `width` columns.
#[must_use]
pub fn legend_rows(legend: &Legend, width: usize) -> Vec<Row> {
    let people = legend.players.iter().chain(&legend.pieces).map(entry_row);
    let kinds = legend.kinds.iter().chain(&legend.piece_kinds);
    let kinds: Vec<&Entry> = kinds.filter(|entry| has_glyph(entry)).collect();
    let longest = kinds.iter().map(|entry| entry.text.chars().count()).max().unwrap_or(0);
    // The sign takes three columns, and a blank is at both ends of the name.
    let columns = (longest + 5).max(KIND_COLUMNS);
    let in_row = (width / columns).max(1);
    // The players have the title of the panel.
    let title =
        (!legend.players.is_empty() && !kinds.is_empty()).then(|| Row::new("Legend", Tone::Strong));
    let kinds = kinds.chunks(in_row).map(|kinds| kind_row(kinds, columns - 4));
    people.chain(title).chain(kinds).collect()
}

fn has_glyph(entry: &Entry) -> bool {
    matches!(&entry.swatch, Swatch::Kind(kind) if kind.glyph.is_some())
}

fn entry_row(entry: &Entry) -> Row {
    let (glyph, ink, is_out) = match &entry.swatch {
        Swatch::Player { glyph, colour, eliminated } => {
            (*glyph, Ink::on(if *eliminated { colour.greyed() } else { *colour }), *eliminated)
        }
        Swatch::Piece { glyph, .. } => (*glyph, Ink::on(Palette::TEXT), false),
        Swatch::Kind(kind) => (kind.glyph.unwrap_or(' '), Ink::on(kind.colour), false),
    };
    let detail =
        if entry.detail.is_empty() { String::new() } else { format!("  {}", entry.detail) };
    Row::of([
        Span::new(format!(" {glyph} "), Tone::Sign(ink)),
        Span::new(" ", Tone::Plain),
        Span::new(&*entry.text, if is_out { Tone::Out } else { Tone::Plain }),
        Span::new(detail, Tone::Faint),
    ])
}

/// Several signs in one row, with room for a name each.
fn kind_row(entries: &[&Entry], room: usize) -> Row {
    Row::of(entries.iter().flat_map(|entry| {
        let (glyph, tone) = match &entry.swatch {
            Swatch::Kind(kind) if kind.look == Look::Fill => {
                (kind.glyph, Tone::Sign(Ink::on(kind.colour)))
            }
            Swatch::Kind(kind) => (kind.glyph, Tone::Plain),
            _ => (None, Tone::Plain),
        };
        let sign = Span::new(format!(" {} ", glyph.unwrap_or(' ')), tone);
        [sign, Span::new(format!(" {:<room$}", entry.text), Tone::Plain)]
    }))
}

/// A change of a gamelog in two rows: where, and from what to what in `width` columns.
#[must_use]
pub fn change_rows(change: &Change, width: usize) -> [Row; 2] {
    let mark = Mark::of(change);
    let path = Row::new(format!("{} {}", mark.sign(), short(&change.path)), mark.tone());
    [path, value_row(change, width)]
}

/// `    #7 → #12`, each side cut if there is no room for both.
fn value_row(change: &Change, width: usize) -> Row {
    let (before, after) = (value(change.before.as_deref()), value(change.after.as_deref()));
    let arrow = if change.before.is_some() && change.after.is_some() { " → " } else { "" };
    let room = width.saturating_sub(4 + arrow.chars().count());
    let (left, right) = shares(before.chars().count(), after.chars().count(), room);
    Row::of([
        Span::new(format!("    {}{arrow}", shortened(&before, left)), Tone::Faint),
        Span::new(shortened(&after, right), Tone::Plain),
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

/// A value in canonical JSON as part of a row; references as `#7`.
fn value(json: Option<&[u8]>) -> String {
    let Some(json) = json else { return String::new() };
    // No more than can be shown is looked at.
    let start = &json[..json.len().min(4 * SHOWN_CHARS)];
    let id = Raw::parse(start).ok().and_then(reference);
    let text = match id {
        Some(id) => format!("#{id}"),
        None => String::from_utf8_lossy(&compact(start)).into_owned(),
    };
    shortened(&text, VALUE_CHARS)
}

/// The id, if that is an object with an id and nothing else.
fn reference(json: Raw<'_>) -> Option<String> {
    if json.kind() != Kind::Object || json.entries().nth(1).is_some() {
        return None;
    }
    Some(json.get("id")?.as_str()?.into_owned())
}

/// Text from a log, not longer than can be shown.
pub(super) fn short(text: &str) -> String {
    shortened(text, SHOWN_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_texts_share_the_room_and_none_gets_more_than_it_needs() {
        assert_eq!(shares(3, 4, 7), (3, 4));
        assert_eq!(shares(100, 2, 10), (7, 2));
        assert_eq!(shares(2, 100, 10), (2, 7));
        assert_eq!(shares(100, 100, 10), (4, 4));
        assert_eq!(shares(5, 5, 0), (0, 0));
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        assert_eq!(short("a.b"), "a.b");
        assert_eq!(short(&"é".repeat(1000)).chars().count(), SHOWN_CHARS + 1);
    }

    #[test]
    fn long_rows_are_broken_at_blanks_and_keep_their_tones() {
        let row = Row::of([Span::new("Ana takes ", Tone::Strong), Span::new("Port", Tone::Faint)]);
        let texts = |width| row.wrapped(width).iter().map(Row::text).collect::<Vec<_>>();
        assert_eq!(texts(14), ["Ana takes Port"]);
        assert_eq!(texts(9), ["Ana takes", "Port"]);
        assert_eq!(texts(8), ["Ana", "takes", "Port"]);
        assert_eq!(texts(3), ["Ana", "tak", "es", "Por", "t"]);
        assert_eq!(row.wrapped(12)[1], Row::new("Port", Tone::Faint));
        assert_eq!(Row::default().wrapped(5).len(), 1);
    }
}
