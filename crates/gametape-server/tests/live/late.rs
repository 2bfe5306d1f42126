//! Who joins a match that is half an hour old gets the first picture after a few round trips, and nothing of what was
//! before.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use gametape_live::{Body, Data, Join, Lane, Notice, Shared};
use gametape_net::{Seen, Transport, Watch, WatchOptions};
use gametape_server::live::LiveLimits;
use gametape_server::{Identity, Listen};
use gametape_wire::Tick;

use super::common::{
    Publishing, Running, Watching, Wire, anywhere, finish, limits, open_policy, start_at, wait_for,
};
use super::proxy::Far;
use super::sessions::assert_equals;
use super::toy::{Match, Plan, name, views};
use super::transports::{Carrier, Native, trust};

/// Half an hour of 50 ms, and a group every ten seconds.
const TICKS: u64 = 36_000;
const SPACING: u64 = 200;
/// The last that is played before somebody comes: in the middle of a group.
const PLAYED: usize = 35_890;
/// To the server and back.
const TRIP: Duration = Duration::from_millis(400);
/// The first picture is there after this many, by every transport.
const MOST: u32 = 3;
/// What is left for everything but the network: less than a round trip, so that one more is seen.
const WORK: Duration = Duration::from_millis(350);
/// What a server keeps of each view: much less than the match.
const WINDOW: usize = 256 << 10;

/// How somebody comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Carrier(Carrier),
    SecureWebSocket,
    Segments,
    SecureSegments,
}

/// Round trips to the first picture, as `spec/live.md`, section 14, counts them: those of TCP, which no proxy can delay, and
/// all others.
const TRIPS: [(By, u32, u32); 6] = [
    // The upgrade, with Join.
    (By::Carrier(Carrier::WebSocket), 1, 1),
    // The handshake, the upgrade with Join.
    (By::SecureWebSocket, 1, 2),
    // The handshake, Join.
    (By::Carrier(Carrier::Quic), 0, 2),
    // The handshake, the settings, the session with Join.
    (By::Carrier(Carrier::WebTransport), 0, 3),
    // `entry`.
    (By::Segments, 1, 1),
    // The handshake, `entry`.
    (By::SecureSegments, 1, 2),
];

impl By {
    fn is_secure(self) -> bool {
        matches!(self, Self::SecureWebSocket | Self::SecureSegments)
    }
}

/// The match on a server, all of it but the end.
struct Stage {
    server: Running,
    publishing: Publishing<Native>,
    watching: Vec<Watching<Box<dyn Wire>>>,
}

impl Stage {
    /// Publishes, and waits until the server has it.
    fn set(source: &Match, is_secure: bool) -> Self {
        let names = ["127.0.0.1".to_owned()];
        let identity = is_secure.then(|| Identity::self_signed(&names).unwrap());
        let listen = Listen { identity, ..anywhere() };
        let limits = LiveLimits { window: WINDOW, ..limits() };
        let server = start_at(&listen, open_policy(), limits, |live| live);
        let scheme = if is_secure { "wss" } else { "ws" };
        let wire = Native::connect(&format!("{scheme}://{}/", server.address), &server);
        let mut publishing = Publishing::new(source.publisher(), wire);
        for pieces in source.pieces[..PLAYED].chunks(500) {
            publishing.follow(&pieces.concat());
        }
        let mut one = Watching::new(Join::new(name(), views(&[1])), Carrier::Quic.connect(&server));
        wait_for("what was sent", || {
            publishing.step();
            one.step().unwrap();
            (one.spectator.shown() >= Some(Tick(PLAYED as u64 - 2))).then_some(())
        });
        Self { server, publishing, watching: Vec::new() }
    }
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

/// Joins over a network that is slow: after how long there is something to show.
fn join(stage: &mut Stage, by: By) -> Duration {
    let Stage { server, publishing, .. } = stage;
    let far = Far::start(server.address, TRIP / 2);
    let began = Instant::now();
    let mut watching = Watching::joining(Join::new(name(), views(&[1])), |join| match by {
        By::Carrier(Carrier::WebSocket) => Carrier::WebSocket.join(server, far.tcp, join),
        By::Carrier(carrier) => carrier.join(server, far.udp, join),
        _ => Native::join(&format!("wss://{}/", far.tcp), server, join),
    });
    wait_for("a picture", || {
        publishing.step();
        watching.step().unwrap();
        watching.spectator.shown()
    });
    let passed = began.elapsed();
    stage.watching.push(watching);
    passed
}

/// The same by segments, with the client of the tool.
fn join_by_segments(server: &Running, by: By) -> Duration {
    let far = Far::start(server.address, TRIP / 2);
    let scheme = if by.is_secure() { "https" } else { "http" };
    let address = format!("{scheme}://{}/?match=m1", far.tcp);
    let mut options = WatchOptions::new(address.parse().unwrap());
    (options.by, options.trust) = (Some(Transport::Segments), trust(server));
    options.views = views(&[1]);
    let (began, mut watch, mut first) = (Instant::now(), Watch::begin(options).unwrap(), None);
    let (mut shown, mut passed) = (None, Duration::ZERO);
    loop {
        match watch.wait().unwrap() {
            Seen::Notice(Notice::Began { tick }) => first = Some(tick),
            Seen::Notice(Notice::Shown { tick }) => {
                passed = if shown.is_none() { began.elapsed() } else { passed };
                shown = Some(tick);
            }
            Seen::Tape(tape) => {
                assert_eq!(first, Some(Tick(group())));
                assert!(shown.is_some(), "it came with the first picture");
                println!("{} bytes", tape.len());
                assert!(tape.len() < 64 << 10, "{}", tape.len());
                return passed;
            }
            Seen::Connected(_) | Seen::Newest(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn who_joins_at_minute_30_has_a_picture_within_three_round_trips_and_gets_one_group() {
    let source = Plan { ticks: TICKS, spacing: SPACING, views: views(&[0, 1]), ..Plan::small(8) };
    let source = source.play();
    let length = source.journal().len();
    let mut stages = [false, true].map(|is_secure| Stage::set(&source, is_secure));
    for Stage { publishing, .. } in &stages {
        let sent = publishing.sent;
        println!("{sent} messages of {length} bytes");
        assert!(sent > 100_000 && length > 4 * WINDOW, "{sent} {length}");
    }
    for (by, of_tcp, trips) in TRIPS {
        let stage = &mut stages[usize::from(by.is_secure())];
        let passed = match by {
            By::Segments | By::SecureSegments => join_by_segments(&stage.server, by),
            _ => join(stage, by),
        };
        println!("{by:?}: {passed:?}, a round trip is {TRIP:?}");
        assert!(of_tcp + trips <= MOST);
        assert!(passed >= trips * TRIP, "it is not the network that was measured: {passed:?}");
        assert!(passed < trips * TRIP + WORK, "{by:?}: {passed:?}");
    }
    for Stage { publishing, watching, .. } in &mut stages {
        // Everything that is there comes at once, and nothing of it twice.
        wait_for("the newest", || {
            publishing.step();
            watching.iter_mut().for_each(|one| one.step().unwrap());
            let newest = Some(Tick(PLAYED as u64 - 2));
            watching.iter().all(|one| one.spectator.shown() >= newest).then_some(())
        });
        for one in watching.iter() {
            assert_one_group(one);
            assert!(!has_lost(one), "{:?}", one.notices);
        }
        publishing.follow(&source.pieces[PLAYED..].concat());
        finish(publishing, watching);
        // What follows is live: a datagram may be late where the machine is busy, and is named then.
        for one in watching.iter().filter(|one| !has_lost(one)) {
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
