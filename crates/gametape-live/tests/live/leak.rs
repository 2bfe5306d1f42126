//! What a seat receives does not depend on views that it may not see.

use std::time::Duration;

use gametape_live::{
    Again, Classes, Grant, Join, Lane, Message, Publisher, Refusal, Shared, StartAt,
};
use gametape_wire::{Tick, ViewSet};

use super::common::{Match, Plan, name, view, views};

/// Everything that a hostile seat with a pass for `seen` gets out of a relay of all views.
fn everything(source: &Match, seen: ViewSet) -> Vec<Shared> {
    let mut publisher = source.publisher();
    let mut relay = source.relay(&publisher, source.views);
    let link = publisher.connect_all(Duration::ZERO);
    let grant = Grant { views: seen, classes: Classes::ALL, delay: 0 };
    let join = Join::new(name(), source.views);
    let seat = relay.join(&join, &grant, Duration::ZERO).unwrap();
    let mut sent = Vec::new();
    for (index, piece) in source.pieces.iter().enumerate() {
        let now = Duration::from_millis(50 * index as u64);
        publisher.follow(piece, now).unwrap();
        for out in publisher.poll(link, now, usize::MAX) {
            relay.receive_published(&out.bytes, now).unwrap();
        }
        for view in ViewSet::ALL.iter() {
            for lane in Lane::ALL {
                let again = Again { view, lane, numbers: index as u64..index as u64 + 3 };
                relay.receive(seat, &Message::Again(again).to_bytes(), now).unwrap();
            }
        }
        if index % 10 == 9 {
            let seek = Message::Seek(StartAt::Tick(Tick(index as u64 / 2))).to_bytes();
            relay.receive(seat, &seek, now).unwrap();
        }
        sent.extend(relay.poll(seat, now, usize::MAX).into_iter().map(|out| out.bytes));
    }
    sent
}

fn plan(seed: u64) -> Plan {
    Plan { ticks: 45, events: true, extras: true, ..Plan::small(seed) }
}

#[test]
fn what_a_seat_gets_does_not_depend_on_other_views() {
    for seed in 0..50 {
        for seen in [views(&[2]), views(&[0]), views(&[1, 2])] {
            let one = plan(seed).play();
            let two = Plan { other: Some((0, seen)), ..plan(seed) }.play();
            assert_ne!(one.journal(), two.journal());
            assert!(everything(&one, seen) == everything(&two, seen), "seed {seed}, views {seen}");
            let all = one.views;
            assert!(everything(&one, all) != everything(&two, all), "it can be seen");
        }
    }
}

#[test]
fn a_view_of_a_publisher_is_the_same_without_the_others() {
    let source = plan(1).play();
    let alone = |seen: ViewSet| {
        let metadata = super::common::METADATA;
        let publisher = Publisher::new(name(), source.header, metadata, seen, usize::MAX).unwrap();
        let mut publisher = publisher.with_classes(super::common::ToyClasses);
        publisher.follow(&source.journal(), Duration::ZERO).unwrap();
        let of = |lane| Again { view: view(2), lane, numbers: 0..1 << 40 };
        Lane::ALL.map(|lane| publisher.messages(&of(lane)))
    };
    assert_eq!(alone(views(&[2])), alone(source.views));
}

#[test]
fn who_may_see_nothing_gets_nothing() {
    let source = plan(2).play();
    let publisher = source.publisher();
    let mut relay = source.relay(&publisher, views(&[0, 1]));
    let join = |seen| Join::new(name(), seen);
    let grant = |seen| Grant { views: seen, classes: Classes::ALL, delay: 0 };
    let mut ask = |join: &Join, grant: &Grant| relay.join(join, grant, Duration::ZERO).map(drop);
    let one = views(&[1]);
    assert_eq!(ask(&join(one), &grant(views(&[0]))), Err(Refusal::NoMatch));
    assert_eq!(ask(&join(views(&[2])), &grant(ViewSet::ALL)), Err(Refusal::NoMatch));
    let other = Join { name: "m2".parse().unwrap(), ..join(one) };
    assert_eq!(ask(&other, &grant(one)), Err(Refusal::NoMatch));
    let deaf = Join { classes: Classes::from_bits(0b0_1111).unwrap(), ..join(one) };
    assert_eq!(ask(&deaf, &grant(one)), Err(Refusal::Malformed));
    let greedy = Join { profile: gametape_live::Profile::Player, ..join(views(&[0, 1])) };
    assert_eq!(ask(&greedy, &grant(ViewSet::ALL)), Err(Refusal::Malformed));
    assert_eq!(ask(&join(one), &grant(one)), Ok(()));
}
