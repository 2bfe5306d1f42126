//! What a tape may ask for. The table in `spec/tape.md`, section 10, says why.

use gametape_wire::Limit;

/// Raw or stored bytes of one chunk: the most that a reader holds at once.
pub const CHUNK_BYTES: Limit = Limit::new("length of a chunk", 16 << 20);
/// Raw bytes of one chunk of events.
pub const EVENTS_BYTES: Limit = Limit::new("length of an events chunk", 256 << 10);
/// Raw bytes of metadata.
pub const METADATA_BYTES: Limit = Limit::new("length of the metadata", 12 << 10);
/// Counted chunks of a tape.
pub const CHUNKS: Limit = Limit::new("chunks of a tape", 1 << 19);
/// One more than the last tick of a chunk.
pub const TICK: Limit = Limit::new("tick", 1 << 56);
/// Bytes of a tape.
pub const TAPE_BYTES: Limit = Limit::new("length of a tape", 1 << 40);
/// Deltas between a keyframe and the full one that it goes back to.
pub const DELTA_CHAIN: Limit = Limit::new("deltas after a full keyframe", 9);
/// Strings of a string table, in a snapshot and in a whole tape.
pub const STRINGS: Limit = Limit::new("string table", 1 << 20);
/// Bytes of one name of a names chunk.
pub const NAME_BYTES: Limit = Limit::new("length of a name", 4 << 10);
/// Page rows of a summary.
pub(crate) const PAGES: Limit = Limit::new("pages of the index", 640);

/// Where a writer ends a chunk of frames.
pub const FRAMES_TARGET: usize = 256 << 10;
/// Entries of one table page.
pub(crate) const TABLE_PAGE: usize = 2048;
/// Entries of one keyframe page.
pub(crate) const KEYFRAME_PAGE: usize = 4096;
/// What one stored byte of an LZ4 block can at most become.
pub(crate) const LZ4_EXPANSION: u64 = 255;
/// How many chunks with wrong payloads may overlap an offset that is still read.
pub(crate) const OVERLAPPING_FAILURES: usize = 16;
