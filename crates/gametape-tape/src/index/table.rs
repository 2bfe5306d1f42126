//! The index: every chunk by sequence number, every keyframe by tick.

use std::ops::Range;

use gametape_wire::{Arrange, Error, ErrorKind, Limit, Reader, Result, Tick, ViewSet, Writer};

use crate::layout::chunk::Chunk;
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::kind::ChunkKind;
use crate::limits::{KEYFRAME_PAGE, TABLE_PAGE, TAPE_BYTES};

/// One chunk of the table: where it is, and its header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChunkEntry {
    /// Where the header begins in the tape.
    pub offset: u64,
    /// The header that is there.
    pub header: ChunkHeader,
}

impl ChunkEntry {
    /// Length in a table page.
    pub(crate) const LENGTH: usize = 8 + ChunkHeader::LENGTH;

    /// The bytes of the chunk, header included: what to ask for to read it.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        self.offset..self.offset + self.header.chunk_length()
    }

    /// Metadata that was written at the end?
    #[must_use]
    pub fn is_closing_metadata(&self) -> bool {
        self.header.kind == ChunkKind::METADATA && self.header.stream == 1
    }

    /// The chunk, from the bytes of its [range](Self::range).
    pub fn read<'a>(&self, bytes: &'a [u8]) -> Result<Chunk<'a>> {
        let chunk = Chunk::read(bytes, self.offset)?;
        if chunk.header == self.header {
            return Ok(chunk);
        }
        let kind = ErrorKind::BadSyntax { problem: "not the chunk that the index names".into() };
        Err(Error::at(self.offset, self.header.kind.to_string(), kind))
    }

    pub(crate) fn write(&self, w: &mut Writer) {
        w.u64_le(self.offset);
        self.header.write(w);
    }
}

impl From<&Chunk<'_>> for ChunkEntry {
    fn from(chunk: &Chunk<'_>) -> Self {
        Self { offset: chunk.offset, header: chunk.header }
    }
}

/// The ticks that chunks say something about; `0..0` if none does.
pub(crate) fn tick_span(chunks: &[ChunkEntry]) -> Range<Tick> {
    let timed = || chunks.iter().map(|chunk| &chunk.header).filter(|h| h.kind.has_ticks());
    let first = timed().map(|header| header.first_tick).min().unwrap_or_default();
    first..timed().map(ChunkHeader::end_tick).max().unwrap_or_default()
}

/// The entries of a table page, from the raw bytes of its chunk.
pub(crate) fn read_table_page(chunk: &Chunk<'_>) -> Result<Vec<ChunkEntry>> {
    const ENTRIES: Limit = Limit::new("entries of a table page", TABLE_PAGE as u64);
    let raw = chunk.raw()?;
    let (rows, rest) = raw.as_chunks::<{ ChunkEntry::LENGTH }>();
    Reader::with_base(rest, chunk.offset).finish("table page")?;
    ENTRIES.check(rows.len() as u64, chunk.offset)?;
    rows.iter()
        .map(|row| {
            let mut r = Reader::with_base(row, chunk.offset);
            let offset = TAPE_BYTES.check(r.u64_le("table page")?, chunk.offset)?;
            Ok(ChunkEntry { offset, header: ChunkHeader::read(&r.array("table page")?, offset)? })
        })
        .collect()
}

/// Where a keyframe is, and what it takes to use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyframeIndexEntry {
    /// Tick this keyframe was captured at.
    pub tick: Tick,
    /// From the base of its page to its stored bytes.
    pub blob_offset: u32,
    /// Stored length.
    pub blob_length: u32,
    /// Raw length.
    pub uncompressed_length: u32,
    /// Ticks back to the baseline; 0 for a full keyframe.
    pub baseline_distance: u32,
    /// Which run of keyframes.
    pub stream: u16,
    /// Who may know it.
    pub views: ViewSet,
    /// A snapshot, not a delta?
    pub is_full: bool,
}

