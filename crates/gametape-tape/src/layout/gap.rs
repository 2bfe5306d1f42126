//! Gaps: something is missing and will not come.

use std::fmt;
use std::ops::Range;

use gametape_wire::{Reader, Result, Tick, TickRange, ViewSet, Writer};

use crate::layout::chunk::Chunk;
use crate::layout::kind::ChunkKind;
use crate::write::draft::ChunkDraft;

/// Why something is missing. Numbers without a name are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct GapCause(pub u8);

impl GapCause {
    /// The recorder had to leave something out.
    pub const SHED: Self = Self(1);
    /// It was there once.
    pub const DAMAGE: Self = Self(2);
    /// Nobody recorded for a while.
    pub const INTERRUPTED: Self = Self(3);
    /// The tape was cut, and begins after it: nothing is lost.
    pub const CUT: Self = Self(4);
}

/// A hole in a tape, declared by the tape itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Gap {
    /// Why.
    pub cause: GapCause,
    /// Of which kind; 0 where that is unknown or several.
    pub kind: ChunkKind,
    /// Of which stream; 0 where that is unknown or several.
    pub stream: u16,
    /// How many chunks or items.
    pub count: u32,
    /// How many bytes.
    pub bytes: u64,
    /// Who would have known them.
    pub views: ViewSet,
    /// First tick concerned.
    pub first_tick: Tick,
    /// Ticks concerned; 0 where what is missing has no ticks of its own, or nobody knows them.
    pub tick_count: u32,
}

impl Gap {
    /// A gap for everybody, in stream 0, of nothing and at tick 0 so far.
    #[must_use]
    pub fn new(cause: GapCause, kind: ChunkKind) -> Self {
        Self {
            cause,
            kind,
            stream: 0,
            count: 0,
            bytes: 0,
            views: ViewSet::ALL,
            first_tick: Tick::ZERO,
            tick_count: 0,
        }
    }

    /// The same gap in another stream.
    #[must_use]
    pub fn with_stream(mut self, stream: u16) -> Self {
        self.stream = stream;
        self
    }

    /// The same gap with how many chunks or items are missing, and how many bytes.
    #[must_use]
    pub fn with_size(mut self, count: u32, bytes: u64) -> Self {
        (self.count, self.bytes) = (count, bytes);
        self
    }

    /// The same gap for who would have known what is missing.
    #[must_use]
    pub fn with_views(mut self, views: ViewSet) -> Self {
        self.views = views;
        self
    }

    /// The same gap with the first tick concerned, and how many.
    #[must_use]
    pub fn with_ticks(mut self, first_tick: Tick, tick_count: u32) -> Self {
        (self.first_tick, self.tick_count) = (first_tick, tick_count);
        self
    }

    /// The gap that a chunk of kind [`ChunkKind::GAP`] declares.
    pub fn read(chunk: &Chunk<'_>) -> Result<Self> {
        let raw = chunk.raw()?;
        let mut r = Reader::with_base(&raw, chunk.payload_offset());
        let (cause, kind) = (GapCause(r.u8("gap")?), ChunkKind(r.u8("gap")?));
        let (stream, count, bytes) = (r.u16_le("gap")?, r.u32_le("gap")?, r.u64_le("gap")?);
        r.finish("gap")?;
        let header = &chunk.header;
        Ok(Self {
            cause,
            kind,
            stream,
            count,
            bytes,
            views: header.views,
            first_tick: header.first_tick,
            tick_count: header.tick_count,
        })
    }

    /// The ticks that it concerns; its first tick where the tick count is 0, since no more is known.
    #[must_use]
    pub fn ticks(&self) -> Range<Tick> {
        self.first_tick..self.first_tick + u64::from(self.tick_count.max(1))
    }

    /// What of the gap is within some ticks; `None` where nothing is. A gap without ticks stays as it is.
    #[must_use]
    pub fn within(&self, ticks: &Range<Tick>) -> Option<Self> {
        if self.tick_count == 0 {
            return Some(*self);
        }
        let Range { start, end } = self.ticks();
        let (start, end) = (start.max(ticks.start), end.min(ticks.end));
        let tick_count = u32::try_from(end.since(start)).unwrap_or(u32::MAX);
        (tick_count > 0).then_some(Self { first_tick: start, tick_count, ..*self })
    }

    /// The chunk that says it.
    #[must_use]
    pub fn draft(&self) -> ChunkDraft {
        ChunkDraft {
            views: self.views,
            first_tick: self.first_tick,
            tick_count: self.tick_count,
            ..ChunkDraft::new(ChunkKind::GAP)
        }
    }

    /// The raw bytes of that chunk.
    #[must_use]
    pub fn to_bytes(self) -> Vec<u8> {
        let mut w = Writer::new();
        w.u8(self.cause.0).u8(self.kind.0).u16_le(self.stream);
        w.u32_le(self.count).u64_le(self.bytes);
        w.into_bytes()
    }
}

impl fmt::Display for GapCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::SHED => f.write_str("left out by the recorder"),
            Self::DAMAGE => f.write_str("lost to damage"),
            Self::INTERRUPTED => f.write_str("not recorded"),
            Self::CUT => f.write_str("cut away"),
            Self(number) => write!(f, "missing for cause {number}"),
        }
    }
}

impl fmt::Display for Gap {
    /// `lost to damage: frames of stream 0, ticks 300 to 399`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.cause)?;
        match self.kind {
            ChunkKind(0) if self.cause == GapCause::CUT => f.write_str("everything")?,
            ChunkKind(0) => f.write_str("chunks of unknown kind")?,
            kind => write!(f, "{kind} of stream {}", self.stream)?,
        }
        let end = self.first_tick + u64::from(self.tick_count);
        write!(f, ", {}", TickRange::from(self.first_tick..end))
    }
}
