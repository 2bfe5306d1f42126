//! Samples of the players' figures, comebacks, and units in combat.

use std::collections::BTreeMap;

use gametape_analysis::{AnalysisEvent, PlayerStats, SAMPLE_UNITS, WorldPos};
use gametape_minewars::ItemKind;
use gametape_tape::UnitTag;
use gametape_wire::Tick;

use super::engagement::finished_units;
use super::pos_of;
use crate::rules::{SECOND, item_cost};
use crate::units::UnitKind;
use crate::world::{Moment, Skirmish};

/// How often figures are sampled.
const SAMPLE: u64 = 10 * SECOND;
/// How long a unit that was hit counts as in combat.
const COMBAT: u64 = 5 * SECOND;
/// What a tile is worth in a balance.
const TILE_VALUE: i64 = 10;
/// How far below and above the others a comeback goes, in percent of all players' worth.
const COMEBACK: i64 = 15;

#[derive(Debug, Clone)]
pub(super) struct Standing {
    /// By player: structures and items, as of the last whole second.
    armies: Vec<i64>,
    /// By player: items on own tiles, at the same time.
    items: Vec<u32>,
    /// By player: the greatest difference to the best other, while the player is below.
    deficits: Vec<Option<i64>>,
    /// By player: orders until the last sample.
    orders: Vec<u32>,
    sampled: u64,
    /// Units in combat, and until when.
    combat: BTreeMap<UnitTag, u64>,
}

impl Standing {
    pub(super) fn new(game: &Skirmish) -> Self {
        let players = game.players.len();
        Self {
            armies: vec![0; players],
            items: vec![0; players],
            deficits: vec![None; players],
            orders: vec![0; players],
            sampled: 0,
            combat: BTreeMap::new(),
        }
    }

    /// What each player's army was worth a moment ago.
    pub(super) fn armies(&self) -> &[i64] {
        &self.armies
    }

    pub(super) fn update(&mut self, game: &Skirmish, tick: Tick, events: &mut Vec<AnalysisEvent>) {
        self.note_combat(game, tick);
        let ended = game.log.moments.iter().any(|m| matches!(m, Moment::Ended { .. }));
        let second = tick.0.is_multiple_of(SECOND);
        if second || ended {
            (self.armies, self.items) = armies(game);
            self.sample_positions(game, tick, events);
        }
        if tick.0.is_multiple_of(SAMPLE) || ended {
            self.sample(game, tick, events);
        }
    }

    fn note_combat(&mut self, game: &Skirmish, tick: Tick) {
        for moment in &game.log.moments {
            let tag = match *moment {
                Moment::Damaged { tag, .. } => tag,
                Moment::CityCapturing { city, .. } => game.cities[city].tag,
                _ => continue,
            };
            self.combat.insert(tag, tick.0 + COMBAT);
        }
    }

    fn sample_positions(&mut self, game: &Skirmish, tick: Tick, events: &mut Vec<AnalysisEvent>) {
        self.combat.retain(|tag, until| *until >= tick.0 && game.units.get(*tag).is_some());
        let position = |tag: &UnitTag| Some((*tag, pos_of(game, game.units.get(*tag)?.cell)));
        let positions: Vec<_> = self.combat.keys().filter_map(position).collect();
        events.extend(samples(tick, &positions));
    }

    fn sample(&mut self, game: &Skirmish, tick: Tick, events: &mut Vec<AnalysisEvent>) {
        let seconds = ((tick.0 - self.sampled) / SECOND).max(1) as u32;
        for player in 1..game.players.len() as u8 {
            let stats = self.stats(game, player, seconds);
            events.push(AnalysisEvent::PlayerStatSnapshot { tick, player, stats });
        }
        self.sampled = tick.0;
        self.find_comebacks(game, tick, events);
    }

