//! Collections of matches as Arrow and Parquet tables.
//!
//! [`ParquetTable`] writes the events of one or many matches, with the columns that JSON lines and CSV
//! have too: those of a [`Table`](gametape_analysis::Table). [`EventTable`] makes any of the three, piece
//! by piece. Normative text: `spec/events.md`, section 4.
//!
//! ```
//! use gametape_analysis::{AnalysisEvent, MatchInfo, Table};
//! use gametape_library::ParquetTable;
//! use gametape_wire::{Tick, TickLength};
//!
//! let info = MatchInfo::new(TickLength::from_micros(50_000).unwrap(), [""; 0]);
//! let mut table = ParquetTable::new(Table::Wide, Vec::new())?;
//! table.push(&AnalysisEvent::PauseEvent { tick: Tick(9), player: 2, paused: true }, &info)?;
//! let file: Vec<u8> = table.finish()?;
//! assert_eq!(&file[..4], b"PAR1");
//! # Ok::<(), gametape_wire::Error>(())
//! ```
//!
//! What it does not do: no file, socket, clock or thread: bytes go to any [`Write`](std::io::Write).
//! It is a crate of its own because Arrow is many times as large as everything else.

mod event_table;
mod parquet;

pub use event_table::{EventTable, TableFormat};
pub use parquet::ParquetTable;
