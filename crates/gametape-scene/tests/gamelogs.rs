//! Boards of gamelogs, made by rule.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use gametape_cadre::{Game, Markers};
use gametape_scene::{Context, Datum, Scene, Shape, TextMap, Value, Visible};

fn scene(json: &str) -> Scene {
    let game = Game::from_json(json.as_bytes(), Markers::default()).unwrap();
    game.state().scene(&Context::new().of_game("Test"))
}

const PLAYERS: &str = r#""0":{"id":"0","gameObjectName":"Player","name":"Ann","gold":7,"lost":false},
    "1":{"id":"1","gameObjectName":"Player","name":"Bob","lost":true}"#;

#[test]
fn tiles_and_pieces_make_a_board() {
    let json = format!(
        r#"{{"currentTurn":3,"maxTurns":10,"currentPlayer":{{"id":"1"}},
        "players":[{{"id":"0"}},{{"id":"1"}}],"gameObjects":{{{PLAYERS},
        "2":{{"id":"2","gameObjectName":"Tile","x":0,"y":0,"type":"water"}},
        "3":{{"id":"3","gameObjectName":"Tile","x":1,"y":0,"type":"land","owner":{{"id":"1"}},"gold":5}},
        "4":{{"id":"4","gameObjectName":"Tile","x":0,"y":1,"type":"land","hasHazard":true}},
        "5":{{"id":"5","gameObjectName":"Tile","x":1,"y":1,"type":"land"}},
        "6":{{"id":"6","gameObjectName":"Unit","job":"builder","tile":{{"id":"5"}},"owner":{{"id":"0"}},"energy":9,"direction":"East"}},
        "7":{{"id":"7","gameObjectName":"Unit","job":"builder","tile":{{"id":"4"}},"isDead":true}},
        "8":{{"id":"8","gameObjectName":"Unit","job":"soldier","tile":null}}}}}}"#
    );
    let scene = scene(&json);
    let expected = "\
~ g2
h B1

Ann · Bob   Test
turn 3 of 10 · to move Bob
. land  ~ water  g gold  h hazard
B Unit builder × 1
1 Ann: gold 7
2 Bob: out
";
    assert_eq!(TextMap::of(&scene).to_string(), expected);
    let board = scene.board.unwrap();
    assert_eq!((board.shape, board.up), (Shape::Square, false));
    let unit = &board.pieces[0];
    assert_eq!((unit.owner, unit.facing), (1, Some(90.0)));
    assert!(unit.values.contains(&Value::new("energy", 9i64)));
}

#[test]
fn directions_are_degrees_from_up_to_the_right() {
    let names =
        ["north", "NorthEast", "East", "southeast", "south", "southwest", "west", "Northwest"];
    let mut expected: Vec<(&str, Option<f32>)> =
        (0..8).map(|eighth| (names[eighth as usize], Some(eighth as f32 * 45.0))).collect();
    let sides = [("up", 0.0), ("right", 90.0), ("down", 180.0), ("left", 270.0)];
    expected.extend(sides.map(|(name, degrees)| (name, Some(degrees))));
    expected.push(("sideways", None));
    for (name, degrees) in expected {
        let board = scene(&format!(
            r#"{{"gameObjects":{{"3":{{"id":"3","gameObjectName":"Ship","x":1,"y":0,"facing":"{name}"}}}}}}"#
        ));
        assert_eq!(board.board.unwrap().pieces[0].facing, degrees, "{name}");
    }
}

