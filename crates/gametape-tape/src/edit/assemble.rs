//! Where every chunk of a finished tape goes, and the index that says so.

use std::ops::Range;

use gametape_wire::{Arrange, Error, Result, Writer};

use crate::check::chain::Hash;
use crate::index::footer::{FooterWriter, IndexCodec};
use crate::index::summary::{PageRow, Summary};
use crate::index::table::{ChunkEntry, KeyframeIndex, KeyframeIndexEntry};
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::kind::ChunkKind;
use crate::layout::tape_header::TapeHeader;
use crate::limits::KEYFRAME_PAGE;

/// A part of a tape that is made of another one. Whoever writes the tape must know every kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// These bytes.
    Bytes(Vec<u8>),
    /// These bytes of the old tape.
    Copy(Range<u64>),
}

impl Segment {
    /// How many bytes it has.
    #[must_use]
    pub fn length(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Copy(range) => range.end - range.start,
        }
    }
}

/// The tape that segments of the tape in `bytes` make.
pub(crate) fn join(segments: Vec<Segment>, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut joined = Vec::new();
    for segment in segments {
        match segment {
            Segment::Bytes(own) => joined.extend(own),
            Segment::Copy(range) => {
                let index = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
                let part = bytes.get(index(range.start)..index(range.end));
                joined.extend_from_slice(part.ok_or_else(|| {
                    Error::misuse("tape", "its index names chunks after its end")
                })?);
            }
        }
    }
    Ok(joined)
}

/// The order of chunks in a packed tape: group, order within the group, sequence number.
pub(crate) fn packed_order(header: &ChunkHeader) -> (u8, u64, u32) {
    let group = match header.kind {
        ChunkKind::METADATA => 0,
        ChunkKind::SETUP => 1,
        ChunkKind::NAMES => 2,
        ChunkKind::FULL_KEYFRAME | ChunkKind::DELTA_KEYFRAME => 3,
        ChunkKind::ORDERS => 4,
        ChunkKind::FRAMES => 5,
        ChunkKind::EVENTS => 6,
        ChunkKind::RESOURCE => 7,
        ChunkKind::GAP => 8,
        ChunkKind::SIGNATURE => 10,
        _ => 9,
    };
    let within = match group {
        3 => header.first_tick.0,
        9 => header.kind.0.into(),
        _ => 0,
    };
    (group, within, header.sequence)
}

/// Every byte of a finished tape but those of its chunks.
#[derive(Debug)]
pub(crate) struct Assembly {
    header: TapeHeader,
    /// The chunks at their new offsets, in the order of the tape.
    pub(crate) chunks: Vec<ChunkEntry>,
    /// Where each of them was before.
    old: Vec<u64>,
    /// How many chunks come before the keyframe pages of a packed tape.
    metadata: usize,
    /// The keyframe pages of a packed tape and where they begin.
    pub(crate) pages: (u64, Vec<u8>),
    /// Everything after the last chunk, and where that begins.
    pub(crate) footer: (u64, Vec<u8>),
}

impl Assembly {
    /// A tape of these chunks, which ascend by sequence number, in the form of a recording.
    pub(crate) fn recording(
        header: TapeHeader,
        chunks: &[ChunkEntry],
        chain_head: Hash,
        codec: IndexCodec,
    ) -> Result<Self> {
        let mut at = TapeHeader::LENGTH as u64;
        let moved: Vec<ChunkEntry> = chunks.iter().map(|chunk| moved_to(chunk, &mut at)).collect();
        let mut out = Writer::with_base(at);
        let summary = Summary::of(header, &moved, chain_head);
        FooterWriter::new(header, count(chunks), &mut out, codec).recording(&moved, summary)?;
        Ok(Self {
            header,
            metadata: moved.len(),
            chunks: moved,
            old: chunks.iter().map(|chunk| chunk.offset).collect(),
            pages: (at, Vec::new()),
            footer: (at, out.into_bytes()),
        })
    }

    /// A tape of these chunks, which ascend by sequence number, in the packed form.
    pub(crate) fn packed(
        header: TapeHeader,
        chunks: &[ChunkEntry],
        chain_head: Hash,
        codec: IndexCodec,
    ) -> Result<Self> {
        let mut order: Vec<&ChunkEntry> = chunks.iter().collect();
        order.arrange_by_key(|chunk| packed_order(&chunk.header));
        let packing = Packing::new(&order);
        let mut pages = Writer::with_base(packing.pages_start);
        let rows = FooterWriter::new(header, count(chunks), &mut pages, codec)
            .keyframes(&packing.keyframes)?;
        let footer = packing.footer(header, chain_head, codec, rows)?;
        Ok(Self {
            header,
            metadata: packing.metadata,
            old: order.iter().map(|chunk| chunk.offset).collect(),
            pages: (packing.pages_start, pages.into_bytes()),
            footer: (packing.end, footer),
            chunks: packing.moved,
        })
    }

