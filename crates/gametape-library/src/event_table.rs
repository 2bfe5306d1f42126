//! A table of events in any of the formats that tools read.

use std::mem::take;

use gametape_analysis::{AnalysisEvent, CsvTable, MatchInfo, Names, Table, json_line};
use gametape_wire::Result;

use crate::ParquetTable;

/// A format that tables of events are exported in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TableFormat {
    /// One JSON object a line.
    Json,
    /// Comma-separated values.
    Csv,
    /// Parquet.
    Parquet,
}

impl TableFormat {
    /// How the names of such files end.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Json => "jsonl",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }

    /// All the ways in which the names of such files may end.
    #[must_use]
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Json => &["jsonl", "ndjson", "json"],
            Self::Csv => &["csv"],
            Self::Parquet => &["parquet"],
        }
    }
}

/// Makes the bytes of one table of events, piece by piece.
///
/// ```
/// use gametape_analysis::{AnalysisEvent, MatchInfo, Table};
/// use gametape_library::{EventTable, TableFormat};
/// use gametape_wire::{Tick, TickLength};
///
/// let info = MatchInfo::new(TickLength::from_micros(50_000).unwrap(), [""; 0]);
/// let mut table = EventTable::new(TableFormat::Json, Table::Wide)?;
/// table.push(&AnalysisEvent::PauseEvent { tick: Tick(9), player: 2, paused: true }, &info)?;
/// let file = [table.take(), table.finish()?].concat();
/// assert!(file.starts_with(br#"{"kind":"PauseEvent""#) && file.ends_with(b"}\n"));
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
#[must_use]
pub struct EventTable {
    table: Table,
    writer: Writer,
    /// Text that was not taken yet.
    text: String,
}

#[derive(Debug)]
enum Writer {
    Json,
    Csv(CsvTable),
    Parquet(Box<ParquetTable<Vec<u8>>>),
}

impl EventTable {
    /// Begins a table.
    pub fn new(format: TableFormat, table: Table) -> Result<Self> {
        let mut text = String::new();
        let writer = match format {
            TableFormat::Json => Writer::Json,
            TableFormat::Csv => {
                let csv = CsvTable::new(table);
                csv.header(&mut text);
                Writer::Csv(csv)
            }
            TableFormat::Parquet => {
                Writer::Parquet(Box::new(ParquetTable::new(table, Vec::new())?))
            }
        };
        Ok(Self { table, writer, text })
    }

    /// Which columns it has, and which events it takes.
    #[must_use]
    pub fn table(&self) -> Table {
        self.table
    }

    /// Adds the row of an event; nothing for one that the table does not take.
    pub fn push<N: Names>(&mut self, event: &AnalysisEvent, info: &MatchInfo<N>) -> Result<()> {
        match &mut self.writer {
            Writer::Json if self.table.takes(event) => json_line(event, info, &mut self.text),
            Writer::Json => {}
            Writer::Csv(csv) => csv.row(event, info, &mut self.text),
            Writer::Parquet(parquet) => return parquet.push(event, info),
        }
        Ok(())
    }

    /// The bytes that were made since the last call.
    #[must_use]
    pub fn take(&mut self) -> Vec<u8> {
        match &mut self.writer {
            Writer::Parquet(parquet) => parquet.take(),
            _ => take(&mut self.text).into_bytes(),
        }
    }

    /// The rest of the bytes.
    pub fn finish(self) -> Result<Vec<u8>> {
        match self.writer {
            Writer::Parquet(parquet) => parquet.finish(),
            _ => Ok(self.text.into_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use gametape_analysis::{EventKind, sample};
    use gametape_wire::TickLength;

    use super::*;

    #[test]
    fn names_of_files_say_their_format() {
        let formats = [TableFormat::Json, TableFormat::Csv, TableFormat::Parquet];
        assert_eq!(formats.map(TableFormat::extension), ["jsonl", "csv", "parquet"]);
    }

    /// However often bytes are taken, the file is the same.
    #[test]
    fn taking_bytes_early_changes_nothing() {
        let events = sample::played(3, 1);
        let info = MatchInfo::new(TickLength::from_micros(50_000).unwrap(), sample::NAMES);
        for format in [TableFormat::Json, TableFormat::Csv, TableFormat::Parquet] {
            for table in [Table::Wide, Table::Kind(EventKind::UnitDestroyed)] {
                let file = |step: usize| {
                    let mut made = EventTable::new(format, table).unwrap();
                    let mut bytes = Vec::new();
                    for (number, event) in events.iter().enumerate() {
                        made.push(event, &info).unwrap();
                        if number % step == 0 {
                            bytes.extend(made.take());
                        }
                    }
                    bytes.extend(made.finish().unwrap());
                    bytes
                };
                let whole = file(usize::MAX);
                assert!(whole.len() > 100 && file(7) == whole, "{format:?} {table:?}");
                // Of text, a line for each event that the table takes, and the head of CSV.
                let rows = events.iter().filter(|event| table.takes(event)).count();
                let lines = || String::from_utf8(whole.clone()).unwrap().lines().count();
                match format {
                    TableFormat::Json => assert_eq!(lines(), rows),
                    TableFormat::Csv => assert_eq!(lines(), rows + 1),
                    TableFormat::Parquet => {}
                }
            }
        }
    }
}
