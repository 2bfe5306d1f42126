//! Which tile each pixel shows, and how far the pixel is from the edge of its tile.

use std::collections::HashMap;

use super::canvas::Area;
use super::{Camera, MOST_IN_TURNS};
use crate::layout::{Layout, Spot};
use crate::model::{Board, TileAt};

/// A cell of the table: the index of the tile, the edge that is nearest, and how far that is in sixteenths of a pixel.
const TILE: u32 = (1 << 19) - 1;
const EDGE_SHIFT: u32 = 19;
const NEAR_SHIFT: u32 = 22;
const NEAR_PER_PIXEL: f32 = 16.0;
const NEAR_MOST: f32 = 255.0;

/// Which tile a pixel shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell(u32);

impl Cell {
    const NONE: Self = Self(TILE | 0xff << NEAR_SHIFT);

    fn new(tile: usize, edge: usize, pixels: f32) -> Self {
        let near = (pixels * NEAR_PER_PIXEL).clamp(0.0, NEAR_MOST) as u32;
        Self(tile as u32 & TILE | (edge as u32) << EDGE_SHIFT | near << NEAR_SHIFT)
    }

    /// The index of the tile; one that no board has where there is none.
    pub(super) fn tile(self) -> usize {
        (self.0 & TILE) as usize
    }

    /// The edge of the tile that is nearest: it begins at the corner with this index.
    pub(super) fn edge(self) -> u32 {
        self.0 >> EDGE_SHIFT & 7
    }

    /// Pixels to that edge, 15.9 where it is farther.
    pub(super) fn distance(self) -> f32 {
        (self.0 >> NEAR_SHIFT) as f32 / NEAR_PER_PIXEL
    }

    /// The distance as it is stored, for comparisons.
    pub(super) fn near(self) -> u32 {
        self.0 >> NEAR_SHIFT
    }

    /// A number of pixels as [`near`](Self::near) has it.
    pub(super) fn near_of(pixels: f32) -> u32 {
        (pixels * NEAR_PER_PIXEL).clamp(0.0, NEAR_MOST) as u32
    }
}

/// The cells of an area of a picture, by row.
#[derive(Debug, Default)]
pub(crate) struct PixelTable {
    made_for: Option<MadeFor>,
    cells: Vec<Cell>,
}

/// The tables of the last pictures, that of the last one first.
#[derive(Debug, Default)]
pub(crate) struct PixelTables(Vec<PixelTable>);

impl PixelTables {
    /// The table that was made for such a picture, or else for one of the same size, or else the oldest.
    pub(super) fn of(&mut self, camera: Camera, area: Area) -> &mut PixelTable {
        let has = |table: &PixelTable, test: &dyn Fn(&MadeFor) -> bool| {
            table.made_for.as_ref().is_some_and(test)
        };
        let is_made = |made: &MadeFor| made.camera.scale == camera.scale && made.area == area;
        let find = |test: &dyn Fn(&MadeFor) -> bool| self.0.iter().position(|one| has(one, test));
        let found = find(&is_made).or_else(|| find(&|made| made.area == area));
        let table = match found {
            Some(index) => self.0.remove(index),
            None if self.0.len() >= MOST_IN_TURNS => self.0.pop().unwrap_or_default(),
            None => PixelTable::default(),
        };
        self.0.insert(0, table);
        &mut self.0[0]
    }
}

/// What a table was made for.
#[derive(Debug, Clone, PartialEq)]
struct MadeFor {
    layout: Layout,
    tiles: Vec<TileAt>,
    camera: Camera,
    area: Area,
}

impl PixelTable {
    /// The cells of an area, by row: those of the last picture where they are the same.
    pub(super) fn cells(
        &mut self,
        board: &Board,
        layout: &Layout,
        camera: Camera,
        area: Area,
    ) -> &[Cell] {
        let is_same_board = |made: &MadeFor| {
            made.layout == *layout && made.camera.scale == camera.scale && made.tiles == board.tiles
        };
        match self.made_for.take().filter(is_same_board) {
            Some(made) if made.camera == camera && made.area == area => self.made_for = Some(made),
            Some(made) => {
                let old = std::mem::take(&mut self.cells);
                self.cells =
                    Maker::new(board, layout, camera).pan(&old, (made.camera, made.area), area);
                self.made_for = Some(MadeFor { camera, area, ..made });
            }
            None => {
                self.cells = Maker::new(board, layout, camera).make(area);
                let (layout, tiles) = (layout.clone(), board.tiles.clone());
                self.made_for = Some(MadeFor { layout, tiles, camera, area });
            }
        }
        &self.cells
    }
}

/// Finds the cells of pixels.
struct Maker<'b> {
    board: &'b Board,
    layout: &'b Layout,
    camera: Camera,
    index: TileIndex,
}

impl<'b> Maker<'b> {
    fn new(board: &'b Board, layout: &'b Layout, camera: Camera) -> Self {
        Self { board, layout, camera, index: TileIndex::of(board) }
    }

