//! The states that a timeline keeps, and when the next one is due.

use gametape_wire::{Keep, Moment};

/// Copies are farther apart than input of this size,
const SMALLEST_SPACING: u64 = 4 << 10;
/// and than this share of their own size: copying is that much cheaper than applying.
const SPACING_SHARE: u64 = 16;
/// While nobody goes back, copies are this many times as far apart.
const WIDER: u64 = 4;

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

impl<T> Kept<T> {
    /// A copy that takes this much memory.
    pub(crate) fn copy(base: Moment, copy: T, memory: usize) -> Self {
        Self { base, state: KeptState::Copy(copy), memory }
    }

    /// A snapshot in its canonical bytes.
    pub(crate) fn snapshot(base: Moment, bytes: Vec<u8>) -> Self {
        Self { base, memory: bytes.len(), state: KeptState::Snapshot(bytes) }
    }
}

impl<T> Keep for Kept<T> {
    fn memory(&self, _: Option<&Self>) -> usize {
        self.memory
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

    /// The work at which to look whether a copy is due.
    pub(crate) fn next_look(&self, backward: bool) -> u64 {
        let wide = self.between(false);
        if !backward {
            return wide;
        }
        (self.work / self.near + 1).saturating_mul(self.near).min(wide)
    }

    /// Is a copy due? While somebody goes back, copies are close together near the goal, which the
    /// next steps back begin from, and as far apart as ever on the long way there.
    pub(crate) fn is_due(&self, backward: bool, is_close: impl FnOnce(u64) -> bool) -> bool {
        let wide = self.between(false);
        self.work >= wide || (backward && self.work >= self.near && is_close(wide))
    }

    /// Are no copies kept at all?
    pub(crate) fn is_never(&self) -> bool {
        self.near == u64::MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_that_do_not_fit_are_never_due() {
        assert!(Spacing::new(None, 1 << 20).is_never());
        assert!(Spacing::new(Some(2 << 20), 1 << 20).is_never());
        let spacing = Spacing::new(Some(1 << 20), 1 << 20);
        assert_eq!((spacing.between(true), spacing.between(false)), (65_536, 4 * 65_536));
    }

    #[test]
    fn copies_are_close_together_only_near_the_goal_of_who_goes_back() {
        let mut spacing = Spacing::new(Some(1 << 20), 1 << 20);
        assert_eq!((spacing.next_look(false), spacing.next_look(true)), (4 * 65_536, 65_536));
        spacing.work = 65_536;
        assert_eq!(spacing.next_look(true), 2 * 65_536);
        assert!(spacing.is_due(true, |wide| wide == 4 * 65_536));
        assert!(!spacing.is_due(true, |_| false) && !spacing.is_due(false, |_| true));
        spacing.work = 4 * 65_536;
        assert!(spacing.is_due(true, |_| false) && spacing.is_due(false, |_| false));
        let never = Spacing::new(None, 1 << 20);
        assert_eq!((never.next_look(true), never.next_look(false)), (u64::MAX, u64::MAX));
    }
}
