//! Which states are kept: near the position, and some everywhere else, within a budget of memory.

use std::ops::Bound;

use crate::sorted::SortedMap;
use crate::time::Moment;

/// More states than these are not kept, however small they are: finding one to drop takes time.
const MOST_KEPT: usize = 1024;
/// One of this many kept states on each side of the position is not dropped while others are there.
const NEAR: usize = 8;
/// What an entry takes besides its state, roughly.
const OVERHEAD: usize = 64;

/// A state that [`KeptStates`] can keep.
pub trait Keep {
    /// About how many bytes of memory it takes for itself: what it shares with the kept state before it
    /// is not counted.
    fn memory(&self, before: Option<&Self>) -> usize;
}

/// Keeps states by their moments: the one policy of all timelines.
///
/// Those next to the position stay, for steps back. Of the others the one goes first that leaves the
/// smallest gap, so that they come to be spread evenly, for seeks to anywhere.
///
/// ```
/// use gametape_wire::{Keep, KeptStates, Moment, Tick};
///
/// struct State([u8; 1000]);
///
/// impl Keep for State {
///     fn memory(&self, _: Option<&Self>) -> usize {
///         size_of::<Self>()
///     }
/// }
///
/// let mut kept = KeptStates::new(20_000);
/// for moment in (0..100).map(|tick| Moment::before(Tick(tick))) {
///     kept.keep(moment, State([0; 1000]), moment);
/// }
/// assert!(kept.bytes() <= 20_000 && kept.len() == 18);
/// let (moment, _) = kept.nearest(Moment::after(Tick(50))).unwrap();
/// assert!(moment.next_tick() > Tick(40));
/// ```
#[derive(Debug)]
pub struct KeptStates<T> {
    budget: usize,
    bytes: usize,
    kept: SortedMap<Moment, Kept<T>>,
}

#[derive(Debug)]
struct Kept<T> {
    state: T,
    memory: usize,
}

impl<T: Keep> KeptStates<T> {
    /// Keeps nothing yet, and never more than `budget` bytes.
    #[must_use]
    pub fn new(budget: usize) -> Self {
        Self { budget, bytes: 0, kept: SortedMap::new() }
    }

    /// Bytes that are kept now.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many states are kept now.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Is nothing kept?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The last kept state at or before a moment, and its own moment.
    #[must_use]
    pub fn nearest(&self, moment: Moment) -> Option<(Moment, &T)> {
        self.kept.range(..=moment).next_back().map(|(moment, kept)| (*moment, &kept.state))
    }

    /// Is the state of exactly this moment kept?
    #[must_use]
    pub fn has(&self, moment: Moment) -> bool {
        self.kept.contains_key(&moment)
    }

    /// Keeps the state at `moment` while the position goes to `position`. Returns how many states were
    /// dropped, this one included where it is larger than all that may be kept.
    pub fn keep(&mut self, moment: Moment, state: T, position: Moment) -> usize {
        let before = self.kept.range(..moment).next_back().map(|(_, kept)| &kept.state);
        let memory = state.memory(before) + OVERHEAD;
        if memory > self.budget {
            return 1;
        }
        self.bytes += memory;
        if let Some(old) = self.kept.insert(moment, Kept { state, memory }) {
            self.bytes -= old.memory;
        }
        self.measure_after(moment);
        let mut dropped = 0;
        while self.bytes > self.budget || self.kept.len() > MOST_KEPT {
            self.drop_one(position);
            dropped += 1;
        }
        dropped
    }

    /// Measures the first state after a moment again: there is another one before it now.
    fn measure_after(&mut self, moment: Moment) {
        let after = (Bound::Excluded(moment), Bound::Unbounded);
        let Some((&next, kept)) = self.kept.range(after).next() else { return };
        let before = self.kept.range(..=moment).next_back().map(|(_, kept)| &kept.state);
        let memory = kept.state.memory(before) + OVERHEAD;
        if let Some(kept) = self.kept.get_mut(&next) {
            self.bytes = self.bytes - kept.memory + memory;
            kept.memory = memory;
        }
    }

