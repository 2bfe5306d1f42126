//! CSV: one table for each kind, and the wide one.

use std::ops::Range;

use super::SOURCE_COLUMN;
use super::json::{push_list, push_number};
use crate::column::{Names, RowSink, Value};
use crate::schema::Table;
use crate::table::AnalysisEvent;

/// Makes the lines of one table.
///
/// ```
/// use gametape_analysis::{AnalysisEvent, CsvTable, EventKind, Table};
///
/// let event = AnalysisEvent::PauseEvent { tick: 9, player: 2, paused: true };
/// let mut table = CsvTable::new(Table::Kind(EventKind::PauseEvent));
/// let mut text = String::new();
/// table.header(&mut text);
/// table.row(&event, &[""; 0], &mut text);
/// assert_eq!(text, "tick,player,paused\n9,2,true\n");
/// ```
#[derive(Debug)]
pub struct CsvTable {
    table: Table,
    /// The cell before all others, with its comma.
    source: Option<String>,
    /// The cells of the present row, in the order of the kind's columns.
    cells: String,
    /// By column of the table: where its cell is.
    places: Vec<Range<usize>>,
}

impl CsvTable {
    /// Lines of this table.
    #[must_use]
    pub fn new(table: Table) -> Self {
        let places = vec![0..0; table.columns().len()];
        Self { table, source: None, cells: String::new(), places }
    }

    /// The same, with the column [`SOURCE_COLUMN`] before all others: for several tapes.
    #[must_use]
    pub fn with_source(self) -> Self {
        let mut named = Self { source: Some(String::new()), ..self };
        named.begin_source("");
        named
    }

    /// The rows that follow are from this tape.
    pub fn begin_source(&mut self, name: &str) {
        if let Some(cell) = &mut self.source {
            cell.clear();
            push_text(cell, name);
            cell.push(',');
        }
    }

    /// Appends the line with the names of the columns.
    pub fn header(&self, out: &mut String) {
        let source = self.source.iter().map(|_| SOURCE_COLUMN);
        let names = source.chain(self.table.columns().iter().map(|c| &*c.name));
        let names: Vec<&str> = names.collect();
        out.push_str(&names.join(","));
        out.push('\n');
    }

    /// Appends the line of an event; nothing for one that the table does not take.
    pub fn row(&mut self, event: &AnalysisEvent, names: &dyn Names, out: &mut String) {
        if !self.table.takes(event) {
            return;
        }
        self.cells.clear();
        self.places.fill(0..0);
        if let Some(place) = self.table.kind_column() {
            self.cells.push_str(event.kind().name());
            self.places[place] = 0..self.cells.len();
        }
        let columns = self.table.places(event.kind()).iter();
        event.values(
            names,
            &mut Cells { columns, cells: &mut self.cells, places: &mut self.places },
        );
        out.push_str(self.source.as_deref().unwrap_or_default());
        for (column, cell) in self.places.iter().enumerate() {
            if column > 0 {
                out.push(',');
            }
            out.push_str(&self.cells[cell.clone()]);
        }
        out.push('\n');
    }
}

struct Cells<'c> {
    columns: std::slice::Iter<'static, usize>,
    cells: &'c mut String,
    places: &'c mut [Range<usize>],
}

impl RowSink for Cells<'_> {
    fn value(&mut self, value: Value<'_>) {
        let Some(&column) = self.columns.next() else { return };
        let start = self.cells.len();
        match value {
            Value::Null => {}
            Value::Bool(flag) => self.cells.push_str(if flag { "true" } else { "false" }),
            Value::Unsigned(number) => push_number(self.cells, number),
            Value::Signed(number) => push_number(self.cells, number),
            Value::Text(text) => push_text(self.cells, text),
            Value::List(list) => push_list(self.cells, list, ' '),
        }
        self.places[column] = start..self.cells.len();
    }
}

/// In quotes where it could be taken for something else. *Why an empty one too:* it is not nothing.
fn push_text(out: &mut String, text: &str) {
    if !text.is_empty() && !text.contains([',', '"', '\r', '\n']) {
        return out.push_str(text);
    }
    out.push('"');
    out.push_str(&text.replace('"', "\"\""));
    out.push('"');
}