impl KeyframeIndexEntry {
    /// Length in a keyframe page.
    pub const LENGTH: usize = 32;

    /// The entry of a keyframe's chunk, `None` when it is too far from `base`.
    fn of(chunk: &ChunkEntry, base: u64) -> Option<Self> {
        let header = &chunk.header;
        let blob = (chunk.offset + ChunkHeader::LENGTH as u64).checked_sub(base)?;
        let is_full = header.kind == ChunkKind::FULL_KEYFRAME;
        Some(Self {
            tick: header.first_tick,
            blob_offset: u32::try_from(blob).ok()?,
            blob_length: header.stored_length,
            uncompressed_length: header.raw_length,
            baseline_distance: if is_full { 0 } else { header.detail },
            stream: header.stream,
            views: header.views,
            is_full,
        })
    }

    /// The tick of the baseline of a delta.
    #[must_use]
    pub fn baseline_tick(&self) -> Option<Tick> {
        if self.is_full { None } else { self.tick.checked_sub(self.baseline_distance.into()) }
    }

    fn read(row: &[u8; Self::LENGTH], offset: u64) -> Result<Self> {
        const ITEM: &str = "keyframe index";
        let mut r = Reader::with_base(row, offset);
        let entry = Self {
            tick: Tick(r.u64_le(ITEM)?),
            blob_offset: r.u32_le(ITEM)?,
            blob_length: r.u32_le(ITEM)?,
            uncompressed_length: r.u32_le(ITEM)?,
            baseline_distance: r.u32_le(ITEM)?,
            stream: r.u16_le(ITEM)?,
            views: ViewSet::from_bits(r.u16_le(ITEM)?),
            is_full: row[28] == 1,
        };
        if row[28] > 1 {
            let kind = ErrorKind::BadValue { found: row[28].into(), expected: "0 or 1" };
            return Err(Error::at(offset + 28, "is_full", kind));
        }
        Ok(entry)
    }

    fn write(&self, w: &mut Writer) {
        w.u64_le(self.tick.0).u32_le(self.blob_offset).u32_le(self.blob_length);
        w.u32_le(self.uncompressed_length).u32_le(self.baseline_distance);
        w.u16_le(self.stream).u16_le(self.views.bits()).u8(self.is_full.into()).bytes(&[0; 3]);
    }
}

/// All keyframes, ascending by tick.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyframeIndex {
    entries: Vec<KeyframeIndexEntry>,
    /// Where each page begins in `entries`, and its base.
    pages: Vec<(usize, u64)>,
}

