//! Many recordings, one row each.

use std::io::{IsTerminal, stdout};

use gametape_analysis::report::{Align, TextTable};
use gametape_replay::inspect::Row;
use ratatui::crossterm::terminal::size;

use crate::events::table_within;
use crate::input::Source;
use crate::text::{printable, shortened};

/// Longer values are cut, so that one of them does not push all rows apart.
const MOST_CHARS: usize = 48;

/// Rows that are aligned once all of them are known.
pub(super) struct Table(TextTable);

impl Default for Table {
    fn default() -> Self {
        let names = ["file", "result", "length", "date", "format", "about", "players"];
        let align = |name| (name, if name == "length" { Align::Right } else { Align::Left });
        Self(TextTable::new(&names.map(align)))
    }
}

impl<'s> Extend<(&'s Source, Row)> for Table {
    fn extend<R: IntoIterator<Item = (&'s Source, Row)>>(&mut self, rows: R) {
        for (source, row) in rows {
            let Row { format, about, result, length, date, players, .. } = row;
            let cells = [result, length, date, format, about, players];
            let cells = cells.map(|text| shortened(&printable(&text), MOST_CHARS));
            self.0.add([printable(&source.to_string())].into_iter().chain(cells).collect());
        }
    }
}

impl Table {
    /// The rows below a heading; nothing without rows. On a terminal each has one line: what does not
    /// fit is cut off.
    pub(super) fn into_text(self) -> String {
        let width = stdout().is_terminal().then(|| size().ok()).flatten();
        let width = width.map_or(usize::MAX, |(columns, _)| columns.into());
        if self.0.is_empty() { String::new() } else { table_within(&self.0, width) }
    }
}
