//! The map as a session begins: what every tile is, what lies on it, whose region it is in.

mod coord;
mod grid;
mod kinds;

use crate::Generation;
use gametape_wire::{Error, ErrorKind, Limit, Place, Result};

pub use coord::Coord;
pub use grid::{Grid, MAX_RADIUS};
pub use kinds::{ItemKind, StructureKind, TileKind};

use crate::dialect::Dialect;

/// The region byte of a tile that belongs to no city.
pub const NO_REGION: u8 = 0xFF;

/// The longest map in raw bytes: square, radius 127, with regions.
pub(crate) const MAX_MAP_BYTES: Limit =
    Limit::new("raw length of the map", 2 * Grid::Square.tile_count(127) as u64);

/// The bits of a v0.1 tile byte that must be zero.
const V01_RESERVED_BITS: u8 = 0x88;

/// One tile of the map: its ground and what lies hidden on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tile {
    /// What the ground is.
    pub kind: TileKind,
    /// What lies on it.
    pub item: ItemKind,
}

/// A map: tiles and, where there are cities, regions, both in ring order.
///
/// Two maps are equal when all tiles and regions are; no regions at all is the same as no region
/// on every tile.
///
/// ```
/// use gametape_minewars::{Coord, Grid, ItemKind, Map, Tile, TileKind};
///
/// let water = Tile { kind: TileKind::Water, item: ItemKind::None };
/// let mut map = Map::new(Grid::Hex, 2, water)?;
/// map.set(Coord::new(1, 0), Tile { kind: TileKind::Regular, item: ItemKind::Mine })?;
/// assert_eq!(map.get(Coord::new(1, 0)).map(|tile| tile.item), Some(ItemKind::Mine));
/// assert_eq!(map.get(Coord::new(2, 2)), None);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Map {
    grid: Grid,
    radius: u8,
    /// Low nibble kind, high nibble item, in the numbers of the current generation.
    tiles: Vec<u8>,
    regions: Option<Vec<u8>>,
}

impl Tile {
    const fn from_byte(byte: u8) -> Self {
        Self { kind: TileKind::from_code(byte & 15), item: ItemKind::from_code(byte >> 4) }
    }

    fn to_byte(self) -> Result<u8> {
        match (self.kind.code(), self.item.code()) {
            (kind @ 0..=15, item @ 0..=15) => Ok(item << 4 | kind),
            _ => Err(Error::misuse("tile", "a kind or item has four bits, 0 to 15")),
        }
    }
}

impl Map {
    /// A map on which every tile is `fill` and there are no regions.
    pub fn new(grid: Grid, radius: u8, fill: Tile) -> Result<Self> {
        if u64::from(radius) > MAX_RADIUS.max {
            return Err(Error::misuse("map radius", format!("{radius} is over 127")));
        }
        let tiles = vec![fill.to_byte()?; grid.tile_count(radius)];
        Ok(Self { grid, radius, tiles, regions: None })
    }

    /// The map that raw (unpacked) bytes describe: one byte per tile, then, where there are as many
    /// again, one region byte per tile. `offset` is where they are in the input.
    pub fn from_bytes(
        dialect: Dialect,
        grid: Grid,
        radius: u8,
        raw: &[u8],
        offset: u64,
    ) -> Result<Self> {
        MAX_RADIUS.check(radius.into(), offset)?;
        let count = grid.tile_count(radius);
        if raw.len() != count && raw.len() != 2 * count {
            let found = raw.len() as i64;
            let expected = "one byte for every tile of the map, or two";
            return Err(Error::at(offset, "map", ErrorKind::BadValue { found, expected }));
        }
        let (tiles, regions) = raw.split_at(count);
        let mut map = Self {
            grid,
            radius,
            tiles: tiles.to_vec(),
            regions: (!regions.is_empty()).then(|| regions.to_vec()),
        };
        if dialect == Dialect::MwDatatool {
            map.translate_from_mw_datatool();
        }
        Ok(map)
    }

    /// The raw bytes of the map in `generation`, or why it cannot hold them.
    ///
    /// In the current generation region bytes are there exactly when there are cities.
    pub fn to_bytes(&self, generation: Generation, has_cities: bool) -> Result<Vec<u8>> {
        let mut raw = self.tiles.clone();
        match generation {
            Generation::V01 => {
                self.check_fits_v01()?;
                raw.extend(self.regions.iter().flatten());
            }
            Generation::Current if has_cities => raw.extend(self.region_bytes()),
            Generation::Current if self.region_bytes().all(|region| region == NO_REGION) => {}
            Generation::Current => {
                return Err(Error::misuse("map", "regions need cities in this generation"));
            }
        }
        Ok(raw)
    }

