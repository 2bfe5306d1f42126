//! Sessions without trouble: joining, going on, seeking, priorities, leaving classes out.

use std::time::Duration;

use gametape_live::{
    Classes, Data, Grant, Join, Lane, Message, Notice, Outgoing, Profile, Publisher, Relay, SeatId,
    Spectator, StartAt,
};
use gametape_minewars::Class;
use gametape_wire::{Tick, View, ViewSet};

use super::common::{Match, Plan, name, view, views};

pub(crate) const NOW: Duration = Duration::ZERO;

/// Publisher and relay that have a part of a match.
pub(crate) fn played(source: &Match, pieces: usize) -> (Publisher, Relay) {
    let mut publisher = source.publisher();
    publisher.follow(&source.pieces[..pieces].concat(), NOW).unwrap();
    let mut relay = source.relay(&publisher, source.views);
    let link = publisher.connect_all(NOW);
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
        ticks.filter(|data| data.lane.has_parts()).map(|data| data.tick.0).collect();
    assert!(ticks.iter().all(|tick| (30..36).contains(tick)), "{ticks:?}");
    // Setup, the full keyframe that the newest builds on, and the newest.
    let chunks = numbers(&sent, view(2)).into_iter().filter(|(lane, _)| *lane == Lane::TAPE);
    assert_eq!(chunks.map(|(_, number)| number).collect::<Vec<_>>(), [0, 1, 4]);
    assert_eq!(spectator.shown(), Some(Tick(34)), "whether tick 35 is over is not known yet");
    let link = publisher.connect_all(NOW);
    publisher.follow(&source.pieces[36], NOW).unwrap();
    assert!(hand_over(&mut publisher, link, &mut relay) > 0);
    deliver(&mut relay, seat, &mut spectator);
    assert_eq!(spectator.shown(), Some(Tick(35)));
    assert_eq!(spectator.notices().iter().filter(|n| matches!(n, Notice::Lost { .. })).count(), 0);
}

#[test]
fn who_connects_again_gets_nothing_twice() {
    let source = Plan { ticks: 40, ..Plan::small(2) }.play();
    let seen = views(&[0, 2]);
    let (mut publisher, mut relay) = played(&source, 20);
    let mut spectator =
        Spectator::new(Join { from: StartAt::Tick(Tick::ZERO), ..Join::new(name(), seen) });
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
            Notice::Began { tick } => Some(tick.0),
            _ => None,
        })
    };
    assert_eq!(began(&mut spectator), Some(40));
    for (to, first) in
        [(StartAt::Tick(Tick(25)), 20), (StartAt::Tick(Tick::ZERO), 0), (StartAt::Live, 40)]
    {
        let seek = spectator.seek(to);
        relay.receive(seat, &seek, NOW).unwrap();
        deliver(&mut relay, seat, &mut spectator);
        assert_eq!(began(&mut spectator), Some(first));
        assert_eq!(spectator.shown(), Some(Tick(48)));
        let tape = spectator.take_tape().unwrap();
        let ticks = super::common::received(&tape, view(1));
        assert!(ticks.iter().all(|(tick, _)| (first..50).contains(tick)));
    }
}

/// What was on its way before a seek says nothing about what comes after it.
#[test]
fn nobody_asks_again_for_history_that_is_on_its_way() {
    let source = Plan { ticks: 60, spacing: 10, ..Plan::small(3) }.play();
    let (mut publisher, mut relay) = played(&source, 50);
    let mut spectator = Spectator::new(Join::new(name(), views(&[1])));
    let seat = sit(&mut relay, &spectator, views(&[1]));
    deliver(&mut relay, seat, &mut spectator);
    let link = publisher.connect(&super::network::had(&relay), NOW);
    publisher.follow(&source.pieces[50..56].concat(), NOW).unwrap();
    hand_over(&mut publisher, link, &mut relay);
    let flying = relay.poll(seat, NOW, usize::MAX);
    let seek = spectator.seek(StartAt::Tick(Tick::ZERO));
    flying.iter().for_each(|out| spectator.receive(&out.bytes, NOW).unwrap());
    relay.receive(seat, &seek, NOW).unwrap();
    for out in relay.poll(seat, NOW, 300) {
        spectator.receive(&out.bytes, NOW).unwrap();
    }
    // Streams of data may be later than the one of the session.
    let data = flying.iter().filter(|out| out.lane.is_some());
    data.for_each(|out| spectator.receive(&out.bytes, NOW).unwrap());
    for millis in [0, 300, 900] {
        assert_eq!(spectator.poll(Duration::from_millis(millis)).unwrap().len(), 0);
    }
    deliver(&mut relay, seat, &mut spectator);
    assert_eq!(spectator.shown(), Some(Tick(54)));
}

