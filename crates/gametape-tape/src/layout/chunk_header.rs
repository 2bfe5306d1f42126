//! The header of a chunk.

use gametape_wire::{Error, ErrorKind, Reader, Result, Tick, ViewSet, Writer};

use crate::layout::checksum::check32;
use crate::layout::kind::{ChunkKind, Codec, Flags};
use crate::limits::{CHUNK_BYTES, CHUNKS, EVENTS_BYTES, METADATA_BYTES, TICK};

/// Where a chunk begins; what a search for chunks looks for.
pub(crate) const SYNC: [u8; 4] = [0xA5, 0xC3, 0x7E, 0x1B];
/// The 56 bytes before a chunk's stored bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChunkHeader {
    /// The tape that the chunk belongs to.
    pub tape_id: u32,
    /// Index in the order of writing.
    pub sequence: u32,
    /// What the chunk holds.
    pub kind: ChunkKind,
    /// What may be done with it.
    pub flags: Flags,
    /// How the raw bytes are stored.
    pub codec: Codec,
    /// Byte 15, kept.
    pub(crate) reserved: u8,
    /// Which run of chunks of its kind.
    pub stream: u16,
    /// Who may know it.
    pub views: ViewSet,
    /// Ticks that it spans.
    pub tick_count: u32,
    /// The first of them.
    pub first_tick: Tick,
    /// Bytes before compression.
    pub raw_length: u32,
    /// Bytes in the tape.
    pub stored_length: u32,
    /// Frames, events, strings, entries; ticks back to the baseline of a delta keyframe.
    pub detail: u32,
    /// XXH3-64 of the stored bytes.
    pub check: u64,
}

impl ChunkHeader {
    /// Length in bytes.
    pub const LENGTH: usize = 56;

    /// One more than the last tick.
    #[must_use]
    pub fn end_tick(&self) -> Tick {
        self.first_tick + u64::from(self.tick_count)
    }

    /// Header and stored bytes together.
    #[must_use]
    pub fn chunk_length(&self) -> u64 {
        Self::LENGTH as u64 + u64::from(self.stored_length)
    }

    /// The tick that the next chunk of its kind and stream must not be before: the last one of
    /// frames and orders, else the first.
    #[must_use]
    pub fn last_tick(&self) -> Tick {
        if self.kind.is_framed() {
            return self.end_tick().previous().unwrap_or_default();
        }
        self.first_tick
    }

    /// The header at `offset`, whatever its tape.
    pub fn read(bytes: &[u8; Self::LENGTH], offset: u64) -> Result<Self> {
        let header = Self::read_fields(bytes, offset)?;
        header.check_limits(offset)?;
        Ok(header)
    }

    fn read_fields(bytes: &[u8; Self::LENGTH], offset: u64) -> Result<Self> {
        const ITEM: &str = "chunk header";
        let mut r = Reader::with_base(bytes, offset);
        if r.array("sync mark")? != SYNC {
            let kind = ErrorKind::BadSyntax { problem: "no chunk begins here".into() };
            return Err(Error::at(offset, "sync mark", kind));
        }
        let header = Self {
            tape_id: r.u32_le(ITEM)?,
            sequence: r.u32_le(ITEM)?,
            kind: ChunkKind(r.u8(ITEM)?),
            flags: Flags(r.u8(ITEM)?),
            codec: Codec(r.u8(ITEM)?),
            reserved: r.u8(ITEM)?,
            stream: r.u16_le(ITEM)?,
            views: ViewSet::from_bits(r.u16_le(ITEM)?),
            tick_count: r.u32_le(ITEM)?,
            first_tick: Tick(r.u64_le(ITEM)?),
            raw_length: r.u32_le(ITEM)?,
            stored_length: r.u32_le(ITEM)?,
            detail: r.u32_le(ITEM)?,
            check: r.u64_le(ITEM)?,
        };
        let (stored, computed) = (r.u32_le(ITEM)?.into(), check32(&bytes[..52]).into());
        if stored != computed {
            return Err(Error::at(offset + 52, ITEM, ErrorKind::Checksum { stored, computed }));
        }
        Ok(header)
    }

    /// Everything that a valid header must keep to.
    pub(crate) fn check_limits(&self, offset: u64) -> Result<()> {
        let bad = |at: u64, item, found: u64, expected| {
            let kind = ErrorKind::BadValue { found: found as i64, expected };
            Err(Error::at(offset + at, item, kind))
        };
        if self.kind.0 == 0 {
            return bad(12, "chunk kind", 0, "1 or more");
        }
        CHUNKS.check(self.sequence.into(), offset + 8)?;
        TICK.check(self.end_tick().0, offset + 24)?;
        CHUNK_BYTES.check(self.stored_length.into(), offset + 36)?;
        let limit = match self.kind {
            ChunkKind::METADATA => METADATA_BYTES,
            ChunkKind::EVENTS => EVENTS_BYTES,
            _ => CHUNK_BYTES,
        };
        limit.check(self.raw_length.into(), offset + 32)?;
        let fits = match self.codec {
            Codec::RAW => self.stored_length == self.raw_length,
            Codec::LZ4 | Codec::LZ4_COLUMNS => self.stored_length < self.raw_length,
            _ => true,
        };
        if !fits {
            let expected = "the raw length, or less when compressed";
            return bad(36, "stored length", self.stored_length.into(), expected);
        }
        Ok(())
    }

    /// The bytes as they are in the tape.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::LENGTH] {
        let mut bytes = [0; Self::LENGTH];
        let mut at = 0;
        let mut put = |field: &[u8]| {
            bytes[at..at + field.len()].copy_from_slice(field);
            at += field.len();
        };
        put(&SYNC);
        put(&self.tape_id.to_le_bytes());
        put(&self.sequence.to_le_bytes());
        put(&[self.kind.0, self.flags.0, self.codec.0, self.reserved]);
        put(&self.stream.to_le_bytes());
        put(&self.views.bits().to_le_bytes());
        put(&self.tick_count.to_le_bytes());
        put(&self.first_tick.0.to_le_bytes());
        put(&self.raw_length.to_le_bytes());
        put(&self.stored_length.to_le_bytes());
        put(&self.detail.to_le_bytes());
        put(&self.check.to_le_bytes());
        let check = check32(&bytes[..52]);
        bytes[52..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// The header as part of a page.
    pub(crate) fn write(&self, w: &mut Writer) {
        w.bytes(&self.to_bytes());
    }
}
