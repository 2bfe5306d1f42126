//! What never changes while a match is played, laid out so that going about it is fast.

use std::ops::Range;

use gametape_minewars::{Coord, Generation, Grid, ItemKind, TileKind};
use sha2::{Digest, Sha256};

use crate::generate::Land;
use crate::rules::{FAR_SIGHT, NEAR_SIGHT};
use crate::world::Tile;

/// A tile as an index into the layers of the world: rows one after the other, with a margin around the
/// map, so that everything within sight of a tile is a fixed step away.
pub(crate) type Cell = u32;

/// The number of no cluster.
const NO_CLUSTER: u16 = u16::MAX;
/// The number of no city.
const NO_CITY: u8 = u8::MAX;
/// Cells around the map that belong to nothing.
const MARGIN: i32 = FAR_SIGHT as i32;

/// Shape, clusters, regions and positions of cities.
#[derive(Debug)]
pub(crate) struct Atlas {
    pub(crate) grid: Grid,
    pub(crate) radius: u8,
    width: i32,
    coords: Vec<Coord>,
    on_map: Vec<bool>,
    /// Cells in ring order.
    pub(crate) ring_order: Vec<Cell>,
    neighbour_steps: Vec<i32>,
    near_steps: Vec<i32>,
    far_steps: Vec<i32>,
    near_rows: Vec<Range<i32>>,
    far_rows: Vec<Range<i32>>,
    cluster_of: Vec<u16>,
    pub(crate) clusters: Vec<Cluster>,
    region_of: Vec<u8>,
    city_at: Vec<u8>,
    /// For each city where it is, and the land around it in order of neighbours.
    pub(crate) cities: Vec<CityPlace>,
    /// The tiles as the match begins.
    pub(crate) start: Vec<Tile>,
    /// SHA-256 of the map.
    pub(crate) map_hash: [u8; 32],
}

/// Neighbouring tiles of mountain, or of forest.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub(crate) cells: Vec<Cell>,
    /// The land that touches it.
    pub(crate) shore: Vec<Cell>,
}

#[derive(Debug)]
pub(crate) struct CityPlace {
    pub(crate) cell: Cell,
    pub(crate) around: Vec<Cell>,
}

impl Atlas {
    pub(crate) fn new(land: &Land) -> Self {
        let map = &land.map;
        let (grid, radius) = (map.grid(), map.radius());
        let width = 2 * (i32::from(radius) + MARGIN) + 1;
        let cells = (width * width) as usize;
        let steps = |reach: u8| -> Vec<i32> {
            grid.coords(reach).map(|c| i32::from(c.y) * width + i32::from(c.x)).collect()
        };
        let neighbour_steps = grid
            .neighbours(Coord::CENTRE)
            .map(|c| i32::from(c.y) * width + i32::from(c.x))
            .collect();
        let (near_steps, far_steps) = (steps(NEAR_SIGHT), steps(FAR_SIGHT));
        let mut atlas = Self {
            grid,
            radius,
            width,
            coords: vec![Coord::CENTRE; cells],
            on_map: vec![false; cells],
            ring_order: Vec::with_capacity(map.tile_count()),
            neighbour_steps,
            near_rows: rows(&near_steps),
            far_rows: rows(&far_steps),
            near_steps,
            far_steps,
            cluster_of: vec![NO_CLUSTER; cells],
            clusters: Vec::new(),
            region_of: vec![NO_CITY; cells],
            city_at: vec![NO_CITY; cells],
            cities: Vec::new(),
            start: vec![Tile::new(TileKind::Water, ItemKind::None); cells],
            map_hash: map_hash(land),
        };
        atlas.place_tiles(land);
        atlas.number_clusters(land);
        atlas.place_cities(land);
        atlas
    }

    fn place_tiles(&mut self, land: &Land) {
        for (coord, tile) in land.map.tiles() {
            let cell = self.cell_of(coord);
            self.start[cell as usize] = Tile::new(tile.kind, tile.item);
            self.coords[cell as usize] = coord;
            self.on_map[cell as usize] = true;
            self.region_of[cell as usize] = land.map.region(coord).unwrap_or(NO_CITY);
            self.ring_order.push(cell);
        }
    }

    fn number_clusters(&mut self, land: &Land) {
        for index in 0..self.ring_order.len() {
            let cell = self.ring_order[index];
            let kind = kind_at(land, self.coord(cell));
            if kind.is_clustered() && self.cluster_of[cell as usize] == NO_CLUSTER {
                let cluster = self.gather_cluster(land, cell, kind);
                self.clusters.push(cluster);
            }
        }
    }

