//! How a game embeds Gametape: everything that a match brings goes onto a tape, tick by tick.
//!
//! `cargo run -p gametape-skirmish --example record_a_game -- match.tape`

use std::process::ExitCode;

use gametape_analysis::{Block, EventWriter};
use gametape_replay::minewars::MinewarsView;
use gametape_replay::{GameState, Recorder, RecorderOptions, Simulation};
use gametape_skirmish::{Config, Match, NAMES, Outcome, Style, TICK_MS, record_setups};
use gametape_tape::Front;
use gametape_wire::{Generation, Result, ViewSet};

fn main() -> ExitCode {
    let path = std::env::args().nth(1).unwrap_or_else(|| "match.tape".to_owned());
    match record(&path) {
        Ok(ticks) => println!("{path}: {ticks} ticks"),
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Plays and records a match, and says how many ticks it had.
fn record(path: &str) -> Result<u64> {
    // The game: two bots on a small island. The number of the tape tells recordings apart.
    let config = Config::new(2, 12, 7);
    let front = Front::new(TICK_MS * 1000, 0x5C1)?;
    let mut game = Match::new(config, &Style::ALL, Generation::Current)?;

    // What the recording starts from: for the views, for the simulation, and for the events.
    let metadata = br#"{"content":"skirmish","game":"Skirmish","generation":"current",
        "players":[{"view":1,"name":"Ana"},{"view":2,"name":"Ben"}]}"#;
    let recorder = Recorder::create(path, front, metadata, &RecorderOptions::default())?;
    let everybody = ViewSet::up_to(game.setup().max_view());
    record_setups(&recorder, game.setup(), everybody)?;
    recorder.simulation_setup(game.game().config().to_bytes())?;
    recorder.names(&NAMES)?;

    let mut events = EventWriter::new();
    let mut views: Vec<_> =
        everybody.iter().map(|view| (view, MinewarsView::new(game.setup(), view))).collect();
    while !game.is_over() {
        // Keyframes first: they are the state before the tick.
        let tick = game.game().tick();
        if recorder.keyframe_due(tick) {
            recorder.keyframe(game.game().snapshot())?;
        }
        for (view, known) in &views {
            if recorder.view_keyframe_due(*view, tick) {
                recorder.view_keyframe(*view, known.snapshot(tick))?;
            }
        }
        // Then the tick: what was asked, said and reported, what views were told, what happened.
        let turn = game.step()?;
        turn.orders.iter().try_for_each(|o| recorder.order(tick, o.player, &o.payload))?;
        turn.talk.iter().try_for_each(|o| recorder.talk(tick, o.player, &o.payload))?;
        turn.reports.iter().try_for_each(|o| recorder.reported(tick, o.player, &o.payload))?;
        if !turn.parts().is_empty() {
            recorder.frame(tick, &turn.parts())?;
        }
        for ((_, known), payload) in views.iter_mut().zip(&turn.payloads) {
            known.apply(tick, payload)?;
        }
        turn.events.iter().try_for_each(|event| events.push(event))?;
        events.take().into_iter().try_for_each(|block| record_events(&recorder, block))?;
        recorder.end_tick(tick);
    }
    events.flush()?.into_iter().try_for_each(|block| record_events(&recorder, block))?;
    recorder.keyframe(game.game().snapshot())?;
    let outcome = format!(r#"{{"outcome":"{}"}}"#, outcome_of(&game));
    recorder.closing_metadata(outcome.as_bytes())?;
    // What the disk had to say, if anything: the game was never made to wait for it.
    recorder.finish().counters.failure.map_or(Ok(game.game().tick()), Err)
}

fn outcome_of(game: &Match) -> String {
    match game.game().outcome() {
        Some(Outcome::Won { winner, reason }) => format!("player {winner} won: {}", reason.name()),
        Some(Outcome::Draw { reason }) => format!("a draw: {}", reason.name()),
        Some(Outcome::Abandoned { leaver }) => format!("abandoned: player {leaver} left"),
        None => "not decided".to_owned(),
    }
}

fn record_events(recorder: &Recorder, block: Block) -> Result<()> {
    let Block { stream, first_tick, last_tick, count, bytes } = block;
    recorder.events(stream.number(), first_tick, last_tick, count, bytes)
}
