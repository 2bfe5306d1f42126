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

use std::collections::BTreeSet;
use std::ops::Range;

pub use collect::HighlightFinder;
pub use rarity::Rarity;

use background::Background;
use collect::Collected;
use heat::Heat;
use momentum::Momentum;
use rarity::Rarities;
use window::{Span, Windows};

/// What stands for 1 in scores and parts.
pub const WHOLE: u32 = 1_000_000;

const SUPPRESSION_SECONDS: u64 = 15;
const OPENING_SECONDS: u64 = 120;
const OPENING_KILLS: u64 = 5;

/// The four parts of a score, each from 0 to [`WHOLE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Why {
    /// How much was destroyed.
    pub engagement: u32,
    /// How much the balance between the players changed.
    pub momentum: u32,
    /// How much more happened than usual.
    pub anomaly: u32,
    /// How rare the rarest thing in it is.
    pub rarity: u32,
    /// That thing.
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
pub struct Highlight {
    /// The moment itself.
    pub tick: u64,
    /// What to play.
    pub window: Range<u64>,
    /// From 0 to [`WHOLE`].
    pub score: u32,
    /// What the score is made of.
    pub why: Why,
    /// Kills in the window.
    pub kills: u64,
}

/// The highlights, best first.
fn find(collected: &Collected, ticks_in: impl Fn(u64) -> u64, end: u64) -> Vec<Highlight> {
    let heat = Heat::new(&collected.kills, ticks_in(heat::CLUSTER_SECONDS));
    let momentum = Momentum::new(&collected.worths, &collected.comebacks);
    let background = Background::new(&collected.activity, ticks_in(window::USUAL_SECONDS), end);
    let rarities = Rarities::new(collected, ticks_in(rarity::ENDING_SECONDS));
    let windows: Vec<(u64, Span)> =
        Windows::new(&collected.engagements, &ticks_in, end).around(&collected.candidates);

    let engagement = relative(windows.iter().map(|(_, window)| heat.within(window)).collect());
    let swings = relative(windows.iter().map(|(_, window)| momentum.within(window)).collect());
    let opening = ticks_in(OPENING_SECONDS);
    let mut found = Vec::new();
    for (place, (tick, window)) in windows.into_iter().enumerate() {
        let kills = heat.kills_within(&window);
        if tick < opening && kills < OPENING_KILLS {
            continue;
        }
        let rarest = rarities.within(&window);
        let why = Why {
            engagement: engagement[place],
            momentum: swings[place],
            anomaly: background.anomaly(&window),
            rarity: rarest.map_or(0, Rarity::part),
            rarest,
        };
        found.push(Highlight { tick, window, score: why.score(), why, kills });
    }
    choose(found, ticks_in(SUPPRESSION_SECONDS))
}

/// Each value against the 90th percentile of all.
fn relative(values: Vec<u128>) -> Vec<u32> {
    let mut sorted = values.clone();
    sorted.sort_unstable();
    let rank = (9 * sorted.len()).div_ceil(10);
    let usual = rank.checked_sub(1).map_or(0, |place| sorted[place]);
    let part = |value: u128| match value {
        0 => 0,
        _ => (value * u128::from(WHOLE) / (value + usual)) as u32,
    };
    values.into_iter().map(part).collect()
}

/// The best ones, best first; none near a better one.
fn choose(mut found: Vec<Highlight>, near: u64) -> Vec<Highlight> {
    found.sort_by_key(|highlight| (std::cmp::Reverse(highlight.score), highlight.tick));
    let mut taken = BTreeSet::new();
    found.retain(|highlight| {
        let tick = highlight.tick;
        let around = tick.saturating_sub(near)..=tick.saturating_add(near);
        highlight.score > 0 && taken.range(around).next().is_none() && taken.insert(tick)
    });
    found
}
