//! Nobody gets what is not meant for it: 50 matches over each transport, read message by message.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use gametape_live::{
    Again, Classes, Grant, Join, Lane, MatchName, Message, Pass, Publisher, Refusal, Shared,
    StartAt,
};
use gametape_server::live::Policy;
use gametape_tape::SigningKey;
use gametape_wire::{Tick, View, ViewSet};

use super::common::{Publishing, Running, Socket, Wire, play_one, start, wait_for};
use super::http::{delayed, key};
use super::toy::{METADATA, Match, Plan, ToyClasses, view, views};
use super::transports::{ALL, Carrier};

const MATCHES: u64 = 50;

fn plan(seed: u64) -> Plan {
    Plan { ticks: 45, events: true, extras: true, ..Plan::small(seed) }
}

fn named(source: &Match, name: &MatchName, seen: ViewSet) -> Publisher {
    let made = Publisher::new(name.clone(), source.header, METADATA, seen, usize::MAX);
    made.unwrap().with_classes(ToyClasses)
}

fn sign(name: &MatchName, seen: ViewSet, delay: u64, key: &SigningKey) -> Pass {
    let grant = Grant { views: seen, classes: Classes::ALL, delay };
    Pass::sign(name.clone(), grant, 4_000_000_000, key)
}

fn join(name: &MatchName, seen: ViewSet, pass: Option<&Pass>) -> Shared {
    let pass = pass.map(Pass::to_bytes).unwrap_or_default();
    Message::Join(Join { pass, ..Join::new(name.clone(), seen) }).to_bytes()
}

/// Every numbered message of a view, made from the journal without any other view.
fn messages_of(source: &Match, name: &MatchName, of: View) -> HashSet<Shared> {
    let mut alone = named(source, name, ViewSet::EMPTY.with(of));
    alone.follow(&source.journal(), Duration::ZERO).unwrap();
    let all = |lane| alone.messages(&Again { view: of, lane, numbers: 0..1 << 40 });
    Lane::ALL.into_iter().flat_map(all).collect()
}

/// A seat that reads everything that it gets, and asks for what is not its own.
struct Spy {
    wire: Box<dyn Wire>,
    seen: View,
    delay: u64,
    own: HashSet<Shared>,
    data: usize,
}

impl Spy {
    /// Checks what came while the ticks up to `over` were over.
    fn read(&mut self, over: u64) {
        let messages = self.taken();
        self.check(&messages, over);
    }

    fn taken(&mut self) -> Vec<Shared> {
        std::iter::from_fn(|| self.wire.receive().unwrap()).collect()
    }

    fn check(&mut self, messages: &[Shared], over: u64) {
        for bytes in messages {
            let limit = if self.delay == 0 { u64::MAX } else { over.saturating_sub(self.delay) };
            match Message::read(bytes).unwrap() {
                Message::Welcome(welcome) => {
                    assert_eq!(
                        (welcome.views, welcome.delay),
                        (ViewSet::EMPTY.with(self.seen), self.delay)
                    );
                }
                Message::Moved(moved) => {
                    assert!(moved.view == self.seen && moved.tick <= Tick(limit));
                }
                Message::Mark(mark) => {
                    assert!(
                        mark.view == self.seen && mark.tick <= Tick(limit),
                        "{mark:?} over {over}"
                    );
                }
                Message::Data(data) => {
                    assert!(data.tick <= Tick(limit), "tick {} while {over} is over", data.tick);
                    assert!(self.own.contains(bytes), "it is none of view {}", self.seen);
                    self.data += 1;
                }
                other => panic!("{other:?}"),
            }
        }
    }

    fn ask_for_everything(&mut self, number: u64) {
        for of in ViewSet::ALL.iter() {
            for lane in Lane::ALL {
                let again = Again { view: of, lane, numbers: number..number + 4 };
                self.wire.send(&Message::Again(again).to_bytes());
            }
        }
    }
}

fn spy(server: &Running, carrier: Carrier, source: &Match, name: &MatchName, delay: u64) -> Spy {
    // Who has no pass sees view 0 with the delay of strangers.
    let (seen, pass) = match delay {
        0 => (view(2), Some(sign(name, views(&[2]), 0, &key()))),
        _ => (view(0), None),
    };
    let mut wire = carrier.connect(server);
    wire.send(&join(name, ViewSet::ALL, pass.as_ref()));
    Spy { wire, seen, delay, own: messages_of(source, name, seen), data: 0 }
}

