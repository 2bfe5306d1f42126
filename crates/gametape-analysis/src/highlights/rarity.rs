//! Rarity: the rarest thing in a window.

use gametape_tape::PlayerId;

use super::collect::Collected;
use super::window::Span;

pub(super) const ENDING_SECONDS: u64 = 3;

/// Something rare, the rarest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rarity {
    /// A superweapon was fired.
    Superweapon,
    /// A base was destroyed.
    BaseDestroyed,
    /// An army was wiped out.
    ArmyWipe,
    /// A player came back.
    Comeback,
    /// The kill that ended the match.
    MatchEndingKill,
    /// Two upgrades were completed.
    TwoUpgrades,
    /// The first combat of the match.
    FirstCombat,
}

impl Rarity {
    /// All of them, the rarest first.
    pub const ALL: [Self; 7] = [
        Self::Superweapon,
        Self::BaseDestroyed,
        Self::ArmyWipe,
        Self::Comeback,
        Self::MatchEndingKill,
        Self::TwoUpgrades,
        Self::FirstCombat,
    ];

    /// What it adds, from 0 to [`WHOLE`](super::WHOLE).
    #[must_use]
    pub fn part(self) -> u32 {
        match self {
            Self::Superweapon => 900_000,
            Self::BaseDestroyed => 850_000,
            Self::ArmyWipe => 800_000,
            Self::Comeback => 750_000,
            Self::MatchEndingKill => 600_000,
            Self::TwoUpgrades => 400_000,
            Self::FirstCombat => 300_000,
        }
    }

    /// In words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Superweapon => "superweapon",
            Self::BaseDestroyed => "base destroyed",
            Self::ArmyWipe => "army wipe",
            Self::Comeback => "comeback",
            Self::MatchEndingKill => "match-ending kill",
            Self::TwoUpgrades => "two upgrades",
            Self::FirstCombat => "first combat",
        }
    }

    /// How many of them a window must hold.
    fn needed(self) -> usize {
        if self == Self::TwoUpgrades { 2 } else { 1 }
    }
}

/// Where rare things are.
pub(super) struct Rarities {
    /// By rarity, ascending by tick.
    ticks: [Vec<Rare>; Rarity::ALL.len()],
}

/// When something rare happened, and the player it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rare {
    pub(super) tick: u64,
    pub(super) player: Option<PlayerId>,
}

impl Rarities {
    pub(super) fn new(collected: &Collected, ending: u64) -> Self {
        let mut ticks = collected.rare.clone();
        ticks[Rarity::MatchEndingKill as usize].extend(ending_kill(collected, ending));
        let first_kill = collected.kills.first().map(|kill| kill.tick);
        let first_combat = first_kill.into_iter().chain(collected.first_engagement).min();
        let first_combat = first_combat.map(|tick| Rare { tick, player: None });
        ticks[Rarity::FirstCombat as usize].extend(first_combat);
        Self { ticks }
    }

    /// The rarest thing in a window, and the player of the first such.
    pub(super) fn within(&self, window: &Span) -> Option<(Rarity, Option<PlayerId>)> {
        Rarity::ALL.into_iter().find_map(|rarity| {
            let ticks = &self.ticks[rarity as usize];
            let index = |tick| ticks.partition_point(|other| other.tick < tick);
            let there = &ticks[index(window.start)..index(window.end)];
            (there.len() >= rarity.needed())
                .then(|| (rarity, there.first().and_then(|rare| rare.player)))
        })
    }
}

/// The last kill at or before the end of the match, unless it is too long before.
fn ending_kill(collected: &Collected, ending: u64) -> Option<Rare> {
    let end = collected.completed?;
    let count = collected.kills.partition_point(|kill| kill.tick <= end);
    let last = collected.kills[..count].last()?;
    (end - last.tick <= ending).then_some(Rare { tick: last.tick, player: last.killer })
}
