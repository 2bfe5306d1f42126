//! Everything that a log can ask for, and how much of it is granted.

use gametape_wire::Limit;

/// Bytes of memory that reading and playing one log may take, unless the caller chooses otherwise.
pub const MEMORY: u64 = 256 << 20;
/// Bytes of JSON after unpacking, unless the caller chooses otherwise.
pub const LOG_BYTES: Limit = Limit::new("gamelog size", MEMORY / 2);
/// The most that a caller may choose for [`LOG_BYTES`]: offsets have 32 bits.
pub const LOG_BYTES_MOST: u64 = u32::MAX as u64;
/// White space before a log.
pub const LEADING_SPACE: Limit = Limit::new("white space before a gamelog", 1 << 16);
/// Fields of the root.
pub const ROOT_FIELDS: Limit = Limit::new("number of root fields", 1 << 16);
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
/// Containers and slots for values in one state; fewer where memory is short.
pub const STATE_SLOTS: Limit = Limit::new("state size", 1 << 24);
/// Holes that all deltas of one log make together, and slots that refused deltas made.
pub const HOLES: Limit = Limit::new("holes in lists", 1 << 24);
/// Different keys in all `game` bodies of one log; fewer where memory is short.
pub const KEYS: Limit = Limit::new("different keys", 1 << 22);
/// Bytes of keys in a delta that has one of them twice.
pub const REPEATED_KEYS: Limit = Limit::new("keys of a delta with a key twice", 32 << 20);
/// Bytes of the changes of one delta, as [`find`](crate::find()) reports them.
pub const CHANGES: Limit = Limit::new("changes of one delta", 64 << 20);
/// Bytes of a state whose references are expanded.
pub const EXPANDED: Limit = Limit::new("state with references expanded", 16 << 20);
/// Players of one game, and clients in one list of winners or losers, that are looked at.
pub const PLAYERS: usize = 1 << 10;
/// Different types, players and functions that are counted by name.
pub const COUNTED_NAMES: usize = 1 << 10;

/// Bytes of memory for keyframes, unless the caller chooses otherwise.
pub const KEYFRAME_BYTES: usize = 64 << 20;

/// What a caller can choose about reading and playing a log.
///
/// ```
/// use gametape_cadre::Options;
///
/// let options = Options::default().with_max_memory(1 << 30).with_keyframe_bytes(0);
/// assert_eq!(options.max_bytes, 512 << 20);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// About how many bytes of memory may be used; see [`MEMORY`].
    pub max_memory: u64,
    /// The most bytes of JSON to unpack; see [`LOG_BYTES`].
    pub max_bytes: u64,
    /// How much memory keyframes may take; see [`KEYFRAME_BYTES`]. Where memory is short they take
    /// less.
    pub keyframe_bytes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl Options {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self { max_memory: MEMORY, max_bytes: LOG_BYTES.max, keyframe_bytes: KEYFRAME_BYTES }
    }

    /// The same with another limit on memory; half of it may be the JSON of the log.
    #[must_use]
    pub const fn with_max_memory(self, bytes: u64) -> Self {
        Self { max_memory: bytes, max_bytes: bytes / 2, ..self }
    }

    /// The same with another limit on the unpacked JSON.
    #[must_use]
    pub const fn with_max_bytes(self, bytes: u64) -> Self {
        Self { max_bytes: bytes, ..self }
    }

    /// The same with another limit on keyframes; without any, every step back starts at the begin.
    #[must_use]
    pub const fn with_keyframe_bytes(self, bytes: usize) -> Self {
        Self { keyframe_bytes: bytes, ..self }
    }

    /// The limit on unpacked bytes, with its name.
    pub(crate) fn log_bytes(&self) -> Limit {
        Limit::new(LOG_BYTES.name, self.max_bytes.min(LOG_BYTES_MOST))
    }

    /// The limit on the text of a log together with the table of its deltas.
    pub(crate) fn indexed_bytes(&self) -> Limit {
        Limit::new("gamelog size with the table of its deltas", self.max_memory / 8 * 5)
    }

    /// How the memory that a log of this size leaves is divided.
    pub(crate) fn shares(&self, log_bytes: usize) -> Shares {
        let left = self.max_memory.saturating_sub(log_bytes as u64);
        Shares {
            slots: (left / 2 / SLOT_BYTES).clamp(LEAST_SLOTS, STATE_SLOTS.max),
            keyframe_bytes: self.keyframe_bytes.min((left / 4) as usize),
            key_bytes: (left / 8).max(LEAST_KEY_BYTES),
        }
    }
}

/// Bytes of memory for one slot or container: in the arrays of a tree, the room that these keep for
/// growing, the search table and the journal. What is no longer reachable counts as well.
const SLOT_BYTES: u64 = 48;
/// Small logs can always be played.
const LEAST_SLOTS: u64 = 1 << 16;
const LEAST_KEY_BYTES: u64 = 1 << 20;

/// The shares of memory beside the log itself. An eighth is for everything else.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shares {
    /// Containers and slots of the state.
    pub(crate) slots: u64,
    pub(crate) keyframe_bytes: usize,
    /// Names of keys, with what keeping them costs.
    pub(crate) key_bytes: u64,
}
