//! Setups of both generations: golden bytes, refusals, damage part by part, round trips.

use crate::examples::{current_example, setup_strategy, v01_example};
use gametape_minewars::Generation;
use gametape_minewars::{
    City, CityName, Coord, Dialect, Grid, ItemKind, Map, ReplayFile, Setup, SetupPart, SetupView,
    Tile, TileKind,
};
use gametape_wire::{ErrorClass, ErrorKind};
use proptest::prelude::*;

fn small_map() -> Map {
    let ground = Tile { kind: TileKind::Regular, item: ItemKind::None };
    Map::new(Grid::Hex, 1, ground).unwrap()
}

fn city(name: &str) -> City {
    City { at: Coord::CENTRE, name: CityName::from_text(name).unwrap() }
}

/// The setup after the file header of an example.
fn setup_of(file: &[u8], dialect: Dialect) -> SetupView<'_> {
    let start = if dialect == Dialect::V01 { 28 } else { 32 };
    SetupView::parse(&file[start..], dialect, start as u64).unwrap()
}

#[test]
fn the_v01_example_means_what_the_specification_says() {
    let file = v01_example();
    let setup = setup_of(&file, Dialect::V01).to_setup().unwrap();
    assert_eq!(setup.max_player, 1);
    assert_eq!(setup.player_names, Some(vec!["Al".to_owned()]));
    assert_eq!(setup.cities, [City { at: Coord::CENTRE, name: CityName::default() }]);
    assert_eq!((setup.grid(), setup.map.radius()), (Grid::Hex, 1));
    let mined = Tile { kind: TileKind::Destroyed, item: ItemKind::Mine };
    assert_eq!(setup.map.get(Coord::new(1, -1)), Some(mined));
    assert_eq!(setup.map.region(Coord::new(0, 1)), Some(0));
    assert_eq!(setup.map.region(Coord::new(-1, 1)), None);
    let encoded = setup.encode(false).unwrap();
    assert_eq!(encoded.into_bytes(), file[28..61]);
}

#[test]
fn the_current_example_means_what_the_specification_says() {
    let file = current_example();
    let setup = setup_of(&file, Dialect::Current).to_setup().unwrap();
    assert_eq!((setup.max_player, setup.max_sub_player), (2, 0));
    assert_eq!(setup.cities, [city("zze")]);
    assert_eq!(setup.rules, [0xAB, 0xCD]);
    assert_eq!(setup.max_view().number(), 2);
    let encoded = setup.encode(false).unwrap();
    assert_eq!(encoded.into_bytes(), file[32..69]);
}

#[test]
fn reserved_flags_and_the_free_version_byte_survive() {
    let mut bytes = current_example()[32..69].to_vec();
    bytes[3] = 0x7E;
    bytes[4] = 0xF7;
    bytes[6] = 0xE5;
    let setup = SetupView::parse(&bytes, Dialect::Current, 0).unwrap().to_setup().unwrap();
    assert_eq!((setup.version, setup.reserved_flags), ([0, 0, 1, 0x7E], 0xF7));
    assert_eq!((setup.max_player, setup.max_sub_player), (5, 14));
    let encoded = setup.encode(false).unwrap();
    assert_eq!(encoded.into_bytes(), bytes);
}

#[test]
fn what_a_generation_cannot_hold_is_refused() {
    type Change = fn(&mut Setup);
    let refused: [(Generation, &str, Change); 15] = [
        (Generation::V01, "players", |s| s.max_player = 7),
        (Generation::V01, "player sub ids", |s| s.max_sub_player = 1),
        (Generation::V01, "rules", |s| s.rules = vec![1]),
        (Generation::V01, "city names", |s| s.cities = vec![city("zze")]),
        (Generation::V01, "player names", |s| s.player_names = Some(vec!["A".into()])),
        (Generation::V01, "player names", |s| s.player_names = Some(vec![])),
        (Generation::V01, "player name", |s| {
            s.max_player = 1;
            s.player_names = Some(vec!["x".repeat(256)]);
        }),
        (Generation::V01, "version", |s| s.version = [0, 1, 0, 1]),
        (Generation::Current, "version", |s| s.version = [0, 1, 0, 0]),
        (Generation::Current, "flags", |s| s.reserved_flags = 8),
        (Generation::Current, "players", |s| s.max_player = 16),
        (Generation::Current, "player sub ids", |s| s.max_sub_player = 16),
        (Generation::Current, "player names", |s| s.player_names = Some(vec![])),
        (Generation::Current, "rules", |s| s.rules = vec![0; 65536]),
        (Generation::Current, "cities", |s| s.cities = vec![city("a"); 256]),
    ];
    for (generation, item, change) in refused {
        let mut setup = Setup::new(generation, small_map());
        assert!(setup.encode(true).is_ok());
        change(&mut setup);
        let error = setup.encode(true).unwrap_err();
        assert_eq!((error.class(), error.item()), (ErrorClass::Misuse, item), "{error}");
    }
}

#[test]
fn lengths_never_wrap() {
    let mut long_names = Setup::new(Generation::Current, small_map());
    let name = CityName::from(vec![1; 255]);
    long_names.cities = vec![City { at: Coord::CENTRE, name }; 255];
    assert!(long_names.encode(true).is_ok());
    long_names.cities[3].name = CityName::from(vec![1; 256]);
    assert_eq!(long_names.encode(true).unwrap_err().item(), "city name");

    let ground = Tile { kind: TileKind::Regular, item: ItemKind::None };
    let mut large = Setup::new(Generation::V01, Map::new(Grid::Hex, 127, ground).unwrap());
    assert!(large.encode(true).is_ok());
    large.map.set_region(Coord::CENTRE, Some(0)).unwrap();
    let error = large.encode(true).unwrap_err();
    assert_eq!(error.to_string(), "map: 97538 bytes do not fit: the format allows at most 65535");
}

