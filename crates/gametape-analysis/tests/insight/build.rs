//! Constructed matches: ticks of one second.

use gametape_analysis::{
    AnalysisEvent, Highlight, HighlightFinder, NameId, PlayerStats, UnitTag, UnitTraits, WorldPos,
};
use gametape_wire::{Tick, TickLength};

pub(crate) const SECOND: u32 = 1_000_000;
const TAG: UnitTag = UnitTag { index: 1, generation: 0 };
const POS: WorldPos = WorldPos { x: 0, y: 0, z: 0 };

pub(crate) fn death(tick: u64, owner: u8, killer_owner: Option<u8>, value: i64) -> AnalysisEvent {
    AnalysisEvent::UnitDestroyed {
        tick: Tick(tick),
        tag: TAG,
        killer_tag: None,
        killer_owner,
        owner,
        unit_type: NameId(0),
        pos: POS,
        value,
        traits: UnitTraits::NONE,
    }
}

pub(crate) fn kill(tick: u64, value: i64) -> AnalysisEvent {
    death(tick, 1, Some(2), value)
}

pub(crate) fn kill_of(tick: u64, lost: UnitTraits) -> AnalysisEvent {
    let mut event = kill(tick, 100);
    if let AnalysisEvent::UnitDestroyed { traits, .. } = &mut event {
        *traits = lost;
    }
    event
}

pub(crate) fn snapshot(tick: u64, player: u8, army_value: i64) -> AnalysisEvent {
    let stats = PlayerStats { army_value, ..PlayerStats::default() };
    AnalysisEvent::PlayerStatSnapshot { tick: Tick(tick), player, stats }
}

pub(crate) fn started(tick: u64, engagement_id: u32) -> AnalysisEvent {
    AnalysisEvent::EngagementStarted {
        tick: Tick(tick),
        center_pos: POS,
        friendly_units: Vec::new(),
        enemy_units: Vec::new(),
        value_friendly: 0,
        value_enemy: 0,
        engagement_id,
    }
}

pub(crate) fn ended(tick: u64, engagement_id: u32, duration_ticks: u64) -> AnalysisEvent {
    AnalysisEvent::EngagementEnded {
        tick: Tick(tick),
        center_pos: POS,
        friendly_losses: 0,
        enemy_losses: 0,
        friendly_survivors: 0,
        enemy_survivors: 0,
        duration_ticks,
        engagement_id,
    }
}

pub(crate) fn superweapon(tick: u64) -> AnalysisEvent {
    AnalysisEvent::SuperweaponFired {
        tick: Tick(tick),
        weapon_type: NameId(0),
        target_pos: POS,
        player: 1,
        units_affected: 0,
        buildings_affected: 3,
    }
}

pub(crate) fn highlights(events: &[AnalysisEvent], end: u64) -> Vec<Highlight> {
    let mut finder = HighlightFinder::new(TickLength::from_micros(SECOND).unwrap());
    events.iter().for_each(|event| finder.add(event));
    finder.finish(Tick(end))
}

/// Small fights every 100 seconds, two kills each, from 150 on: the background of a best moment.
pub(crate) fn quiet_match() -> Vec<AnalysisEvent> {
    (0..17)
        .flat_map(|fight| [kill(150 + 100 * fight, 100), kill(151 + 100 * fight, 100)])
        .chain((0..180).flat_map(|ten| [1, 2].map(|player| snapshot(10 * ten, player, 5000))))
        .collect()
}
