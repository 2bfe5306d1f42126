//! The compression dictionary of v0.1 frames, made from the setup.

use crate::map::{Map, TileKind};
use gametape_wire::Arrange;

/// The stun that the dictionary's samples assume, in ticks, as it is written.
const BASE_STUN: [u8; 2] = 1000u16.to_be_bytes();

/// The dictionary with which v0.1 frames may be compressed.
///
/// Its samples look like frames of an older opcode table; they are literal bytes.
#[must_use]
pub fn frame_dictionary(map: &Map, players: u8, cities: u8) -> Vec<u8> {
    let mut bytes = sorted_tiles(map, TileKind::is_land);
    bytes.extend(sorted_tiles(map, |kind| kind == TileKind::Mountain));
    let all_players = || 1..=players;
    let all_pairs = || (0..cities).flat_map(move |c| all_players().map(move |p| (c, p)));

    bytes.extend(all_players().flat_map(|p| [0x03, mask(p), 0x07]));
    bytes.extend(all_players().flat_map(|p| [0x01, 0xFF, 0x88 | p & 7]));
    bytes
        .extend(all_players().flat_map(|p| [0x03, 0xFF, 0x80 | p & 7, BASE_STUN[0], BASE_STUN[1]]));
    bytes.extend(all_pairs().flat_map(|(c, p)| capture(c, p, 0x01)));
    bytes.extend(all_pairs().flat_map(|(c, p)| capture(c, p, 0x00)));
    bytes
}

/// A city's resources and one tile that a player captured, fertile or not.
fn capture(city: u8, player: u8, fertile: u8) -> [u8; 6] {
    [0x05, mask(player), 0x60 | city & 15, 0x01, fertile, 0x80 | (player & 7) << 4]
}

/// A homogenous frame for the spectator and one player.
fn mask(player: u8) -> u8 {
    0x81 | 1 << (player & 7)
}

/// The tiles whose kind is `wanted`, as the wire writes them, sorted as unsigned bytes.
fn sorted_tiles(map: &Map, wanted: impl Fn(TileKind) -> bool) -> Vec<u8> {
    let mut tiles: Vec<[u8; 2]> = map
        .tiles()
        .filter(|(_, tile)| wanted(tile.kind))
        .map(|(coord, _)| coord.to_wire())
        .collect();
    tiles.arrange();
    tiles.into_flattened()
}

#[cfg(test)]
mod tests {
    use crate::Generation;

    use super::*;
    use crate::map::Grid;

    #[test]
    fn the_worked_example_of_the_specification() {
        let tiles = [6, 2, 0, 7, 3, 4, 5];
        let map = Map::from_bytes(Generation::V01.into(), Grid::Hex, 1, &tiles, 0).unwrap();
        #[rustfmt::skip]
        let expected = [
            0x00, 0x00,  0x00, 0x01,  0x00, 0xFF,  0x01, 0xFF,
            0xFF, 0x00,
            0x03, 0x83, 0x07,  0x03, 0x85, 0x07,
            0x01, 0xFF, 0x89,  0x01, 0xFF, 0x8A,
            0x03, 0xFF, 0x81, 0x03, 0xE8,  0x03, 0xFF, 0x82, 0x03, 0xE8,
            0x05, 0x83, 0x60, 0x01, 0x01, 0x90,  0x05, 0x85, 0x60, 0x01, 0x01, 0xA0,
            0x05, 0x83, 0x60, 0x01, 0x00, 0x90,  0x05, 0x85, 0x60, 0x01, 0x00, 0xA0,
        ];
        assert_eq!(frame_dictionary(&map, 2, 1), expected);
    }

    #[test]
    fn numbers_are_cut_to_their_fields() {
        let map = Map::from_bytes(Generation::V01.into(), Grid::Hex, 0, &[0], 0).unwrap();
        let bytes = frame_dictionary(&map, 1, 17);
        assert_eq!(bytes[bytes.len() - 6..], [0x05, 0x83, 0x60, 0x01, 0x00, 0x90]);
    }
}
