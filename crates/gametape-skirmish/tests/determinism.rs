//! Same start, same orders, same match; and a match can be entered anywhere.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use gametape_minewars::Generation;
use gametape_minewars::Grid;
use gametape_replay::{Order, Simulation};
use gametape_skirmish::{Config, Input, Match, Skirmish, Style};
use gametape_tape::{DeltaSnapshot, SimSnapshot};

/// A match with the orders of every tick.
fn played(config: Config, ticks: u64) -> (Skirmish, Vec<Vec<Input>>) {
    let mut game = Match::new(config, &Style::ALL, Generation::Current).unwrap();
    let mut orders = Vec::new();
    while !game.is_over() && game.game().tick() < gametape_wire::Tick(ticks) {
        orders.push(game.step().unwrap().orders);
    }
    (game.game().clone(), orders)
}

fn step(game: &mut Skirmish, inputs: &[Input]) {
    let orders: Vec<Order<'_>> =
        inputs.iter().map(|input| Order::new(input.player, &input.payload)).collect();
    game.step(&orders).unwrap();
}

fn sync(game: &Skirmish) -> String {
    game.snapshot().sync_hash().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Start and sync hash after 1,500 ticks: the same on every machine, debug and release.
const GOLDEN: [(u8, u8, Grid, u64, &str); 4] = [
    (2, 12, Grid::Hex, 1, "341d62ce68e98ad1"),
    (2, 12, Grid::Square, 2, "442e555ef7eeb1a8"),
    (5, 14, Grid::Hex, 3, "c8957d63e8547329"),
    (8, 16, Grid::Square, 4, "d381be057bb4a594"),
];

#[test]
fn known_matches_come_out_as_ever() {
    let hashes = GOLDEN.map(|(players, radius, grid, seed, _)| {
        let config = Config::new(players, radius, seed).with_grid(grid);
        sync(&played(config, 1500).0)
    });
    assert_eq!(hashes, GOLDEN.map(|row| row.4));
}

#[test]
fn orders_alone_give_the_match_again() {
    let config = Config::new(3, 10, 11);
    let (game, orders) = played(config.clone(), 2000);
    let mut again = Skirmish::new(config).unwrap();
    orders.iter().for_each(|inputs| step(&mut again, inputs));
    assert_eq!(again.snapshot(), game.snapshot());
    assert_eq!(again.outcome(), game.outcome());
}

#[test]
fn a_match_can_be_entered_at_any_keyframe() {
    let config = Config::new(4, 10, 5);
    let (_, orders) = played(config.clone(), 1600);
    let mut game = Skirmish::new(config.clone()).unwrap();
    let mut baseline: Option<SimSnapshot> = None;
    let mut entered: Vec<Skirmish> = Vec::new();
    for (tick, inputs) in orders.iter().enumerate() {
        if tick % 200 == 37 {
            let snapshot = game.snapshot();
            let bytes = snapshot.to_bytes();
            let mut copy = Skirmish::new(config.clone()).unwrap();
            copy.restore(&SimSnapshot::read(&bytes).unwrap()).unwrap();
            assert_eq!(copy.snapshot().to_bytes(), bytes);
            if let Some(mut state) = baseline.replace(snapshot.clone()) {
                let delta = DeltaSnapshot::between(&state, &snapshot).unwrap();
                assert!(delta.to_bytes().len() < bytes.len());
                state.apply(&delta).unwrap();
                assert_eq!(state, snapshot);
            }
            entered.push(copy);
        }
        step(&mut game, inputs);
        entered.iter_mut().for_each(|copy| step(copy, inputs));
    }
    assert!(entered.len() > 5);
    for copy in entered {
        assert_eq!(copy.snapshot(), game.snapshot());
    }
}

#[test]
fn snapshots_of_others_and_damaged_ones_are_refused() {
    let (game, _) = played(Config::new(3, 8, 1), 900);
    let mut other = Skirmish::new(Config::new(3, 8, 2)).unwrap();
    let start = other.snapshot();
    assert!(other.restore(&game.snapshot()).is_err());
    let bytes = game.snapshot().to_bytes();
    let mut same = Skirmish::new(Config::new(3, 8, 1)).unwrap();
    let mut refused = 0;
    for index in 0..bytes.len() {
        for bit in [1, 0x10, 0x80] {
            let mut damaged = bytes.clone();
            damaged[index] ^= bit;
            let Ok(snapshot) = SimSnapshot::read(&damaged) else { continue };
            match same.restore(&snapshot) {
                // What was taken is a state of the game: it says itself again, and goes on.
                Ok(()) => {
                    assert!(same.snapshot() == snapshot, "byte {index}, bit {bit}");
                    (0..3).for_each(|_| same.step(&[]).unwrap());
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 500, "{refused}");
    assert_eq!(other.snapshot(), start, "a refused snapshot changes nothing");
}
