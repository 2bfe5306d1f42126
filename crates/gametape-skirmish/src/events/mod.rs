//! Events for analysis: what happened, in words that every game shares.
//!
//! They are made from the log of the simulation and the state after it, and never flow back.

mod engagement;
mod standing;

use gametape_analysis::{
    AnalysisEvent, ControlGroupAction, MatchOutcome, NameId, UnitTraits, VoteAnalysisEvent,
    WorldPos,
};
use gametape_minewars::{Coord, StructureKind};
use gametape_tape::{CellPos, UnitTag};
use gametape_wire::Tick;

use crate::atlas::Cell;
use crate::order::{Command, GroupAction};
use crate::rules::TIMEOUT;
use crate::units::{Unit, UnitKind};
use crate::world::{Ability, Moment, Outcome, Skirmish};
use engagement::{Engagements, finished_units};
use standing::Standing;

/// Every name in the events of a match; its index is its id in the tape's string table.
pub const NAMES: [&str; 24] = [
    "road",
    "bridge",
    "wall",
    "tower",
    "city",
    "strike",
    "reveal",
    "smoke",
    "harvest",
    "scrap",
    "craft 1",
    "craft 2",
    "craft 3",
    "elimination",
    "surrender",
    "surrender vote",
    "kick",
    "time limit",
    "draw vote",
    "nobody left",
    "draw",
    "superweapon",
    gametape_analysis::TIMEOUT,
    CANCELLED,
];

/// A construction that ended without result.
const CANCELLED: &str = "cancelled";

const CRAFTS: [&str; 3] = ["craft 1", "craft 2", "craft 3"];

/// The id of a name; every name that is asked for is in the table.
fn name(text: &str) -> NameId {
    let index = NAMES.iter().position(|name| *name == text);
    debug_assert!(index.is_some(), "{text}");
    NameId(index.unwrap_or(0) as u32)
}

/// Destroyed structures that make a strike the superweapon.
const SUPERWEAPON: u32 = 3;

/// Watches a match and makes its events.
#[derive(Debug, Clone)]
pub struct Analyst {
    engagements: Engagements,
    standing: Standing,
}

impl Analyst {
    /// An analyst for a game that has not begun.
    #[must_use]
    pub fn new(game: &Skirmish) -> Self {
        Self { engagements: Engagements::default(), standing: Standing::new(game) }
    }

    /// The events of the game's last tick, with what was reported in it.
    pub fn update(&mut self, game: &Skirmish, inputs: &[(u8, Command)]) -> Vec<AnalysisEvent> {
        let mut events = Vec::new();
        let Some(tick) = game.tick.checked_sub(1).map(Tick) else { return events };
        for moment in &game.log.moments {
            events.extend(event_of(game, tick, moment));
            events.extend(rarity_of(game, tick, moment));
        }
        self.engagements.update(game, tick, self.standing.armies(), &mut events);
        self.standing.update(game, tick, &mut events);
        events.extend(inputs.iter().filter_map(|(player, input)| reported(tick, *player, input)));
        events
    }
}

fn pos(coord: Coord) -> WorldPos {
    WorldPos::from(CellPos { z: 0, y: coord.y.into(), x: coord.x.into() })
}

fn pos_of(game: &Skirmish, cell: Cell) -> WorldPos {
    pos(game.atlas.coord(cell))
}

