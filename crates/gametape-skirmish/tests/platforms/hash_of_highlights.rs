//! Prints what analysis makes of a few matches of bots (highlights with all parts of their scores,
//! statistics of the players) and one hash of all that, and of the bytes of the events.
//!
//! Built with `GAMETAPE_EXPECTED_HASH`, it fails when the hash is another one: so machines without
//! an output, such as bare WebAssembly, can be asked whether they find the same highlights.

use gametape_analysis::{
    Block, EventWriter, Highlight, HighlightFinder, Statistics, StatisticsCollector,
};
use gametape_minewars::Generation;
use gametape_minewars::Grid;
use gametape_replay::Simulation;
use gametape_skirmish::{Config, Match, NAMES, Style, TICK_LENGTH};
use gametape_wire::Result;
use sha2::{Digest, Sha256};

/// Players, radius, grid and seed of the matches.
const MATCHES: [(u8, u8, Grid, u64); 6] = [
    (2, 12, Grid::Hex, 2),
    (2, 12, Grid::Square, 1),
    (3, 12, Grid::Hex, 3),
    (4, 10, Grid::Square, 4),
    (6, 10, Grid::Hex, 6),
    (8, 12, Grid::Square, 8),
];
/// In seconds: longer than an opening.
const TIME_LIMIT: u16 = 200;

/// What analysis makes of one match.
pub(crate) struct Insight {
    pub(crate) blocks: Vec<Block>,
    pub(crate) highlights: Vec<Highlight>,
    pub(crate) statistics: Statistics,
}

/// Plays the matches.
pub(crate) fn insights() -> Result<Vec<Insight>> {
    let play = |(players, radius, grid, seed)| {
        let config = Config::new(players, radius, seed).with_grid(grid).with_time_limit(TIME_LIMIT);
        insight(Match::new(config, &Style::ALL, Generation::Current)?)
    };
    MATCHES.into_iter().map(play).collect()
}

fn insight(mut game: Match) -> Result<Insight> {
    let mut events = EventWriter::new();
    let mut highlights = HighlightFinder::new(TICK_LENGTH);
    let mut statistics = StatisticsCollector::new(TICK_LENGTH);
    while !game.is_over() {
        for event in game.step()?.events {
            events.push(&event)?;
            highlights.add(&event);
            statistics.add(&event, &NAMES);
        }
    }
    Ok(Insight {
        blocks: events.flush()?,
        highlights: highlights.finish(game.game().tick()),
        statistics: statistics.finish(),
    })
}

/// One hash of everything, as text.
pub(crate) fn hash_of(insights: &[Insight]) -> String {
    let mut hash = Sha256::new();
    for Insight { blocks, highlights, statistics } in insights {
        blocks.iter().for_each(|block| hash.update(&block.bytes));
        // As text they say everything: every field is a number or a name.
        hash.update(with_bare_ticks(&format!("{highlights:?}{statistics:?}")));
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The text that the hash was first made of: ticks of windows and snapshots are bare numbers in it, only the moment of
/// a highlight is a `Tick`.
fn with_bare_ticks(text: &str) -> String {
    let mut parts = text.split("Tick(");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        if out.ends_with("Highlight { tick: ") {
            out += "Tick(";
            out += part;
        } else {
            out += &part.replacen(')', "", 1);
        }
    }
    out
}

fn main() -> Result<()> {
    let insights = insights()?;
    let hash = hash_of(&insights);
    if let Some(expected) = option_env!("GAMETAPE_EXPECTED_HASH") {
        assert_eq!(hash, expected, "this machine finds other highlights");
    }
    for insight in &insights {
        insight.highlights.iter().for_each(|highlight| println!("{highlight:?}"));
        insight.statistics.players.iter().for_each(|player| println!("{player:?}"));
        println!();
    }
    println!("{hash}");
    Ok(())
}
