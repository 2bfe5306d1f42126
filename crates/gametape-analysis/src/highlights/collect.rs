//! What highlights are made of, collected event by event.

use std::collections::HashMap;

use gametape_wire::{Arrange, Tick, TickLength, Time};

use super::heat::Kill;
use super::momentum::{PLAYERS, Worth};
use super::rarity::{Rare, Rarity};
use super::window::Span;
use super::{Highlight, find};
use crate::event::kinds::EventStream;
use crate::event::table::{AnalysisEvent, EventKind};
use crate::event::types::MatchOutcome;

/// Finds the highlights of a match.
///
/// ```
/// use gametape_analysis::{HighlightFinder, sample};
/// use gametape_wire::{Tick, TickLength};
///
/// let mut finder = HighlightFinder::new(TickLength::from_micros(50_000).unwrap());
/// sample::played(10, 1).iter().for_each(|event| finder.add(event));
/// let highlights = finder.finish(Tick(10 * 60 * 20));
/// assert!(highlights.is_sorted_by(|one, other| one.score >= other.score));
/// assert_eq!(highlights[0].score, highlights[0].why.score());
/// ```
#[derive(Debug, Clone)]
pub struct HighlightFinder {
    tick_length: TickLength,
    collected: Collected,
    /// Ticks and ids of engagements that began.
    started: Vec<(u32, u64)>,
    /// Id, tick and duration of engagements that ended.
    ended: Vec<(u32, u64, u64)>,
    last_tick: Option<u64>,
}

/// What highlights are made of.
#[derive(Debug, Clone, Default)]
pub(super) struct Collected {
    /// Ticks of events that count as activity.
    pub(super) activity: Vec<u64>,
    pub(super) candidates: Vec<u64>,
    pub(super) kills: Vec<Kill>,
    pub(super) worths: Vec<Worth>,
    /// Ticks and swings.
    pub(super) comebacks: Vec<(u64, i64)>,
    /// By rarity: ticks and players of what one event says.
    pub(super) rare: [Vec<Rare>; Rarity::ALL.len()],
    pub(super) first_engagement: Option<u64>,
    /// When the match was first completed.
    pub(super) completed: Option<u64>,
    pub(super) engagements: Vec<Span>,
}

impl HighlightFinder {
    /// For a match with ticks of this length.
    #[must_use]
    pub fn new(tick_length: TickLength) -> Self {
        Self {
            tick_length,
            collected: Collected::default(),
            started: Vec::new(),
            ended: Vec::new(),
            last_tick: None,
        }
    }

    /// Takes note of an event, in any order. What the simulation did not produce is not looked at.
    pub fn add(&mut self, event: &AnalysisEvent) {
        let kind = event.kind();
        if kind.stream() != EventStream::Simulation {
            return;
        }
        let Tick(tick) = event.tick();
        self.last_tick = self.last_tick.max(Some(tick));
        if !matches!(kind, EventKind::PlayerStatSnapshot | EventKind::ResourceCollected) {
            self.collected.activity.push(tick);
        }
        match *event {
            AnalysisEvent::PlayerStatSnapshot { player, stats, .. }
                if (1..=PLAYERS).contains(&player.into()) =>
            {
                let worth = stats.credits.saturating_add(stats.army_value);
                self.collected.worths.push(Worth { tick, player, worth });
            }
            AnalysisEvent::EngagementEnded { engagement_id, duration_ticks, .. } => {
                self.ended.push((engagement_id, tick, duration_ticks));
            }
            _ => self.add_candidate(event),
        }
    }

    fn add_candidate(&mut self, event: &AnalysisEvent) {
        let (Tick(tick), collected) = (event.tick(), &mut self.collected);
        let rare = match *event {
            AnalysisEvent::UnitDestroyed { value, traits, killer_owner, .. } if event.is_kill() => {
                collected.kills.push(Kill { tick, value, traits, killer: killer_owner });
                None
            }
            AnalysisEvent::EngagementStarted { engagement_id, .. } => {
                self.started.push((engagement_id, tick));
                None
            }
            AnalysisEvent::MatchEnded { outcome, .. } => {
                if let MatchOutcome::Completed { .. } = outcome {
                    let first = collected.completed.map_or(tick, |first| first.min(tick));
                    collected.completed = Some(first);
                }
                None
            }
            AnalysisEvent::ComebackMoment { swing_value, player, .. } => {
                collected.comebacks.push((tick, swing_value));
                Some((Rarity::Comeback, player))
            }
            AnalysisEvent::SuperweaponFired { player, .. } => Some((Rarity::Superweapon, player)),
            AnalysisEvent::BaseDestroyed { player, .. } => Some((Rarity::BaseDestroyed, player)),
            AnalysisEvent::ArmyWipe { player, .. } => Some((Rarity::ArmyWipe, player)),
            AnalysisEvent::UpgradeCompleted { player, .. } => Some((Rarity::TwoUpgrades, player)),
            _ => return,
        };
        collected.candidates.push(tick);
        if let Some((rarity, player)) = rare {
            collected.rare[rarity as usize].push(Rare { tick, player: Some(player) });
        }
    }

    /// The highlights, best first. `end_tick` is one after the last tick of the match.
    #[must_use]
    pub fn finish(mut self, end_tick: Tick) -> Vec<Highlight> {
        let Some(last) = self.last_tick else { return Vec::new() };
        let end = end_tick.0.max(last.saturating_add(1));
        self.collected.first_engagement = self.started.iter().map(|(_, tick)| *tick).min();
        self.collected.engagements = self.engagements();
        self.collected.sort();
        let ticks_in = |seconds| self.tick_length.ticks_in(Time::from_seconds(seconds));
        find(&self.collected, ticks_in, end)
    }

    /// From the start with the same id, where there is one, to the end.
    fn engagements(&mut self) -> Vec<Span> {
        let mut starts: HashMap<u32, Vec<u64>> = HashMap::new();
        self.started.arrange();
        for &(id, tick) in &self.started {
            starts.entry(id).or_default().push(tick);
        }
        let span = |&(id, end, duration): &(u32, u64, u64)| {
            let ticks = starts.get(&id).map_or(&[][..], Vec::as_slice);
            let before = ticks.partition_point(|&tick| tick <= end);
            let start = ticks[..before].last().copied();
            start.unwrap_or(end.saturating_sub(duration))..end.saturating_add(1)
        };
        self.ended.iter().map(span).collect()
    }
}

impl Collected {
    /// So that the order of the events does not matter.
    fn sort(&mut self) {
        self.activity.arrange();
        self.candidates.arrange();
        self.candidates.dedup();
        self.kills.arrange_by_key(|kill| (kill.tick, kill.killer));
        self.worths.arrange_by_key(|sample| (sample.tick, sample.worth));
        self.comebacks.arrange();
        self.rare.iter_mut().for_each(|ticks| ticks.arrange());
        self.engagements.arrange_by_key(|span| (span.start, span.end));
    }
}
