//! Where tiles and pieces are on paper: x to the right, y down, in widths of a tile.

use crate::model::{Board, Position, Shape, TileAt};

/// Half the height of a hexagon that is 1 wide.
const HEX_REACH: f32 = 0.577_350_3;
/// Rows of hexagons are that far apart.
const HEX_ROW: f32 = 1.5 * HEX_REACH;

/// Corners of a hexagon around its centre, from the top clockwise.
const HEX_CORNERS: [(f32, f32); 6] = [
    (0.0, -HEX_REACH),
    (0.5, -HEX_REACH / 2.0),
    (0.5, HEX_REACH / 2.0),
    (0.0, HEX_REACH),
    (-0.5, HEX_REACH / 2.0),
    (-0.5, -HEX_REACH / 2.0),
];
/// The neighbour (x, y) across the edge that begins at each corner, where y grows upwards.
const HEX_ACROSS: [(i32, i32); 6] = [(0, 1), (1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1)];

const SQUARE_CORNERS: [(f32, f32); 4] = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
const SQUARE_ACROSS: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

/// Which way each edge of a tile looks, in the order of the corners at which they begin.
const HEX_NORMALS: [(f32, f32); 6] = [
    (0.5, -0.866_025_4),
    (1.0, 0.0),
    (0.5, 0.866_025_4),
    (-0.5, 0.866_025_4),
    (-1.0, 0.0),
    (-0.5, -0.866_025_4),
];
const SQUARE_NORMALS: [(f32, f32); 4] = [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)];

/// A board with more tiles than this side by side is scaled.
const MAX_TILES: f32 = 1024.0;
/// What a board without tiles, or with too many, is scaled to.
const SCALED: (f32, f32) = (48.0, 32.0);
/// Positions beyond this are not shown.
const FARTHEST: f32 = 1e30;

/// Where tiles and pieces of a board are on paper.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    shape: Shape,
    up: bool,
    /// The upper left corner of everything, unscaled.
    origin: (f32, f32),
    /// Width and height of everything, in tiles.
    size: (f32, f32),
    /// How much it was made smaller or larger.
    factor: (f32, f32),
}

impl Layout {
    /// The layout of a board; none where it has neither tiles nor pieces.
    #[must_use]
    pub fn of(board: &Board) -> Option<Self> {
        let mut layout = Self {
            shape: board.shape,
            up: board.up,
            origin: (0.0, 0.0),
            size: (0.0, 0.0),
            factor: (1.0, 1.0),
        };
        let tiles = board.tiles.iter().map(|tile| Position::from(*tile));
        let pieces = board.pieces.iter().map(|piece| piece.at);
        let shown = tiles.chain(pieces).filter(is_shown).map(|at| layout.raw(at));
        let bounds = shown.fold(None, |bounds: Option<[f32; 4]>, (x, y)| {
            let [left, top, right, bottom] = bounds.unwrap_or([x, y, x, y]);
            Some([left.min(x), top.min(y), right.max(x), bottom.max(y)])
        });
        let [left, top, right, bottom] = bounds?;
        let half = if board.shape == Shape::Hex { HEX_REACH } else { 0.5 };
        let (width, height) = (right - left, bottom - top);
        if board.shape == Shape::Free || width > MAX_TILES || height > MAX_TILES {
            layout.shape = Shape::Free;
            layout.scale((left, top), (width, height));
        } else {
            layout.origin = (left - 0.5, top - half);
            layout.size = (width + 1.0, height + 2.0 * half);
        }
        Some(layout)
    }

    /// Scales everything into a frame of its own, with the same factor both ways where both ways
    /// have some extent.
    fn scale(&mut self, corner: (f32, f32), (width, height): (f32, f32)) {
        let fit = |extent: f32, room: f32| if extent > 0.0 { room / extent } else { f32::INFINITY };
        let factor = fit(width, SCALED.0 - 1.0).min(fit(height, SCALED.1 - 1.0));
        let factor = if factor.is_finite() && factor > 0.0 { factor } else { 1.0 };
        self.factor = (factor, factor);
        self.origin = (corner.0 - 0.5 / factor, corner.1 - 0.5 / factor);
        self.size = (width * factor + 1.0, height * factor + 1.0);
    }

    /// Are positions those of tiles that touch?
    #[must_use]
    pub fn has_tiles(&self) -> bool {
        self.shape != Shape::Free
    }

