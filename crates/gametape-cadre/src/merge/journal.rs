//! What merging changed, so that it can be taken back exactly.

use crate::state::tree::{Container, Tree, Value};

/// One change, as what was there before.
#[derive(Debug, Clone, Copy)]
enum Undo {
    Value { slot: u32, old: Value },
    Container { id: u32, old: Container },
}

/// Where a delta begins.
#[derive(Debug, Clone, Copy)]
struct Mark {
    undos: usize,
    containers: usize,
    slots: usize,
}

/// The changes of the latest deltas, in order.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    undos: Vec<Undo>,
    marks: Vec<Mark>,
    /// Containers and slots from here on are new in the current delta: nothing was there before.
    new_containers: usize,
    new_slots: usize,
    /// The container that was touched last in the current delta: once is enough.
    touched: Option<u32>,
    /// Nothing is noted.
    is_paused: bool,
}

/// More changes than this are not kept: older deltas are reached from a keyframe.
const KEPT: usize = 1 << 18;

impl Journal {
    /// How many deltas can be taken back.
    pub(crate) fn depth(&self) -> usize {
        self.marks.len()
    }

    /// From here on nothing is noted, and nothing can be taken back.
    pub(crate) fn pause(&mut self) {
        self.clear();
        self.is_paused = true;
        (self.new_containers, self.new_slots) = (0, 0);
    }

    /// From here on, beginning with the next delta, everything is noted.
    pub(crate) fn resume(&mut self) {
        self.is_paused = false;
    }

    pub(crate) fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// From here on the changes belong to another delta.
    #[inline]
    pub(crate) fn begin(&mut self, tree: &Tree) {
        if !self.is_paused {
            self.begin_noted(tree);
        }
    }

    fn begin_noted(&mut self, tree: &Tree) {
        if self.undos.len().max(self.marks.len()) > KEPT {
            self.forget_older_half();
        }
        self.touched = None;
        self.new_containers = tree.containers.len();
        self.new_slots = tree.values.len();
        self.marks.push(Mark {
            undos: self.undos.len(),
            containers: self.new_containers,
            slots: self.new_slots,
        });
    }

    pub(crate) fn clear(&mut self) {
        self.undos.clear();
        self.undos.shrink_to(KEPT);
        self.marks.clear();
        self.touched = None;
    }

    fn forget_older_half(&mut self) {
        let dropped = self.marks.len() / 2;
        let undos = self.marks.get(dropped).map_or(0, |mark| mark.undos);
        self.undos.drain(..undos);
        self.marks.drain(..dropped);
        for mark in &mut self.marks {
            mark.undos -= undos;
        }
    }

    /// Writes a value into a slot.
    #[inline]
    pub(crate) fn set(&mut self, tree: &mut Tree, slot: u32, value: Value) {
        let value_there = &mut tree.values[slot as usize];
        self.note(slot, *value_there);
        *value_there = value;
    }

    /// To be called before a slot gets another value.
    #[inline(always)]
    pub(crate) fn note(&mut self, slot: u32, old: Value) {
        if (slot as usize) < self.new_slots {
            self.undos.push(Undo::Value { slot, old });
        }
    }

    /// To be called before a container's length or block changes.
    #[inline]
    pub(crate) fn touch(&mut self, tree: &Tree, id: u32) {
        if (id as usize) < self.new_containers && self.touched != Some(id) {
            self.touched = Some(id);
            self.undos.push(Undo::Container { id, old: tree.container(id) });
        }
    }

    /// Takes the latest delta back. False when there is none.
    pub(crate) fn undo(&mut self, tree: &mut Tree) -> bool {
        let Some(mark) = self.marks.pop() else { return false };
        self.touched = None;
        for undo in self.undos.drain(mark.undos..).rev() {
            match undo {
                Undo::Value { slot, old } => tree.values[slot as usize] = old,
                Undo::Container { id, old } => tree.containers[id as usize] = old,
            }
        }
        tree.truncate(mark.containers, mark.slots);
        true
    }
}
