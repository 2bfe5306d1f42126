//! Orders: their bytes, their order, and what is refused.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use gametape_minewars::{Coord, ItemKind, StructureKind};
use gametape_replay::{Order, Simulation};
use gametape_skirmish::{Channel, Command, Config, GroupAction, Skirmish, VoteKind};
use gametape_tape::UnitTag;
use gametape_wire::View;

fn tag(index: u16, generation: u16) -> UnitTag {
    UnitTag { index, generation }
}

/// By hand from the table of the specification.
fn vectors() -> Vec<(Command, Vec<u8>)> {
    let at = Coord::new(-7, 2);
    vec![
        (Command::Capture { tile: at }, vec![0x01, 0xF9, 2]),
        (Command::Flag { tile: at, on: true }, vec![0x02, 0xF9, 2, 1]),
        (Command::Deploy { tile: at, item: ItemKind::Trap }, vec![0x03, 0xF9, 2, 3]),
        (Command::Build { tile: at, kind: StructureKind::Tower }, vec![0x04, 0xF9, 2, 3]),
        (Command::Bulldoze { tile: at }, vec![0x05, 0xF9, 2]),
        (Command::Harvest { tile: at }, vec![0x06, 0xF9, 2]),
        (Command::Strike { tile: at }, vec![0x07, 0xF9, 2]),
        (Command::Reveal { tile: at }, vec![0x08, 0xF9, 2]),
        (Command::Smoke { tile: at }, vec![0x09, 0xF9, 2]),
        (Command::Trade { city: 9, export: 100, import: 0 }, vec![0x0A, 9, 100, 0]),
        (Command::Surrender { leave: true }, vec![0x0B, 1]),
        (Command::CallVote { kind: VoteKind::Draw }, vec![0x0C, 1, 0]),
        (Command::CallVote { kind: VoteKind::Kick(3) }, vec![0x0C, 2, 3]),
        (Command::Ballot { id: 200, yes: false }, vec![0x0D, 200, 0]),
        (Command::Pause { on: true }, vec![0x0E, 1]),
        (
            Command::Chat { friends: true, text: "да".into() },
            vec![0x20, 1, 4, 0xD0, 0xB4, 0xD0, 0xB0],
        ),
        (Command::Camera { at, zoom: 258 }, vec![0x30, 0xF9, 2, 1, 2]),
        (
            Command::Selection { added: vec![tag(1, 2)], removed: vec![] },
            vec![0x31, 1, 0, 1, 0, 2, 0],
        ),
        (Command::ControlGroup { group: 4, action: GroupAction::Recall }, vec![0x32, 4, 2]),
        (Command::RoundTrip { ms: 300 }, vec![0x33, 1, 44]),
        (Command::Note { value: 7, tile: at }, vec![0x34, 7, 0xF9, 2]),
    ]
}

#[test]
fn bytes_are_those_of_the_table() {
    for (command, bytes) in vectors() {
        assert_eq!(command.to_bytes().unwrap(), bytes, "{command:?}");
        assert_eq!(Command::from_bytes(&bytes).unwrap(), command);
        assert!(Command::from_bytes(&bytes[..bytes.len() - 1]).is_err(), "{command:?}");
        let longer = [&bytes[..], &[0]].concat();
        assert!(Command::from_bytes(&longer).is_err(), "{command:?}");
        let expected = match bytes[0] {
            0x20 => Channel::Talk,
            0x30.. => Channel::Report,
            _ => Channel::Game,
        };
        assert_eq!(command.channel(), expected);
    }
    let refused: [&[u8]; 9] = [
        &[],
        &[0x00],
        &[0x0F],
        &[0x02, 0, 0, 2],
        &[0x03, 0, 0, 0],
        &[0x04, 0, 0, 4],
        &[0x0A, 0, 101, 0],
        &[0x0C, 1, 1],
        &[0x20, 0, 1, 0xFF],
    ];
    for bytes in refused {
        assert!(Command::from_bytes(bytes).is_err(), "{bytes:?}");
    }
}

fn give(game: &mut Skirmish, orders: &[(u8, Vec<u8>)]) {
    let orders: Vec<Order<'_>> = orders
        .iter()
        .map(|(player, payload)| Order::new(View::new(*player).unwrap(), payload))
        .collect();
    game.step(&orders).unwrap();
}

#[test]
fn orders_are_carried_out_by_player() {
    let mut one = Skirmish::new(Config::new(2, 8, 3)).unwrap();
    let mut other = one.clone();
    let vote = |player| (player, Command::CallVote { kind: VoteKind::Draw }.to_bytes().unwrap());
    give(&mut one, &[vote(2), vote(1)]);
    give(&mut other, &[vote(1), vote(2)]);
    assert_eq!(one.snapshot(), other.snapshot());
    assert_eq!(one.counters(1).unwrap().orders, 1);
    assert_eq!(one.counters(2).unwrap().refused, 1, "one vote at a time");
}

