//! What is shown of events, statistics and highlights: lines and tables for people, and the shapes of
//! JSON. Terminal, browser and Python show the same.

mod copies;
mod counts;
mod highlights;
mod line;
mod standings;
mod statistics;
mod text_table;
mod words;

pub use copies::Copies;
pub use counts::EventCounts;
pub use highlights::{HighlightRow, ScoreParts, best_of, highlight_rows, highlights_table};
pub use line::{EventLine, involves};
pub use standings::{Standing, Standings};
pub use statistics::{MatchStatistics, PlayerStatistics, result_line, statistics_table};
pub use text_table::{Align, TextTable, printable, thousands};
pub use words::{EventWords, event_in_words, event_words};

use crate::export::column::Names;
use crate::export::match_info::MatchInfo;

/// How a player is called: `2 Ben`, or `player 2`.
#[must_use]
pub fn player_label<N: Names>(info: &MatchInfo<N>, player: u8) -> String {
    match info.player(player) {
        Some(name) => format!("{player} {}", printable(name)),
        None => format!("player {player}"),
    }
}

/// The name of a player, or `player 2`.
#[must_use]
pub fn player_name<N: Names>(info: &MatchInfo<N>, player: u8) -> String {
    info.player(player).map_or_else(|| format!("player {player}"), printable)
}
