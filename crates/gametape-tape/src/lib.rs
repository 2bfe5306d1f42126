//! The tape: one recorded match in an append-only container.
//!
//! - [`TapeWriter`] takes frames, orders, keyframes, events and more, and gives bytes to append. After
//!   every append the file is a valid tape. [`KeyframeMaker`] makes keyframes of [`SimSnapshot`]s:
//!   full ones and [deltas](DeltaSnapshot), by a [`Cadence`].
//! - [`TapeReader`] opens a tape with few bytes and gives a [`Tape`]: metadata, summary, index.
//!   [`Scanner`] and [`Recovery`] walk a tape that was not finished, is still growing or is damaged:
//!   whole chunks come out, and every damage.
//! - [`KeyframeIndex::plan`] and [`Restorer`] lead to the recorded state nearest to a tick.
//! - [`Verifier`] checks structure, checksums, SHA-256 chain and Ed25519 signature.
//! - [`pack`], [`Cut`], [`Rewriter`] and [`Recovered`] make new tapes of old ones: packed, cut to some
//!   views and ticks, repaired, signed, continued.
//!
//! The format is specified in `spec/tape.md` of the repository.
//!
//! ```
//! use gametape_tape::{ChunkKind, TapeHeader, Tape, TapeFrames, TapeWriter, cut_bytes};
//! use gametape_wire::{Tick, TickLength, View, ViewSet};
//!
//! # fn main() -> gametape_wire::Result<()> {
//! let [ana, ben] = [1, 2].map(|number| View::new(number).unwrap());
//! // Ticks of 50 ms; the tape id differs between recordings.
//! let header = TapeHeader::new(TickLength::millis::<50>(), 0xB0A7);
//! let mut writer = TapeWriter::new(header, br#"{"game":"digger"}"#)?;
//! writer.frame(0, Tick::ZERO, &[(ana, b"dawn"), (ben, b"dawn")])?;
//! writer.frame(0, Tick(90), &[(ana, b"mine"), (ben, b"?")])?;
//! let mut file = writer.take();
//! file.extend(writer.finish()?);
//!
//! let tape = Tape::open(&file)?;
//! assert_eq!(tape.summary.end_tick, Tick(91));
//! let mut seen = Vec::new();
//! for entry in tape.stream(ChunkKind::FRAMES, 0) {
//!     let chunk = tape.read(entry, &file)?;
//!     let raw = chunk.raw()?;
//!     for frame in TapeFrames::new(&chunk.header, &raw) {
//!         let frame = frame?;
//!         seen.extend(frame.view(ben).map(|payload| (frame.tick, payload.to_vec())));
//!     }
//! }
//! assert_eq!(seen, [(Tick(0), b"dawn".to_vec()), (Tick(90), b"?".to_vec())]);
//!
//! // What Ben may keep: nothing of the others is left in it.
//! let bens = cut_bytes(&file, ViewSet::EMPTY.with(ben), 0xB0A8)?.bytes;
//! assert!(!bens.windows(4).any(|bytes| bytes == b"mine"));
//! # Ok(())
//! # }
//! ```
//!
//! # Without I/O
//!
//! Readers say which bytes they need ([`SansIo`](gametape_wire::SansIo)); a file, memory or an HTTP range
//! request answers:
//!
//! ```
//! use gametape_tape::{Depth, TapeHeader, TapeReader, TapeWriter};
//! use gametape_wire::{SansIo, TickLength, drive};
//! # let file = TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), b"{}").and_then(|mut writer| {
//! #     Ok([writer.take(), writer.finish()?].concat())
//! # })?;
//!
//! // Everything at once: one range at the beginning and one at the end, where the tape is longer.
//! let mut reader = TapeReader::new(file.len() as u64, Depth::Index);
//! assert_eq!(reader.need().ranges(), [0..file.len() as u64]);
//! drive(&mut reader, &mut &file[..])?;
//! let tape = reader.finish()?;
//! # assert_eq!(tape.summary.chunk_count, 1);
//! # Ok::<(), gametape_wire::Error>(())
//! ```
//!
//! What it does not do: no file, socket, clock, thread or log line; no knowledge of any game: payloads,
//! components, fields and events are opaque bytes; no choice of ids and keys, which come from the
//! caller.

mod check;
mod edit;
mod index;
mod layout;
pub mod limits;
mod read;
mod recover;
mod snapshot;
mod write;

pub use check::chain::{Chain, Hash, leaf};
pub use check::keyframes::KeyframeChecker;
pub use check::sign::{PublicKey, Signature, SigningKey, secret_key_text};
pub use check::verify::{Level, Verification, Verifier, verify_bytes};
pub use edit::assemble::Segment;
pub use edit::cut::Cut;
pub use edit::dropped::{DropReason, Dropped};
pub use edit::pack::{pack, pack_bytes};
pub use edit::rewrite::{
    EventFilter, Remedy, Rewriter, Rewritten, cut_bytes, recover_bytes, repair_bytes,
};
pub use index::summary::{KindSummary, PageRow, Summary};
pub use index::table::{ChunkEntry, KeyframeIndex, KeyframeIndexEntry};
pub use layout::chunk::Chunk;
pub use layout::chunk_header::ChunkHeader;
pub use layout::frames::{TapeFrame, TapeFrames};
pub use layout::gap::{Gap, GapCause};
pub use layout::kind::{ChunkKind, Codec, Flags};
pub use layout::names::{NameTable, Resource};
pub use layout::tape_header::{MAGIC, MAJOR_VERSION, TapeHeader};
pub use read::reader::{Depth, TapeReader};
pub use read::restore::Restorer;
pub use read::tape::Tape;
pub use recover::recovery::{Recovered, Recovery};
pub use recover::scan::{Damage, DamageKind, Found, Scanner};
pub use snapshot::{
    Cadence, CellPos, Change, DeltaSnapshot, EntityDelta, Key, Keyframe, KeyframeMaker,
    MapCellState, MapStateDelta, PlayerId, PlayerStateDelta, Row, SectionDelta, SimCoreDelta,
    SimCoreSnapshot, SimSnapshot, SlotTable, StateHash, StringInternerDelta,
    StringInternerSnapshot, SyncHash, UnitTag, ValueTable,
};
pub use write::draft::ChunkDraft;
pub use write::writer::{TapeWriter, check_metadata};