    /// How tiles touch.
    #[must_use]
    pub fn grid(&self) -> Grid {
        self.grid
    }

    /// The outermost ring.
    #[must_use]
    pub fn radius(&self) -> u8 {
        self.radius
    }

    /// How many tiles there are.
    #[must_use]
    pub fn tile_count(&self) -> usize {
        self.tiles.len()
    }

    /// The index of `coord` in ring order, where it is on the map.
    #[must_use]
    #[inline]
    pub fn index_of(&self, coord: Coord) -> Option<usize> {
        self.grid.index_of(coord).filter(|&index| index < self.tiles.len())
    }

    /// The tile at `coord`, where that is on the map.
    #[must_use]
    #[inline]
    pub fn get(&self, coord: Coord) -> Option<Tile> {
        self.index_of(coord).map(|index| Tile::from_byte(self.tiles[index]))
    }

    /// Changes the tile at `coord`, which must be on the map.
    pub fn set(&mut self, coord: Coord, tile: Tile) -> Result<()> {
        let index = self.expect_index(coord)?;
        self.tiles[index] = tile.to_byte()?;
        Ok(())
    }

    /// Every tile with its coordinates, in ring order.
    pub fn tiles(&self) -> impl Iterator<Item = (Coord, Tile)> {
        self.grid.coords(self.radius).zip(self.tiles.iter().map(|&byte| Tile::from_byte(byte)))
    }

    /// The tiles of the map that touch `coord`.
    pub fn neighbours(&self, coord: Coord) -> impl Iterator<Item = Coord> {
        let (grid, radius) = (self.grid, self.radius);
        grid.neighbours(coord).filter(move |&tile| grid.contains(radius, tile))
    }

    /// The id of the city whose region the tile at `coord` belongs to.
    #[must_use]
    pub fn region(&self, coord: Coord) -> Option<u8> {
        let index = self.index_of(coord)?;
        let region = self.regions.as_ref().map(|regions| regions[index])?;
        (region != NO_REGION).then_some(region)
    }

    /// Puts the tile at `coord`, which must be on the map, into a city's region, or into none.
    pub fn set_region(&mut self, coord: Coord, city: Option<u8>) -> Result<()> {
        if city == Some(NO_REGION) {
            return Err(Error::misuse("region", "255 means no region"));
        }
        let index = self.expect_index(coord)?;
        let count = self.tiles.len();
        let regions = self.regions.get_or_insert_with(|| vec![NO_REGION; count]);
        regions[index] = city.unwrap_or(NO_REGION);
        Ok(())
    }

    /// One byte a tile in ring order: low nibble kind, high nibble item.
    #[must_use]
    pub fn tile_bytes(&self) -> &[u8] {
        &self.tiles
    }

    /// The region bytes in ring order, where the map has any.
    #[must_use]
    pub fn regions(&self) -> Option<&[u8]> {
        self.regions.as_deref()
    }

    /// What the rules of `dialect` forbid although it can be read: reserved bits of v0.1 tiles, and
    /// regions of cities that are not there. The first of each sort is reported.
    #[must_use]
    pub fn faults(&self, dialect: Dialect, cities: u8) -> Vec<Error> {
        let is_v01 = dialect.generation() == Generation::V01;
        let reserved = self.tiles.iter().position(|tile| is_v01 && tile & V01_RESERVED_BITS != 0);
        let mut regions = self.region_bytes();
        let homeless = regions.position(|region| region != NO_REGION && region >= cities);
        let reserved = reserved.map(|i| self.fault(i, self.tiles[i], "bits 3 and 7 zero"));
        let homeless = homeless
            .map(|i| self.fault(i, self.regions.as_ref().map_or(0, |r| r[i]), "a city's region"));
        reserved.into_iter().chain(homeless).collect()
    }

    fn fault(&self, index: usize, found: u8, expected: &'static str) -> Error {
        let coord = self.grid.coord_at(index).unwrap_or_default();
        let kind = ErrorKind::BadValue { found: found.into(), expected };
        Error::new(Place::Path(format!("tile {coord}")), "map", kind)
    }

    fn expect_index(&self, coord: Coord) -> Result<usize> {
        self.index_of(coord).ok_or_else(|| Error::misuse("map", format!("no tile {coord} on it")))
    }

    fn region_bytes(&self) -> impl Iterator<Item = u8> {
        let missing = if self.regions.is_some() { 0 } else { self.tiles.len() };
        let regions = self.regions.iter().flatten().copied();
        regions.chain(std::iter::repeat_n(NO_REGION, missing))
    }

