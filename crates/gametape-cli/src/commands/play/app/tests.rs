use std::path::PathBuf;

use gametape_minewars::sample::Sample;
use gametape_minewars::{Generation, Grid, WriteOptions, write_file};
use gametape_replay::open::{KeptStart, OpenOptions, open};
use gametape_scene::stage::Stage;
use gametape_wire::Moment;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

use super::*;
use crate::commands::play::screen;
use crate::input::Source;

fn app(name: &str, bytes: Vec<u8>) -> App {
    let source = Source::File(PathBuf::from(name));
    let opened = open(TapeFile::in_memory(&source, bytes), &OpenOptions::default()).unwrap();
    let opened = opened.map_source(KeptStart::into_inner);
    let stage = Stage::open(opened, &[], &gametape_cadre::Options::default()).unwrap();
    let mut app = App::new(Viewer::new(stage.with_default_name(name)));
    app.viewer.go(Moment::START);
    app
}

/// A small session on a square map.
fn map_app() -> App {
    let sample = Sample { grid: Grid::Square, radius: 3, moments: 40, ..Sample::default() };
    let (setup, frames) = sample.build(Generation::Current).unwrap();
    app("a.minewars", write_file(&setup, &frames, &WriteOptions::default()).unwrap())
}

/// The cells that somebody would see.
fn cells(app: &mut App, width: u16, height: u16) -> Vec<Cell> {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    terminal.draw(|frame| screen::draw(app, frame.area(), frame.buffer_mut())).unwrap();
    terminal.backend().buffer().content().to_vec()
}

/// The screen as lines of text, without colours.
fn text(app: &mut App, width: u16, height: u16) -> String {
    let cells = cells(app, width, height);
    let row = |cells: &[Cell]| cells.iter().map(Cell::symbol).collect::<String>();
    cells.chunks(width.into()).map(|cells| row(cells).trim_end().to_owned() + "\n").collect()
}

fn assert_has(app: &mut App, parts: &[&str]) {
    let text = text(app, 110, 30);
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

/// Presses keys one after the other: letters, arrows, `$` for End, `⏎`, `⇥`.
fn press(app: &mut App, keys: &str) {
    for key in keys.chars() {
        let code = match key {
            '→' => KeyCode::Right,
            '↓' => KeyCode::Down,
            '$' => KeyCode::End,
            '⏎' => KeyCode::Enter,
            '⇥' => KeyCode::Tab,
            letter => KeyCode::Char(letter),
        };
        app.press(code.into(), Duration::ZERO);
    }
}

/// Players and what happened, each once and nothing empty, beside the state.
#[test]
fn a_game_that_nobody_knows_has_its_panels() {
    let mut app = app("race.tape", gametape_replay::sample::race(60).unwrap());
    for keys in ["", "→→→", "$"] {
        press(&mut app, keys);
        let shown = text(&mut app, 110, 30);
        assert_eq!(shown.matches("What happened").count(), 1, "{shown}");
        let has_all = [" State ", " Players ", "Turbo"].iter().all(|part| shown.contains(part));
        assert!(has_all, "{shown}");
    }
}

#[test]
fn panels_timeline_and_keys_are_on_the_screen() {
    let mut app = map_app();
    let parts = ["a.minewars", "MineWars", "Board", "Players", "What happened", "0:00 of ", "×1"];
    assert_has(&mut app, &parts);
    assert_has(&mut app, &["? help"]);
    press(&mut app, "→v");
    assert_has(&mut app, &["Seen by Ada", "Ada joins"]);
    press(&mut app, "9");
    assert_has(&mut app, &["there are views 0 to 3, not 9"]);
    press(&mut app, "?");
    assert_has(&mut app, &["PgUp PgDn", "inspect tiles", "open or close a branch"]);
    press(&mut app, "q");
    assert!(app.help.is_none() && !app.over, "the key closes the help, and no more");
    press(&mut app, "q");
    assert!(app.over);
}

#[test]
fn tiles_that_changed_stand_out() {
    let mut app = map_app();
    let reversed = |app: &mut App| {
        let is_changed =
            |cell: &&Cell| cell.modifier.contains(Modifier::REVERSED) && cell.bg != Color::Reset;
        cells(app, 110, 30).iter().filter(is_changed).count()
    };
    assert_eq!(reversed(&mut app), 0);
    press(&mut app, "→→");
    let changed = reversed(&mut app);
    assert!(changed > 0 && changed.is_multiple_of(2), "two columns each");
}

#[test]
fn answers_are_typed_and_can_be_left() {
    let mut app = map_app();
    press(&mut app, "gtick:700⏎");
    assert_eq!(app.viewer.stage().position().next_tick().0, 701);
    press(&mut app, "g50");
    assert_has(&mut app, &["go to (3:37.6", ": 50▏"]);
    app.press(KeyCode::Esc.into(), Duration::ZERO);
    assert_eq!((app.prompt.as_ref(), app.over), (None, false));
    assert_eq!(app.viewer.stage().position().next_tick().0, 701);
    press(&mut app, "gsoon⏎");
    assert_has(&mut app, &["times are written as"]);
    app.press(KeyCode::Esc.into(), Duration::ZERO);
    assert!(!app.over, "the message goes first");
    assert_has(&mut app, &["? help"]);
    app.press(KeyCode::Esc.into(), Duration::ZERO);
    assert!(app.over);
}

#[test]
fn control_characters_of_a_recording_are_shown_not_obeyed() {
    let text = br#"{"gameName":"G","gameSession":"s","deltas":[
        {"type":"start","game":{"a\u001b[31m":"b\u0007","c":1}},{"type":"ran","game":{"c":"\u009b"}}]}"#;
    let mut app = app("a.json", text.to_vec());
    press(&mut app, "→→");
    assert_has(&mut app, &["a\\u{1b}[31m", "b\\u{7}", "\\u{9b}"]);
}

