//! Cadre gamelogs: whole logs, merges, live streams.

use crate::Seed;
use gametape_cadre::{
    END_OF_MESSAGE, Live, Log, Markers, Options, Outcome, Request, Seen, Spectated, Spectator,
    Summary, Timeline, anonymize, diff, sample, verify,
};
use gametape_wire::Result;

/// Little memory, so that a log cannot ask for much.
const OPTIONS: Options =
    Options::new().with_max_memory(32 << 20).with_max_bytes(1 << 20).with_keyframe_bytes(1 << 16);

/// Any bytes as a log: refused, or written as it was read, played both ways to the same states,
/// with the outcome that its summary states.
pub fn gamelog(data: &[u8]) {
    let Ok(log) = Log::open(data, &OPTIONS) else { return };
    written_as_it_was_read(&log);
    let verified = verify(&log, 9);
    let summary = Summary::read(data, &OPTIONS);
    let Ok(mut timeline) = Timeline::load(log, &OPTIONS) else {
        assert!(verified.is_err() || verified.is_ok_and(|verdict| !verdict.report.is_sound()));
        return;
    };
    let hash = verified.map(|verdict| verdict.last_hash);
    assert_eq!(hash, Ok(timeline.state().hash()), "what plays can be verified");
    let outcome = Outcome::of(timeline.state(), timeline.log().header());
    assert_eq!(summary.as_ref().map(Summary::outcome), Ok(&outcome));
    let streamed = Summary::from_reader(&timeline.log().to_json()[..], &OPTIONS);
    assert_eq!(streamed.as_ref().map(Summary::outcome), Ok(&outcome), "without its data");
    grown_in_pieces(&timeline);
    without_names(timeline.log());
    played_both_ways(&mut timeline);
}

fn written_as_it_was_read(log: &Log) {
    let Ok(again) = Log::open(log.to_json(), &OPTIONS) else { panic!("what was written opens") };
    assert_eq!(again.len(), log.len());
    for (ours, theirs) in again.deltas().zip(log.deltas()) {
        assert_eq!(ours.raw().as_bytes(), theirs.raw().as_bytes());
    }
}

/// A timeline that the same deltas are pushed to, while somebody looks at another position.
fn grown_in_pieces(whole: &Timeline) {
    let empty = Log::new(whole.log().markers().clone(), &OPTIONS);
    let Ok(mut grown) = Timeline::load(empty, &OPTIONS) else { return };
    for delta in whole.log().deltas() {
        if grown.push(delta.raw().as_bytes()).is_err() {
            // Only `data` that is not JSON is refused here and not in a whole log.
            return;
        }
        let _ = grown.seek(delta.index() / 2);
    }
    assert_eq!(grown.turns(), whole.turns());
    assert_eq!(grown.seek(grown.len()), Ok(()));
    assert_eq!(grown.state().hash(), whole.state().hash(), "grown as opened whole");
}

/// A log without names has as many deltas.
fn without_names(log: &Log) {
    let Ok(result) = anonymize(log, &OPTIONS) else { return };
    assert_eq!(result.log.len(), log.len());
}

/// From the end to the start and again to the end, every state by its hash.
fn played_both_ways(timeline: &mut Timeline) {
    let mut hashes = vec![timeline.state().hash()];
    while timeline.step_back() == Ok(true) {
        hashes.push(timeline.state().hash());
    }
    assert_eq!(timeline.position(), 0);
    assert_eq!(timeline.state().canonical(), b"{}");
    for expected in hashes.iter().rev().skip(1) {
        assert_eq!(timeline.step(), Ok(true));
        assert_eq!(timeline.state().hash(), *expected);
    }
}

/// Any `game` bodies, one a line: merged or refused without a trace, taken back exactly, and the
/// difference of any two states leads from one to the other.
pub fn merge(data: &[u8]) {
    let Ok(mut timeline) = Timeline::empty(Markers::default()) else { return };
    for game in data.split(|byte| *byte == b'\n').take(16) {
        let before = timeline.state().hash();
        if timeline.push_game(game).is_err() {
            assert_eq!(timeline.state().hash(), before, "a refused delta changes nothing");
        }
    }
    differences_lead_there(&mut timeline);
    played_both_ways(&mut timeline);
}

