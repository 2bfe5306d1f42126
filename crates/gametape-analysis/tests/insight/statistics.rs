//! Summaries and series.

use gametape_analysis::{
    AnalysisEvent, MatchOutcome, NameId, PlayerStats, PlayerSummary, StatisticsCollector, TIMEOUT,
    UnitTag, WorldPos,
};
use gametape_wire::{Tick, TickLength};

use crate::build::death;

const NAMES: [&str; 3] = ["tank", "gold", TIMEOUT];

fn snapshot(tick: u64, player: u8, income: i64, territory: u32, rate: u32) -> AnalysisEvent {
    let stats = PlayerStats {
        income,
        territory,
        structures: territory / 10,
        actions_per_minute: rate,
        ..PlayerStats::default()
    };
    AnalysisEvent::PlayerStatSnapshot { tick: Tick(tick), player, stats }
}

fn game_event(what: u32, player: Option<u8>, value: i64) -> AnalysisEvent {
    AnalysisEvent::GameEvent {
        tick: Tick(1),
        what: NameId(what),
        player,
        tag: None,
        pos: None,
        value,
    }
}

fn events() -> Vec<AnalysisEvent> {
    let created = |owner| AnalysisEvent::UnitCreated {
        tick: Tick(1),
        tag: UnitTag::default(),
        unit_type: NameId(0),
        owner,
        pos: WorldPos::default(),
    };
    let collected = |player, amount| AnalysisEvent::ResourceCollected {
        tick: Tick(1),
        player,
        resource_type: NameId(1),
        amount,
    };
    let ability = AnalysisEvent::AbilityUsed {
        tick: Tick(1),
        player: 1,
        ability_id: NameId(0),
        target: None,
    };
    vec![
        // Ticks of 50 ms: 1200 a minute. 60 a minute for one minute, then 90 for two.
        snapshot(3600, 1, 30, 40, 90),
        snapshot(1200, 1, 11, 50, 60),
        created(1),
        collected(1, 25),
        collected(1, 50),
        ability,
        death(5, 2, Some(1), 100),
        death(6, 1, Some(2), 70),
        death(7, 1, None, 30),
        death(8, 1, Some(1), 5),
        game_event(2, Some(1), 100),
        game_event(2, Some(1), -3),
        // Something else; a time-out of nobody; nobody's and impossible players.
        game_event(0, Some(1), 100),
        game_event(2, None, 100),
        created(0),
        created(16),
    ]
}

#[test]
fn summaries_count_what_the_specification_says() {
    let mut collector = StatisticsCollector::new(TickLength::from_micros(50_000).unwrap());
    events().iter().for_each(|event| collector.add(event, &NAMES));
    let statistics = collector.finish();
    let mut first = PlayerSummary::default();
    first.player = 1;
    first.income = 20;
    first.collected = 75;
    first.territory = 40;
    first.most_territory = 50;
    first.structures = 4;
    first.most_structures = 5;
    first.units_created = 1;
    first.kills = 1;
    first.value_killed = 100;
    first.losses = 3;
    first.value_lost = 105;
    first.abilities = 1;
    first.actions = 240;
    first.actions_per_minute = 80;
    first.timeouts = 2;
    first.timeout_ticks = 100;
    let mut second = PlayerSummary::default();
    second.player = 2;
    second.kills = 1;
    second.value_killed = 70;
    second.losses = 1;
    second.value_lost = 100;
    assert_eq!(statistics.players, [first, second]);
}

#[test]
fn of_several_ends_of_a_match_the_first_counts() {
    let end = |tick, winner| {
        let outcome = MatchOutcome::Completed { winner, reason: NameId(0) };
        AnalysisEvent::MatchEnded { tick: Tick(tick), outcome }
    };
    let outcome_of = |events: &[AnalysisEvent]| {
        let mut collector = StatisticsCollector::new(TickLength::from_micros(50_000).unwrap());
        events.iter().for_each(|event| collector.add(event, &NAMES));
        collector.finish().outcome
    };
    assert_eq!(outcome_of(&[]), None);
    let first = Some(MatchOutcome::Completed { winner: 1, reason: NameId(0) });
    assert_eq!(outcome_of(&[end(9, 1), end(10, 2)]), first);
    assert_eq!(outcome_of(&[end(10, 2), end(9, 1)]), first, "in any order");
    assert_eq!(outcome_of(&[end(9, 1), end(9, 2)]), first, "of one tick, what comes first");
}

#[test]
fn series_are_the_snapshots_in_order() {
    let mut collector = StatisticsCollector::new(TickLength::from_micros(50_000).unwrap());
    events().iter().for_each(|event| collector.add(event, &NAMES));
    let statistics = collector.finish();
    let territory: Vec<_> = statistics.series("territory").collect();
    assert_eq!(territory[0].points, [(Tick(1200), 50), (Tick(3600), 40)]);
    assert_eq!((territory[0].player, territory[0].stat), (1, "territory"));
    assert_eq!((territory.len(), territory[1].points.len()), (2, 0));
    assert_eq!(statistics.series("luck").count(), 0);
    assert_eq!(statistics.all_series().count(), 2 * PlayerStats::ALL.len());
}

#[test]
fn sums_do_not_overflow() {
    let mut collector = StatisticsCollector::new(TickLength::from_micros(1).unwrap());
    for _ in 0..3 {
        collector.add(&death(1, 1, Some(2), i64::MAX), &NAMES);
        collector.add(&game_event(2, Some(1), i64::MAX), &NAMES);
        collector.add(&snapshot(u64::MAX, 1, i64::MIN, u32::MAX, u32::MAX), &NAMES);
    }
    let statistics = collector.finish();
    let first = &statistics.players[0];
    assert_eq!((first.value_lost, first.timeout_ticks), (i64::MAX, u64::MAX));
    assert_eq!((first.income, first.actions_per_minute), (i64::MIN, u32::MAX.into()));
}