#[test]
fn the_most_urgent_goes_first_and_the_rest_when_there_is_room() {
    let source = Plan { ticks: 30, ..Plan::small(4) }.play();
    let (_publisher, mut relay) = played(&source, 30);
    let join = Join { from: StartAt::Tick(Tick::ZERO), ..Join::new(name(), views(&[1])) };
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

/// What is there and not marked yet is history for who comes now: no datagram, and on the way of the marks.
#[test]
fn what_is_not_marked_yet_is_history_for_who_comes_now() {
    let mut unmarked = 0;
    for pieces in 10..30 {
        let source = Plan { ticks: 30, ..Plan::small(11) }.play();
        let (_publisher, mut relay) = played(&source, pieces);
        let mut spectator = Spectator::new(Join::new(name(), views(&[1])));
        let seat = sit(&mut relay, &spectator, views(&[1]));
        let sent = deliver(&mut relay, seat, &mut spectator);
        for out in &sent {
            let Some(data) = Data::read(&out.bytes).unwrap() else { continue };
            if data.lane == Lane::UNRELIABLE {
                assert_eq!((out.lane, out.is_datagram), (None, false), "tick {}", data.tick);
                unmarked += u64::from(Some(data.tick) > spectator.shown());
            }
        }
    }
    assert!(unmarked > 3, "{unmarked}");
}

/// Who keeps a match gets what is fine to miss for others, also where the relay has it late.
#[test]
fn who_keeps_a_match_misses_nothing() {
    let source = Plan { ticks: 30, ..Plan::small(12) }.play();
    let mut publisher = source.publisher();
    let mut relay = source.relay(&publisher, source.views);
    let link = publisher.connect_all(NOW);
    let join = Join { from: StartAt::Tick(Tick::ZERO), ..Join::new(name(), views(&[1])) };
    let mut both = [false, true].map(|keeps| {
        let seat = relay.join(&join, &grant(views(&[1])), NOW).unwrap();
        if keeps {
            relay.miss_nothing(seat);
        }
        (seat, Spectator::new(join.clone()), 0)
    });
    let mut late = Vec::new();
    for step in 0..200 {
        let now = Duration::from_millis(50 * step);
        if let Some(piece) = source.pieces.get(step as usize) {
            publisher.follow(piece, now).unwrap();
        }
        for out in publisher.poll(link, now, usize::MAX) {
            // What is fine to miss takes a second to the relay.
            let is_slow =
                Data::read(&out.bytes).unwrap().is_some_and(|data| data.lane == Lane::UNRELIABLE);
            late.push((if is_slow { step + 20 } else { step }, out.bytes));
        }
        for (_, bytes) in late.extract_if(.., |(at, _)| *at <= step) {
            relay.receive_published(&bytes, now).unwrap();
        }
        for (seat, spectator, lost) in &mut both {
            for out in relay.poll(*seat, now, usize::MAX) {
                spectator.receive(&out.bytes, now).unwrap();
            }
            spectator.poll(now).unwrap();
            let notices = spectator.notices();
            *lost += notices.iter().filter(|notice| matches!(notice, Notice::Lost { .. })).count();
        }
    }
    assert!(both.iter().all(|(_, spectator, _)| spectator.is_over()));
    assert!(both[0].2 > 5, "{}", both[0].2);
    assert_eq!(both[1].2, 0);
}

#[test]
fn a_class_that_is_left_out_is_not_sent_and_named() {
    let source = Plan { ticks: 30, ..Plan::small(5) }.play();
    let (_publisher, mut relay) = played(&source, source.pieces.len());
    let classes = Classes::ALL.without(Class::Unreliable).without(Class::Background);
    let join = Join { classes, from: StartAt::Tick(Tick::ZERO), ..Join::new(name(), views(&[1])) };
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
    let join = Join {
        profile: Profile::Player,
        from: StartAt::Tick(Tick::ZERO),
        ..Join::new(name(), views(&[1]))
    };
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
        let ticks: Vec<u64> = own.map(|part| part.tick.0).collect();
        assert!(ticks.is_sorted() && !ticks.is_empty(), "{class}: {ticks:?}");
    }
    let bytes: usize = arrived.iter().map(|part| part.payload.len()).sum();
    let all: usize = source.payloads[&view(1)].iter().flatten().map(Vec::len).sum();
    assert_eq!(bytes, all);
}

/// The tape of a spectator who watches from the start, with a publisher that answers what is asked.
fn watched(source: &Match, publisher: &mut Publisher, link: SeatId, relay: &mut Relay) -> Vec<u8> {
    let seen = views(&[1]);
    let mut spectator =
        Spectator::new(Join { from: StartAt::Tick(Tick::ZERO), ..Join::new(name(), seen) });
    let seat = sit(relay, &spectator, seen);
    let mut tape = Vec::new();
    for step in 0..4000 {
        let now = Duration::from_millis(50 * step);
        for bytes in relay.poll_publisher(now) {
            publisher.receive(link, &bytes, now).unwrap();
        }
        for out in publisher.poll(link, now, usize::MAX) {
            relay.receive_published(&out.bytes, now).unwrap();
        }
        for out in relay.poll(seat, now, 3000) {
            spectator.receive(&out.bytes, now).unwrap();
        }
        tape.extend(spectator.take_tape().unwrap());
        if spectator.is_over() {
            let notices = spectator.notices();
            let lost = notices.iter().filter(|notice| matches!(notice, Notice::Lost { .. }));
            assert_eq!(lost.count(), 0, "{} ticks", source.ticks);
            tape.extend(spectator.take_tape().unwrap());
            return tape;
        }
    }
    panic!("it never ends: {:?}", spectator.shown());
}

