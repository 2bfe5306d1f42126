//! Matches with a known best moment: it must rank first.

use gametape_analysis::{
    AnalysisEvent, MatchOutcome, NameId, Rarity, UnitTag, UnitTraits, WorldPos,
};
use gametape_wire::Tick;

use crate::build::{highlights, kill, kill_of, quiet_match, snapshot, superweapon};

const END: u64 = 1900;

/// The quiet match with something special, most often in one of its fights: the best highlight must
/// be near it.
fn best_is_near(
    special: impl IntoIterator<Item = AnalysisEvent>,
    tick: u64,
) -> gametape_analysis::Highlight {
    let mut events = quiet_match();
    events.extend(special);
    let found = highlights(&events, END);
    let best = found[0].clone();
    assert!(best.tick.0.abs_diff(tick) <= 5, "{best:?}");
    assert!(best.window.contains(&Tick(tick)));
    assert!(best.score > found[1].score, "{:?}", &found[..2]);
    best
}

#[test]
fn a_great_battle() {
    let best = best_is_near((0..20).map(|n| kill(1000 + n / 5, 200)), 1000);
    assert_eq!(best.kills, 20);
    assert!(best.why.engagement > 500_000 - 1 && best.why.anomaly > 900_000, "{best:?}");
}

#[test]
fn a_superweapon() {
    let best = best_is_near([superweapon(853)], 853);
    assert_eq!(best.why.rarest, Some(Rarity::Superweapon));
}

#[test]
fn a_base_that_falls() {
    let lost = AnalysisEvent::BaseDestroyed {
        tick: Tick(1352),
        player: 1,
        pos: WorldPos::default(),
        buildings_lost: vec![UnitTag::default()],
    };
    assert_eq!(best_is_near([lost], 1352).why.rarity, 850_000);
}

#[test]
fn an_army_that_is_wiped_out() {
    let wipe = AnalysisEvent::ArmyWipe {
        tick: Tick(1052),
        player: 1,
        units_lost: 20,
        total_value_lost: 5000,
        percentage_of_army: 90,
    };
    assert_eq!(best_is_near([wipe], 1052).why.rarity, 800_000);
}

#[test]
fn a_comeback() {
    let back = AnalysisEvent::ComebackMoment {
        tick: Tick(1453),
        player: 2,
        deficit_before: 400,
        advantage_after: 500,
        swing_value: 900,
    };
    let best = best_is_near([back], 1453);
    assert_eq!((best.why.rarity, best.why.rarest), (750_000, Some(Rarity::Comeback)));
    assert!(best.why.momentum > 900_000, "{best:?}");
}

#[test]
fn a_swing_of_the_balance() {
    // From 1250 on, player 1 has lost most of the army.
    let swing = (125..190).map(|ten| snapshot(10 * ten + 1, 1, 500));
    let rest = quiet_match().into_iter().filter(|event| {
        !matches!(event, AnalysisEvent::PlayerStatSnapshot { tick: Tick(1250..), player: 1, .. })
    });
    let events: Vec<_> = rest.chain(swing).collect();
    let found = highlights(&events, END);
    assert!(found[0].tick.0.abs_diff(1251) <= 15, "{:?}", found[0]);
    assert_eq!(found[0].why.momentum, 1_000_000);
}

#[test]
fn the_kill_that_ends_the_match() {
    let outcome = MatchOutcome::Completed { winner: 2, reason: NameId(0) };
    let ending =
        [kill(1879, 100), kill(1880, 100), AnalysisEvent::MatchEnded { tick: Tick(1882), outcome }];
    let best = best_is_near(ending, 1880);
    assert_eq!(best.why.rarest, Some(Rarity::MatchEndingKill));
    // Nobody won, or long after the last kill: nothing special.
    let draw = AnalysisEvent::MatchEnded { tick: Tick(1882), outcome: MatchOutcome::Draw };
    let late = AnalysisEvent::MatchEnded { tick: Tick(1884), outcome };
    for end in [draw, late] {
        let mut events = quiet_match();
        events.extend([kill(1880, 100), end]);
        let found = highlights(&events, END);
        assert!(found.iter().all(|h| h.why.rarest != Some(Rarity::MatchEndingKill)));
    }
}

#[test]
fn dear_things_that_are_lost() {
    let dear = UnitTraits::STRUCTURE.with(UnitTraits::TECHNOLOGY);
    let best = best_is_near([kill_of(1152, dear), kill_of(1153, dear)], 1152);
    assert_eq!(best.kills, 4);
}

#[test]
fn two_upgrades_at_once() {
    let upgrade = |tick| AnalysisEvent::UpgradeCompleted {
        tick: Tick(tick),
        player: 1,
        upgrade_id: NameId(0),
    };
    let rare = |ticks: [u64; 2]| {
        let found = highlights(&ticks.map(upgrade), 2000);
        found.iter().map(|highlight| highlight.why.rarity).max()
    };
    assert_eq!(rare([500, 510]), Some(400_000));
    assert_eq!(rare([500, 600]), Some(0));
}
