//! What messages may ask for. The table in `spec/live.md`, section 13, says why.

use gametape_tape::limits::CHUNK_BYTES;
use gametape_wire::Limit;

/// Bytes of a message that holds a chunk or a part.
pub const MESSAGE_BYTES: Limit = Limit::new("length of a message", CHUNK_BYTES.max + (64 << 10));
/// Bytes of any other message.
pub const SMALL_MESSAGE_BYTES: Limit = Limit::new("length of a message", 64 << 10);
/// Bytes of a message that travels as a datagram.
pub const DATAGRAM_BYTES: usize = 1200;
/// Runs of a part.
pub const RUNS: Limit = Limit::new("runs of a part", 1 << 16);
/// Payloads of a view at one tick.
pub const PAYLOADS: Limit = Limit::new("payloads of a tick", 1 << 16);
/// The number of a message.
pub const NUMBER: Limit = Limit::new("number of a message", 1 << 48);
/// Messages that can be asked for again at once.
pub const AGAIN: Limit = Limit::new("messages to repeat", 1024);
/// Bytes of a pass.
pub const PASS_BYTES: Limit = Limit::new("length of a pass", 512);
/// Chunks that come before a group.
pub const PRELUDE: Limit = Limit::new("chunks before a group", 1 << 16);
/// Bytes that a spectator holds of what it cannot claim yet.
pub const HELD_BYTES: Limit = Limit::new("bytes that cannot be shown yet", 64 << 20);
/// How far a message may be ahead of the first that is missing.
pub const AHEAD: Limit = Limit::new("numbers ahead of the first missing one", 1 << 20);
/// Marks that wait until everything of them is there.
pub const MARKS: Limit = Limit::new("marks that cannot be claimed yet", 1 << 17);
