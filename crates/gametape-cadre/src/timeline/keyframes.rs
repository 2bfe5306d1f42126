//! Copies of the state on the way, so that no state is far from one.

use std::sync::Arc;

use crate::state::keys::Key;
use crate::state::tree::{Container, Tree, Value};

/// Text between two keyframes at first: what merges in about a millisecond.
const SPACING: u64 = 256 << 10;

/// Elements of one chunk.
const CHUNK: usize = 256;

/// A keyframe: the arrays of a tree in chunks. A chunk that is as it was in the keyframe before is
/// shared with it; most are, since trees change in place.
#[derive(Debug)]
struct Keyframe {
    position: usize,
    containers: Vec<Arc<[Container]>>,
    keys: Vec<Arc<[Key]>>,
    values: Vec<Arc<[Value]>>,
}

impl Keyframe {
    fn of(tree: &Tree, position: usize, before: Option<&Self>) -> Self {
        Self {
            position,
            containers: shared(&tree.containers, before.map(|frame| &*frame.containers)),
            keys: shared(&tree.keys, before.map(|frame| &*frame.keys)),
            values: shared(&tree.values, before.map(|frame| &*frame.values)),
        }
    }

    /// Bytes that it has for itself, not shared with the one before.
    fn own_bytes(&self, before: Option<&Self>) -> usize {
        own_bytes(&self.containers, before.map(|frame| &*frame.containers))
            + own_bytes(&self.keys, before.map(|frame| &*frame.keys))
            + own_bytes(&self.values, before.map(|frame| &*frame.values))
            + size_of::<Self>()
    }
}

/// The elements in chunks, shared with those before where they are the same.
fn shared<T: Copy + PartialEq>(all: &[T], before: Option<&[Arc<[T]>]>) -> Vec<Arc<[T]>> {
    let share = |(i, chunk): (usize, &[T])| match before.and_then(|chunks| chunks.get(i)) {
        Some(known) if are_same(known, chunk) => known.clone(),
        _ => chunk.into(),
    };
    all.chunks(CHUNK).enumerate().map(share).collect()
}

/// Are both the same? Looks at everything without stopping early: that is done many at a time.
fn are_same<T: Copy + PartialEq>(a: &[T], b: &[T]) -> bool {
    let differ = a.iter().zip(b).fold(false, |differ, (a, b)| differ | (a != b));
    a.len() == b.len() && !differ
}

fn own_bytes<T>(chunks: &[Arc<[T]>], before: Option<&[Arc<[T]>]>) -> usize {
    let own = |(i, chunk): (usize, &Arc<[T]>)| {
        let known = before.and_then(|chunks| chunks.get(i));
        let is_shared = known.is_some_and(|known| Arc::ptr_eq(known, chunk));
        size_of::<Arc<[T]>>() + if is_shared { 0 } else { size_of_val(&**chunk) }
    };
    chunks.iter().enumerate().map(own).sum()
}

/// Fills an array from chunks.
fn join<T: Copy>(chunks: &[Arc<[T]>], all: &mut Vec<T>) {
    all.clear();
    chunks.iter().for_each(|chunk| all.extend_from_slice(chunk));
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
        let spacing = self.spacing.max(tree.bytes() as u64 / 4);
        offset.saturating_sub(self.last_offset) >= spacing
    }

    /// Keeps a copy of the state at a position after all others.
    pub(crate) fn keep(&mut self, position: usize, offset: u64, tree: &Tree) {
        self.last_offset = offset;
        let frame = Keyframe::of(tree, position, self.frames.last());
        self.bytes += frame.own_bytes(self.frames.last());
        self.frames.push(frame);
        while self.bytes > self.budget && !self.frames.is_empty() {
            self.thin_out();
        }
    }

    /// Drops the first of each two.
    fn thin_out(&mut self) {
        self.spacing *= 2;
        let mut kept = true;
        self.frames.retain(|_| {
            kept = !kept;
            kept
        });
        let before = [None].into_iter().chain(self.frames.iter().map(Some));
        self.bytes = self.frames.iter().zip(before).map(|(frame, b)| frame.own_bytes(b)).sum();
    }

    /// The position of the last keyframe at or before a position; 0 if there is none.
    pub(crate) fn nearest(&self, position: usize) -> usize {
        self.frame(position).map_or(0, |frame| frame.position)
    }

    fn frame(&self, position: usize) -> Option<&Keyframe> {
        let after = self.frames.partition_point(|frame| frame.position <= position);
        self.frames.get(after.checked_sub(1)?)
    }

    /// Makes the tree what it was at the last keyframe at or before a position.
    pub(crate) fn restore(&self, position: usize, tree: &mut Tree) {
        match self.frame(position) {
            Some(frame) => {
                join(&frame.containers, &mut tree.containers);
                join(&frame.keys, &mut tree.keys);
                join(&frame.values, &mut tree.values);
                tree.forget_places();
            }
            None => *tree = Tree::new(),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.frames.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json::Span;

    fn tree_with(count: usize) -> Tree {
        let mut tree = Tree::new();
        for i in 0..count {
            tree.add(true, &[(Key::from_index(0), Value::literal(Span::new(i, i + 1)))]);
        }
        tree
    }

    #[test]
    fn keyframes_share_what_did_not_change_and_stay_within_the_budget() {
        let mut keyframes = Keyframes::new(1 << 20);
        let mut tree = tree_with(10_000);
        keyframes.keep(1, 0, &tree);
        let first = keyframes.bytes();
        tree.values[5_000] = Value::ABSENT;
        keyframes.keep(2, 0, &tree);
        assert!(keyframes.bytes() - first < first / 10);
        let mut restored = Tree::new();
        keyframes.restore(1, &mut restored);
        assert!(!restored.values[5_000].is_absent());
        keyframes.restore(9, &mut restored);
        assert_eq!(restored.values, tree.values);
        for position in 3..200 {
            tree = tree_with(10_000 + position);
            tree.values.iter_mut().for_each(|value| {
                *value = Value::literal(Span::new(position, position + 1));
            });
            keyframes.keep(position, 0, &tree);
            assert!(keyframes.bytes() <= 1 << 20);
        }
        assert!(keyframes.count() >= 1);
        assert_eq!(keyframes.nearest(0), 0);
    }
}