#[test]
fn what_a_relay_has_forgotten_it_asks_for() {
    let source = Plan { ticks: 400, spacing: 20, ..Plan::small(8) }.play();
    let mut publisher = source.publisher();
    let announce = publisher.announce();
    let Message::Announce(announce) = Message::read(&announce).unwrap() else { panic!() };
    let mut relay = Relay::new(announce, source.views, 8 << 10);
    publisher.follow(&source.journal(), NOW).unwrap();
    let link = publisher.connect_all(NOW);
    hand_over(&mut publisher, link, &mut relay);
    let tape = watched(&source, &mut publisher, link, &mut relay);
    let all = super::common::received(&source.journal(), view(1));
    assert_eq!(super::common::received(&tape, view(1)), all);
}

#[test]
fn what_a_publisher_has_forgotten_is_in_its_journal() {
    let source = Plan { ticks: 400, spacing: 20, ..Plan::small(9) }.play();
    let metadata = super::common::METADATA;
    let small = Publisher::new(name(), source.header, metadata, source.views, 8 << 10).unwrap();
    let mut publisher = small.with_classes(super::common::ToyClasses);
    publisher.follow(&source.journal(), NOW).unwrap();
    let announce = publisher.announce();
    let Message::Announce(announce) = Message::read(&announce).unwrap() else { panic!() };
    let mut relay = Relay::new(announce, source.views, usize::MAX);
    let link = publisher.connect_all(NOW);
    let mut again = source.publisher();
    again.follow(&source.journal(), NOW).unwrap();
    let mut recalled = 0;
    loop {
        hand_over(&mut publisher, link, &mut relay);
        let missing = publisher.missing();
        if missing.is_empty() {
            break;
        }
        for bytes in missing.iter().flat_map(|missing| again.messages(missing)) {
            publisher.recall(&bytes).unwrap();
            recalled += 1;
        }
    }
    let tape = watched(&source, &mut publisher, link, &mut relay);
    assert!(recalled > 500, "{recalled}");
    let all = super::common::received(&source.journal(), view(1));
    assert_eq!(super::common::received(&tape, view(1)), all);
}

/// A game that publishes by itself: what is over is known at once, and the messages are those of its journal.
#[test]
fn a_game_that_publishes_makes_the_messages_of_its_journal() {
    let source = Plan { ticks: 30, ..Plan::small(10) }.play();
    let mut live = source.publisher();
    let link = live.connect_all(NOW);
    let journal = source.journal();
    for (tick, _) in source.pieces[..30].iter().enumerate() {
        let tick = tick as u64;
        let chunks = super::common::chunks(&journal[gametape_tape::TapeHeader::LENGTH..]);
        let is_setup = |chunk: &&gametape_tape::Chunk<'_>| {
            tick == 0 && chunk.header.kind == gametape_tape::ChunkKind::SETUP
        };
        let is_keyframe = |chunk: &&gametape_tape::Chunk<'_>| {
            chunk.header.kind.is_keyframe() && chunk.header.first_tick == Tick(tick)
        };
        for chunk in chunks.iter().filter(is_setup).chain(chunks.iter().filter(is_keyframe)) {
            live.chunk(chunk, NOW).unwrap();
        }
        for index in 0..2 {
            let of =
                |view: View| Some((view, &source.payloads[&view][tick as usize].get(index)?[..]));
            let parts: Vec<(View, &[u8])> = source.views.iter().filter_map(of).collect();
            live.frame(Tick(tick), &parts, NOW).unwrap();
        }
        live.end_tick(Tick(tick), NOW).unwrap();
        let marks: Vec<u64> = live
            .heartbeat(link)
            .iter()
            .map(|bytes| match Message::read(bytes).unwrap() {
                Message::Mark(mark) => mark.tick.0,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(marks, [tick; 3]);
        assert!(live.frame(Tick(tick.wrapping_sub(1)), &[], NOW).is_err(), "time does not go back");
    }
    live.end(NOW).unwrap();
    let mut followed = source.publisher();
    followed.follow(&journal, NOW).unwrap();
    for view in source.views.iter() {
        for lane in Lane::ALL {
            let all = gametape_live::Again { view, lane, numbers: 0..1 << 40 };
            assert_eq!(live.messages(&all), followed.messages(&all), "view {view}, {lane:?}");
        }
    }
    let other = followed.connect_all(NOW);
    assert_eq!(live.heartbeat(link), followed.heartbeat(other));
}
