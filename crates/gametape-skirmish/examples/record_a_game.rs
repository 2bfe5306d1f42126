//! How a game embeds Gametape: everything that a match brings goes onto a tape, tick by tick.
//!
//! `cargo run -p gametape-skirmish --example record_a_game -- match.tape`

use gametape_analysis::EventWriter;
use gametape_minewars::Generation;
use gametape_replay::minewars::MinewarsView;
use gametape_replay::{GameState, Recorder, RecorderOptions, Simulation};
use gametape_skirmish::{
    Config, Match, NAMES, Style, TICK_LENGTH, metadata, record_block, record_setups,
};
use gametape_tape::TapeHeader;
use gametape_wire::{Result, ViewSet};

fn main() {
    let path = std::env::args().nth(1).unwrap_or_else(|| "match.tape".to_owned());
    if let Err(error) = record(&path) {
        eprintln!("{path}: {error}");
        std::process::exit(1);
    }
}

fn record(path: &str) -> Result<()> {
    // The game: two bots on a small island. The number of the tape distinguishes recordings.
    let config = Config::new(2, 12, 7);
    let header = TapeHeader::new(TICK_LENGTH, 0x5C1);
    let mut game = Match::new(config, &Style::ALL, Generation::Current)?;

    // What the recording starts from: for the views, for the simulation, and for the events.
    let metadata = metadata(game.game().config(), Generation::Current);
    let recorder = Recorder::create(path, header, &metadata, &RecorderOptions::default())?;
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
        // Then the tick: what was asked, said and reported, what views receive, what happened.
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
        events.take().into_iter().try_for_each(|block| record_block(&recorder, block))?;
        recorder.end_tick(tick);
    }
    events.flush()?.into_iter().try_for_each(|block| record_block(&recorder, block))?;
    recorder.keyframe(game.game().snapshot())?;
    let names = &game.game().config().names;
    let outcome = game.game().outcome().map_or(String::new(), |outcome| outcome.in_words(names));
    recorder.closing_metadata(format!(r#"{{"outcome":"{outcome}"}}"#).as_bytes())?;
    // What the disk had to say, if anything: the game was never made to wait for it.
    recorder.finish().counters.failure.map_or(Ok(()), Err)
}
