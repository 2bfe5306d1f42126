//! The tape.

mod chain;
mod check;
mod chunk;
mod content;
mod draft;
mod fetched;
mod footer;
mod frames;
mod front;
mod gap;
mod header;
mod index;
mod kind;
pub mod limits;
mod names;
mod pack;
mod reader;
mod recover;
mod restore;
mod rewrite;
mod scan;
mod sequences;
mod sign;
mod snapshot;
mod summary;
mod tape;
mod trailer;
mod verify;
mod writer;

pub use chain::{Chain, Hash, leaf};
pub use chunk::Chunk;
pub use draft::ChunkDraft;
pub use frames::{TapeFrame, TapeFrames};
pub use front::{Front, MAGIC, MAJOR_VERSION};
pub use gap::{Gap, GapCause};
pub use header::{ChunkHeader, EVERYBODY};
pub use index::{ChunkEntry, KeyframeIndex, KeyframeIndexEntry};
pub use kind::{ChunkKind, Codec, Flags};
pub use names::{NameTable, Resource};
pub use pack::{Segment, pack, pack_bytes};
pub use reader::{Depth, TapeReader};
pub use recover::{Recovered, Recovery};
pub use restore::Restorer;
pub use rewrite::{Rewriter, Rewritten, cut_bytes, repair_bytes};
pub use scan::{Damage, DamageKind, Found, Need, Scanner};
pub use sign::{PublicKey, Signature, SigningKey};
pub use snapshot::{
    Cadence, CellPos, Change, DeltaSnapshot, EntityDelta, Key, Keyframe, KeyframeMaker,
    MapCellState, MapStateDelta, PlayerId, PlayerStateDelta, Row, SectionDelta, SimCoreDelta,
    SimCoreSnapshot, SimSnapshot, SimTick, SlotTable, StateHash, StringInternerDelta,
    StringInternerSnapshot, SyncHash, UnitTag, ValueTable,
};
pub use summary::{KindSummary, PageRow, Summary};
pub use tape::Tape;
pub use verify::{Finding, Level, MOST_FINDINGS, Verification, Verifier, verify_bytes};
pub use writer::TapeWriter;
