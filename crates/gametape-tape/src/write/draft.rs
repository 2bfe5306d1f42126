//! A chunk before it is written.

use gametape_wire::{Error, Place, Result, Tick, ViewSet, Writer};

use crate::layout::checksum::check64;
use crate::layout::chunk::Compressor;
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::kind::{ChunkKind, Codec, Flags};

/// What the caller says about a chunk; the rest of its header follows from the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChunkDraft {
    /// What it holds.
    pub kind: ChunkKind,
    /// What may be done with it.
    pub flags: Flags,
    /// Which run of chunks of its kind.
    pub stream: u16,
    /// Who may know it.
    pub views: ViewSet,
    /// First tick.
    pub first_tick: Tick,
    /// Ticks that it spans.
    pub tick_count: u32,
    /// Frames, events, strings; ticks back to the baseline of a delta keyframe.
    pub detail: u32,
}

impl ChunkDraft {
    /// A chunk with the default flags of its kind, for everybody, without ticks.
    #[must_use]
    pub fn new(kind: ChunkKind) -> Self {
        Self {
            kind,
            flags: kind.default_flags(),
            stream: 0,
            views: ViewSet::ALL,
            first_tick: Tick::ZERO,
            tick_count: 0,
            detail: 0,
        }
    }

    /// The same chunk with other flags.
    #[must_use]
    pub fn with_flags(mut self, flags: Flags) -> Self {
        self.flags = flags;
        self
    }

    /// The same chunk in another stream.
    #[must_use]
    pub fn with_stream(mut self, stream: u16) -> Self {
        self.stream = stream;
        self
    }

    /// The same chunk for other views.
    #[must_use]
    pub fn with_views(mut self, views: ViewSet) -> Self {
        self.views = views;
        self
    }

    /// The same chunk with its first tick, and how many it spans.
    #[must_use]
    pub fn with_ticks(mut self, first_tick: Tick, tick_count: u32) -> Self {
        (self.first_tick, self.tick_count) = (first_tick, tick_count);
        self
    }

    /// The same chunk with a number of frames, events or strings, or of ticks back to the baseline.
    #[must_use]
    pub fn with_detail(mut self, detail: u32) -> Self {
        self.detail = detail;
        self
    }

    /// All bytes of the chunk with this sequence number in a tape: compressed where that is smaller.
    pub fn encode(&self, tape_id: u32, sequence: u32, raw: &[u8]) -> Result<Vec<u8>> {
        let mut compressor = Compressor::default();
        let (codec, stored) = compressor.pack(raw);
        let header = self.header(tape_id, sequence, codec, raw.len(), stored)?;
        let mut out = Writer::new();
        put_chunk(&mut out, &header, stored);
        Ok(out.into_bytes())
    }

    /// The header of the chunk with these stored bytes.
    pub(crate) fn header(
        &self,
        tape_id: u32,
        sequence: u32,
        codec: Codec,
        raw_length: usize,
        stored: &[u8],
    ) -> Result<ChunkHeader> {
        let length = |bytes: usize| {
            u32::try_from(bytes).map_err(|_| Error::misuse("chunk", "over 4 GiB in one chunk"))
        };
        let header = ChunkHeader {
            tape_id,
            sequence,
            kind: self.kind,
            flags: self.flags,
            codec,
            reserved: 0,
            stream: self.stream,
            views: self.views,
            tick_count: self.tick_count,
            first_tick: self.first_tick,
            raw_length: length(raw_length)?,
            stored_length: length(stored.len())?,
            detail: self.detail,
            check: check64(stored),
        };
        header.check_limits(0).map_err(|error| error.with_place(Place::Nowhere))?;
        Ok(header)
    }
}

impl From<&ChunkHeader> for ChunkDraft {
    fn from(header: &ChunkHeader) -> Self {
        Self {
            kind: header.kind,
            flags: header.flags,
            stream: header.stream,
            views: header.views,
            first_tick: header.first_tick,
            tick_count: header.tick_count,
            detail: header.detail,
        }
    }
}

pub(crate) fn put_chunk(out: &mut Writer, header: &ChunkHeader, stored: &[u8]) {
    header.write(out);
    out.bytes(stored);
}
