//! Spectator streams: `spec/gamelog.md`, section 10.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::io::Write as _;

use gametape_cadre::{
    Joining, Live, LiveEvent, Log, Message, Options, Request, Seen, Spectated, Spectator, Timeline,
    sample,
};
use gametape_wire::ErrorClass;
use serde_json::Value;

/// A text of the specification: a line after `before`, of a block of text.
fn example(before: &str) -> String {
    let spec = include_str!("../../../spec/gamelog.md");
    let at = spec.find(before).unwrap_or_else(|| panic!("{before:?} is in the specification"));
    spec[at..].lines().skip_while(|line| !line.starts_with('{')).map(str::to_owned).next().unwrap()
}

fn example_stream() -> Vec<u8> {
    example("Example (`␄`").replace('␄', "\u{4}").into_bytes()
}

fn read(stream: &[u8]) -> gametape_wire::Result<Spectated> {
    Spectated::read(stream, &Options::default())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn the_example_of_the_specification_holds() {
    let (stream, expected) = (example_stream(), example("\nbecomes\n"));
    for stored in [stream.clone(), gzip(&stream), [b"\xEF\xBB\xBF\n ", &stream[..]].concat()] {
        let read = read(&stored).unwrap();
        assert_eq!(String::from_utf8(read.log.to_json()).unwrap(), expected);
        assert_eq!(read.ending.losses(), [""; 0]);
    }
}

/// The text of a real game equals that of the server's own gamelog, but for what no stream holds.
#[test]
fn a_real_stream_becomes_the_gamelog_of_its_server() {
    let Some(folder) = std::env::var_os("GAMETAPE_CORPUS").map(std::path::PathBuf::from) else {
        println!("skipped: GAMETAPE_CORPUS is not set");
        return;
    };
    let file = |name: &str| std::fs::read(folder.join("cadre").join(name)).unwrap();
    let made = read(&file("Coreminer-live3.spectator-stream.eot.gz")).unwrap();
    assert!(made.ending.losses().is_empty() && made.ending.is_over);
    let theirs = file("Coreminer-live3-2026.11.15.19.58.38.174.json.gz");
    let theirs = Log::open(&theirs, &Options::default()).unwrap();

    let mut text = String::from_utf8(theirs.to_json()).unwrap();
    for empty in theirs.deltas().filter(|delta| delta.game().unwrap().as_bytes() == b"{}") {
        let delta = std::str::from_utf8(empty.raw().as_bytes()).unwrap().to_owned() + ",";
        text = text.replacen(&delta, "", 1);
    }
    text.truncate(text.find(",\"settings\":").unwrap());
    text = text.replace(",\"disconnected\":false,\"timedOut\":false", "") + "}";
    assert!(made.log.to_json() == text.as_bytes(), "they differ in more than what is left out");

    let ours: Value = serde_json::from_slice(&made.log.to_json()).unwrap();
    let theirs: Value = serde_json::from_slice(&theirs.to_json()).unwrap();
    let missing = theirs.as_object().unwrap().keys().filter(|key| ours.get(key).is_none());
    assert_eq!(missing.collect::<Vec<_>>(), ["settings"]);
}

#[test]
fn a_stream_that_is_cut_gives_what_is_whole() {
    let stream = example_stream();
    let whole = read(&stream).unwrap().log.to_json();
    for end in 1..stream.len() {
        let cut = read(&stream[..end]).unwrap();
        let ends = stream[..end].iter().enumerate().filter(|(_, byte)| **byte == 4);
        let after = ends.map(|(at, _)| at + 1).next_back().unwrap_or(0);
        assert_eq!(cut.ending.cut_bytes, end - after);
        let deltas = stream[..after].split(|byte| *byte == 4);
        let is_delta = |message: &&[u8]| message.starts_with(b"{\"event\":\"meta-delta\"");
        assert_eq!(cut.log.len(), deltas.filter(is_delta).count());
        assert!(cut.ending.losses().last().unwrap().contains("before the game is over"));
        assert_ne!(cut.log.to_json(), whole);
        assert!(Timeline::load(cut.log, &Options::default()).is_ok());
    }
    let packed = gzip(&stream);
    for end in 12..packed.len() {
        match read(&packed[..end]) {
            Ok(cut) => assert!(cut.ending.is_gzip_cut, "{end}"),
            // Nothing of the text is there: not even its first byte.
            Err(error) => assert_eq!(error.class(), ErrorClass::Truncated, "{end}: {error}"),
        }
    }
    let mut damaged = packed.clone();
    let crc = damaged.len() - 8;
    damaged[crc] ^= 1;
    assert_eq!(read(&damaged).unwrap_err().class(), ErrorClass::Malformed);
}

#[test]
fn what_is_wrong_is_named_with_its_message() {
    let good = "{\"event\":\"named\",\"data\":\"X\"}\u{4} \u{4}";
    let delta =
        |game: &str| format!("{{\"event\":\"meta-delta\",\"data\":{{\"game\":{game}}}}}\u{4}");
    let cases = [
        ("x\u{4}".to_owned(), "message 1: JSON", "at byte 31"),
        ("{\"data\":1}\u{4}".to_owned(), "message 1: event", "at byte 31"),
        ("{\"event\":7}\u{4}".to_owned(), "a message must have an event", "at byte 31"),
        ("[]\u{4}".to_owned(), "a message must have an event", "at byte 31"),
        (delta("7"), "message 1: ", "game"),
        (delta("{\"a\":{\"&LEN\":-1}}"), "message 1: ", "deltas[0].game.a"),
        (delta("{\"a\":{\"1000001\":1,\"&LEN\":1}}"), "over the limit", "deltas[0].game"),
        (delta("{}}"), "message 1: ", "at byte 31"),
        (
            delta("{}")
                + "{\"event\":\"lobbied\",\"data\":{\"constants\":{\"DELTA_REMOVED\":\"x\"}}}\u{4}",
            "message 2: lobbied: the markers cannot change",
            "byte",
        ),
        (
            "{\"event\":\"lobbied\",\"data\":{\"constants\":{\"DELTA_REMOVED\":3}}}\u{4}"
                .to_owned(),
            "message 1",
            "",
        ),
    ];
    for (bad, what, place) in cases {
        let error = read((good.to_owned() + &bad).as_bytes()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(what) && text.contains(place), "{bad:?}: {text}");
        assert_ne!(error.class(), ErrorClass::Misuse, "{text}");
    }
    assert!(read(b"").is_err() && read(b"\x04").is_err() && read(b"[1]\x04").is_err());
}

#[test]
fn a_stream_takes_no_more_memory_than_it_may() {
    let options = Options::default().with_max_bytes(10_000);
    let long = [b"{\"event\":\"x\",\"data\":\"".to_vec(), vec![b'x'; 20_000]].concat();
    let error = Spectated::read(&long[..], &options).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Limit, "{error}");
    // All messages together may be longer, where what is kept of them is not.
    let chatter = b"{\"event\":\"chat\",\"data\":\"what do you say?\"}\x04".repeat(1_000);
    assert!(Spectated::read(&chatter[..], &options).unwrap().log.is_empty());
    let deltas = b"{\"event\":\"meta-delta\",\"data\":{\"game\":{\"x\":1}}}\x04".repeat(1_000);
    assert_eq!(Spectated::read(&deltas[..], &options).unwrap_err().class(), ErrorClass::Limit);
}

