//! The statistics of one match.

use std::collections::BTreeMap;

use gametape_tape::PlayerId;
use gametape_wire::Tick;
use serde::Serialize;

use super::text_table::{Align, TextTable, printable, thousands};
use super::{player_label, player_name};
use crate::event::types::MatchOutcome;
use crate::export::column::Names;
use crate::export::match_info::MatchInfo;
use crate::statistics::{PlayerSummary, Statistics};

/// `Ana won: elimination`; `None` where the match has no end.
#[must_use]
pub fn result_line<N: Names>(info: &MatchInfo<N>, statistics: &Statistics) -> Option<String> {
    let name = |player| player_name(info, player);
    Some(match (statistics.outcome.as_ref()?, statistics.winner()) {
        (MatchOutcome::Completed { winner, reason }, _) => match info.names.name(reason.0) {
            Some(reason) => format!("{} won: {}", name(*winner), printable(reason)),
            None => format!("{} won", name(*winner)),
        },
        (MatchOutcome::Draw, _) => "draw".to_owned(),
        (MatchOutcome::Abandoned { leaver }, Some(winner)) => {
            format!("{} won: {} left", name(winner), name(*leaver))
        }
        (MatchOutcome::Abandoned { leaver }, None) => {
            format!("not decided: {} left", name(*leaver))
        }
        (MatchOutcome::Remade, _) => "not decided: the match begins again".to_owned(),
        (MatchOutcome::Desync { first_tick }, _) => {
            format!("not decided: states differ from {} on", info.time(*first_tick))
        }
    })
}

/// The table of what each player did. It has time-outs only where there were some.
#[must_use]
pub fn statistics_table<N: Names>(info: &MatchInfo<N>, statistics: &Statistics) -> TextTable {
    let right = |name| (name, Align::Right);
    let mut heading = vec![
        ("player", Align::Left),
        right("income\n/min"),
        right("land\n(most)"),
        right("built\n(most)"),
        right("kills\n(value)"),
        right("losses\n(value)"),
        right("actions\n/min"),
    ];
    let timed_out = statistics.players.iter().any(|player| player.timeouts > 0);
    heading.extend(timed_out.then_some(right("timed\nout (s)")));
    let mut table = TextTable::new(&heading);
    for player in &statistics.players {
        let mut cells = cells(info, player);
        cells.truncate(heading.len());
        table.add(cells);
    }
    table
}

fn cells<N: Names>(info: &MatchInfo<N>, player: &PlayerSummary) -> Vec<String> {
    let both = |a: u64, b: String| format!("{} ({b})", thousands(a));
    let seconds = info.time(Tick(player.timeout_ticks)).millis() / 1000;
    vec![
        player_label(info, player.player),
        signed(player.income),
        both(player.territory.into(), thousands(player.most_territory.into())),
        both(player.structures.into(), thousands(player.most_structures.into())),
        both(player.kills, signed(player.value_killed)),
        both(player.losses, signed(player.value_lost)),
        thousands(player.actions_per_minute),
        both(player.timeouts, thousands(seconds)),
    ]
}

fn signed(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}", thousands(number.unsigned_abs()))
}

/// Statistics of one match as JSON.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct MatchStatistics {
    /// Where the match is from.
    pub file: String,
    /// The match.
    pub match_id: String,
    /// Microseconds of a tick.
    pub tick_us: u32,
    /// One after the last tick.
    pub end_tick: Tick,
    /// The winner, where there is one.
    pub winner: Option<u8>,
    /// What each player did.
    pub players: Vec<PlayerStatistics>,
}

/// What one player did, and the figures over time.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct PlayerStatistics {
    /// The player's number.
    pub player: PlayerId,
    /// The player's name.
    pub name: Option<String>,
    /// The summary; its fields are among the others.
    #[serde(flatten)]
    pub summary: PlayerSummary,
    /// By statistic: tick and value.
    pub series: BTreeMap<&'static str, Vec<(Tick, i64)>>,
}

impl MatchStatistics {
    /// The shape of a match that ends before `end_tick`.
    #[must_use]
    pub fn of<N: Names>(info: &MatchInfo<N>, statistics: &Statistics, end_tick: Tick) -> Self {
        let player = |summary: &PlayerSummary| PlayerStatistics {
            player: summary.player,
            name: info.player(summary.player).map(ToOwned::to_owned),
            summary: summary.clone(),
            series: BTreeMap::new(),
        };
        let mut players: Vec<PlayerStatistics> = statistics.players.iter().map(player).collect();
        for series in statistics.all_series() {
            let of_player = players.iter_mut().find(|of| of.player == series.player);
            if let Some(player) = of_player {
                player.series.insert(series.stat, series.points);
            }
        }
        Self {
            file: info.source.clone(),
            match_id: info.id.clone(),
            tick_us: info.tick_length.micros(),
            end_tick,
            winner: statistics.winner(),
            players,
        }
    }
}

#[cfg(test)]
mod tests {
    use gametape_wire::TickLength;

    use super::*;
    use crate::event::types::NameId;

    fn played(outcome: MatchOutcome, timeouts: u64) -> Statistics {
        let player = |player| PlayerSummary { player, timeouts, ..PlayerSummary::default() };
        let players = vec![player(1), player(2)];
        let mut statistics = Statistics::default();
        (statistics.players, statistics.outcome) = (players, Some(outcome));
        statistics
    }

    #[test]
    fn the_result_of_a_match_is_one_line() {
        let mut info = MatchInfo::new(TickLength::from_micros(50_000).unwrap(), ["elimination"]);
        info.players = [(1, "Ana".to_owned()), (2, "Ben".to_owned())].into();
        let line = |outcome| result_line(&info, &played(outcome, 0)).unwrap();
        let won = |reason| MatchOutcome::Completed { winner: 2, reason: NameId(reason) };
        assert_eq!(line(won(0)), "Ben won: elimination");
        assert_eq!(line(won(7)), "Ben won");
        assert_eq!(line(MatchOutcome::Draw), "draw");
        assert_eq!(line(MatchOutcome::Abandoned { leaver: 2 }), "Ana won: Ben left");
        assert_eq!(line(MatchOutcome::Abandoned { leaver: 3 }), "not decided: player 3 left");
        let differs = MatchOutcome::Desync { first_tick: Tick(40) };
        assert_eq!(line(differs), "not decided: states differ from 0:02 on");
        assert_eq!(result_line(&info, &Statistics::default()), None);
    }

    #[test]
    fn time_outs_are_shown_where_there_were_some() {
        let info = MatchInfo::new(TickLength::from_micros(50_000).unwrap(), [""; 0]);
        let heading = |timeouts| {
            let statistics = played(MatchOutcome::Draw, timeouts);
            statistics_table(&info, &statistics).lines()[0].clone()
        };
        assert!(heading(0).ends_with("actions") && heading(1).ends_with("timed"));
    }
}