fn differences_lead_there(timeline: &mut Timeline) {
    let end = timeline.snapshot();
    let target = timeline.view(&end).hash();
    assert!(timeline.seek(timeline.len() / 2).is_ok());
    let start = timeline.state().canonical();
    // Some states cannot be written as deltas, such as a text that is the marker; they are refused.
    let Ok(deltas) = diff(timeline.state(), timeline.view(&end), &Markers::default()) else {
        assert!(timeline.seek(timeline.len()).is_ok());
        return;
    };
    let half: Vec<Vec<u8>> = timeline
        .log()
        .deltas()
        .take(timeline.position())
        .filter_map(|delta| delta.game().map(|game| game.as_bytes().to_vec()))
        .collect();
    let Ok(mut other) = Timeline::empty(Markers::default()) else { return };
    for game in half.iter().chain(&deltas) {
        if other.position() == half.len() {
            assert_eq!(other.state().canonical(), start);
        }
        assert_eq!(other.push_game(game), Ok(()));
    }
    assert_eq!(other.state().hash(), target);
    assert!(timeline.seek(timeline.len()).is_ok());
}

/// A live stream gives the same states however its bytes are cut.
///
/// The input is a byte that gives the length of the pieces, then the stream.
pub fn live(data: &[u8]) {
    let Some((&size, stream)) = data.split_first() else { return };
    let whole = watched([stream].into_iter());
    let size = usize::from(size).max(1);
    assert_eq!(whole, watched(stream.chunks(size)));
    assert_eq!(joined([stream].into_iter()), joined(stream.chunks(size)));
}

/// What a spectator of a server saw: what was sent, the deltas, how it ended, and whether it gave up.
fn joined<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (Vec<Vec<u8>>, Vec<Vec<u8>>, bool) {
    let (mut spectator, hello) = Spectator::begin(Request::new("game", "*"), &OPTIONS);
    let (mut sent, mut deltas, mut has_begun) = (vec![hello], Vec::new(), false);
    for piece in pieces {
        if spectator.receive(piece, 0).is_err() {
            return (sent, deltas, true);
        }
        loop {
            match spectator.next_seen() {
                Ok(Some(Seen::Send(bytes))) => sent.push(bytes),
                Ok(Some(Seen::Begin(_))) => assert!(!std::mem::replace(&mut has_begun, true)),
                Ok(Some(Seen::Delta(delta))) if has_begun => deltas.push(delta),
                Ok(Some(other)) => panic!("{other:?} before the game begins"),
                Ok(None) => break,
                Err(_) => return (sent, deltas, true),
            }
        }
        assert!(sent.len() <= 2, "after `play` nothing is sent");
    }
    (sent, deltas, false)
}

/// What was seen after all pieces: the hash of the state, and how many deltas and errors came.
fn watched<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Option<([u8; 32], usize, usize)> {
    let mut live = Live::new(&OPTIONS).ok()?;
    let mut errors = 0;
    for piece in pieces {
        let mut bytes = piece;
        // After an error, what follows the bad message is still to be received.
        while live.receive(bytes).is_err() {
            errors += 1;
            bytes = &[];
        }
    }
    Some((live.timeline().state().hash(), live.timeline().len(), errors))
}

/// Any bytes as a spectator stream: refused, or a log that opens again, plays to the same state as the messages one
/// by one and says who won as its last state does. Cut anywhere, a stream gives the start of its deltas.
pub fn spectated(data: &[u8]) {
    let Ok(Spectated { log, ending, .. }) = Spectated::read(data, &OPTIONS) else { return };
    written_as_it_was_read(&log);
    let half = Spectated::read(&data[..data.len() / 2], &OPTIONS);
    // Of gzip nothing may be left.
    if let Ok(half) = half {
        assert!(half.log.len() <= log.len());
        let mut same = half.log.deltas().zip(log.deltas());
        assert!(same.all(|(a, b)| a.raw().as_bytes() == b.raw().as_bytes()));
    }
    let is_whole = ending.losses().is_empty();
    assert!(!is_whole || (ending.is_over && ending.cut_bytes == 0));
    let Ok(timeline) = Timeline::load(log, &OPTIONS) else { panic!("every delta was merged") };
    let outcome = Outcome::of(timeline.state(), timeline.log().header());
    assert_eq!(outcome.disagreements, [], "the lists are those of the last state");
    grown_in_pieces(&timeline);
}

