//! Highlights: what is worth watching in a match. Normative text: `spec/highlights.md`.
//!
//! Events are collected as they come; [`HighlightFinder::finish`] sorts them, makes a window around
//! every candidate, scores the windows and chooses among them. Integers only.

mod background;
mod collect;
mod heat;
mod momentum;
mod rarity;
mod window;

use gametape_wire::{Arrange, Tick};
use std::collections::BTreeMap;
use std::ops::Range;

use gametape_tape::PlayerId;

pub use collect::HighlightFinder;
pub use rarity::Rarity;

use background::Background;
use collect::Collected;
use heat::Heat;
use momentum::Momentum;
use rarity::Rarities;
use window::{Span, Windows};

/// The integer that means 1 in scores and parts.
pub const WHOLE: u32 = 1_000_000;

const SUPPRESSION_SECONDS: u64 = 15;
const OPENING_SECONDS: u64 = 120;
const OPENING_KILLS: u64 = 5;

/// The four parts of a score, each from 0 to [`WHOLE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub struct Why {
    /// How much was destroyed.
    pub engagement: u32,
    /// How much the balance between the players changed.
    pub momentum: u32,
    /// How much more happened than in a typical window.
    pub anomaly: u32,
    /// How rare the rarest thing in the window is.
    pub rarity: u32,
    /// The rarest thing in the window.
    pub rarest: Option<Rarity>,
}

impl Why {
    /// The four parts with their weights, from 0 to [`WHOLE`].
    #[must_use]
    pub fn score(&self) -> u32 {
        (35 * self.engagement + 25 * self.momentum + 20 * self.anomaly + 20 * self.rarity) / 100
    }
}

/// A moment worth watching.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Highlight {
    /// The moment itself.
    pub tick: Tick,
    /// What to play.
    pub window: Range<Tick>,
    /// From 0 to [`WHOLE`].
    pub score: u32,
    /// What the score is made of.
    pub why: Why,
    /// Kills in the window.
    pub kills: u64,
    /// The player the rarest thing is about: whose base or army it was, who fired, came back or
    /// made the kill; the first of several.
    pub player: Option<PlayerId>,
}

impl Highlight {
    /// The rarest thing in words, with the name of its player: `base of Ben destroyed`.
    #[must_use]
    pub fn in_words(&self, name: impl Fn(PlayerId) -> String) -> Option<String> {
        let rarest = self.why.rarest?;
        let Some(player) = self.player else { return Some(rarest.name().to_owned()) };
        let name = name(player);
        Some(match rarest {
            Rarity::Superweapon => format!("superweapon of {name}"),
            Rarity::BaseDestroyed => format!("base of {name} destroyed"),
            Rarity::ArmyWipe => format!("army of {name} wiped out"),
            Rarity::Comeback => format!("comeback of {name}"),
            Rarity::MatchEndingKill => format!("match-ending kill of {name}"),
            Rarity::TwoUpgrades | Rarity::FirstCombat => rarest.name().to_owned(),
        })
    }
}

/// The highlights, best first.
fn find(collected: &Collected, ticks_in: impl Fn(u64) -> u64, end: u64) -> Vec<Highlight> {
    let heat = Heat::new(&collected.kills, ticks_in(heat::CLUSTER_SECONDS));
    let momentum = Momentum::new(&collected.worths, &collected.comebacks);
    let background = Background::new(&collected.activity, ticks_in(window::TYPICAL_SECONDS), end);
    let rarities = Rarities::new(collected, ticks_in(rarity::ENDING_SECONDS));
    let windows: Vec<(u64, Span)> =
        Windows::new(&collected.engagements, &ticks_in, end).around(&collected.candidates);

    let engagement = relative(windows.iter().map(|(_, window)| heat.within(window)).collect());
    let swings = relative(windows.iter().map(|(_, window)| momentum.within(window)).collect());
    let opening = ticks_in(OPENING_SECONDS);
    let mut found = Vec::new();
    for (index, (tick, window)) in windows.into_iter().enumerate() {
        let kills = heat.kills_within(&window);
        if tick < opening && kills < OPENING_KILLS {
            continue;
        }
        let (rarest, player) = rarities.within(&window).unzip();
        let why = Why {
            engagement: engagement[index],
            momentum: swings[index],
            anomaly: background.anomaly(&window),
            rarity: rarest.map_or(0, Rarity::part),
            rarest,
        };
        let (score, player) = (why.score(), player.flatten());
        let window = Tick(window.start)..Tick(window.end);
        found.push(Highlight { tick: Tick(tick), window, score, why, kills, player });
    }
    choose(found, ticks_in(SUPPRESSION_SECONDS))
}