#[test]
fn lines_that_are_too_long_end_with_an_ellipsis() {
    let value = "long ".repeat(60);
    let log = format!(
        r#"{{"gameName":"G","gameSession":"s","deltas":[{{"type":"start","game":{{"text":"{value}"}}}}]}}"#
    );
    let mut app = app("a.json", log.into_bytes());
    press(&mut app, "$");
    let shown = text(&mut app, 110, 30);
    let row = shown.lines().find(|line| line.contains("text: \"long")).unwrap();
    assert!(row.contains("…│"), "{shown}");
}

#[test]
fn a_small_screen_shows_a_part_and_nothing_breaks() {
    let mut app = map_app();
    for keys in ["", "jjjjllll", "i", "c", "⇥↓↓", "?"] {
        press(&mut app, keys);
        for (width, height) in [(1, 1), (3, 2), (9, 4), (20, 9), (200, 3), (60, 60)] {
            text(&mut app, width, height);
        }
    }
}

#[test]
fn a_usual_terminal_shows_all_players_and_what_happened() {
    let mut app = map_app();
    press(&mut app, "→→");
    let names: Vec<String> =
        app.viewer.stage().players().into_iter().map(|(_, name)| name).collect();
    let shown = text(&mut app, 80, 24);
    assert!(names.len() > 2 && names.iter().all(|name| shown.contains(name)), "{names:?}\n{shown}");
    assert!(shown.contains("What happened"), "{shown}");
    // Not all of it has room, and it says so.
    let small = text(&mut app, 40, 12);
    assert!(small.contains("What happened, 1 ") || small.contains("What happened ─"), "{small}");
    press(&mut app, "d");
    let messages = app.viewer.stage().messages();
    for (width, height) in [(80, 24), (40, 12)] {
        let shown = text(&mut app, width, height);
        assert!(shown.contains("Messages of 0:"), "{shown}");
        let first = messages.first().unwrap().split_whitespace().next().unwrap();
        assert!(shown.contains(first), "{first}\n{shown}");
    }
}

#[test]
fn the_whole_help_can_be_read_on_every_screen() {
    for (width, height, pages) in [(200, 60, 1), (80, 24, 1), (40, 12, 5)] {
        let mut app = map_app();
        press(&mut app, "?");
        let mut shown = text(&mut app, width, height);
        assert_eq!(app.help_pages, pages, "{shown}");
        for _ in 1..pages {
            press(&mut app, " ");
            shown += &text(&mut app, width, height);
        }
        let words = keys::BINDINGS.iter().flat_map(|row| row.help.split(' '));
        words.for_each(|word| assert!(shown.contains(word), "{word}\n{shown}"));
        press(&mut app, " ");
        assert!(app.help.is_none() && !app.over);
    }
}

#[test]
fn the_bar_does_not_move_while_time_passes() {
    let mut app = map_app();
    let mut widths = std::collections::HashSet::new();
    for time in ["start", "0:00.5", "0:01", "0:01.234", "50%", "end"] {
        app.viewer.go_to(time);
        widths.insert(app.viewer.stage().label().chars().count());
    }
    assert_eq!(widths.len(), 1, "{}", app.viewer.stage().label());
}

#[test]
fn the_keys_say_what_m_leads_to() {
    let log = br#"{"gameName":"G","gameSession":"s","deltas":[
        {"type":"start","game":{"gameObjects":{"1":{"id":"1","x":1,"y":2,"gameObjectName":"Fox"}}}}]}"#;
    let mut app = app("a.json", log.to_vec());
    press(&mut app, "$");
    assert_has(&mut app, &["m tree"]);
    press(&mut app, "m");
    assert_has(&mut app, &["m board"]);
}

#[test]
fn a_match_that_is_live_says_so_and_can_be_caught_up_with() {
    let log = gametape_cadre::Log::new(Default::default(), &Default::default());
    let stage = Stage::of_gamelog(log, &Default::default()).and_then(Stage::follow).unwrap();
    let mut app = App::new(Viewer::new(stage));
    press(&mut app, "L");
    for delta in 0..9 {
        app.viewer
            .extend(format!(r#"{{"type":"ran","game":{{"x":{delta}}}}}"#).as_bytes())
            .unwrap();
        app.viewer.tick(Duration::ZERO);
    }
    assert_has(&mut app, &["delta 8 of 8", "LIVE", "L live"]);
    app.press(KeyCode::Left.into(), Duration::ZERO);
    press(&mut app, " ");
    assert_has(&mut app, &["delta 7 of 8", "1 delta behind live"]);
    press(&mut app, "$");
    assert_has(&mut app, &["delta 8 of 8", "LIVE"]);
    app.viewer.stop_growing("the game is over");
    assert_has(&mut app, &["the game is over", "recording has ended"]);
    press(&mut app, "L");
    assert_has(&mut app, &["nothing more comes"]);
}
