//! The same matches and the same highlights on every platform.
//!
//! Two programs play matches and make one hash of all that comes out. The hashes
//! are here: they are compared natively, debug and release alike, and in WebAssembly.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a helper of a test may fail it")]

#[allow(dead_code)]
mod hash_of_highlights;
#[allow(dead_code)]
mod hash_of_matches;
mod webassembly;

use gametape_analysis::Rarity;
use hash_of_highlights::{Insight, hash_of, insights};

/// States, payloads and events of matches.
const MATCHES: &str = "f5b454deb9e60e3694b01bee0d5b24fdd355f57fb4f930aea8c56bab14711026";
/// Highlights, statistics and events of matches.
const HIGHLIGHTS: &str = "c3902724fcc73d8b647ac1c3bffbcdcfde9babd67704b9f0f33c30418d85aab0";

#[test]
fn matches_are_as_ever() {
    assert_eq!(hash_of_matches::hash_of_matches().unwrap(), MATCHES);
}

#[test]
fn matches_are_the_same_in_webassembly() {
    webassembly::check("hash_of_matches", MATCHES);
}

#[test]
fn highlights_are_as_ever() {
    let insights = insights().unwrap();
    insights.iter().for_each(check_variety);
    assert_eq!(hash_of(&insights), HIGHLIGHTS);

    let highlights = || insights.iter().flat_map(|insight| &insight.highlights);
    for rarity in [Rarity::BaseDestroyed, Rarity::ArmyWipe, Rarity::Comeback, Rarity::TwoUpgrades] {
        assert!(highlights().any(|found| found.why.rarest == Some(rarity)), "{rarity:?}");
    }
    assert!(highlights().any(|found| found.why.anomaly > 0));
}

/// A hash says nothing of matches in which nothing happens.
fn check_variety(insight: &Insight) {
    let Insight { blocks, highlights, statistics } = insight;
    assert!(highlights.len() > 1 && !blocks.is_empty());
    assert!(highlights.iter().any(|found| found.why.engagement > 0 && found.why.momentum > 0));
    assert!(statistics.players.len() > 1);
    assert!(statistics.players.iter().all(|player| player.actions > 0));
}

#[test]
fn highlights_are_the_same_in_webassembly() {
    webassembly::check("hash_of_highlights", HIGHLIGHTS);
}
