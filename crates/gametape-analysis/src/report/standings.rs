//! Wins and losses by player, over many matches.

use std::collections::BTreeMap;

use gametape_wire::{Arrange, Tick, Time};
use serde::Serialize;

use super::player_name;
use super::text_table::{Align, TextTable, thousands};
use crate::export::column::Names;
use crate::export::match_info::MatchInfo;
use crate::statistics::{PlayerResult, Statistics};

/// What became of a player's matches.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Standing {
    /// The player's name.
    pub name: String,
    /// Matches that the player took part in.
    pub matches: u64,
    /// Matches won.
    pub won: u64,
    /// Matches lost.
    pub lost: u64,
    /// Matches without a winner.
    pub drawn: u64,
    /// Matches of which nobody knows, such as those that were never finished.
    pub undecided: u64,
    /// Units and structures of others destroyed.
    pub kills: u64,
    /// Own units and structures lost.
    pub losses: u64,
    /// How long all of the matches took, in milliseconds.
    pub time_ms: u64,
}

/// Wins and losses by name of the player: who has no name in a tape is known by number.
#[derive(Debug, Clone, Default)]
pub struct Standings {
    players: BTreeMap<String, Standing>,
}

impl Standings {
    /// Counts a match that ends before `end_tick`.
    pub fn add<N: Names>(&mut self, info: &MatchInfo<N>, statistics: &Statistics, end_tick: Tick) {
        for summary in &statistics.players {
            let name = player_name(info, summary.player);
            let standing = self.players.entry(name.clone()).or_default();
            standing.name = name;
            standing.matches += 1;
            standing.kills += summary.kills;
            standing.losses += summary.losses;
            standing.time_ms += info.time(end_tick).millis();
            *match statistics.result_of(summary.player) {
                Some(PlayerResult::Won) => &mut standing.won,
                Some(PlayerResult::Lost) => &mut standing.lost,
                Some(PlayerResult::Drawn) => &mut standing.drawn,
                None => &mut standing.undecided,
            } += 1;
        }
    }

    /// Who won most first; of equal ones who lost least, then by name.
    #[must_use]
    pub fn rows(&self) -> Vec<&Standing> {
        let mut rows: Vec<&Standing> = self.players.values().collect();
        rows.arrange_by_key(|row| (std::cmp::Reverse(row.won), row.lost));
        rows
    }

    /// The table for people. Times are in whole seconds.
    #[must_use]
    pub fn table(&self) -> TextTable {
        let right = |name| (name, Align::Right);
        let mut table = TextTable::new(&[
            ("player", Align::Left),
            right("matches"),
            right("won"),
            right("lost"),
            right("drawn"),
            right("undecided"),
            right("won %"),
            right("kills"),
            right("losses"),
            right("time"),
        ]);
        for row in self.rows() {
            let numbers = [row.matches, row.won, row.lost, row.drawn, row.undecided];
            let mut cells = vec![row.name.clone()];
            cells.extend(numbers.map(thousands));
            cells.push(row.won_percent());
            cells.extend([row.kills, row.losses].map(thousands));
            cells.push(Time::from_millis(row.time_ms / 1000 * 1000).to_string());
            table.add(cells);
        }
        table
    }
}

impl Standing {
    /// Matches won of those that are decided, in percent.
    fn won_percent(&self) -> String {
        let decided = self.won + self.lost + self.drawn;
        // Halves round up.
        (200 * self.won + decided)
            .checked_div(2 * decided)
            .map_or_else(String::new, |percent| percent.to_string())
    }
}

#[cfg(test)]
mod tests {
    use gametape_wire::TickLength;

    use super::*;
    use crate::event::table::AnalysisEvent;
    use crate::event::types::{MatchOutcome, NameId, PlayerStats};
    use crate::statistics::StatisticsCollector;

    fn played(outcome: Option<MatchOutcome>) -> Statistics {
        let mut collector = StatisticsCollector::new(TickLength::from_micros(50_000).unwrap());
        for player in 1..=2 {
            let stats = PlayerStats::default();
            let event = AnalysisEvent::PlayerStatSnapshot { tick: Tick(0), player, stats };
            collector.add(&event, &[""; 0]);
        }
        if let Some(outcome) = outcome {
            collector.add(&AnalysisEvent::MatchEnded { tick: Tick(100), outcome }, &[""; 0]);
        }
        collector.finish()
    }

    #[test]
    fn wins_and_losses_are_counted_by_name() {
        let info = |one: &str, other: &str| {
            let mut info = MatchInfo::new(TickLength::from_micros(50_000).unwrap(), [""; 0]);
            info.players = [(1, one.to_owned()), (2, other.to_owned())].into();
            info
        };
        let won = |winner| Some(MatchOutcome::Completed { winner, reason: NameId(0) });
        let mut standings = Standings::default();
        standings.add(&info("Ana", "Ben"), &played(won(1)), Tick(200));
        standings.add(&info("Ben", "Ana"), &played(won(2)), Tick(200));
        standings.add(&info("Ana", "Ben"), &played(Some(MatchOutcome::Draw)), Tick(200));
        standings.add(
            &info("Ana", "Cem"),
            &played(Some(MatchOutcome::Abandoned { leaver: 1 })),
            Tick(20),
        );
        standings.add(&info("Ana", "Ben"), &played(None), Tick(20));
        let rows: Vec<_> = standings
            .rows()
            .iter()
            .map(|row| {
                (row.name.as_str(), [row.matches, row.won, row.lost, row.drawn, row.undecided])
            })
            .collect();
        let expected =
            [("Ana", [5, 2, 1, 1, 1]), ("Cem", [1, 1, 0, 0, 0]), ("Ben", [4, 0, 2, 1, 1])];
        assert_eq!(rows, expected);
        assert_eq!(standings.rows()[0].time_ms, 32_000);
        assert!(standings.table().lines()[1].starts_with("Ana           5    2     1"));
    }

    #[test]
    fn shares_are_rounded_and_times_are_whole_seconds() {
        let standing = |won, lost| Standing { won, lost, ..Standing::default() }.won_percent();
        assert_eq!([standing(210, 271), standing(1, 2), standing(2, 1)], ["44", "33", "67"]);
        assert_eq!([standing(1, 1), standing(1, 199), standing(0, 0)], ["50", "1", ""]);
        let mut standings = Standings::default();
        let mut info = MatchInfo::new(TickLength::from_micros(50_000).unwrap(), [""; 0]);
        info.players = [(1, "Ana".to_owned()), (2, "Ben".to_owned())].into();
        standings.add(&info, &played(None), Tick(1555));
        assert!(standings.table().lines()[1].ends_with("1:17"), "{:?}", standings.table().lines());
    }
}
