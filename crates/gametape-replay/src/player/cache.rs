//! States near the playhead, and some everywhere else, within a budget of memory.

use std::collections::BTreeMap;

use gametape_tape::{SimSnapshot, SimTick};

/// More states than these are not kept, however small they are: finding one to drop takes time.
const MOST_KEPT: usize = 512;
/// One of so many kept states on each side of the playhead is not dropped while others are there.
const NEAR: usize = 8;
/// What an entry takes besides its state, roughly.
const OVERHEAD: usize = 64;

/// Keeps states by their ticks.
///
/// Those next to the playhead stay, for steps back. Of the others the one goes first that leaves the
/// smallest gap, so that they come to stand evenly, for seeks to anywhere.
#[derive(Debug)]
pub(super) struct Cache<T> {
    budget: usize,
    bytes: usize,
    kept: BTreeMap<SimTick, Kept<T>>,
}

/// One state, and the keyframe that it was carried forward from.
#[derive(Debug)]
pub(super) struct Kept<T> {
    pub(super) base: SimTick,
    pub(super) state: KeptState<T>,
    memory: usize,
}

/// A state as it is kept.
#[derive(Debug)]
pub(super) enum KeptState<T> {
    /// A copy of all that is carried forward.
    Copy(T),
    /// The canonical bytes of a snapshot.
    Snapshot(Vec<u8>),
}

impl<T> Cache<T> {
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

    /// The state that is kept of a tick.
    pub(super) fn get(&self, tick: SimTick) -> Option<&Kept<T>> {
        self.kept.get(&tick)
    }

    /// Keeps a copy of the state at `tick`, which is where the playhead is.
    pub(super) fn keep_copy(&mut self, (copy, memory): (T, usize), tick: SimTick, base: SimTick) {
        let memory = memory + OVERHEAD;
        self.keep(tick, Kept { base, state: KeptState::Copy(copy), memory }, tick);
    }

    /// Keeps a snapshot while the playhead goes to `playhead`.
    pub(super) fn keep_snapshot(
        &mut self,
        snapshot: &SimSnapshot,
        base: SimTick,
        playhead: SimTick,
    ) {
        let bytes = snapshot.to_bytes();
        let memory = bytes.len() + OVERHEAD;
        let kept = Kept { base, state: KeptState::Snapshot(bytes), memory };
        self.keep(snapshot.core.tick, kept, playhead);
    }

    fn keep(&mut self, tick: SimTick, kept: Kept<T>, playhead: SimTick) {
        if kept.memory > self.budget {
            return;
        }
        self.bytes += kept.memory;
        if let Some(old) = self.kept.insert(tick, kept) {
            self.bytes -= old.memory;
        }
        while self.bytes > self.budget || self.kept.len() > MOST_KEPT {
            self.drop_one(playhead);
        }
    }

    fn drop_one(&mut self, playhead: SimTick) {
        let ticks: Vec<SimTick> = self.kept.keys().copied().collect();
        let here = ticks.partition_point(|tick| *tick <= playhead);
        let is_far = |place: &usize| place.abs_diff(here) > ticks.len() / NEAR;
        let gap = |place: &usize| {
            let before = place.checked_sub(1).map_or(0, |before| ticks[before]);
            let behind = ticks.get(place + 1).unwrap_or(&ticks[*place]);
            behind - before
        };
        let place = (0..ticks.len()).filter(is_far).min_by_key(gap).unwrap_or(0);
        if let Some(gone) = ticks.get(place).and_then(|tick| self.kept.remove(tick)) {
            self.bytes -= gone.memory;
        }
    }

    /// Forgets everything: it was made from a state that is not trusted any more.
    pub(super) fn clear(&mut self) {
        self.kept.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_stay_and_the_others_come_to_stand_evenly() {
        let mut cache = Cache::new(32 * (100 + OVERHEAD));
        for tick in 0..1000 {
            cache.keep_copy(((), 100), tick, 0);
            assert!(cache.bytes() <= 32 * (100 + OVERHEAD));
        }
        let ticks: Vec<SimTick> = cache.kept.keys().copied().collect();
        assert_eq!(ticks.len(), 32);
        assert_eq!(ticks[28..], [996, 997, 998, 999]);
        let gaps: Vec<u64> = ticks[..28].windows(2).map(|pair| pair[1] - pair[0]).collect();
        let (least, most) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
        assert!(*most <= 100 && *least >= 8, "{ticks:?}");
        cache.keep_copy(((), 1 << 20), 5000, 0);
        assert!(!cache.has(5000), "it is larger than all that may be kept");
        cache.clear();
        assert_eq!((cache.bytes(), cache.nearest(999)), (0, None));
    }

    #[test]
    fn small_states_are_few_too() {
        let mut cache = Cache::new(usize::MAX);
        for tick in (0..2000).rev() {
            cache.keep_copy(((), 1), tick, 0);
        }
        assert_eq!(cache.kept.len(), MOST_KEPT);
        assert!((0..8).all(|tick| cache.has(tick)));
    }
}
