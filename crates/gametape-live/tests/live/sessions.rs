//! Sessions without trouble: joining, going on, seeking, priorities, leaving classes out.

use std::time::Duration;

use gametape_live::{
    Classes, Data, Grant, Join, Lane, Message, Notice, Outgoing, Profile, Publisher, Relay, SeatId,
    Spectator, StartAt,
};
use gametape_minewars::Class;
use gametape_wire::{View, ViewSet};

use super::common::{Match, Plan, name, view, views};

pub(crate) const NOW: Duration = Duration::ZERO;

/// Publisher and relay that have so much of a match.
pub(crate) fn played(source: &Match, pieces: usize) -> (Publisher, Relay) {
    let mut publisher = source.publisher();
    publisher.follow(&source.pieces[..pieces].concat(), NOW).unwrap();
    let mut relay = source.relay(&publisher, source.views);
    let link = publisher.connect(&[], NOW);
    hand_over(&mut publisher, link, &mut relay);
    (publisher, relay)
}

fn hand_over(publisher: &mut Publisher, link: SeatId, relay: &mut Relay) -> usize {
    let sent = publisher.poll(link, NOW, usize::MAX);
    let news = sent.iter().filter(|out| relay.receive_published(&out.bytes, NOW).unwrap());
    news.count()
}

pub(crate) fn grant(seen: ViewSet) -> Grant {
    Grant { views: seen, classes: Classes::ALL, delay: 0 }
}

fn deliver(relay: &mut Relay, seat: SeatId, spectator: &mut Spectator) -> Vec<Outgoing> {
    let sent = relay.poll(seat, NOW, usize::MAX);
    sent.iter().for_each(|out| spectator.receive(&out.bytes, NOW).unwrap());
    sent
}

fn sit(relay: &mut Relay, spectator: &Spectator, seen: ViewSet) -> SeatId {
    let join = spectator.join();
    let Message::Join(join) = Message::read(&join).unwrap() else { panic!() };
    relay.join(&join, &grant(seen), NOW).unwrap()
}

fn numbers(sent: &[Outgoing], view: View) -> Vec<(Lane, u64)> {
    let data = sent.iter().filter_map(|out| Data::read(&out.bytes).ok()?);
    data.filter(|data| data.view == view).map(|data| (data.lane, data.number)).collect()
}

#[test]
fn a_joiner_gets_setup_the_newest_group_and_what_follows() {
    let source = Plan { ticks: 40, spacing: 10, ..Plan::small(1) }.play();
    let (mut publisher, mut relay) = played(&source, 36);
    let mut spectator = Spectator::new(Join::new(name(), views(&[2])));
    let seat = sit(&mut relay, &spectator, views(&[2]));
    let sent = deliver(&mut relay, seat, &mut spectator);
    let kinds: Vec<_> = sent.iter().take(3).map(|out| Message::read(&out.bytes).unwrap()).collect();
    assert!(matches!(kinds[0], Message::Welcome(_)) && matches!(kinds[1], Message::Moved(_)));
    let ticks = sent.iter().filter_map(|out| Data::read(&out.bytes).ok()?);
    let ticks: Vec<u64> =
        ticks.filter(|data| data.lane.has_parts()).map(|data| data.tick).collect();
    assert!(ticks.iter().all(|tick| (30..36).contains(tick)), "{ticks:?}");
    // Setup, the full keyframe that the newest builds on, and the newest.
    let chunks = numbers(&sent, view(2)).into_iter().filter(|(lane, _)| *lane == Lane::TAPE);
    assert_eq!(chunks.map(|(_, number)| number).collect::<Vec<_>>(), [0, 1, 4]);
    assert_eq!(spectator.shown(), Some(34), "whether tick 35 is over is not known yet");
    let link = publisher.connect(&[], NOW);
    publisher.follow(&source.pieces[36], NOW).unwrap();
    assert!(hand_over(&mut publisher, link, &mut relay) > 0);
    deliver(&mut relay, seat, &mut spectator);
    assert_eq!(spectator.shown(), Some(35));
    assert_eq!(spectator.notices().iter().filter(|n| matches!(n, Notice::Lost { .. })).count(), 0);
}

#[test]
fn who_connects_again_gets_nothing_twice() {
    let source = Plan { ticks: 40, ..Plan::small(2) }.play();
    let seen = views(&[0, 2]);
    let (mut publisher, mut relay) = played(&source, 20);
    let mut spectator = Spectator::new(Join { from: StartAt::Tick(0), ..Join::new(name(), seen) });
    let mut all = Vec::new();
    for pieces in [21, 22, 30, 31, source.pieces.len()] {
        // The publisher is a new one each time: it reads its journal and sends what is missing.
        publisher = source.publisher();
        publisher.follow(&source.pieces[..pieces].concat(), NOW).unwrap();
        let have = relay.have();
        let Message::Have(have) = Message::read(&have).unwrap() else { panic!() };
        let link = publisher.connect(&have, NOW);
        for out in publisher.poll(link, NOW, usize::MAX) {
            let is_data = Data::read(&out.bytes).unwrap().is_some();
            assert!(relay.receive_published(&out.bytes, NOW).unwrap() || !is_data, "twice");
        }
        let seat = sit(&mut relay, &spectator, seen);
        all.extend(deliver(&mut relay, seat, &mut spectator));
        relay.leave(seat);
    }
    drop(publisher);
    assert!(spectator.is_over());
    for view in seen.iter() {
        let mut sent = numbers(&all, view);
        let count = sent.len();
        sent.sort_unstable();
        sent.dedup();
        assert_eq!(sent.len(), count, "view {view}");
    }
}

