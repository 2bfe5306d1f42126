//! What the game hands over, as it waits for the writer.

use gametape_tape::{ChunkKind, SigningKey, SimSnapshot};
use gametape_wire::ViewSet;

/// What is shed under pressure, first things first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// Events that a player's machine reported.
    Reported,
    /// Position samples.
    Positions,
    /// Keyframes.
    Keyframes,
}

/// One thing that the game handed over.
#[derive(Debug)]
pub(super) enum Item {
    /// A frame or an order; its parts and bytes are in the segment.
    Framed { kind: ChunkKind, stream: u16, tick: u64, parts: u8 },
    /// A state that play can start from.
    Keyframe { stream: u16, views: ViewSet, snapshot: Box<SimSnapshot> },
    /// A block of events.
    Events { stream: u16, first_tick: u64, tick_count: u32, count: u32, raw: Vec<u8> },
    /// What a match starts from.
    Setup { stream: u16, views: ViewSet, raw: Vec<u8> },
    /// Strings for the next ids.
    Names(Vec<String>),
    /// A named attachment.
    Resource { name: String, views: ViewSet, content: Vec<u8> },
    /// The closing metadata.
    Closing(Vec<u8>),
    /// Signs everything before it.
    Sign(Box<SigningKey>),
    /// Everything of a tick was given.
    TickEnd(u64),
    /// Something that could be shed was here, and was shed.
    Shed(Class, Loss),
    /// Orders and frames are missing here.
    Interrupted(Loss),
}

/// What is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Loss {
    pub(super) kind: ChunkKind,
    pub(super) stream: u16,
    pub(super) views: ViewSet,
    pub(super) first_tick: u64,
    /// One after the last tick.
    pub(super) end_tick: u64,
    pub(super) items: u64,
    pub(super) bytes: u64,
}

impl Loss {
    /// Is it of the same run of chunks?
    pub(super) fn is_like(&self, other: &Self) -> bool {
        (self.kind, self.stream, self.views) == (other.kind, other.stream, other.views)
    }

    /// Takes in another loss.
    pub(super) fn merge(&mut self, other: &Self) {
        self.first_tick = self.first_tick.min(other.first_tick);
        self.end_tick = self.end_tick.max(other.end_tick);
        self.items += other.items;
        self.bytes += other.bytes;
    }

    /// How many ticks it spans, as a chunk says it.
    pub(super) fn tick_count(&self) -> u32 {
        u32::try_from(self.end_tick.saturating_sub(self.first_tick)).unwrap_or(u32::MAX)
    }
}

impl Item {
    /// The first tick that it is about, where it is about ticks.
    pub(super) fn tick(&self) -> Option<u64> {
        match self {
            Self::Framed { tick, .. } | Self::TickEnd(tick) => Some(*tick),
            Self::Keyframe { snapshot, .. } => Some(snapshot.core.tick.0),
            Self::Events { first_tick, .. } => Some(*first_tick),
            Self::Shed(_, loss) | Self::Interrupted(loss) => Some(loss.first_tick),
            _ => None,
        }
    }

    /// How much memory it holds, its parts and bytes in the segment apart.
    pub(super) fn memory(&self) -> usize {
        let held = match self {
            Self::Keyframe { snapshot, .. } => snapshot.memory(),
            Self::Events { raw, .. } | Self::Setup { raw, .. } | Self::Closing(raw) => {
                raw.capacity()
            }
            Self::Names(names) => names.iter().map(|name| size_of::<String>() + name.len()).sum(),
            Self::Resource { name, content, .. } => name.len() + content.capacity(),
            _ => 0,
        };
        size_of::<Self>() + held
    }

    /// What its loss is.
    pub(super) fn loss(&self) -> Loss {
        let (kind, stream, views, ticks) = match self {
            Self::Keyframe { stream, views, .. } => (ChunkKind::FULL_KEYFRAME, *stream, *views, 0),
            Self::Events { stream, tick_count, .. } => {
                (ChunkKind::EVENTS, *stream, ViewSet::EMPTY, *tick_count)
            }
            Self::Framed { kind, stream, .. } => (*kind, *stream, ViewSet::EMPTY, 1),
            _ => (ChunkKind(0), 0, ViewSet::EMPTY, 0),
        };
        // Something without ticks spans less than none, so that it never widens a run.
        let first_tick = self.tick().unwrap_or(u64::MAX);
        let end_tick = self.tick().map_or(0, |tick| tick + u64::from(ticks));
        Loss { kind, stream, views, first_tick, end_tick, items: 1, bytes: self.memory() as u64 }
    }
}
