//! The two grids, hexagonal and square, and the ring order in which maps list their tiles.

use std::fmt;

use gametape_wire::Limit;

use crate::map::Coord;

/// The largest map: coordinates are signed bytes.
pub const MAX_RADIUS: Limit = Limit::new("map radius", 127);

/// How tiles touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Grid {
    /// Six neighbours, axial coordinates.
    Hex,
    /// Eight neighbours.
    Square,
}

/// One straight part of a ring: where it starts and where it goes, for ring 1.
struct Side {
    corner: (i16, i16),
    step: (i16, i16),
}

const fn side(corner: (i16, i16), step: (i16, i16)) -> Side {
    Side { corner, step }
}

/// Sides in the order of the walk.
const HEX_SIDES: [Side; 6] = [
    side((-1, 0), (0, 1)),
    side((-1, 1), (1, 0)),
    side((0, 1), (1, -1)),
    side((1, 0), (0, -1)),
    side((1, -1), (-1, 0)),
    side((0, -1), (-1, 1)),
];

const SQUARE_SIDES: [Side; 4] =
    [side((-1, -1), (0, 1)), side((-1, 1), (1, 0)), side((1, 1), (0, -1)), side((1, -1), (-1, 0))];

const HEX_NEIGHBOURS: [(i8, i8); 6] = [(-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)];
const SQUARE_NEIGHBOURS: [(i8, i8); 8] =
    [(-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1)];

impl Grid {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Hex, Self::Square];

    /// The name that text, JSON and command line use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hex => "hex",
            Self::Square => "square",
        }
    }

    /// How many tiles a map of `radius` has.
    #[must_use]
    pub const fn tile_count(self, radius: u8) -> usize {
        let r = radius as usize;
        match self {
            Self::Hex => 1 + 3 * r * (r + 1),
            Self::Square => (2 * r + 1) * (2 * r + 1),
        }
    }

    /// The ring a tile lies on: its distance from the centre, which is up to 256 in the corners of
    /// what coordinates can say.
    #[must_use]
    #[inline]
    pub const fn ring_of(self, tile: Coord) -> u16 {
        let (y, x) = (tile.y as i16, tile.x as i16);
        let straight = max(y.abs(), x.abs());
        match self {
            Self::Hex => max(straight, (x + y).abs()) as u16,
            Self::Square => straight as u16,
        }
    }

    /// Is `tile` part of a map of `radius`?
    #[must_use]
    #[inline]
    pub const fn contains(self, radius: u8, tile: Coord) -> bool {
        self.ring_of(tile) <= radius as u16
    }

    /// The index of a tile in ring order, the same for maps of every size; none beyond ring 127.
    ///
    /// ```
    /// use gametape_minewars::{Coord, Grid};
    ///
    /// assert_eq!(Grid::Hex.index_of(Coord::new(-1, 0)), Some(1));
    /// assert_eq!(Grid::Hex.coord_at(1), Some(Coord::new(-1, 0)));
    /// assert_eq!(Grid::Hex.index_of(Coord::new(127, 1)), None);
    /// ```
    #[must_use]
    #[inline]
    pub const fn index_of(self, tile: Coord) -> Option<usize> {
        let ring = self.ring_of(tile);
        if ring as u64 > MAX_RADIUS.max {
            return None;
        }
        if ring == 0 {
            return Some(0);
        }
        let along = match self {
            Self::Hex => hex_steps(tile, ring as i16),
            Self::Square => square_steps(tile, ring as i16),
        };
        Some(self.tile_count(ring as u8 - 1) + along as usize)
    }

    /// The tile at an index in ring order; none beyond ring 127.
    #[must_use]
    pub fn coord_at(self, index: usize) -> Option<Coord> {
        if index == 0 {
            return Some(Coord::CENTRE);
        }
        if index >= self.tile_count(127) {
            return None;
        }
        let ring = match self {
            Self::Hex => (3 + (12 * index - 3).isqrt()) / 6,
            Self::Square => index.isqrt().div_ceil(2),
        } as u8;
        let along = index - self.tile_count(ring - 1);
        let side_length = self.side_length(ring);
        let side = &self.sides()[along / side_length];
        Some(side.tile(ring, (along % side_length) as i16))
    }

    /// All tiles of a map of `radius` in ring order; a radius over 127 counts as 127.
    pub fn coords(self, radius: u8) -> impl Iterator<Item = Coord> {
        let outermost = radius.min(MAX_RADIUS.max as u8);
        std::iter::once(Coord::CENTRE).chain((1..=outermost).flat_map(move |r| self.ring(r)))
    }

    /// The tiles that touch `tile`, as far as coordinates reach; the map may end before them.
    pub fn neighbours(self, tile: Coord) -> impl Iterator<Item = Coord> {
        let steps: &[(i8, i8)] = match self {
            Self::Hex => &HEX_NEIGHBOURS,
            Self::Square => &SQUARE_NEIGHBOURS,
        };
        steps.iter().filter_map(move |&(dy, dx)| {
            Some(Coord::new(tile.y.checked_add(dy)?, tile.x.checked_add(dx)?))
        })
    }

    /// Brings bytes that `mw_datatool` listed in its own ring order into ours, ring by ring.
    pub(crate) fn reorder_from_mw_datatool(self, bytes: &mut [u8]) {
        let mut rest = bytes.get_mut(1..).unwrap_or_default();
        for r in 1.. {
            let length = self.sides().len() * self.side_length(r);
            let Some((ring, outer)) = rest.split_at_mut_checked(length) else { return };
            match self {
                Self::Hex => ring.rotate_right(4 * usize::from(r)),
                Self::Square => ring[1..].reverse(),
            }
            rest = outer;
        }
    }

    fn ring(self, r: u8) -> impl Iterator<Item = Coord> {
        let steps = 0..self.side_length(r) as i16;
        self.sides().iter().flat_map(move |side| steps.clone().map(move |s| side.tile(r, s)))
    }

    const fn sides(self) -> &'static [Side] {
        match self {
            Self::Hex => &HEX_SIDES,
            Self::Square => &SQUARE_SIDES,
        }
    }

    const fn side_length(self, ring: u8) -> usize {
        match self {
            Self::Hex => ring as usize,
            Self::Square => 2 * ring as usize,
        }
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Side {
    fn tile(&self, ring: u8, steps: i16) -> Coord {
        let along = |corner, step| (corner * i16::from(ring) + step * steps) as i8;
        Coord::new(along(self.corner.0, self.step.0), along(self.corner.1, self.step.1))
    }
}

/// Steps from the start of ring `r` to `tile`: bottom row, top row, then the right and left flanks,
/// each of which is two sides that continue one count of rows.
const fn hex_steps(tile: Coord, r: i16) -> i16 {
    let (y, x) = (tile.y as i16, tile.x as i16);
    if y == -r && x < r {
        x
    } else if y == r && x > -r {
        3 * r - x
    } else if 2 * x + y > 0 {
        2 * r + y
    } else {
        5 * r - y
    }
}

/// The same on the square grid.
const fn square_steps(tile: Coord, r: i16) -> i16 {
    let (y, x) = (tile.y as i16, tile.x as i16);
    if y == -r && x < r {
        r + x
    } else if x == r && y < r {
        3 * r + y
    } else if y == r && x > -r {
        5 * r - x
    } else {
        7 * r - y
    }
}

const fn max(a: i16, b: i16) -> i16 {
    if a > b { a } else { b }
}
