//! Events of a match: one table, compact blocks, exports, statistics and highlights.

mod choice;
mod column;
mod field;
mod kinds;
mod table;
mod types;

pub use column::{Column, ColumnType, List, Names, RowSink, Value};
pub use field::{SAMPLE_UNITS, TAG_LIST};
pub use gametape_tape::{CellPos, PlayerId, UnitTag};
pub use kinds::EventStream;
pub use table::{AnalysisEvent, EventKind};
pub use types::{
    AbilityId, ControlGroupAction, MatchOutcome, NameId, PlayerStats, ResourceType, UnitTraits,
    UnitTypeId, UpgradeId, VoteAnalysisEvent, WorldPos, tag_text,
};
