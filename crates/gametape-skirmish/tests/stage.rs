//! Matches on a stage: what a view is shown is what it knows, on the board, of a tile and in words.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use gametape_cadre::Options;
use gametape_minewars::Generation;
use gametape_scene::stage::Stage;
use gametape_scene::{Datum, Inspection, Sight};
use gametape_skirmish::{Config, Match, SkirmishGame, Style, metadata, record_match, scene};
use gametape_tape::cut_bytes;
use gametape_wire::{Moment, Tick, View, ViewSet};

const PLAYERS: u8 = 3;

fn tape() -> Vec<u8> {
    let config = Config::new(PLAYERS, 7, 5);
    let about = metadata(&config, Generation::Current);
    let mut game = Match::new(config, &Style::ALL, Generation::Current).unwrap();
    record_match(&mut game, &about, 7, Tick(1200)).unwrap()
}

fn stage(tape: &[u8], view: View) -> Stage<&[u8]> {
    let stage = Stage::of_tape(tape, &[&SkirmishGame], &Options::default()).unwrap();
    let mut stage = stage.with_dress(Some(scene::mark_sight));
    stage.change_view(view).unwrap();
    stage
}

fn players() -> impl Iterator<Item = View> {
    (1..=PLAYERS).filter_map(View::new)
}

/// What is known of every tile.
fn inspections(stage: &Stage<&[u8]>) -> Vec<Inspection> {
    let board = stage.scene().board.unwrap();
    board.tiles.iter().map(|at| stage.inspect(*at).unwrap()).collect()
}

#[test]
fn a_tile_is_inspected_as_the_board_draws_it() {
    let tape = tape();
    let (mut seen, mut remembered) = (0, 0);
    for view in players() {
        let mut stage = stage(&tape, view);
        let moment = stage.find("80%".parse().unwrap()).unwrap();
        stage.seek(moment).unwrap();
        let board = stage.scene().board.unwrap();
        for (index, found) in inspections(&stage).iter().enumerate() {
            let value = found.values.iter().find(|value| value.name == "sight");
            let said = value.map(|value| &value.value);
            match board.sight(index) {
                Sight::Seen => assert_eq!(said, None),
                sight => assert_eq!(said, Some(&Datum::from(sight.name()))),
            }
            *(if board.sight(index) == Sight::Seen { &mut seen } else { &mut remembered }) += 1;
        }
    }
    assert!(seen > 50 && remembered > 50, "{seen} seen, {remembered} remembered");
}

/// All that a stage shows at some moments.
fn shown(stage: &mut Stage<&[u8]>) -> Vec<(Moment, String)> {
    let mut all = Vec::new();
    for share in ["20%", "60%", "end"] {
        let moment = stage.find(share.parse().unwrap()).unwrap();
        stage.seek(moment).unwrap();
        // At a moment at which something happened.
        stage.step(gametape_replay::Direction::Backward).unwrap();
        let lines = stage.lines().unwrap();
        let (tiles, messages) = (inspections(stage), stage.messages());
        let shown = format!("{:?}\n{tiles:?}\n{messages:?}\n{lines:?}", stage.scene());
        all.push((stage.position(), shown));
    }
    all
}

#[test]
fn tiles_messages_and_lines_of_a_view_hold_nothing_of_others() {
    let tape = tape();
    let all: Vec<_> = players().map(|view| shown(&mut stage(&tape, view))).collect();
    for (view, from_whole) in players().zip(&all) {
        let cut = cut_bytes(&tape, ViewSet::EMPTY.with(view), 9).unwrap();
        let from_cut = shown(&mut stage(&cut.bytes, view));
        for (whole, own) in from_whole.iter().zip(&from_cut) {
            assert!(whole == own, "view {view} at {:?}", whole.0);
        }
    }
    assert!(all[0] != all[1] && all[1] != all[2], "views know different things");
    assert!(all.iter().flatten().any(|(_, text)| text.contains("remembered")));
    let messages = |shown: &[(Moment, String)]| {
        shown.iter().any(|(_, text)| text.contains("OWNER") || text.contains("CITINCOME"))
    };
    assert!(all.iter().all(|shown| messages(shown)));
}
