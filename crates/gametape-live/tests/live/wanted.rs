//! Views that a relay wants only when somebody comes who may see them.

use std::time::Duration;

use gametape_live::{
    Classes, Grant, Join, Message, Notice, Publisher, Relay, SeatId, Shared, Spectator, StartAt,
};
use gametape_wire::{Tick, View, ViewSet};

use super::common::{Match, Plan, name, received, view, views};

const NOW: Duration = Duration::ZERO;

fn source() -> Match {
    Plan { ticks: 60, events: true, extras: true, ..Plan::small(5) }.play()
}

/// A publisher with a link to a relay that wants some views.
struct Linked {
    publisher: Publisher,
    link: SeatId,
    relay: Relay,
    now: Duration,
    /// The views of everything that was sent.
    sent: Vec<View>,
}

impl Linked {
    fn new(source: &Match, kept: ViewSet) -> Self {
        let mut publisher = source.publisher();
        let relay = source.relay(&publisher, kept);
        let link = publisher.connect(&[], NOW);
        let mut linked = Self { publisher, link, relay, now: NOW, sent: Vec::new() };
        linked.announce();
        linked
    }

    /// The publisher learns what the relay wants.
    fn announce(&mut self) {
        self.publisher.receive(self.link, &self.relay.have(), self.now).unwrap();
    }

    fn follow(&mut self, pieces: &[Vec<u8>]) {
        self.publisher.follow(&pieces.concat(), self.now).unwrap();
        while self.hand_over(usize::MAX) {}
    }

    /// Hands over about as many bytes; false where there is nothing.
    fn hand_over(&mut self, budget: usize) -> bool {
        let out = self.publisher.poll(self.link, self.now, budget);
        for message in &out {
            self.sent.push(match Message::read(&message.bytes).unwrap() {
                Message::Data(data) => data.view,
                Message::Mark(mark) => mark.view,
                other => panic!("{other:?}"),
            });
            self.relay.receive_published(&message.bytes, self.now).unwrap();
        }
        !out.is_empty()
    }

    fn sit(&mut self, spectator: &Spectator, seen: ViewSet) -> SeatId {
        let join = spectator.join();
        let Message::Join(join) = Message::read(&join).unwrap() else { panic!() };
        let grant = Grant { views: seen, classes: Classes::ALL, delay: 0 };
        self.relay.join(&join, &grant, self.now).unwrap()
    }

    /// What a seat gets now.
    fn deliver(&mut self, seat: SeatId, spectator: &mut Spectator) -> Vec<Shared> {
        let out = self.relay.poll(seat, self.now, usize::MAX);
        let all: Vec<Shared> = out.into_iter().map(|message| message.bytes).collect();
        all.iter().for_each(|bytes| spectator.receive(bytes, self.now).unwrap());
        all
    }
}

fn began(spectator: &mut Spectator) -> Option<u64> {
    spectator.notices().into_iter().find_map(|notice| match notice {
        Notice::Began { tick } => Some(tick.0),
        _ => None,
    })
}

#[test]
fn nothing_of_a_view_is_sent_before_it_is_wanted_and_all_of_it_then() {
    let source = source();
    let mut linked = Linked::new(&source, views(&[0]));
    linked.follow(&source.pieces[..40]);
    assert!(linked.sent.len() > 40 && linked.sent.iter().all(|of| *of == view(0)));
    assert!(linked.publisher.heartbeat(linked.link).len() == 1, "marks neither");
    assert!(linked.relay.want(views(&[2, 9]), NOW), "what the match has of them");
    assert!(!linked.relay.want(views(&[2]), NOW), "it is wanted already");
    assert_eq!((linked.relay.views(), linked.relay.announced()), (views(&[0, 2]), source.views));
    linked.announce();
    let mut spectator = Spectator::new(Join::new(name(), views(&[0, 2])));
    let seat = linked.sit(&spectator, views(&[0, 2]));
    // It is welcomed, and gets nothing before it can begin where it wants.
    let first = linked.deliver(seat, &mut spectator);
    assert!(matches!(Message::read(&first[0]).unwrap(), Message::Welcome(_)));
    assert_eq!(first.len(), 1);
    while linked.hand_over(200) {
        let is_filling = linked.relay.is_filling(view(2), NOW);
        let came = linked.deliver(seat, &mut spectator);
        assert!(!is_filling || came.is_empty());
    }
    assert!(!linked.relay.is_filling(view(2), NOW));
    assert_eq!(began(&mut spectator), Some(36), "the newest group, not the first");
    assert!(linked.sent.iter().all(|of| *of != view(1)));
    // Back to the start, and then everything to the end.
    let seek = spectator.seek(StartAt::Tick(Tick::ZERO));
    linked.relay.receive(seat, &seek, NOW).unwrap();
    linked.follow(&source.pieces[40..]);
    linked.deliver(seat, &mut spectator);
    assert!(spectator.is_over());
    let tape = spectator.take_tape().unwrap();
    for of in [view(0), view(2)] {
        assert_eq!(received(&tape, of), received(&source.journal(), of));
    }
}

