//! Somebody looks at a recording: what is in the panels after what was asked for.

#![cfg(feature = "stage")]
#![allow(clippy::unwrap_used, missing_docs)]

use std::time::Duration;

use gametape_cadre::{Options, sample};
use gametape_minewars::sample::Sample;
use gametape_minewars::{Generation, Grid, ReplayFile, WriteOptions, write_file};
use gametape_replay::open::{KeptStart, OpenOptions, open};
use gametape_replay::{ConvertOptions, minewars};
use gametape_scene::stage::{Action, CellMark, PanelContent, Row, Stage, Viewer};
use gametape_tape::cut_bytes;
use gametape_wire::{Moment, Tick, View, When};

/// Columns and rows of the panels.
const WIDTH: usize = 60;
const HEIGHT: usize = 28;

fn viewer(bytes: Vec<u8>) -> Viewer<Vec<u8>> {
    let opened = open(bytes, &OpenOptions::default()).unwrap();
    let opened = opened.map_source(KeptStart::into_inner);
    Viewer::new(Stage::open(opened, &[], &Options::default()).unwrap())
}

/// A small session on a square map.
fn minewars_bytes() -> Vec<u8> {
    let sample = Sample { grid: Grid::Square, radius: 3, moments: 40, ..Sample::default() };
    let (setup, frames) = sample.build(Generation::Current).unwrap();
    write_file(&setup, &frames, &WriteOptions::default()).unwrap()
}

fn map_viewer() -> Viewer<Vec<u8>> {
    let mut viewer = viewer(minewars_bytes());
    viewer.go(Moment::START);
    viewer
}

fn tree_viewer(text: &[u8]) -> Viewer<Vec<u8>> {
    let mut viewer = viewer(text.to_vec());
    viewer.go(viewer.stage().find(When::Start).unwrap());
    viewer
}

/// Three deltas whose every change is known.
const SMALL: &[u8] = br#"{"gameName":"Small","gameSession":"s1","deltas":[
    {"type":"start","game":{"currentTurn":0,"gameObjects":{
        "2":{"id":"2","gameObjectName":"Unit","at":{"id":"10"}},
        "10":{"id":"10","gameObjectName":"Thing","gone":true}},"list":{"0":"a","1":"b","&LEN":2}}},
    {"type":"ran","data":{"player":{"id":"0"},"run":{"caller":{"id":"2"},"functionName":"walk",
        "args":{"to":7}},"returned":true},
        "game":{"currentTurn":1,"gameObjects":{"2":{"new":"yes"},"10":{"gone":"&RM"}}}},
    {"type":"over"}]}"#;

fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

fn act(viewer: &mut Viewer<Vec<u8>>, actions: &[Action]) {
    actions.iter().for_each(|action| viewer.act(*action, ms(0)));
}

/// Everything that is shown, as lines of text.
fn text(viewer: &mut Viewer<Vec<u8>>) -> String {
    let Viewer { play, panels, .. } = viewer;
    let stage = &mut play.stage;
    let mut lines = vec![panels.title(stage).unwrap(), stage.label()];
    for panel in [
        panels.main(stage, (WIDTH, HEIGHT)).unwrap(),
        panels.about(stage, (WIDTH, usize::MAX)).unwrap(),
        panels.list(stage, (WIDTH, HEIGHT)).unwrap(),
    ] {
        lines.push(format!("[{}]", panel.title));
        lines.extend(panel.rows().iter().map(Row::text));
    }
    lines.join("\n")
}

