//! Which delta belongs to which turn.

use gametape_wire::Result;

use crate::merge::Merger;
use crate::state::State;
use crate::state::keys::Key;
use crate::state::tree::{ROOT, Tree, Value};

/// Reads the turn of a state again and again, which costs little while it stays the same.
#[derive(Debug)]
pub(crate) struct TurnReader {
    key: Key,
    /// Where in the root the key was found.
    index: u32,
    /// What was read last, and what turn that is.
    value: Value,
    turn: Option<i64>,
}

impl TurnReader {
    pub(crate) fn new(merger: &mut Merger) -> Result<Self> {
        let key = merger.keys.intern(b"currentTurn")?;
        Ok(Self { key, index: 0, value: Value::ABSENT, turn: None })
    }

    /// The turn of the state that was merged from this text.
    #[inline]
    pub(crate) fn read(&mut self, merger: &mut Merger, text: &[u8]) -> Option<i64> {
        let tree = &mut merger.tree;
        let slot = tree.slot_at(ROOT, self.index, self.key).or_else(|| self.find(tree));
        let value = slot.map_or(Value::ABSENT, |slot| tree.values[slot as usize]);
        if value != self.value {
            self.value = value;
            let state = State { tree, keys: &merger.keys, text };
            self.turn = state.root().get("currentTurn").and_then(|node| node.as_i64());
        }
        self.turn
    }

    /// The slot of the key, where it is not where it was.
    fn find(&mut self, tree: &mut Tree) -> Option<u32> {
        self.index = tree.find(ROOT, self.key, self.index)?;
        Some(tree.container(ROOT).start + self.index)
    }
}

/// The turns of a log: where `currentTurn` of the state changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turns {
    /// The delta after which a turn holds, and the turn.
    starts: Vec<(usize, Option<i64>)>,
}

impl Turns {
    pub(crate) fn note(&mut self, delta: usize, turn: Option<i64>) {
        if self.starts.last().map(|start| start.1) != Some(turn) {
            self.starts.push((delta, turn));
        }
    }

    /// The turn in the state after a delta.
    #[must_use]
    pub fn at(&self, delta: usize) -> Option<i64> {
        let after = self.starts.partition_point(|start| start.0 <= delta);
        self.starts[..after].last()?.1
    }

    /// The first delta after which it is this turn.
    #[must_use]
    pub fn first_delta(&self, turn: i64) -> Option<usize> {
        self.starts.iter().find(|start| start.1 == Some(turn)).map(|start| start.0)
    }

    /// The last turn that the state names.
    #[must_use]
    pub fn last(&self) -> Option<i64> {
        self.starts.last()?.1
    }

    /// Every change of the turn: the delta that brought it, and the turn.
    #[must_use]
    pub fn starts(&self) -> &[(usize, Option<i64>)] {
        &self.starts
    }
}