    /// How long the tape is.
    pub(crate) fn length(&self) -> u64 {
        self.footer.0 + self.footer.1.len() as u64
    }

    /// What to write, and what to copy from the old tape. A chunk that is not in it yet is `added`:
    /// its sequence number and all its bytes.
    pub(crate) fn segments(self, added: Option<(u32, &[u8])>) -> Vec<Segment> {
        let mut segments = vec![Segment::Bytes(self.header.to_bytes().to_vec())];
        for (index, (chunk, old)) in self.chunks.iter().zip(&self.old).enumerate() {
            if index == self.metadata {
                segments.push(Segment::Bytes(self.pages.1.clone()));
            }
            match &added {
                Some((sequence, bytes)) if *sequence == chunk.header.sequence => {
                    segments.push(Segment::Bytes(bytes.to_vec()));
                }
                _ => copy(&mut segments, *old..*old + chunk.header.chunk_length()),
            }
        }
        segments.push(Segment::Bytes(self.footer.1));
        segments
    }
}

fn count(chunks: &[ChunkEntry]) -> u32 {
    chunks.len() as u32
}

fn moved_to(chunk: &ChunkEntry, at: &mut u64) -> ChunkEntry {
    let offset = *at;
    *at += chunk.header.chunk_length();
    ChunkEntry { offset, ..*chunk }
}

/// Copies a range, in one piece with the one before it where they touch.
fn copy(segments: &mut Vec<Segment>, range: Range<u64>) {
    match segments.last_mut() {
        Some(Segment::Copy(last)) if last.end == range.start => last.end = range.end,
        _ => segments.push(Segment::Copy(range)),
    }
}

/// The packed order with room for the keyframe pages.
struct Packing {
    /// How many metadata chunks come first.
    metadata: usize,
    pages_start: u64,
    keyframes: KeyframeIndex,
    /// The chunks at their new offsets, in the new order.
    moved: Vec<ChunkEntry>,
    end: u64,
}

impl Packing {
    fn new(order: &[&ChunkEntry]) -> Self {
        let is_metadata = |chunk: &&&ChunkEntry| chunk.header.kind == ChunkKind::METADATA;
        let metadata = order.iter().take_while(is_metadata).count();
        let keyframes = order.iter().filter(|chunk| chunk.header.kind.is_keyframe()).count();
        let mut pages = keyframes.div_ceil(KEYFRAME_PAGE);
        loop {
            let packing = Self::with_pages(order, metadata, keyframes, pages);
            let needed = packing.keyframes.page_count();
            if needed == pages {
                return packing;
            }
            // More pages only where offsets do not fit in 32 bits, so this ends.
            pages = needed.max(pages + 1);
        }
    }

    fn with_pages(order: &[&ChunkEntry], metadata: usize, keyframes: usize, pages: usize) -> Self {
        let pages_length =
            (pages * (ChunkHeader::LENGTH + 8) + keyframes * KeyframeIndexEntry::LENGTH) as u64;
        let mut at = TapeHeader::LENGTH as u64;
        let (first, rest) = order.split_at(metadata);
        let mut moved: Vec<ChunkEntry> =
            first.iter().map(|chunk| moved_to(chunk, &mut at)).collect();
        let pages_start = at;
        at += pages_length;
        moved.extend(rest.iter().map(|chunk| moved_to(chunk, &mut at)));
        let keyframes = KeyframeIndex::of(&moved, Some(pages_start + pages_length));
        Self { metadata, pages_start, keyframes, moved, end: at }
    }

    fn footer(
        &self,
        header: TapeHeader,
        chain_head: Hash,
        codec: IndexCodec,
        keyframe_rows: Vec<PageRow>,
    ) -> Result<Vec<u8>> {
        let mut chunks = self.moved.clone();
        chunks.arrange_by_key(|chunk| chunk.header.sequence);
        let mut out = Writer::with_base(self.end);
        let mut footer = FooterWriter::new(header, count(&chunks), &mut out, codec);
        let mut summary = Summary::of(header, &chunks, chain_head);
        summary.packed = true;
        summary.pages = footer.table(&chunks)?;
        summary.pages.extend(keyframe_rows);
        footer.end(&summary)?;
        Ok(out.into_bytes())
    }
}
