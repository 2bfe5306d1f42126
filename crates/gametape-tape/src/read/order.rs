//! Do the chunks of a stream follow each other in time?

use std::collections::BTreeMap;

use gametape_wire::Tick;

use crate::index::table::ChunkEntry;
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::kind::ChunkKind;

/// The tick that each kind and stream has come to.
#[derive(Debug, Default)]
pub(crate) struct TickOrder(BTreeMap<(ChunkKind, u16), Tick>);

impl TickOrder {
    /// Takes the next chunk. False where its ticks go back; such a chunk counts for nothing.
    pub(crate) fn admits(&mut self, header: &ChunkHeader) -> bool {
        let is_in_order = self.has_room_for(header);
        if is_in_order {
            self.0.insert((header.kind, header.stream), header.last_tick());
        }
        is_in_order
    }

    /// Do the ticks of this chunk not go back? It counts only when it is [admitted](Self::admits).
    pub(crate) fn has_room_for(&self, header: &ChunkHeader) -> bool {
        let reached = self.0.get(&(header.kind, header.stream)).copied().unwrap_or_default();
        header.first_tick >= reached || !header.kind.ascends()
    }

    /// The same for frames and orders alone: those whose ticks go back cannot be played.
    pub(crate) fn admits_frames(&mut self, header: &ChunkHeader) -> bool {
        !header.kind.is_framed() || self.admits(header)
    }

    /// The indexes of chunks with frames or orders whose ticks go back.
    pub(crate) fn misplaced(chunks: &[ChunkEntry]) -> impl Iterator<Item = usize> {
        let mut order = Self::default();
        let is_misplaced = move |chunk: &ChunkEntry| !order.admits_frames(&chunk.header);
        chunks.iter().map(is_misplaced).enumerate().filter_map(|(index, is)| is.then_some(index))
    }
}
