//! Everything that a log can ask for, and how much of it is granted.

use gametape_wire::Limit;

/// Bytes of JSON after unpacking, unless the caller chooses otherwise.
pub const LOG_BYTES: Limit = Limit::new("gamelog size", 1 << 30);
/// The most that a caller may choose for [`LOG_BYTES`]: offsets have 32 bits.
pub const LOG_BYTES_MOST: u64 = u32::MAX as u64;
/// Deltas in one log.
pub const DELTAS: Limit = Limit::new("number of deltas", 1 << 22);
/// Containers inside each other in one `game`.
pub const GAME_DEPTH: Limit = Limit::new("nesting of game", 1_000);
/// Largest index into a list.
pub const LIST_INDEX: Limit = Limit::new("list index", 1_000_000);
/// Largest length of a list.
pub const LIST_LENGTH: Limit = Limit::new("list length", LIST_INDEX.max + 1);
/// Bytes of one number or string in a `game`.
pub const SCALAR_BYTES: Limit = Limit::new("number or string", (1 << 28) - 1);
/// Containers and places for values in one state.
pub const STATE_PLACES: Limit = Limit::new("state size", 1 << 24);
/// Holes that all deltas of one log make together.
pub const HOLES: Limit = Limit::new("holes in lists", 1 << 26);
/// Different keys in all `game` bodies of one log.
pub const KEYS: Limit = Limit::new("different keys", 1 << 22);

/// Bytes of memory for keyframes, unless the caller chooses otherwise.
pub const KEYFRAME_BYTES: usize = 64 << 20;

/// What a caller can choose about reading and playing a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The most bytes of JSON to unpack; see [`LOG_BYTES`].
    pub max_bytes: u64,
    /// How much memory keyframes may take; see [`KEYFRAME_BYTES`].
    pub keyframe_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_bytes: LOG_BYTES.max, keyframe_bytes: KEYFRAME_BYTES }
    }
}

impl Options {
    /// The limit on unpacked bytes, with its name.
    pub(crate) fn log_bytes(&self) -> Limit {
        Limit::new(LOG_BYTES.name, self.max_bytes.min(LOG_BYTES_MOST))
    }
}
