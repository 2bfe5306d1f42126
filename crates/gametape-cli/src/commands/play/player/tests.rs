use std::path::PathBuf;

use gametape_cadre::sample;
use gametape_minewars::sample::Sample;
use gametape_minewars::{Generation, Grid, ReplayFile, WriteOptions, write_file};
use gametape_replay::{ConvertOptions, minewars};
use gametape_tape::cut_bytes;
use gametape_wire::Tick;
use ratatui::crossterm::event::KeyModifiers;
use ratatui::style::Modifier;

use super::*;
use crate::commands::play::testing::{Screen, press};
use crate::commands::stage;
use crate::input::{Input, Source};
use crate::tape::TapeFile;
use crate::view_arg::ViewArg;

fn stage_of(name: &str, bytes: Vec<u8>) -> Stage {
    let source = Source::File(PathBuf::from(name));
    let input = Input { source, bytes, dialect: None, headerless: false };
    stage::of_input(input).unwrap_or_else(|_| panic!("it does not open"))
}

/// A small session on a square map.
fn minewars_bytes() -> Vec<u8> {
    let sample = Sample { grid: Grid::Square, radius: 3, moments: 40, ..Sample::default() };
    let (setup, frames) = sample.build(Generation::Current).unwrap();
    write_file(&setup, &frames, &WriteOptions::default()).unwrap()
}

/// Sees it as a view; false where there is no such view.
fn look_as(stage: &mut Stage, who: &str) -> bool {
    let view = ViewArg { given: who.parse().ok() };
    stage::look_as(stage, &Source::Stdin, &view).is_ok()
}

fn map_player() -> Player {
    let mut player = Player::new(stage_of("a.minewars", minewars_bytes()));
    player.go(Moment::START);
    player
}

