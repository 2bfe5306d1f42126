//! A delta in words: who did what, and what came of it.

use gametape_cadre::{Action, Delta, Record};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};

use crate::commands::log::row::Deed;
use crate::commands::play::screen::{BOLD, DIM};
use crate::gamelog::{Players, brief};
use crate::text::{printable, shortened};

const REFUSED: Style = Style::new().fg(Color::Red);

/// The longest type that is shown whole.
const KIND_CHARS: usize = 40;

/// The lines about a delta.
pub(super) fn lines(delta: &Delta<'_>, players: &Players) -> Vec<Line<'static>> {
    let record = Record::of(delta);
    let mut lines = vec![headline(&record, players)];
    if !matches!(record.action, Action::None) {
        lines.push(Line::raw(Deed(&record.action).to_string()));
    }
    if let Some(returned) = record.returned {
        lines.push(Line::from(vec![Span::styled("returned ", DIM), Span::raw(brief(returned))]));
    }
    if let Some(invalid) = record.invalid {
        let why = invalid.as_str().map_or_else(|| brief(invalid), |text| printable(&text));
        lines.push(Line::styled(format!("refused: {why}"), REFUSED));
    }
    lines
}

/// `ran by player 0 Ann`
fn headline(record: &Record<'_>, players: &Players) -> Line<'static> {
    let kind = if record.kind.is_empty() { "without a type" } else { &*record.kind };
    let kind = Span::styled(printable(&shortened(kind, KIND_CHARS)), BOLD);
    let by = record.player.as_ref().map(|id| format!(" by player {}", players.title(id)));
    Line::from(vec![kind, Span::raw(by.unwrap_or_default())])
}
