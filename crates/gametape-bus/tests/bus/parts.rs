//! A publisher, edges with spectators, and what they must have in the end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gametape_bus::{Bus, Edge, Port, QUIET};
use gametape_live::{
    Announce, Classes, Classify, Grant, Join, MatchName, Message, Notice, Publisher, Relay, SeatId,
    Shared, Spectator,
};
use gametape_minewars::Class;
use gametape_wire::{Result, Tick, View, ViewSet};

use crate::toy::{Match, ToyClasses, received};

/// The classes of the toy, but nothing may be missed: on a slow machine everything is late sometimes.
#[derive(Debug)]
struct Reliable(ToyClasses);

impl Classify for Reliable {
    fn setup(&mut self, view: View, setup: &[u8]) {
        self.0.setup(view, setup);
    }

    fn split<'p>(&mut self, view: View, payload: &'p [u8], runs: &mut Vec<(Class, &'p [u8])>) {
        self.0.split(view, payload, runs);
        for (class, _) in runs.iter_mut().filter(|(class, _)| *class == Class::Unreliable) {
            *class = Class::Background;
        }
    }
}

/// The publisher of a match.
pub(crate) fn publisher(source: &Match) -> Publisher {
    source.publisher().with_classes(Reliable(ToyClasses))
}

/// Nothing takes longer than this.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// An edge, and those who watch there.
#[derive(Debug)]
pub(crate) struct TestEdge {
    views: ViewSet,
    /// Those that are wanted before somebody watches.
    kept: ViewSet,
    clock: Mutex<Clock>,
    rooms: Mutex<HashMap<MatchName, Relay>>,
    seats: Mutex<Vec<Seat>>,
}

/// Time in which the edge was at work. Where other programs have the processor it passes more slowly: what does not come
/// then is late, and not lost.
#[derive(Debug)]
struct Clock {
    looked: Instant,
    passed: Duration,
}

impl Default for Clock {
    fn default() -> Self {
        Self { looked: Instant::now(), passed: Duration::ZERO }
    }
}

impl Clock {
    /// An edge with a processor looks at least this often.
    const BEAT: Duration = Duration::from_millis(20);

    fn now(&mut self) -> Duration {
        let looked = std::mem::replace(&mut self.looked, Instant::now());
        self.passed += self.looked.duration_since(looked).min(Self::BEAT);
        self.passed
    }
}

#[derive(Debug)]
struct Seat {
    name: MatchName,
    spectator: Spectator,
    id: Option<SeatId>,
    tape: Vec<u8>,
    is_over: bool,
    shown: Instant,
    /// The longest time in which nothing new could be shown.
    stall: Duration,
}

impl TestEdge {
    pub(crate) fn new(views: ViewSet) -> Arc<Self> {
        Self::keeping(views, views)
    }

    /// An edge that wants some of its views only when somebody watches.
    pub(crate) fn keeping(kept: ViewSet, views: ViewSet) -> Arc<Self> {
        let (rooms, seats) = (Mutex::default(), Mutex::default());
        Arc::new(Self { views, kept, clock: Mutex::default(), rooms, seats })
    }

    /// The last tick of a match that is over.
    pub(crate) fn over(&self, name: &MatchName) -> Option<u64> {
        self.rooms.lock().unwrap().get(name)?.released(0, self.now()).map(|tick| tick.0)
    }

    fn now(&self) -> Duration {
        self.clock.lock().unwrap().now()
    }

    /// This many watch a match from now on, or as soon as it is there.
    pub(crate) fn watch(&self, name: &MatchName, count: usize) {
        let seat = || Seat {
            name: name.clone(),
            spectator: Spectator::new(Join::new(name.clone(), self.views)),
            id: None,
            tape: Vec::new(),
            is_over: false,
            shown: Instant::now(),
            stall: Duration::ZERO,
        };
        self.seats.lock().unwrap().extend((0..count).map(|_| seat()));
    }

    /// Hands everything on that can be.
    fn step(&self) {
        let (mut rooms, now) = (self.rooms.lock().unwrap(), self.now());
        for seat in self.seats.lock().unwrap().iter_mut().filter(|seat| !seat.is_over) {
            if let Some(room) = rooms.get_mut(&seat.name) {
                seat.step(room, self.views, now);
            }
        }
    }

    /// Hands on until everybody has seen the end.
    pub(crate) async fn run(&self) {
        let mut beat = tokio::time::interval(Duration::from_millis(10));
        while !self.seats.lock().unwrap().iter().all(|seat| seat.is_over) {
            beat.tick().await;
            self.step();
        }
    }

    /// Everybody who watched has what the source has.
    pub(crate) fn check(&self, source: &Match) -> Duration {
        let journal = source.journal();
        let seats = self.seats.lock().unwrap();
        assert!(!seats.is_empty());
        for (number, seat) in seats.iter().enumerate() {
            assert!(seat.is_over);
            for view in self.views.iter() {
                let (seen, expected) = (received(&seat.tape, view), received(&journal, view));
                assert!(
                    seen == expected,
                    "seat {number}, view {view:?}: {} of {} payloads",
                    seen.len(),
                    expected.len()
                );
            }
        }
        seats.iter().map(|seat| seat.stall).max().unwrap()
    }