/// What a moment is in the events' words; some are nothing to them.
fn event_of(game: &Skirmish, tick: Tick, moment: &Moment) -> Option<AnalysisEvent> {
    use AnalysisEvent as E;
    Some(match *moment {
        Moment::Created { tag, unit } => {
            let (unit_type, owner, pos) = details(game, &unit);
            E::UnitCreated { tick, tag, unit_type, owner, pos }
        }
        Moment::Started { tag, unit } => {
            let (unit_type, owner, pos) = details(game, &unit);
            E::ConstructionStarted { tick, tag, unit_type, owner, pos }
        }
        Moment::Completed { tag } => E::ConstructionCompleted { tick, tag },
        Moment::Destroyed { tag, unit, .. } if unit.construction.is_some() => {
            cancelled(game, tick, tag, &unit)
        }
        Moment::Destroyed { tag, unit, killer } => destroyed(game, tick, tag, &unit, killer),
        Moment::Collected { player, what, amount } => {
            let (resource_type, amount) = (name(what.name()), amount as i32);
            E::ResourceCollected { tick, player, resource_type, amount }
        }
        Moment::Upgraded { player, craft } => {
            let upgrade_id = name(CRAFTS[craft.clamp(1, CRAFTS.len()) - 1]);
            E::UpgradeCompleted { tick, player, upgrade_id }
        }
        Moment::Ability { player, ability, cell, .. } => {
            let target = Some(pos_of(game, cell));
            E::AbilityUsed { tick, player, ability_id: name(ability.name()), target }
        }
        Moment::Paused { player, on: paused } => E::PauseEvent { tick, player, paused },
        Moment::Ended { outcome } => E::MatchEnded { tick, outcome: outcome_of(outcome) },
        Moment::Died { player, cell, .. } => E::GameEvent {
            tick,
            what: name(gametape_analysis::TIMEOUT),
            player: Some(player),
            tag: None,
            pos: Some(pos_of(game, cell)),
            value: TIMEOUT as i64,
        },
        _ => E::VoteEvent { tick, event: vote_of(moment)? },
    })
}

/// The rare moments: the superweapon, and the end of a base.
fn rarity_of(game: &Skirmish, tick: Tick, moment: &Moment) -> Option<AnalysisEvent> {
    match *moment {
        Moment::Ability { player, ability: Ability::Strike, cell, destroyed, buildings, items }
            if destroyed >= SUPERWEAPON =>
        {
            Some(AnalysisEvent::SuperweaponFired {
                tick,
                weapon_type: name("superweapon"),
                target_pos: pos_of(game, cell),
                player,
                units_affected: items,
                buildings_affected: buildings,
            })
        }
        Moment::CityCaptured { city, by, from } if from != 0 => {
            let lost = |moment: &Moment| match *moment {
                Moment::Destroyed { tag, unit, killer }
                    if unit.owner == from && killer == by && unit.construction.is_none() =>
                {
                    Some(tag)
                }
                _ => None,
            };
            let buildings_lost = game.log.moments.iter().filter_map(lost).collect();
            let pos = pos_of(game, game.atlas.cities[city].cell);
            Some(AnalysisEvent::BaseDestroyed { tick, player: from, pos, buildings_lost })
        }
        _ => None,
    }
}

fn details(game: &Skirmish, unit: &Unit) -> (NameId, u8, WorldPos) {
    (name(unit.kind.name()), unit.owner, pos_of(game, unit.cell))
}

/// A construction that ends without result: it was never a unit, so it is none that was destroyed.
fn cancelled(game: &Skirmish, tick: Tick, tag: UnitTag, unit: &Unit) -> AnalysisEvent {
    AnalysisEvent::GameEvent {
        tick,
        what: name(CANCELLED),
        player: Some(unit.owner),
        tag: Some(tag),
        pos: Some(pos_of(game, unit.cell)),
        value: unit.construction.map_or(0, |work| work.done.into()),
    }
}

/// The unit that counts as the killer: of the killer's units that were there before this tick, the
/// nearest one. Where all of them are gone by now, one that went after the death.
fn killer_unit(game: &Skirmish, killer: u8, unit: &Unit) -> Option<UnitTag> {
    let is_new = |tag: UnitTag| {
        let created =
            |moment: &Moment| matches!(*moment, Moment::Created { tag: new, .. } if new == tag);
        game.log.moments.iter().any(created)
    };
    let distance = |own: &Unit| game.atlas.distance(unit.cell, own.cell);
    let own = finished_units(game, killer).filter(|(tag, _)| !is_new(*tag));
    let nearest = own.min_by_key(|(tag, own)| (distance(own), *tag)).map(|(tag, _)| tag);
    nearest.or_else(|| {
        let gone = game.log.moments.iter().rev().filter_map(|moment| match moment {
            Moment::Destroyed { tag, unit, .. } => Some((*tag, unit)),
            _ => None,
        });
        let is_own = |gone: &Unit| gone.owner == killer && gone.construction.is_none();
        let mut own = gone.filter(|(tag, gone)| is_own(gone) && !is_new(*tag));
        own.next().map(|(tag, _)| tag)
    })
}

