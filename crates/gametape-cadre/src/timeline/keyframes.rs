//! Copies of the state on the way, so that no state is far from one.

use std::sync::Arc;

use gametape_wire::{Keep, KeptStates, Moment, Tick};

use crate::state::keys::Key;
use crate::state::tree::{Container, Tree, Value};

/// Text between two keyframes at first: what merges in less than a millisecond.
const SPACING: u64 = 512 << 10;

/// Elements of one chunk.
const CHUNK: usize = 256;

/// A keyframe: the arrays of a tree in chunks. A chunk that is as it was in the keyframe before is
/// shared with it; most are, since trees change in place.
#[derive(Debug)]
struct Keyframe {
    containers: Vec<Arc<[Container]>>,
    keys: Vec<Arc<[Key]>>,
    values: Vec<Arc<[Value]>>,
}

impl Keyframe {
    fn of(tree: &Tree, before: Option<&Self>) -> Self {
        Self {
            containers: shared(&tree.containers, before.map(|frame| &*frame.containers)),
            keys: shared(&tree.keys, before.map(|frame| &*frame.keys)),
            values: shared(&tree.values, before.map(|frame| &*frame.values)),
        }
    }
}

impl Keep for Keyframe {
    fn memory(&self, before: Option<&Self>) -> usize {
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

/// Keyframes by their positions, within a budget of memory.
///
/// Once as many were dropped as there are, they come half as often: so a long log costs little more
/// than a short one.
#[derive(Debug)]
pub(crate) struct Keyframes {
    kept: KeptStates<Keyframe>,
    spacing: u64,
    /// Keyframes that were dropped since the spacing is this.
    dropped: usize,
    /// Where in the text the last one was made.
    last_offset: u64,
}

impl Keyframes {
    pub(crate) fn new(budget: usize) -> Self {
        Self { kept: KeptStates::new(budget), spacing: SPACING, dropped: 0, last_offset: 0 }
    }

    /// Is a keyframe due for a state of this size, reached at this offset of the text?
    pub(crate) fn is_due(&self, offset: u64, tree: &Tree) -> bool {
        let spacing = self.spacing.max(tree.bytes() as u64 / 4);
        offset.saturating_sub(self.last_offset) >= spacing
    }

    /// Keeps a copy of the state at a position after all others.
    pub(crate) fn keep(&mut self, position: usize, offset: u64, tree: &Tree) {
        self.last_offset = offset;
        let moment = moment(position);
        let before = self.kept.nearest(moment).map(|(_, frame)| frame);
        let frame = Keyframe::of(tree, before);
        self.dropped += self.kept.keep(moment, frame, moment);
        if self.dropped > self.kept.len() {
            (self.spacing, self.dropped) = (self.spacing.saturating_mul(2), 0);
        }
    }

    /// The position of the last keyframe at or before a position; 0 if there is none.
    pub(crate) fn nearest(&self, position: usize) -> usize {
        let nearest = self.kept.nearest(moment(position));
        nearest.map_or(0, |(moment, _)| moment.next_tick().0 as usize)
    }

    /// Makes the tree what it was at the last keyframe at or before a position.
    pub(crate) fn restore(&self, position: usize, tree: &mut Tree) {
        match self.kept.nearest(moment(position)) {
            Some((_, frame)) => {
                join(&frame.containers, &mut tree.containers);
                join(&frame.keys, &mut tree.keys);
                join(&frame.values, &mut tree.values);
                tree.forget_indexes();
            }
            None => *tree = Tree::new(),
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.kept.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.kept.bytes()
    }
}

/// The moment at which this many deltas are merged.
fn moment(position: usize) -> Moment {
    Moment::before(Tick(position as u64))
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