    fn stats(&mut self, game: &Skirmish, player: u8, seconds: u32) -> PlayerStats {
        let state = &game.players[usize::from(player)];
        let counters = &state.counters;
        let own = |city: &usize| game.city_owner(*city) == player;
        let cities = || (0..game.cities.len()).filter(own).map(|city| &game.cities[city]);
        let orders = std::mem::replace(&mut self.orders[usize::from(player)], counters.orders);
        PlayerStats {
            credits: cities().map(|city| i64::from(city.money)).sum(),
            income: cities().map(|city| 60 * i64::from(city.income)).sum(),
            army_value: self.armies[usize::from(player)],
            structures: finished_units(game, player).count() as u32,
            units: self.items[usize::from(player)],
            territory: state.territory,
            kills: counters.kills,
            losses: counters.losses,
            value_killed: counters.value_killed as i64,
            value_lost: counters.value_lost as i64,
            actions_per_minute: (counters.orders - orders) * 60 / seconds,
        }
    }

    fn find_comebacks(&mut self, game: &Skirmish, tick: Tick, events: &mut Vec<AnalysisEvent>) {
        let worth = |player: u8| {
            let state = &game.players[usize::from(player)];
            let cities = i64::from(state.cities) * i64::from(UnitKind::City.value());
            self.armies[usize::from(player)] + cities + TILE_VALUE * i64::from(state.territory)
        };
        let players: Vec<(u8, i64)> = game.players_in().map(|p| (p, worth(p))).collect();
        let threshold = players.iter().map(|(_, worth)| worth).sum::<i64>() * COMEBACK / 100;
        for &(player, own) in &players {
            let others = players.iter().filter(|(other, _)| *other != player);
            let Some(best) = others.map(|(_, worth)| *worth).max() else { return };
            let (balance, deficit) = (own - best, &mut self.deficits[usize::from(player)]);
            if balance < -threshold {
                *deficit = Some(deficit.unwrap_or(0).min(balance));
            } else if balance > threshold
                && let Some(deficit) = deficit.take()
            {
                events.push(AnalysisEvent::ComebackMoment {
                    tick,
                    player,
                    deficit_before: -deficit,
                    advantage_after: balance,
                    swing_value: balance - deficit,
                });
            }
        }
    }
}

/// Samples of at most 256 units each, and of all of them.
fn samples(tick: Tick, positions: &[(UnitTag, WorldPos)]) -> impl Iterator<Item = AnalysisEvent> {
    let sample = move |some: &[(UnitTag, WorldPos)]| AnalysisEvent::UnitPositionSample {
        tick,
        positions: some.to_vec(),
    };
    positions.chunks(SAMPLE_UNITS.max as usize).map(sample)
}

/// By player: what finished structures and the items on own tiles are worth, and how many items.
fn armies(game: &Skirmish) -> (Vec<i64>, Vec<u32>) {
    let mut armies = vec![0; game.players.len()];
    let mut items = vec![0; game.players.len()];
    for (_, unit) in game.units.iter() {
        if unit.construction.is_none() && unit.kind != UnitKind::City {
            armies[usize::from(unit.owner)] += i64::from(unit.kind.value());
        }
    }
    for &cell in &game.atlas.ring_order {
        let tile = game.tile(cell);
        armies[usize::from(tile.owner)] += i64::from(item_cost(tile.item));
        items[usize::from(tile.owner)] += u32::from(tile.item != ItemKind::None);
    }
    (armies, items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_more_units_than_one_holds_are_split_and_none_is_dropped() {
        let unit = |index| (UnitTag { index, generation: 0 }, WorldPos { x: 0, y: 0, z: 0 });
        let positions: Vec<_> = (0..600).map(unit).collect();
        let found: Vec<Vec<_>> = samples(Tick(20), &positions)
            .map(|sample| match sample {
                AnalysisEvent::UnitPositionSample { tick: Tick(20), positions } => positions,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [256, 256, 88]);
        assert_eq!(found.concat(), positions);
        assert_eq!(samples(Tick(20), &[]).count(), 0);
    }
}