fn destroyed(game: &Skirmish, tick: Tick, tag: UnitTag, unit: &Unit, killer: u8) -> AnalysisEvent {
    let (unit_type, owner, pos) = details(game, unit);
    let traits = match unit.kind {
        UnitKind::Structure(StructureKind::Tower) => {
            UnitTraits::STRUCTURE.with(UnitTraits::TECHNOLOGY)
        }
        UnitKind::Structure(_) | UnitKind::City => UnitTraits::STRUCTURE,
    };
    AnalysisEvent::UnitDestroyed {
        tick,
        tag,
        killer_tag: if killer == 0 { None } else { killer_unit(game, killer, unit) },
        killer_owner: (killer != 0).then_some(killer),
        owner,
        unit_type,
        pos,
        value: unit.kind.value().into(),
        traits,
    }
}

fn outcome_of(outcome: Outcome) -> MatchOutcome {
    match outcome {
        Outcome::Won { winner, reason } => {
            MatchOutcome::Completed { winner, reason: name(reason.name()) }
        }
        Outcome::Draw { .. } => MatchOutcome::Draw,
        Outcome::Abandoned { leaver } => MatchOutcome::Abandoned { leaver },
    }
}

fn vote_of(moment: &Moment) -> Option<VoteAnalysisEvent> {
    Some(match *moment {
        Moment::VoteCalled { id, kind, by } => {
            let kind = name(kind.name());
            VoteAnalysisEvent::Proposed { id: id.into(), kind, proposer: by }
        }
        Moment::Ballot { id, by, yes } => {
            VoteAnalysisEvent::Ballot { id: id.into(), voter: by, yes }
        }
        Moment::VoteEnded { id, passed, .. } => {
            VoteAnalysisEvent::Resolved { id: id.into(), passed }
        }
        _ => return None,
    })
}

/// What a player's machine reported.
fn reported(tick: Tick, player: u8, input: &Command) -> Option<AnalysisEvent> {
    use AnalysisEvent as E;
    Some(match input {
        Command::Camera { at, zoom } => {
            E::CameraPositionSample { tick, player, viewport_center: pos(*at), zoom_level: *zoom }
        }
        Command::Selection { added, removed } => {
            let (added, removed) = (added.clone(), removed.clone());
            E::SelectionChanged { tick, player, added, removed }
        }
        Command::ControlGroup { group, action } => {
            let action = match action {
                GroupAction::Assign => ControlGroupAction::Assign,
                GroupAction::Append => ControlGroupAction::Append,
                GroupAction::Recall => ControlGroupAction::Recall,
            };
            E::ControlGroupEvent { tick, player, group: *group, action }
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::{Collected, Reason};

    #[test]
    fn every_name_is_in_the_table_once() {
        let kinds = StructureKind::NAMED.iter().map(|kind| UnitKind::Structure(*kind).name());
        let asked = kinds
            .chain([UnitKind::City.name(), "draw", "kick", "surrender", "superweapon"])
            .chain(Ability::ALL.map(Ability::name))
            .chain(Collected::ALL.map(Collected::name))
            .chain(Reason::ALL.map(Reason::name))
            .chain(CRAFTS)
            .chain([gametape_analysis::TIMEOUT, CANCELLED]);
        for text in asked {
            assert_eq!(NAMES.iter().filter(|name| **name == text).count(), 1, "{text}");
        }
    }
}
