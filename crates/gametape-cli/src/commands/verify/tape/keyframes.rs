//! Do the keyframes of a tape lead to each other?

use std::collections::BTreeMap;

use gametape_tape::{Chunk, KeyframeIndexEntry, Restorer, Tape};
use gametape_wire::Error;

use crate::failure::Failure;
use crate::progress::Progress;
use crate::tape::TapeFile;

/// Restores every keyframe, each delta from its baseline; returns how many there are.
///
/// A stream's states are kept along one chain: a delta on the last state or on the last full one
/// costs one step, any other starts over from its full keyframe.
pub(super) fn check(
    file: &mut TapeFile,
    tape: &Tape,
    mut find: impl FnMut(Error),
) -> Result<u64, Failure> {
    let entries = tape.keyframes.entries();
    let mut progress = Progress::new("restoring", entries.len() as u64);
    let mut streams = BTreeMap::<(u16, u16), Chain>::new();
    for (place, entry) in entries.iter().enumerate() {
        progress.at(place as u64);
        let Some(range) = tape.keyframes.chunk_range(place) else { continue };
        let bytes = file.fetch(&range)?;
        let chain = streams.entry((entry.stream, entry.views.bits())).or_default();
        let restored = Chunk::read(bytes, range.start).and_then(|chunk| chain.add(entry, &chunk));
        if let Err(error) = restored {
            find(error);
        }
    }
    Ok(entries.len() as u64)
}

/// The states of one stream that later deltas may build on.
struct Chain {
    full: Restorer,
    last: Restorer,
}

impl Default for Chain {
    fn default() -> Self {
        Self { full: Restorer::verifying(), last: Restorer::verifying() }
    }
}

impl Chain {
    fn add(&mut self, entry: &KeyframeIndexEntry, chunk: &Chunk<'_>) -> gametape_wire::Result<()> {
        if entry.is_full {
            self.full = Restorer::verifying();
            self.full.add(chunk)?;
            self.last = self.full.clone();
            return Ok(());
        }
        let on_last = self.last.state().map(|state| state.core.tick) == entry.baseline_tick();
        let mut next = if on_last { self.last.clone() } else { self.full.clone() };
        next.add(chunk)?;
        self.last = next;
        Ok(())
    }
}
