//! The worked examples of the specification, and setups for properties.

use gametape_minewars::Generation;
use gametape_minewars::{City, CityName, Coord, Dialect, Grid, Map, Setup};
use proptest::prelude::*;

/// The 66 bytes of the specification's v0.1 file.
#[rustfmt::skip]
pub(crate) fn v01_example() -> Vec<u8> {
    vec![
        0x1D, 0x11, 0xFD, 0xB5, 0xF9, 0x4D, 0x88, 0xE0,
        0x3C, 0xE0, 0xC7, 0xDD, 0xE7, 0xF3, 0x3D, 0xE4,
        0x38, 0x11, 0xF7, 0xE2, 0x8B, 0xF4, 0x3A, 0xED,
        0x00, 0x05, 0x00, 0x05,
        0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x01, 0x01,
        0x00, 0x03, 0x00, 0x0E, 0x00, 0x0E,
        0x02, b'A', b'l',
        0x00, 0x00,
        0x06, 0x02, 0x00, 0x07, 0x03, 0x24, 0x05,
        0x00, 0xFF, 0xFF, 0x00, 0xFF, 0x00, 0x00,
        0x00, 0x0A, 0x01, 0x83, 0x01,
    ]
}

/// The 71 bytes of the specification's current file.
#[rustfmt::skip]
pub(crate) fn current_example() -> Vec<u8> {
    vec![
        0x9A, 0x36, 0xB4, 0x2C, 0xE1, 0x4F, 0x7D, 0xAD,
        0x8A, 0x3B, 0xF0, 0xE6, 0xEB, 0xE0, 0x3A, 0x5D,
        0x8D, 0x32, 0x9D, 0xC4, 0x67, 0xB7, 0x93, 0x33,
        0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02,
        0x00, 0x00, 0x01, 0x00, 0x00, 0x01, 0x02, 0x01,
        0x00, 0x00, 0x00, 0x0E, 0x00, 0x02, 0x00, 0x03,
        0x06, 0x02, 0x00, 0x07, 0x03, 0x24, 0x05,
        0x00, 0xFF, 0xFF, 0x00, 0xFF, 0x00, 0x00,
        0x00, 0x00,
        0x02, 0x2F, 0x02,
        0xAB, 0xCD,
        0x7F, 0xFF,
    ]
}

/// Setups that their generation can hold.
pub(crate) fn setup_strategy() -> impl Strategy<Value = Setup> {
    prop_oneof![v01_setup(), current_setup()]
}

fn v01_setup() -> impl Strategy<Value = Setup> {
    let names = prop::option::of(prop::collection::vec(".{0,20}", 6));
    let parts = (map(0x77), 0..=6u8, names, cities(0..1), any::<u8>());
    parts.prop_map(|(map, players, names, cities, flags)| Setup {
        reserved_flags: flags & !8,
        max_player: players,
        player_names: names.filter(|_| players > 0).map(|mut names| {
            names.truncate(players.into());
            names
        }),
        cities,
        ..Setup::new(Generation::V01, map)
    })
}

fn current_setup() -> impl Strategy<Value = Setup> {
    let rules = prop::collection::vec(any::<u8>(), 0..40);
    let parts = (map(0xFF), 0..=15u8, 0..=15u8, cities(0..9), rules, any::<[u8; 2]>());
    parts.prop_map(|(mut map, players, sub_players, cities, rules, [version, flags])| {
        if cities.is_empty() {
            map = without_regions(&map);
        }
        Setup {
            version: [0, 0, 1, version],
            reserved_flags: flags & !8,
            max_player: players,
            max_sub_player: sub_players,
            cities,
            rules,
            ..Setup::new(Generation::Current, map)
        }
    })
}

fn cities(phonemes: std::ops::Range<usize>) -> impl Strategy<Value = Vec<City>> {
    let city = (any::<[u8; 2]>(), prop::collection::vec(any::<u8>(), phonemes))
        .prop_map(|(at, codes)| City { at: Coord::from_wire(at), name: CityName::from(codes) });
    prop::collection::vec(city, 0..5)
}

/// Maps of any bytes within `bits`, with and without regions; some repeat themselves and shrink.
fn map(bits: u8) -> impl Strategy<Value = Map> {
    let tile = prop_oneof![Just(6), any::<u8>()].prop_map(move |byte| byte & bits);
    (any::<bool>(), 0..6u8, any::<bool>(), prop::collection::vec(tile, 1..20)).prop_map(
        |(square, radius, regions, pattern)| {
            let grid = if square { Grid::Square } else { Grid::Hex };
            let count = grid.tile_count(radius) * if regions { 2 } else { 1 };
            let raw: Vec<u8> = pattern.into_iter().cycle().take(count).collect();
            Map::from_bytes(Dialect::Current, grid, radius, &raw, 0).unwrap()
        },
    )
}

fn without_regions(map: &Map) -> Map {
    let mut bare = Map::new(map.grid(), map.radius(), map.get(Coord::CENTRE).unwrap()).unwrap();
    for (coord, tile) in map.tiles() {
        bare.set(coord, tile).unwrap();
    }
    bare
}