fn tree_player(text: &[u8]) -> Player {
    let mut player = Player::new(stage_of("a.json", text.to_vec()));
    player.go(player.play.stage.find(When::Start).unwrap());
    player
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

fn key(player: &mut Player, code: KeyCode, modifiers: KeyModifiers) {
    player.press(KeyEvent::new(code, modifiers), ms(0));
}

#[test]
fn the_board_the_players_and_what_happened_are_on_the_screen() {
    let mut player = map_player();
    Screen::of(&mut player, 110, 30).assert_has(&[
        "a.minewars",
        "MineWars",
        "Board",
        "Players",
        "What happened",
        "0:00 of ",
        "×1",
        "? help",
    ]);
    press(&mut player, "→");
    Screen::of(&mut player, 110, 30).assert_has(&["Ada joins"]);
}

#[test]
fn tiles_that_changed_stand_out_two_columns_each() {
    let mut player = map_player();
    press(&mut player, "→→");
    let screen = Screen::of(&mut player, 110, 30);
    let changed = player.panels.changed();
    let reversed = screen.count(|cell| {
        cell.modifier.contains(Modifier::REVERSED) && cell.bg != ratatui::style::Color::Reset
    });
    assert!(changed > 0);
    assert_eq!(reversed, 2 * changed);
}

#[test]
fn other_views_know_other_things_at_the_same_moment() {
    let mut player = map_player();
    press(&mut player, "$");
    let (moment, spectator) = (player.play.stage.position(), player.play.stage.scene());
    press(&mut player, "v");
    Screen::of(&mut player, 110, 30).assert_has(&["Seen by Ada"]);
    assert_ne!(player.play.stage.scene(), spectator);
    assert_eq!(player.play.stage.position(), moment);
    press(&mut player, "V");
    assert_eq!(player.play.stage.scene(), spectator);
    press(&mut player, "9");
    assert_eq!(player.message.as_deref(), Some("view: there are views 0 to 3, not 9"));
}

#[test]
fn views_are_asked_for_by_name_or_number() {
    let mut stage = stage_of("a.minewars", minewars_bytes());
    for (who, view) in [("2", 2), ("ada", 1), ("Ada", 1), ("spectator", 0)] {
        assert!(look_as(&mut stage, who), "{who}");
        assert_eq!(stage.view().number(), view, "{who}");
    }
    assert!(!look_as(&mut stage, "Nobody") && !look_as(&mut stage, "7"));
    assert!(!look_as(&mut stage_of("a.json", SMALL.to_vec()), "1"));
}

#[test]
fn steps_go_to_changes_both_ways_and_stop_at_the_ends() {
    let mut player = map_player();
    let steps = |player: &mut Player, keys: &str| {
        press(player, keys);
        player.play.stage.position()
    };
    let first = steps(&mut player, "→");
    let second = steps(&mut player, "→");
    assert!(Moment::START < first && first < second);
    assert_eq!(steps(&mut player, "←"), first);
    assert_eq!(steps(&mut player, "^"), Moment::START);
    press(&mut player, "←");
    assert_eq!(player.message.as_deref(), Some("this is the first moment"));
    key(&mut player, KeyCode::Right, KeyModifiers::SHIFT);
    let tenth = player.play.stage.position();
    press(&mut player, "^→→→→→→→→→→");
    assert_eq!(player.play.stage.position(), tenth);
    assert_eq!(steps(&mut player, "$"), player.play.stage.end());
    press(&mut player, "→");
    assert_eq!(player.message.as_deref(), Some("this is the last moment"));
}

#[test]
fn playing_follows_the_clock_at_any_speed_and_pauses_at_the_end() {
    let mut player = map_player();
    press(&mut player, " ");
    assert!(player.play.is_playing());
    player.tick(ms(1000));
    let tick = |player: &Player| player.play.stage.position().next_tick().0;
    assert_eq!(tick(&player), 1000);
    player.press(KeyCode::Char('+').into(), ms(1000));
    player.tick(ms(2000));
    assert_eq!(tick(&player), 1000 + 2000);
    assert_eq!(player.play.speed(), "×2");
    player.press(KeyCode::Char(' ').into(), ms(2000));
    player.tick(ms(60_000));
    assert_eq!(tick(&player), 1000 + 2000);
    player.press(KeyCode::Char(' ').into(), ms(60_000));
    player.tick(ms(10_000_000));
    assert_eq!(
        (player.play.stage.position(), player.play.is_playing()),
        (player.play.stage.end(), false)
    );
    press(&mut player, " ");
    assert_eq!(player.play.stage.position(), Moment::START);
    for _ in 0..40 {
        press(&mut player, "-");
    }
    assert_eq!(player.play.speed(), "×1/256");
}

#[test]
fn times_are_written_in_the_one_grammar() {
    let mut player = map_player();
    for (text, tick) in [("tick:700", 701), ("0.7s", 701), ("0:00.7", 701), ("700", 701)] {
        press(&mut player, &format!("^g{text}⏎"));
        assert_eq!(player.play.stage.position(), Moment::before(Tick(tick)), "{text}");
    }
    press(&mut player, "gend⏎");
    assert_eq!(player.play.stage.position(), player.play.stage.end());
    press(&mut player, "gsoon⏎");
    assert!(player.message.as_deref().unwrap().contains("3:37.6"));
    press(&mut player, "gturn:3⏎");
    assert!(player.message.as_deref().unwrap().contains("turns are for gamelogs"));
}

#[test]
fn tiles_can_be_inspected() {
    let mut player = map_player();
    press(&mut player, "$");
    Screen::of(&mut player, 110, 30);
    press(&mut player, "i");
    Screen::of(&mut player, 110, 30).assert_has(&["tile           0,0", "ground"]);
    press(&mut player, "k");
    Screen::of(&mut player, 110, 30).assert_has(&["tile           1,0"]);
}

#[test]
fn messages_are_listed_as_their_disassembly() {
    let mut player = map_player();
    press(&mut player, "→d");
    let screen = Screen::of(&mut player, 110, 30);
    screen.assert_has(&["Messages", "tick ", "PLAYER"]);
    assert!(!screen.text().contains("What happened"));
    press(&mut player, "⇥jjd");
    Screen::of(&mut player, 110, 30).assert_has(&["What happened", "Ada joins"]);
    let mut player = tree_player(SMALL);
    press(&mut player, "d");
    assert!(player.message.as_deref().unwrap().contains("no messages"));
}

#[test]
fn control_characters_of_a_recording_are_shown_not_obeyed() {
    let text = br#"{"gameName":"G","gameSession":"s","deltas":[
        {"type":"start","game":{"a\u001b[31m":"b\u0007","c":1}},{"type":"ran","game":{"c":"\u009b"}}]}"#;
    let mut player = tree_player(text);
    press(&mut player, "→");
    let screen = Screen::of(&mut player, 110, 30);
    screen.assert_has(&["a\\u{1b}[31m", "b\\u{7}", "\\u{9b}"]);
}

