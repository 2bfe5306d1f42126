//! A gamelog says at every tick what the simulation says.

use gametape_cadre::{Log, Options, Timeline, verify};
use gametape_minewars::Generation;
use gametape_replay::{Order, Simulation};

use super::*;
use crate::bots::Style;
use crate::play::Match;
use crate::world::Outcome;

/// Plays a match of bots, and tells it; also gives copies of the game at some ticks.
fn played(seed: u64, ticks: u64) -> (Vec<u8>, Vec<Skirmish>) {
    let config = Config { time_limit: 60, ..Config::new(3, 7, seed) };
    let mut game = Match::new(config, &Style::ALL, Generation::Current).unwrap();
    let mut writer = GamelogWriter::new(game.game(), "a match");
    let mut kept = vec![game.game().clone()];
    while !game.is_over() && game.game().tick() < ticks {
        let before = game.game().clone();
        let turn = game.step().unwrap();
        for said in &turn.orders {
            let order = Order { player: said.player, payload: &said.payload };
            writer.order(&before, &order).unwrap();
        }
        writer.tick(game.game()).unwrap();
        if game.game().tick().is_multiple_of(37) || game.is_over() {
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
    assert!(next.peek().is_none(), "all of {} were met", kept.len());
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
