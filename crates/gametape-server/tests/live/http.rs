//! Live matches over HTTP: lists, segments, figures, casters.

use std::time::{Duration, Instant};

use gametape_live::{
    Classes, Grant, Notice, Pass, SegmentFile, SegmentFollower, StartAt, entry_of,
};
use gametape_server::live::{Hold, Policy};
use gametape_tape::SigningKey;
use gametape_wire::{Tick, ViewSet};
use tokio_tungstenite::tungstenite;

use super::common::{
    Publishing, Running, Socket, finish, limits, open_policy, play_one, start, start_with, wait_for,
};
use super::sessions::assert_equals;
use super::toy::{Match, Plan, name, view, views};

fn plan(seed: u64) -> Plan {
    Plan { ticks: 90, events: true, extras: true, ..Plan::small(seed) }
}

pub(crate) fn key() -> SigningKey {
    SigningKey::from_seed(&[7; 32])
}

/// A pass for views of the match of the toy.
pub(crate) fn pass(seen: ViewSet, delay: u64) -> Pass {
    let grant = Grant { views: seen, classes: Classes::ALL, delay };
    Pass::sign(name(), grant, 4_000_000_000, &key())
}

/// Publishes ticks of a match, and waits until the server has them.
pub(crate) fn publish(
    server: &Running,
    source: &Match,
    publishing: &mut Publishing<Socket>,
    ticks: std::ops::Range<usize>,
) {
    let last = ticks.end;
    for tick in ticks {
        play_one::<_, Socket>(source, tick, publishing, &mut []);
    }
    let path = format!("/live/m1/0/now?pass={}", pass(ViewSet::ALL, 0));
    wait_for("what was sent", || {
        publishing.step();
        let now = server.get(&path);
        let is_over = last > source.ticks as usize;
        let tick = (last as i64 - 2).min(source.ticks as i64);
        (now.status == 200 && now.json()["tick"].as_i64() >= Some(tick))
            .then(|| !is_over || now.json()["over"] == true)
            .filter(|is_there| *is_there)
    });
}

/// A server that strangers get view 0 from, 20 ticks later, and holders of passes what these say.
pub(crate) fn delayed() -> Policy {
    Policy {
        trusted: vec![key().public_key()],
        public: views(&[0]),
        delay: Hold::Ticks(20),
        open: true,
        ..Policy::default()
    }
}

/// Follows the segments of a view to the end; the path is `/live/MATCH/VIEW/` and `{}` where the file is.
fn follow(
    server: &Running,
    view: u8,
    from: StartAt,
    query: &str,
    mut work: impl FnMut(),
) -> (Vec<u8>, Vec<Notice>) {
    let mut follower = SegmentFollower::new(super::toy::view(view), from);
    let (mut tape, mut notices, begin) = (Vec::new(), Vec::new(), Instant::now());
    wait_for("the end of the segments", || {
        work();
        for file in follower.poll(begin.elapsed()) {
            let answer = server.get(&format!("/live/m1/{view}/{file}{query}"));
            let bytes = (answer.status == 200).then_some(&answer.body[..]);
            follower.answer(file, bytes, begin.elapsed()).unwrap();
        }
        notices.extend(follower.notices());
        tape.extend(follower.take_tape());
        follower.is_over().then_some(())
    });
    (tape, notices)
}

#[test]
fn segments_are_the_match_byte_for_byte() {
    let server = start(open_policy());
    let source = plan(1).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    let mut tick = 0;
    let (tape, notices) = follow(&server, 2, StartAt::Tick(Tick::ZERO), "", || {
        if tick < source.pieces.len() {
            play_one::<_, Socket>(&source, tick, &mut publishing, &mut []);
            tick += 1;
        }
        publishing.step();
    });
    assert_equals(&source, &tape, views(&[2]), 0);
    assert!(!notices.iter().any(|notice| matches!(notice, Notice::Lost { .. })), "{notices:?}");
    // What was followed are the files put together.
    let file = |file: SegmentFile| server.get(&format!("/live/m1/2/{file}")).body;
    let slots = (0..).map(SegmentFile::Delta).map(|file| server.get(&format!("/live/m1/2/{file}")));
    let deltas = slots.take_while(|answer| answer.status == 200).flat_map(|answer| answer.body);
    let whole: Vec<u8> = file(SegmentFile::Init).into_iter().chain(deltas).collect();
    assert_eq!([whole, file(SegmentFile::End)].concat(), tape);
    let (late, _) = follow(&server, 2, StartAt::Tick(Tick(70)), "", || ());
    assert_equals(&source, &late, views(&[2]), 60);
}

