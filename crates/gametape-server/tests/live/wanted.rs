//! A server gets no view that nobody on it may see, and all of it from the moment that somebody comes.

use std::sync::Arc;
use std::time::Duration;

use gametape_bus::{InProcess, Port};
use gametape_live::{Classes, Grant, Join, Message, Notice, Pass, Shared, StartAt};
use gametape_server::live::LiveLimits;
use gametape_tape::SigningKey;
use gametape_wire::{Tick, View, ViewSet};

use super::common::{
    Ended, Publishing, Running, Socket, Watching, Wire, finish, limits, play_one, start,
    start_with, wait_for,
};
use super::http::{delayed, pass};
use super::sessions::assert_equals;
use super::toy::{Match, Plan, name, views};

fn plan(seed: u64) -> Plan {
    Plan { ticks: 90, events: true, extras: true, ..Plan::small(seed) }
}

/// A connection that notes what is sent, and what the server wants.
struct Noted {
    wire: Socket,
    sent: ViewSet,
    wanted: Vec<ViewSet>,
}

impl Noted {
    fn connect(server: &Running) -> Self {
        Self { wire: Socket::connect(server.address), sent: ViewSet::EMPTY, wanted: Vec::new() }
    }
}

impl Wire for Noted {
    fn receive(&mut self) -> std::result::Result<Option<Shared>, Ended> {
        let came = self.wire.receive()?;
        if let Some(Ok(Message::Have(have))) = came.as_ref().map(|bytes| Message::read(bytes)) {
            self.wanted.push(have.iter().map(|(view, _)| *view).collect());
        }
        Ok(came)
    }

    fn send(&mut self, bytes: &[u8]) {
        let of: Option<View> = match Message::read(bytes).unwrap() {
            Message::Data(data) => Some(data.view),
            Message::Mark(mark) => Some(mark.view),
            _ => None,
        };
        self.sent = of.map_or(self.sent, |of| self.sent.with(of));
        self.wire.send(bytes);
    }
}

fn join(seen: ViewSet, pass: Vec<u8>) -> Join {
    Join { pass, ..Join::new(name(), seen) }
}

/// Publishes ticks, and waits until strangers could know them without a delay.
fn publish<W: Wire>(
    server: &Running,
    source: &Match,
    publishing: &mut Publishing<W>,
    ticks: std::ops::Range<usize>,
) {
    let last = ticks.end as i64 - 2;
    ticks.for_each(|tick| play_one::<_, Socket>(source, tick, publishing, &mut []));
    let path = format!("/live/m1/0/now?pass={}", pass(views(&[0]), 0));
    wait_for("what was sent", || {
        publishing.step();
        (server.get(&path).json()["tick"].as_i64() >= Some(last)).then_some(())
    });
}

/// Passes that are none here.
fn worthless() -> Vec<Vec<u8>> {
    let grant = Grant { views: ViewSet::ALL, classes: Classes::ALL, delay: 0 };
    let foreign = SigningKey::from_seed(&[8; 32]);
    let own = super::http::key();
    let mut forged = pass(views(&[2]), 0).to_bytes();
    // More views than were signed.
    forged[4] = 0xFF;
    vec![
        forged,
        Pass::sign(name(), grant, 4_000_000_000, &foreign).to_bytes(),
        Pass::sign(name(), grant, 1, &own).to_bytes(),
        Pass::sign("m2".parse().unwrap(), grant, 4_000_000_000, &own).to_bytes(),
        Pass::sign_publishing(name(), ViewSet::ALL, 4_000_000_000, &own).to_bytes(),
        b"nothing".to_vec(),
    ]
}

/// Everybody whose pass is worth nothing is sent away, over sockets and HTTP.
fn try_worthless(server: &Running) {
    for bytes in worthless() {
        let mut wire = Socket::connect(server.address);
        wire.send(&Message::Join(join(views(&[1, 2]), bytes.clone())).to_bytes());
        let answer = wait_for("an answer", || wire.receive().unwrap());
        assert!(matches!(Message::read(&answer).unwrap(), Message::Refuse(_)));
        if let Ok(pass) = Pass::read(&bytes) {
            for file in ["now", "init", "delta/0", "end"] {
                assert_eq!(server.get(&format!("/live/m1/2/{file}?pass={pass}")).status, 404);
            }
        }
    }
    let mut stranger = Socket::connect(server.address);
    stranger.send(&Message::Join(join(views(&[1, 2]), Vec::new())).to_bytes());
    let answer = wait_for("an answer", || stranger.receive().unwrap());
    assert!(matches!(Message::read(&answer).unwrap(), Message::Refuse(_)));
    assert_eq!(server.get("/live/m1/2/now").status, 404);
}

/// Who comes late for view 2 begins near the end, and goes back to the start.
fn watch_late(server: &Running, mut work: impl FnMut()) -> Watching<Socket> {
    let pass = pass(views(&[2]), 0).to_bytes();
    let mut late = Watching::new(join(views(&[1, 2]), pass), Socket::connect(server.address));
    let began = wait_for("the begin", || {
        work();
        late.step().unwrap();
        late.notices.iter().find_map(|notice| match notice {
            Notice::Began { tick } => Some(tick.0),
            _ => None,
        })
    });
    assert!((30..40).contains(&began), "{began}");
    let seek = late.spectator.seek(StartAt::Tick(Tick::ZERO));
    late.wire.as_mut().unwrap().send(&seek);
    late
}

