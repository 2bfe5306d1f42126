//! Events of a match: one table, compact blocks, exports, statistics and highlights.

mod block;
mod choice;
mod column;
mod export;
mod field;
mod highlights;
mod kinds;
pub mod sample;
mod schema;
mod spec_table;
mod statistics;
mod table;
mod tape_events;
mod time;
mod types;
mod writer;

pub use block::{Events, KindSet, RawEvent, RawEvents};
pub use column::{Column, ColumnType, List, Names, RowSink, Value};
#[cfg(feature = "parquet")]
pub use export::ParquetTable;
pub use export::{CsvTable, json_line};
pub use field::{SAMPLE_UNITS, TAG_LIST};
pub use gametape_tape::{CellPos, NameTable, PlayerId, UnitTag};
pub use highlights::{Highlight, HighlightFinder, Rarity, WHOLE, Why};
pub use kinds::EventStream;
pub use schema::Table;
pub use spec_table::{kinds_table, types_tables};
pub use statistics::{PlayerSummary, Series, Statistics, StatisticsCollector, TIMEOUT};
pub use table::{AnalysisEvent, EventKind};
pub use tape_events::{TapeEvents, read_names};
pub use types::{
    AbilityId, ControlGroupAction, MatchOutcome, NameId, PlayerStats, ResourceType, UnitTraits,
    UnitTypeId, UpgradeId, VoteAnalysisEvent, WorldPos, tag_text,
};
pub use writer::{Block, EventWriter, OWN_BODY};