fn assert_shows(viewer: &mut Viewer<Vec<u8>>, parts: &[&str]) {
    let text = text(viewer);
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

fn said(viewer: &Viewer<Vec<u8>>) -> &str {
    viewer.message.as_deref().unwrap_or_default()
}

#[test]
fn the_board_the_players_and_what_happened_are_shown() {
    let mut viewer = map_viewer();
    assert_shows(&mut viewer, &["MineWars", "[Board]", "[Players]", "[What happened]", "0:00 of "]);
    act(&mut viewer, &[Action::Step(1)]);
    assert_shows(&mut viewer, &["Ada joins"]);
}

#[test]
fn tiles_that_changed_are_marked_two_columns_each() {
    let mut viewer = map_viewer();
    act(&mut viewer, &[Action::Step(1), Action::Step(1)]);
    let marked = |viewer: &mut Viewer<Vec<u8>>, size, mark| {
        let panel = viewer.panels.main(&mut viewer.play.stage, size).unwrap();
        let PanelContent::Board(cells) = panel.content else { panic!("there is a board") };
        assert!(cells.iter().all(|cell| cell.x < size.0 && cell.y < size.1));
        cells.iter().filter(|cell| cell.mark == mark).count()
    };
    let changed = marked(&mut viewer, (WIDTH, HEIGHT), CellMark::Changed);
    assert!(changed > 0 && changed.is_multiple_of(2));
    act(&mut viewer, &[Action::SwitchInspecting]);
    assert_eq!(marked(&mut viewer, (WIDTH, HEIGHT), CellMark::Pointed), 2);
    for size in [(0, 0), (1, 1), (3, 2), (200, 3), (9, 40)] {
        marked(&mut viewer, size, CellMark::Changed);
    }
}

#[test]
fn other_views_know_other_things_at_the_same_moment() {
    let mut viewer = map_viewer();
    act(&mut viewer, &[Action::Last]);
    let (moment, spectator) = (viewer.stage().position(), viewer.stage().scene());
    act(&mut viewer, &[Action::NextView]);
    assert_shows(&mut viewer, &["[Seen by Ada]"]);
    assert_ne!(viewer.stage().scene(), spectator);
    assert_eq!(viewer.stage().position(), moment);
    act(&mut viewer, &[Action::PreviousView]);
    assert_eq!(viewer.stage().scene(), spectator);
    act(&mut viewer, &[Action::View(View::new(9).unwrap())]);
    assert_eq!(said(&viewer), "view: there are views 0 to 3, not 9");
}

#[test]
fn steps_go_to_changes_both_ways_and_stop_at_the_ends() {
    let mut viewer = map_viewer();
    let after = |viewer: &mut Viewer<Vec<u8>>, action| {
        act(viewer, &[action]);
        viewer.stage().position()
    };
    let first = after(&mut viewer, Action::Step(1));
    let second = after(&mut viewer, Action::Step(1));
    assert!(Moment::START < first && first < second);
    assert_eq!(after(&mut viewer, Action::Step(-1)), first);
    assert_eq!(after(&mut viewer, Action::First), Moment::START);
    act(&mut viewer, &[Action::Step(-1)]);
    assert_eq!(said(&viewer), "this is the first moment");
    let tenth = after(&mut viewer, Action::Step(10));
    act(&mut viewer, &[Action::First]);
    act(&mut viewer, &[Action::Step(1); 10]);
    assert_eq!(viewer.stage().position(), tenth);
    assert_eq!(after(&mut viewer, Action::Last), viewer.stage().end());
    act(&mut viewer, &[Action::Step(1)]);
    assert_eq!(said(&viewer), "this is the last moment");
}

#[test]
fn playing_follows_the_clock_at_any_speed_and_pauses_at_the_end() {
    let mut viewer = map_viewer();
    act(&mut viewer, &[Action::PlayOrPause]);
    viewer.tick(ms(1000));
    let tick = |viewer: &Viewer<Vec<u8>>| viewer.stage().position().next_tick().0;
    assert_eq!(tick(&viewer), 1000);
    viewer.act(Action::Faster(1), ms(1000));
    viewer.tick(ms(2000));
    assert_eq!((tick(&viewer), said(&viewer)), (1024 + 2048, "×2"));
    viewer.act(Action::PlayOrPause, ms(2000));
    viewer.tick(ms(60_000));
    assert_eq!(tick(&viewer), 1024 + 2048);
    viewer.act(Action::PlayOrPause, ms(60_000));
    viewer.tick(ms(10_000_000));
    assert_eq!(viewer.stage().position(), viewer.stage().end());
    assert!(!viewer.play.is_playing());
    act(&mut viewer, &[Action::PlayOrPause]);
    assert_eq!(viewer.stage().position(), Moment::START);
    act(&mut viewer, &[Action::Faster(-1); 40]);
    assert_eq!(viewer.play.speed(), "×1/256");
}

#[test]
fn times_are_written_in_the_one_grammar() {
    let mut viewer = map_viewer();
    for (text, tick) in [("tick:700", 701), ("0.7s", 701), ("0:00.7", 701), ("700", 701)] {
        viewer.go(Moment::START);
        viewer.go_to(text);
        assert_eq!(viewer.stage().position(), Moment::before(Tick(tick)), "{text}");
    }
    viewer.go_to("end");
    assert_eq!(viewer.stage().position(), viewer.stage().end());
    viewer.go_to("soon");
    assert!(said(&viewer).contains("3:37.6"));
    viewer.go_to("turn:3");
    assert!(said(&viewer).contains("turns are for gamelogs"));
}

#[test]
fn tiles_can_be_inspected() {
    let mut viewer = map_viewer();
    act(&mut viewer, &[Action::Last]);
    text(&mut viewer);
    act(&mut viewer, &[Action::SwitchInspecting]);
    assert_shows(&mut viewer, &["tile           0,0", "ground"]);
    act(&mut viewer, &[Action::Move(-1, 0)]);
    assert_shows(&mut viewer, &["tile           1,0"]);
}

#[test]
fn messages_are_listed_as_their_disassembly() {
    let mut viewer = map_viewer();
    act(&mut viewer, &[Action::Step(1), Action::SwitchList]);
    assert_shows(&mut viewer, &["[Messages of 0:", "PLAYER"]);
    assert!(!text(&mut viewer).contains("[What happened]"));
    act(&mut viewer, &[Action::SwitchFocus, Action::Move(1, 0), Action::SwitchList]);
    assert_shows(&mut viewer, &["[What happened]", "Ada joins"]);
    let mut viewer = tree_viewer(SMALL);
    act(&mut viewer, &[Action::SwitchList]);
    assert!(said(&viewer).contains("a gamelog has none"));
}

#[test]
fn the_tree_of_a_gamelog_marks_what_a_delta_changed() {
    let mut viewer = tree_viewer(SMALL);
    act(&mut viewer, &[Action::Step(1)]);
    assert_shows(
        &mut viewer,
        &[
            "Small",
            "[State]",
            "~   currentTurn: 1",
            "· ▸ gameObjects: {2}",
            "Unit #2 walk(to 7) → true",
            "[3 changes]",
            "0 → 1",
            "+ gameObjects.2.new",
            "- gameObjects.10.gone",
            "delta 1 of 2  turn 1",
        ],
    );
    act(&mut viewer, &[Action::ShowChange]);
    viewer.search("new");
    assert_shows(&mut viewer, &["new: \"yes\""]);
    act(&mut viewer, &[Action::SwitchMain]);
    assert!(said(&viewer).starts_with("board: nothing in this state has a position"));
    act(&mut viewer, &[Action::NextView]);
    assert_eq!(said(&viewer), "view: a gamelog has none");
}

#[test]
fn the_selected_rows_are_those_that_keys_move() {
    let mut viewer = tree_viewer(SMALL);
    act(&mut viewer, &[Action::Step(1)]);
    let selected = |viewer: &mut Viewer<Vec<u8>>| {
        let Viewer { play, panels, .. } = viewer;
        let main = panels.main(&mut play.stage, (WIDTH, HEIGHT)).unwrap();
        let list = panels.list(&mut play.stage, (WIDTH, HEIGHT)).unwrap();
        ((main.selected, main.is_focused), (list.selected, list.is_focused))
    };
    assert_eq!(selected(&mut viewer), ((0..1, true), (0..0, false)));
    act(&mut viewer, &[Action::Move(1, 0), Action::SwitchFocus, Action::Move(1, 0)]);
    assert_eq!(selected(&mut viewer), ((1..2, false), (2..4, true)));
    act(&mut viewer, &[Action::Enter]);
    assert_shows(&mut viewer, &["new: \"yes\""]);
    assert!(selected(&mut viewer).0.1, "the change is shown in the tree");
}

#[test]
fn a_gamelog_with_positions_has_a_board_and_a_tree() {
    let mut viewer = tree_viewer(&sample::log(120, 1));
    viewer.go_to("turn:3");
    assert_shows(&mut viewer, &["turn 3", "Ann", "Bob"]);
    if viewer.stage().scene().board.is_some() {
        act(&mut viewer, &[Action::SwitchMain]);
    }
    assert_shows(&mut viewer, &["[State]", "gameObjects"]);
}

#[test]
fn a_tape_that_is_cut_shows_its_own_views_only() {
    let bytes = minewars_bytes();
    let options = ConvertOptions::new(1).with_spacing(300);
    let tape = minewars::to_tape(&ReplayFile::open(&bytes).unwrap(), &options).unwrap();
    let views = [1, 3].into_iter().filter_map(View::new).collect();
    let mut viewer = viewer(cut_bytes(&tape, views, 7).unwrap().bytes);
    act(&mut viewer, &[Action::Last]);
    assert_shows(&mut viewer, &["[Seen by Ada]"]);
    act(&mut viewer, &[Action::NextView]);
    assert_eq!(viewer.stage().view().number(), 3);
    act(&mut viewer, &[Action::View(View::SPECTATOR)]);
    assert_eq!(said(&viewer), "view: there are views 1,3, not 0");
}
