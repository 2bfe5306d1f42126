//! Which states are kept: near the position, and some everywhere else, within a budget of memory.

use std::collections::BTreeMap;

use gametape_wire::Moment;

/// More states than these are not kept, however small they are: finding one to drop takes time.
const MOST_KEPT: usize = 512;
/// One of this many kept states on each side of the position is not dropped while others are there.
const NEAR: usize = 8;
/// What an entry takes besides its state, roughly.
const OVERHEAD: usize = 64;
/// Copies are farther apart than input of this size,
const SMALLEST_SPACING: u64 = 4 << 10;
/// and than this share of their own size: copying is that much cheaper than applying.
const SPACING_SHARE: u64 = 16;
/// While nobody goes back, copies are this many times as far apart.
const WIDER: u64 = 4;

/// Keeps states by their moments: the one policy of all timelines.
///
/// Those next to the position stay, for steps back. Of the others the one goes first that leaves the
/// smallest gap, so that they come to be spread evenly, for seeks to anywhere.
#[derive(Debug)]
pub(crate) struct KeptStates<T> {
    budget: usize,
    bytes: usize,
    kept: BTreeMap<Moment, Kept<T>>,
}

/// One state, and the moment that it was carried forward from.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    /// The recorded state before it, or the start.
    pub(crate) base: Moment,
    pub(crate) state: KeptState<T>,
    memory: usize,
}

/// A state as it is kept.
#[derive(Debug)]
pub(crate) enum KeptState<T> {
    /// A copy of all that is carried forward.
    Copy(T),
    /// The canonical bytes of a snapshot.
    Snapshot(Vec<u8>),
}

impl<T> KeptState<T> {
    fn memory(&self, of_copy: usize) -> usize {
        match self {
            Self::Copy(_) => of_copy,
            Self::Snapshot(bytes) => bytes.len(),
        }
    }
}

impl<T> KeptStates<T> {
    pub(crate) fn new(budget: usize) -> Self {
        Self { budget, bytes: 0, kept: BTreeMap::new() }
    }

    /// Bytes that are kept now.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The last kept moment at or before a moment.
    pub(crate) fn nearest(&self, moment: Moment) -> Option<Moment> {
        self.kept.range(..=moment).next_back().map(|(moment, _)| *moment)
    }

    pub(crate) fn has(&self, moment: Moment) -> bool {
        self.kept.contains_key(&moment)
    }

    /// The state that is kept of a moment.
    pub(crate) fn get(&self, moment: Moment) -> Option<&Kept<T>> {
        self.kept.get(&moment)
    }

    /// Keeps the state at `moment` while the position goes to `position`; `memory` is what a copy takes.
    pub(crate) fn keep(
        &mut self,
        moment: Moment,
        base: Moment,
        state: KeptState<T>,
        memory: usize,
        position: Moment,
    ) {
        let memory = state.memory(memory) + OVERHEAD;
        if memory > self.budget {
            return;
        }
        self.bytes += memory;
        if let Some(old) = self.kept.insert(moment, Kept { base, state, memory }) {
            self.bytes -= old.memory;
        }
        while self.bytes > self.budget || self.kept.len() > MOST_KEPT {
            self.drop_one(position);
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
        let moment = self.kept.keys().nth(index).copied();
        if let Some(gone) = moment.and_then(|moment| self.kept.remove(&moment)) {
            self.bytes -= gone.memory;
        }
    }

    /// Forgets everything: it was made from a state that is not trusted any more.
    pub(crate) fn clear(&mut self) {
        self.kept.clear();
        self.bytes = 0;
    }
}

/// When the next copy is due: counts the work since the last state that is kept or recorded.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spacing {
    /// Work between two copies while somebody goes back; as much as there can be where no copy fits.
    near: u64,
    /// Work since the last state that is kept or recorded, in bytes of input.
    pub(crate) work: u64,
}

impl Spacing {
    /// For copies that take this much memory, or no copies.
    pub(crate) fn new(memory: Option<usize>, budget: usize) -> Self {
        let mut spacing = Self { near: u64::MAX, work: 0 };
        if let Some(memory) = memory {
            spacing.resize(memory, budget);
        }
        spacing
    }

    /// Copies take this much memory now.
    pub(crate) fn resize(&mut self, memory: usize, budget: usize) {
        let share = memory as u64 / SPACING_SHARE;
        self.near = if memory > budget { u64::MAX } else { SMALLEST_SPACING.max(share) };
    }

    /// The work between two copies.
    pub(crate) fn between(&self, backward: bool) -> u64 {
        if backward { self.near } else { self.near.saturating_mul(WIDER) }
    }

    /// Are no copies kept at all?
    pub(crate) fn is_never(&self) -> bool {
        self.near == u64::MAX
    }
}

#[cfg(test)]
mod tests {
    use gametape_wire::Tick;

    use super::*;

    fn at(tick: u64) -> Moment {
        Moment::before(Tick(tick))
    }

    fn keep(kept: &mut KeptStates<()>, tick: u64, memory: usize) {
        kept.keep(at(tick), Moment::START, KeptState::Copy(()), memory, at(tick));
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
        assert_eq!((kept.bytes(), kept.nearest(at(999))), (0, None));
    }

    #[test]
    fn small_states_are_few_too() {
        let mut kept = KeptStates::new(usize::MAX);
        for tick in (0..2000).rev() {
            keep(&mut kept, tick, 1);
        }
        assert_eq!(kept.kept.len(), MOST_KEPT);
        assert!((0..8).all(|tick| kept.has(at(tick))));
    }

    #[test]
    fn copies_that_do_not_fit_are_never_due() {
        assert!(Spacing::new(None, 1 << 20).is_never());
        assert!(Spacing::new(Some(2 << 20), 1 << 20).is_never());
        let spacing = Spacing::new(Some(1 << 20), 1 << 20);
        assert_eq!((spacing.between(true), spacing.between(false)), (65_536, 4 * 65_536));
    }
}
