//! No leak, and nothing missing: every view of every tick is compared with what it may know.

use gametape_minewars::Generation;
use gametape_minewars::{Dialect, Duration, Grid, Message, Messages, ViewState};
use gametape_replay::Simulation;
use gametape_wire::View;

use super::oracle::Oracle;
use crate::order::Command;
use crate::play::{Match, Turn};
use crate::world::{Moment, Skirmish};
use crate::{Config, Style};

#[path = "../../tests/shared/scale.rs"]
mod scale;

use scale::scaled;

/// A view as its player rebuilds it from payloads, beside what it may know.
struct Watcher {
    state: ViewState,
    oracle: Oracle,
}

impl Watcher {
    fn check(&mut self, game: &Skirmish, turn: &Turn, generation: Generation) {
        let view = self.state.view();
        for report in &turn.reports {
            if let Ok(Command::RoundTrip { ms }) = Command::from_bytes(&report.payload) {
                let (byte, _) = Duration(ms.into()).to_byte(generation);
                let sent = Duration::from_byte(byte, generation);
                self.oracle.note_rtt(report.player.number(), sent.0);
            }
        }
        let changed = self.oracle.learn(game);
        let payload = &turn.payloads[usize::from(view.number())];
        if !changed && payload.is_empty() {
            return;
        }
        let before = self.state.clone();
        for message in Messages::new(payload, 0, Dialect::from(generation)) {
            let message = message.unwrap();
            let named = self.names_hidden(game, &before, &message);
            assert_eq!(named, None, "view {view} tick {}: {message:?}", turn.tick);
            self.state.apply(&message).unwrap();
        }
        if let Some(difference) = self.oracle.compare(game, &self.state) {
            panic!("seed {} view {view} tick {}: {difference}", game.config.seed, turn.tick);
        }
    }

    /// What a message names that the rules hide from the view.
    fn names_hidden(
        &self,
        game: &Skirmish,
        before: &ViewState,
        message: &Message<'_>,
    ) -> Option<&'static str> {
        let me = self.state.view().number();
        if me == 0 {
            return None;
        }
        let grid = game.config.grid;
        let seen = |tile| grid.index_of(tile).is_some_and(|index| self.oracle.sight[index]);
        let own = |tile| game.find(tile).is_some_and(|cell| game.owner(cell) == me);
        let was_own = |tile| before.tile(tile).is_some_and(|tile| tile.owner == me);
        let revealed = |tile| {
            let mine = |moment: &Moment| {
                matches!(*moment, Moment::Revealed { player, cell, .. }
                if player == me && game.atlas.coord(cell) == tile)
            };
            game.log.moments.iter().any(mine)
        };
        let building =
            |tile| game.find(tile).is_some_and(|cell| game.pending.contains_key(&(cell, me)));
        let was_building = |tile| before.tile(tile).is_some_and(|tile| tile.pending.is_some());
        let fine = match *message {
            Message::Owner { tiles, .. } => tiles.iter().all(|tile| {
                let whole = |tile| game.find(tile).and_then(|cell| game.atlas.cluster(cell));
                seen(tile)
                    || own(tile)
                    || was_own(tile)
                    || whole(tile).is_some_and(|cluster| {
                        let cells = &game.atlas.clusters[cluster].cells;
                        cells.iter().any(|cell| seen(game.atlas.coord(*cell)))
                    })
            }),
            Message::DigitSingle { digit } => own(digit.tile),
            Message::DigitRun { digits } => digits.iter().all(|digit| own(digit.tile)),
            Message::Item { tile, .. } => own(tile) || was_own(tile) || revealed(tile),
            Message::Structure { tile, .. }
            | Message::StructureHp { tile, .. }
            | Message::SmokeStart { tile }
            | Message::SmokeEnd { tile } => seen(tile),
            Message::StructureGone { tile } => seen(tile) || was_building(tile),
            Message::ConstructionQueued { tile, .. }
            | Message::ConstructionProgress { tile, .. } => building(tile),
            Message::CityMoney { city, .. }
            | Message::CitySpending { city, .. }
            | Message::CityTransaction { city, .. }
            | Message::CityResources { city, .. }
            | Message::CityTrade { city, .. } => game.city_owner(city.into()) == me,
            Message::Flag { player, .. } => player == 0 || player == me,
            _ => true,
        };
        (!fine).then_some("something hidden")
    }
}

fn watch(config: Config, generation: Generation, ticks: u64) {
    let mut game = Match::new(config, &Style::ALL, generation).unwrap();
    let views = 0..=game.game().config().players();
    let mut watchers: Vec<Watcher> = views
        .filter_map(View::new)
        .map(|view| Watcher {
            state: ViewState::new(&game.setup().map, view, generation),
            oracle: Oracle::new(game.game(), view, generation),
        })
        .collect();
    while !game.is_over() && game.game().tick().0 < ticks {
        let turn = game.step().unwrap();
        for watcher in &mut watchers {
            watcher.check(game.game(), &turn, generation);
            let view = watcher.state.view();
            assert_eq!(Some(&watcher.state), game.view(view), "bots see what is recorded");
        }
    }
}

#[test]
fn views_know_exactly_what_they_may() {
    for seed in 0..scaled(24) {
        let players = 2 + (seed % 7) as u8;
        let grid = if seed % 3 == 0 { Grid::Square } else { Grid::Hex };
        let v01 = seed % 4 == 0 && players <= 6;
        let generation = if v01 { Generation::V01 } else { Generation::Current };
        let radius = 5 + players / 2;
        let config = Config::new(players, radius, seed).with_grid(grid).with_time_limit(120);
        watch(config, generation, 1200);
    }
}
