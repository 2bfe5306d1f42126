//! Scenes of MineWars views.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use gametape_minewars::{
    City, CityName, Coord, Digit, DigitTile, Duration, Generation, Grid, ItemKind, Map, Message,
    OwnedTiles, PlayerUpdate, Setup, StructureKind, Text, Tile, TileKind, ViewState, Who,
};
use gametape_scene::{
    Context, Datum, Scene, Sight, Target, TextMap, TileAt, Value, Visible, minewars,
};
use gametape_wire::{Time, View};

const ANA: u8 = 1;
const BEN: u8 = 2;

/// Two players on a hex map with a city and a mine.
fn setup() -> Setup {
    let land = Tile { kind: TileKind::Regular, item: ItemKind::None };
    let mut map = Map::new(Grid::Hex, 1, land).unwrap();
    map.set(Coord::new(1, 0), Tile { kind: TileKind::Water, ..land }).unwrap();
    map.set(Coord::new(0, 1), Tile { item: ItemKind::Mine, ..land }).unwrap();
    let mut setup = Setup::new(Generation::Current, map);
    setup.max_player = 2;
    let name = CityName::from_text("zze").unwrap();
    setup.cities.push(City { at: Coord::new(0, -1), name });
    setup
}

fn owned(tiles: &[Coord]) -> OwnedTiles {
    let mut owned = OwnedTiles::new();
    tiles.iter().for_each(|tile| assert!(owned.push(*tile)));
    owned
}

