//! What the events of whole matches mean.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::collections::{BTreeMap, BTreeSet};

use gametape_analysis::{
    AnalysisEvent, KindSet, PlayerStats, StatisticsCollector, TapeEvents, read_names,
};
use gametape_minewars::Generation;
use gametape_skirmish::{Config, Match, SECOND, Style, metadata, record_match};
use gametape_tape::{Tape, UnitTag};
use gametape_wire::Tick;

struct Recorded {
    players: u8,
    tape: Tape,
    bytes: Vec<u8>,
    events: Vec<AnalysisEvent>,
}

fn recorded(players: u8, radius: u8, seed: u64) -> Recorded {
    record(Config::new(players, radius, seed).with_time_limit(900))
}

fn record(config: Config) -> Recorded {
    let players = config.players();
    let about = metadata(&config, Generation::Current);
    let mut game = Match::new(config, &Style::ALL, Generation::Current).unwrap();
    let bytes = record_match(&mut game, &about, 7, Tick::MAX).unwrap();
    let tape = Tape::open(&bytes).unwrap();
    let events = TapeEvents::new(&tape, KindSet::ALL, Tick::ZERO..Tick::MAX, &bytes[..]);
    let events = events.collect::<Result<Vec<_>, _>>().unwrap();
    Recorded { players, tape, bytes, events }
}

/// One test, so that the matches, in which much happens, are played once.
#[test]
fn the_events_of_whole_matches_are_true() {
    let last_city_falls = Config::new(4, 8, 326).with_time_limit(120);
    let matches =
        [recorded(2, 12, 2), recorded(3, 9, 5), recorded(6, 20, 1), record(last_city_falls)];
    a_killer_whose_last_unit_falls_in_the_same_tick_has_a_tag(&matches[3]);
    every_engagement_starts_once_ends_once_and_lasts_from_start_to_end(&matches);
    who_dies_was_created_and_who_kills_has_a_unit(&matches);
    deaths_add_up_to_the_losses_and_kills_of_the_statistics(&matches);
    cameras_are_sampled_at_2_hz(&matches);
    units_and_buildings_are_counted_apart(&matches);
}

fn a_killer_whose_last_unit_falls_in_the_same_tick_has_a_tag(recorded: &Recorded) {
    let deaths = recorded.events.iter().filter_map(|event| match *event {
        AnalysisEvent::UnitDestroyed {
            tick: Tick(944),
            tag,
            killer_tag,
            killer_owner,
            owner,
            ..
        } => Some((owner, tag, killer_owner, killer_tag)),
        _ => None,
    });
    let deaths: Vec<_> = deaths.collect();
    let of = |player: u8| deaths.iter().find(|(owner, ..)| *owner == player).unwrap();
    let ((_, _, killer, killer_tag), (_, city, ..)) = (of(1), of(4));
    assert_eq!((*killer, *killer_tag), (Some(4), Some(*city)), "{deaths:?}");
}

fn every_engagement_starts_once_ends_once_and_lasts_from_start_to_end(matches: &[Recorded]) {
    let mut count = 0;
    for recorded in matches {
        let mut open: BTreeMap<u32, Tick> = BTreeMap::new();
        let mut ids = BTreeSet::new();
        for event in &recorded.events {
            match event {
                AnalysisEvent::EngagementStarted {
                    tick,
                    engagement_id,
                    friendly_units,
                    enemy_units,
                    value_friendly,
                    value_enemy,
                    ..
                } => {
                    assert!(
                        ids.insert(*engagement_id) && open.insert(*engagement_id, *tick).is_none()
                    );
                    assert!(!friendly_units.is_empty() && !enemy_units.is_empty(), "{event:?}");
                    assert!(*value_friendly > 0 && *value_enemy > 0, "{event:?}");
                }
                AnalysisEvent::EngagementEnded { tick, engagement_id, duration_ticks, .. } => {
                    let start = open.remove(engagement_id).unwrap();
                    assert_eq!(*duration_ticks, tick.0 - start.0, "{event:?}");
                    count += 1;
                }
                _ => {}
            }
        }
        assert!(open.is_empty(), "all have ended with the match");
    }
    assert!(count > 20, "{count}");
}

