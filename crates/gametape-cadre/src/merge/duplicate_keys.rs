//! Finding a name that is twice in one object of a delta, in constant time per name.
//!
//! Indices are not kept here: they have to come in ascending order, or a plan is made.

use crate::state::keys::Key;

/// For each name the object (by serial number) that last had it.
///
/// An inner object may have a key that an object around it has had as well, and overwrites its
/// mark. The mark that was overwritten is put back when the inner object ends.
#[derive(Debug, Default)]
pub(crate) struct DuplicateKeys {
    names: Vec<u32>,
    overwritten: Vec<(Key, u32)>,
    serial: u32,
    first_of_delta: u32,
}

impl DuplicateKeys {
    /// Another delta begins.
    pub(crate) fn begin_delta(&mut self) {
        if self.serial > u32::MAX / 2 {
            *self = Self::default();
        }
        self.overwritten.clear();
        self.first_of_delta = self.serial + 1;
    }

    /// An object begins: its serial number, and what [`close`](Self::close) wants to know.
    #[inline]
    pub(crate) fn open(&mut self) -> (u32, u32) {
        self.serial += 1;
        (self.serial, self.overwritten.len() as u32)
    }

    /// The object ends that began with `overwritten` marks.
    #[inline]
    pub(crate) fn close(&mut self, overwritten: u32) {
        while self.overwritten.len() > overwritten as usize {
            if let Some((key, mark)) = self.overwritten.pop() {
                *self.mark(key) = mark;
            }
        }
    }

    /// Notes a key of the object `serial`. True when it had that key before.
    #[inline]
    pub(crate) fn twice(&mut self, key: Key, serial: u32) -> bool {
        let first_of_delta = self.first_of_delta;
        let mark = self.mark(key);
        let before = std::mem::replace(mark, serial);
        if before >= first_of_delta && before != serial {
            self.overwritten.push((key, before));
        }
        before == serial
    }

    #[inline]
    fn mark(&mut self, key: Key) -> &mut u32 {
        let number = key.name().unwrap_or_default();
        if number >= self.names.len() {
            self.names.resize((number + 1).next_power_of_two(), 0);
        }
        &mut self.names[number]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_an_inner_object_does_not_hide_the_outer_one() {
        let mut keys = crate::state::keys::Keys::new(u64::MAX);
        let [a, b] = ["a", "b"].map(|name| keys.intern(name.as_bytes()).unwrap());
        let mut duplicates = DuplicateKeys::default();
        duplicates.begin_delta();
        let (outer, outer_marks) = duplicates.open();
        assert!(!duplicates.twice(a, outer));
        let (inner, inner_marks) = duplicates.open();
        assert!(!duplicates.twice(a, inner));
        assert!(!duplicates.twice(b, inner));
        assert!(duplicates.twice(a, inner));
        duplicates.close(inner_marks);
        assert!(!duplicates.twice(b, outer));
        assert!(duplicates.twice(a, outer));
        duplicates.close(outer_marks);
        duplicates.begin_delta();
        let (next, _) = duplicates.open();
        assert!(!duplicates.twice(a, next));
    }
}
