//! Small maps that take little code where code is loaded over a network.

use std::fmt;
use std::iter::Map;
use std::ops::{Bound, Range, RangeBounds};
use std::slice;

/// A map whose entries are a list in the order of their keys, for a few hundred of them.
///
/// A tree of the standard library is several kilobytes for each type of its entries, and the viewer's module has dozens.
/// Adding or removing an entry moves those after it: what may be large, or be filled by somebody hostile, is a `BTreeMap`.
///
/// ```
/// use gametape_wire::SortedMap;
///
/// let mut names = SortedMap::from_iter([(2, "Ben"), (1, "Ana")]);
/// assert_eq!(names.insert(2, "Béla"), Some("Ben"));
/// assert_eq!(names.get(&2), Some(&"Béla"));
/// assert!(names.keys().eq(&[1, 2]));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct SortedMap<K, V> {
    entries: Vec<(K, V)>,
}

impl<K, V> SortedMap<K, V> {
    /// Nothing is in it.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new() }
    }

    /// How many entries it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Is nothing in it?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries in the order of their keys.
    pub fn iter(&self) -> <&Self as IntoIterator>::IntoIter {
        self.into_iter()
    }

    /// The keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + Clone {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The values in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + Clone {
        self.entries.iter().map(|(_, value)| value)
    }

    /// The values in the order of their keys.
    pub fn values_mut(&mut self) -> impl DoubleEndedIterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// The entry with the greatest key.
    #[must_use]
    pub fn last(&self) -> Option<(&K, &V)> {
        self.entries.last().map(|(key, value)| (key, value))
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    fn index(&self, key: &K) -> Result<usize, usize> {
        self.entries.binary_search_by(|(own, _)| own.cmp(key))
    }

    /// The value of a key.
    #[must_use]
    pub fn get(&self, key: &K) -> Option<&V> {
        self.index(key).ok().map(|index| &self.entries[index].1)
    }

    /// The value of a key.
    #[must_use]
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.index(key).ok().map(|index| &mut self.entries[index].1)
    }

    /// Is the key in it?
    #[must_use]
    pub fn contains_key(&self, key: &K) -> bool {
        self.index(key).is_ok()
    }

    /// Sets the value of a key, and gives the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.index(&key) {
            Ok(index) => Some(std::mem::replace(&mut self.entries[index].1, value)),
            Err(index) => {
                self.entries.insert(index, (key, value));
                None
            }
        }
    }

    /// Removes a key, and gives its value.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        self.index(key).ok().map(|index| self.entries.remove(index).1)
    }

    /// The value of a key, which gets a default one where it has none.
    pub fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        let index = self.index(&key).unwrap_or_else(|index| {
            self.entries.insert(index, (key, V::default()));
            index
        });
        &mut self.entries[index].1
    }

    /// The entries whose keys are in a range.
    pub fn range(&self, keys: impl RangeBounds<K>) -> <&Self as IntoIterator>::IntoIter {
        self.entries[self.indexes(keys)].iter().map(pair)
    }

    /// The entries whose keys are in a range.
    pub fn range_mut(
        &mut self,
        keys: impl RangeBounds<K>,
    ) -> <&mut Self as IntoIterator>::IntoIter {
        let indexes = self.indexes(keys);
        self.entries[indexes].iter_mut().map(pair_mut)
    }

    fn indexes(&self, keys: impl RangeBounds<K>) -> Range<usize> {
        let before = |key: &K, inclusive: bool| {
            let is_before = |own: &K| if inclusive { own <= key } else { own < key };
            self.entries.partition_point(|(own, _)| is_before(own))
        };
        let start = match keys.start_bound() {
            Bound::Included(key) => before(key, false),
            Bound::Excluded(key) => before(key, true),
            Bound::Unbounded => 0,
        };
        let end = match keys.end_bound() {
            Bound::Included(key) => before(key, true),
            Bound::Excluded(key) => before(key, false),
            Bound::Unbounded => self.entries.len(),
        };
        start..end.max(start)
    }
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for SortedMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// Of several entries with one key the last one stays.
impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

fn pair<K, V>(entry: &(K, V)) -> (&K, &V) {
    (&entry.0, &entry.1)
}

fn pair_mut<K, V>(entry: &mut (K, V)) -> (&K, &mut V) {
    (&entry.0, &mut entry.1)
}

impl<'a, K, V> IntoIterator for &'a SortedMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Map<slice::Iter<'a, (K, V)>, fn(&'a (K, V)) -> (&'a K, &'a V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter().map(pair)
    }
}

impl<'a, K, V> IntoIterator for &'a mut SortedMap<K, V> {
    type Item = (&'a K, &'a mut V);
    type IntoIter = Map<slice::IterMut<'a, (K, V)>, fn(&'a mut (K, V)) -> (&'a K, &'a mut V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.iter_mut().map(pair_mut)
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn it_does_what_a_tree_does() {
        let (mut map, mut tree) = (SortedMap::new(), BTreeMap::new());
        let mut random = 7u32;
        for step in 0..2000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (key, other) = (random >> 20 & 63, random >> 14 & 63);
            match random >> 28 & 7 {
                0..3 => assert_eq!(map.insert(key, step), tree.insert(key, step)),
                3..5 => assert_eq!(map.remove(&key), tree.remove(&key)),
                5 => assert_eq!(map.or_default(key), tree.entry(key).or_default()),
                _ => {
                    let (from, to) = (key.min(other), key.max(other));
                    assert!(map.range(from..to).eq(tree.range(from..to)));
                    assert!(map.range(..=to).rev().eq(tree.range(..=to).rev()));
                    let after = (Bound::Excluded(from), Bound::Unbounded);
                    assert!(map.range(after).eq(tree.range(after)));
                    map.range_mut(from..=to).for_each(|(_, value)| *value += 1);
                    tree.range_mut(from..=to).for_each(|(_, value)| *value += 1);
                }
            }
            assert_eq!(map.get(&other), tree.get(&other));
            assert_eq!(map.get_mut(&other), tree.get_mut(&other));
            assert_eq!(map.contains_key(&other), tree.contains_key(&other));
            assert!(map.iter().eq(&tree) && map.len() == tree.len());
            assert_eq!(map.last(), tree.last_key_value());
        }
        map.values_mut().zip(tree.values_mut()).for_each(|(own, other)| *own = *other + 1);
        assert!(map.values().eq(&tree.values().map(|value| value + 1).collect::<Vec<_>>()));
        assert_eq!(format!("{:?}", SortedMap::from_iter([(1, 2)])), "{1: 2}");
        map.clear();
        assert!(map.is_empty() && map.into_iter().next().is_none());
    }
}
