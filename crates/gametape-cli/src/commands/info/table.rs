//! Several recordings, one line each.

use crate::input::Source;
use crate::text::{printable, shortened};

/// What a line says about a recording, beside its name.
pub(super) struct Row {
    pub(super) format: String,
    pub(super) about: String,
    pub(super) length: String,
    pub(super) players: String,
}

const COLUMNS: usize = 5;
/// Longer values are cut, so that one of them does not push all lines apart.
const MOST_CHARS: usize = 48;

/// Lines that are aligned once all of them are known.
#[derive(Default)]
pub(super) struct Table(Vec<[String; COLUMNS]>);

impl Table {
    pub(super) fn add(&mut self, source: &Source, row: Row) {
        let Row { format, about, length, players } = row;
        let cell = |text: String| shortened(&printable(&text), MOST_CHARS);
        let name = printable(&source.to_string());
        self.0.push([name, cell(format), cell(about), cell(length), cell(players)]);
    }

    pub(super) fn into_text(self) -> String {
        let chars = |row: &[String; COLUMNS], column: usize| row[column].chars().count();
        let widths: [usize; COLUMNS] = std::array::from_fn(|column| {
            self.0.iter().map(|row| chars(row, column)).max().unwrap_or(0)
        });
        let line = |row: &[String; COLUMNS]| {
            let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
        };
        self.0.iter().map(line).collect()
    }
}