#[test]
fn a_seek_goes_to_the_group_that_has_the_tick_and_catches_up() {
    let source = Plan { ticks: 60, spacing: 10, ..Plan::small(3) }.play();
    let (_publisher, mut relay) = played(&source, 50);
    let mut spectator = Spectator::new(Join::new(name(), views(&[1])));
    let seat = sit(&mut relay, &spectator, views(&[1]));
    deliver(&mut relay, seat, &mut spectator);
    let began = |spectator: &mut Spectator| {
        spectator.notices().into_iter().find_map(|notice| match notice {
            Notice::Began { tick } => Some(tick),
            _ => None,
        })
    };
    assert_eq!(began(&mut spectator), Some(40));
    for (to, first) in [(StartAt::Tick(25), 20), (StartAt::Tick(0), 0), (StartAt::Live, 40)] {
        let seek = spectator.seek(to);
        relay.receive(seat, &seek, NOW).unwrap();
        deliver(&mut relay, seat, &mut spectator);
        assert_eq!(began(&mut spectator), Some(first));
        assert_eq!(spectator.shown(), Some(48));
        let tape = spectator.take_tape().unwrap();
        let ticks = super::common::received(&tape, view(1));
        assert!(ticks.iter().all(|(tick, _)| (first..50).contains(tick)));
    }
}

#[test]
fn the_most_urgent_goes_first_and_the_rest_when_there_is_room() {
    let source = Plan { ticks: 30, ..Plan::small(4) }.play();
    let (_publisher, mut relay) = played(&source, 30);
    let join = Join { from: StartAt::Tick(0), ..Join::new(name(), views(&[1])) };
    let seat = relay.join(&join, &grant(views(&[1])), NOW).unwrap();
    let mut sent = Vec::new();
    loop {
        let some = relay.poll(seat, NOW, 100);
        let bytes: usize = some.iter().map(|out| out.bytes.len()).sum();
        assert!(some.len() <= 1 || bytes - some.last().unwrap().bytes.len() < 400, "{bytes}");
        if some.is_empty() {
            break;
        }
        sent.extend(some);
    }
    // Between two marks, priorities only go down; lane 0 is beside the others.
    let mut last = u8::MAX;
    for out in &sent {
        match (out.lane, Message::read(&out.bytes).unwrap()) {
            (_, Message::Mark(_)) => last = u8::MAX,
            (Some(lane), _) if lane != Lane::UNRELIABLE && lane != Lane::TAPE => {
                assert!(lane.priority() <= last);
                last = lane.priority();
            }
            _ => {}
        }
    }
    assert!(sent.iter().all(|out| !out.is_datagram), "history is certain to arrive");
}

#[test]
fn a_class_that_is_left_out_is_not_sent_and_named() {
    let source = Plan { ticks: 30, ..Plan::small(5) }.play();
    let (_publisher, mut relay) = played(&source, source.pieces.len());
    let classes = Classes::ALL.without(Class::Unreliable).without(Class::Background);
    let join = Join { classes, from: StartAt::Tick(0), ..Join::new(name(), views(&[1])) };
    let mut spectator = Spectator::new(join);
    let seat = sit(&mut relay, &spectator, views(&[1]));
    let sent = deliver(&mut relay, seat, &mut spectator);
    let lanes = numbers(&sent, view(1));
    assert!(lanes.iter().all(|(lane, _)| lane.number() > 1), "{lanes:?}");
    assert!(spectator.is_over());
    assert!(
        spectator.notices().iter().any(|notice| matches!(notice, Notice::Lost { parts: 1.., .. }))
    );
}

#[test]
fn a_player_gets_parts_when_they_come_each_class_in_its_order() {
    let source = Plan { ticks: 30, ..Plan::small(6) }.play();
    let (_publisher, mut relay) = played(&source, source.pieces.len());
    let join =
        Join { profile: Profile::Player, from: StartAt::Tick(0), ..Join::new(name(), views(&[1])) };
    let mut spectator = Spectator::new(join);
    let seat = sit(&mut relay, &spectator, views(&[1]));
    let mut sent = relay.poll(seat, NOW, usize::MAX);
    // The network turns everything around, but for the beginning.
    sent[6..].reverse();
    let mut arrived = Vec::new();
    for out in &sent {
        spectator.receive(&out.bytes, NOW).unwrap();
        arrived.extend(spectator.arrived());
    }
    for class in [Class::Personal, Class::Notification, Class::PvP] {
        let own = arrived.iter().filter(|part| part.class == class);
        let ticks: Vec<u64> = own.map(|part| part.tick).collect();
        assert!(ticks.is_sorted() && !ticks.is_empty(), "{class}: {ticks:?}");
    }
    let bytes: usize = arrived.iter().map(|part| part.payload.len()).sum();
    let all: usize = source.payloads[&view(1)].iter().flatten().map(Vec::len).sum();
    assert_eq!(bytes, all);
}
