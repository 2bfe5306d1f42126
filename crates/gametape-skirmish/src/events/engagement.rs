//! Engagements: hostile acts of two players that belong together.

use gametape_analysis::AnalysisEvent;
use gametape_tape::UnitTag;
use gametape_wire::Tick;

use super::pos_of;
use crate::atlas::Cell;
use crate::rules::SECOND;
use crate::units::Unit;
use crate::world::{Ability, Moment, Skirmish};

/// Tiles around the first act.
const REACH: u16 = 10;
/// Ticks from one act to the next.
const BREATH: u64 = 5 * SECOND;
/// Percent of an army whose loss is a wipe, if at least this many units were lost.
const WIPE: (i64, u32) = (70, 3);

#[derive(Debug, Clone, Default)]
pub(super) struct Engagements {
    open: Vec<Engagement>,
    last_id: u32,
}

#[derive(Debug, Clone)]
struct Engagement {
    id: u32,
    /// The player whose act was first, and the other one.
    sides: [Side; 2],
    first: Cell,
    /// When it became an engagement: at its second act.
    started: Option<Tick>,
    last: u64,
    acts: u32,
}

#[derive(Debug, Clone, Copy)]
struct Side {
    player: u8,
    /// What the army was worth before.
    army: i64,
    losses: u32,
    value_lost: i64,
}

/// One player did something to another.
struct Act {
    by: u8,
    to: u8,
    cell: Cell,
}

impl Engagements {
    pub(super) fn update(
        &mut self,
        game: &Skirmish,
        tick: Tick,
        armies: &[i64],
        events: &mut Vec<AnalysisEvent>,
    ) {
        for moment in &game.log.moments {
            if let Some(act) = act_of(game, moment) {
                self.take(game, tick, armies, &act, events);
            }
            if let Some((unit, killer)) = moment.loss() {
                self.lose(game, unit.cell, unit.owner, killer, unit.kind.value());
            }
        }
        let over = game.outcome.is_some();
        let ended = |e: &mut Engagement| over || tick.0 >= e.last + BREATH;
        for engagement in self.open.extract_if(.., ended) {
            engagement.end(game, tick, events);
        }
    }

    fn take(
        &mut self,
        game: &Skirmish,
        tick: Tick,
        armies: &[i64],
        act: &Act,
        events: &mut Vec<AnalysisEvent>,
    ) {
        let near = |e: &&mut Engagement| {
            e.is_between(act.by, act.to) && game.atlas.distance(e.first, act.cell) <= REACH
        };
        if let Some(engagement) = self.open.iter_mut().find(near) {
            engagement.last = tick.0;
            engagement.acts += 1;
            events.extend(engagement.start(game, tick));
            return;
        }
        self.last_id += 1;
        let side = |player: u8| Side {
            player,
            army: armies.get(usize::from(player)).copied().unwrap_or(0),
            losses: 0,
            value_lost: 0,
        };
        self.open.push(Engagement {
            id: self.last_id,
            sides: [side(act.by), side(act.to)],
            first: act.cell,
            started: None,
            last: tick.0,
            acts: 1,
        });
    }

    fn lose(&mut self, game: &Skirmish, cell: Cell, owner: u8, killer: u8, value: u32) {
        let near = |e: &&mut Engagement| {
            e.is_between(owner, killer) && game.atlas.distance(e.first, cell) <= REACH
        };
        if let Some(engagement) = self.open.iter_mut().find(near) {
            for side in engagement.sides.iter_mut().filter(|side| side.player == owner) {
                side.losses += 1;
                side.value_lost += i64::from(value);
            }
        }
    }
}

fn act_of(game: &Skirmish, moment: &Moment) -> Option<Act> {
    let act = match *moment {
        Moment::Captured { cell, by, from } => Act { by, to: from, cell },
        Moment::Died { player, cell, killer } => Act { by: killer, to: player, cell },
        Moment::Damaged { by, cell, owner, .. } => Act { by, to: owner, cell },
        Moment::Ability { player, ability: Ability::Strike, cell, .. } => {
            Act { by: player, to: game.owner(cell), cell }
        }
        Moment::CityCaptured { city, by, from } => {
            Act { by, to: from, cell: game.atlas.cities[city].cell }
        }
        _ => return None,
    };
    (act.by != 0 && act.to != 0 && act.by != act.to).then_some(act)
}

