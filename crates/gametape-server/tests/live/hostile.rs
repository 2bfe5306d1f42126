//! Clients that mean harm: nobody else is hurt.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use gametape_live::{Classes, Grant, Join, Message, Pass, Refusal, Shared, StartAt};
use gametape_net::request;
use gametape_server::live::{LiveLimits, Policy};
use gametape_tape::SigningKey;
use gametape_wire::Tick;

use super::common::{
    Ended, LONG, Publishing, Running, Socket, Watching, Wire, limits, open_policy, play, start,
    start_with, wait_for,
};
use super::sessions::assert_equals;
use super::toy::{Plan, name, views};
use super::transports::{ALL, Carrier};

fn plan(seed: u64) -> Plan {
    Plan { ticks: 60, ..Plan::small(seed) }
}

/// A connection that is a WebSocket after its handshake, for bytes that no client sends.
fn raw_socket(server: &Running) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    let head = format!(
        "GET /live HTTP/1.1\r\nhost: {}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        server.address
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        answer.push(byte[0]);
    }
    let answer = String::from_utf8(answer).unwrap();
    // The example of RFC 6455.
    assert!(answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{answer}");
    stream
}

fn masked(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x80 | opcode];
    match payload.len() {
        0..=125 => bytes.push(0x80 | payload.len() as u8),
        length => {
            bytes.push(0x80 | 126);
            bytes.extend((length as u16).to_be_bytes());
        }
    }
    bytes.extend([0; 4]);
    bytes.extend(payload);
    bytes
}

/// The status that the server ends a WebSocket with, after everything else that it says.
fn status_of(stream: &mut TcpStream) -> u16 {
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
    let at = rest.windows(2).rposition(|two| two[0] == 0x88 && two[1] < 126);
    let at = at.unwrap_or_else(|| panic!("{rest:02x?}"));
    u16::from_be_bytes([rest[at + 2], rest[at + 3]])
}

