//! Statistics: what each player did, and series over time. Normative text: `spec/highlights.md`,
//! section 5.

use gametape_tape::PlayerId;
use gametape_wire::{Arrange, Tick, TickLength, Time};

use crate::event::table::AnalysisEvent;
use crate::event::types::{MatchOutcome, PlayerStats};
use crate::export::column::Names;

/// The name of the [`GameEvent`](AnalysisEvent::GameEvent) that reports a time-out.
pub const TIMEOUT: &str = "timeout";

/// What one player did in a match.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize)]
#[non_exhaustive]
pub struct PlayerSummary {
    /// Who.
    #[serde(skip)]
    pub player: PlayerId,
    /// Mean of the income, in money a minute.
    pub income: i64,
    /// Everything harvested.
    pub collected: i64,
    /// Cells owned at the end.
    pub territory: u32,
    /// The most cells owned.
    pub most_territory: u32,
    /// Structures at the end.
    pub structures: u32,
    /// The most structures.
    pub most_structures: u32,
    /// Units and structures that came to be.
    pub units_created: u64,
    /// Units and structures of others destroyed.
    pub kills: u64,
    /// Their value.
    pub value_killed: i64,
    /// Own units and structures lost.
    pub losses: u64,
    /// Their value.
    pub value_lost: i64,
    /// Abilities used.
    pub abilities: u64,
    /// Orders given.
    pub actions: u64,
    /// Orders given in a minute.
    pub actions_per_minute: u64,
    /// How often the player was timed out.
    pub timeouts: u64,
    /// For how many ticks in all.
    pub timeout_ticks: u64,
}

/// One statistic of one player over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Series {
    /// Who.
    pub player: PlayerId,
    /// Which: a field of [`PlayerStats`].
    pub stat: &'static str,
    /// Ticks and values, ascending by tick.
    pub points: Vec<(Tick, i64)>,
}

/// What the players of a match did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Statistics {
    /// One for each player who occurs, ascending by number.
    pub players: Vec<PlayerSummary>,
    /// How the match ended: what its first `MatchEnded` says.
    pub outcome: Option<MatchOutcome>,
    /// The snapshots of each of them, ascending by tick.
    snapshots: Vec<Vec<(Tick, PlayerStats)>>,
}

/// What became of a match for a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlayerResult {
    /// The player won.
    Won,
    /// Another one did, or the player left.
    Lost,
    /// Nobody did.
    Drawn,
}

impl Statistics {
    /// The winner, where there is one: also the one who stayed, of two.
    #[must_use]
    pub fn winner(&self) -> Option<PlayerId> {
        match (self.outcome.as_ref()?, &self.players[..]) {
            (MatchOutcome::Completed { winner, .. }, _) => Some(*winner),
            (MatchOutcome::Abandoned { leaver }, [one, other]) => {
                let players = [one.player, other.player];
                let other = players.iter().copied().find(|player| player != leaver);
                other.filter(|_| players.contains(leaver))
            }
            _ => None,
        }
    }

    /// What became of the match for a player; none where that is not known.
    #[must_use]
    pub fn result_of(&self, player: PlayerId) -> Option<PlayerResult> {
        match (self.winner(), self.outcome.as_ref()?) {
            (Some(winner), _) if winner == player => Some(PlayerResult::Won),
            (Some(_), _) => Some(PlayerResult::Lost),
            (None, MatchOutcome::Abandoned { leaver }) if *leaver == player => {
                Some(PlayerResult::Lost)
            }
            (None, MatchOutcome::Draw) => Some(PlayerResult::Drawn),
            _ => None,
        }
    }

    /// One statistic of every player: a field of [`PlayerStats`]. Nothing where there is none of
    /// that name.
    pub fn series(&self, stat: &str) -> impl Iterator<Item = Series> {
        let known = PlayerStats::ALL.iter().find(|(name, _)| *name == stat);
        known.into_iter().flat_map(|&(stat, take)| {
            self.players.iter().zip(&self.snapshots).map(move |(summary, snapshots)| Series {
                player: summary.player,
                stat,
                points: snapshots.iter().map(|(tick, stats)| (*tick, take(stats))).collect(),
            })
        })
    }

    /// Every statistic of every player.
    pub fn all_series(&self) -> impl Iterator<Item = Series> {
        PlayerStats::ALL.iter().flat_map(|(stat, _)| self.series(stat))
    }
}

/// Makes [`Statistics`], event by event.
///
/// ```
/// use gametape_analysis::{StatisticsCollector, sample};
/// use gametape_wire::TickLength;
///
/// let mut collector = StatisticsCollector::new(TickLength::from_micros(50_000).unwrap());
/// sample::played(2, 1).iter().for_each(|event| collector.add(event, &sample::NAMES));
/// let statistics = collector.finish();
/// assert_eq!(statistics.players.len(), 6);
/// assert_eq!(statistics.series("territory").next().unwrap().points.len(), 24);
/// ```
#[derive(Debug, Clone)]
pub struct StatisticsCollector {
    tick_length: TickLength,
    /// By player number; 0 is nobody.
    players: [Option<Box<Collected>>; 16],
    /// The first end of the match, and when.
    outcome: Option<(Tick, MatchOutcome)>,
}

