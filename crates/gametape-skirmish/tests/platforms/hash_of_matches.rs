//! Plays a few matches of bots and prints one hash of all that came out: states, payloads, events.
//!
//! Built with `GAMETAPE_EXPECTED_HASH`, it fails when the hash is another one: so machines without
//! an output, such as bare WebAssembly, can be asked whether they play the same matches.

use gametape_analysis::EventWriter;
use gametape_minewars::Generation;
use gametape_minewars::Grid;
use gametape_replay::Simulation;
use gametape_skirmish::{Config, Match, Style};
use gametape_wire::Result;
use sha2::{Digest, Sha256};

/// The hash of three matches, as text.
pub(crate) fn hash_of_matches() -> Result<String> {
    let mut hash = Sha256::new();
    for (players, radius, grid, generation) in [
        (2, 8, Grid::Hex, Generation::Current),
        (3, 9, Grid::Square, Generation::Current),
        (4, 9, Grid::Hex, Generation::V01),
    ] {
        let config = Config::new(players, radius, 7).with_grid(grid).with_time_limit(75);
        let mut game = Match::new(config, &Style::ALL, generation)?;
        let mut events = EventWriter::new();
        while !game.is_over() {
            let turn = game.step()?;
            turn.payloads.iter().for_each(|payload| hash.update(payload));
            turn.events.iter().try_for_each(|event| events.push(event))?;
            if turn.tick.0.is_multiple_of(300) {
                hash.update(game.game().snapshot().state_hash());
            }
        }
        events.flush()?.iter().for_each(|block| hash.update(&block.bytes));
        hash.update(game.game().snapshot().state_hash());
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

fn main() -> Result<()> {
    let hash = hash_of_matches()?;
    if let Some(expected) = option_env!("GAMETAPE_EXPECTED_HASH") {
        assert_eq!(hash, expected, "this machine plays other matches");
    }
    println!("{hash}");
    Ok(())
}
