//! The packed form: the same chunks in another order, for archives and range requests.

use std::ops::Range;

use gametape_wire::{Error, Result, Writer};

use crate::footer::FooterWriter;
use crate::header::ChunkHeader;
use crate::index::{ChunkEntry, KeyframeIndex, KeyframeIndexEntry};
use crate::kind::ChunkKind;
use crate::limits::KEYFRAME_PAGE;
use crate::summary::{PageRow, Summary};
use crate::tape::Tape;

/// A part of a packed tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// These bytes.
    Bytes(Vec<u8>),
    /// These bytes of the tape that is packed.
    Copy(Range<u64>),
}

/// Where a chunk stands in a packed tape: its group, and its place in the group.
pub(crate) fn packed_place(header: &ChunkHeader) -> (u8, u64, u32) {
    let group = match header.kind {
        ChunkKind::METADATA => 0,
        ChunkKind::FULL_KEYFRAME | ChunkKind::DELTA_KEYFRAME => 1,
        ChunkKind::SETUP => 2,
        ChunkKind::NAMES => 3,
        ChunkKind::ORDERS => 4,
        ChunkKind::FRAMES => 5,
        ChunkKind::EVENTS => 6,
        ChunkKind::RESOURCE => 7,
        ChunkKind::GAP => 8,
        ChunkKind::SIGNATURE => 10,
        _ => 9,
    };
    let place = match group {
        1 => header.first_tick,
        9 => header.kind.0.into(),
        _ => 0,
    };
    (group, place, header.sequence)
}

/// What to write, and what to copy, to pack a tape that was opened with its whole index.
///
/// Every counted chunk keeps its bytes: chain and signatures stay valid.
pub fn pack(tape: &Tape) -> Result<Vec<Segment>> {
    if !tape.is_finished() || tape.chunks.len() != tape.summary.chunk_count as usize {
        let problem = "it needs a finished tape, opened with its whole index";
        return Err(Error::misuse("packing", problem));
    }
    let mut order: Vec<&ChunkEntry> = tape.chunks.iter().collect();
    order.sort_by_key(|chunk| packed_place(&chunk.header));
    let layout = Layout::new(&order);
    let front = tape.front.to_bytes().to_vec();
    let (metadata, rest) = order.split_at(layout.metadata);
    let mut segments = vec![Segment::Bytes(front)];
    copy(&mut segments, metadata);
    let mut pages = Writer::with_base(layout.pages_start);
    let count = tape.chunks.len() as u32;
    let keyframe_rows =
        FooterWriter::new(tape.front, count, &mut pages).keyframes(&layout.keyframes)?;
    segments.push(Segment::Bytes(pages.into_bytes()));
    copy(&mut segments, rest);
    segments.push(Segment::Bytes(footer(tape, &layout, keyframe_rows)?));
    Ok(segments)
}

/// Packs the tape in `bytes`.
pub fn pack_bytes(bytes: &[u8]) -> Result<Vec<u8>> {
    let tape = Tape::open(bytes)?;
    let mut packed = Vec::with_capacity(bytes.len());
    for segment in pack(&tape)? {
        match segment {
            Segment::Bytes(own) => packed.extend(own),
            Segment::Copy(range) => {
                let part = bytes.get(range.start as usize..range.end as usize);
                packed.extend_from_slice(part.ok_or_else(|| {
                    Error::misuse("packing", "the index names chunks behind the end")
                })?);
            }
        }
    }
    Ok(packed)
}

/// Where everything will stand.
struct Layout {
    /// How many metadata chunks come first.
    metadata: usize,
    pages_start: u64,
    keyframes: KeyframeIndex,
    /// The chunks at their new places, in the new order.
    moved: Vec<ChunkEntry>,
    end: u64,
}

impl Layout {
    fn new(order: &[&ChunkEntry]) -> Self {
        let is_metadata = |chunk: &&&ChunkEntry| chunk.header.kind == ChunkKind::METADATA;
        let metadata = order.iter().take_while(is_metadata).count();
        let keyframes = order.iter().filter(|chunk| chunk.header.kind.is_keyframe()).count();
        let mut pages = keyframes.div_ceil(KEYFRAME_PAGE);
        loop {
            let layout = Self::with_pages(order, metadata, keyframes, pages);
            let needed = layout.keyframes.page_count();
            if needed == pages {
                return layout;
            }
            // More pages only where offsets do not fit in 32 bits, so this ends.
            pages = needed.max(pages + 1);
        }
    }

    fn with_pages(order: &[&ChunkEntry], metadata: usize, keyframes: usize, pages: usize) -> Self {
        let mut at = crate::TapeHeader::LENGTH as u64;
        let mut moved = Vec::with_capacity(order.len());
        let mut pages_start = at;
        let pages_length =
            pages * (ChunkHeader::LENGTH + 8) + keyframes * KeyframeIndexEntry::LENGTH;
        for (place, chunk) in order.iter().enumerate() {
            if place == metadata {
                pages_start = at;
                at += pages_length as u64;
            }
            moved.push(ChunkEntry { offset: at, ..**chunk });
            at += chunk.header.chunk_length();
        }
        if order.len() == metadata {
            pages_start = at;
        }
        let base = pages_start + pages_length as u64;
        let keyframes = KeyframeIndex::of(&moved, Some(base));
        Self { metadata, pages_start, keyframes, moved, end: at }
    }
}

fn copy(segments: &mut Vec<Segment>, chunks: &[&ChunkEntry]) {
    for chunk in chunks {
        let range = chunk.range();
        match segments.last_mut() {
            Some(Segment::Copy(last)) if last.end == range.start => last.end = range.end,
            _ => segments.push(Segment::Copy(range)),
        }
    }
}

fn footer(tape: &Tape, layout: &Layout, keyframe_rows: Vec<PageRow>) -> Result<Vec<u8>> {
    let mut chunks = layout.moved.clone();
    chunks.sort_by_key(|chunk| chunk.header.sequence);
    let mut out = Writer::with_base(layout.end);
    let mut footer = FooterWriter::new(tape.front, chunks.len() as u32, &mut out);
    let mut summary = Summary::of(tape.front, &chunks, tape.summary.chain_head);
    summary.packed = true;
    summary.pages = footer.table(&chunks)?;
    summary.pages.extend(keyframe_rows);
    footer.end(&summary)?;
    Ok(out.into_bytes())
}
