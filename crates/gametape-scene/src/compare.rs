//! On which tiles two scenes differ: `spec/scene.md`, section 9.

use std::collections::HashMap;

use crate::model::{Kind, Scene, Sight, TileAt};

/// What a scene has on a tile, in a number: two tiles with the same number look the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileLook {
    /// Which tile.
    pub at: TileAt,
    /// Owner, kinds and pieces, hashed.
    pub look: u32,
}

/// What a scene has on each tile that its view knows; of a board without tiles, where pieces are.
#[must_use]
pub fn tile_looks(scene: &Scene) -> Vec<TileLook> {
    let Some(board) = &scene.board else { return Vec::new() };
    let mut pieces: HashMap<TileAt, Vec<u32>> = HashMap::new();
    for piece in &board.pieces {
        let Some(at) = piece.at.tile() else { continue };
        let kind = board.kind(piece).map_or(0, of_kind);
        let look = Hash::new().number(kind).number(piece.owner.into()).number(glyph(piece.glyph));
        pieces.entry(at).or_default().push(look.0);
    }
    let kinds: Vec<Vec<u32>> = board
        .layers
        .iter()
        .map(|layer| {
            let named = |kind| Hash(of_kind(kind)).text(&layer.name).0;
            layer.kinds.iter().map(named).collect()
        })
        .collect();
    if board.tiles.is_empty() {
        let looks = pieces.into_iter().map(|(at, pieces)| TileLook { at, look: sum(&pieces) });
        return looks.collect();
    }
    let known =
        board.tiles.iter().enumerate().filter(|(tile, _)| board.sight(*tile) != Sight::Unknown);
    known
        .map(|(tile, at)| {
            let on_it = board.layers.iter().zip(&kinds).filter_map(|(layer, kinds)| {
                kinds.get(usize::from(*layer.cells.get(tile)?).checked_sub(1)?).copied()
            });
            // In any order: two scenes may list the same things differently.
            let on_it = on_it.fold(0, u32::wrapping_add);
            let pieces = pieces.get(at).map_or(0, |pieces| sum(pieces));
            let look = Hash::new().number(board.owner(tile).into()).number(on_it).number(pieces);
            TileLook { at: *at, look: look.0 }
        })
        .collect()
}

/// The tiles that both know and on which they differ. Where a board has no tiles, a position that only one has differs.
#[must_use]
pub fn differing(scene: &Scene, others: &[TileLook]) -> Vec<TileAt> {
    let others: HashMap<TileAt, u32> = others.iter().map(|one| (one.at, one.look)).collect();
    let own = tile_looks(scene);
    let has_tiles = scene.board.as_ref().is_some_and(|board| !board.tiles.is_empty());
    let differs = |one: &&TileLook| match others.get(&one.at) {
        Some(look) => *look != one.look,
        None => !has_tiles,
    };
    let mut found: Vec<TileAt> = own.iter().filter(differs).map(|one| one.at).collect();
    if !has_tiles {
        let is_own = |at: &&TileAt| own.iter().any(|one| one.at == **at);
        found.extend(others.keys().filter(|at| !is_own(at)));
    }
    found.sort_unstable();
    found
}

fn sum(looks: &[u32]) -> u32 {
    looks.iter().fold(1, |sum, look| sum.wrapping_add(*look))
}

fn glyph(glyph: Option<char>) -> u32 {
    glyph.map_or(0, u32::from)
}

fn of_kind(kind: &Kind) -> u32 {
    Hash::new().text(&kind.name).number(glyph(kind.glyph)).0
}

/// FNV-1a: the same numbers on every machine and in every version.
#[derive(Clone, Copy)]
struct Hash(u32);

impl Hash {
    fn new() -> Self {
        Self(0x811c_9dc5)
    }

    fn bytes(self, bytes: &[u8]) -> Self {
        let step = |hash: u32, byte: &u8| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
        Self(bytes.iter().fold(self.0, step))
    }

    fn number(self, number: u32) -> Self {
        self.bytes(&number.to_le_bytes())
    }

    fn text(self, text: &str) -> Self {
        self.bytes(text.as_bytes()).number(text.len() as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Board, Layer, Look, Piece, Shape};
    use crate::palette::Palette;

    fn scene(names: [&str; 3], sight: [Sight; 3]) -> Scene {
        let tiles = (0..3).map(|x| TileAt::new(x, 0)).collect();
        let mut board = Board::new(Shape::Square, tiles);
        board.sight = sight.map(Sight::code).to_vec();
        let kinds = names.map(|name| Kind::new(name, None, Palette::TEXT, Look::Fill)).to_vec();
        board.layers.push(Layer { name: "ground".into(), kinds, cells: vec![1, 2, 3] });
        let mut scene = Scene::new("test");
        scene.board = Some(board);
        scene
    }

    #[test]
    fn only_what_both_know_and_is_different_is_found() {
        let seen = [Sight::Seen; 3];
        let one = scene(["a", "b", "c"], seen);
        let other = scene(["a", "x", "y"], [Sight::Remembered, Sight::Remembered, Sight::Unknown]);
        assert_eq!(differing(&one, &tile_looks(&one)), []);
        assert_eq!(differing(&one, &tile_looks(&other)), [TileAt::new(1, 0)]);
        assert_eq!(differing(&other, &tile_looks(&one)), [TileAt::new(1, 0)]);
        // The order of kinds says nothing.
        let mut turned = one.clone();
        let layer = &mut turned.board.as_mut().unwrap().layers[0];
        layer.kinds.reverse();
        layer.cells.reverse();
        assert_eq!(differing(&turned, &tile_looks(&one)), []);
        let mut owned = one.clone();
        owned.board.as_mut().unwrap().owners = vec![0, 0, 2];
        assert_eq!(differing(&owned, &tile_looks(&one)), [TileAt::new(2, 0)]);
        let mut manned = one.clone();
        let piece = Piece::new("p", 1, TileAt::new(0, 0));
        manned.board.as_mut().unwrap().pieces.push(piece);
        assert_eq!(differing(&manned, &tile_looks(&one)), [TileAt::new(0, 0)]);
    }

    #[test]
    fn without_tiles_positions_are_compared() {
        let free = |at: &[i32]| {
            let mut board = Board::new(Shape::Free, Vec::new());
            board.pieces = at.iter().map(|x| Piece::new("p", 1, TileAt::new(*x, 0))).collect();
            let mut scene = Scene::new("test");
            scene.board = Some(board);
            scene
        };
        let found = differing(&free(&[1, 2]), &tile_looks(&free(&[2, 3])));
        assert_eq!(found, [TileAt::new(1, 0), TileAt::new(3, 0)]);
    }
}
