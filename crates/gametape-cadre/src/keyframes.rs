//! Copies of the state on the way, so that no state is far from one.

use crate::tree::Tree;

/// Text between two keyframes at first: what merges in well under a millisecond.
const SPACING: u64 = 192 << 10;

#[derive(Debug)]
struct Keyframe {
    position: usize,
    tree: Tree,
}

/// Keyframes in the order of their positions, within a budget of memory.
///
/// When the budget is spent, every second one is dropped and the others come half as often.
#[derive(Debug)]
pub(crate) struct Keyframes {
    frames: Vec<Keyframe>,
    bytes: usize,
    budget: usize,
    spacing: u64,
    /// Where in the text the last one was made.
    last_offset: u64,
}

impl Keyframes {
    pub(crate) fn new(budget: usize) -> Self {
        Self { frames: Vec::new(), bytes: 0, budget, spacing: SPACING, last_offset: 0 }
    }

    /// Is a keyframe due for a state of this size, reached at this offset of the text?
    pub(crate) fn is_due(&self, offset: u64, tree: &Tree) -> bool {
        let spacing = self.spacing.max(tree.bytes() as u64 / 2);
        offset.saturating_sub(self.last_offset) >= spacing
    }

    /// Keeps a copy of the state at a position behind all others.
    pub(crate) fn keep(&mut self, position: usize, offset: u64, tree: &Tree) {
        self.last_offset = offset;
        let tree = tree.copied();
        self.bytes += tree.bytes();
        self.frames.push(Keyframe { position, tree });
        while self.bytes > self.budget && !self.frames.is_empty() {
            self.thin_out();
        }
    }

    /// Drops the first of each two.
    fn thin_out(&mut self) {
        self.spacing *= 2;
        let mut kept = false;
        self.frames.retain(|_| {
            kept = !kept;
            !kept
        });
        self.bytes = self.frames.iter().map(|frame| frame.tree.bytes()).sum();
    }

    /// The last keyframe at or before a position.
    pub(crate) fn nearest(&self, position: usize) -> Option<(usize, &Tree)> {
        let behind = self.frames.partition_point(|frame| frame.position <= position);
        let frame = self.frames.get(behind.checked_sub(1)?)?;
        Some((frame.position, &frame.tree))
    }

    pub(crate) fn last_position(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.position)
    }

    pub(crate) fn count(&self) -> usize {
        self.frames.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}