/// Each value against the 90th percentile of all.
fn relative(values: Vec<u128>) -> Vec<u32> {
    let mut sorted = values.clone();
    sorted.arrange();
    let rank = (9 * sorted.len()).div_ceil(10);
    let typical = rank.checked_sub(1).map_or(0, |index| sorted[index]);
    let part = |value: u128| match value {
        0 => 0,
        _ => (value * u128::from(WHOLE) / (value + typical)) as u32,
    };
    values.into_iter().map(part).collect()
}

/// The best ones, best first; none near a better one or with too much of its window.
fn choose(mut found: Vec<Highlight>, near: u64) -> Vec<Highlight> {
    found.arrange_by_key(|highlight| (std::cmp::Reverse(highlight.score), highlight.tick));
    // A window holds its moment, so windows that share something have moments this near.
    let longest = found.iter().map(|highlight| length(&highlight.window)).max().unwrap_or(0);
    let reach = near.max(2 * longest);
    let mut taken: BTreeMap<u64, Range<Tick>> = BTreeMap::new();
    found.retain(|highlight| {
        let Highlight { tick: Tick(tick), ref window, .. } = *highlight;
        let around = tick.saturating_sub(reach)..=tick.saturating_add(reach);
        let is_like = |(other, theirs): (&u64, &Range<Tick>)| {
            other.abs_diff(tick) <= near || overlaps(theirs, window)
        };
        let is_taken = highlight.score > 0 && !taken.range(around).any(is_like);
        if is_taken {
            taken.insert(tick, window.clone());
        }
        is_taken
    });
    found
}

fn length(window: &Range<Tick>) -> u64 {
    window.end.since(window.start)
}

/// Do two windows share more than a third of the shorter one?
fn overlaps(one: &Range<Tick>, other: &Range<Tick>) -> bool {
    let shared = one.end.min(other.end).since(one.start.max(other.start));
    3 * shared > length(one).min(length(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(window: Span) -> Range<Tick> {
        Tick(window.start)..Tick(window.end)
    }

    #[test]
    fn windows_may_share_a_third_of_the_shorter_one_and_no_more() {
        let overlaps = |one: Span, other: Span| overlaps(&ticks(one), &ticks(other));
        assert!(!overlaps(0..30, 20..80) && overlaps(0..30, 19..80));
        assert!(!overlaps(20..80, 0..30) && overlaps(19..80, 0..30));
        assert!(!overlaps(0..30, 30..60) && !overlaps(40..70, 0..30));
        assert!(overlaps(0..60, 10..20) && overlaps(5..8, 5..8));
    }

    fn moment(tick: u64, window: Span, score: u32) -> Highlight {
        let window = ticks(window);
        Highlight { tick: Tick(tick), window, score, why: Why::default(), kills: 0, player: None }
    }

    #[test]
    fn the_better_one_of_two_that_overlap_is_taken() {
        let found = vec![
            moment(100, 70..130, 5),
            // Far from the better moment, but half of its window is the better one's.
            moment(131, 100..160, 9),
            moment(170, 140..200, 7),
            moment(200, 180..210, 4),
        ];
        let ticks: Vec<u64> = choose(found, 15).iter().map(|found| found.tick.0).collect();
        // 140..160 is a third of 140..200; 180..200 is more than a third of 180..210.
        assert_eq!(ticks, [131, 170]);
    }
}