fn spy_on(carrier: Carrier) {
    let server = start(delayed());
    for seed in 0..MATCHES {
        let source = plan(seed).play();
        let name: MatchName = format!("m-{seed}").parse().unwrap();
        let made = named(&source, &name, source.views);
        let mut publishing = Publishing::new(made, Socket::connect(server.address));
        let mut spies = [0, 20].map(|delay| spy(&server, carrier, &source, &name, delay));
        let mut ended = None;
        for tick in 0..source.pieces.len() {
            if tick as u64 == source.ticks {
                // The match ends: what follows is released by the clock.
                spies.iter_mut().for_each(|spy| spy.read(source.ticks - 1));
                ended = Some(Instant::now());
            }
            play_one::<_, Socket>(&source, tick, &mut publishing, &mut []);
            // The server may know of the tick before this one that it is over, and of no later one.
            if ended.is_none() {
                spies.iter_mut().for_each(|spy| spy.read((tick as u64).saturating_sub(1)));
            }
            if tick % 15 == 7 {
                spies.iter_mut().for_each(|spy| spy.ask_for_everything(tick as u64 / 2));
            }
            if tick % 20 == 19 {
                let seek = Message::Seek(StartAt::Tick(Tick(tick as u64 + 1000))).to_bytes();
                spies.iter_mut().for_each(|spy| spy.wire.send(&seek));
            }
        }
        let ended = ended.unwrap();
        wait_for("something to read", || {
            publishing.step();
            for spy in &mut spies {
                // Taken first: what comes later was released at most until now.
                let messages = spy.taken();
                let passed = ended.elapsed().as_millis() as u64 / 50;
                spy.check(&messages, source.ticks + passed);
            }
            spies.iter().all(|spy| spy.data > 20).then_some(())
        });
    }
}

#[test]
fn over_a_websocket_a_seat_gets_its_own_view_when_it_is_released() {
    spy_on(Carrier::WebSocket);
}

#[test]
fn over_quic_a_seat_gets_its_own_view_when_it_is_released() {
    spy_on(Carrier::Quic);
}

#[test]
fn over_webtransport_a_seat_gets_its_own_view_when_it_is_released() {
    spy_on(Carrier::WebTransport);
}

#[test]
fn segments_of_a_view_do_not_depend_on_the_others() {
    let server = start(delayed());
    for seed in 0..MATCHES {
        // The same for view 2, and something else for the others.
        let source = plan(seed).play();
        let other = Plan { other: Some((0, views(&[2]))), ..plan(seed) }.play();
        let files = [source, other].map(|source| {
            let name: MatchName = format!("m-{seed}-{}", source.journal().len()).parse().unwrap();
            let made = named(&source, &name, source.views);
            let mut publishing = Publishing::new(made, Socket::connect(server.address));
            for tick in 0..source.pieces.len() {
                play_one::<_, Socket>(&source, tick, &mut publishing, &mut []);
            }
            let pass = sign(&name, views(&[2]), 0, &key());
            let get = |file: &str| server.get(&format!("/live/{name}/2/{file}?pass={pass}"));
            wait_for("the end", || {
                publishing.step();
                (get("end").status == 200).then_some(())
            });
            for of in [0, 1, 3, 15] {
                let answer = server.get(&format!("/live/{name}/{of}/init?pass={pass}"));
                assert_eq!(answer.status, 404, "view {of}");
            }
            assert_eq!(server.get(&format!("/live/{name}/2/init")).status, 404, "no pass");
            ["init", "delta/0", "delta/1", "delta/2", "keyframe/1", "keyframe/2", "end"]
                .map(|file| get(file).body)
        });
        assert!(files[0] == files[1], "seed {seed}");
    }
}

