//! Many recordings, one row each.

use gametape_replay::inspect::Row;

use crate::columns::{Align, Columns};
use crate::input::Source;
use crate::text::{printable, shortened};

/// Longer values are cut, so that one of them does not push all rows apart.
const MOST_CHARS: usize = 48;

/// Rows that are aligned once all of them are known.
#[derive(Default)]
pub(super) struct Table(Vec<[String; 7]>);

impl<'s> Extend<(&'s Source, Row)> for Table {
    fn extend<R: IntoIterator<Item = (&'s Source, Row)>>(&mut self, rows: R) {
        self.0.extend(rows.into_iter().map(|(source, row)| {
            let Row { format, about, result, length, date, players, .. } = row;
            let cells = [format, about, result, length, date, players];
            let [format, about, result, length, date, players] =
                cells.map(|text| shortened(&printable(&text), MOST_CHARS));
            [printable(&source.to_string()), format, about, result, length, date, players]
        }));
    }
}

impl Table {
    /// The rows below a heading; nothing without rows.
    pub(super) fn into_text(self) -> String {
        if self.0.is_empty() {
            return String::new();
        }
        let left = ["file", "format", "about", "result", "length", "date", "players"];
        let align = |name| (name, if name == "length" { Align::Right } else { Align::Left });
        let mut columns = Columns::new(left.map(align));
        self.0.into_iter().for_each(|row| columns.add(row));
        columns.into_text()
    }
}