    fn gather_cluster(&mut self, land: &Land, start: Cell, kind: TileKind) -> Cluster {
        let number = self.clusters.len() as u16;
        let mut cluster = Cluster { cells: Vec::new(), shore: Vec::new() };
        let mut open = vec![start];
        while let Some(cell) = open.pop() {
            let here = kind_at(land, self.coord(cell));
            if here.is_land() {
                cluster.shore.push(cell);
            } else if here == kind && self.cluster_of[cell as usize] == NO_CLUSTER {
                self.cluster_of[cell as usize] = number;
                cluster.cells.push(cell);
                open.extend(self.neighbours(cell));
            }
        }
        cluster.cells.sort_unstable();
        cluster.shore.sort_unstable();
        cluster.shore.dedup();
        cluster
    }

    fn place_cities(&mut self, land: &Land) {
        for (id, city) in land.cities.iter().enumerate() {
            let cell = self.cell_of(city.at);
            let is_land = |cell: &Cell| kind_at(land, self.coord(*cell)).is_land();
            let around: Vec<Cell> = self.neighbours(cell).filter(is_land).collect();
            self.city_at[cell as usize] = id as u8;
            self.cities.push(CityPlace { cell, around });
        }
    }

    /// How many cells the layers have, the margin included.
    pub(crate) fn cell_count(&self) -> usize {
        self.coords.len()
    }

    /// The cell of a tile that is on the map.
    fn cell_of(&self, coord: Coord) -> Cell {
        let reach = i32::from(self.radius) + MARGIN;
        ((i32::from(coord.y) + reach) * self.width + i32::from(coord.x) + reach) as Cell
    }

    /// The cell of a tile, where it is on the map.
    pub(crate) fn find(&self, coord: Coord) -> Option<Cell> {
        self.grid.contains(self.radius, coord).then(|| self.cell_of(coord))
    }

    pub(crate) fn coord(&self, cell: Cell) -> Coord {
        self.coords[cell as usize]
    }

    pub(crate) fn neighbours(&self, cell: Cell) -> impl Iterator<Item = Cell> {
        self.stepping(cell, &self.neighbour_steps)
    }

    /// The tiles within sight of land at `cell`, or of a tower.
    pub(crate) fn in_sight(&self, cell: Cell, tower: bool) -> impl Iterator<Item = Cell> {
        self.stepping(cell, if tower { &self.far_steps } else { &self.near_steps })
    }

    /// The same tiles as rows of cells, some of which may be off the map.
    pub(crate) fn rows_in_sight(
        &self,
        cell: Cell,
        tower: bool,
    ) -> impl Iterator<Item = Range<usize>> {
        let rows = if tower { &self.far_rows } else { &self.near_rows };
        let at = move |step: i32| cell.wrapping_add_signed(step) as usize;
        rows.iter().map(move |row| at(row.start)..at(row.end))
    }

    /// Is a cell on the map, for each cell.
    pub(crate) fn on_map(&self) -> &[bool] {
        &self.on_map
    }

    fn stepping<'a>(&'a self, cell: Cell, steps: &'a [i32]) -> impl Iterator<Item = Cell> + 'a {
        let cells = steps.iter().map(move |step| cell.wrapping_add_signed(*step));
        cells.filter(|cell| self.on_map[*cell as usize])
    }

    pub(crate) fn cluster(&self, cell: Cell) -> Option<usize> {
        let number = self.cluster_of[cell as usize];
        (number != NO_CLUSTER).then_some(number.into())
    }

    pub(crate) fn region(&self, cell: Cell) -> Option<usize> {
        city(self.region_of[cell as usize])
    }

    /// The city on a tile.
    pub(crate) fn city_at(&self, cell: Cell) -> Option<usize> {
        city(self.city_at[cell as usize])
    }

    pub(crate) fn distance(&self, a: Cell, b: Cell) -> u16 {
        crate::generate::distance(self.grid, self.coord(a), self.coord(b))
    }
}

/// Steps as runs of successive ones.
fn rows(steps: &[i32]) -> Vec<Range<i32>> {
    let mut sorted = steps.to_vec();
    sorted.sort_unstable();
    let mut rows: Vec<Range<i32>> = Vec::new();
    for step in sorted {
        match rows.last_mut() {
            Some(row) if row.end == step => row.end += 1,
            _ => rows.push(step..step + 1),
        }
    }
    rows
}

fn map_hash(land: &Land) -> [u8; 32] {
    // A world always has cities and only kinds that every generation has.
    let bytes = land.map.to_bytes(Generation::Current, true).unwrap_or_default();
    Sha256::digest(bytes).into()
}

fn city(number: u8) -> Option<usize> {
    (number != NO_CITY).then_some(number.into())
}

fn kind_at(land: &Land, coord: Coord) -> TileKind {
    land.map.get(coord).map_or(TileKind::Water, |tile| tile.kind)
}