    fn drop_one(&mut self, position: Moment) {
        let moments: Vec<u64> = self.kept.keys().map(|moment| moment.next_tick().0).collect();
        let here = moments.partition_point(|moment| *moment <= position.next_tick().0);
        let is_far = |index: &usize| index.abs_diff(here) > moments.len() / NEAR;
        let gap = |index: &usize| {
            let before = index.checked_sub(1).map_or(0, |before| moments[before]);
            let after = moments.get(index + 1).unwrap_or(&moments[*index]);
            after - before
        };
        let index = (0..moments.len()).filter(is_far).min_by_key(gap).unwrap_or(0);
        let Some(moment) = self.kept.keys().nth(index).copied() else { return };
        if let Some(gone) = self.kept.remove(&moment) {
            self.bytes -= gone.memory;
            self.measure_after(moment);
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Tick;

    /// A state of some size, of which a part is shared with neighbours of the same number.
    struct State {
        size: usize,
        shared: Option<u32>,
    }

    impl Keep for State {
        fn memory(&self, before: Option<&Self>) -> usize {
            let is_shared =
                self.shared.is_some() && before.is_some_and(|b| b.shared == self.shared);
            if is_shared { self.size / 10 } else { self.size }
        }
    }

    fn at(tick: u64) -> Moment {
        Moment::before(Tick(tick))
    }

    fn keep(kept: &mut KeptStates<State>, tick: u64, size: usize) {
        kept.keep(at(tick), State { size, shared: None }, at(tick));
    }

    #[test]
    fn the_nearest_stay_and_the_others_come_to_be_spread_evenly() {
        let mut kept = KeptStates::new(32 * (100 + OVERHEAD));
        for tick in 0..1000 {
            keep(&mut kept, tick, 100);
            assert!(kept.bytes() <= 32 * (100 + OVERHEAD));
        }
        let ticks: Vec<u64> = kept.kept.keys().map(|moment| moment.next_tick().0).collect();
        assert_eq!(ticks.len(), 32);
        assert_eq!(ticks[28..], [996, 997, 998, 999]);
        let gaps: Vec<u64> = ticks[..28].windows(2).map(|pair| pair[1] - pair[0]).collect();
        let (least, most) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
        assert!(*most <= 100 && *least >= 8, "{ticks:?}");
        keep(&mut kept, 5000, 1 << 20);
        assert!(!kept.has(at(5000)), "it is larger than all that may be kept");
        kept.clear();
        assert!(kept.bytes() == 0 && kept.nearest(at(999)).is_none() && kept.is_empty());
    }

    #[test]
    fn small_states_are_few_too() {
        let mut kept = KeptStates::new(usize::MAX);
        for tick in (0..3000).rev() {
            keep(&mut kept, tick, 1);
        }
        assert_eq!(kept.len(), MOST_KEPT);
        assert!((0..8).all(|tick| kept.has(at(tick))));
    }

    /// What a state shares counts for the first that has it, whichever that comes to be.
    #[test]
    fn what_is_shared_counts_once() {
        let mut kept = KeptStates::new(usize::MAX);
        let shared = |size| State { size, shared: Some(1) };
        for tick in [20, 10, 30] {
            kept.keep(at(tick), shared(1000), at(0));
        }
        assert_eq!(kept.bytes(), 1000 + 2 * 100 + 3 * OVERHEAD);
        kept.keep(at(15), State { size: 1000, shared: None }, at(0));
        assert_eq!(
            kept.bytes(),
            3 * 1000 + 100 + 4 * OVERHEAD,
            "it parts the first from the others"
        );
        kept.keep(at(15), shared(1000), at(0));
        assert_eq!(kept.bytes(), 1000 + 3 * 100 + 4 * OVERHEAD, "the same moment again");
        while kept.len() > 1 {
            kept.drop_one(at(0));
        }
        assert_eq!(kept.bytes(), 1000 + OVERHEAD);
    }
}
