//! Events to test with.

use gametape_analysis::{
    AnalysisEvent, ControlGroupAction, MatchOutcome, NameId, PlayerStats, UnitTag, UnitTraits,
    VoteAnalysisEvent, WorldPos,
};
use gametape_wire::Tick;

pub(crate) const O: WorldPos = WorldPos { x: 0, y: 0, z: 0 };
pub(crate) const P: WorldPos = WorldPos { x: 2048, y: -1024, z: 0 };

/// The names that the examples refer to; number 9 has none.
pub(crate) const NAMES: [&str; 9] =
    ["tank", "boat", "mine", "tower", "gold", "armour", "nuke", "last one standing", "timeout"];

pub(crate) fn tag(index: u16, generation: u16) -> UnitTag {
    UnitTag { index, generation }
}

/// The examples of `spec/events.md`, all at tick 300.
pub(crate) fn examples() -> Vec<AnalysisEvent> {
    let tick = Tick(300);
    let outcome = |outcome| AnalysisEvent::MatchEnded { tick, outcome };
    let vote = |event| AnalysisEvent::VoteEvent { tick, event };
    let mut events = units(tick);
    events.extend(players(tick));
    events.extend([
        outcome(MatchOutcome::Completed { winner: 2, reason: NameId(7) }),
        outcome(MatchOutcome::Draw),
        outcome(MatchOutcome::Abandoned { leaver: 1 }),
        outcome(MatchOutcome::Remade),
        outcome(MatchOutcome::Desync { first_tick: Tick(300) }),
        vote(VoteAnalysisEvent::Proposed { id: 1, kind: NameId(9), proposer: 2 }),
        vote(VoteAnalysisEvent::Ballot { id: 300, voter: 2, yes: true }),
        vote(VoteAnalysisEvent::Resolved { id: 1, passed: false }),
    ]);
    events.extend(moments(tick));
    events
}

fn units(tick: Tick) -> Vec<AnalysisEvent> {
    let unit = tag(7, 1);
    vec![
        AnalysisEvent::UnitCreated { tick, tag: unit, unit_type: NameId(0), owner: 1, pos: P },
        AnalysisEvent::ConstructionStarted {
            tick,
            tag: unit,
            unit_type: NameId(3),
            owner: 2,
            pos: O,
        },
        AnalysisEvent::ConstructionCompleted { tick, tag: unit },
        AnalysisEvent::UnitDestroyed {
            tick,
            tag: unit,
            killer_tag: Some(tag(9, 0)),
            killer_owner: Some(2),
            owner: 1,
            unit_type: NameId(0),
            pos: P,
            value: 300,
            traits: UnitTraits::STRUCTURE.with(UnitTraits::TECHNOLOGY),
        },
        AnalysisEvent::UnitPositionSample {
            tick,
            positions: vec![(unit, P), (tag(8, 1), WorldPos { x: 2050, ..P })],
        },
    ]
}

fn players(tick: Tick) -> Vec<AnalysisEvent> {
    let stats = PlayerStats {
        credits: 500,
        income: -20,
        army_value: 1000,
        structures: 3,
        units: 12,
        territory: 200,
        kills: 5,
        losses: 2,
        value_killed: 700,
        value_lost: 64,
        actions_per_minute: 90,
    };
    vec![
        AnalysisEvent::PlayerStatSnapshot { tick, player: 1, stats },
        AnalysisEvent::ResourceCollected { tick, player: 2, resource_type: NameId(4), amount: -1 },
        AnalysisEvent::UpgradeCompleted { tick, player: 1, upgrade_id: NameId(5) },
        AnalysisEvent::CameraPositionSample {
            tick,
            player: 1,
            viewport_center: P,
            zoom_level: 256,
        },
        AnalysisEvent::SelectionChanged {
            tick,
            player: 1,
            added: vec![tag(7, 1), tag(8, 1)],
            removed: vec![tag(9, 0)],
        },
        AnalysisEvent::ControlGroupEvent {
            tick,
            player: 1,
            group: 4,
            action: ControlGroupAction::Append,
        },
        AnalysisEvent::AbilityUsed { tick, player: 2, ability_id: NameId(6), target: None },
        AnalysisEvent::PauseEvent { tick, player: 1, paused: true },
    ]
}

fn moments(tick: Tick) -> Vec<AnalysisEvent> {
    vec![
        AnalysisEvent::EngagementStarted {
            tick,
            center_pos: O,
            friendly_units: vec![tag(7, 1)],
            enemy_units: vec![tag(9, 0)],
            value_friendly: 300,
            value_enemy: 64,
            engagement_id: 1,
        },
        AnalysisEvent::EngagementEnded {
            tick,
            center_pos: O,
            friendly_losses: 1,
            enemy_losses: 0,
            friendly_survivors: 0,
            enemy_survivors: 1,
            duration_ticks: 200,
            engagement_id: 1,
        },
        AnalysisEvent::SuperweaponFired {
            tick,
            weapon_type: NameId(6),
            target_pos: P,
            player: 2,
            units_affected: 4,
            buildings_affected: 3,
        },
        AnalysisEvent::BaseDestroyed { tick, player: 1, pos: O, buildings_lost: vec![tag(7, 1)] },
        AnalysisEvent::ArmyWipe {
            tick,
            player: 1,
            units_lost: 12,
            total_value_lost: 1000,
            percentage_of_army: 80,
        },
        AnalysisEvent::ComebackMoment {
            tick,
            player: 1,
            deficit_before: 300,
            advantage_after: 200,
            swing_value: 500,
        },
        AnalysisEvent::GameEvent {
            tick,
            what: NameId(8),
            player: Some(1),
            tag: None,
            pos: Some(P),
            value: 100,
        },
    ]
}

/// The same event at another tick.
pub(crate) fn at_tick(event: &AnalysisEvent, tick: u64) -> AnalysisEvent {
    event.clone().with_tick(Tick(tick))
}
