//! Finding a name that is twice in one object of a delta, in constant time per name.
//!
//! Indices are not kept here: they have to come in ascending order, or a plan is made.

use crate::state::keys::Key;

/// Names with numbers below this are noted in the object that has them: many logs have no others.
const FIRST: usize = u64::BITS as usize;

/// What is known about the names that an object of a delta had.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Names {
    /// One bit for each of the first names.
    first: u64,
    /// What [`DuplicateKeys`] knows the object by. Zero while it does not know it.
    serial: u32,
    overwritten: u32,
}

impl Names {
    /// Notes a name. True when the object had it before; none when it is not one of the first names.
    #[inline(always)]
    pub(crate) fn first_twice(&mut self, key: Key) -> Option<bool> {
        let number = key.name().filter(|number| *number < FIRST)?;
        let before = self.first;
        self.first |= 1 << number;
        Some(self.first == before)
    }
}

/// For each other name the object (by serial number) that last had it.
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

    /// An object begins.
    #[inline]
    pub(crate) fn open(&mut self) -> Names {
        self.know(Names::default())
    }

    /// From here on the object with these names is known by a serial number.
    #[inline]
    pub(crate) fn know(&mut self, names: Names) -> Names {
        if names.serial > 0 {
            return names;
        }
        self.serial += 1;
        Names { serial: self.serial, overwritten: self.overwritten.len() as u32, ..names }
    }

    /// The object with these names ends.
    #[inline]
    pub(crate) fn close(&mut self, names: &Names) {
        while self.overwritten.len() > names.overwritten as usize && names.serial > 0 {
            if let Some((key, mark)) = self.overwritten.pop() {
                *self.mark(key) = mark;
            }
        }
    }

    /// Notes a name of an object. True when the object had it before.
    #[inline]
    pub(crate) fn twice(&mut self, key: Key, names: &mut Names) -> bool {
        match names.first_twice(key) {
            Some(twice) => twice,
            None => self.twice_of_many(key, names.serial),
        }
    }

    #[inline(never)]
    fn twice_of_many(&mut self, key: Key, serial: u32) -> bool {
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
        let names: Vec<Key> =
            (0..FIRST + 3).map(|n| keys.intern(format!("n{n}").as_bytes()).unwrap()).collect();
        for [a, b] in [[0, 1], [FIRST - 1, FIRST], [FIRST, FIRST + 1]] {
            let (a, b) = (names[a], names[b]);
            let mut duplicates = DuplicateKeys::default();
            duplicates.begin_delta();
            let mut outer = duplicates.open();
            assert!(!duplicates.twice(a, &mut outer));
            let mut inner = duplicates.open();
            assert!(!duplicates.twice(a, &mut inner));
            assert!(!duplicates.twice(b, &mut inner));
            assert!(duplicates.twice(a, &mut inner));
            duplicates.close(&inner);
            assert!(!duplicates.twice(b, &mut outer));
            assert!(duplicates.twice(a, &mut outer));
            duplicates.close(&outer);
            duplicates.begin_delta();
            let mut next = duplicates.open();
            assert!(!duplicates.twice(a, &mut next));
        }
    }

    #[test]
    fn names_that_were_noted_before_the_object_was_known_are_kept() {
        let mut keys = crate::state::keys::Keys::new(u64::MAX);
        let key = keys.intern(b"a").unwrap();
        let mut duplicates = DuplicateKeys::default();
        duplicates.begin_delta();
        let mut names = Names::default();
        assert_eq!(names.first_twice(key), Some(false));
        assert_eq!(names.first_twice(Key::from_index(7)), None);
        let mut names = duplicates.know(names);
        assert!(duplicates.twice(key, &mut names));
        // Whose number is known keeps it.
        assert_eq!(duplicates.know(names).serial, names.serial);
    }
}
