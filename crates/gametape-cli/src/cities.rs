//! Where the cities of a recording are, and what they are called.

use std::collections::BTreeMap;

use gametape_minewars::Generation;
use gametape_minewars::{City, Coord, ReplayFile, Setup};

/// Where a city is, and its name where it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) at: Coord,
    pub(crate) name: Option<String>,
}

/// The cities of a setup by id.
pub(crate) fn places_of(setup: &Setup) -> BTreeMap<u8, Place> {
    let named = setup.generation == Generation::Current;
    let place = |city: &City| Place { at: city.at, name: named.then(|| city.name.to_string()) };
    (0..).zip(setup.cities.iter().map(place)).collect()
}

/// The cities of a file by id, as far as they can be read.
pub(crate) fn places(file: &ReplayFile<'_>) -> BTreeMap<u8, Place> {
    let names = file.setup().city_names().unwrap_or_default();
    let mut names = names.iter().map(ToString::to_string);
    let positions = file.setup().city_positions().into_iter().flatten();
    (0..).zip(positions.map(|at| Place { at, name: names.next() })).collect()
}
