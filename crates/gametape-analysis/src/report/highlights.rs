//! Highlights as rows: of one match, or the best of many.

use gametape_wire::{Arrange, Tick};
use serde::Serialize;

use super::player_name;
use super::text_table::{Align, TextTable, printable};
use crate::export::column::Names;
use crate::export::match_info::MatchInfo;
use crate::highlights::{Highlight, Rarity, WHOLE};

/// One moment of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HighlightRow {
    /// Its rank, from 1.
    pub rank: usize,
    /// Where the match is from.
    pub file: String,
    /// The match.
    pub match_id: String,
    /// The moment.
    pub tick: Tick,
    /// The same in milliseconds.
    pub time_ms: u64,
    /// What to play: from this tick
    pub start_tick: Tick,
    /// up to this one.
    pub end_tick: Tick,
    /// The times of moment, start and end, for people.
    #[serde(skip)]
    pub times: [String; 3],
    /// From 0 to [`WHOLE`].
    pub score: u32,
    /// Kills in the window.
    pub kills: u64,
    /// The rarest thing in it.
    pub rarest: Option<&'static str>,
    /// The player it is about.
    pub player: Option<u8>,
    /// The same in words, with the player's name.
    pub what: Option<String>,
    /// The parts of the score.
    pub why: ScoreParts,
    /// The file that it was cut into.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<String>,
}

/// The four parts of a score, from 0 to [`WHOLE`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ScoreParts {
    /// As [`Why::engagement`](crate::Why::engagement).
    pub engagement: u32,
    /// As [`Why::momentum`](crate::Why::momentum).
    pub momentum: u32,
    /// As [`Why::anomaly`](crate::Why::anomaly).
    pub anomaly: u32,
    /// As [`Why::rarity`](crate::Why::rarity).
    pub rarity: u32,
}

/// The highlights of a match as rows, ranked in their order.
#[must_use]
pub fn highlight_rows<N: Names>(info: &MatchInfo<N>, found: &[Highlight]) -> Vec<HighlightRow> {
    (1..).zip(found).map(|(rank, highlight)| row(info, rank, highlight)).collect()
}

fn row<N: Names>(info: &MatchInfo<N>, rank: usize, highlight: &Highlight) -> HighlightRow {
    let Highlight { tick, ref window, score, why, kills, player } = *highlight;
    let name = |player| player_name(info, player);
    HighlightRow {
        rank,
        file: info.source.clone(),
        match_id: info.id.clone(),
        tick,
        time_ms: info.time(tick).millis(),
        start_tick: window.start,
        end_tick: window.end,
        times: [tick, window.start, window.end].map(|tick| info.time(tick).to_string()),
        score,
        kills,
        rarest: why.rarest.map(Rarity::name),
        player,
        what: highlight.in_words(name),
        why: ScoreParts {
            engagement: why.engagement,
            momentum: why.momentum,
            anomaly: why.anomaly,
            rarity: why.rarity,
        },
        cut: None,
    }
}

/// The best moments of several matches: by score, of equal scores by kills, then in the order of the
/// lists.
#[must_use]
pub fn best_of(lists: impl IntoIterator<Item = Vec<HighlightRow>>) -> Vec<HighlightRow> {
    let mut rows: Vec<HighlightRow> = lists.into_iter().flatten().collect();
    rows.arrange_by_key(|row| std::cmp::Reverse((row.score, row.kills)));
    (1..).zip(&mut rows).for_each(|(rank, row)| row.rank = rank);
    rows
}

/// The table of a list. `with_file` says which match a moment is from, `with_parts` what its score is
/// made of.
#[must_use]
pub fn highlights_table(rows: &[HighlightRow], with_file: bool, with_parts: bool) -> TextTable {
    let right = |name| (name, Align::Right);
    let left = |name| (name, Align::Left);
    let mut heading = vec![right("#")];
    heading.extend(with_file.then_some(left("match")));
    heading.extend([left("moment"), left("watch"), right("score")]);
    if with_parts {
        let parts = ["engagement ×35%", "momentum ×25%", "anomaly ×20%", "rarity ×20%"];
        heading.extend(parts.map(right));
    }
    heading.extend([right("kills"), left("rarest")]);
    let mut table = TextTable::new(&heading);
    for row in rows {
        let [moment, start, end] = row.times.clone();
        let mut cells = vec![row.rank.to_string()];
        cells.extend(with_file.then(|| printable(&row.file)));
        cells.extend([moment, format!("{start} to {end}"), percent(row.score)]);
        if with_parts {
            let ScoreParts { engagement, momentum, anomaly, rarity } = row.why;
            cells.extend([engagement, momentum, anomaly, rarity].map(percent));
        }
        cells.extend([row.kills.to_string(), row.what.clone().unwrap_or_default()]);
        table.add(cells);
    }
    table
}

/// A part of the whole in percent, with one decimal.
fn percent(part: u32) -> String {
    let tenths = u64::from(part) * 1000 / u64::from(WHOLE);
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use gametape_wire::TickLength;

    use super::*;
    use crate::highlights::Why;

    #[test]
    fn parts_are_percent_with_one_decimal() {
        let shown = [0, 999, 1000, 315_000, WHOLE].map(percent);
        assert_eq!(shown, ["0.0", "0.0", "0.1", "31.5", "100.0"]);
    }

    #[test]
    fn the_best_moments_of_all_say_whose_they_are() {
        let of = |source: &str, scores: &[u32]| {
            let mut info = MatchInfo::new(TickLength::from_micros(50_000).unwrap(), [""; 0]);
            info.source = source.to_owned();
            info.players.insert(2, "Ben".to_owned());
            let why = Why { rarest: Some(Rarity::BaseDestroyed), ..Why::default() };
            let moment = |score: &u32| {
                let (score, player) = (*score, Some(2));
                Highlight {
                    tick: Tick(600),
                    window: Tick(300)..Tick(900),
                    score,
                    why,
                    kills: 1,
                    player,
                }
            };
            highlight_rows(&info, &scores.iter().map(moment).collect::<Vec<_>>())
        };
        let best = best_of([of("a", &[900_000, 100]), of("b", &[950_000, 900_000])]);
        let order: Vec<_> = best.iter().map(|row| (row.rank, &*row.file, row.score)).collect();
        let expected = [(1, "b", 950_000), (2, "a", 900_000), (3, "b", 900_000), (4, "a", 100)];
        assert_eq!(order, expected);
        let mut bloody = of("c", &[900_000]);
        bloody[0].kills = 2;
        let best_by_kills = best_of([of("a", &[900_000]), bloody]);
        assert_eq!(best_by_kills.iter().map(|row| &*row.file).collect::<Vec<_>>(), ["c", "a"]);
        let lines = highlights_table(&best, true, false).lines();
        assert!(lines[1].ends_with("base of Ben destroyed"), "{}", lines[1]);
        assert!(lines[1].starts_with("1  b      0:30 "), "{}", lines[1]);
    }
}
