//! Do deltas name the states that they build on?

use std::collections::BTreeMap;

use gametape_wire::{Error, ErrorKind, Reader, Result};

use crate::chunk::Chunk;
use crate::kind::ChunkKind;
use crate::snapshot::{DeltaHead, StateHash, hash_of_bytes};

/// The state hashes of the keyframes so far: those of full ones computed, those of deltas as announced.
#[derive(Debug, Default)]
pub(crate) struct Baselines {
    /// By stream, views and tick.
    hashes: BTreeMap<(u16, u16, u64), StateHash>,
}

impl Baselines {
    /// Takes the next chunk. Refuses a delta whose baseline is there and has another hash than it says.
    ///
    /// A baseline that is not there is nobody's fault: it may be lost, and the delta is passed over.
    pub(crate) fn check(&mut self, chunk: &Chunk<'_>, buffer: &mut Vec<u8>) -> Result<()> {
        let header = &chunk.header;
        let place = |tick| (header.stream, header.views.bits(), tick);
        let (hash, baseline) = match header.kind {
            ChunkKind::FULL_KEYFRAME => (hash_of_bytes(chunk.raw_in(buffer)?), None),
            ChunkKind::DELTA_KEYFRAME => {
                let head = DeltaHead::read(&mut Reader::new(chunk.raw_in(buffer)?))?;
                (head.state_hash, Some((head.baseline_tick, head.baseline_hash)))
            }
            _ => return Ok(()),
        };
        let known =
            baseline.and_then(|(tick, named)| Some((self.hashes.get(&place(tick))?, named)));
        let is_wrong = known.is_some_and(|(hash, named)| *hash != named);
        self.hashes.insert(place(header.first_tick), hash);
        if !is_wrong {
            return Ok(());
        }
        let problem = "it names another state than the one that it builds on".into();
        Err(Error::at(chunk.offset, header.kind.to_string(), ErrorKind::BadSyntax { problem }))
    }
}