    fn make(&self, area: Area) -> Vec<Cell> {
        if !self.layout.has_tiles() {
            return self.blocks(area);
        }
        let pixels =
            (area.top..area.bottom).flat_map(|y| (area.left..area.right).map(move |x| (x, y)));
        pixels.map(|pixel| self.cell(pixel)).collect()
    }

    /// The cells of an area, most of which are those of a picture from another position.
    fn pan(&self, old: &[Cell], (was, old_area): (Camera, Area), area: Area) -> Vec<Cell> {
        if !self.layout.has_tiles() {
            return self.blocks(area);
        }
        let by = |now: f32, was: f32| (now - was) as i32;
        let (dx, dy) =
            (by(self.camera.origin.0, was.origin.0), by(self.camera.origin.1, was.origin.1));
        let mut cells = Vec::with_capacity(area.pixels());
        for y in area.top..area.bottom {
            let old_row = old_area.row(old, y - dy).unwrap_or(&[]);
            let first = old_area.left + dx;
            let kept = first.clamp(area.left, area.right)
                ..(first + old_row.len() as i32).clamp(area.left, area.right);
            cells.extend((area.left..kept.start).map(|x| self.cell((x, y))));
            let from = (kept.start - first) as usize;
            cells.extend_from_slice(&old_row[from.min(old_row.len())..][..kept.len()]);
            cells.extend((kept.end.max(kept.start)..area.right).map(|x| self.cell((x, y))));
        }
        cells
    }

    fn cell(&self, (x, y): (i32, i32)) -> Cell {
        let Camera { scale, origin } = self.camera;
        // The middle of the pixel.
        let point = [(x as f32 + 0.5 - origin.0) / scale, (y as f32 + 0.5 - origin.1) / scale];
        let Some(Spot { tile, edge, distance }) = self.layout.spot((point[0], point[1])) else {
            return Cell::NONE;
        };
        match self.index.get(tile) {
            Some(index) => Cell::new(index, edge, distance * scale),
            None => Cell::NONE,
        }
    }

    /// Tiles that do not touch, as squares around their positions, the last on top.
    fn blocks(&self, area: Area) -> Vec<Cell> {
        let Camera { scale, origin } = self.camera;
        let mut cells = vec![Cell::NONE; area.pixels()];
        let points = self.board.tiles.iter().enumerate();
        for (tile, (x, y)) in points.filter_map(|(tile, at)| Some((tile, self.layout.point(*at)?)))
        {
            let corner = |at: f32, origin: f32| (origin + (at - 0.5) * scale).round() as i32;
            let (left, top) = (corner(x, origin.0), corner(y, origin.1));
            let side = (scale.round() as i32).max(1);
            for row in top.max(area.top)..(top + side).min(area.bottom) {
                for column in left.max(area.left)..(left + side).min(area.right) {
                    let inside =
                        [column - left, row - top, left + side - 1 - column, top + side - 1 - row];
                    // Edges begin at corners from the upper left clockwise.
                    let edges = [inside[1], inside[2], inside[3], inside[0]];
                    let (edge, near) = edges
                        .iter()
                        .zip(0..)
                        .map(|(near, edge)| (edge, *near))
                        .min_by_key(|found| found.1)
                        .unwrap_or((0, 0));
                    cells[area.index(column, row)] = Cell::new(tile, edge, near as f32 + 0.5);
                }
            }
        }
        cells
    }
}

/// The indices of tiles by position.
enum TileIndex {
    /// A frame around all tiles: its corner, its width, and the index of each tile plus 1.
    Dense {
        corner: TileAt,
        width: usize,
        indices: Vec<u32>,
    },
    Sparse(HashMap<TileAt, usize>),
}

impl TileIndex {
    /// A frame of more positions than this is not made.
    const MOST: u64 = 1 << 22;

    fn of(board: &Board) -> Self {
        let range = |values: &mut dyn Iterator<Item = i32>| {
            values.fold(None, |range: Option<(i32, i32)>, value| {
                let (least, most) = range.unwrap_or((value, value));
                Some((least.min(value), most.max(value)))
            })
        };
        let columns = range(&mut board.tiles.iter().map(|tile| tile.x));
        let rows = range(&mut board.tiles.iter().map(|tile| tile.y));
        let (Some((left, right)), Some((top, bottom))) = (columns, rows) else {
            return Self::Sparse(HashMap::new());
        };
        let (width, height) =
            (u64::from(left.abs_diff(right)) + 1, u64::from(top.abs_diff(bottom)) + 1);
        if width.saturating_mul(height) > Self::MOST {
            return Self::Sparse(board.index());
        }
        let (width, mut indices) = (width as usize, vec![0; (width * height) as usize]);
        for (tile, index) in board.tiles.iter().zip(1..) {
            let (x, y) = (tile.x.abs_diff(left) as usize, tile.y.abs_diff(top) as usize);
            indices[y * width + x] = index;
        }
        Self::Dense { corner: TileAt::new(left, top), width, indices }
    }

