//! Where tiles are in the picture: +x points right, +y up.

use gametape_minewars::{Coord, Grid};

use super::canvas::Point;

/// Half the height of a hexagon that is 1 wide.
const HEX_REACH: f32 = 0.577_350_3;

/// Corners of a hexagon around its centre, from the top clockwise, in widths.
const HEX_CORNERS: [Point; 6] = [
    (0.0, -HEX_REACH),
    (0.5, -HEX_REACH / 2.0),
    (0.5, HEX_REACH / 2.0),
    (0.0, HEX_REACH),
    (-0.5, HEX_REACH / 2.0),
    (-0.5, -HEX_REACH / 2.0),
];
/// The neighbour (y, x) across the edge that begins at each corner.
const HEX_ACROSS: [(i8, i8); 6] = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)];

const SQUARE_CORNERS: [Point; 4] = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
const SQUARE_ACROSS: [(i8, i8); 4] = [(1, 0), (0, 1), (-1, 0), (0, -1)];

/// Turns coordinates into pixels.
pub(super) struct Geometry {
    grid: Grid,
    scale: f32,
    /// The centre of the map.
    middle: Point,
    /// Width and height of the map.
    pub(super) size: Point,
}

impl Geometry {
    /// A map whose tiles are `scale` pixels wide, with a margin around it.
    pub(super) fn new(grid: Grid, radius: u8, scale: u16, margin: f32) -> Self {
        let (scale, radius) = (f32::from(scale), f32::from(radius));
        let across = (2.0 * radius + 1.0) * scale;
        let high = match grid {
            Grid::Hex => (3.0 * radius + 2.0) * HEX_REACH * scale,
            Grid::Square => across,
        };
        let size = (across + 2.0 * margin, high + 2.0 * margin);
        Self { grid, scale, middle: (size.0 / 2.0, size.1 / 2.0), size }
    }

    /// Width of a tile.
    pub(super) fn scale(&self) -> f32 {
        self.scale
    }

    /// The centre of a tile.
    pub(super) fn centre(&self, at: Coord) -> Point {
        let (y, x) = (f32::from(at.y), f32::from(at.x));
        let (right, up) = match self.grid {
            Grid::Hex => (x + y / 2.0, y * 1.5 * HEX_REACH),
            Grid::Square => (x, y),
        };
        (self.middle.0 + right * self.scale, self.middle.1 - up * self.scale)
    }

    /// The corners of a tile.
    pub(super) fn corners(&self, at: Coord) -> impl Iterator<Item = Point> {
        let corners: &[Point] = match self.grid {
            Grid::Hex => &HEX_CORNERS,
            Grid::Square => &SQUARE_CORNERS,
        };
        let (centre, scale) = (self.centre(at), self.scale);
        corners.iter().map(move |(x, y)| (centre.0 + x * scale, centre.1 + y * scale))
    }

    /// The edges of a tile: from, to, and the tile on the other side as far as there is one.
    pub(super) fn edges(&self, at: Coord) -> Vec<(Point, Point, Option<Coord>)> {
        let across: &[(i8, i8)] = match self.grid {
            Grid::Hex => &HEX_ACROSS,
            Grid::Square => &SQUARE_ACROSS,
        };
        let corners: Vec<Point> = self.corners(at).collect();
        let ends = corners.iter().cycle().skip(1);
        let beyond = across
            .iter()
            .map(|(dy, dx)| Some(Coord::new(at.y.checked_add(*dy)?, at.x.checked_add(*dx)?)));
        corners
            .iter()
            .zip(ends)
            .zip(beyond)
            .map(|((from, to), other)| (*from, *to, other))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_the_edge_between_them() {
        for grid in Grid::ALL {
            let geometry = Geometry::new(grid, 2, 10, 0.0);
            for (from, to, other) in geometry.edges(Coord::CENTRE) {
                let back = geometry.edges(other.unwrap());
                let near = |a: Point, b: Point| (a.0 - b.0).hypot(a.1 - b.1) < 0.01;
                let shared = back.iter().find(|edge| edge.2 == Some(Coord::CENTRE)).unwrap();
                assert!(near(shared.0, to) && near(shared.1, from), "{grid} {other:?}");
            }
        }
    }

    #[test]
    fn the_map_fills_its_frame_and_y_points_up() {
        for grid in Grid::ALL {
            let geometry = Geometry::new(grid, 3, 10, 5.0);
            let points: Vec<Point> =
                grid.coords(3).flat_map(|at| geometry.corners(at).collect::<Vec<_>>()).collect();
            let least = points.iter().map(|p| p.0.min(p.1)).fold(f32::MAX, f32::min);
            let right = points.iter().map(|p| p.0).fold(f32::MIN, f32::max);
            assert!((least - 5.0).abs() < 0.01, "{grid} {least}");
            assert!((right - (geometry.size.0 - 5.0)).abs() < 0.01, "{grid} {right}");
            assert!(geometry.centre(Coord::new(1, 0)).1 < geometry.centre(Coord::CENTRE).1);
        }
    }
}