#[test]
fn a_publisher_sends_a_view_when_somebody_comes_who_may_see_it() {
    let server = start(delayed());
    let source = plan(1).play();
    let mut publishing = Publishing::new(source.publisher(), Noted::connect(&server));
    publish(&server, &source, &mut publishing, 0..40);
    assert_eq!(publishing.wire.sent, views(&[0]));
    try_worthless(&server);
    let mut watching = vec![watch_late(&server, || publishing.step())];
    for tick in 40..source.pieces.len() {
        play_one(&source, tick, &mut publishing, &mut watching);
    }
    finish(&mut publishing, &mut watching);
    assert_equals(&source, &watching[0].tape, views(&[2]), 0);
    assert_eq!(publishing.wire.wanted, [views(&[0]), views(&[0, 2])]);
    assert_eq!(publishing.wire.sent, views(&[0, 2]));
}

#[test]
fn segments_of_a_view_are_made_from_its_start_when_somebody_asks_with_a_pass() {
    let server = start(delayed());
    let source = plan(2).play();
    let mut publishing = Publishing::new(source.publisher(), Noted::connect(&server));
    publish(&server, &source, &mut publishing, 0..50);
    let own = pass(views(&[1]), 0);
    let path = |file: &str| format!("/live/m1/1/{file}?pass={own}");
    let listed = server.get(&format!("/live/matches.json?pass={own}")).json();
    assert_eq!(listed["matches"][0]["views"], serde_json::json!([1]));
    assert_eq!(publishing.wire.sent, views(&[0]), "a list is no reason");
    // It exists as a whole, or not at all.
    let first = wait_for("the view", || {
        let now = server.get(&path("now")).json();
        publishing.step();
        (now["slot"] != -1).then_some(now)
    });
    assert!(first["tick"].as_i64() >= Some(48), "{first}");
    for tick in 50..source.pieces.len() {
        play_one::<_, Socket>(&source, tick, &mut publishing, &mut []);
    }
    let now = wait_for("the end", || {
        publishing.step();
        let now = server.get(&path("now")).json();
        (now["over"] == true).then_some(now)
    });
    let mut tape = server.get(&path("init")).body;
    for slot in 0..=now["slot"].as_u64().unwrap() {
        tape.extend(server.get(&path(&format!("delta/{slot}"))).body);
    }
    tape.extend(server.get(&path("end")).body);
    assert_equals(&source, &tape, views(&[1]), 0);
    assert_eq!(publishing.wire.sent, views(&[0, 1]));
}

#[test]
fn a_view_that_nobody_needs_is_dropped_and_comes_again() {
    let unneeded = Duration::from_millis(200);
    let limits = LiveLimits { unneeded, ..limits() };
    let server = start_with(delayed(), limits, |live| live);
    let source = plan(3).play();
    let mut publishing = Publishing::new(source.publisher(), Noted::connect(&server));
    publish(&server, &source, &mut publishing, 0..40);
    let late = watch_late(&server, || publishing.step());
    drop(late);
    wait_for("that it is dropped", || {
        publishing.step();
        (publishing.wire.wanted.last() == Some(&views(&[0]))).then_some(())
    });
    publishing.wire.sent = ViewSet::EMPTY;
    publish(&server, &source, &mut publishing, 40..60);
    assert_eq!(publishing.wire.sent, views(&[0]));
    let join = Join {
        from: StartAt::Tick(Tick::ZERO),
        ..join(views(&[2]), pass(views(&[2]), 0).to_bytes())
    };
    let mut watching = vec![Watching::new(join, Socket::connect(server.address))];
    for tick in 60..source.pieces.len() {
        play_one(&source, tick, &mut publishing, &mut watching);
    }
    finish(&mut publishing, &mut watching);
    assert_equals(&source, &watching[0].tape, views(&[2]), 0);
}

#[test]
fn a_server_on_a_bus_subscribes_to_a_view_when_somebody_comes_who_may_see_it() {
    let bus = super::noted::Noted::new(Arc::new(InProcess::default()));
    let server = start_with(delayed(), limits(), |live| live.with_own_bus(bus.clone()));
    let source = plan(4).play();
    let mut publisher = source.publisher();
    let Message::Announce(announce) = Message::read(&publisher.announce()).unwrap() else {
        panic!()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let port = runtime.block_on(Port::open(Arc::clone(&bus.inner), &announce));
    let mut port = port.unwrap();
    let link = publisher.connect(&port.have(), Duration::ZERO);
    let mut step = |pieces: &[Vec<u8>]| {
        publisher.follow(&pieces.concat(), Duration::ZERO).unwrap();
        while let Some(again) = port.try_receive() {
            publisher.receive(link, &again, Duration::ZERO).unwrap();
        }
        let batch = publisher.poll(link, Duration::ZERO, usize::MAX);
        port.send(&batch);
    };
    let now = format!("/live/m1/0/now?pass={}", pass(views(&[0]), 0));
    wait_for("the match", || {
        step(&[]);
        (server.get(&now).status == 200).then_some(())
    });
    step(&source.pieces[..40]);
    wait_for("what was sent", || {
        step(&[]);
        (server.get(&now).json()["tick"].as_i64() >= Some(38)).then_some(())
    });
    try_worthless(&server);
    assert_eq!(bus.views(), views(&[0]));
    let mut late = watch_late(&server, || step(&[]));
    step(&source.pieces[40..]);
    wait_for("the end", || {
        step(&[]);
        late.step().unwrap();
        late.is_over().then_some(())
    });
    assert_equals(&source, &late.tape, views(&[2]), 0);
    assert_eq!(bus.views(), views(&[0, 2]));
}