#[test]
fn what_is_refused_is_counted_and_changes_nothing() {
    let idle = {
        let mut game = Skirmish::new(Config::new(2, 8, 3)).unwrap();
        give(&mut game, &[]);
        game
    };
    let nowhere = Coord::new(127, 127);
    let refused = [
        Command::Capture { tile: Coord::new(0, 0) }.to_bytes().unwrap(),
        Command::Capture { tile: nowhere }.to_bytes().unwrap(),
        Command::Strike { tile: nowhere }.to_bytes().unwrap(),
        Command::Trade { city: 250, export: 1, import: 1 }.to_bytes().unwrap(),
        Command::Trade { city: 1, export: 1, import: 1 }.to_bytes().unwrap(),
        Command::CallVote { kind: VoteKind::Kick(2) }.to_bytes().unwrap(),
        Command::Ballot { id: 1, yes: true }.to_bytes().unwrap(),
        Command::Pause { on: false }.to_bytes().unwrap(),
        Command::Chat { friends: false, text: "hi".into() }.to_bytes().unwrap(),
        Command::RoundTrip { ms: 5 }.to_bytes().unwrap(),
        vec![],
        vec![0xFF; 1000],
    ];
    let mut game = Skirmish::new(Config::new(2, 8, 3)).unwrap();
    let count = refused.len() as u32;
    give(&mut game, &refused.map(|bytes| (1, bytes)));
    assert_eq!(game.counters(1).unwrap().refused, count);
    let (mut now, idle) = (game.snapshot(), idle.snapshot());
    assert_ne!(now.core.players, idle.core.players, "the counters");
    now.core.players = idle.core.players.clone();
    assert_eq!(now, idle);
}

#[test]
fn a_pause_stops_the_clock_until_it_ends_by_itself() {
    let mut game = Skirmish::new(Config::new(2, 8, 3)).unwrap();
    let pause = |on| (1, Command::Pause { on }.to_bytes().unwrap());
    give(&mut game, &[]);
    let clock = game.clock();
    for pauses in 1..=3 {
        give(&mut game, &[pause(true)]);
        let mut paused = 1;
        while game.clock() < clock + pauses {
            give(&mut game, &[]);
            paused += 1;
        }
        // 600 ticks, and the one after them.
        assert_eq!((paused, game.clock()), (601, clock + pauses));
    }
    assert_eq!(game.counters(1).unwrap().refused, 0);
    give(&mut game, &[pause(true)]);
    assert_eq!(game.counters(1).unwrap().refused, 1, "a fourth pause");
}

#[test]
fn a_pause_ends_when_somebody_says_so() {
    let mut game = Skirmish::new(Config::new(2, 8, 3)).unwrap();
    let pause = |player, on| (player, Command::Pause { on }.to_bytes().unwrap());
    give(&mut game, &[pause(1, true)]);
    give(&mut game, &[]);
    assert_eq!(game.clock(), 0);
    give(&mut game, &[pause(2, false)]);
    assert_eq!(game.clock(), 1);
}

#[test]
fn orders_of_nobody_are_passed_over() {
    let mut game = Skirmish::new(Config::new(2, 8, 3)).unwrap();
    let mut idle = game.clone();
    give(
        &mut game,
        &[
            (0, Command::Pause { on: true }.to_bytes().unwrap()),
            (9, Command::Pause { on: true }.to_bytes().unwrap()),
        ],
    );
    give(&mut idle, &[]);
    assert_eq!(game.snapshot(), idle.snapshot());
}

#[test]
fn an_order_without_bytes_is_an_error_and_nothing_is_cut() {
    let at = Coord::CENTRE;
    let unsayable = [
        Command::Chat { friends: false, text: "é".repeat(121) },
        Command::Selection { added: vec![tag(1, 1); 256], removed: vec![] },
        Command::Selection { added: vec![], removed: vec![tag(1, 1); 256] },
        Command::Trade { city: 1, export: 101, import: 0 },
        Command::Trade { city: 1, export: 0, import: 101 },
        Command::Deploy { tile: at, item: ItemKind::None },
        Command::Deploy { tile: at, item: ItemKind::Unknown(9) },
        Command::Build { tile: at, kind: StructureKind::Unknown(4) },
    ];
    for command in unsayable {
        let error = command.to_bytes().unwrap_err().to_string();
        assert!(error.contains(command.name()), "{error}");
    }
    let longest = Command::Chat { friends: false, text: "é".repeat(120) };
    assert_eq!(Command::from_bytes(&longest.to_bytes().unwrap()).unwrap(), longest);
}

#[test]
fn every_first_byte_is_one_order_or_refused() {
    for first in 0..=u8::MAX {
        let longest = [&[first][..], &[0; 8]].concat();
        let found = (1..=longest.len()).filter_map(|end| Command::from_bytes(&longest[..end]).ok());
        let named = vectors().iter().any(|(_, bytes)| bytes[0] == first);
        assert_eq!(found.count() > 0 || first == 0x03, named, "{first:02X}");
    }
}

/// Whatever is read is written to the same bytes: no two byte strings are one order.
#[test]
fn what_is_read_is_written_to_the_same_bytes() {
    let mut read = 0;
    for (_, bytes) in vectors() {
        for index in 0..bytes.len() {
            for value in 0..=u8::MAX {
                let mut changed = bytes.clone();
                changed[index] = value;
                if let Ok(command) = Command::from_bytes(&changed) {
                    assert_eq!(command.to_bytes().unwrap(), changed, "{command:?}");
                    read += 1;
                }
            }
        }
    }
    assert!(read > 1000, "{read}");
}

#[test]
fn orders_are_words_for_people() {
    let text: Vec<String> = vectors().iter().map(|(command, _)| command.to_string()).collect();
    assert_eq!(text[3], "build -7,2 tower");
    assert_eq!(text[12], "callVote kick player 3");
    assert_eq!(text[15], r#"chat yes "да""#);
    assert_eq!(text[17], "selection [1.2] []");
}

#[test]
fn the_table_of_the_specification_is_the_table_of_the_code() {
    let spec = include_str!("../../../spec/skirmish.md");
    let (start, end) =
        ("<!-- orders: made from the table in the code -->\n\n", "\n<!-- end of orders -->");
    let printed = spec.split_once(start).unwrap().1.split_once(end).unwrap().0;
    assert_eq!(printed, gametape_skirmish::orders_table());
}