    /// Width and height of everything, in tiles.
    #[must_use]
    pub fn size(&self) -> (f32, f32) {
        self.size
    }

    /// The centre of a tile, or the point of a piece; none where it cannot be shown.
    #[must_use]
    pub fn point(&self, at: impl Into<Position>) -> Option<(f32, f32)> {
        let at = at.into();
        is_shown(&at).then(|| {
            let (x, y) = self.raw(at);
            ((x - self.origin.0) * self.factor.0, (y - self.origin.1) * self.factor.1)
        })
    }

    /// Where a heat map counts something: its tile, or a square of the frame of free positions; none outside of it.
    pub(crate) fn heat_cell(&self, at: Position) -> Option<TileAt> {
        if self.has_tiles() {
            return at.tile();
        }
        let (x, y) = self.point(at)?;
        let is_inside = (0.0..=self.size.0).contains(&x) && (0.0..=self.size.1).contains(&y);
        is_inside.then(|| TileAt::new(x as i32, y as i32))
    }

    /// Unscaled, y down.
    fn raw(&self, at: Position) -> (f32, f32) {
        let down = if self.up { -at.y } else { at.y };
        match self.shape {
            Shape::Hex => (at.x + at.y / 2.0, down * HEX_ROW),
            Shape::Square | Shape::Free => (at.x, down),
        }
    }

    /// The tile that would be at a point, whether or not the board has it; none on a board of free positions.
    #[must_use]
    pub fn tile_at(&self, point: (f32, f32)) -> Option<TileAt> {
        self.spot(point).map(|spot| spot.tile)
    }

    /// Which tile a point is on, and how near to which edge.
    pub(crate) fn spot(&self, point: (f32, f32)) -> Option<Spot> {
        let (x, y) = (point.0 + self.origin.0, point.1 + self.origin.1);
        let up = if self.up { -1.0 } else { 1.0 };
        let tile = match self.shape {
            Shape::Hex => {
                let row = up * y / HEX_ROW;
                rounded_hex(x - row / 2.0, row)
            }
            Shape::Square => (nearest(x), nearest(up * y)),
            Shape::Free => return None,
        };
        let tile = Position { x: tile.0, y: tile.1 };
        let centre = self.raw(tile);
        let (dx, dy) = (x - centre.0, y - centre.1);
        let across = |normals: &[(f32, f32)]| {
            let reaches = normals.iter().map(|(x, y)| dx * x + dy * y);
            let farther =
                |most: (usize, f32), one: (usize, f32)| if one.1 >= most.1 { one } else { most };
            reaches.enumerate().fold((0, f32::MIN), farther)
        };
        let (edge, reach) = match self.shape {
            Shape::Hex => across(&HEX_NORMALS),
            Shape::Square | Shape::Free => across(&SQUARE_NORMALS),
        };
        // Beyond this, floats do not know every integer.
        let is_near = tile.x.abs().max(tile.y.abs()) < 16_777_216.0;
        is_near.then(|| {
            let tile = TileAt::new(tile.x as i32, tile.y as i32);
            Spot { tile, edge, distance: 0.5 - reach }
        })
    }

    /// The corners of a tile around its centre.
    #[must_use]
    pub fn corners(&self) -> &'static [(f32, f32)] {
        match self.shape {
            Shape::Hex => &HEX_CORNERS,
            Shape::Square | Shape::Free => &SQUARE_CORNERS,
        }
    }

    /// The tiles across the edges that begin at each of the [corners](Self::corners).
    pub fn across(&self, at: TileAt) -> impl Iterator<Item = TileAt> {
        let steps: &[(i32, i32)] = match self.shape {
            Shape::Hex => &HEX_ACROSS,
            Shape::Square | Shape::Free => &SQUARE_ACROSS,
        };
        let (hex, up) = (self.shape == Shape::Hex, self.up);
        steps.iter().map(move |&(dx, dy)| {
            // Rows of hexagons lean right as y grows: downwards they lean the other way on paper.
            let (dx, dy) = match (up, hex) {
                (true, _) => (dx, dy),
                (false, false) => (dx, -dy),
                (false, true) => (dx + dy, -dy),
            };
            TileAt::new(at.x.wrapping_add(dx), at.y.wrapping_add(dy))
        })
    }
}

