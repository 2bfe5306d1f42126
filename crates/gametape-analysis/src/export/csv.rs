//! CSV: one table for each kind, and the wide one.

use std::ops::Range;

use super::json::{push_float, push_list, push_number};
use crate::event::table::AnalysisEvent;
use crate::export::column::{Names, RowSink, Value};
use crate::export::match_info::MatchInfo;
use crate::export::schema::Table;

/// Makes the lines of one table.
///
/// ```
/// use gametape_analysis::{AnalysisEvent, CsvTable, EventKind, MatchInfo, Table};
/// use gametape_wire::{Tick, TickLength};
///
/// let info = MatchInfo::new(TickLength::from_micros(50_000).unwrap(), [""; 0]);
/// let event = AnalysisEvent::PauseEvent { tick: Tick(9), player: 2, paused: true };
/// let mut table = CsvTable::new(Table::Kind(EventKind::PauseEvent));
/// let mut text = String::new();
/// table.header(&mut text);
/// table.row(&event, &info, &mut text);
/// assert_eq!(text, "match_id,tape,tick,seconds,player,player_name,paused\n\"\",\"\",9,0.45,2,,true\n");
/// ```
#[derive(Debug)]
pub struct CsvTable {
    table: Table,
    /// The cells of the present row, in the order of the kind's columns.
    cells: String,
    /// By column of the table: where its cell is.
    ranges: Vec<Range<usize>>,
}

impl CsvTable {
    /// Lines of this table.
    #[must_use]
    pub fn new(table: Table) -> Self {
        let ranges = vec![0..0; table.columns().len()];
        Self { table, cells: String::new(), ranges }
    }

    /// Appends the line with the names of the columns.
    pub fn header(&self, out: &mut String) {
        let names: Vec<&str> = self.table.columns().iter().map(|c| &*c.name).collect();
        out.push_str(&names.join(","));
        out.push('\n');
    }

    /// Appends the line of an event; nothing for one that the table does not take.
    pub fn row<N: Names>(&mut self, event: &AnalysisEvent, info: &MatchInfo<N>, out: &mut String) {
        if !self.table.takes(event) {
            return;
        }
        self.cells.clear();
        self.ranges.fill(0..0);
        if let Some(index) = self.table.kind_column() {
            self.cells.push_str(event.kind().name());
            self.ranges[index] = 0..self.cells.len();
        }
        let columns = self.table.columns_of(event.kind()).iter();
        info.values(
            event,
            &mut Cells { columns, cells: &mut self.cells, ranges: &mut self.ranges },
        );
        for (column, cell) in self.ranges.iter().enumerate() {
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
    ranges: &'c mut [Range<usize>],
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
            Value::Float(number) => push_float(self.cells, number),
            Value::Text(text) => push_text(self.cells, text),
            Value::List(list) => push_list(self.cells, list, ' '),
        }
        self.ranges[column] = start..self.cells.len();
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