#[test]
fn a_hexagon_of_tiles_is_a_hex_board() {
    let coords = [(0, 0), (-1, 0), (1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)];
    let tile = |(i, (x, y)): (usize, &(i32, i32))| {
        format!(r#""{}":{{"id":"{}","gameObjectName":"Tile","x":{x},"y":{y}}}"#, i + 2, i + 2)
    };
    let tiles: Vec<String> = coords.iter().enumerate().map(tile).collect();
    let scene = scene(&format!(r#"{{"gameObjects":{{{}}}}}"#, tiles.join(",")));
    assert_eq!(scene.board.as_ref().unwrap().shape, Shape::Hex);
    assert!(TextMap::of(&scene).to_string().starts_with(" . .\n. . .\n . .\n"));
}

#[test]
fn positions_without_tiles_are_a_map_or_free() {
    let piece = r#""3":{"id":"3","gameObjectName":"Ship","x":1,"y":0}"#;
    let map = scene(&format!(r#"{{"mapWidth":3,"mapHeight":2,"gameObjects":{{{piece}}}}}"#));
    assert!(TextMap::of(&map).to_string().starts_with(". S .\n. . .\n"));
    let free = scene(&format!(
        r#"{{"gameObjects":{{{piece},
        "4":{{"id":"4","gameObjectName":"Ship","x":-1e20,"y":2.5}}}}}}"#
    ));
    assert_eq!(free.board.as_ref().unwrap().shape, Shape::Free);
    assert!(TextMap::of(&free).to_string().matches('S').count() >= 2);
    let huge = scene(&format!(
        r#"{{"mapWidth":99999999,"mapHeight":99999999,"gameObjects":{{{piece}}}}}"#
    ));
    assert_eq!(huge.board.unwrap().shape, Shape::Free);
}

#[test]
fn free_positions_spread_over_the_whole_width_of_text() {
    let ship = |(id, x): (usize, &f32)| {
        format!(r#""{id}":{{"id":"{id}","gameObjectName":"Ship","x":{x},"y":0}}"#)
    };
    let ships: Vec<String> = [-1000.0, 0.5, 1000.0].iter().enumerate().map(ship).collect();
    let text = TextMap::of(&scene(&format!(r#"{{"gameObjects":{{{}}}}}"#, ships.join(","))));
    let text = text.to_string();
    let line = text.lines().next().unwrap();
    let columns: Vec<usize> = line.match_indices('S').map(|(column, _)| column).collect();
    let [left, middle, right] = columns[..] else { panic!("{line}") };
    assert!(left == 0 && (46..=52).contains(&middle) && (92..100).contains(&right), "{line}");
}

#[test]
fn nothing_with_a_position_is_no_board() {
    let scene = scene(&format!(r#"{{"players":[{{"id":"0"}}],"gameObjects":{{{PLAYERS}}}}}"#));
    assert_eq!((scene.board.is_none(), scene.players.len()), (true, 1));
    assert!(TextMap::of(&scene).to_string().contains("1 Ann: gold 7"));
}

#[test]
fn chess_has_its_pieces() {
    let fen = "r3k3/8/8/8/8/8/4P3/4K2R w - - 0 1";
    let colours = PLAYERS
        .replace("\"gold\":7", "\"color\":\"black\"")
        .replace("\"name\":\"Bob\"", "\"name\":\"Bob\",\"color\":\"white\"");
    let json = format!(
        r#"{{"fen":"{fen}","players":[{{"id":"0"}},{{"id":"1"}}],"gameObjects":{{{colours}}}}}"#
    );
    let scene = scene(&json);
    let text = TextMap::of(&scene).to_string();
    let rows: Vec<&str> = text.lines().take(8).collect();
    assert_eq!(rows[0], "r1. . . k1. . .");
    assert_eq!(rows[7], ". . . . K2. . R2");
    assert!(text.contains("move 1 · to move Bob"), "{text}");
    let board = scene.board.unwrap();
    let rook = board.pieces.iter().find(|piece| piece.id == "h1").unwrap();
    assert_eq!(board.kind(rook).unwrap().name, "white rook");
    for odd in ["", "///", "99999999999", "k/9999", "\\u0000", "♔", &"8/".repeat(500)] {
        let scene = self::scene(&format!(r#"{{"fen":"{odd}"}}"#));
        let _ = TextMap::of(&scene).to_string();
    }
}

#[test]
fn calls_become_sentences() {
    let json = format!(
        r#"{{"players":[{{"id":"0"}}],"gameObjects":{{{PLAYERS},
        "2":{{"id":"2","gameObjectName":"Tile","x":4,"y":3}},
        "6":{{"id":"6","gameObjectName":"Unit"}}}}}}"#
    );
    let game = Game::from_json(json.as_bytes(), Markers::default()).unwrap();
    let line = |delta: &str| {
        let lines = game.state().lines(delta.as_bytes(), &Context::new());
        lines.into_iter().map(|line| (line.kind, line.text)).next()
    };
    let run = r#""player":{"id":"0"},"run":{"caller":{"id":"6"},"functionName":"move","args":{"tile":{"id":"2"}}}"#;
    let (kind, text) =
        line(&format!(r#"{{"type":"ran","data":{{{run},"returned":true}}}}"#)).unwrap();
    assert_eq!((&*kind, &*text), ("ran", "Ann: Unit #6 move(tile 4,3) → true"));
    let refused = format!(r#"{{"type":"ran","data":{{{run},"invalid":"too far"}}}}"#);
    let (kind, text) = line(&refused).unwrap();
    assert_eq!((&*kind, &*text), ("refused", "Ann: Unit #6 move(tile 4,3), refused: too far"));
    assert_eq!(line(r#"{"type":"over"}"#).unwrap().1, "over");
    assert_eq!(line("no json"), None);
    assert_eq!(line("{}"), None);
}

#[test]
fn values_keep_their_types_and_long_texts_are_cut() {
    let long = "x".repeat(5000);
    let json = format!(
        r#"{{"gameObjects":{{"3":{{"id":"3","gameObjectName":"Ship","x":1,"y":0,"big":1e21,"half":0.5,
        "turnsToDie":-1,"isOld":true,"note":"{long}","list":[1,2],"nothing":null}}}}}}"#
    );
    let board = scene(&json).board.unwrap();
    let value = |name: &str| {
        let values = &board.pieces[0].values;
        values.iter().find(|value| value.name == name).map(|value| value.value.clone())
    };
    assert_eq!(value("big"), Some(Datum::Number(1e21)));
    assert_eq!(value("half"), Some(Datum::Number(0.5)));
    assert_eq!(value("turns to die"), Some(Datum::Integer(-1)));
    assert_eq!(value("is old"), Some(Datum::Flag(true)));
    assert!(matches!(value("note"), Some(Datum::Text(text)) if text.chars().count() == 121));
    assert_eq!((value("list"), value("nothing")), (None, None));
}

#[cfg(feature = "story")]
mod over_time {
    use gametape_cadre::{Log, Options};
    use gametape_scene::stage::Stage;
    use gametape_scene::{HeatKind, TileAt};
    use gametape_wire::Moment;

    /// A unit that walks to the right and is gone at the end, one that stays, and a tile that gets an owner.
    fn stage() -> Stage<&'static [u8]> {
        let unit = |id: u32, x: u32| {
            format!(
                r#""{id}":{{"gameObjectName":"Unit","id":"{id}","x":{x},"y":1,"owner":{{"id":"1"}}}}"#
            )
        };
        let first = format!(
            r#"{{"type":"start","game":{{"mapWidth":8,"mapHeight":4,"gameObjects":{{"1":{{"gameObjectName":"Player","id":"1","name":"Ana"}},{},{}}},"players":{{"&LEN":1,"0":{{"id":"1"}}}}}}}}"#,
            unit(5, 1),
            unit(6, 6)
        );
        let steps = (2..5)
            .map(|x| format!(r#"{{"type":"run","game":{{"gameObjects":{{"5":{{"x":{x}}}}}}}}}"#));
        let gone = r#"{"type":"run","game":{"gameObjects":{"5":{"isDead":true}}}}"#.to_owned();
        let deltas: Vec<String> = [first].into_iter().chain(steps).chain([gone]).collect();
        let log = format!(
            r#"{{"gameName":"Walk","gameSession":"1","constants":{{"DELTA_REMOVED":"&RM","DELTA_LIST_LENGTH":"&LEN"}},"deltas":[{}]}}"#,
            deltas.join(",")
        );
        let options = Options::default();
        Stage::of_gamelog(Log::open(log.into_bytes(), &options).unwrap(), &options).unwrap()
    }

    #[test]
    fn pieces_that_are_gone_are_deaths_where_they_were_last() {
        let mut stage = stage();
        let heat = stage.heat(HeatKind::Deaths, Moment::START, stage.end()).unwrap();
        assert_eq!((heat.count, heat.cells[0].at), (1, TileAt::new(4, 1)), "{heat:?}");
    }

    #[test]
    fn pieces_that_moved_have_trails_until_now() {
        let mut stage = stage();
        let end = stage.end();
        stage.seek(Moment::before(end.last_tick().unwrap())).unwrap();
        let trails = stage.trails(100).unwrap();
        let xs: Vec<f32> = trails[0].points.iter().map(|(at, _)| at.x).collect();
        assert_eq!((trails.len(), xs), (1, vec![1.0, 2.0, 3.0, 4.0]));
        assert_eq!(stage.trails(1).unwrap()[0].points.len(), 2);
    }
}

/// A game of Checkers: men, a man that jumps twice and is crowned, that king going back and being taken, another king.
mod checkers {
    use std::collections::BTreeMap;

    use gametape_cadre::{Log, Options, Timeline};
    use gametape_scene::{Context, Datum, Look, Scene, TextMap, TileAt, Visible};
    use gametape_wire::Tick;

    const LOG: &str = include_str!("checkers.json");

    /// The same game as logs of the three ages have it.
    fn ages() -> [String; 3] {
        let older = LOG.replace(r#""gamelogVersion":"2.2.0","#, "");
        let (head, _) = older.split_once(r#","settings""#).unwrap();
        let oldest = format!(r#"{head},"randomSeed":"table-1"}}"#);
        [LOG.to_owned(), older.clone(), oldest]
    }

    fn timeline(log: &str) -> Timeline {
        let options = Options::default();
        Timeline::load(Log::open(log.as_bytes().to_vec(), &options).unwrap(), &options).unwrap()
    }

    /// The scene after this many calls of `move`.
    fn after(log: &str, moves: usize) -> Scene {
        let mut timeline = timeline(log);
        let is_move = |delta: &usize| timeline.log().delta(*delta).unwrap().kind() == "ran";
        let delta = (0..timeline.len()).filter(is_move).nth(moves - 1).unwrap();
        timeline.seek(delta + 1).unwrap();
        timeline.scene(&Context::new().at_delta(Tick(1)))
    }

    /// By square: sign and owner.
    fn pieces(scene: &Scene) -> BTreeMap<(i32, i32), (char, u8)> {
        let board = scene.board.as_ref().unwrap();
        let place = |at: TileAt| (at.x, at.y);
        let pieces = board.pieces.iter().map(|piece| {
            (place(piece.at.tile().unwrap()), (board.glyph(piece).unwrap(), piece.owner))
        });
        pieces.collect()
    }

    #[test]
    fn men_stand_on_dark_squares_of_a_chequered_board() {
        for log in ages() {
            let mut timeline = timeline(&log);
            timeline.seek(1).unwrap();
            let scene = timeline.scene(&Context::new());
            let board = scene.board.as_ref().unwrap();
            assert_eq!(
                (board.tiles.len(), board.up, scene.title.game.as_str()),
                (64, false, "Checkers")
            );
            let index = board.index();
            let square = |x, y| &*board.layers[0].kind(index[&TileAt::new(x, y)]).unwrap().name;
            assert_eq!((square(0, 0), square(0, 7), square(7, 7)), ("light", "dark", "light"));
            let pieces = pieces(&scene);
            assert_eq!(pieces.len(), 24);
            for ((x, y), (sign, owner)) in pieces {
                let side = if y < 3 { 1 } else { 2 };
                assert_eq!((square(x, y), sign, owner), ("dark", 'o', side), "{x},{y}");
            }
            let kinds: Vec<_> = board.kinds.iter().map(|kind| (&*kind.name, kind.look)).collect();
            assert_eq!(kinds, [("Checker man", Look::Counter)]);
        }
    }

    #[test]
    fn who_jumps_takes_and_who_arrives_is_king() {
        for log in ages() {
            let before = pieces(&after(&log, 7));
            assert_eq!((before[&(2, 3)], before[&(3, 4)]), (('o', 1), ('o', 2)));
            // From 3,4 over 2,3 and over 2,1.
            let once = pieces(&after(&log, 8));
            assert_eq!((once.len(), once[&(1, 2)]), (23, ('o', 2)));
            assert!(!once.contains_key(&(2, 3)) && !once.contains_key(&(3, 4)));
            let twice = pieces(&after(&log, 9));
            assert_eq!((twice.len(), twice[&(3, 0)]), (22, ('K', 2)));
            assert!(!twice.contains_key(&(2, 1)));
            // The king goes back over 2,1, and is taken itself.
            let back = pieces(&after(&log, 11));
            assert_eq!((back.len(), back[&(1, 2)]), (21, ('K', 2)));
            let taken = pieces(&after(&log, 12));
            assert_eq!((taken.len(), taken[&(2, 3)]), (20, ('o', 1)));
            assert!(taken.values().all(|(sign, _)| *sign == 'o'));
        }
    }

    #[test]
    fn text_shows_men_kings_whose_they_are_and_whose_turn_it_is() {
        let scene = after(LOG, 15);
        let text = TextMap::of(&scene).to_string();
        let expected = "\
. . . . . o1. o1
. . . . o1. o1. \n\
. . . o1. o1. o1
o1. . . . . . . \n\
. . . . . . . . \n\
. . o2. o2. o2. \n\
. . . o2. o2. o2
o2. K1. o2. o2. \n";
        let rows: Vec<&str> = text.lines().take(8).map(str::trim_end).collect();
        assert_eq!(rows, expected.lines().map(str::trim_end).collect::<Vec<_>>());
        assert!(
            text.contains("K Checker king × 1") && text.contains("o Checker man × 17"),
            "{text}"
        );
        assert!(text.contains("to move Ada") && text.contains("1 Ada: checkers 9\n"), "{text}");
        let count = |player: usize| {
            let values = &scene.players[player].values;
            values.iter().find(|value| value.name == "checkers").map(|value| value.value.clone())
        };
        assert_eq!([count(0), count(1)], [9, 9].map(|count| Some(Datum::Integer(count))));
    }
}
