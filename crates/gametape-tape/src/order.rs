//! Do the chunks of a stream follow each other in time?

use std::collections::BTreeMap;

use crate::header::ChunkHeader;
use crate::index::ChunkEntry;
use crate::kind::ChunkKind;

/// The tick that each kind and stream has come to.
#[derive(Debug, Default)]
pub(crate) struct TickOrder(BTreeMap<(ChunkKind, u16), u64>);

impl TickOrder {
    /// Takes the next chunk. False where its ticks go back; such a chunk counts for nothing.
    pub(crate) fn admits(&mut self, header: &ChunkHeader) -> bool {
        let reached = self.0.entry((header.kind, header.stream)).or_insert(0);
        let is_in_order = header.first_tick >= *reached || !header.kind.ascends();
        if is_in_order {
            *reached = header.last_tick();
        }
        is_in_order
    }

    /// The same for frames and orders alone: those whose ticks go back cannot be played.
    pub(crate) fn admits_frames(&mut self, header: &ChunkHeader) -> bool {
        !header.kind.is_framed() || self.admits(header)
    }

    /// The places of chunks with frames or orders whose ticks go back.
    pub(crate) fn misplaced(chunks: &[ChunkEntry]) -> impl Iterator<Item = usize> {
        let mut order = Self::default();
        let is_misplaced = move |chunk: &ChunkEntry| !order.admits_frames(&chunk.header);
        chunks.iter().map(is_misplaced).enumerate().filter_map(|(place, is)| is.then_some(place))
    }
}