/// A point on a tile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spot {
    pub(crate) tile: TileAt,
    /// The nearest edge: it begins at the corner with this index.
    pub(crate) edge: usize,
    /// How far the edge is, in widths of a tile.
    pub(crate) distance: f32,
}

/// The hexagon in which a point of axial coordinates is.
fn rounded_hex(x: f32, y: f32) -> (f32, f32) {
    // The three axes of a hexagon always add up to 0; the one that was rounded most follows from the others.
    let z = -x - y;
    let (rx, ry, rz) = (nearest(x), nearest(y), nearest(z));
    let (dx, dy, dz) = ((rx - x).abs(), (ry - y).abs(), (rz - z).abs());
    if dx > dy && dx > dz {
        (-ry - rz, ry)
    } else if dy > dz {
        (rx, -rx - rz)
    } else {
        (rx, ry)
    }
}

/// The nearest whole number. *Why not `round`: it is a call where `floor` is an instruction, and this is done for every pixel.*
fn nearest(value: f32) -> f32 {
    (value + 0.5).floor()
}

fn is_shown(at: &Position) -> bool {
    at.x.abs() < FARTHEST && at.y.abs() < FARTHEST
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(shape: Shape, up: bool) -> Board {
        let tiles = (-2..=2).flat_map(|y| (-2..=2).map(move |x| TileAt::new(x, y))).collect();
        Board { up, ..Board::new(shape, tiles) }
    }

    #[test]
    fn neighbours_share_the_edge_between_them() {
        for (shape, up) in
            [(Shape::Hex, true), (Shape::Hex, false), (Shape::Square, true), (Shape::Square, false)]
        {
            let layout = Layout::of(&board(shape, up)).unwrap();
            let (x, y) = layout.point(TileAt::new(0, 0)).unwrap();
            let corners = layout.corners();
            for (i, other) in layout.across(TileAt::new(0, 0)).enumerate() {
                let (from, to) = (corners[i], corners[(i + 1) % corners.len()]);
                let middle = (x + (from.0 + to.0) / 2.0, y + (from.1 + to.1) / 2.0);
                let beside = layout.point(other).unwrap();
                let half = ((x + beside.0) / 2.0, (y + beside.1) / 2.0);
                let gap = (half.0 - middle.0).hypot(half.1 - middle.1);
                assert!(gap < 1e-4, "{shape:?} up {up}: {other:?} is {gap} away");
            }
        }
    }

    #[test]
    fn the_board_fills_its_frame_and_up_is_up() {
        for (shape, up) in [(Shape::Hex, true), (Shape::Square, false)] {
            let board = board(shape, up);
            let layout = Layout::of(&board).unwrap();
            let points = board.tiles.iter().flat_map(|tile| {
                let (x, y) = layout.point(*tile).unwrap();
                layout.corners().iter().map(move |corner| (x + corner.0, y + corner.1))
            });
            let (mut least, mut most) = ((9.0f32, 9.0f32), (0.0f32, 0.0f32));
            for (x, y) in points {
                least = (least.0.min(x), least.1.min(y));
                most = (most.0.max(x), most.1.max(y));
            }
            assert!(least.0.abs() < 1e-4 && least.1.abs() < 1e-4, "{least:?}");
            let size = layout.size();
            assert!((most.0 - size.0).abs() < 1e-4 && (most.1 - size.1).abs() < 1e-4);
            let higher = layout.point(TileAt::new(0, 1)).unwrap().1;
            assert_eq!(higher < layout.point(TileAt::new(0, 0)).unwrap().1, up);
        }
    }

    #[test]
    fn any_positions_fit_the_frame() {
        for far in [0.0, 1e-30, 1.0, 1e9, 1e29, f32::NAN, f32::INFINITY] {
            let mut board = Board::new(Shape::Free, Vec::new());
            for (x, y) in [(0.0, 0.0), (far, 1.0), (5.0, far)] {
                board.pieces.push(crate::Piece::new("p", 1, [x, y]));
            }
            let layout = Layout::of(&board).unwrap();
            assert!(layout.size().0 <= SCALED.0 + 0.1 && layout.size().1 <= SCALED.1 + 0.1);
            for piece in &board.pieces {
                let Some((x, y)) = layout.point(piece.at) else { continue };
                assert!(x.is_finite() && y.is_finite(), "{far}");
            }
        }
        assert_eq!(Layout::of(&Board::default()), None);
    }
}
