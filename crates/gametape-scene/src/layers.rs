//! Building a layer tile by tile.

use std::collections::BTreeMap;

use crate::model::{Kind, Layer};

/// The most kinds that a layer can have: its cells are bytes.
const MOST_KINDS: usize = 254;

/// A layer being built: kinds by a key that also orders them.
#[derive(Debug)]
pub(crate) struct LayerBuilder<K> {
    name: &'static str,
    kinds: BTreeMap<K, (u8, Kind)>,
    /// Numbers in the order in which kinds came.
    cells: Vec<u8>,
}

impl<K: Ord> LayerBuilder<K> {
    /// A layer of this many tiles with nothing on them.
    pub(crate) fn new(name: &'static str, tiles: usize) -> Self {
        Self { name, kinds: BTreeMap::new(), cells: vec![0; tiles] }
    }

    /// Puts a kind on a tile. Kinds beyond the most are left out.
    pub(crate) fn put(&mut self, tile: usize, key: K, kind: impl FnOnce(&K) -> Kind) {
        let count = self.kinds.len();
        let number = match self.kinds.get(&key) {
            Some((number, _)) => *number,
            None if count >= MOST_KINDS => return,
            None => {
                let number = count as u8 + 1;
                let kind = kind(&key);
                self.kinds.insert(key, (number, kind));
                number
            }
        };
        if let Some(cell) = self.cells.get_mut(tile) {
            *cell = number;
        }
    }

    /// The layer, with kinds in the order of their keys; none where nothing was put.
    pub(crate) fn finish(self) -> Option<Layer> {
        let mut order = [0u8; 256];
        let mut kinds = Vec::with_capacity(self.kinds.len());
        for (number, kind) in self.kinds.into_values() {
            kinds.push(kind);
            order[usize::from(number)] = kinds.len() as u8;
        }
        let cells = self.cells.into_iter().map(|cell| order[usize::from(cell)]).collect();
        (!kinds.is_empty()).then(|| Layer { name: self.name.to_owned(), kinds, cells })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Look;
    use crate::palette::Palette;

    #[test]
    fn kinds_beyond_the_most_are_left_out() {
        let mut builder = LayerBuilder::new("kinds", 300);
        for number in (0..300).rev() {
            let kind = |key: &usize| Kind::new(&key.to_string(), None, Palette::TEXT, Look::Text);
            builder.put(number, number, kind);
        }
        let layer = builder.finish().unwrap();
        // The last ones came first, and kinds are in the order of their keys.
        assert_eq!(layer.kinds.len(), MOST_KINDS);
        let first = 300 - MOST_KINDS;
        for tile in 0..300 {
            let expected = (tile >= first).then(|| tile.to_string());
            assert_eq!(layer.kind(tile).map(|kind| kind.name.clone()), expected);
        }
    }
}