#[test]
fn who_seeks_while_a_view_fills_begins_there() {
    let source = source();
    let mut linked = Linked::new(&source, ViewSet::EMPTY);
    linked.follow(&source.pieces[..40]);
    assert!(linked.sent.is_empty(), "nobody wants anything");
    linked.relay.want(views(&[1]), NOW);
    linked.announce();
    let mut spectator = Spectator::new(Join::new(name(), views(&[1])));
    let seat = linked.sit(&spectator, views(&[1]));
    linked.deliver(seat, &mut spectator);
    let seek = spectator.seek(StartAt::Tick(Tick(20)));
    linked.relay.receive(seat, &seek, NOW).unwrap();
    while linked.hand_over(100) {
        linked.deliver(seat, &mut spectator);
    }
    assert_eq!(began(&mut spectator), Some(18));
}

#[test]
fn a_view_that_nobody_wants_any_more_is_sent_no_more_and_comes_again_as_a_whole() {
    let source = source();
    let mut linked = Linked::new(&source, views(&[0]));
    linked.relay.want(views(&[1]), NOW);
    linked.announce();
    linked.follow(&source.pieces[..20]);
    let spectator = Spectator::new(Join::new(name(), views(&[1])));
    let seat = linked.sit(&spectator, views(&[1]));
    assert!(!linked.relay.forget(view(1)), "a seat has it");
    linked.relay.leave(seat);
    assert!(linked.relay.forget(view(1)));
    linked.announce();
    linked.sent.clear();
    linked.follow(&source.pieces[20..30]);
    assert!(linked.sent.iter().all(|of| *of == view(0)) && !linked.sent.is_empty());
    linked.relay.want(views(&[1]), NOW);
    linked.announce();
    linked.follow(&source.pieces[30..]);
    let mut again =
        Spectator::new(Join { from: StartAt::Tick(Tick::ZERO), ..Join::new(name(), views(&[1])) });
    let seat = linked.sit(&again, views(&[1]));
    linked.deliver(seat, &mut again);
    assert!(again.is_over());
    let tape = again.take_tape().unwrap();
    assert_eq!(received(&tape, view(1)), received(&source.journal(), view(1)));
}

#[test]
fn what_does_not_come_is_not_waited_for_forever() {
    let source = source();
    let mut linked = Linked::new(&source, views(&[0]));
    linked.follow(&source.pieces[..40]);
    linked.relay.want(views(&[2]), NOW);
    linked.announce();
    // A part of it comes, and no more.
    (0..6).for_each(|_| assert!(linked.hand_over(300)));
    let mut spectator = Spectator::new(Join::new(name(), views(&[2])));
    let seat = linked.sit(&spectator, views(&[2]));
    assert_eq!(linked.deliver(seat, &mut spectator).len(), 1);
    let asked = |linked: &mut Linked| !linked.relay.poll_publisher(linked.now).is_empty();
    assert!(!asked(&mut linked), "it comes by itself");
    linked.now = Duration::from_millis(900);
    assert!(!asked(&mut linked));
    linked.now = Duration::from_millis(1200);
    assert!(asked(&mut linked), "nothing came for a while");
    assert!(linked.relay.is_filling(view(2), Duration::from_secs(9)));
    linked.now = Duration::from_secs(11);
    assert!(linked.deliver(seat, &mut spectator).len() > 1);
}