#[test]
fn segments_can_be_kept_by_caches() {
    let server = start(delayed());
    let source = plan(2).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    publish(&server, &source, &mut publishing, 0..60);
    let answer = server.get("/live/m1/0/delta/0");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("cache-control"), Some("public, max-age=31536000, immutable"));
    let tag = answer.header("etag").unwrap();
    assert!(tag.starts_with('"') && tag.len() == 34);
    let again = server.ask("/live/m1/0/delta/0", &format!("if-none-match: {tag}\r\n"));
    assert_eq!((again.status, again.body.len()), (304, 0));
    let own = server
        .ask("/live/m1/0/delta/0", &format!("authorization: Bearer {}\r\n", pass(views(&[0]), 0)));
    assert_eq!(own.header("cache-control"), Some("private, max-age=31536000, immutable"));
    assert_eq!((own.header("etag"), &own.body), (Some(tag), &answer.body));
    assert_eq!(server.get("/live/m1/0/now").header("cache-control"), Some("no-cache"));
    let entry = server.get("/live/m1/0/entry");
    assert_eq!((entry.status, entry.header("cache-control")), (200, Some("public, max-age=1")));
    let tag = entry.header("etag").unwrap();
    let again = server.ask("/live/m1/0/entry", &format!("if-none-match: {tag}\r\n"));
    assert_eq!((again.status, again.body.len()), (304, 0));
    let newer = server.get(&format!("/live/m1/0/entry?pass={}", pass(views(&[0]), 0)));
    assert_eq!(newer.header("cache-control"), Some("private, max-age=1"));
    assert!(newer.status == 200 && newer.body != entry.body, "it is of a later slot");
}

#[test]
fn what_is_not_released_does_not_exist() {
    let server = start(delayed());
    let source = plan(3).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    publish(&server, &source, &mut publishing, 0..59);
    // Ticks up to 57 are over, so those up to 37 are released: slot 0, and not slot 1 with tick 39.
    let now = server.get("/live/m1/0/now").json();
    assert_eq!(
        (now["tick"].as_i64(), now["slot"].as_i64(), now["over"].as_bool()),
        (Some(37), Some(0), Some(false))
    );
    let status = |path: &str| server.get(path).status;
    assert_eq!(status("/live/m1/0/delta/0"), 200);
    let nothing = server.get("/live/no-such-match/0/delta/0");
    for path in ["delta/1", "delta/2", "delta/3", "keyframe/1", "end"] {
        let answer = server.get(&format!("/live/m1/0/{path}"));
        let same = |answer: &super::common::Answer| (answer.status, answer.body.clone());
        assert_eq!(same(&answer), same(&nothing), "{path}");
    }
    let with = |path: &str, pass: &Pass| server.get(&format!("{path}?pass={pass}")).status;
    assert_eq!(with("/live/m1/0/delta/1", &pass(views(&[0]), 0)), 200, "a pass without a delay");
    assert_eq!(with("/live/m1/0/delta/1", &pass(views(&[0]), 100)), 404, "a pass with more delay");
    assert_eq!(with("/live/m1/1/delta/0", &pass(views(&[0]), 0)), 404, "a pass for another view");
    assert_eq!(status("/live/m1/1/delta/0"), 404, "a view that is not for strangers");
    assert_eq!(status("/live/m1/1/entry"), 404, "a view that is not for strangers");
    assert_eq!(with("/live/m1/0/entry", &pass(views(&[0]), 100)), 404, "no slot is released");
    let files = ["init", "keyframe/0", "delta/0"].map(|file| {
        let answer = server.get(&format!("/live/m1/0/{file}"));
        assert_eq!(answer.status, 200);
        answer.body
    });
    let tick_us = now["tick_us"].as_u64().unwrap();
    let document = format!(
        r#"{{"match":"m1","view":0,"tick_us":{tick_us},"slot_ticks":20,"tick":19,"slot":0,"over":false}}"#
    );
    let [init, keyframe, delta] = files;
    let expected = entry_of(&[document.into_bytes(), init, keyframe, delta]);
    assert_eq!(server.get("/live/m1/0/entry").body, expected, "slot 0, and nothing of slot 1");
    let list = server.get("/live/matches.json").json();
    let row = &list["matches"][0];
    assert_eq!((row["match"].as_str(), row["tick"].as_i64()), (Some("m1"), Some(37)));
    assert_eq!(
        (row["views"].as_array().unwrap().len(), row["delay_ticks"].as_u64()),
        (1, Some(20))
    );
    publish(&server, &source, &mut publishing, 59..source.pieces.len());
    finish::<_, Socket>(&mut publishing, &mut []);
    // The rest comes at the speed of the match: 20 ticks of 50 ms.
    let over = Instant::now();
    assert_eq!(status("/live/m1/0/end"), 404, "it ended less than a second ago");
    wait_for("the end", || (status("/live/m1/0/end") == 200).then_some(()));
    assert!(over.elapsed() > Duration::from_millis(500));
    assert_eq!(server.get("/live/m1/0/now").json()["over"], true);
}

