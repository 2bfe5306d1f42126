//! The cities of a match, as everybody knows them from its setup.

use gametape_wire::SortedMap;

use crate::file::ReplayFile;
use crate::generation::Generation;
use crate::map::Coord;
use crate::setup::{City, Setup};

/// Where a city is, and its name where it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedCity {
    /// Its tile.
    pub at: Coord,
    /// Its name.
    pub name: Option<String>,
}

/// The cities of a setup by id.
#[must_use]
pub fn cities_of_setup(setup: &Setup) -> SortedMap<u8, NamedCity> {
    let named = setup.generation == Generation::Current;
    let city = |city: &City| NamedCity { at: city.at, name: named.then(|| city.name.to_string()) };
    (0..=u8::MAX).zip(setup.cities.iter().map(city)).collect()
}

/// The cities of a file by id, as far as they can be read.
#[must_use]
pub fn cities_of_file(file: &ReplayFile<'_>) -> SortedMap<u8, NamedCity> {
    let names = file.setup().city_names().unwrap_or_default();
    let mut names = names.iter().map(ToString::to_string);
    let positions = file.setup().city_positions().into_iter().flatten();
    (0..=u8::MAX).zip(positions.map(|at| NamedCity { at, name: names.next() })).collect()
}
