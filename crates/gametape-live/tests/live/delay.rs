//! Nothing younger than the delay leaves a relay.

use std::time::Duration;

use gametape_live::{
    Again, Classes, Data, Grant, Join, Lane, Message, Relay, SeatId, Shared, StartAt,
};

use gametape_wire::Tick;

use super::common::{Match, Plan, name, views};

const DELAY: u64 = 9;

/// Everything that a relay sends to a seat, with the number of ticks of the journal that it had then. The
/// seat asks for everything that it can name, and seeks into the future.
fn everything(source: &Match, pieces: usize, asks: bool) -> Vec<(usize, Shared)> {
    let mut publisher = source.publisher();
    let mut relay = source.relay(&publisher, source.views);
    let link = publisher.connect_all(Duration::ZERO);
    let grant = Grant { views: source.views, classes: Classes::ALL, delay: DELAY };
    let mut seats: Vec<SeatId> = Vec::new();
    let mut sent = Vec::new();
    for (index, piece) in source.pieces[..pieces].iter().enumerate() {
        let now = Duration::from_millis(50 * index as u64);
        publisher.follow(piece, now).unwrap();
        for out in publisher.poll(link, now, usize::MAX) {
            relay.receive_published(&out.bytes, now).unwrap();
        }
        if index % 4 == 1 {
            let from = if index % 8 == 1 { StartAt::Live } else { StartAt::Tick(Tick(1 << 40)) };
            let join = Join { from, ..Join::new(name(), source.views) };
            seats.push(relay.join(&join, &grant, now).unwrap());
        }
        for seat in &seats {
            if asks {
                ask(&mut relay, *seat, source, now);
            }
            sent.extend(
                relay.poll(*seat, now, usize::MAX).into_iter().map(|out| (index, out.bytes)),
            );
        }
    }
    sent
}

fn ask(relay: &mut Relay, seat: SeatId, source: &Match, now: Duration) {
    for view in source.views.iter() {
        for lane in Lane::ALL {
            let again = Again { view, lane, numbers: 0..1024 };
            relay.receive(seat, &Message::Again(again).to_bytes(), now).unwrap();
        }
    }
    let seek = Message::Seek(StartAt::Tick(Tick(1 << 50)));
    relay.receive(seat, &seek.to_bytes(), now).unwrap();
}

fn plan(seed: u64) -> Plan {
    Plan { ticks: 60, events: true, extras: true, ..Plan::small(seed) }
}

#[test]
fn no_message_is_younger_than_the_delay() {
    let source = plan(3).play();
    let mut newest = 0;
    for (index, bytes) in everything(&source, source.pieces.len() - 1, true) {
        // The piece of tick t shows that t - 1 is over.
        let Some(over) = (index as u64).checked_sub(1) else { panic!("nothing is over") };
        let tick = match Message::read(&bytes).unwrap() {
            Message::Data(data) => data.tick,
            Message::Mark(mark) => {
                assert!(!mark.is_last);
                mark.tick
            }
            Message::Moved(moved) => moved.tick,
            Message::Welcome(_) => continue,
            other => panic!("{other:?}"),
        };
        assert!(
            tick == Tick::ZERO || tick + DELAY <= Tick(over),
            "tick {tick} when {over} is over"
        );
        newest = newest.max(tick.0);
    }
    assert!(newest >= 40, "it is late, not silent: {newest}");
}

#[test]
fn what_is_sent_does_not_depend_on_what_is_not_released() {
    for seed in 0..20 {
        let ticks = 30 + seed % 10;
        let same = plan(seed).play();
        // All views receive something else from here on.
        let other = Plan { other: Some((ticks - DELAY, views(&[]))), ..plan(seed) }.play();
        let shorter = Plan { ticks: ticks + 1, ..plan(seed) }.play();
        assert_ne!(same.journal(), other.journal());
        for asks in [false, true] {
            let pieces = ticks as usize + 1;
            let sent = everything(&same, pieces, asks);
            assert!(sent == everything(&other, pieces, asks), "seed {seed}");
            assert!(sent == everything(&shorter, pieces, asks), "seed {seed}");
        }
        // One tick more, and the difference is seen: the comparison can fail.
        let pieces = ticks as usize + 12;
        assert!(everything(&same, pieces, false) != everything(&other, pieces, false));
    }
}

#[test]
fn the_end_comes_at_the_speed_of_the_match() {
    let source = plan(5).play();
    let mut publisher = source.publisher();
    publisher.follow(&source.journal(), Duration::ZERO).unwrap();
    let mut relay = source.relay(&publisher, source.views);
    let link = publisher.connect_all(Duration::ZERO);
    for out in publisher.poll(link, Duration::ZERO, usize::MAX) {
        relay.receive_published(&out.bytes, Duration::ZERO).unwrap();
    }
    let grant = Grant { views: views(&[1]), classes: Classes::ALL, delay: DELAY };
    let seat = relay.join(&Join::new(name(), views(&[1])), &grant, Duration::ZERO).unwrap();
    // The last mark is of tick 60, when the match is over.
    for passed in 0..=DELAY {
        let now = Duration::from_millis(50 * passed);
        assert_eq!(relay.released(DELAY, now), Some(Tick(60 - DELAY + passed)));
        let sent = relay.poll(seat, now, usize::MAX);
        let ticks = sent.iter().filter_map(|out| Some(Data::read(&out.bytes).ok()??.tick));
        assert!(ticks.max().unwrap_or(Tick::ZERO) <= Tick(60 - DELAY + passed));
        let is_last = |bytes: &Shared| matches!(Message::read(bytes).unwrap(), Message::Mark(mark) if mark.is_last);
        assert_eq!(sent.iter().any(|out| is_last(&out.bytes)), passed == DELAY);
    }
}
