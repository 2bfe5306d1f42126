//! Who joins a match that is half an hour old gets the first picture after a few round trips, and nothing of what was
//! before.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use gametape_live::{Body, Data, Join, Lane, Notice, Shared};
use gametape_server::live::LiveLimits;
use gametape_wire::Tick;

use super::common::{
    Publishing, Running, Socket, Watching, Wire, finish, limits, open_policy, start_with, wait_for,
};
use super::proxy::Far;
use super::sessions::assert_equals;
use super::toy::{Match, Plan, name, views};
use super::transports::Carrier;

/// Half an hour of 50 ms, and a group every ten seconds.
const TICKS: u64 = 36_000;
const SPACING: u64 = 200;
/// The last that is played before somebody comes: in the middle of a group.
const PLAYED: usize = 35_890;
/// To the server and back.
const TRIP: Duration = Duration::from_millis(400);
/// Round trips to the first picture, as `spec/live.md`, section 14, counts them. Of a WebSocket: upgrade, Join; the
/// handshake of TCP is one more, and no proxy can delay it. Of QUIC: handshake, Join. Of WebTransport: handshake, settings,
/// session, Join.
const TRIPS: [(Carrier, u32); 3] =
    [(Carrier::WebSocket, 2), (Carrier::Quic, 2), (Carrier::WebTransport, 4)];
/// What is left for everything but the network: less than a round trip, so that one more is seen.
const WORK: Duration = Duration::from_millis(350);
/// What a server keeps of each view: much less than the match.
const WINDOW: usize = 256 << 10;

/// Publishes all but the end, and waits until the server has it.
fn published(source: &Match, server: &Running) -> Publishing<Socket> {
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    for pieces in source.pieces[..PLAYED].chunks(500) {
        publishing.follow(&pieces.concat());
    }
    wait_for("what was sent", || {
        publishing.step();
        (server.get("/live/m1/1/now").json()["tick"].as_i64() >= Some(PLAYED as i64 - 2))
            .then_some(())
    });
    publishing
}

/// A numbered message that came.
#[derive(Debug)]
struct Came {
    lane: Lane,
    number: u64,
    tick: u64,
    is_keyframe: bool,
}

fn numbered(watching: &Watching<Box<dyn Wire>>) -> Vec<Came> {
    let of = |bytes: &Shared| {
        let Data { lane, number, tick, body, .. } = Data::read(bytes).unwrap()?;
        Some(Came {
            lane,
            number,
            tick: tick.0,
            is_keyframe: matches!(body, Body::Chunk(_, Some(_))),
        })
    };
    watching.seen.iter().filter_map(of).collect()
}

/// Joins over a network that is slow: who it is, and after how long it had something to show.
fn join(
    server: &Running,
    carrier: Carrier,
    publishing: &mut Publishing<Socket>,
) -> (Watching<Box<dyn Wire>>, Duration) {
    let far = Far::start(server.address, TRIP / 2);
    let address = if carrier == Carrier::WebSocket { far.tcp } else { far.udp };
    let began = Instant::now();
    let wire = carrier.connect_to(server, address);
    let mut watching = Watching::new(Join::new(name(), views(&[1])), wire);
    wait_for("a picture", || {
        publishing.step();
        watching.step().unwrap();
        watching.spectator.shown()
    });
    (watching, began.elapsed())
}

#[test]
fn who_joins_at_minute_30_has_a_picture_after_a_few_round_trips_and_gets_one_group() {
    let source = Plan { ticks: TICKS, spacing: SPACING, views: views(&[0, 1]), ..Plan::small(8) };
    let source = source.play();
    let limits = LiveLimits { window: WINDOW, ..limits() };
    let server = start_with(open_policy(), limits, |live| live);
    let mut publishing = published(&source, &server);
    let (sent, length) = (publishing.sent, source.journal().len());
    println!("{sent} messages of {length} bytes");
    assert!(sent > 100_000 && length > 4 * WINDOW, "{sent} {length}");
    let mut watching = Vec::new();
    for (carrier, trips) in TRIPS {
        let (one, passed) = join(&server, carrier, &mut publishing);
        println!("{carrier:?}: {passed:?}, a round trip is {TRIP:?}");
        assert!(passed >= trips * TRIP, "it is not the network that was measured: {passed:?}");
        assert!(passed < trips * TRIP + WORK, "{carrier:?}: {passed:?}");
        watching.push(one);
    }
    // Everything that is there comes at once, and nothing of it twice.
    wait_for("the newest", || {
        publishing.step();
        watching.iter_mut().for_each(|one| one.step().unwrap());
        let newest = Some(PLAYED as u64 - 2);
        watching.iter().all(|one| one.spectator.shown() >= newest.map(Tick)).then_some(())
    });
    for one in &watching {
        assert_one_group(one);
        assert!(!has_lost(one), "{:?}", one.notices);
    }
    publishing.follow(&source.pieces[PLAYED..].concat());
    finish(&mut publishing, &mut watching);
    for one in &watching {
        // What follows is live: a datagram may be late where the machine is busy, and is named then.
        if !has_lost(one) {
            assert_equals(&source, &one.tape, views(&[1]), group());
        }
    }
}

fn has_lost(watching: &Watching<Box<dyn Wire>>) -> bool {
    watching.notices.iter().any(|notice| matches!(notice, Notice::Lost { .. }))
}

/// The tick of the newest group.
fn group() -> u64 {
    PLAYED as u64 / SPACING * SPACING
}

/// Setup, the keyframes that the newest one builds on, and the newest group came: nothing else, and nothing twice.
fn assert_one_group(watching: &Watching<Box<dyn Wire>>) {
    let came = numbered(watching);
    let different: BTreeSet<_> = came.iter().map(|one| (one.lane, one.number)).collect();
    assert_eq!(different.len(), came.len(), "something came twice");
    let (before, group): (Vec<&Came>, Vec<&Came>) =
        came.iter().partition(|one| one.tick < self::group());
    let keyframes = |list: &[&Came]| list.iter().filter(|one| one.is_keyframe).count();
    // The setup of the view, and one full keyframe at most.
    assert!(before.iter().all(|one| one.lane == Lane::TAPE), "{before:?}");
    assert!(before.len() <= 2 && keyframes(&before) <= 1, "{before:?}");
    assert_eq!(keyframes(&group), 1);
    let bytes: usize = watching.seen.iter().map(|message| message.len()).sum();
    println!("{} messages, {bytes} bytes", watching.seen.len());
    assert!(bytes < 64 << 10, "{bytes}");
}