fn about(player: u8, update: PlayerUpdate<'_>) -> Message<'_> {
    Message::Player { who: Who { player, sub: 0 }, update }
}

/// What happened so far: both joined, Ana has the city and a wall, Ben a tile.
fn state(view: View) -> ViewState {
    let mut state = ViewState::new(&setup().map, view, Generation::Current);
    let mut apply = |message: Message<'_>| state.apply(&message).unwrap();
    apply(about(ANA, PlayerUpdate::Joined { name: Text(b"Ana") }));
    apply(about(BEN, PlayerUpdate::Joined { name: Text("Борис".as_bytes()) }));
    let land = owned(&[Coord::new(0, -1), Coord::CENTRE]);
    apply(Message::Owner { player: ANA, tiles: land });
    let land = owned(&[Coord::new(-1, 1)]);
    apply(Message::Owner { player: BEN, tiles: land });
    apply(Message::Structure { tile: Coord::CENTRE, kind: StructureKind::Wall });
    apply(about(ANA, PlayerUpdate::CityCaptured { city: 0 }));
    state
}

fn context() -> Context {
    minewars::context_of_setup(&setup()).at_time(Time::from_millis(217_600)).named("Friday 3")
}

fn payload(messages: &[Message<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for message in messages {
        message.encode(Generation::Current, &mut bytes).unwrap();
    }
    bytes
}

#[test]
fn a_small_scene_is_the_json_of_the_specification() {
    let forest = Tile { kind: TileKind::Forest, item: ItemKind::None };
    let map = Map::new(Grid::Square, 0, forest).unwrap();
    let mut setup = Setup::new(Generation::Current, map);
    setup.max_player = 1;
    let mut state = ViewState::new(&setup.map, View::SPECTATOR, Generation::Current);
    let land = owned(&[Coord::CENTRE]);
    state.apply(&about(ANA, PlayerUpdate::Joined { name: Text(b"Ana") })).unwrap();
    state.apply(&Message::Owner { player: ANA, tiles: land }).unwrap();
    let wall = Message::Structure { tile: Coord::CENTRE, kind: StructureKind::Wall };
    state.apply(&wall).unwrap();
    let scene = state.scene(&minewars::context_of_setup(&setup).at_time(Time::ZERO));
    let spec = include_str!("../../../spec/scene.md");
    let example = spec.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let expected: serde_json::Value = serde_json::from_str(example).unwrap();
    assert_eq!(serde_json::to_value(&scene).unwrap(), expected);
    let read: Scene = serde_json::from_str(example).unwrap();
    assert_eq!(read, scene);
}

#[test]
fn the_text_map_of_the_spectator() {
    let scene = state(View::SPECTATOR).scene(&context());
    let expected = "\
\x20. ~
A1#1*
 . .2

Ana · Борис   MineWars · Friday 3
time 3:37.6 · view spectator
~ water  . regular  * mine  # wall
1 Ana: land 2, cities 1
2 Борис: land 1, cities 0
A zze: city at 0,-1, Ana
";
    assert_eq!(TextMap::of(&scene).to_string(), expected);
}

#[test]
fn the_legend_lists_flags_of_two_players_once() {
    let mut state = state(View::SPECTATOR);
    for (player, tile) in [(ANA, Coord::CENTRE), (BEN, Coord::new(-1, 1))] {
        state.apply(&Message::Flag { player, tile }).unwrap();
    }
    let text = TextMap::of(&state.scene(&context())).to_string();
    assert_eq!(text.matches("| flag").count(), 1, "{text}");
}

#[test]
fn a_players_scene_has_no_items_and_says_who_sees_it() {
    let scene = state(View::new(BEN).unwrap()).scene(&context());
    let json = serde_json::to_string(&scene).unwrap();
    assert!(!json.contains("mine\""), "{json}");
    assert_eq!(scene.title.view.as_deref(), Some("Борис"));
    assert_eq!(scene.heading(), "Ana · Борис   MineWars · Friday 3 · seen by Борис");
}

#[test]
fn colours_of_text_mark_tiles_and_the_plain_text_is_in_them() {
    let scene = state(View::SPECTATOR).scene(&context());
    let map = TextMap::of(&scene);
    let coloured = map.coloured();
    let mut plain = String::new();
    let mut escape = false;
    for c in coloured.chars() {
        escape |= c == '\u{1b}';
        plain.extend((!escape).then_some(c));
        escape &= c != 'm';
    }
    let trimmed = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert_eq!(trimmed(&plain), trimmed(&map.to_string()));
    assert!(coloured.contains("\u{1b}["));
}

#[test]
fn those_who_are_out_stay_and_are_marked() {
    let mut state = state(View::SPECTATOR);
    state.apply(&about(BEN, PlayerUpdate::Eliminated {})).unwrap();
    let scene = state.scene(&context());
    assert_eq!(scene.players.len(), 2);
    assert!(scene.players[1].eliminated && !scene.players[0].eliminated);
    assert!(TextMap::of(&scene).to_string().contains("2 Борис: out, land 0"));
}

#[test]
fn inspection_names_everything_on_a_tile() {
    let mut state = state(View::SPECTATOR);
    state.apply(&Message::StructureHp { tile: Coord::CENTRE, hp: 3 }).unwrap();
    let inspect = |x, y| state.inspect(&state.scene(&context()), &Target::Tile(TileAt::new(x, y)));
    let wall = inspect(0, 0).unwrap();
    assert_eq!(wall.title, "regular");
    let expected = [
        Value::new("tile", TileAt::new(0, 0)),
        Value::new("owner", Datum::Player { player: 1 }),
        Value::new("ground", "regular"),
        Value::new("structure", "wall"),
        Value::new("hit points", 3i64),
    ];
    assert_eq!(wall.values, expected);
    let city = inspect(-1, 0).unwrap();
    assert!(city.values.contains(&Value::new("city", "zze")), "{city:?}");
    assert_eq!(inspect(5, 5), None);
    let piece = state.inspect(&state.scene(&context()), &Target::Piece("city 0".into())).unwrap();
    assert_eq!(piece.title, "zze, city");
    assert!(piece.values.contains(&Value::new("owner", Datum::Player { player: 1 })));
}

#[test]
fn messages_become_sentences() {
    let state = state(View::SPECTATOR);
    let taken = owned(&[Coord::new(0, -1), Coord::CENTRE]);
    let first = owned(&[Coord::new(1, -1)]);
    let change = payload(&[
        about(BEN, PlayerUpdate::CityCapturing { city: 0, time: Duration(500) }),
        about(BEN, PlayerUpdate::CityCaptured { city: 0 }),
        Message::StructureGone { tile: Coord::CENTRE },
        Message::Owner { player: BEN, tiles: taken },
        Message::Owner { player: ANA, tiles: first },
        Message::Structure { tile: Coord::new(1, -1), kind: StructureKind::Tower },
        about(ANA, PlayerUpdate::Explode { tile: Coord::new(0, 1), killer: BEN }),
        about(ANA, PlayerUpdate::ChatAll { text: Text(b"gg") }),
        about(ANA, PlayerUpdate::Eliminated {}),
    ]);
    let lines = state.lines(&change, &context());
    let texts: Vec<&str> = lines.iter().map(|line| &*line.text).collect();
    let expected = [
        "Борис is capturing zze",
        "Борис captures zze from Ana",
        "Ana loses a wall at 0,0",
        "Ana builds a tower at 1,-1",
        "Ana dies at 0,1, killed by Борис",
        "Ana: gg",
        "Ana is out",
        "Ana takes 1,-1",
        "Борис takes 2 tiles from Ana",
    ];
    assert_eq!(texts, expected);
    assert_eq!((lines[1].kind.as_str(), &*lines[1].players), ("capture", &[2, 1][..]));
    assert_eq!(lines[1].at, Some(TileAt::new(-1, 0)));
}

#[test]
fn names_come_from_joining_then_from_the_recording_then_from_the_seat() {
    let state = ViewState::new(&setup().map, View::SPECTATOR, Generation::Current);
    let names = |context: &Context| state.scene(context).title.players;
    assert_eq!(names(&context()), ["player 1", "player 2"]);
    let named = context().with_names([(1, "Ana".to_owned()), (2, "  ".to_owned())]);
    assert_eq!(names(&named), ["Ana", "player 2"]);
}

#[test]
fn unreadable_payloads_have_the_words_of_what_can_be_read() {
    let state = state(View::SPECTATOR);
    let mut change = payload(&[about(ANA, PlayerUpdate::Surrendered {})]);
    change.push(0x5F);
    change.extend([1, 2, 3]);
    assert_eq!(state.lines(&change, &context()).len(), 1);
    let far = owned(&[Coord::new(100, 100)]);
    let change = payload(&[
        Message::Owner { player: 3, tiles: far },
        Message::Structure { tile: Coord::new(100, 100), kind: StructureKind::Wall },
        about(15, PlayerUpdate::CityCaptured { city: 99 }),
        about(0, PlayerUpdate::CityCaptured { city: 99 }),
    ]);
    let lines = state.lines(&change, &context());
    assert_eq!(lines[0].text, "Player 15 captures city 99");
    assert_eq!(lines[1].text, "Somebody captures city 99 from Player 15");
}

#[test]
fn each_tile_shows_its_own_digit() {
    let mut state = state(View::new(ANA).unwrap());
    let shown =
        [(Coord::CENTRE, 1, false), (Coord::new(0, -1), 2, false), (Coord::new(1, -1), 2, true)];
    for (tile, value, asterisk) in shown {
        let digit = DigitTile { digit: Digit { value, asterisk }, tile };
        state.apply(&Message::DigitSingle { digit }).unwrap();
    }
    let board = state.scene(&context()).board.unwrap();
    let layer = board.layers.iter().find(|layer| layer.name == "digit").unwrap();
    let names: Vec<&str> = layer.kinds.iter().map(|kind| kind.name.as_str()).collect();
    assert_eq!(names, ["1", "2", "2*"]);
    for ((tile, ..), name) in shown.into_iter().zip(names) {
        let at = TileAt::new(tile.x.into(), tile.y.into());
        let index = board.tiles.iter().position(|tile| *tile == at).unwrap();
        assert_eq!(layer.kind(index).unwrap().name, name);
    }
}

#[test]
fn unknown_and_remembered_tiles_are_told_apart() {
    let mut scene = state(View::SPECTATOR).scene(&context());
    let board = scene.board.as_mut().unwrap();
    board.sight = vec![Sight::Unknown.code(); board.tiles.len()];
    board.sight[0] = Sight::Remembered.code();
    board.pieces.clear();
    let text = TextMap::of(&scene).to_string();
    let map: String = text.split("\n\n").next().unwrap().to_owned();
    assert_eq!(map.trim(), "#1");
}
