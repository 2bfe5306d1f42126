//! Snapshots near the playhead, within a budget of memory.

use std::collections::BTreeMap;

use gametape_tape::{SimSnapshot, SimTick};

/// Keeps snapshots as their canonical bytes; those farthest from the playhead go first.
#[derive(Debug)]
pub(super) struct Cache {
    budget: usize,
    bytes: usize,
    kept: BTreeMap<SimTick, Kept>,
}

/// One snapshot, and the keyframe that it was carried forward from.
#[derive(Debug)]
struct Kept {
    base: SimTick,
    bytes: Vec<u8>,
}

/// What an entry takes besides its bytes, roughly.
const OVERHEAD: usize = 64;

impl Cache {
    pub(super) fn new(budget: usize) -> Self {
        Self { budget, bytes: 0, kept: BTreeMap::new() }
    }

    /// Bytes that are kept now.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The last kept tick at or before a tick.
    pub(super) fn nearest(&self, tick: SimTick) -> Option<SimTick> {
        self.kept.range(..=tick).next_back().map(|(tick, _)| *tick)
    }

    pub(super) fn has(&self, tick: SimTick) -> bool {
        self.kept.contains_key(&tick)
    }

    /// A kept snapshot, and the tick of the keyframe that it was carried forward from.
    pub(super) fn get(&self, tick: SimTick) -> Option<(SimSnapshot, SimTick)> {
        let kept = self.kept.get(&tick)?;
        Some((SimSnapshot::read(&kept.bytes).ok()?, kept.base))
    }

    /// Keeps a snapshot while the playhead is at or goes to `playhead`.
    pub(super) fn keep(&mut self, snapshot: &SimSnapshot, base: SimTick, playhead: SimTick) {
        let bytes = snapshot.to_bytes();
        if bytes.len() + OVERHEAD > self.budget {
            return;
        }
        self.bytes += bytes.len() + OVERHEAD;
        if let Some(old) = self.kept.insert(snapshot.core.tick, Kept { base, bytes }) {
            self.bytes -= old.bytes.len() + OVERHEAD;
        }
        while self.bytes > self.budget {
            self.drop_farthest(playhead);
        }
    }

    fn drop_farthest(&mut self, playhead: SimTick) {
        let [first, last] = [self.kept.keys().next(), self.kept.keys().next_back()];
        let (Some(&first), Some(&last)) = (first, last) else { return };
        let farthest =
            if first.abs_diff(playhead) >= last.abs_diff(playhead) { first } else { last };
        if let Some(gone) = self.kept.remove(&farthest) {
            self.bytes -= gone.bytes.len() + OVERHEAD;
        }
    }

    /// Forgets everything: it was made from a state that is not trusted any more.
    pub(super) fn clear(&mut self) {
        self.kept.clear();
        self.bytes = 0;
    }
}
