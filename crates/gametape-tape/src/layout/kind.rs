//! What a chunk is: kind, flags, codec.

use std::fmt;

/// What a chunk holds. Numbers without a name are kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChunkKind(pub u8);

/// A row of the table of kinds: name, and the flags that a writer gives it.
struct KindRow {
    name: &'static str,
    flags: Flags,
}

/// Kinds 1..: the table in `spec/tape.md`, section 3.
const KINDS: [KindRow; 12] = {
    const C: u8 = Flags::CRITICAL.0;
    const S: u8 = Flags::SAFE_TO_COPY.0;
    const P: u8 = Flags::PARTS.0;
    const fn row(name: &'static str, flags: u8) -> KindRow {
        KindRow { name, flags: Flags(flags) }
    }
    [
        row("metadata", C),
        row("setup", C | S),
        row("orders", C | S | P),
        row("frames", C | S | P),
        row("full keyframe", C | S),
        row("delta keyframe", C | S),
        row("events", S),
        row("names", S),
        row("gap", S),
        row("resource", S),
        row("signature", 0),
        row("index", 0),
    ]
};

impl ChunkKind {
    /// JSON about the match.
    pub const METADATA: Self = Self(1);
    /// What a match starts from, in the game's own bytes.
    pub const SETUP: Self = Self(2);
    /// Inputs of players, framed.
    pub const ORDERS: Self = Self(3);
    /// What views receive, framed.
    pub const FRAMES: Self = Self(4);
    /// A snapshot.
    pub const FULL_KEYFRAME: Self = Self(5);
    /// A snapshot as a delta.
    pub const DELTA_KEYFRAME: Self = Self(6);
    /// Observations for analysis.
    pub const EVENTS: Self = Self(7);
    /// The string table that events refer to.
    pub const NAMES: Self = Self(8);
    /// Something is missing.
    pub const GAP: Self = Self(9);
    /// A named attachment.
    pub const RESOURCE: Self = Self(10);
    /// A signature of everything before it.
    pub const SIGNATURE: Self = Self(11);
    /// Part of the index: can be rebuilt, is not counted.
    pub const INDEX: Self = Self(12);

    fn row(self) -> Option<&'static KindRow> {
        KINDS.get(usize::from(self.0).checked_sub(1)?)
    }

    /// Does this version know the kind?
    #[must_use]
    pub fn is_known(self) -> bool {
        self.row().is_some()
    }

    /// The kind's name, where it has one.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        self.row().map(|row| row.name)
    }

    /// The flags that a writer gives to this kind; none to an unknown one.
    #[must_use]
    pub fn default_flags(self) -> Flags {
        self.row().map_or(Flags::NONE, |row| row.flags)
    }

    /// Is it a keyframe, full or delta?
    #[must_use]
    pub fn is_keyframe(self) -> bool {
        matches!(self, Self::FULL_KEYFRAME | Self::DELTA_KEYFRAME)
    }

    /// Is the payload framed in ticks and views?
    #[must_use]
    pub fn is_framed(self) -> bool {
        matches!(self, Self::ORDERS | Self::FRAMES)
    }

    /// Does the chunk take part in sequence numbers and chain?
    #[must_use]
    pub fn is_counted(self) -> bool {
        self != Self::INDEX
    }

    /// Must first ticks not decrease within a stream? Gaps are written when they are noticed.
    pub(crate) fn ascends(self) -> bool {
        self != Self::GAP
    }

    /// Do the chunk's ticks belong to the time that the tape spans?
    #[must_use]
    pub fn has_ticks(self) -> bool {
        !matches!(
            self,
            Self::METADATA
                | Self::SETUP
                | Self::NAMES
                | Self::RESOURCE
                | Self::SIGNATURE
                | Self::INDEX
        )
    }
}

impl fmt::Display for ChunkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.pad(name),
            None => f.pad(&format!("kind {}", self.0)),
        }
    }
}

impl fmt::Debug for ChunkKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChunkKind({self})")
    }
}

/// What somebody who does not know a chunk's kind may do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags(pub u8);

impl Flags {
    /// No flag.
    pub const NONE: Self = Self(0);
    /// Who does not know the kind must not play the tape.
    pub const CRITICAL: Self = Self(1);
    /// The chunk survives when chunks around it are changed.
    pub const SAFE_TO_COPY: Self = Self(2);
    /// The raw bytes hold parts for different views.
    pub const PARTS: Self = Self(4);

    /// Are all flags of `other` set?
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// These flags and those of `other`.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// How raw bytes are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Codec(pub u8);

impl Codec {
    /// As they are.
    pub const RAW: Self = Self(0);
    /// As one LZ4 block.
    pub const LZ4: Self = Self(1);
    /// As one LZ4 block of the bytes in columns.
    pub const LZ4_COLUMNS: Self = Self(2);
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::RAW => f.pad("raw"),
            Self::LZ4 => f.pad("lz4"),
            Self::LZ4_COLUMNS => f.pad("lz4 columns"),
            Self(number) => f.pad(&format!("codec {number}")),
        }
    }
}
