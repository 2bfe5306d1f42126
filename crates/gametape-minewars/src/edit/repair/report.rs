//! What a repair did.

use std::fmt;

use gametape_wire::ViewSet;
use gametape_wire::text::count;

use crate::edit::losses::For;
use crate::file::FilePart;

/// A repaired file, and what was done to it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repaired {
    /// The whole file.
    pub bytes: Vec<u8>,
    /// What is different, in the order of the file.
    pub changes: Vec<Change>,
    /// What is not in it any more.
    pub lost: Vec<Lost>,
}

/// Something that a repair changed without losing anything.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// A file header was written where there was none.
    FileHeader,
    /// A checksum was written again.
    Checksum {
        /// What it covers.
        part: FilePart,
        /// As it was stored.
        old: u64,
        /// As it is now.
        new: u64,
    },
    /// The version bytes were not those of the generation.
    Version {
        /// As they were.
        old: [u8; 4],
        /// As they are now.
        new: [u8; 4],
    },
    /// The radius of the map was not the one that its tiles have.
    Radius {
        /// As it was.
        old: u8,
        /// As it is now.
        new: u8,
    },
    /// The lengths of the frames, stored and raw, were written again.
    Lengths {
        /// Stored and raw, as they were.
        old: [u32; 2],
        /// Stored and raw, as they are now.
        new: [u32; 2],
    },
}

/// Something that could not be kept.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lost {
    /// Everything after the point where stored frames are damaged or end.
    Damage {
        /// Where in the file that shows.
        offset: u64,
        /// How many raw bytes could be had up to there.
        kept: u64,
        /// How many were announced.
        announced: u64,
    },
    /// The beginning of a frame that is not whole.
    Frame {
        /// How many frames come before it and are kept.
        number: u64,
        /// The time that those reach.
        time: u64,
        /// How many raw bytes of it there were.
        bytes: u64,
    },
    /// The end of a payload that cannot be read.
    Payload {
        /// The number of the frame.
        number: u64,
        /// When the frame happens.
        time: u64,
        /// Who received it.
        views: ViewSet,
        /// How many bytes.
        bytes: u64,
    },
    /// More payloads whose ends cannot be read, after the first thousand.
    MorePayloads {
        /// How many.
        count: u64,
    },
    /// Bytes after the frames.
    Trailing {
        /// How many.
        bytes: u64,
    },
    /// Items of the setup that cannot be read, or cannot be.
    Setup {
        /// What they are.
        item: SetupItem,
        /// How many.
        count: u64,
    },
}

/// An item of the setup that a repair can lose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SetupItem {
    /// A tile of the map, which is then of a reserved kind.
    Tile,
    /// The region of a tile, which then belongs to none.
    Region,
    /// The position of a city, which is then in the centre of the map.
    CityPosition,
    /// The name of a city, which is then empty.
    CityName,
    /// The name of a player, which is then empty.
    PlayerName,
}

impl SetupItem {
    /// What it is, and what becomes of it.
    const fn text(self) -> (&'static str, &'static str) {
        match self {
            Self::Tile => ("tile", "of the map: of a reserved kind now"),
            Self::Region => ("region", "of the map: none now"),
            Self::CityPosition => ("position", "of cities: the centre of the map now"),
            Self::CityName => ("name", "of cities: empty now"),
            Self::PlayerName => ("name", "of players: empty now"),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FileHeader => f.write_str("file header: there was none"),
            Self::Checksum { part, old, new } => {
                write!(f, "checksum of the {}: {old:016x} is now {new:016x}", part.name())
            }
            Self::Version { old: [a, b, c, d], new: [e, g, h, i] } => {
                write!(f, "version: {a}.{b}.{c}.{d} is now {e}.{g}.{h}.{i}")
            }
            Self::Radius { old, new } => write!(f, "radius of the map: {old} is now {new}"),
            Self::Lengths { old: [old, old_raw], new: [new, new_raw] } => {
                write!(f, "frames: {old} bytes for {old_raw} are now {new} for {new_raw}")
            }
        }
    }
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Damage { offset, kept, announced } => write!(
                f,
                "frames after the damage that shows at byte {offset}: \
                 {kept} of {announced} raw bytes could be had"
            ),
            Self::Frame { number, time, bytes } => {
                let bytes = count(*bytes, "byte");
                write!(f, "frame {number} after t={time}, cut off after {bytes}")
            }
            Self::Payload { number, time, views, bytes } => {
                let who = For(*views);
                let bytes = count(*bytes, "byte");
                write!(f, "{bytes} that cannot be read (frame {number}, t={time}{who})")
            }
            Self::MorePayloads { count } => {
                write!(f, "ends of {count} more payloads that cannot be read")
            }
            Self::Trailing { bytes } => write!(f, "{} after the frames", count(*bytes, "byte")),
            Self::Setup { item, count: many } => {
                let (noun, now) = item.text();
                write!(f, "setup: {} {now}", count(*many, noun))
            }
        }
    }
}
