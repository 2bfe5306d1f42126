//! Writing the index: pages, summary and trailer.

use gametape_wire::{Result, Tick, ViewSet, Writer};

use crate::index::summary::{PageRow, Summary};
use crate::index::table::{ChunkEntry, KeyframeIndex, KeyframeIndexEntry, tick_span};
use crate::layout::chunk::Compressor;
use crate::layout::kind::{ChunkKind, Codec};
use crate::layout::tape_header::TapeHeader;
use crate::layout::trailer::Trailer;
use crate::limits::{PAGES, TABLE_PAGE, TAPE_BYTES};
use crate::write::draft::{ChunkDraft, put_chunk};

/// How index chunks are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexCodec {
    /// Compressed where that makes them smaller.
    Smallest,
    /// As they are, so that every byte follows from the chunks: the form of a signed tape.
    Raw,
}

impl IndexCodec {
    /// How the index of these chunks is stored, which ascend by sequence number.
    pub(crate) fn of(chunks: &[ChunkEntry]) -> Self {
        let is_signed = chunks.last().is_some_and(|last| last.header.kind == ChunkKind::SIGNATURE);
        if is_signed { Self::Raw } else { Self::Smallest }
    }
}

/// The stream of the summary among the index chunks.
pub(crate) const SUMMARY_STREAM: u16 = 0;

/// Writes index chunks after the counted chunks.
pub(crate) struct FooterWriter<'a> {
    pub(crate) header: TapeHeader,
    /// How many chunks were counted.
    pub(crate) count: u32,
    pub(crate) out: &'a mut Writer,
    codec: IndexCodec,
    compressor: Compressor,
}

impl<'a> FooterWriter<'a> {
    pub(crate) fn new(
        header: TapeHeader,
        count: u32,
        out: &'a mut Writer,
        codec: IndexCodec,
    ) -> Self {
        Self { header, count, out, codec, compressor: Compressor::default() }
    }

    /// Everything after the last counted chunk of a recording.
    pub(crate) fn recording(&mut self, chunks: &[ChunkEntry], mut summary: Summary) -> Result<()> {
        summary.pages = self.table(chunks)?;
        summary.pages.extend(self.keyframes(&KeyframeIndex::of(chunks, None))?);
        self.end(&summary)
    }

    /// The table pages; `chunks` ascend by sequence number.
    pub(crate) fn table(&mut self, chunks: &[ChunkEntry]) -> Result<Vec<PageRow>> {
        chunks.chunks(TABLE_PAGE).map(|page| self.table_page(page)).collect()
    }

    fn table_page(&mut self, page: &[ChunkEntry]) -> Result<PageRow> {
        let mut raw = Writer::new();
        page.iter().for_each(|entry| entry.write(&mut raw));
        let draft = self.draft(PageRow::TABLE, tick_span(page), page.len());
        self.page(draft, raw.as_bytes(), Codec::LZ4)
    }

    /// The keyframe pages.
    pub(crate) fn keyframes(&mut self, index: &KeyframeIndex) -> Result<Vec<PageRow>> {
        index.page_bytes().map(|(entries, raw)| self.keyframe_page(entries, &raw)).collect()
    }

    fn keyframe_page(&mut self, page: &[KeyframeIndexEntry], raw: &[u8]) -> Result<PageRow> {
        let first = page.first().map_or(Tick::ZERO, |entry| entry.tick);
        let end = page.last().map_or(Tick::ZERO, |entry| entry.tick);
        let draft = self.draft(PageRow::KEYFRAMES, first..end, page.len());
        self.page(draft, raw, Codec::RAW)
    }

    fn draft(&self, stream: u16, ticks: std::ops::Range<Tick>, entries: usize) -> ChunkDraft {
        ChunkDraft {
            stream,
            views: ViewSet::ALL,
            first_tick: ticks.start,
            tick_count: u32::try_from(ticks.end.since(ticks.start)).unwrap_or(u32::MAX),
            detail: entries as u32,
            ..ChunkDraft::new(ChunkKind::INDEX)
        }
    }

    fn page(&mut self, draft: ChunkDraft, raw: &[u8], codec: Codec) -> Result<PageRow> {
        let start = self.out.offset();
        let (codec, stored) = match (codec, self.codec) {
            (Codec::LZ4, IndexCodec::Smallest) => self.compressor.pack(raw),
            _ => (Codec::RAW, raw),
        };
        let header = draft.header(self.header.tape_id, self.count, codec, raw.len(), stored)?;
        put_chunk(self.out, &header, stored);
        Ok(PageRow {
            stream: draft.stream,
            range: start..self.out.offset(),
            first_tick: draft.first_tick,
            tick_count: draft.tick_count,
            entries: draft.detail,
        })
    }

    /// Summary and trailer.
    pub(crate) fn end(&mut self, summary: &Summary) -> Result<()> {
        PAGES.check(summary.pages.len() as u64, self.out.offset())?;
        let draft = self.draft(SUMMARY_STREAM, Tick::ZERO..Tick::ZERO, 1);
        let row = self.page(draft, &summary.to_bytes(), Codec::LZ4)?;
        let trailer = Trailer {
            summary_offset: row.range.start,
            summary_length: (row.range.end - row.range.start) as u32,
            tape_id: self.header.tape_id,
        };
        trailer.write(self.out);
        TAPE_BYTES.check(self.out.offset(), self.out.offset())?;
        Ok(())
    }
}
