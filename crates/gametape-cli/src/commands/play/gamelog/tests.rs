use gametape_cadre::{Log, Options, sample};

use super::*;
use crate::commands::play::player::Player;
use crate::commands::play::testing::{Screen, press};

fn player_of(text: &[u8]) -> Player<Gamelog> {
    let log = Log::open(text, &Options::default()).unwrap();
    let timeline = Timeline::load(log, &Options::default()).unwrap();
    Player::new(Gamelog::new("a.json", timeline), 0)
}

fn sample_player() -> Player<Gamelog> {
    player_of(&sample::log(120, 1))
}

/// Three deltas whose every change is known.
const SMALL: &[u8] = br#"{"gameName":"Small","gameSession":"s1","deltas":[
    {"type":"start","game":{"currentTurn":0,"gameObjects":{
        "2":{"id":"2","gameObjectName":"Unit","x":1,"at":{"id":"10"}},
        "10":{"id":"10","gameObjectName":"Tile","gone":true}},"list":{"0":"a","1":"b","&LEN":2}}},
    {"type":"ran","data":{"player":{"id":"0"},"run":{"caller":{"id":"2"},"functionName":"walk",
        "args":{"to":7}},"returned":true},
        "game":{"currentTurn":1,"gameObjects":{"2":{"x":8,"new":"yes"},"10":{"gone":"&RM"}}}},
    {"type":"over"}]}"#;

#[test]
fn the_title_names_game_session_and_players() {
    Screen::of(&mut sample_player(), 110, 30).assert_has(&[
        "a.json   Sample, session 1   Ann against Bob (won)",
        "State",
        "delta 0 of 119  turn 0",
        "4/s",
        "▸ gameObjects: {62}",
        "name: \"Sample\"",
        "▸ players: [2]",
    ]);
}

#[test]
fn what_a_delta_changed_is_marked_in_the_tree_and_listed() {
    let mut player = player_of(SMALL);
    press(&mut player, "→");
    let screen = Screen::of(&mut player, 100, 24);
    screen.assert_has(&[
        "~   currentTurn: 1",
        "· ▸ gameObjects: {2}",
        "  ▸ list: [2]",
        "ran by player 0",
        "#2.walk(to: 7)",
        "returned true",
        "4 changes",
        "~ currentTurn",
        "0 → 1",
        "+ gameObjects.2.new",
        "\"yes\"",
        "- gameObjects.10.gone",
        "delta 1 of 2  turn 1",
    ]);
    press(&mut player, "→");
    Screen::of(&mut player, 100, 24).assert_has(&["0 changes", "over", "  currentTurn: 1"]);
    press(&mut player, "←");
    assert_eq!(Screen::of(&mut player, 100, 24).text(), screen.text());
}

#[test]
fn branches_open_and_close_and_stay_so_at_other_moments() {
    let mut player = player_of(SMALL);
    press(&mut player, "↓⏎↓⏎");
    let open = ["▾ gameObjects: {2}", "▾ 2: {4} Unit", "x: 1", "at: → #10 Tile", "▸ 10: {3} Tile"];
    Screen::of(&mut player, 100, 24).assert_has(&open);
    press(&mut player, "→");
    Screen::of(&mut player, 100, 24).assert_has(&[
        "·   ▾ 2: {5} Unit",
        "~       x: 8",
        "+       new: \"yes\"",
        "·   ▸ 10: {2} Tile",
    ]);
    press(&mut player, "x");
    Screen::of(&mut player, 100, 24).assert_has(&["▸ gameObjects"]);
}

#[test]
fn everything_in_something_new_is_new() {
    let mut player = player_of(SMALL);
    press(&mut player, "↓⏎");
    Screen::of(&mut player, 100, 24).assert_has(&["+ ▾ gameObjects", "+   ▸ 2:", "+   ▸ 10:"]);
}

#[test]
fn a_reference_leads_to_its_object() {
    let mut player = player_of(SMALL);
    press(&mut player, "/at⏎");
    assert_eq!(player.show.tree.selected_path(), "gameObjects.2.at");
    press(&mut player, "⏎");
    assert_eq!(player.show.tree.selected_path(), "gameObjects.10");
}

#[test]
fn changes_are_shown_in_the_tree_one_after_the_other() {
    let mut player = player_of(SMALL);
    press(&mut player, "→");
    let paths: Vec<String> = player.show.changes.iter().map(|change| change.path.clone()).collect();
    assert_eq!(paths.len(), 4);
    let mut seen = Vec::new();
    for _ in 0..5 {
        press(&mut player, "c");
        seen.push(player.show.tree.selected_path());
    }
    // What is gone is shown where it was.
    let shown = |path: &String| path.strip_suffix(".gone").unwrap_or(path).to_owned();
    let expected: Vec<String> = paths.iter().chain([&paths[0]]).map(shown).collect();
    assert_eq!(seen, expected);
    press(&mut player, "⇥↓⏎");
    assert_eq!(player.show.focus, Focus::Tree);
}

#[test]
fn keys_are_searched_from_the_selection_on_and_around() {
    let mut player = player_of(SMALL);
    press(&mut player, "/ID⏎");
    assert_eq!(player.show.tree.selected_path(), "gameObjects.2.id");
    press(&mut player, "n");
    assert_eq!(player.show.tree.selected_path(), "gameObjects.10.id");
    press(&mut player, "n");
    assert_eq!(player.show.tree.selected_path(), "gameObjects.2.id");
    press(&mut player, "/nowhere⏎");
    assert_eq!(player.message.as_deref(), Some("no key has nowhere in it"));
}

#[test]
fn moments_are_found_by_number_and_by_turn() {
    let mut player = sample_player();
    press(&mut player, "g57⏎");
    assert_eq!(player.moment(), 57);
    press(&mut player, "t3⏎");
    assert_eq!(player.show.timeline.turns().first_delta(3), Some(player.moment()));
    press(&mut player, "t999⏎");
    assert!(player.message.as_deref().unwrap().starts_with("there is no turn 999"));
    press(&mut player, "g120⏎");
    assert_eq!(player.message.as_deref(), Some("there are 120 deltas, the first is 0"));
    assert_eq!(player.show.find(When::End), Ok(119));
    assert_eq!(player.show.find(When::Turn(3)), player.show.find_clock("3"));
}

#[test]
fn every_state_is_that_of_playing_from_the_start() {
    let mut player = sample_player();
    let text = sample::log(120, 1);
    let mut linear = Timeline::load(
        Log::open(&text, &Options::default()).unwrap(),
        &Options::default().with_keyframe_bytes(0),
    )
    .unwrap();
    for moment in (0..120).chain((0..120).rev()).chain([7, 99, 3, 50]) {
        player.show.go(moment, 0).unwrap();
        linear.seek(moment + 1).unwrap();
        assert_eq!(player.show.timeline.state().hash(), linear.state().hash());
    }
}

#[test]
fn a_log_without_deltas_and_a_tiny_screen_are_no_problem() {
    let mut player = player_of(br#"{"deltas":[]}"#);
    press(&mut player, "→← c⏎↓⇥⏎n");
    Screen::of(&mut player, 80, 10).assert_has(&["no deltas"]);
    let mut player = sample_player();
    for (width, height) in [(1, 1), (3, 2), (9, 4), (30, 8), (200, 3)] {
        Screen::of(&mut player, width, height);
    }
}
