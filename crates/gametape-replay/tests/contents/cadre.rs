use gametape_cadre::{Log, Markers, Options, Timeline, sample};
use gametape_replay::cadre::{CadreGame, from_tape, markers_of, to_tape};
use gametape_replay::{ConvertOptions, GameState, Recording};
use gametape_tape::{Level, verify_bytes};

fn round_trip(log: &Log) -> Vec<u8> {
    let tape = to_tape(log, &ConvertOptions::new(5).with_spacing(2000)).unwrap();
    assert_eq!(verify_bytes(&tape, Level::Chain, None).unwrap().findings(), []);
    let mut recording = Recording::open(&tape[..]).unwrap();
    assert_eq!(&markers_of(&mut recording).unwrap(), log.markers());
    from_tape(&mut recording, &Options::default()).unwrap().to_json()
}

#[test]
fn fields_their_order_and_every_delta_come_back() {
    let options = Options::default();
    let logs: [&[u8]; 5] = [
        &sample::log(300, 2),
        br#"{"deltas":[]}"#,
        br#"{"z":1e21,"deltas":[{ "type" : "x" , "game":{"a":"\u0061"}},{}],"a":[ 1 ],"z":2}"#,
        br#"{"deltas":[{"game":7},{"game":{"a":nope}}],"constants":{"DELTA_REMOVED":"-","DELTA_LIST_LENGTH":"+"}}"#,
        br#"{"gameName":"\ud800","randomSeed":"x","deltas":[{"type":"start"}]}"#,
    ];
    for text in logs {
        let log = Log::open(text, &options).unwrap();
        assert_eq!(round_trip(&log), log.to_json());
    }
}

#[test]
fn every_state_of_a_game_comes_back_from_its_snapshot() {
    let options = Options::default();
    let log = Log::open(sample::log(120, 4), &options).unwrap();
    let mut timeline = Timeline::load(log.clone(), &options).unwrap();
    let mut game = CadreGame::new(log.markers().clone()).unwrap();
    for (tick, delta) in (0..).zip(log.deltas()) {
        game.apply(gametape_wire::Tick(tick), delta.raw().as_bytes()).unwrap();
        timeline.seek(tick as usize + 1).unwrap();
        let snapshot = game.snapshot(gametape_wire::Tick(tick + 1));
        assert!(snapshot.core.entities.len() > 50);
        let mut other = CadreGame::new(log.markers().clone()).unwrap();
        other.restore(&snapshot).unwrap();
        assert_eq!(other.state().hash(), timeline.state().hash());
        assert_eq!(other.snapshot(gametape_wire::Tick(tick + 1)), snapshot);
        game = other;
    }
}

#[test]
fn odd_states_have_snapshots_too() {
    let bodies = [
        r#"{}"#,
        r#"{"gameObjects":{"01":{},"0":1,"4294967296":2,"4294967295":[],"x":{"id":"0"}}}"#,
        r#"{"gameObjects":{"0":1,"&LEN":1},"*":2,".":3}"#,
        r#"{"gameObjects":{"\ud800":1,"7":2}}"#,
        r#"{"\ufffd":1,"a":{"0":{"id":"7"},"3":null,"&LEN":9}}"#,
        r#"{"gameObjects":5,"":0}"#,
    ];
    for body in bodies {
        let mut game = CadreGame::new(Markers::default()).unwrap();
        game.apply(gametape_wire::Tick(0), format!(r#"{{"game":{body}}}"#).as_bytes()).unwrap();
        let snapshot = game.snapshot(gametape_wire::Tick(1));
        let mut other = CadreGame::new(Markers::default()).unwrap();
        other.restore(&snapshot).unwrap();
        assert_eq!(other.state().canonical(), game.state().canonical(), "{body}");
        assert_eq!(other.snapshot(gametape_wire::Tick(1)), snapshot);
    }
    let mut many = String::from(r#"{"game":{"#);
    for key in 0..5000 {
        many.push_str(&format!(r#""k{key}":{key},"#));
    }
    many.push_str(r#""end":0}}"#);
    let mut game = CadreGame::new(Markers::default()).unwrap();
    game.apply(gametape_wire::Tick(0), many.as_bytes()).unwrap();
    let snapshot = game.snapshot(gametape_wire::Tick(1));
    assert_eq!(snapshot.core.sections.len(), 1);
    let mut other = CadreGame::new(Markers::default()).unwrap();
    other.restore(&snapshot).unwrap();
    assert_eq!(other.state().hash(), game.state().hash());
}

#[test]
fn the_closing_metadata_names_players_and_outcome() {
    let deltas = r#"[{"game":{"players":{"0":{"id":"4"},"1":{"id":"9"},"&LEN":2},"gameObjects":{
        "4":{"name":"Ana","won":true,"reasonWon":"more \"points\""},"9":{"name":"Ben","lost":true}}}}]"#;
    let json = format!(
        r#"{{"constants":{{"DELTA_REMOVED":"&RM","DELTA_LIST_LENGTH":"&LEN"}},"deltas":{deltas}}}"#
    );
    let log = Log::open(json.into_bytes(), &Options::default()).unwrap();
    let tape = to_tape(&log, &ConvertOptions::new(1)).unwrap();
    let tape = gametape_tape::Tape::open(&tape).unwrap();
    let expected = r#"{"players":[{"player":0,"name":"Ana"},{"player":1,"name":"Ben"}],"outcome":"Ana won: more \"points\""}"#;
    assert_eq!(tape.closing.as_deref(), Some(expected));
}