#[test]
fn a_server_that_ends_the_connection_is_quoted() {
    let stream =
        b"{\"event\":\"fatal\",\"data\":{\"message\":\"Room 2 is full!\",\"timedOut\":false}}\x04";
    let losses = read(stream).unwrap().ending.losses();
    assert_eq!(losses[0], "the server ended the connection: Room 2 is full!");
    let mut live = Live::new(&Options::default()).unwrap();
    let events = live.receive(&[stream, &b"{\"event\":\"fatal\"}\x04"[..]].concat()).unwrap();
    let fatal = |why: &str| LiveEvent::Fatal(why.to_owned());
    assert_eq!(events, [fatal("Room 2 is full!"), fatal("")]);
}

/// Any gamelog sent as a stream comes back, but for what no stream holds.
#[test]
fn a_log_that_is_sent_comes_back() {
    let log = Log::open(sample::log(80, 5), &Options::default()).unwrap();
    let mut stream = Vec::new();
    for delta in log.deltas() {
        stream.extend_from_slice(b"{\"data\":");
        stream.extend_from_slice(delta.raw().as_bytes());
        stream.extend_from_slice(b",\"event\":\"meta-delta\"}\x04");
    }
    let made = read(&stream).unwrap();
    assert!(
        made.log
            .deltas()
            .map(|d| d.raw().as_bytes().to_vec())
            .eq(log.deltas().map(|d| d.raw().as_bytes().to_vec()))
    );
    let winners = |log: &Log| -> Vec<_> {
        let winners = log.header().winners();
        winners.iter().map(|c| (c.id().map(std::borrow::Cow::into_owned), c.index())).collect()
    };
    assert!(!winners(&log).is_empty());
    assert_eq!(winners(&made.log), winners(&log));
}