    fn get(&self, at: TileAt) -> Option<usize> {
        match self {
            Self::Dense { corner, width, indices } => {
                let x = usize::try_from(i64::from(at.x) - i64::from(corner.x))
                    .ok()
                    .filter(|x| x < width)?;
                let y = usize::try_from(i64::from(at.y) - i64::from(corner.y)).ok()?;
                let index = *indices.get(y * width + x)?;
                (index as usize).checked_sub(1)
            }
            Self::Sparse(indices) => indices.get(&at).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Shape;

    fn hexes(radius: i32) -> Board {
        let inside = |x: i32, y: i32| x.abs().max(y.abs()).max((x + y).abs()) <= radius;
        let all = (-radius..=radius).flat_map(|y| (-radius..=radius).map(move |x| (x, y)));
        let tiles = all.filter(|(x, y)| inside(*x, *y)).map(|(x, y)| TileAt::new(x, y)).collect();
        Board { up: true, ..Board::new(Shape::Hex, tiles) }
    }

    fn area(left: i32, top: i32, right: i32, bottom: i32) -> Area {
        Area { left, top, right, bottom }
    }

    #[test]
    fn the_middle_of_every_tile_shows_it() {
        let squares = (0..5).flat_map(|y| (0..5).map(move |x| TileAt::new(x, y))).collect();
        for board in [hexes(3), Board::new(Shape::Square, squares)] {
            let layout = Layout::of(&board).unwrap();
            let camera = Camera { scale: 20.0, origin: (7.0, -3.0) };
            let frame = area(0, 0, 180, 180);
            let mut table = PixelTable::default();
            let cells = table.cells(&board, &layout, camera, frame).to_vec();
            for (index, tile) in board.tiles.iter().enumerate() {
                let (x, y) = layout.point(*tile).unwrap();
                let (x, y) = ((7.0 + x * 20.0) as i32, (-3.0 + y * 20.0) as i32);
                if (0..180).contains(&x) && (0..180).contains(&y) {
                    let cell = cells[frame.index(x, y)];
                    assert_eq!(cell.tile(), index);
                    assert!((8.0..=10.1).contains(&cell.distance()), "{}", cell.distance());
                }
            }
            assert!(cells.contains(&Cell::NONE));
        }
    }

    #[test]
    fn a_panned_table_is_that_which_would_be_made() {
        let board = hexes(6);
        let layout = Layout::of(&board).unwrap();
        let mut table = PixelTable::default();
        let frame = area(0, 0, 120, 90);
        for origin in
            [(0.0, 0.0), (13.0, -7.0), (13.0, 40.0), (-300.0, 20.0), (-290.0, 25.0), (0.0, 0.0)]
        {
            let camera = Camera { scale: 11.0, origin };
            let panned = table.cells(&board, &layout, camera, frame).to_vec();
            assert!(panned == Maker::new(&board, &layout, camera).make(frame), "{origin:?}");
        }
        let camera = Camera { scale: 11.0, origin: (4.0, 4.0) };
        let larger = area(-5, 3, 200, 100);
        let panned = table.cells(&board, &layout, camera, larger).to_vec();
        assert!(panned == Maker::new(&board, &layout, camera).make(larger));
    }

    #[test]
    fn the_nearest_edge_is_that_towards_the_neighbour() {
        for up in [true, false] {
            let board = Board { up, ..hexes(2) };
            let layout = Layout::of(&board).unwrap();
            let centre = layout.point(TileAt::new(0, 0)).unwrap();
            for (edge, other) in layout.across(TileAt::new(0, 0)).enumerate() {
                let beside = layout.point(other).unwrap();
                let towards = (centre.0 * 0.6 + beside.0 * 0.4, centre.1 * 0.6 + beside.1 * 0.4);
                let spot = layout.spot(towards).unwrap();
                assert_eq!((spot.tile, spot.edge), (TileAt::new(0, 0), edge));
                assert!((spot.distance - 0.1).abs() < 1e-3, "{}", spot.distance);
            }
        }
    }

    #[test]
    fn pictures_in_turns_have_a_table_each() {
        let board = Board::new(Shape::Square, vec![TileAt::new(0, 0)]);
        let layout = Layout::of(&board).unwrap();
        let camera = |scale: f32| Camera { scale, origin: (0.0, 0.0) };
        let area = |side: i32| Area { left: 0, top: 0, right: side, bottom: side };
        let mut tables = PixelTables::default();
        let mut draw = |scale: f32, side: i32| {
            let table = tables.of(camera(scale), area(side));
            let is_there = table.made_for.as_ref().is_some_and(|made| made.camera.scale == scale);
            table.cells(&board, &layout, camera(scale), area(side));
            (is_there, tables.0.len())
        };
        assert_eq!([draw(9.0, 50), draw(2.0, 10)], [(false, 1), (false, 2)]);
        assert_eq!([draw(9.0, 50), draw(2.0, 10)], [(true, 2), (true, 2)], "neither is made again");
        assert_eq!(
            [draw(10.0, 50), draw(9.0, 50)],
            [(false, 2), (false, 2)],
            "a zoom keeps no old table"
        );
        assert_eq!(
            [draw(1.0, 20), draw(1.0, 30), draw(9.0, 50)],
            [(false, 3), (false, 3), (true, 3)]
        );
    }
}