fn who_dies_was_created_and_who_kills_has_a_unit(matches: &[Recorded]) {
    let mut kills = 0;
    for recorded in matches {
        let mut alive: BTreeMap<UnitTag, u8> = BTreeMap::new();
        let mut begun: BTreeSet<UnitTag> = BTreeSet::new();
        for event in &recorded.events {
            match event {
                AnalysisEvent::UnitCreated { tag, owner, .. } => {
                    assert!(alive.insert(*tag, *owner).is_none(), "{event:?}");
                }
                AnalysisEvent::ConstructionStarted { tag, .. } => assert!(begun.insert(*tag)),
                AnalysisEvent::ConstructionCompleted { tag, .. } => assert!(begun.remove(tag)),
                AnalysisEvent::GameEvent { tag: Some(tag), .. } => {
                    assert!(begun.remove(tag), "a construction that was cancelled: {event:?}");
                }
                AnalysisEvent::UnitDestroyed { tag, killer_tag, killer_owner, tick, .. } => {
                    assert!(alive.remove(tag).is_some(), "{event:?}");
                    assert_eq!(killer_tag.is_some(), killer_owner.is_some(), "{event:?}");
                    if let (Some(killer), true) = (killer_tag, event.is_kill()) {
                        let owner = alive.get(killer).copied();
                        assert_eq!(owner, *killer_owner, "tick {tick}: {event:?}");
                        kills += 1;
                    }
                }
                _ => {}
            }
        }
    }
    assert!(kills > 50, "{kills}");
}

/// Two ways to the same numbers: what the game counted, and what its events add up to.
fn deaths_add_up_to_the_losses_and_kills_of_the_statistics(matches: &[Recorded]) {
    for recorded in matches {
        let names = read_names(&recorded.tape, &recorded.bytes[..]).unwrap();
        let mut collector = StatisticsCollector::new(recorded.tape.header.tick_length);
        let mut last: BTreeMap<u8, PlayerStats> = BTreeMap::new();
        for event in &recorded.events {
            collector.add(event, &names);
            if let AnalysisEvent::PlayerStatSnapshot { player, stats, .. } = event {
                last.insert(*player, *stats);
            }
        }
        let statistics = collector.finish();
        assert_eq!(statistics.players.len(), usize::from(recorded.players));
        for summary in &statistics.players {
            let counted = last[&summary.player];
            let of = |event: &&AnalysisEvent| matches!(event, AnalysisEvent::UnitDestroyed { owner, .. } if *owner == summary.player);
            let deaths = recorded.events.iter().filter(of).count() as u64;
            assert_eq!((summary.losses, u64::from(counted.losses)), (deaths, deaths));
            assert_eq!(summary.kills, u64::from(counted.kills));
            assert_eq!(summary.value_lost, counted.value_lost);
            assert_eq!(summary.value_killed, counted.value_killed);
        }
    }
}

fn cameras_are_sampled_at_2_hz(matches: &[Recorded]) {
    for recorded in matches {
        for player in 1..=recorded.players {
            let sampled: Vec<u64> = recorded
                .events
                .iter()
                .filter_map(|event| match event {
                    AnalysisEvent::CameraPositionSample { tick, player: of, .. } => {
                        (*of == player).then_some(tick.0)
                    }
                    _ => None,
                })
                .collect();
            assert!(sampled.windows(2).all(|two| two[1] - two[0] == SECOND / 2), "player {player}");
            let end = recorded.tape.summary.end_tick;
            assert!(sampled[0] < SECOND / 2 && sampled.last().unwrap() + SECOND / 2 >= end.0);
        }
    }
}

fn units_and_buildings_are_counted_apart(matches: &[Recorded]) {
    let mut seen = BTreeSet::new();
    for recorded in matches {
        for event in &recorded.events {
            match event {
                AnalysisEvent::SuperweaponFired { units_affected, buildings_affected, .. } => {
                    assert!(*buildings_affected >= 3 && *units_affected <= 1, "{event:?}");
                }
                AnalysisEvent::PlayerStatSnapshot { stats, .. } => {
                    seen.insert((stats.units > 0, stats.structures > 0));
                    assert!(stats.territory == 0 || stats.structures > 0, "a city: {event:?}");
                }
                _ => {}
            }
        }
    }
    assert!(seen.contains(&(true, true)) && seen.contains(&(false, true)), "{seen:?}");
}
