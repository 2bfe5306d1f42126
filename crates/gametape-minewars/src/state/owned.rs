//! What each player may own, so that an elimination costs no more than what was given before.

use gametape_wire::{Arrange, SortedMap};

/// For each player the tiles and clusters that the player owns, and perhaps some that are no longer so.
///
/// Tiles by index in ring order, clusters by their number after the tiles. It is made by the first
/// elimination, and follows the layers of the state: it is no part of what is known, and all are equal.
#[derive(Debug, Clone, Default)]
pub(super) struct Owned(Option<SortedMap<u8, Vec<u32>>>);

impl PartialEq for Owned {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Owned {}

impl Owned {
    /// `player` owns this now; `most` is how many tiles and clusters there are.
    #[inline]
    pub(super) fn note(&mut self, index: usize, player: u8, most: usize) {
        let Some(lists) = &mut self.0 else { return };
        if player == 0 {
            return;
        }
        let list = lists.or_default(player);
        list.push(index as u32);
        // What changes hands again and again is in the list more than once.
        if list.len() > 2 * most {
            list.arrange();
            list.dedup();
        }
    }

    /// What `player` may own; from here on that is nothing. `owners` has the owners of all tiles and
    /// clusters.
    pub(super) fn take(&mut self, player: u8, owners: impl Iterator<Item = u8>) -> Vec<u32> {
        let lists = self.0.get_or_insert_with(|| {
            let mut lists = SortedMap::<u8, Vec<u32>>::new();
            for (owner, index) in owners.zip(0..).filter(|(owner, _)| *owner != 0) {
                lists.or_default(owner).push(index);
            }
            lists
        });
        lists.remove(&player).unwrap_or_default()
    }

    /// About how many bytes of memory it takes.
    pub(super) fn memory(&self) -> usize {
        let lists = self.0.iter().flat_map(SortedMap::values);
        lists.map(|list| size_of::<Vec<u32>>() + size_of::<u32>() * list.capacity()).sum()
    }
}
