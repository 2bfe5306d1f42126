//! The summary: what a tape contains, in a few KiB.

use std::collections::BTreeMap;
use std::ops::Range;

use gametape_wire::{Error, ErrorKind, Reader, Result, Tick, ViewSet, Writer};

use crate::check::chain::Hash;
use crate::index::table::{ChunkEntry, tick_span};
use crate::layout::kind::{ChunkKind, Flags};
use crate::layout::tape_header::TapeHeader;
use crate::limits::{CHUNK_BYTES, CHUNKS, PAGES, TAPE_BYTES};

/// What a tape contains.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// The header, again.
    pub header: TapeHeader,
    /// Counted chunks.
    pub chunk_count: u32,
    /// The first tick of anything that has ticks; 0 if nothing has.
    pub first_tick: Tick,
    /// One more than the last tick.
    pub end_tick: Tick,
    /// The chain's end over all counted chunks.
    pub chain_head: Hash,
    /// Where the closing metadata chunk is.
    pub closing: Option<Range<u64>>,
    /// Views that some chunk is for; chunks for everybody do not count.
    pub views: ViewSet,
    /// In the packed form?
    pub packed: bool,
    /// What there is of each kind, ascending.
    pub kinds: Vec<KindSummary>,
    /// The pages of the index: table pages, then keyframe pages.
    pub pages: Vec<PageRow>,
}

/// What there is of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct KindSummary {
    /// Of which kind.
    pub kind: ChunkKind,
    /// How many chunks.
    pub chunks: u32,
    /// Their raw bytes.
    pub raw_bytes: u64,
    /// Their stored bytes.
    pub stored_bytes: u64,
    /// Frames, events or strings in them.
    pub items: u64,
}

/// Where a page of the index is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageRow {
    /// Which pages: [`TABLE`](Self::TABLE) or [`KEYFRAMES`](Self::KEYFRAMES).
    pub stream: u16,
    /// The page's whole chunk.
    pub range: Range<u64>,
    /// First tick of its entries.
    pub first_tick: Tick,
    /// Ticks that its entries span.
    pub tick_count: u32,
    /// How many entries.
    pub entries: u32,
}

impl PageRow {
    /// Pages of the chunk table.
    pub const TABLE: u16 = 1;
    /// Pages of the keyframe index.
    pub const KEYFRAMES: u16 = 2;

    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let offset = TAPE_BYTES.check(r.u64_le("page row")?, r.offset())?;
        let (first_tick, tick_count) = (Tick(r.u64_le("page row")?), r.u32_le("page row")?);
        let length = r.u32_le("page row")?;
        let entries = r.u32_le("page row")?;
        let stream = r.u16_le("page row")?;
        r.take(2, "page row")?;
        Ok(Self {
            stream,
            range: offset..offset + u64::from(length),
            first_tick,
            tick_count,
            entries,
        })
    }

    fn write(&self, w: &mut Writer) {
        w.u64_le(self.range.start).u64_le(self.first_tick.0).u32_le(self.tick_count);
        w.u32_le((self.range.end - self.range.start) as u32).u32_le(self.entries);
        w.u16_le(self.stream).u16_le(0);
    }
}

impl KindSummary {
    fn read(r: &mut Reader<'_>) -> Result<Self> {
        let kind = ChunkKind(r.u8("kind row")?);
        r.take(3, "kind row")?;
        let chunks = r.u32_le("kind row")?;
        let mut number = || r.u64_le("kind row");
        Ok(Self { kind, chunks, raw_bytes: number()?, stored_bytes: number()?, items: number()? })
    }

    fn write(&self, w: &mut Writer) {
        w.u8(self.kind.0).bytes(&[0; 3]).u32_le(self.chunks);
        w.u64_le(self.raw_bytes).u64_le(self.stored_bytes).u64_le(self.items);
    }
}

impl Summary {
    /// A summary of these chunks; pages are added when they are written.
    #[must_use]
    pub fn of(header: TapeHeader, chunks: &[ChunkEntry], chain_head: Hash) -> Self {
        let ticks = tick_span(chunks);
        let closing = chunks.iter().rev().find(|chunk| chunk.is_closing_metadata());
        let seen = chunks.iter().map(|chunk| &chunk.header);
        let seen = seen.filter(|h| h.views != ViewSet::ALL || h.flags.has(Flags::PARTS));
        Self {
            header,
            chunk_count: chunks.len() as u32,
            first_tick: ticks.start,
            end_tick: ticks.end,
            chain_head,
            closing: closing.map(ChunkEntry::range),
            views: seen.fold(ViewSet::EMPTY, |views, header| views.or(header.views)),
            packed: false,
            kinds: kinds_of(chunks),
            pages: Vec::new(),
        }
    }