/// Logs of [`gamelog`]: plain and packed.
pub fn gamelog_seeds() -> Result<Vec<Seed>> {
    let small = sample::log(4, 3);
    let packed = Log::open(&small[..], &OPTIONS)?.to_gzip(6)?;
    let tiny = br#"{"deltas":[{"type":"start","game":{"a":{"0":1,"1":{"id":"0"},"&LEN":2},"b":null}},{"type":"over","game":{"a":{"&LEN":1},"b":"&RM","c":[1,2]}}]}"#;
    Ok(vec![
        Seed::new("plain", small),
        Seed::new("packed", packed),
        Seed::new("tiny", tiny.as_slice()),
    ])
}

/// Bodies of [`merge`] that use every rule.
pub fn merge_seeds() -> Result<Vec<Seed>> {
    let rules = br#"{"list":{"0":1,"1":"x","2":null,"&LEN":3},"object":{"a":1.50,"b":"\ud800"}}
{"list":{"5":{"id":"7"},"&LEN":6},"object":{"a":"&RM","c":{}}}
{"list":{"1":"&RM","&LEN":2},"object":{"&LEN":0,"0":9}}
{"list":[7,8],"object":5}
{"object":{"deep":{"er":{"est":[]}}},"__proto__":{"x":1e21}}
{"list":"&RM","12":"&RM"}"#;
    Ok(vec![Seed::new("rules", rules.as_slice())])
}

/// Streams of [`live`].
pub fn live_seeds() -> Result<Vec<Seed>> {
    let mut stream = vec![7];
    for data in [
        r#"{"type":"start","game":{"x":1}}"#,
        r#"{"type":"ran","game":{"x":2,"l":{"0":1,"&LEN":1}}}"#,
        r#"{"type":"over","game":{"l":{"&LEN":0}}}"#,
    ] {
        stream.extend(format!(r#"{{"event":"meta-delta","data":{data}}}"#).into_bytes());
        stream.push(END_OF_MESSAGE);
    }
    let mut session = b"\x05{\"event\":\"named\",\"data\":\"G\"}\x04".to_vec();
    session.extend_from_slice(&stream[1..]);
    let bad = [&[1], &b"x\x04{}\x04"[..], &stream[1..], b"y\x04", &stream[1..]].concat();
    Ok(vec![
        Seed::new("three-deltas", stream),
        Seed::new("bad-messages-between", bad),
        Seed::new("session", session),
    ])
}

/// Streams of [`spectated`]: plain, packed, cut.
pub fn spectated_seeds() -> Result<Vec<Seed>> {
    let mut stream = Vec::new();
    for message in [
        r#"{"event":"named","data":"Move"}"#,
        r#"{"event":"lobbied","data":{"gameName":"Move","gameSession":"2","constants":{"DELTA_REMOVED":"&RM","DELTA_LIST_LENGTH":"&LEN"}}}"#,
        r#"{"event":"meta-delta","data":{"type":"start","game":{"players":{"0":{"id":"7"},"&LEN":1},"gameObjects":{"7":{"name":"A"}}}}}"#,
        r#"{"event":"meta-delta","data":{"type":"over","game":{"gameObjects":{"7":{"won":true,"reasonWon":"."}}}}}"#,
        r#"{"event":"over","data":{"gamelogURL":"h/Move-2-2016.02.25.21.27.10.562"}}"#,
    ] {
        stream.extend_from_slice(message.as_bytes());
        stream.push(END_OF_MESSAGE);
    }
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut packed, &stream)?;
    let cut = stream[..stream.len() - 30].to_vec();
    let fatal = b"{\"event\":\"fatal\",\"data\":{\"message\":\"full\"}}\x04";
    Ok(vec![
        Seed::new("packed", packed.finish()?),
        Seed::new("cut", cut),
        Seed::new("fatal", fatal.as_slice()),
        Seed::new("plain", stream),
    ])
}