    /// The last tick that somebody can see.
    pub(crate) fn shown(&self) -> Option<u64> {
        self.seats
            .lock()
            .unwrap()
            .iter()
            .filter_map(|seat| seat.spectator.shown())
            .min()
            .map(|tick| tick.0)
    }
}

impl Seat {
    fn step(&mut self, room: &mut Relay, views: ViewSet, now: Duration) {
        let id = *self.id.get_or_insert_with(|| {
            self.shown = Instant::now();
            let Message::Join(mut join) = Message::read(&self.spectator.join()).unwrap() else {
                panic!()
            };
            // From the start on, to have everything.
            join.from = gametape_live::StartAt::Tick(Tick::ZERO);
            let grant = Grant { views, classes: Classes::ALL, delay: 0 };
            room.want(views, now);
            room.join(&join, &grant, now).unwrap()
        });
        for out in room.poll(id, now, 1 << 20) {
            self.spectator.receive(&out.bytes, now).unwrap();
        }
        for again in self.spectator.poll(now).unwrap() {
            room.receive(id, &again, now).unwrap();
        }
        for notice in self.spectator.notices() {
            match notice {
                Notice::Shown { .. } => {
                    self.stall = self.stall.max(self.shown.elapsed());
                    self.shown = Instant::now();
                }
                Notice::Over => self.is_over = true,
                Notice::Lost { .. } => panic!("{notice:?}"),
                _ => {}
            }
        }
        self.tape.extend(self.spectator.take_tape().unwrap());
    }
}

impl Edge for TestEdge {
    fn announced(&self, announce: &Announce) -> bool {
        let room = Relay::new(announce.clone(), self.kept, usize::MAX);
        self.rooms.lock().unwrap().entry(announce.name.clone()).or_insert(room);
        true
    }

    fn wanted(&self, name: &MatchName) -> ViewSet {
        self.rooms.lock().unwrap().get(name).map_or(ViewSet::EMPTY, Relay::views)
    }

    fn receive(&self, name: &MatchName, messages: &[Shared]) -> Result<bool> {
        let now = self.now();
        let mut rooms = self.rooms.lock().unwrap();
        let (room, mut is_news) = (rooms.get_mut(name).unwrap(), false);
        for message in messages {
            is_news |= room.receive_published(message, now)?;
        }
        Ok(is_news)
    }

    fn ask(&self, name: &MatchName) -> Vec<Shared> {
        let now = self.now();
        self.rooms.lock().unwrap().get_mut(name).unwrap().poll_publisher(now)
    }

    fn is_done(&self, _: &MatchName) -> bool {
        false
    }
}

pub(crate) fn announce_of(publisher: &Publisher) -> Announce {
    match Message::read(&publisher.announce()).unwrap() {
        Message::Announce(announce) => announce,
        other => panic!("{other:?}"),
    }
}

/// Publishes a match in pieces, as it is played: one each `pace`, up to this many.
pub(crate) struct Playing {
    publisher: Publisher,
    port: Port,
    link: SeatId,
    began: Instant,
}

impl Playing {
    pub(crate) async fn begin(bus: Arc<dyn Bus>, publisher: Publisher) -> Self {
        let mut publisher = publisher;
        let port = Port::open(bus, &announce_of(&publisher)).await.unwrap();
        let link = publisher.connect(&port.have(), Duration::ZERO);
        Self { publisher, port, link, began: Instant::now() }
    }

    fn step(&mut self) {
        let now = self.began.elapsed();
        while let Some(again) = self.port.try_receive() {
            self.publisher.receive(self.link, &again, now).unwrap();
        }
        let batch = self.publisher.poll(self.link, now, usize::MAX);
        self.port.send(&batch);
    }

    pub(crate) async fn play(&mut self, pieces: &[Vec<u8>], pace: Duration) {
        let mut beat = tokio::time::interval(pace.max(Duration::from_millis(1)));
        for piece in pieces {
            if !pace.is_zero() {
                beat.tick().await;
            }
            self.publisher.follow(piece, self.began.elapsed()).unwrap();
            self.step();
        }
    }

    /// Answers until nobody asks any more.
    pub(crate) async fn finish(&mut self) {
        let mut beat = tokio::time::interval(Duration::from_millis(50));
        let (over, mut beats) = (Instant::now(), 0);
        while over.elapsed() < QUIET || self.port.quiet_for() < QUIET {
            beat.tick().await;
            self.step();
            beats += 1;
            if beats % 10 == 0 {
                self.say_marks();
            }
        }
        self.port.flush().await.unwrap();
    }

    /// Goes on while nothing happens in the match, until something is so.
    pub(crate) async fn pause_until(&mut self, mut is_so: impl FnMut() -> bool) {
        let mut beat = tokio::time::interval(Duration::from_millis(50));
        while !is_so() {
            beat.tick().await;
            self.step();
            self.say_marks();
        }
    }

    fn say_marks(&mut self) {
        let marks = self.publisher.heartbeat(self.link);
        let marks: Vec<_> = marks.into_iter().map(gametape_live::Outgoing::new).collect();
        self.port.send(&marks);
    }

    /// What the bus has, as far as this publisher knows.
    pub(crate) fn have(&self) -> Vec<(gametape_wire::View, gametape_live::PerLane)> {
        self.port.have()
    }
}

/// What is done within a minute.
pub(crate) async fn in_time<T>(work: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, work).await.expect("it takes too long")
}