#[test]
fn passes_that_are_not_valid_are_refused_and_logged() {
    let policy = Policy { public: ViewSet::EMPTY, ..delayed() };
    let server = start(policy);
    let source = plan(1).play();
    let name: MatchName = "m1".parse().unwrap();
    let mut publishing =
        Publishing::new(named(&source, &name, source.views), Socket::connect(server.address));
    publishing.follow(&source.pieces[0]);
    let grant = Grant { views: ViewSet::ALL, classes: Classes::ALL, delay: 0 };
    let good = sign(&name, views(&[2]), 0, &key());
    let mut forged = good.to_bytes();
    forged[5] |= 1;
    let mut cut = good.to_bytes();
    cut.pop();
    let foreign = sign(&name, ViewSet::ALL, 0, &SigningKey::from_seed(&[8; 32]));
    let other = sign(&"m2".parse().unwrap(), ViewSet::ALL, 0, &key());
    let passes: [(Vec<u8>, Refusal); 7] = [
        (Vec::new(), Refusal::NoMatch),
        (forged, Refusal::BadPass),
        (cut, Refusal::BadPass),
        (foreign.to_bytes(), Refusal::BadPass),
        (other.to_bytes(), Refusal::BadPass),
        (Pass::sign(name.clone(), grant, 1_000_000_000, &key()).to_bytes(), Refusal::BadPass),
        (
            Pass::sign_publishing(name.clone(), ViewSet::ALL, 4_000_000_000, &key()).to_bytes(),
            Refusal::BadPass,
        ),
    ];
    let mut count = 0;
    for carrier in ALL {
        let ask = |name: &MatchName, seen, pass: Vec<u8>| {
            let mut wire = carrier.connect(&server);
            wire.send(&Message::Join(Join { pass, ..Join::new(name.clone(), seen) }).to_bytes());
            let answer = wait_for("an answer", || wire.receive().unwrap());
            wait_for("the end", || {
                wire.receive().map_or(Some(()), |more| {
                    assert!(more.is_none(), "something after the refusal");
                    None
                })
            });
            answer
        };
        let no_match = Message::Refuse(Refusal::NoMatch).to_bytes();
        for (pass, refusal) in &passes {
            let answer = ask(&name, ViewSet::ALL, pass.clone());
            assert_eq!(answer, Message::Refuse(*refusal).to_bytes(), "{carrier:?} {refusal:?}");
        }
        // A view that the pass is not for, and a match that is not there, are the same.
        assert_eq!(ask(&name, views(&[1]), good.to_bytes()), no_match);
        assert_eq!(ask(&"m3".parse().unwrap(), views(&[1]), Vec::new()), no_match);
        count += passes.len() + 2;
    }
    wait_for("the log", || (server.logged("event=refused") >= count).then_some(()));
    assert_eq!(server.logged("event=joined"), 0);
    for (pass, _) in &passes {
        let text =
            Pass::read(pass).map(|pass| pass.to_string()).unwrap_or_else(|_| "gtp1_x".into());
        assert_eq!(server.get(&format!("/live/m1/2/now?pass={text}")).status, 404);
    }
    assert_eq!(server.get(&format!("/live/m1/2/now?pass={good}")).status, 200);
}

#[test]
fn who_may_not_publish_is_refused() {
    let server = start(Policy { open: false, ..delayed() });
    let source = plan(2).play();
    let name: MatchName = "m1".parse().unwrap();
    let publisher = |pass: Option<Pass>| {
        let made = named(&source, &name, source.views);
        match pass {
            Some(pass) => made.with_pass(&pass),
            None => made,
        }
    };
    let until = 4_000_000_000;
    let few = Pass::sign_publishing(name.clone(), views(&[0]), until, &key());
    let foreign =
        Pass::sign_publishing(name.clone(), ViewSet::ALL, until, &SigningKey::from_seed(&[8; 32]));
    for pass in [None, Some(few), Some(foreign), Some(sign(&name, ViewSet::ALL, 0, &key()))] {
        for carrier in ALL {
            let refused = Publishing::try_new(publisher(pass.clone()), carrier.connect(&server));
            assert!(matches!(refused, Err(Refusal::BadPass)));
        }
    }
    let good = Pass::sign_publishing(name.clone(), ViewSet::ALL, until, &key());
    assert!(Publishing::try_new(publisher(Some(good)), Socket::connect(server.address)).is_ok());
}
