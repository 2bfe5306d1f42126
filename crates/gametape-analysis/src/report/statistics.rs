//! The statistics of one match.

use std::collections::BTreeMap;

use gametape_tape::PlayerId;
use serde::Serialize;

use super::player_label;
use super::text_table::{Align, TextTable, thousands};
use crate::export::column::Names;
use crate::export::match_info::MatchInfo;
use crate::statistics::{PlayerSummary, Statistics};

/// The table of what each player did.
#[must_use]
pub fn statistics_table<N: Names>(info: &MatchInfo<N>, statistics: &Statistics) -> TextTable {
    let right = |name| (name, Align::Right);
    let mut table = TextTable::new(&[
        ("player", Align::Left),
        right("income/min"),
        right("land (most)"),
        right("structures (most)"),
        right("kills (value)"),
        right("losses (value)"),
        right("actions (/min)"),
        right("time-outs (s)"),
    ]);
    statistics.players.iter().for_each(|player| table.add(cells(info, player)));
    table
}

fn cells<N: Names>(info: &MatchInfo<N>, player: &PlayerSummary) -> Vec<String> {
    let both = |a: u64, b: String| format!("{} ({b})", thousands(a));
    let seconds = info.time(player.timeout_ticks).millis() / 1000;
    vec![
        player_label(info, player.player),
        signed(player.income),
        both(player.territory.into(), thousands(player.most_territory.into())),
        both(player.structures.into(), thousands(player.most_structures.into())),
        both(player.kills, signed(player.value_killed)),
        both(player.losses, signed(player.value_lost)),
        both(player.actions, thousands(player.actions_per_minute)),
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
    pub end_tick: u64,
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
    pub series: BTreeMap<&'static str, Vec<(u64, i64)>>,
}

impl MatchStatistics {
    /// The shape of a match that ends before `end_tick`.
    #[must_use]
    pub fn of<N: Names>(info: &MatchInfo<N>, statistics: &Statistics, end_tick: u64) -> Self {
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
