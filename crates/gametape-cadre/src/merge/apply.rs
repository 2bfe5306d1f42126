//! The second half of [`Pass`]: changing the state.

use gametape_wire::Limit;

use crate::limits::{HOLES, LIST_INDEX, STATE_SLOTS};
use crate::merge::Merger;
use crate::merge::merge_pass::{Frame, Merged, Pass, Stop, Target, over_limit};
use crate::merge::watch::{Oddity, Site, Watch};
use crate::state::keys::Key;
use crate::state::tree::Value;
use crate::text::json::Span;

impl<W: Watch> Pass<'_, '_, '_, W> {
    /// The slot of `key` in the current container, if it has one.
    #[inline(always)]
    pub(crate) fn slot(&mut self, key: Key) -> Option<u32> {
        let Merger { tree, keys, .. } = &mut *self.merger;
        match &mut self.frame.target {
            Target::New { .. } => None,
            Target::List { id, .. } => {
                let list = tree.container(*id);
                key.index().filter(|index| *index < list.length).map(|index| list.start + index)
            }
            Target::Object { id, hint } => {
                let expected = keys.hint(key);
                match tree.slot_at(*id, expected, key) {
                    Some(slot) => {
                        *hint = expected;
                        Some(slot)
                    }
                    None => {
                        *hint = self.merger.index_elsewhere(*id, key, *hint)?;
                        Some(self.merger.tree.container(*id).start + *hint)
                    }
                }
            }
        }
    }

    /// Makes `value` the value of `key`.
    #[inline]
    pub(crate) fn assign(&mut self, key: Key, value: Value) -> Merged<()> {
        let slot = self.slot(key);
        self.assign_at(slot, key, value)
    }

    /// The same, when it is known which slot the key has.
    #[inline(always)]
    pub(crate) fn assign_at(&mut self, slot: Option<u32>, key: Key, value: Value) -> Merged<()> {
        let Some(slot) = slot else { return self.add(key, value) };
        self.note_top(key);
        let old = self.merger.tree.values[slot as usize];
        self.set(slot, value);
        self.changed(key, old, value);
        Ok(())
    }

    /// Notes that something was assigned at `key` or merged into what is there.
    #[inline]
    pub(crate) fn note_top(&mut self, key: Key) {
        if let (Target::List { top, .. }, Some(index)) = (&mut self.frame.target, key.index()) {
            *top = (*top).max(index + 1);
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, slot: u32, value: Value) {
        let merger = &mut *self.merger;
        merger.journal.set(&mut merger.tree, slot, value);
    }

    /// Gives the current container a value at a key that has no slot.
    #[inline(never)]
    fn add(&mut self, key: Key, value: Value) -> Merged<()> {
        match self.frame.target {
            Target::New { .. } => return self.add_new(key, value),
            Target::Object { id, .. } => self.add_to_object(id, key, value)?,
            Target::List { id, was, .. } => {
                let Some(index) = key.index() else { return self.ignored_in_list(key) };
                self.add_to_list(id, index, value)?;
                self.frame.target = Target::List { id, was, top: index + 1 };
            }
        }
        self.changed(key, Value::ABSENT, value);
        Ok(())
    }

    /// The same for a container that is new.
    #[inline(always)]
    pub(crate) fn add_new(&mut self, key: Key, value: Value) -> Merged<()> {
        if self.merger.scratch.len() == self.merger.scratch.capacity() {
            self.room(self.merger.scratch.len())?;
        }
        self.merger.scratch.push((key, value));
        Ok(())
    }

    fn add_to_object(&mut self, id: u32, key: Key, value: Value) -> Merged<()> {
        let index = self.merger.tree.container(id).length;
        let start = self.grow(id, index + 1)?;
        self.merger.tree.keys[(start + index) as usize] = key;
        self.set(start + index, value);
        self.merger.tree.note_key(id, key, index);
        self.frame.target = Target::Object { id, hint: index };
        Ok(())
    }

    fn add_to_list(&mut self, id: u32, index: u32, value: Value) -> Merged<()> {
        let length = self.merger.tree.container(id).length;
        self.spend_holes(u64::from(index - length))?;
        let start = self.grow(id, index + 1)?;
        for hole in length..index {
            self.set(start + hole, Value::ABSENT);
        }
        self.set(start + index, value);
        Ok(())
    }

    /// Makes a container longer and says where its block begins. The new slots are to be written.
    pub(crate) fn grow(&mut self, id: u32, length: u32) -> Merged<u32> {
        let merger = &mut *self.merger;
        merger.journal.touch(&merger.tree, id);
        if length > merger.tree.container(id).capacity() {
            // Who wasted all slots gets no more: blocks of deltas that are then refused cost time.
            over_limit(HOLES, HOLES.max + u64::from(self.merger.holes_left == 0))?;
            self.room(self.merger.tree.block_for(id, length) as usize)?;
            self.merger.tree.relocate(id, length);
        }
        let container = &mut self.merger.tree.containers[id as usize];
        container.length = length;
        Ok(container.start)
    }

    /// Is there room for this many more containers and slots?
    fn room(&self, more: usize) -> Merged<()> {
        let limit = Limit::new(STATE_SLOTS.name, self.merger.max_slots);
        Ok(over_limit(limit, (self.merger.tree.size() + more) as u64)?)
    }

    fn spend_holes(&mut self, count: u64) -> Merged<()> {
        match self.merger.holes_left.checked_sub(count) {
            Some(left) => {
                self.merger.holes_left = left;
                Ok(())
            }
            None => Ok(over_limit(HOLES, HOLES.max + count - self.merger.holes_left)?),
        }
    }

    /// A key on a list that is no index: nothing, or an error when it is one over the limit.
    #[cold]
    fn ignored_in_list(&mut self, key: Key) -> Merged<()> {
        if let Some(index) = self.merger.keys.oversized_index(key) {
            over_limit(LIST_INDEX, index)?;
        }
        self.odd(Oddity::IgnoredKey, Some(key));
        Ok(())
    }

    /// Takes away what is at `key`.
    pub(crate) fn remove(&mut self, key: Key) -> Merged<()> {
        if matches!(self.frame.target, Target::List { .. }) && key.index().is_none() {
            return self.ignored_in_list(key);
        }
        let slot = self.slot(key);
        let old = slot.map_or(Value::ABSENT, |slot| self.merger.tree.values[slot as usize]);
        match slot {
            Some(slot) if !old.is_absent() => {
                self.set(slot, Value::ABSENT);
                self.changed(key, old, Value::ABSENT);
            }
            _ => self.odd(Oddity::StrayRemoval, Some(key)),
        }
        Ok(())
    }

    /// Makes the reference in `slot` an ordinary object, to merge into.
    #[cold]
    pub(crate) fn unfold_reference(&mut self, id: Span, slot: u32) -> Merged<u32> {
        self.room(2)?;
        let entry = (self.merger.id_key, Value::string(id, false));
        let container = self.merger.tree.add(false, &[entry]);
        self.set(slot, Value::container(container));
        Ok(container)
    }

    /// The length marker of the current container says `length`.
    pub(crate) fn apply_length(&mut self, length: u32) -> Merged<()> {
        let known = self.frame.length.replace(length).is_some();
        if known && self.plan.is_some() {
            return Ok(());
        }
        match self.frame.target {
            // What was assigned after the cut should have found it made already.
            Target::List { was, top, .. } if length < was && top > length => Err(Stop::NeedsPlan),
            Target::List { id, was, .. } if length < was => {
                self.cut_list(id, length);
                Ok(())
            }
            Target::Object { .. } => {
                self.odd(Oddity::KindKept, None);
                Ok(())
            }
            Target::List { .. } | Target::New { .. } => Ok(()),
        }
    }

    pub(crate) fn cut_list(&mut self, id: u32, length: u32) {
        if W::WANTS_REMOVED {
            self.report_cut(id, length);
        }
        let merger = &mut *self.merger;
        merger.journal.touch(&merger.tree, id);
        merger.tree.containers[id as usize].length = length;
    }

    fn report_cut(&mut self, id: u32, length: u32) {
        let cut: Vec<Value> = self.merger.tree.values_of(id)[length as usize..].to_vec();
        for (index, old) in (length..).zip(cut) {
            if !old.is_absent() {
                self.changed(Key::from_index(index), old, Value::ABSENT);
            }
        }
    }

    /// Makes a container of the scratch slots from `from` on.
    pub(crate) fn lay_out(&mut self, from: usize, frame: &Frame) -> Merged<u32> {
        self.room(self.merger.scratch.len() - from + 1)?;
        let list = frame.length.is_some();
        if list {
            self.sort_into_list(from)?;
        }
        let merger = &mut *self.merger;
        let id = merger.tree.add(list, &merger.scratch[from..]);
        merger.scratch.truncate(from);
        let made = merger.tree.container(id).length;
        self.compare_length(frame, made);
        Ok(id)
    }

    /// Puts the scratch slots from `from` on where their indices say, with holes between.
    fn sort_into_list(&mut self, from: usize) -> Merged<()> {
        let slots = &self.merger.scratch[from..];
        if slots.iter().enumerate().all(|(i, slot)| slot.0.index() == Some(i as u32)) {
            return Ok(());
        }
        let slots = self.merger.scratch.split_off(from);
        let mut length = 0;
        for (key, _) in &slots {
            match key.index() {
                Some(index) => length = length.max(index as usize + 1),
                None => self.ignored_in_list(*key)?,
            }
        }
        self.spend_holes(length.saturating_sub(slots.len()) as u64)?;
        self.room(length + 1)?;
        self.merger.scratch.resize(from + length, (Key::from_index(0), Value::ABSENT));
        for (key, value) in slots {
            if let Some(index) = key.index() {
                self.merger.scratch[from + index as usize] = (key, value);
            }
        }
        Ok(())
    }

    /// Reports a length that the list does not have in the end.
    #[inline]
    pub(crate) fn compare_length(&mut self, frame: &Frame, made: u32) {
        if let Some(stated) = frame.length
            && stated != made
        {
            self.odd(Oddity::LengthMismatch { stated, made }, Some(frame.key));
        }
    }

    #[inline]
    fn changed(&mut self, key: Key, old: Value, new: Value) {
        if W::ACTIVE {
            self.path.push(key);
            let merger = &*self.merger;
            let (text, path) = (self.cursor.text, &*self.path);
            let site = Site { tree: &merger.tree, keys: &merger.keys, text, path };
            self.watch.change(&site, old, new);
            self.path.pop();
        }
    }

    /// Reports something odd about the current container, or about a key in it.
    #[inline]
    pub(crate) fn odd(&mut self, oddity: Oddity, key: Option<Key>) {
        if W::ACTIVE {
            let depth = self.path.len();
            self.path.extend(key);
            self.watch.odd(&self.merger.keys, &self.path, oddity);
            self.path.truncate(depth);
        }
    }
}