    /// What there is of `kind`.
    #[must_use]
    pub fn kind(&self, kind: ChunkKind) -> Option<&KindSummary> {
        self.kinds.iter().find(|row| row.kind == kind)
    }

    /// The summary in the raw bytes of its chunk; `offset` is only for errors.
    pub fn read(raw: &[u8], offset: u64) -> Result<Self> {
        const ITEM: &str = "summary";
        let mut r = Reader::with_base(raw, offset);
        let header = TapeHeader::read(r.take(TapeHeader::LENGTH, ITEM)?)?;
        let chunk_count = CHUNKS.check(r.u32_le(ITEM)?.into(), r.offset())? as u32;
        let (kinds, pages) = (r.u16_le(ITEM)?, r.u16_le(ITEM)?);
        PAGES.check(pages.into(), r.offset())?;
        let (first_tick, end_tick) = (Tick(r.u64_le(ITEM)?), Tick(r.u64_le(ITEM)?));
        let chain_head = r.array(ITEM)?;
        let closing = TAPE_BYTES.check(r.u64_le(ITEM)?, r.offset())?;
        let closing_length = u64::from(r.u32_le(ITEM)?);
        let views = ViewSet::from_bits(r.u16_le(ITEM)?);
        let packed = read_form(&mut r)?;
        let kinds = (0..kinds).map(|_| KindSummary::read(&mut r)).collect::<Result<_>>()?;
        let pages = (0..pages).map(|_| PageRow::read(&mut r)).collect::<Result<_>>()?;
        r.finish(ITEM)?;
        Ok(Self {
            header,
            chunk_count,
            first_tick,
            end_tick,
            chain_head,
            closing: (closing != 0).then_some(closing..closing + closing_length),
            views,
            packed,
            kinds,
            pages,
        })
    }

    /// The raw bytes of the summary's chunk.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new();
        let closing = self.closing.clone().unwrap_or(0..0);
        w.bytes(&self.header.to_bytes()).u32_le(self.chunk_count);
        w.u16_le(self.kinds.len() as u16).u16_le(self.pages.len() as u16);
        w.u64_le(self.first_tick.0).u64_le(self.end_tick.0).bytes(&self.chain_head);
        w.u64_le(closing.start).u32_le((closing.end - closing.start) as u32);
        w.u16_le(self.views.bits()).u16_le(self.packed.into());
        self.kinds.iter().for_each(|row| row.write(&mut w));
        self.pages.iter().for_each(|row| row.write(&mut w));
        w.into_bytes()
    }

    /// Does the closing metadata fit into what a chunk may be?
    pub(crate) fn check_ranges(&self, end: u64) -> Result<()> {
        let pages = self.pages.iter().map(|page| &page.range);
        for range in pages.chain(&self.closing) {
            if range.end > end {
                let available = end.saturating_sub(range.start);
                let needed = range.end - range.start;
                let kind = ErrorKind::Truncated { needed, available };
                return Err(Error::at(range.start, "part of the index", kind));
            }
            CHUNK_BYTES.check(range.end - range.start, range.start)?;
        }
        Ok(())
    }
}

fn read_form(r: &mut Reader<'_>) -> Result<bool> {
    let offset = r.offset();
    match r.u16_le("form of the tape")? {
        0 => Ok(false),
        1 => Ok(true),
        code => {
            let kind = ErrorKind::Unknown { code: code.into() };
            Err(Error::at(offset, "form of the tape", kind))
        }
    }
}

fn kinds_of(chunks: &[ChunkEntry]) -> Vec<KindSummary> {
    let mut rows = BTreeMap::new();
    for header in chunks.iter().map(|chunk| &chunk.header) {
        let kind = header.kind;
        let empty = KindSummary { kind, chunks: 0, raw_bytes: 0, stored_bytes: 0, items: 0 };
        let row = rows.entry(kind).or_insert(empty);
        row.chunks += 1;
        row.raw_bytes += u64::from(header.raw_length);
        row.stored_bytes += u64::from(header.stored_length);
        if kind != ChunkKind::DELTA_KEYFRAME {
            row.items += u64::from(header.detail);
        }
    }
    rows.into_values().collect()
}