#[test]
fn conversion_names_what_it_drops() {
    let current = setup_of(&current_example(), Dialect::Current).to_setup().unwrap();
    let (v01, dropped) = current.converted(Generation::V01);
    assert_eq!(dropped, ["city names", "rules"]);
    assert!(v01.encode(true).is_ok());
    assert_eq!(v01.map, current.map);

    let v01 = setup_of(&v01_example(), Dialect::V01).to_setup().unwrap();
    let (current, dropped) = v01.converted(Generation::Current);
    assert_eq!(dropped, ["player names"]);
    assert!(current.encode(true).is_ok());
    assert_eq!(v01.converted(Generation::V01), (v01.clone(), vec![]));
}

#[test]
fn a_damaged_part_does_not_hide_the_others() {
    let mut bytes = current_example();
    bytes[64] = 255; // The city name claims 255 phonemes.
    let file = ReplayFile::open(&bytes).unwrap();
    let setup = file.setup();
    let error = setup.city_names().unwrap_err();
    assert_eq!((error.offset(), error.item()), (Some(65), "city name"));
    assert_eq!(setup.city_positions().unwrap().collect::<Vec<_>>(), [Coord::CENTRE]);
    assert!(setup.map().is_ok());
    assert_eq!(setup.rules().unwrap(), [0xAB, 0xCD]);
    assert!(file.frames().is_ok());
    assert_eq!(setup.to_setup().unwrap_err(), error);
    assert_eq!(setup.faults(), [error]);
}

#[test]
fn a_radius_over_127_costs_the_map_only() {
    let mut bytes = current_example();
    bytes[37] = 255;
    let file = ReplayFile::open(&bytes).unwrap();
    let error = file.setup().map().unwrap_err();
    assert_eq!(error.to_string(), "map radius: 255 is over the limit of 127 (at byte 37)");
    assert_eq!(file.setup().city_names().unwrap()[0].to_string(), "zze");
    assert_eq!(file.frames().unwrap().bytes[..], [0x7F, 0xFF]);
}

#[test]
fn names_must_be_text_and_fill_their_part() {
    let start = 28;
    let mut bytes = v01_example()[start..].to_vec();
    bytes[16] = 0xFF;
    let names = |bytes: &[u8]| {
        SetupView::parse(bytes, Dialect::V01, 28).unwrap().player_names().unwrap_err()
    };
    assert_eq!(names(&bytes).to_string(), "player name: not UTF-8 (at byte 44)");
    bytes[14] = 1;
    bytes[15] = b'A';
    assert!(matches!(names(&bytes).kind(), ErrorKind::Trailing { extra: 1 }));
    bytes[6] = 7;
    assert_eq!(names(&bytes).class(), ErrorClass::Limit);
}

#[test]
fn cities_off_the_map_are_reported_and_shown() {
    let mut bytes = current_example();
    bytes[63] = 2;
    let view = setup_of(&bytes, Dialect::Current);
    assert_eq!(view.city_positions().unwrap().next(), Some(Coord::new(0, 2)));
    let faults = view.faults();
    let text = "city 0: 0,2 is outside the map of radius 1 (at byte 62)";
    assert_eq!(faults.iter().map(ToString::to_string).collect::<Vec<_>>(), [text]);
}

#[test]
fn a_setup_of_another_version_is_refused() {
    let mut bytes = v01_example()[28..].to_vec();
    bytes[0] = 1;
    let error = SetupView::parse(&bytes, Dialect::V01, 28).unwrap_err();
    assert_eq!((error.item(), error.offset()), ("version", Some(28)));
}

#[test]
fn parts_know_where_they_stand() {
    let bytes = current_example();
    let view = setup_of(&bytes, Dialect::Current);
    assert_eq!(view.part_range(SetupPart::Map), 48..62);
    assert_eq!(view.part_range(SetupPart::CityPositions), 62..64);
    assert_eq!(view.part_range(SetupPart::CityNames), 64..67);
    assert_eq!(view.part_range(SetupPart::Rules), 67..69);
    assert_eq!(view.end_offset(), 69);
    let bytes = v01_example();
    let view = setup_of(&bytes, Dialect::V01);
    assert_eq!(view.part_range(SetupPart::PlayerNames), 42..45);
    assert_eq!(view.part_range(SetupPart::Map), 47..61);
    assert!(view.part_range(SetupPart::Rules).is_empty());
}

proptest! {
    #[test]
    fn setups_survive_their_bytes(setup in setup_strategy(), compress: bool) {
        let encoded = setup.encode(compress).unwrap();
        let bytes = encoded.into_bytes();
        let view = SetupView::parse(&bytes, setup.dialect(), 0).unwrap();
        prop_assert_eq!(view.end_offset(), bytes.len() as u64);
        let read = view.to_setup().unwrap();
        let again = read.encode(compress).unwrap();
        prop_assert_eq!(&again.into_bytes(), &bytes);
        prop_assert_eq!(read, setup);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for dialect in Dialect::ALL {
            if let Ok(view) = SetupView::parse(&bytes, dialect, 0) {
                prop_assert_eq!(view.to_setup().is_ok() || !view.faults().is_empty(), true);
            }
        }
    }
}
