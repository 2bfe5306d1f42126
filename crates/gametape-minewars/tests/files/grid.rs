//! Ring order against drawings made by hand, and against a walk that follows the specification's
//! words step by step.

use gametape_minewars::Generation;
use gametape_minewars::{Coord, Dialect, Grid, Map};
use proptest::prelude::*;

/// Rows of a drawing from the top, that is from the highest y; in each row x goes up to the right.
/// Gives the tile of every number, in order.
fn drawn(rows: &str, lowest_x: impl Fn(i8) -> i8) -> Vec<Coord> {
    let rows: Vec<Vec<usize>> = rows
        .lines()
        .map(|row| row.split_whitespace().map(|n| n.parse().unwrap()).collect())
        .collect();
    let top = rows.len() as i8 / 2;
    let mut tiles = vec![None; rows.iter().map(Vec::len).sum()];
    for (y, row) in (-top..=top).rev().zip(&rows) {
        for (x, &number) in (lowest_x(y)..).zip(row) {
            tiles[number] = Some(Coord::new(y, x));
        }
    }
    tiles.into_iter().map(Option::unwrap).collect()
}

fn drawn_hex(rows: &str) -> Vec<Coord> {
    drawn(rows, |y| -2 - y.min(0))
}

fn drawn_square(rows: &str) -> Vec<Coord> {
    drawn(rows, |_| -2)
}

const HEX: &str = "\
    15  14  13
  16   5   4  12
17   6   0   3  11
  18   1   2  10
     7   8   9";

const SQUARE: &str = "\
21  20  19  18  17
22   7   6   5  16
23   8   0   4  15
24   1   2   3  14
 9  10  11  12  13";

const TOOL_HEX: &str = "\
     7  18  17
   8   1   6  16
 9   2   0   5  15
  10   3   4  14
    11  12  13";

const TOOL_SQUARE: &str = "\
13  14  15  16  17
12   3   4   5  18
11   2   0   6  19
10   1   8   7  20
 9  24  23  22  21";

#[test]
fn the_drawings_name_the_tiles_they_should() {
    let hex = drawn_hex(HEX);
    assert_eq!(hex[0], Coord::CENTRE);
    assert_eq!([hex[1], hex[2], hex[3]], [Coord::new(-1, 0), Coord::new(-1, 1), Coord::new(0, 1)]);
    assert_eq!(
        [hex[7], hex[9], hex[15]],
        [Coord::new(-2, 0), Coord::new(-2, 2), Coord::new(2, -2)]
    );
    assert_eq!(drawn_square(SQUARE)[9], Coord::new(-2, -2));
}

#[test]
fn rings_run_as_drawn() {
    for (grid, tiles) in [(Grid::Hex, drawn_hex(HEX)), (Grid::Square, drawn_square(SQUARE))] {
        assert_eq!(grid.coords(2).collect::<Vec<_>>(), tiles);
        for (index, &tile) in tiles.iter().enumerate() {
            assert_eq!(grid.index_of(tile), Some(index), "{grid} {tile}");
            assert_eq!(grid.coord_at(index), Some(tile), "{grid} {index}");
        }
    }
}

/// Region bytes number the tiles, so the map shows where the tool's order put each one.
#[test]
fn the_public_tools_rings_run_as_drawn() {
    let drawings = [(Grid::Hex, drawn_hex(TOOL_HEX)), (Grid::Square, drawn_square(TOOL_SQUARE))];
    for (grid, tiles) in drawings {
        let numbers = (0..tiles.len() as u8).collect::<Vec<_>>();
        let raw = [vec![0; tiles.len()], numbers].concat();
        let map = Map::from_bytes(Dialect::MwDatatool, grid, 2, &raw, 0).unwrap();
        for (&tile, number) in tiles.iter().zip(0..) {
            assert_eq!(map.region(tile), Some(number), "{grid} {tile}");
        }
    }
}

type Step = (i16, i16);