#[test]
fn what_no_client_may_say_ends_the_connection() {
    let server = start(open_policy());
    let source = plan(1).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    publishing.follow(&source.pieces[0]);
    let join = Message::Join(Join::new(name(), views(&[0]))).to_bytes();
    let seek = Message::Seek(StartAt::Live).to_bytes();
    let cases: [(&str, Vec<u8>); 8] = [
        ("text", masked(1, b"hello")),
        ("no message", masked(2, b"\xFF\xFF")),
        ("nothing", masked(2, b"")),
        ("a message in the middle of a session first", masked(2, &seek)),
        ("two joins", [masked(2, &join), masked(2, &join)].concat()),
        ("a message of relays", [masked(2, &join), masked(2, &[5, 1])].concat()),
        ("a frame that is too long", vec![0x82, 0xFF, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
        ("no mask", vec![0x82, 0x01, 0x00]),
    ];
    for (what, bytes) in cases {
        let mut stream = raw_socket(&server);
        stream.write_all(&bytes).unwrap();
        assert_eq!(status_of(&mut stream), 1008, "{what}");
    }
    for carrier in [Carrier::Quic, Carrier::WebTransport] {
        let mut wire = carrier.connect(&server);
        wire.send(&seek);
        let _ = wait_for("the end", || wire.receive().err());
    }
}

#[test]
fn a_request_that_joins_is_heard_as_a_first_message_is_and_never_logged() {
    let key = SigningKey::from_seed(&[9; 32]);
    let policy = Policy { public: views(&[]), trusted: vec![key.public_key()], ..open_policy() };
    let server = start(policy);
    let source = plan(6).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    publishing.follow(&source.pieces[0]);
    let grant = Grant { views: views(&[0]), classes: Classes::ALL, delay: 0 };
    let pass = |expiry| Pass::sign(name(), grant, expiry, &key);
    let join = |pass: Option<&Pass>| {
        let pass = pass.map(Pass::to_bytes).unwrap_or_default();
        Message::Join(Join { pass, ..Join::new(name(), views(&[0])) }).to_bytes()
    };
    let (good, expired) = (pass(u64::MAX), pass(1));
    let announce = source.publisher().announce();
    let cases = [
        ("nothing", Shared::from([]), 5),
        ("a message of another version", [0xFF; 9].into(), 1),
        ("a message of the middle of a session", Message::Seek(StartAt::Live).to_bytes(), 5),
        ("a publisher", announce, 5),
        ("no pass", join(None), 2),
        ("a pass that has expired", join(Some(&expired)), 3),
    ];
    for carrier in [Carrier::WebSocket, Carrier::WebTransport] {
        for (what, first, reason) in &cases {
            let mut wire = carrier.join(&server, server.address, first.clone());
            let said = wait_for("an answer", || wire.receive().unwrap());
            assert_eq!(said[..], [5, *reason], "{carrier:?}: {what}");
            wire.finish();
            let _ = wait_for("the end", || wire.receive().err());
        }
        let mut wire = carrier.join(&server, server.address, join(Some(&good)));
        let said = wait_for("a seat", || wire.receive().unwrap());
        assert!(matches!(Message::read(&said), Ok(Message::Welcome(_))), "{carrier:?}");
    }
    let log = server.log.lock().unwrap().join("\n");
    assert!(log.contains("joined") && log.contains("refused"));
    for secret in [good, expired].map(|pass| pass.to_string()) {
        let text = secret.strip_prefix("gtp1_").unwrap();
        // In a Join the same bytes are at another place, and so other letters.
        let joined = request::query(&join(Some(&secret.parse().unwrap())));
        assert!(!log.contains(text) && !log.contains(&joined[20..60]), "{log}");
    }
}

/// Ending a connection throws away what has arrived and was not read, so that who is refused may end it first.
#[test]
fn who_is_refused_has_a_second_to_read_why() {
    let server = start(open_policy());
    let join = Join::new(name(), views(&[0]));
    for carrier in [Carrier::Quic, Carrier::WebTransport] {
        let began = Instant::now();
        let mut watching = Watching::new(join.clone(), carrier.connect(&server));
        let ended = wait_for("the end", || watching.step().err());
        assert_eq!(watching.seen, [Message::Refuse(Refusal::NoMatch).to_bytes()], "{carrier:?}");
        assert!(began.elapsed() >= Duration::from_secs(1), "{carrier:?}: {ended:?}");
    }
}

/// Closing a connection of which something was not read would reset it.
#[test]
fn who_goes_on_sending_still_reads_why_it_ended() {
    let server = start(open_policy());
    let mut stream = raw_socket(&server);
    let much = masked(2, &[0; 60_000]).repeat(50);
    stream.write_all(&[masked(1, b"hello"), much].concat()).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert_eq!(rest[..4], [0x88, 2 + "malformed".len() as u8, 0x03, 0xF0]);
}

#[test]
fn who_says_nothing_is_sent_away_and_who_does_not_read_too() {
    let quick = LiveLimits {
        first_message: Duration::from_millis(300),
        slow: Duration::from_millis(300),
        idle: Duration::from_millis(1500),
        ..limits()
    };
    let server = start_with(open_policy(), quick, |live| live);
    // Nothing after the handshake.
    assert_eq!(status_of(&mut raw_socket(&server)), 1013);
    for carrier in [Carrier::Quic, Carrier::WebTransport] {
        let mut wire = carrier.connect(&server);
        assert!(wait_for("the end", || wire.receive().err()) != Ended(Some(1000)));
    }
    // A seat that never answers a ping, and one that does not read megabytes.
    let source = plan(2).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    publishing.follow(&source.pieces[0]);
    let mut half_open = raw_socket(&server);
    let join = Message::Join(Join::new(name(), views(&[0]))).to_bytes();
    half_open.write_all(&masked(2, &join)).unwrap();
    assert_eq!(status_of(&mut half_open), 1013);
    assert!(server.logged("what=silent") >= 1);
}

#[test]
fn too_many_sessions_of_one_address_are_refused_and_come_back_later() {
    let few = LiveLimits { joins: 2, ..LiveLimits::default() };
    let server = start_with(open_policy(), few, |live| live);
    let open = || Socket::try_connect(server.address, "/live", &[]).map(drop);
    let opened: Vec<_> = (0..12).map(|_| open()).collect();
    let refused = opened.iter().filter(|opened| **opened == Err(429)).count();
    assert!((1..=8).contains(&refused), "{opened:?}");
    assert!(opened[..8].iter().all(Result::is_ok), "eight at once are fine");
    wait_for("a token", || open().ok());
    assert!(server.logged("why=\"too many\"") >= refused);
}

#[test]
fn those_who_mean_harm_do_not_slow_down_the_others() {
    let server = start(open_policy());
    let source = plan(3).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    publishing.follow(&source.pieces[0]);
    let join = Message::Join(Join::new(name(), views(&[0, 1, 2]))).to_bytes();
    // Those who open and say half a head, who never read, and who ask for everything again and again.
    let mut loris: Vec<TcpStream> =
        (0..50).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    loris.iter_mut().for_each(|one| one.write_all(b"GET /live HT").unwrap());
    let mut deaf: Vec<TcpStream> = (0..20).map(|_| raw_socket(&server)).collect();
    deaf.iter_mut().for_each(|one| one.write_all(&masked(2, &join)).unwrap());
    let mut floods: Vec<Box<dyn Wire>> = ALL.map(|carrier| carrier.connect(&server)).into();
    floods.iter_mut().for_each(|one| one.send(&join));
    let seek = Message::Seek(StartAt::Tick(Tick::ZERO)).to_bytes();
    let watch = |seen: &[u8]| {
        Watching::new(Join::new(name(), views(seen)), Carrier::WebSocket.connect(&server))
    };
    let mut watching = vec![watch(&[0]), watch(&[1, 2])];
    let begin = Instant::now();
    for tick in 1..source.pieces.len() {
        for flood in &mut floods {
            (0..20).for_each(|_| flood.send(&seek));
            let _ = flood.receive();
        }
        super::common::play_one(&source, tick, &mut publishing, &mut watching);
    }
    super::common::finish(&mut publishing, &mut watching);
    assert_equals(&source, &watching[0].tape, views(&[0]), 0);
    assert_equals(&source, &watching[1].tape, views(&[1, 2]), 0);
    assert!(begin.elapsed() < LONG / 2);
}

/// Joins, goes to the start this many times at once, and gives how long it takes until all of it was heard.
fn time_of_seeks(wire: &mut dyn Wire, count: usize) -> Duration {
    wire.send(&Message::Join(Join::new(name(), views(&[0]))).to_bytes());
    let begin = Instant::now();
    let seek = Message::Seek(StartAt::Tick(Tick::ZERO)).to_bytes();
    (0..count).for_each(|_| wire.send(&seek));
    // The seat moves once when it is given, and once for each message that was heard.
    let mut moved = 0;
    wait_for("answers", || {
        while let Ok(Some(message)) = wire.receive() {
            moved += usize::from(matches!(Message::read(&message), Ok(Message::Moved(_))));
        }
        (moved == count + 1).then_some(())
    });
    begin.elapsed()
}

#[test]
fn who_floods_is_heard_fifty_times_a_second() {
    let server = start(open_policy());
    let source = plan(4).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    publishing.follow(&source.pieces[0]);
    for carrier in ALL {
        let mut wire = carrier.connect(&server);
        let answered = time_of_seeks(&mut *wire, 250);
        assert!(answered >= Duration::from_millis(980), "{answered:?}");
    }
}

#[test]
fn who_asks_for_everything_again_and_again_waits_for_it() {
    // 32 answers at once, and 16 a second after that.
    let little = LiveLimits { history: 512, ..limits() };
    let server = start_with(open_policy(), little, |live| live);
    let source = plan(5).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    publishing.follow(&source.pieces[0]);
    let mut wire = Carrier::WebSocket.connect(&server);
    let answered = time_of_seeks(&mut *wire, 48);
    assert!(answered >= Duration::from_millis(900), "{answered:?}");
}

#[test]
fn a_publisher_that_sends_nonsense_hurts_its_own_match_alone() {
    let server = start(open_policy());
    let good = plan(4).play();
    let mut publishing = Publishing::new(good.publisher(), Socket::connect(server.address));
    let mut watching =
        vec![Watching::new(Join::new(name(), views(&[0])), Socket::connect(server.address))];
    for (number, carrier) in ALL.into_iter().enumerate() {
        let bad = gametape_live::Publisher::new(
            format!("bad-{number}").parse().unwrap(),
            good.header,
            "{}",
            views(&[0]),
            1 << 20,
        );
        let mut wire = carrier.connect(&server);
        wire.send(&bad.unwrap().announce());
        wait_for("an answer", || wire.receive().unwrap());
        wire.send(&[0x10, 0, 4, 0xFF, 0xFF, 0xFF, 0xFF]);
        wait_for("the end", || wire.receive().err());
    }
    play(&good, &mut publishing, &mut watching);
    assert_equals(&good, &watching[0].tape, views(&[0]), 0);
}
