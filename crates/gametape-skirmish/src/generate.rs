//! How a world comes into being; normative text: `spec/skirmish.md`, section 3.

use gametape_minewars::{City, CityName, Coord, Grid, ItemKind, Map, Tile, TileKind};
use gametape_wire::{Error, Result};

use crate::config::Config;
use crate::dice::{Dice, Stream};

/// Most cities on a map.
const MOST_CITIES: usize = 200;

/// The world as a match begins. The first cities are the players', in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Land {
    pub(crate) map: Map,
    pub(crate) cities: Vec<City>,
}

pub(crate) fn generate(config: &Config) -> Result<Land> {
    config.check()?;
    let mut maker = Maker::new(config);
    maker.raise_ground();
    let centres = maker.place_cities()?;
    let regions = maker.grow_regions(&centres);
    maker.grow_clusters(&centres);
    maker.find_shores(&centres);
    let items = maker.scatter_items(&centres);
    let mut map =
        Map::new(config.grid, config.radius, Tile { kind: TileKind::Water, item: ItemKind::None })?;
    for (index, &coord) in maker.coords.iter().enumerate() {
        map.set(coord, Tile { kind: maker.ground[index], item: items[index] })?;
        map.set_region(coord, regions[index])?;
    }
    let mut dice = Dice::new(config.seed, Stream::Names);
    let city = |&at: &usize| City { at: maker.coords[at], name: city_name(&mut dice) };
    let cities = centres.iter().map(city).collect();
    Ok(Land { map, cities })
}

/// Consonant and vowel in turn, as phoneme codes.
fn city_name(dice: &mut Dice) -> CityName<'static> {
    let syllables = 2 + dice.below(2);
    let mut codes = Vec::new();
    for _ in 0..syllables {
        codes.push(11 + dice.below(37) as u8);
        codes.push(1 + dice.below(10) as u8);
    }
    codes.into()
}

/// A world in the making; tiles are numbered in ring order.
struct Maker {
    grid: Grid,
    radius: u8,
    players: usize,
    seed: u64,
    coords: Vec<Coord>,
    neighbours: Vec<Vec<usize>>,
    ground: Vec<TileKind>,
}

impl Maker {
    fn new(config: &Config) -> Self {
        let (grid, radius) = (config.grid, config.radius);
        let coords: Vec<Coord> = grid.coords(radius).collect();
        let on_map = |tile: Coord| grid.index_of(tile).filter(|index| *index < coords.len());
        let around = |&tile: &Coord| grid.neighbours(tile).filter_map(on_map).collect();
        let neighbours = coords.iter().map(around).collect();
        let ground = vec![TileKind::Water; coords.len()];
        let players = config.names.len();
        Self { grid, radius, players, seed: config.seed, coords, neighbours, ground }
    }

    fn dice(&self, stream: Stream) -> Dice {
        Dice::new(self.seed, stream)
    }

    fn is_land(&self, index: usize) -> bool {
        self.ground[index].is_land()
    }

    fn land(&self) -> Vec<usize> {
        (0..self.coords.len()).filter(|index| self.is_land(*index)).collect()
    }

    fn distance(&self, a: usize, b: usize) -> u16 {
        distance(self.grid, self.coords[a], self.coords[b])
    }

    /// The outermost ring that is all land.
    fn core(&self) -> u16 {
        let r = u16::from(self.radius);
        if r < 8 { r - 1 } else { r * 7 / 10 }
    }

    fn raise_ground(&mut self) {
        let mut dice = self.dice(Stream::Ground);
        let (core, r) = (self.core(), u16::from(self.radius));
        let ring = |coord: &Coord| self.grid.ring_of(*coord);
        let shore: Vec<usize> = (0..self.coords.len())
            .filter(|i| (core + 1..r).contains(&ring(&self.coords[*i])))
            .collect();
        for index in 0..self.coords.len() {
            let ring = ring(&self.coords[index]);
            let water = ring >= r
                || ring > core && dice.below(100) < u64::from(100 * (ring - core) / (r - core));
            if !water {
                self.ground[index] = TileKind::Regular;
            }
        }
        for _ in 0..2 {
            self.smooth(&shore);
        }
        self.drown_islets();
    }

    /// Every tile of the shore becomes what most of its neighbours are.
    fn smooth(&mut self, shore: &[usize]) {
        let before = self.ground.clone();
        for &index in shore {
            let around = &self.neighbours[index];
            let land = around.iter().filter(|tile| before[**tile].is_land()).count();
            match (2 * land).cmp(&around.len()) {
                std::cmp::Ordering::Greater => self.ground[index] = TileKind::Regular,
                std::cmp::Ordering::Less => self.ground[index] = TileKind::Water,
                std::cmp::Ordering::Equal => {}
            }
        }
    }

    /// Only what hangs together with the centre stays.
    fn drown_islets(&mut self) {
        let mut main = vec![false; self.coords.len()];
        let mut open = vec![0];
        while let Some(index) = open.pop() {
            if self.is_land(index) && !std::mem::replace(&mut main[index], true) {
                open.extend(&self.neighbours[index]);
            }
        }
        for (ground, main) in self.ground.iter_mut().zip(main) {
            if !main {
                *ground = TileKind::Water;
            }
        }
    }

