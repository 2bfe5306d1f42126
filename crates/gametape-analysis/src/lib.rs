//! Events of a match: one table, compact blocks, exports, statistics and highlights.
//!
//! - [`AnalysisEvent`] has every kind of event; one table makes the enum, its bytes, its columns and
//!   the table in `spec/events.md`.
//! - [`EventWriter`] makes [`Block`]s of events, which become events chunks of a tape. [`Events`]
//!   reads a block, [`TapeEvents`] the events of a tape, and nothing else of it; [`EventReader`] does so
//!   without any I/O.
//! - [`json_line`] and [`CsvTable`] export events of a match, of which [`MatchInfo`] says the rest,
//!   with the same columns everywhere: those of a [`Table`]. The crate `gametape-library` writes
//!   Parquet.
//! - [`HighlightFinder`] says what is worth watching and why, [`StatisticsCollector`] what each player
//!   did. Normative text: `spec/highlights.md`. [`report`] is what is shown of them.
//!
//! From a game to its best moment:
//!
//! ```
//! use gametape_analysis::{AnalysisEvent, EventWriter, HighlightFinder, KindSet, NameId};
//! use gametape_analysis::{MatchInfo, Rarity, TapeEvents, WorldPos, json_line, read_names};
//! use gametape_tape::{TapeHeader, Tape, TapeWriter};
//! use gametape_wire::{Tick, TickLength};
//!
//! # fn main() -> gametape_wire::Result<()> {
//! // While the match is played: ticks of 50 ms.
//! let mut tape = TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), b"{}")?;
//! let nuke = NameId(tape.names(&["nuke"])?);
//! let mut events = EventWriter::new();
//! events.push(&AnalysisEvent::SuperweaponFired {
//!     tick: Tick(9000),
//!     weapon_type: nuke,
//!     target_pos: WorldPos { x: 5 * WorldPos::PER_CELL, y: 0, z: 0 },
//!     player: 1,
//!     units_affected: 12,
//!     buildings_affected: 3,
//! })?;
//! for block in events.flush()? {
//!     tape.chunk(&block.draft(), &block.bytes)?;
//! }
//! let file = [tape.take(), tape.finish()?].concat();
//!
//! // Afterwards: of the file, which may be any `Source`, only what is needed is fetched.
//! let tape = Tape::open(&file)?;
//! let info = MatchInfo::of(&tape, "match.tape", read_names(&tape, &file[..])?);
//! let mut finder = HighlightFinder::new(tape.header.tick_length);
//! let mut lines = String::new();
//! for event in TapeEvents::new(&tape, KindSet::ALL, Tick::ZERO..Tick::MAX, &file[..]) {
//!     let event = event?;
//!     finder.add(&event);
//!     json_line(&event, &info, &mut lines);
//! }
//! assert!(lines.contains(r#""weapon_type":"nuke""#));
//! let best = &finder.finish(tape.summary.end_tick)[0];
//! assert_eq!((best.tick, best.why.rarest), (Tick(9000), Some(Rarity::Superweapon)));
//! # Ok(())
//! # }
//! ```
//!
//! What it does not do: no file, socket, clock, thread or log line; no knowledge of any game beyond
//! what the events say; no playback, which never depends on events.

mod block;
mod event;
mod export;
mod highlights;
pub mod report;
pub mod sample;
mod statistics;

pub use block::own::{OwnEvents, is_own};
pub use block::read::{Events, KindSet, RawEvent, RawEvents};
pub use block::tape_events::{EventReader, NameReader, TapeEvents, read_names};
pub use block::write::{Block, EventWriter, OWN_BODY};
pub use event::field::{SAMPLE_UNITS, TAG_LIST};
pub use event::kinds::EventStream;
pub use event::spec_table::{kinds_table, types_tables};
pub use event::table::{AnalysisEvent, EventKind};
pub use event::types::{
    AbilityId, ControlGroupAction, MatchOutcome, NameId, PlayerStats, ResourceType, UnitTraits,
    UnitTypeId, UpgradeId, VoteAnalysisEvent, WorldPos, tag_text,
};
pub use export::column::{Column, ColumnType, List, Names, RowSink, Value};
pub use export::match_info::{MatchId, MatchInfo};
pub use export::schema::Table;
pub use export::{CsvTable, json_line};
pub use gametape_tape::{CellPos, NameTable, PlayerId, UnitTag};
pub use highlights::{Highlight, HighlightFinder, Rarity, WHOLE, Why};
pub use statistics::{
    PlayerResult, PlayerSummary, Series, Statistics, StatisticsCollector, TIMEOUT,
};