#[test]
fn joining_follows_the_table_of_the_specification() {
    let message = |text: &'static str| Message::parse(text.as_bytes()).unwrap();
    let named = message(r#"{"event":"named","data":"Coreminer"}"#);
    let lobbied = message(r#"{"event":"lobbied","data":{}}"#);
    let fatal = message(r#"{"event":"fatal","data":{"message":"no"}}"#);

    let (mut joining, hello) = Joining::begin(Request::new("core\"\u{4}", "*"));
    assert_eq!(hello, b"{\"event\":\"alias\",\"data\":\"core\\\"\\u0004\"}\x04");
    assert_eq!(joining.answer(&message(r#"{"event":"chat"}"#)), Ok(None));
    let play = joining.answer(&named).unwrap().unwrap();
    let (end, play) = play.split_last().unwrap();
    let play: Value = serde_json::from_slice(play).unwrap();
    let expected = serde_json::json!({"event": "play", "data": {
        "gameName": "Coreminer", "requestedSession": "*", "clientType": "gametape",
        "playerName": "gametape", "spectating": true, "metaDeltas": true}});
    assert_eq!((*end, play), (4, expected));
    assert_eq!(joining.answer(&named), Ok(None), "asked once");
    assert!(!joining.is_in());
    assert_eq!(joining.answer(&lobbied), Ok(None));
    assert!(joining.is_in());
    assert_eq!(joining.answer(&fatal), Ok(None), "the game that was seen is kept");

    let (mut refused, _) = Joining::begin(Request::new("x", "1"));
    assert!(refused.answer(&fatal).unwrap_err().to_string().contains("it refuses: no"));
    let (mut early, _) = Joining::begin(Request::new("x", "1"));
    assert_eq!(early.answer(&lobbied), Ok(None));
    assert_eq!(early.answer(&named), Ok(None), "it is in already");
}

/// A spectator's session, in pieces of any size, ends with the log that the same bytes as a stream give.
#[test]
fn a_session_ends_with_the_log_of_its_stream() {
    let stream = example_stream();
    let expected = read(&stream).unwrap();
    for size in [1, 7, 100, stream.len()] {
        let (mut spectator, _) = Spectator::begin(Request::new("move", "2"), &Options::default());
        let (mut timeline, mut sent) = (None::<Timeline>, 0);
        for piece in stream.chunks(size) {
            spectator.receive(piece, 0).unwrap();
            while let Some(seen) = spectator.next_seen().unwrap() {
                match (seen, &mut timeline) {
                    (Seen::Send(_), _) => sent += 1,
                    (Seen::Begin(log), None) => {
                        timeline = Some(Timeline::load(*log, &Options::default()).unwrap());
                    }
                    (Seen::Delta(delta), Some(timeline)) => timeline.push(&delta).unwrap(),
                    (seen, _) => panic!("{seen:?} comes in the wrong place"),
                }
            }
        }
        assert!(spectator.is_over() && spectator.is_in());
        assert_eq!((sent, spectator.ending()), (1, expected.ending.clone()));
        let log = spectator.ending().copy(&timeline.unwrap()).unwrap();
        assert_eq!(log.to_json(), expected.log.to_json());
    }
    let (mut spectator, _) = Spectator::begin(Request::new("x", "*"), &Options::default());
    let delta = "{\"event\":\"meta-delta\",\"data\":{\"game\":{}}}\u{4}";
    let lobby = "{\"event\":\"lobbied\",\"data\":{\"constants\":{\"DELTA_REMOVED\":\"x\"}}}\u{4}";
    spectator.receive(format!("{delta}{lobby}").as_bytes(), 0).unwrap();
    assert!(matches!(spectator.next_seen(), Ok(Some(Seen::Begin(_)))));
    assert!(matches!(spectator.next_seen(), Ok(Some(Seen::Delta(_)))));
    assert!(spectator.next_seen().unwrap_err().to_string().starts_with("message 1: lobbied"));
}