    fn check_fits_v01(&self) -> Result<()> {
        match self.tiles.iter().position(|tile| tile & V01_RESERVED_BITS != 0) {
            Some(index) => {
                let coord = self.grid.coord_at(index).unwrap_or_default();
                let problem = format!("v0.1 has kinds and items up to 7, tile {coord} has more");
                Err(Error::misuse("map", problem))
            }
            None => Ok(()),
        }
    }

    fn translate_from_mw_datatool(&mut self) {
        for byte in &mut self.tiles {
            let kind = TileKind::from_code_in(*byte & 15, Dialect::MwDatatool).code();
            let item = ItemKind::from_code_in(*byte >> 4, Dialect::MwDatatool).code();
            *byte = item << 4 | kind;
        }
        self.grid.reorder_from_mw_datatool(&mut self.tiles);
        if let Some(regions) = &mut self.regions {
            self.grid.reorder_from_mw_datatool(regions);
        }
    }
}

impl PartialEq for Map {
    fn eq(&self, other: &Self) -> bool {
        (self.grid, self.radius) == (other.grid, other.radius)
            && self.tiles == other.tiles
            && self.region_bytes().eq(other.region_bytes())
    }
}

impl Eq for Map {}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex_1(dialect: Dialect, raw: &[u8]) -> Map {
        Map::from_bytes(dialect, Grid::Hex, 1, raw, 0).unwrap()
    }

    #[test]
    fn reserved_bits_of_v01_are_kept_reported_and_not_written() {
        let map = hex_1(Dialect::V01, &[6, 0x0E, 6, 6, 0x90, 6, 6]);
        assert_eq!(map.get(Coord::new(-1, 0)).unwrap().kind, TileKind::Unknown(14));
        let faults = map.faults(Dialect::V01, 0);
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        let text = "map: found 14, expected bits 3 and 7 zero (at tile -1,0)";
        assert_eq!(fault.to_string(), text);
        assert!(map.faults(Dialect::Current, 0).is_empty());
        assert!(map.to_bytes(Generation::V01, false).is_err());
        let kept = map.to_bytes(Generation::Current, false).unwrap();
        assert_eq!(kept, [6, 0x0E, 6, 6, 0x90, 6, 6]);
    }

    #[test]
    fn no_regions_equal_no_region_anywhere() {
        let without = hex_1(Dialect::Current, &[6; 7]);
        let mut empty = without.clone();
        empty.set_region(Coord::CENTRE, None).unwrap();
        assert_eq!(without, empty);
        assert_eq!(empty.to_bytes(Generation::Current, false).unwrap(), [6; 7]);
        assert_eq!(without.to_bytes(Generation::Current, true).unwrap()[7..], [NO_REGION; 7]);
        assert_eq!(empty.to_bytes(Generation::V01, false).unwrap().len(), 14);
        empty.set_region(Coord::CENTRE, Some(3)).unwrap();
        assert_ne!(without, empty);
        assert!(empty.to_bytes(Generation::Current, false).is_err());
        assert_eq!(empty.faults(Dialect::Current, 3).len(), 1);
        assert_eq!(empty.faults(Dialect::Current, 4).len(), 0);
        assert_eq!(empty.region(Coord::CENTRE), Some(3));
        assert_eq!(empty.region(Coord::new(0, 1)), None);
    }

    #[test]
    fn calls_that_cannot_be_are_refused() {
        let fill = Tile { kind: TileKind::Regular, item: ItemKind::None };
        assert!(Map::new(Grid::Hex, 128, fill).is_err());
        assert!(Map::new(Grid::Hex, 1, Tile { item: ItemKind::Unknown(16), ..fill }).is_err());
        let mut map = Map::new(Grid::Square, 1, fill).unwrap();
        assert!(map.set(Coord::new(2, 0), fill).is_err());
        assert!(map.set(Coord::CENTRE, Tile { kind: TileKind::Unknown(77), ..fill }).is_err());
        assert!(map.set_region(Coord::CENTRE, Some(255)).is_err());
        assert_eq!(map.neighbours(Coord::new(1, 1)).count(), 3);
        for length in [0, 8, 10, 17, 19] {
            let raw = vec![0; length];
            assert!(Map::from_bytes(Dialect::Current, Grid::Square, 1, &raw, 0).is_err());
        }
    }

    #[test]
    fn the_public_tools_rings_and_numbers_are_translated() {
        // Numbers of the tool, so that ours count 0 2 3 4 5 6 7 along our ring.
        let tiles = hex_1(Dialect::MwDatatool, &[0, 2, 3, 7, 6, 1, 4]);
        let ours = tiles.to_bytes(Generation::Current, false).unwrap();
        assert_eq!(ours, [0, 2, 3, 4, 5, 6, 7]);
    }
}
