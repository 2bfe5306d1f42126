//! Logs that ask for too much or break the rules: each gets a clear error or a defined result.

#![allow(clippy::unwrap_used)]

use gametape_cadre::{
    Game, Live, LiveEvent, Log, Markers, Options, Summary, Timeline, limits, rules, verify,
};
use gametape_wire::{Error, ErrorClass, ErrorKind, Place, Tick};

/// The state after these bodies, or the first error.
fn merged(games: &[&str]) -> Result<String, Error> {
    let mut timeline = Timeline::empty(Markers::default()).unwrap();
    for game in games {
        timeline.push_game(game.as_bytes())?;
    }
    Ok(String::from_utf8(timeline.state().canonical()).unwrap())
}

/// The error must be of this class and name this place.
fn assert_refused(games: &[&str], class: ErrorClass, path: &str) {
    let error = merged(games).unwrap_err();
    assert_eq!(error.class(), class, "{error}");
    assert_eq!(*error.place(), Place::Path(path.to_owned()), "{error}");
}

fn open(text: &str) -> Result<Log, Error> {
    Log::open(text.as_bytes(), &Options::default())
}

const LIST: &str = r#"{"a":{"0":{"b":{"&LEN":0}},"&LEN":1}}"#;

#[test]
fn lengths_must_be_plain_small_numbers() {
    for bad in ["-1", "1.5", "1e2", "null", "\"2\"", "true", "{}", "[]", "-0"] {
        let game = format!(r#"{{"a":{{"0":{{"b":{{"&LEN":{bad}}}}}}}}}"#);
        assert_refused(&[LIST, &game], ErrorClass::Malformed, "deltas[1].game.a.0.b");
    }
    for huge in ["1000002", "4294967296", "99999999999999999999999999"] {
        let game = format!(r#"{{"a":{{"0":{{"b":{{"&LEN":{huge}}}}}}}}}"#);
        assert_refused(&[LIST, &game], ErrorClass::Limit, "deltas[1].game.a.0.b");
    }
    assert_eq!(merged(&[r#"{"a":{"&LEN":1000001}}"#]).unwrap(), r#"{"a":[]}"#);
}

#[test]
fn a_bad_length_is_refused_wherever_it_stands() {
    assert_refused(&[r#"{"a":{"0":1,"&LEN":-1}}"#], ErrorClass::Malformed, "deltas[0].game.a");
    assert_refused(&[r#"{"&LEN":-1}"#], ErrorClass::Malformed, "deltas[0].game");
    assert_eq!(merged(&[r#"{"&LEN":3,"a":1}"#]).unwrap(), r#"{"a":1}"#);
}

#[test]
fn indices_over_the_limit_are_refused_on_lists_only() {
    for index in ["1000001", "4294967295", "99999999999999999999"] {
        let game = format!(r#"{{"a":{{"{index}":1}}}}"#);
        assert_refused(&[LIST, &game], ErrorClass::Limit, "deltas[1].game.a");
        let new = format!(r#"{{"n":{{"{index}":1,"&LEN":1}}}}"#);
        assert_refused(&[&new], ErrorClass::Limit, "deltas[0].game");
        assert_eq!(merged(&[&game]).unwrap(), game);
    }
    let most = merged(&[r#"{"a":{"1000000":1,"&LEN":1}}"#]).unwrap();
    assert_eq!(most.matches("null").count(), 1_000_000);
}

#[test]
fn holes_are_limited_over_the_whole_log() {
    let mut timeline = Timeline::empty(Markers::default()).unwrap();
    let mut refused = None;
    for _ in 0..100 {
        timeline.push_game(br#"{"a":{"&LEN":0}}"#).unwrap();
        refused = timeline.push_game(br#"{"a":{"1000000":1}}"#).err();
        if refused.is_some() {
            break;
        }
    }
    let error = refused.unwrap();
    assert_eq!((error.class(), error.item()), (ErrorClass::Limit, limits::HOLES.name));
    assert_eq!(timeline.state().canonical(), br#"{"a":[]}"#);
}

#[test]
fn many_long_lists_run_into_the_size_of_a_state() {
    let lists: Vec<String> =
        (0..40).map(|i| format!(r#""l{i}":{{"999999":1,"&LEN":1}}"#)).collect();
    let error = merged(&[&format!("{{{}}}", lists.join(","))]).unwrap_err();
    assert_eq!((error.class(), error.item()), (ErrorClass::Limit, limits::STATE_SLOTS.name));
}

#[test]
fn nesting_of_game_is_limited_and_of_data_is_not() {
    let deep = |levels: usize| format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
    assert_eq!(merged(&[&deep(1_000)]).unwrap(), deep(1_000));
    let error = merged(&[&deep(1_001)]).unwrap_err();
    assert_eq!((error.class(), error.item()), (ErrorClass::Limit, limits::GAME_DEPTH.name));
    let Place::Path(path) = error.place() else { unreachable!("{error}") };
    assert_eq!(path, "deltas[0].game.a.a.a.a.a.a.a.a.….a.a.a.a.a.a.a.a");
    assert_eq!(merged(&[&deep(100_000)]).unwrap_err().class(), ErrorClass::Limit);

    let data = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let text = format!(r#"{{"deltas":[{{"type":"ran","data":{data},"game":{{"x":1}}}}]}}"#);
    let log = open(&text).unwrap();
    assert_eq!(log.delta(0).unwrap().data().unwrap().as_bytes(), data.as_bytes());
    assert_eq!(log.to_json(), text.as_bytes());
    assert_eq!(verify(&log, 9).unwrap().report.errors(), 0);
    let timeline = Timeline::load(log, &Options::default()).unwrap();
    assert_eq!(timeline.state().canonical(), br#"{"x":1}"#);
}

#[test]
fn a_deep_state_can_be_stepped_and_compared() {
    let deep = format!("{}1{}", r#"{"a":"#.repeat(1_000), "}".repeat(1_000));
    let mut timeline = Timeline::empty(Markers::default()).unwrap();
    let before = timeline.snapshot();
    timeline.push_game(deep.as_bytes()).unwrap();
    let deltas =
        gametape_cadre::diff(timeline.view(&before), timeline.state(), &Markers::default());
    assert_eq!(deltas.unwrap(), [deep.as_bytes()]);
    timeline.step_back().unwrap();
    assert_eq!(timeline.state().canonical(), b"{}");
}

#[test]
fn a_gzip_bomb_stops_at_the_limit() {
    let log = open(r#"{"deltas":[]}"#).unwrap();
    let mut bomb = Log::new(Markers::default(), &Options::default());
    bomb.set_field("zeros", format!("\"{}\"", "0".repeat(50 << 20)).as_bytes()).unwrap();
    let packed = bomb.to_gzip(9).unwrap();
    assert!(packed.len() < 100_000);
    let options = Options::default().with_max_bytes(1 << 20);
    let error = Log::open(&packed, &options).unwrap_err();
    let expected = ErrorKind::OverLimit { value: (1 << 20) + 1, limit: 1 << 20 };
    assert_eq!(*error.kind(), expected);
    assert_eq!(Summary::read(&packed, &options).unwrap_err().class(), ErrorClass::Limit);
    assert_eq!(Log::read(&packed[..], &options).unwrap_err().class(), ErrorClass::Limit);
    let plain = Log::open(log.to_json(), &options.with_max_bytes(5));
    assert_eq!(plain.unwrap_err().class(), ErrorClass::Limit);
}

#[test]
fn damaged_gzip_is_named_so() {
    let packed = open(r#"{"deltas":[]}"#).unwrap().to_gzip(6).unwrap();
    let cut = Log::open(&packed[..packed.len() - 3], &Options::default()).unwrap_err();
    assert_eq!((cut.class(), cut.item()), (ErrorClass::Truncated, "gzip"));
    let mut flipped = packed.clone();
    let checksum = flipped.len() - 8;
    flipped[checksum] ^= 1;
    let error = Log::open(&flipped, &Options::default()).unwrap_err();
    assert_eq!((error.class(), error.item()), (ErrorClass::Integrity, "gzip"));
    let mut broken = packed.clone();
    broken[10] = 0x07;
    let error = Log::open(&broken, &Options::default()).unwrap_err();
    assert_eq!((error.class(), error.item()), (ErrorClass::Malformed, "gzip"));
    let mut trailed = packed.clone();
    trailed.extend_from_slice(b"garbage");
    assert!(Log::open(&trailed, &Options::default()).is_err());
    let twice = [&packed[..packed.len()], &open(r#"{"deltas":[]}"#).unwrap().to_gzip(6).unwrap()];
    let error = Log::open(twice.concat(), &Options::default()).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Trailing { extra: 13 });
}

#[test]
fn a_log_in_several_gzip_members_is_one_log() {
    let text = r#"{"gameName":"two","deltas":[]}"#.as_bytes();
    let member = |part: &[u8]| {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(part).unwrap();
        encoder.finish().unwrap()
    };
    let packed = [member(&text[..9]), member(&text[9..])].concat();
    let log = Log::open(packed, &Options::default()).unwrap();
    assert_eq!(log.to_json(), text);
}

#[test]
fn equal_keys_count_once_and_the_last_wins() {
    for (games, expected) in [
        (vec![r#"{"a":1,"a":2}"#], r#"{"a":2}"#),
        (vec![r#"{"a":{"x":1},"a":{"y":2}}"#], r#"{"a":{"y":2}}"#),
        (vec![r#"{"a":{"z":0}}"#, r#"{"a":5,"a":{"y":1}}"#], r#"{"a":{"y":1,"z":0}}"#),
        (vec![r#"{"a":1}"#, r#"{"a":"&RM","\u0061":2}"#], r#"{"a":2}"#),
        (vec![r#"{"a":{"0":1,"&LEN":1}}"#, r#"{"a":{"&LEN":0,"&LEN":1}}"#], r#"{"a":[1]}"#),
        (vec![r#"{"a":{"2":1,"1":2,"2":3,"&LEN":3}}"#], r#"{"a":[null,2,3]}"#),
        (vec![r#"{"a":{"x":{"a":1}},"b":{"a":2},"a":3}"#], r#"{"a":3,"b":{"a":2}}"#),
    ] {
        assert_eq!(merged(&games).unwrap(), expected, "{games:?}");
    }
}

#[test]
fn a_length_cuts_first_wherever_it_stands() {
    for (games, expected) in [
        (
            vec![
                r#"{"a":{"0":{"0":1,"&LEN":1},"1":{"0":2,"&LEN":1},"&LEN":2}}"#,
                r#"{"a":{"1":{"0":5},"&LEN":1}}"#,
            ],
            r#"{"a":[[1],{"0":5}]}"#,
        ),
        (
            vec![r#"{"a":{"0":1,"1":2,"2":3,"&LEN":3}}"#, r#"{"a":{"2":9,"&LEN":0}}"#],
            r#"{"a":[null,null,9]}"#,
        ),
        (vec![r#"{"a":{"0":1,"1":2,"&LEN":2}}"#, r#"{"a":{"&LEN":0,"0":9}}"#], r#"{"a":[9]}"#),
    ] {
        assert_eq!(merged(&games).unwrap(), expected, "{games:?}");
    }
}

#[test]
fn wrong_types_are_named_with_their_place() {
    let place = |text: &str| open(text).unwrap_err().place().clone();
    assert_eq!(place(r#"{"deltas":{}}"#), Place::Path("deltas".into()));
    assert_eq!(place(r#"{"gameName":"x"}"#), Place::Nowhere);
    assert_eq!(place(r#"{"deltas":[],"deltas":[]}"#), Place::Path("deltas".into()));
    assert_eq!(place("[]"), Place::Byte(0));
    assert_eq!(place(r#"{"deltas":[]} x"#), Place::Byte(14));
    assert_eq!(
        place(r#"{"deltas":[],"constants":{"DELTA_REMOVED":1}}"#),
        Place::Path("constants.DELTA_REMOVED".into())
    );
    let error = open(r#"{"deltas":[{},7]}"#).unwrap_err();
    assert_eq!((error.item(), error.offset()), ("deltas[1]: JSON", Some(14)));
    for bad in ["1", "\"x\"", "true"] {
        assert_refused(&[bad], ErrorClass::Malformed, "deltas[0].game");
    }
    assert_eq!(merged(&["null", "[7]"]).unwrap(), r#"{"0":7}"#);
    let log = open(r#"{"deltas":[{"type":5,"game":null,"data":null}]}"#).unwrap();
    assert_eq!(log.delta(0).unwrap().kind(), "");
    assert!(log.delta(0).unwrap().data().is_some());
}

#[test]
fn broken_json_in_a_body_names_the_byte_and_the_delta() {
    let text = r#"{"deltas":[{"game":{"a":1}},{"game":{"a":[1}}},{"game":{"b":2}}]}"#;
    let log = open(text).unwrap();
    let error = Timeline::load(log.clone(), &Options::default()).unwrap_err();
    assert_eq!(error.item(), "deltas[1].game: JSON");
    assert_eq!(error.offset(), Some(43));
    let verdict = verify(&log, 9).unwrap();
    assert_eq!(verdict.report.errors(), 1);
    assert!(
        verdict
            .report
            .findings()
            .iter()
            .any(|f| f.tick == Some(Tick(1)) && f.rule == rules::BAD_DELTA)
    );
    assert_eq!(verdict.counts["bad delta"], 1);
}

#[test]
fn text_that_is_not_utf8_is_refused() {
    let error = Log::open(b"{\"deltas\":[],\"x\":\"\xFF\"}", &Options::default()).unwrap_err();
    assert_eq!((error.class(), error.offset()), (ErrorClass::Malformed, Some(18)));
}

#[test]
fn a_failed_delta_leaves_the_state_and_the_log_alone() {
    let mut timeline = Timeline::empty(Markers::default()).unwrap();
    timeline.push_game(LIST.as_bytes()).unwrap();
    let before = timeline.state().canonical();
    let bad = r#"{"a":{"0":{"b":{"0":1,"&LEN":1},"c":2},"5":1,"&LEN":6},"z":{"&LEN":-1}}"#;
    assert!(timeline.push_game(bad.as_bytes()).is_err());
    assert_eq!(timeline.state().canonical(), before);
    assert_eq!((timeline.len(), timeline.position()), (1, 1));
    timeline.push_game(br#"{"z":1}"#).unwrap();
    assert!(timeline.step_back().unwrap());
    assert_eq!(timeline.state().canonical(), before);
}

#[test]
fn odd_markers_are_followed() {
    let text = r#"{"deltas":[{"game":{"a":{"0":1,"id":2}}},{"game":{"a":{"0":"0"},"b":"&RM"}}],"constants":{"DELTA_REMOVED":"0","DELTA_LIST_LENGTH":"id"}}"#;
    let timeline = Timeline::load(open(text).unwrap(), &Options::default()).unwrap();
    assert_eq!(timeline.state().canonical(), br#"{"a":[null],"b":"&RM"}"#);
    let error = gametape_cadre::diff(
        Timeline::empty(Markers::default()).unwrap().state(),
        timeline.state(),
        &Markers::default(),
    )
    .unwrap_err();
    assert_eq!(
        (error.class(), error.place().clone()),
        (ErrorClass::Misuse, Place::Path("b".into()))
    );
}

#[test]
fn lists_of_references_are_the_same_however_they_are_written() {
    let ids = ["7", "12", "x", "0123456", "01234567", "longer than a word", "", "&RM", "&", "é"];
    let ids = ids.into_iter().chain([r"\u0041", r#"a\"b"#, r"\\"]);
    let entry = |(index, id): (usize, &str)| format!(r#""{index}":{{"id":"{id}"}},"#);
    let some: String = ids.clone().enumerate().map(entry).collect();
    let many: String = ids.cycle().take(1200).enumerate().map(entry).collect();
    for list in [some, many] {
        let games = [
            format!(r#"{{"a":{{{list}"&LEN":1200}},"b":{{{list}"x":1}},"c":[[1],2]}}"#),
            format!(r#"{{"a":{{{list}"2000":1}},"b":{{{list}"&LEN":3}},"c":{{{list}"9":"&RM"}}}}"#),
            format!(r#"{{"a":{{"1":{{"id":"1","more":2}},"&LEN":2}},"b":{{{list}"0":0}}}}"#),
            format!(r#"{{"a":{{{list}"&LEN":5}}}}"#),
        ];
        let spaced = games.each_ref().map(|game| game.replace(r#":{"id""#, r#": {"id""#));
        for count in 1..=games.len() {
            let compact: Vec<&str> = games[..count].iter().map(String::as_str).collect();
            let spaced: Vec<&str> = spaced[..count].iter().map(String::as_str).collect();
            assert_eq!(merged(&compact).unwrap(), merged(&spaced).unwrap());
        }
    }
}

#[test]
fn lists_end_the_same_however_their_length_is_written() {
    let games = [
        r#"{"a":{"0":{"id":"1"},"1":{"id":"2"},"2":{"id":"3"},"&LEN":3},"b":{"&LEN":0},"c":1}"#,
        r#"{"a":{"0":{"id":"4"},"1":"&RM","2":"&RM","&LEN":1},"b":{"0":{"id":"1"},"&LEN":1},"d":2}"#,
        r#"{"a":{"0":{"0":{"id":"1"},"&LEN":1},"&LEN":1},"b":{"&LEN":0},"o":{"x":{"id":"1"}}}"#,
        r#"{"a":{"0":{"0":{"id":"5"},"1":{"id":"6"},"&LEN":2},"&LEN":1},"o":{"&LEN":0}}"#,
        r#"{"a":{"&LEN":3,"0":{"0":{"id":"7"},"&LEN":2},"1":{"id":"2"}},"n":{"0":{"&LEN":0},"&LEN":1}}"#,
        r#"{"a":{"&LEN":0,"0":{"id":"8"},"&LEN":2},"n":{"0":{"id":"9"},"&LEN":1}}"#,
        r#"{"a":{"0":{"id":"1"},"5":{"id":"2"},"&LEN":1},"m":{"2":{"id":"1"},"&LEN":4}}"#,
        r#"{"m":{"0":{"id":"1"},"&LEN":2,"1":{"id":"2"}},"a":{"0":{"id":"1"},"&LEN":1}}"#,
        r#"{"m":{"&LEN":000}}"#,
        r#"{"m":{"&LEN":1.0}}"#,
        r#"{"m":{"&LEN":9999999}}"#,
        r#"{"m":{"&LEN":1"#,
        r#"{"m":{"&LEN":1]}"#,
    ];
    let refused = games.len() - 5;
    for first in 0..games.len() {
        for last in first..games.len() {
            let mut chosen = games[first..=last.min(refused - 1).max(first)].to_vec();
            chosen.push(games[last]);
            let spaced: Vec<String> =
                chosen.iter().map(|game| game.replace(r#""&LEN":"#, r#""&LEN": "#)).collect();
            let spaced: Vec<&str> = spaced.iter().map(String::as_str).collect();
            let (compact, spaced) = (merged(&chosen), merged(&spaced));
            assert_eq!(compact.is_err(), last >= refused, "{chosen:?}");
            assert_eq!(compact.ok(), spaced.ok(), "{chosen:?}");
        }
    }
}

#[test]
fn an_index_may_be_the_length_marker() {
    let text =
        r#"{"deltas":[{"game":{"a":{"0":{"id":"1"}}}}],"constants":{"DELTA_LIST_LENGTH":"0"}}"#;
    assert!(Timeline::load(open(text).unwrap(), &Options::default()).is_err());
    let text = text.replace(r#"{"id":"1"}"#, r#"2,"1":{"id":"1"}"#);
    let timeline = Timeline::load(open(&text).unwrap(), &Options::default()).unwrap();
    assert_eq!(timeline.state().canonical(), br#"{"a":[null,{"id":"1"}]}"#);
}

#[test]
fn broken_lists_of_references_are_refused() {
    for list in [
        r#"["0":{"id":"1"}]"#,
        r#"{"0":{"id":"1"}"1":{"id":"2"}}"#,
        r#"{"0":{"id":"1"};"1":{"id":"2"}}"#,
        r#"{,"0":{"id":"1"}}"#,
        r#"{"0":{"id":"1"},}"#,
        r#"{"0":{"id":"1"}"#,
        r#"{"0":{"id":"1]"#,
        "{\"0\":{\"id\":\"1\n\"}}",
    ] {
        // With room after it, and without.
        for after in ["", " ", "                                "] {
            let text = format!(r#"{{"deltas":[{{"game":{{"a":{list}}}{after}}}]}}"#);
            let load = |log| Timeline::load(log, &Options::default());
            assert!(open(&text).and_then(load).is_err(), "{text}");
        }
    }
}

#[test]
fn positions_after_the_end_are_refused() {
    let mut timeline = Timeline::empty(Markers::default()).unwrap();
    assert_eq!(timeline.seek(1).unwrap_err().class(), ErrorClass::Misuse);
    assert!(!timeline.step().unwrap());
}

#[test]
fn a_bad_live_message_does_not_lose_the_next() {
    let message = |x: u32| format!(r#"{{"event":"meta-delta","data":{{"game":{{"x":{x}}}}}}}"#);
    let stream = format!("{}\x04{{broken\x04\x04{}\x04{}", message(1), message(2), message(3));
    let mut live = Live::new(&Options::default()).unwrap();
    assert_eq!(live.receive(stream.as_bytes()).unwrap_err().class(), ErrorClass::Malformed);
    assert_eq!(live.timeline().state().canonical(), br#"{"x":1}"#);
    assert_eq!(live.receive(b"").unwrap(), [LiveEvent::Delta(1)]);
    assert_eq!(live.receive(b"\x04").unwrap(), [LiveEvent::Delta(2)]);
    assert_eq!(live.timeline().state().canonical(), br#"{"x":3}"#);
    let options = Options::default().with_max_bytes(100);
    let mut small = Live::new(&options).unwrap();
    assert_eq!(small.receive(&[b' '; 101]).unwrap_err().class(), ErrorClass::Limit);
}

/// A file of the hostile corpus; none, with the reason printed, where there is no corpus.
fn hostile(name: &str) -> Option<Vec<u8>> {
    let Some(corpus) = std::env::var_os("GAMETAPE_CORPUS") else {
        println!("skipped: GAMETAPE_CORPUS is not set");
        return None;
    };
    let path = std::path::PathBuf::from(corpus).join("hostile").join(name);
    Some(std::fs::read(path).unwrap())
}

#[test]
fn a_log_that_is_mostly_data_has_a_summary_in_less_memory_than_it_has_data() {
    let mut large = Log::new(Markers::default(), &Options::default());
    let data = "x".repeat(6 << 20);
    for turn in 0..2 {
        let delta = format!(r#"{{"type":"ran","data":["{data}"],"game":{{"turn":{turn}}}}}"#);
        large.push(delta.as_bytes()).unwrap();
    }
    let packed = large.to_gzip(1).unwrap();
    let small = Options::default().with_max_memory(2 << 20);
    for summary in [Summary::read(&packed, &small), Summary::from_reader(&packed[..], &small)] {
        let summary = summary.unwrap();
        assert_eq!((summary.delta_count(), summary.json_bytes()), (2, large.to_json().len()));
    }
    assert_eq!(Log::open(&packed, &small).unwrap_err().class(), ErrorClass::Limit);
    assert_eq!(Log::read(&packed[..], &small).unwrap_err().class(), ErrorClass::Limit);
}

#[test]
fn lists_that_grow_and_shrink_without_end_are_refused_at_a_limit() {
    let Some(packed) = hostile("lr50k.json.gz") else { return };
    let log = Log::open(&packed, &Options::default()).unwrap();
    let verdict = verify(&log, 3).unwrap();
    let made = limits::HOLES.max / 1_000_000;
    assert_eq!(verdict.counts[rules::BAD_DELTA], log.len() as u64 - made);
    assert_eq!(verdict.report.errors(), log.len() as u64 - made);
    let bad = verdict.report.findings().iter().filter(|f| f.rule == rules::BAD_DELTA);
    assert_eq!(bad.count(), 3);
}

#[test]
fn references_are_expanded_up_to_a_limit() {
    let Some(packed) = hostile("saloon.json.gz") else { return };
    let log = Log::open(&packed, &Options::default()).unwrap();
    let mut timeline = Timeline::load(log, &Options::default()).unwrap();
    timeline.seek(timeline.turns().first_delta(3).unwrap() + 1).unwrap();
    let root = timeline.state().root();
    let error = root.expanded(6).unwrap_err();
    assert_eq!((error.class(), error.item()), (ErrorClass::Limit, limits::EXPANDED.name));
    assert!(root.expanded(1).unwrap().len() > root.canonical().len());
}

#[test]
fn refused_deltas_cost_no_more_than_a_limit() {
    // Each makes a block of a million slots, and is then refused.
    let grow = r#"{"game":{"l":{"999999":1,"&LEN":1},"n":{"a":{"999999":1,"&LEN":1},"&LEN":-1}}}"#;
    let mut text = String::from(r#"{"deltas":[{"game":{"l":{"&LEN":0}}}"#);
    (0..1_000).for_each(|_| {
        text.push(',');
        text.push_str(grow);
    });
    text.push_str("]}");
    let log = open(&text).unwrap();
    let verdict = verify(&log, 1_000).unwrap();
    assert_eq!(verdict.counts[rules::BAD_DELTA], 1_000);
    let is_limit = |f: &&gametape_wire::Finding| f.error.item().ends_with(limits::HOLES.name);
    assert!(verdict.report.findings().iter().filter(is_limit).count() > 900);
}

#[test]
fn keys_of_any_size_are_limited_and_shown_short() {
    let long = "k".repeat(100_000);
    let removals: Vec<String> =
        (0..50).map(|i| format!(r#"{{"game":{{"{i}{long}":"&RM"}}}}"#)).collect();
    let log = open(&format!(r#"{{"deltas":[{}]}}"#, removals.join(","))).unwrap();
    let verdict = verify(&log, 100).unwrap();
    assert_eq!(verdict.counts[rules::STRAY_REMOVAL], 50);
    assert!(verdict.report.findings().iter().all(|f| f.to_string().len() < 1_000));
    let small = Options::default().with_max_memory(8 << 20).with_max_bytes(8 << 20);
    let log = Log::open(log.to_json(), &small).unwrap();
    let error = Timeline::load(log, &small).unwrap_err();
    assert_eq!((error.class(), error.item()), (ErrorClass::Limit, "memory for keys"));
}

#[test]
fn a_key_a_hundred_thousand_times_is_skipped_without_recursion() {
    let twice = format!(r#"{{{}"x":2}}"#, r#""x":1,"#.repeat(200_000));
    assert_eq!(merged(&[&twice]).unwrap(), r#"{"x":2}"#);
}

#[test]
fn a_delta_with_a_key_twice_is_planned_within_a_limit() {
    let keys: Vec<String> = (0..500_000).map(|i| format!(r#""{i}":1"#)).collect();
    let game = format!(r#"{{"x":1,"x":2,"data":{{{}}}}}"#, keys.join(","));
    let error = merged(&[&game]).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Limit);
    assert!(error.item().ends_with(limits::REPEATED_KEYS.name), "{error}");
}

#[test]
fn references_to_many_objects_are_checked_in_one_pass() {
    let objects: Vec<String> =
        (0..20_000).rev().map(|i| format!(r#""o{i}":{{"x":{i}}}"#)).collect();
    let references: Vec<String> =
        (0..20_001).map(|i| format!(r#""{i}":{{"id":"o{i}"}}"#)).collect();
    let game = format!(
        r#"{{"gameObjects":{{{}}},"all":{{{},"&LEN":20001}}}}"#,
        objects.join(","),
        references.join(",")
    );
    let log = open(&format!(r#"{{"deltas":[{{"game":{game}}}]}}"#)).unwrap();
    let verdict = verify(&log, 10).unwrap();
    assert_eq!(verdict.counts[rules::UNKNOWN_REFERENCE], 1);
    let finding = verdict.report.findings().iter().find(|f| f.rule == rules::UNKNOWN_REFERENCE);
    let expected =
        "unknown reference: there is no game object o20000 (at deltas[0].game.all.20000)";
    assert_eq!(finding.unwrap().to_string(), expected);
}

/// Who keeps games knows what they take: at least their text and every value.
#[test]
fn the_memory_of_a_game_grows_with_its_values_and_texts() {
    let memory =
        |json: String| Game::from_json(json.as_bytes(), Markers::default()).unwrap().memory();
    let list = |values: usize| memory(format!(r#"{{"list":[{}1]}}"#, "1,".repeat(values)));
    assert!(list(10_000) - list(1000) > 9000 * 10, "{} and {}", list(10_000), list(1000));
    let text = |length: usize| memory(format!(r#"{{"text":"{}"}}"#, "x".repeat(length)));
    assert!((90_000..200_000).contains(&(text(100_000) - text(10_000))));
    // A name is in the text, and among the names.
    let names = |length: usize| {
        let name = |n| format!(r#""{n:x>length$}":1"#);
        memory(format!("{{{}}}", (0..100).map(name).collect::<Vec<_>>().join(",")))
    };
    assert!(names(300) - names(100) >= 2 * 100 * 200);
}

#[test]
fn everything_but_data_has_to_fit_into_memory() {
    let options = Options::default().with_max_memory(16 << 20);
    let fields: Vec<String> = (0..70_000).map(|i| format!(r#""f{i}":0"#)).collect();
    let many = open(&format!(r#"{{{},"deltas":[]}}"#, fields.join(","))).unwrap_err();
    assert_eq!((many.class(), many.item()), (ErrorClass::Limit, limits::ROOT_FIELDS.name));
    let deltas = Log::open(
        format!(r#"{{"deltas":[{}{{}}]}}"#, "{},".repeat(600_000)).into_bytes(),
        &options,
    );
    assert_eq!(deltas.unwrap_err().class(), ErrorClass::Limit);
}