impl KeyframeIndex {
    /// The index of the keyframes among `chunks`; offsets count from `base`, or from the first
    /// keyframe of a page where there is none.
    #[must_use]
    pub fn of<'a>(chunks: impl IntoIterator<Item = &'a ChunkEntry>, base: Option<u64>) -> Self {
        let mut keyframes: Vec<&ChunkEntry> =
            chunks.into_iter().filter(|chunk| chunk.header.kind.is_keyframe()).collect();
        keyframes.arrange_by_key(|chunk| (chunk.header.first_tick, chunk.header.sequence));
        let mut index = Self::default();
        for chunk in keyframes {
            let entry = index.open_page_for(chunk).unwrap_or_else(|| {
                let base = base.filter(|_| index.pages.is_empty()).unwrap_or(chunk.offset);
                index.pages.push((index.entries.len(), base));
                KeyframeIndexEntry::of(chunk, base)
            });
            index.entries.extend(entry);
        }
        index
    }

    /// Adds a keyframe that was written after all others. One of an earlier tick is left out.
    pub(crate) fn push(&mut self, chunk: &ChunkEntry) {
        let is_later = |last: &KeyframeIndexEntry| last.tick <= chunk.header.first_tick;
        if !chunk.header.kind.is_keyframe() || !self.entries.last().is_none_or(is_later) {
            return;
        }
        let entry = self.open_page_for(chunk).unwrap_or_else(|| {
            self.pages.push((self.entries.len(), chunk.offset));
            KeyframeIndexEntry::of(chunk, chunk.offset)
        });
        self.entries.extend(entry);
    }

    /// The entry as part of the last page; `None` when that is full or too far away.
    fn open_page_for(&self, chunk: &ChunkEntry) -> Option<Option<KeyframeIndexEntry>> {
        let &(first, base) = self.pages.last()?;
        let is_full = self.entries.len() - first >= KEYFRAME_PAGE;
        let entry = KeyframeIndexEntry::of(chunk, base).filter(|_| !is_full)?;
        Some(Some(entry))
    }

    /// The keyframes, ascending by tick.
    #[must_use]
    pub fn entries(&self) -> &[KeyframeIndexEntry] {
        &self.entries
    }

    /// The bytes of the keyframe at `index`, header included: what to ask for to read it.
    #[must_use]
    pub fn chunk_range(&self, index: usize) -> Option<Range<u64>> {
        let entry = self.entries.get(index)?;
        let page = self.pages.partition_point(|&(first, _)| first <= index).checked_sub(1)?;
        let blob = self.pages[page].1 + u64::from(entry.blob_offset);
        let start = blob.checked_sub(ChunkHeader::LENGTH as u64)?;
        Some(start..blob + u64::from(entry.blob_length))
    }

    /// The number of the last keyframe at or before `tick` that `wanted` accepts.
    pub fn find(
        &self,
        tick: Tick,
        mut wanted: impl FnMut(&KeyframeIndexEntry) -> bool,
    ) -> Option<usize> {
        let end = self.entries.partition_point(|entry| entry.tick <= tick);
        (0..end).rev().find(|&index| wanted(&self.entries[index]))
    }

    /// How many pages it takes.
    pub(crate) fn page_count(&self) -> usize {
        self.pages.len()
    }

    /// Does it name the same keyframes at the same offsets, whatever the bases?
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let named = |table: &Self, at: usize| {
            let entry = KeyframeIndexEntry { blob_offset: 0, ..table.entries[at] };
            (entry, table.chunk_range(at))
        };
        self.entries.len() == other.entries.len()
            && (0..self.entries.len()).all(|at| named(self, at) == named(other, at))
    }

    /// The pages as their raw bytes.
    pub(crate) fn page_bytes(&self) -> impl Iterator<Item = (&[KeyframeIndexEntry], Vec<u8>)> {
        (0..self.pages.len()).map(|page| {
            let (first, base) = self.pages[page];
            let end = self.pages.get(page + 1).map_or(self.entries.len(), |&(next, _)| next);
            let entries = &self.entries[first..end];
            let mut w = Writer::new();
            w.u64_le(base);
            entries.iter().for_each(|entry| entry.write(&mut w));
            (entries, w.into_bytes())
        })
    }

    /// Adds a page from its chunk.
    pub(crate) fn add_page(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        const ENTRIES: Limit = Limit::new("entries of a keyframe page", KEYFRAME_PAGE as u64);
        let raw = chunk.raw()?;
        let mut r = Reader::with_base(&raw, chunk.payload_offset());
        let base = TAPE_BYTES.check(r.u64_le("keyframe index")?, r.offset())?;
        let offset = r.offset();
        let (rows, rest) = r.rest().as_chunks::<{ KeyframeIndexEntry::LENGTH }>();
        Reader::with_base(rest, offset).finish("keyframe index")?;
        ENTRIES.check(rows.len() as u64, offset)?;
        self.pages.push((self.entries.len(), base));
        for row in rows {
            let entry = KeyframeIndexEntry::read(row, offset)?;
            if self.entries.last().is_some_and(|last| last.tick > entry.tick) {
                let problem = "ticks do not ascend".into();
                return Err(Error::at(offset, "keyframe index", ErrorKind::BadSyntax { problem }));
            }
            self.entries.push(entry);
        }
        Ok(())
    }
}
