//! A gamelog says at every tick what the simulation says.

use gametape_cadre::{Log, Options, Timeline, verify};
use gametape_minewars::Generation;
use gametape_replay::{Order, Simulation};

use super::*;
use crate::bots::Style;
use crate::order::Command;
use crate::play::Match;
use crate::world::Outcome;

/// Plays a match of bots, and writes it as a gamelog; also gives copies of the game at some ticks.
fn played(seed: u64, ticks: u64) -> (Vec<u8>, Vec<Skirmish>) {
    let config = Config::new(3, 7, seed).with_time_limit(60);
    let mut game = Match::new(config, &Style::ALL, Generation::Current).unwrap();
    let mut writer = GamelogWriter::new(game.game(), "a match");
    let mut kept = vec![game.game().clone()];
    while !game.is_over() && game.game().tick().0 < ticks {
        let turn = game.step().unwrap();
        let orders: Vec<Order<'_>> =
            turn.orders.iter().map(|input| Order::new(input.player, &input.payload)).collect();
        writer.tick(game.game(), &orders).unwrap();
        if game.game().tick().0.is_multiple_of(37) || game.is_over() {
            kept.push(game.game().clone());
        }
    }
    (writer.finish(), kept)
}

fn timeline(json: Vec<u8>) -> Timeline {
    let options = Options::default();
    Timeline::load(Log::open(json, &options).unwrap(), &options).unwrap()
}

#[test]
fn the_state_after_a_tick_is_the_one_that_a_gamelog_would_begin_with() {
    let (json, kept) = played(4, 1300);
    let mut timeline = timeline(json);
    let mut next = kept.iter().peekable();
    for position in 1..=timeline.len() {
        timeline.seek(position).unwrap();
        let turn = timeline.state().get("currentTurn").unwrap().as_i64().unwrap();
        if let Some(game) = next.next_if(|game| game.tick == turn as u64) {
            let fresh = self::timeline(GamelogWriter::new(game, "a match").finish());
            assert_eq!(timeline.state().hash(), fresh.state().hash(), "turn {turn}");
        }
    }
    assert!(next.peek().is_none(), "all of {} were found", kept.len());
}

#[test]
fn it_is_a_gamelog_without_irregularities() {
    for seed in 1..4 {
        let (json, kept) = played(seed, u64::MAX);
        let last = kept.last().unwrap();
        assert!(last.outcome.is_some());
        let log = Log::open(json, &Options::default()).unwrap();
        let verdict = verify(&log, 9).unwrap();
        assert_eq!(verdict.report.findings(), []);
        let winners: Vec<_> = verdict.outcome.winners().map(|player| player.name.clone()).collect();
        match last.outcome {
            Some(Outcome::Won { winner, .. }) => {
                assert_eq!(winners, [Some(last.config.names[usize::from(winner) - 1].clone())]);
            }
            _ => assert_eq!(verdict.report.errors(), 0),
        }
    }
}

#[test]
fn a_name_that_looks_like_a_removal_stays_a_name() {
    let mut config = Config::new(2, 6, 1);
    config.names[0] = "&RM".to_owned();
    let game = Skirmish::new(config).unwrap();
    let timeline = timeline(GamelogWriter::new(&game, "&RM&").finish());
    let name = timeline.state().get("gameObjects.0.name").unwrap();
    assert_eq!(name.as_str().as_deref(), Some("&RM"));
}

/// A log as JSON values, for tests that look at every delta.
fn deltas(json: &[u8]) -> (serde_json::Value, Vec<serde_json::Value>) {
    let mut log: serde_json::Value = serde_json::from_slice(json).unwrap();
    let deltas = log["deltas"].take();
    (log, deltas.as_array().unwrap().clone())
}

#[test]
fn every_ran_says_what_it_returned_and_every_refusal_why() {
    let (json, kept) = played(3, u64::MAX);
    let (_, deltas) = deltas(&json);
    let of_type = |name: &str| {
        deltas
            .iter()
            .filter(|delta| delta["type"] == name)
            .map(|delta| &delta["data"])
            .collect::<Vec<_>>()
    };
    let mut counts = vec![(0, 0); 3];
    let mut reasons = std::collections::BTreeSet::new();
    for data in of_type("ran") {
        let player: usize = data["player"]["id"].as_str().unwrap().parse().unwrap();
        match data["returned"].as_bool().unwrap() {
            true => counts[player].0 += 1,
            false => counts[player].1 += 1,
        }
        // Both are in every one, and the reason is one of this order, not the rule of all.
        let why = data.as_object().unwrap()["invalid"].as_str();
        assert_eq!(data["returned"] == false, why.is_some(), "{data}");
        assert!(why.is_none_or(|why| why.len() > 10 && !why.contains("section")), "{data}");
        reasons.extend(why);
    }
    assert!(reasons.len() > 1, "{reasons:?}");
    let last = kept.last().unwrap();
    for (player, counted) in (1..=3).zip(counts) {
        let counters = last.counters(player).unwrap();
        assert_eq!(counted, (counters.orders, counters.refused), "player {player}");
    }
    let refused = of_type("ran").iter().filter(|data| data["returned"] == false).count() as u64;
    let finished = of_type("finished");
    assert_eq!(finished.len() as u64, last.tick);
    assert_eq!(
        finished.iter().map(|data| data["order"]["errors"].as_u64().unwrap()).sum::<u64>(),
        refused
    );
    for (index, data) in finished.iter().enumerate() {
        assert_eq!((&data["player"]["id"], &data["returned"]), (&"0".into(), &true.into()));
        assert_eq!(data["order"]["index"].as_u64(), Some(index as u64));
    }
}

#[test]
fn who_leaves_is_disconnected_and_has_lost_from_then_on() {
    let mut game = Skirmish::new(Config::new(3, 8, 3)).unwrap();
    let mut writer = GamelogWriter::new(&game, "");
    writer.set_epoch(epoch_of("2026-11-16T13:39:06Z"));
    let leave = Command::Surrender { leave: true }.to_bytes().unwrap();
    let orders = [Order::new(View::new(2).unwrap(), &leave)];
    game.step(&orders).unwrap();
    writer.tick(&game, &orders).unwrap();
    let json = writer.finish();
    let (log, deltas) = deltas(&json);
    assert_eq!(log["epoch"], 1_794_836_346_000_i64);
    let types: Vec<_> = deltas.iter().map(|delta| delta["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["start", "ran", "disconnect", "finished", "over"]);
    assert_eq!(deltas[2]["data"]["player"]["id"], "1");
    assert_eq!(deltas[2]["game"]["gameObjects"]["1"]["lost"], true);
    assert_eq!(deltas[2]["game"]["gameObjects"]["1"]["reasonLost"], "left");
    assert_eq!(deltas[2]["game"]["currentTurn"], 1);
    assert_eq!(deltas[3]["game"], serde_json::json!({}));
    let losers = log["losers"].as_array().unwrap();
    assert_eq!((losers.len(), &losers[0]["disconnected"]), (1, &true.into()));
}

#[test]
fn times_of_day_become_milliseconds() {
    assert_eq!(epoch_of("1970-01-01T00:00:00Z"), Some(0));
    assert_eq!(epoch_of("2000-02-29T12:00:01Z"), Some(951_825_601_000));
    for wrong in ["2000-02-29 12:00:01", "2000-13-01T00:00:00Z", "2000-01-01T24:00:00Z", "é"] {
        assert_eq!(epoch_of(wrong), None, "{wrong}");
    }
}