#[test]
fn a_server_without_strangers_says_nothing_to_them() {
    let server = start(Policy { public: ViewSet::EMPTY, ..delayed() });
    let source = plan(4).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    publish(&server, &source, &mut publishing, 0..59);
    assert_eq!(server.get("/live/matches.json").json()["matches"].as_array().unwrap().len(), 0);
    assert_eq!(server.get("/live/m1/0/now").status, 404);
    let list = server.get(&format!("/live/matches.json?pass={}", pass(views(&[2]), 0))).json();
    assert_eq!(list["matches"][0]["views"], serde_json::json!([2]));
    let figures = String::from_utf8(server.get("/metrics").body).unwrap();
    assert!(figures.contains("\ngametape_matches 1\n") && !figures.contains("m1"));
}

#[test]
fn a_tape_that_is_written_is_broadcast_and_nothing_of_other_views_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("live.tape");
    let source = plan(5).play();
    std::fs::write(&path, source.pieces[..40].concat()).unwrap();
    let policy = Policy { delay: Hold::Ticks(0), ..Policy::default() };
    let server = start_with(policy, limits(), |live| live.with_tape(name(), path.clone()));
    wait_for("the match", || (server.get("/live/m1/0/delta/0").status == 200).then_some(()));
    std::fs::write(&path, source.journal()).unwrap();
    let (tape, _) = follow(&server, 0, StartAt::Tick(Tick::ZERO), "", || ());
    // Its messages have no classes here, so everything arrives.
    assert_equals(&source, &tape, views(&[0]), 0);
    assert_eq!(server.get("/live/m1/1/delta/0").status, 404);
    let mut stranger = Socket::connect(server.address);
    let join = gametape_live::Join::new(name(), views(&[1]));
    super::common::Wire::send(&mut stranger, &gametape_live::Message::Join(join).to_bytes());
    let refused = wait_for("an answer", || super::common::Wire::receive(&mut stranger).unwrap());
    assert_eq!(&refused[..], [5, 2]);
}

#[test]
fn pages_of_others_are_refused() {
    let server = start(open_policy());
    let own = format!("http://{}", server.address);
    assert_eq!(server.ask("/live/matches.json", &format!("origin: {own}\r\n")).status, 200);
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(server.ask("/live/matches.json", &format!("origin: {origin}\r\n")).status, 403);
        let headers = [("origin", origin.to_owned())];
        let refused = Socket::try_connect(server.address, "/live", &headers);
        assert_eq!(refused.err(), Some(403), "{origin}");
    }
    assert!(Socket::try_connect(server.address, "/live", &[("origin", own)]).is_ok());
    let hash = super::transports::hash(&server);
    let web = |origin: &str| {
        super::transports::Web::open(server.address, &hash, Some(origin), Option::None)
    };
    assert!(web("https://evil.example").is_none());
    assert!(web(&format!("https://{}", server.address)).is_some());
}

#[test]
fn followers_of_a_caster_are_told_when_they_may_know() {
    let server = start(delayed());
    let source = plan(6).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    publish(&server, &source, &mut publishing, 0..30);
    let open = |query: &str| {
        Socket::try_connect(server.address, &format!("/live/m1/cast/Eve{query}"), &[])
    };
    assert_eq!(Socket::try_connect(server.address, "/live/m2/cast/Eve", &[]).err(), Some(404));
    let with_pass = format!("?pass={}", pass(views(&[0]), 0));
    let mut caster = open(&with_pass).unwrap();
    let mut friend = open(&with_pass).unwrap();
    let mut stranger = open("").unwrap();
    caster.text(r#"{"t":5,"playing":true}"#);
    let next = |socket: &mut Socket| match socket.next() {
        Ok(Some(tungstenite::Message::Text(text))) => Some(text.to_string()),
        Ok(_) => None,
        Err(ended) => Some(format!("{ended:?}")),
    };
    let received = |socket: &mut Socket| wait_for("a message", || next(socket));
    assert_eq!(received(&mut friend), r#"{"t":5,"playing":true}"#);
    assert_eq!(next(&mut stranger), None, "it came at tick 28, and that is not released");
    publish(&server, &source, &mut publishing, 30..60);
    assert_eq!(received(&mut stranger), r#"{"t":5,"playing":true}"#);
    stranger.text(r#"{"t":1}"#);
    assert_eq!(received(&mut stranger), "Ended(Some(1008))", "strangers do not cast");
    let _ = view(0);
}