impl Engagement {
    fn is_between(&self, a: u8, b: u8) -> bool {
        let [one, other] = self.sides.map(|side| side.player);
        (one, other) == (a, b) || (one, other) == (b, a)
    }

    /// The units of a side that are near, and what they are worth.
    fn units(&self, game: &Skirmish, side: &Side) -> (Vec<UnitTag>, i64) {
        let near = finished_units(game, side.player)
            .filter(|(_, unit)| game.atlas.distance(self.first, unit.cell) <= REACH);
        near.fold((Vec::new(), 0), |(mut tags, value), (tag, unit)| {
            tags.push(tag);
            (tags, value + i64::from(unit.kind.value()))
        })
    }

    /// The units of a side that take part: those that are near, or else the nearest one.
    fn participants(&self, game: &Skirmish, side: &Side) -> (Vec<UnitTag>, i64) {
        let (tags, value) = self.units(game, side);
        match nearest_unit(game, side.player, self.first) {
            Some((tag, unit)) if tags.is_empty() => (vec![tag], unit.kind.value().into()),
            _ => (tags, value),
        }
    }

    /// Starts at the second act, while both players are in the match.
    fn start(&mut self, game: &Skirmish, tick: Tick) -> Option<AnalysisEvent> {
        let are_in = self.sides.iter().all(|side| game.is_in(side.player));
        (self.started.is_none() && are_in).then_some(())?;
        self.started = Some(tick);
        let (friendly_units, value_friendly) = self.participants(game, &self.sides[0]);
        let (enemy_units, value_enemy) = self.participants(game, &self.sides[1]);
        Some(AnalysisEvent::EngagementStarted {
            tick,
            center_pos: pos_of(game, self.first),
            friendly_units,
            enemy_units,
            value_friendly,
            value_enemy,
            engagement_id: self.id,
        })
    }

    /// One act alone is no engagement.
    fn end(&self, game: &Skirmish, tick: Tick, events: &mut Vec<AnalysisEvent>) {
        let Some(started) = self.started else { return };
        events.extend(self.sides.iter().filter_map(|side| side.wipe(tick)));
        let [friendly, enemy] = &self.sides;
        events.push(AnalysisEvent::EngagementEnded {
            tick,
            center_pos: pos_of(game, self.first),
            friendly_losses: friendly.losses,
            enemy_losses: enemy.losses,
            friendly_survivors: self.units(game, friendly).0.len() as u32,
            enemy_survivors: self.units(game, enemy).0.len() as u32,
            duration_ticks: tick.0 - started.0,
            engagement_id: self.id,
        });
    }
}

/// The units of a player that are not under construction.
pub(super) fn finished_units(
    game: &Skirmish,
    player: u8,
) -> impl Iterator<Item = (UnitTag, &Unit)> {
    let own =
        move |(_, unit): &(UnitTag, &Unit)| unit.owner == player && unit.construction.is_none();
    game.units.iter().filter(own)
}

/// The unit of a player that is nearest to a cell, of several the one with the lowest tag.
fn nearest_unit(game: &Skirmish, player: u8, cell: Cell) -> Option<(UnitTag, &Unit)> {
    finished_units(game, player)
        .min_by_key(|(tag, unit)| (game.atlas.distance(cell, unit.cell), *tag))
}

impl Side {
    fn wipe(&self, tick: Tick) -> Option<AnalysisEvent> {
        let (percent, least) = WIPE;
        let wiped = self.losses >= least && 100 * self.value_lost > percent * self.army;
        wiped.then(|| AnalysisEvent::ArmyWipe {
            tick,
            player: self.player,
            units_lost: self.losses,
            total_value_lost: self.value_lost,
            percentage_of_army: (100 * self.value_lost / self.army.max(1)).min(100) as u16,
        })
    }
}