#[test]
fn a_small_screen_shows_a_part_and_nothing_breaks() {
    let mut player = map_player();
    for keys in ["", "jjjjllll", "i", "c", "⇥jj", "?"] {
        press(&mut player, keys);
        for (width, height) in [(1, 1), (3, 2), (9, 4), (20, 9), (200, 3), (60, 60)] {
            Screen::of(&mut player, width, height);
        }
    }
}

#[test]
fn the_tree_of_a_gamelog_marks_what_a_delta_changed() {
    let mut player = tree_player(SMALL);
    press(&mut player, "→");
    let screen = Screen::of(&mut player, 110, 30);
    screen.assert_has(&[
        "Small",
        "State",
        "~   currentTurn: 1",
        "· ▸ gameObjects: {2}",
        "Unit #2 walk(to 7) → true",
        "3 changes",
        "0 → 1",
        "+ gameObjects.2.new",
        "- gameObjects.10.gone",
        "delta 1 of 2  turn 1",
    ]);
    press(&mut player, "c");
    press(&mut player, "/new⏎");
    Screen::of(&mut player, 110, 30).assert_has(&["new: \"yes\""]);
    press(&mut player, "m");
    assert!(player.message.as_deref().unwrap().contains("no board"));
    press(&mut player, "v");
    assert_eq!(player.message.as_deref(), Some("a gamelog has no views"));
}

#[test]
fn a_gamelog_with_positions_has_a_board_and_a_tree() {
    let mut player = tree_player(&sample::log(120, 1));
    press(&mut player, "gturn:3⏎");
    Screen::of(&mut player, 120, 30).assert_has(&["turn 3", "Ann", "Bob"]);
    if player.play.stage.scene().board.is_some() {
        press(&mut player, "m");
    }
    Screen::of(&mut player, 120, 30).assert_has(&["State", "gameObjects"]);
}

/// The session as a tape.
fn tape_of(bytes: &[u8]) -> Vec<u8> {
    let file = ReplayFile::open(bytes).unwrap();
    let options = ConvertOptions::new(1).with_spacing(300);
    minewars::to_tape(&file, &options).unwrap()
}

fn tape_stage(tape: Vec<u8>) -> Stage {
    let source = Source::File(PathBuf::from("a.minewars"));
    let file = TapeFile::in_memory(&source, tape);
    stage::of_tape(file).unwrap_or_else(|_| panic!("it does not open"))
}

#[test]
fn a_tape_that_is_cut_shows_its_own_views_only() {
    let views = [1, 3].into_iter().filter_map(View::new).collect();
    let cut = cut_bytes(&tape_of(&minewars_bytes()), views, 7).unwrap().bytes;
    let mut player = Player::new(tape_stage(cut));
    player.go(player.play.stage.end());
    Screen::of(&mut player, 110, 30).assert_has(&["Seen by Ada"]);
    press(&mut player, "v");
    assert_eq!(player.play.stage.view().number(), 3);
    press(&mut player, "0");
    assert_eq!(player.message.as_deref(), Some("view: there are views 1,3, not 0"));
}