/// What is known of one player so far.
#[derive(Debug, Clone, Default)]
struct Collected {
    summary: PlayerSummary,
    snapshots: Vec<(Tick, PlayerStats)>,
}

impl StatisticsCollector {
    /// For a match with ticks of this length.
    #[must_use]
    pub fn new(tick_length: TickLength) -> Self {
        let players = std::array::from_fn(|_| None);
        Self { tick_length, players, outcome: None }
    }

    /// Takes note of an event, in any order.
    pub fn add(&mut self, event: &AnalysisEvent, names: &dyn Names) {
        match *event {
            AnalysisEvent::PlayerStatSnapshot { tick, player, stats } => {
                self.with(player, |of| of.snapshots.push((tick, stats)));
            }
            AnalysisEvent::MatchEnded { tick, outcome }
                if self.outcome.is_none_or(|(first, _)| tick < first) =>
            {
                self.outcome = Some((tick, outcome));
            }
            AnalysisEvent::ResourceCollected { player, amount, .. } => {
                self.with(player, |of| add_to(&mut of.summary.collected, amount.into()));
            }
            AnalysisEvent::UnitCreated { owner, .. } => {
                self.with(owner, |of| of.summary.units_created += 1);
            }
            AnalysisEvent::AbilityUsed { player, .. } => {
                self.with(player, |of| of.summary.abilities += 1);
            }
            AnalysisEvent::UnitDestroyed { owner, killer_owner, value, .. } => {
                self.with(owner, |of| of.summary.lose(value));
                if let Some(killer) = killer_owner.filter(|_| event.is_kill()) {
                    self.with(killer, |of| of.summary.kill(value));
                }
            }
            AnalysisEvent::GameEvent { what, player: Some(player), value, .. }
                if names.name(what.0) == Some(TIMEOUT) =>
            {
                self.with(player, |of| of.summary.time_out(value));
            }
            _ => {}
        }
    }

    /// Players have the numbers 1 to 15; others are not counted.
    fn with(&mut self, player: PlayerId, change: impl FnOnce(&mut Collected)) {
        if let Some(of) = self.players.get_mut(usize::from(player)).filter(|_| player > 0) {
            change(of.get_or_insert_default());
        }
    }

    /// The statistics of what was added.
    #[must_use]
    pub fn finish(self) -> Statistics {
        let minute = self.tick_length.ticks_in(Time::from_seconds(60));
        let outcome = self.outcome.map(|(_, outcome)| outcome);
        let mut statistics = Statistics { outcome, ..Statistics::default() };
        for (player, collected) in (0..).zip(self.players) {
            let Some(mut collected) = collected else { continue };
            collected.snapshots.arrange_by_key(|(tick, _)| *tick);
            collected.summary.player = player;
            collected.summary.take_snapshots(&collected.snapshots, minute);
            statistics.players.push(collected.summary);
            statistics.snapshots.push(collected.snapshots);
        }
        statistics
    }
}

fn add_to(sum: &mut i64, value: i64) {
    *sum = sum.saturating_add(value);
}

impl PlayerSummary {
    fn kill(&mut self, value: i64) {
        self.kills += 1;
        add_to(&mut self.value_killed, value);
    }

    fn lose(&mut self, value: i64) {
        self.losses += 1;
        add_to(&mut self.value_lost, value);
    }

    fn time_out(&mut self, ticks: i64) {
        self.timeouts += 1;
        self.timeout_ticks = self.timeout_ticks.saturating_add(ticks.max(0) as u64);
    }

    /// Fills in what the snapshots say; they ascend by tick.
    fn take_snapshots(&mut self, snapshots: &[(Tick, PlayerStats)], minute: u64) {
        let Some(&(last_tick, last)) = snapshots.last() else { return };
        (self.territory, self.structures) = (last.territory, last.structures);
        let (mut income, mut rate_ticks, mut before) = (0i128, 0u128, Tick::ZERO);
        for (tick, stats) in snapshots {
            self.most_territory = self.most_territory.max(stats.territory);
            self.most_structures = self.most_structures.max(stats.structures);
            income += i128::from(stats.income);
            rate_ticks += u128::from(stats.actions_per_minute) * u128::from(tick.since(before));
            before = *tick;
        }
        self.income = (income / snapshots.len() as i128) as i64;
        self.actions = u64::try_from(rate_ticks / u128::from(minute)).unwrap_or(u64::MAX);
        self.actions_per_minute = (rate_ticks / u128::from(last_tick.0.max(1))) as u64;
    }
}