    fn place_cities(&self) -> Result<Vec<usize>> {
        let mut dice = self.dice(Stream::Cities);
        let all_land =
            |index: &usize| self.neighbours[*index].iter().all(|tile| self.is_land(*tile));
        let land = self.land();
        let candidates: Vec<usize> = land.iter().copied().filter(all_land).collect();
        let drawn = dice.pick(&candidates).copied().unwrap_or(0);
        let mut cities: Vec<usize> = Vec::new();
        // How far each candidate is from the nearest city.
        let mut nearest: Vec<u16> = candidates.iter().map(|c| self.distance(*c, drawn)).collect();
        for player in 0..self.players {
            let best = nearest.iter().max().copied().unwrap_or(0);
            let index = nearest.iter().position(|distance| *distance == best).unwrap_or(0);
            if best < 3 {
                let problem = format!("no room for {} players on this map", self.players);
                return Err(Error::misuse("configuration", problem));
            }
            let city = candidates[index];
            cities.push(city);
            for (near, candidate) in nearest.iter_mut().zip(&candidates) {
                let distance = self.distance(*candidate, city);
                *near = if player == 0 { distance } else { distance.min(*near) };
            }
        }
        for _ in 0..land.len() / 120 {
            let Some(&tile) = dice.pick(&candidates) else { break };
            let lonely = cities.iter().all(|city| self.distance(*city, tile) >= 4);
            if lonely && cities.len() < MOST_CITIES {
                cities.push(tile);
            }
        }
        Ok(cities)
    }

    fn grow_regions(&self, cities: &[usize]) -> Vec<Option<u8>> {
        let mut regions = vec![None; self.coords.len()];
        let mut open = std::collections::VecDeque::new();
        for (id, &city) in cities.iter().enumerate() {
            regions[city] = Some(id as u8);
            open.push_back(city);
        }
        while let Some(index) = open.pop_front() {
            for &next in &self.neighbours[index] {
                if self.is_land(next) && regions[next].is_none() {
                    regions[next] = regions[index];
                    open.push_back(next);
                }
            }
        }
        regions
    }

    fn grow_clusters(&mut self, cities: &[usize]) {
        let mut dice = self.dice(Stream::Clusters);
        for number in 0..self.land().len() / 50 {
            let kind = if number % 2 == 0 { TileKind::Mountain } else { TileKind::Forest };
            let mut at = dice.below(self.coords.len() as u64) as usize;
            for _ in 0..3 + dice.below(6) {
                if self.is_land(at) && cities.iter().all(|city| self.distance(*city, at) >= 2) {
                    self.ground[at] = kind;
                }
                at = dice.pick(&self.neighbours[at]).copied().unwrap_or(at);
            }
        }
    }

    fn find_shores(&mut self, cities: &[usize]) {
        let by_water = |index: &usize| {
            self.neighbours[*index].iter().any(|tile| self.ground[*tile] == TileKind::Water)
        };
        let fertile: Vec<usize> = self.land().into_iter().filter(by_water).collect();
        fertile.into_iter().for_each(|index| self.ground[index] = TileKind::Fertile);
        cities.iter().for_each(|city| self.ground[*city] = TileKind::Foundation);
    }

    fn scatter_items(&self, cities: &[usize]) -> Vec<ItemKind> {
        let mut dice = self.dice(Stream::Items);
        let mut items = vec![ItemKind::None; self.coords.len()];
        let homes = &cities[..self.players];
        for index in self.land() {
            let far = homes.iter().all(|home| self.distance(*home, index) >= 3);
            if far && !cities.contains(&index) {
                items[index] = match dice.below(100) {
                    0..12 => ItemKind::Mine,
                    12..15 => ItemKind::Decoy,
                    _ => ItemKind::None,
                };
            }
        }
        items
    }
}

/// Steps from one tile to another.
pub(crate) fn distance(grid: Grid, a: Coord, b: Coord) -> u16 {
    let (y, x) = (i16::from(a.y) - i16::from(b.y), i16::from(a.x) - i16::from(b.x));
    let straight = y.abs().max(x.abs());
    match grid {
        Grid::Hex => straight.max((x + y).abs()) as u16,
        Grid::Square => straight as u16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worlds_are_as_the_rules_say() {
        for (grid, radius, players) in
            [(Grid::Hex, 4, 2), (Grid::Square, 4, 3), (Grid::Hex, 12, 4), (Grid::Square, 20, 8)]
        {
            for seed in 0..20 {
                let config = Config::new(players, radius, seed).with_grid(grid);
                check_world(&config, &generate(&config).unwrap());
            }
        }
        assert!(generate(&Config::new(15, 4, 1)).is_err());
        assert_eq!(generate(&Config::new(3, 9, 5)), generate(&Config::new(3, 9, 5)));
    }

    fn check_world(config: &Config, land: &Land) {
        let map = &land.map;
        assert!(land.cities.len() >= usize::from(config.players()));
        for (coord, tile) in map.tiles() {
            let by_water =
                || map.neighbours(coord).any(|n| map.get(n).unwrap().kind == TileKind::Water);
            match tile.kind {
                TileKind::Fertile => assert!(by_water()),
                TileKind::Regular => assert!(!by_water()),
                TileKind::Foundation => assert!(land.cities.iter().any(|city| city.at == coord)),
                _ => assert_eq!(tile.item, ItemKind::None),
            }
            assert_eq!(map.region(coord).is_some(), tile.kind != TileKind::Water);
            if config.grid.ring_of(coord) == u16::from(config.radius) {
                assert_eq!(tile.kind, TileKind::Water);
            }
        }
        for (id, city) in land.cities.iter().enumerate() {
            assert_eq!(map.region(city.at), Some(id as u8));
            assert!(map.neighbours(city.at).all(|tile| map.get(tile).unwrap().kind.is_land()));
        }
    }
}