/// The walk in the specification's words: start, then this many steps in each direction.
fn walk(radius: u8, start: Step, directions: &[Step], steps_per_ring: i16) -> Vec<Coord> {
    let mut tiles = vec![Coord::CENTRE];
    for r in 1..=i16::from(radius) {
        let (mut y, mut x) = (start.0 * r, start.1 * r);
        for &(dy, dx) in directions {
            for _ in 0..steps_per_ring * r {
                tiles.push(Coord::new(y as i8, x as i8));
                (y, x) = (y + dy, x + dx);
            }
        }
    }
    tiles
}

#[test]
fn the_largest_maps_follow_the_walk_and_every_place_is_found_both_ways() {
    let hex = [(0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1)];
    let square = [(0, 1), (1, 0), (0, -1), (-1, 0)];
    let walks =
        [(Grid::Hex, walk(127, (-1, 0), &hex, 1)), (Grid::Square, walk(127, (-1, -1), &square, 2))];
    for (grid, walked) in walks {
        assert_eq!(walked.len(), grid.tile_count(127));
        assert!(grid.coords(127).eq(walked.iter().copied()));
        for (index, &tile) in walked.iter().enumerate() {
            assert_eq!(grid.index_of(tile), Some(index), "{grid} {tile}");
            assert_eq!(grid.coord_at(index), Some(tile), "{grid} {index}");
        }
        assert_eq!(grid.coord_at(walked.len()), None);
        assert_eq!(grid.coord_at(usize::MAX), None);
    }
}

#[test]
fn the_public_tools_walks_match_on_the_largest_maps() {
    let hex = [(-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)];
    let square = [(1, 0), (0, 1), (-1, 0), (0, -1)];
    let walks =
        [(Grid::Hex, walk(127, (1, -1), &hex, 1)), (Grid::Square, walk(127, (-1, -1), &square, 2))];
    for (grid, walked) in walks {
        let mark = |tile: &Coord| (tile.y as u8).wrapping_mul(31).wrapping_add(tile.x as u8) % 255;
        let raw: Vec<u8> =
            std::iter::repeat_n(0, walked.len()).chain(walked.iter().map(mark)).collect();
        let map = Map::from_bytes(Dialect::MwDatatool, grid, 127, &raw, 0).unwrap();
        assert!(walked.iter().all(|tile| map.region(*tile) == Some(mark(tile))));
    }
}

#[test]
fn a_place_beyond_the_coordinates_of_a_map_is_none() {
    for tile in [Coord::new(-128, 0), Coord::new(127, 127), Coord::new(-128, -128)] {
        assert_eq!(Grid::Hex.index_of(tile), None);
    }
    assert_eq!(Grid::Square.index_of(Coord::new(-128, 0)), None);
    assert!(Grid::Square.index_of(Coord::new(-127, 127)).is_some());
}

#[test]
fn neighbours_are_one_step_away() {
    let around: Vec<Coord> = Grid::Hex.neighbours(Coord::CENTRE).collect();
    let expected = [(-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)];
    assert_eq!(around, expected.map(|(y, x)| Coord::new(y, x)));
    assert_eq!(Grid::Square.neighbours(Coord::CENTRE).count(), 8);
    assert_eq!(Grid::Square.neighbours(Coord::new(127, 127)).count(), 3);
    assert_eq!(Grid::Hex.neighbours(Coord::new(127, 127)).count(), 2);
}

proptest! {
    #[test]
    fn touching_is_mutual_and_changes_the_ring_by_at_most_one(y: i8, x: i8, square: bool) {
        let grid = if square { Grid::Square } else { Grid::Hex };
        let tile = Coord::new(y, x);
        for other in grid.neighbours(tile) {
            prop_assert!(grid.neighbours(other).any(|back| back == tile));
            prop_assert!(grid.ring_of(tile).abs_diff(grid.ring_of(other)) <= 1);
        }
    }

    #[test]
    fn maps_survive_their_bytes(tiles in prop::collection::vec(any::<u8>(), 19), has_cities: bool) {
        let raw = if has_cities { [tiles.clone(), tiles.clone()].concat() } else { tiles };
        let map = Map::from_bytes(Dialect::Current, Grid::Hex, 2, &raw, 0).unwrap();
        prop_assert_eq!(map.to_bytes(Generation::Current, has_cities).unwrap(), raw);
    }
}
