//! Servers that have their matches from a bus, and a publisher that knows none of them.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::thread;

use gametape_bus::{Bus, Filter, Nats, NatsOptions};
use gametape_live::{Join, StartAt};
use gametape_net::{PublishEvent, PublishOptions, publish_file};
use gametape_wire::Tick;

use super::cluster::Cluster;
use super::common::{Socket, Watching, limits, open_policy, start_with, wait_for};
use super::sessions::assert_equals;
use super::toy::{Plan, name, views};

#[test]
fn two_servers_have_what_is_published_to_the_bus() {
    let Some(cluster) = Cluster::start(1, true) else { return };
    let source = Plan { ticks: 100, events: true, extras: true, ..Plan::small(7) }.play();
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("m1.tape");
    fs::write(&journal, source.journal()).unwrap();
    let bus = cluster.address(0);
    let on_bus =
        |policy| start_with(policy, limits(), |live| live.with_bus(Some(bus.clone()), None));
    let mut narrow = open_policy();
    narrow.public = views(&[2]);
    let servers = [on_bus(open_policy()), on_bus(narrow)];
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let listening = runtime.block_on(Nats::connect(&bus, &NatsOptions::default())).unwrap();
    let mut announces = runtime.block_on(listening.subscribe(&[Filter::Announces])).unwrap();
    let options = PublishOptions::new(bus.parse().unwrap(), name());
    let publishing = thread::spawn(move || {
        let (stop, ended) = (AtomicBool::new(false), AtomicBool::new(true));
        let mut events = Vec::new();
        let mut note = |event: &PublishEvent| events.push(event.clone());
        let done = publish_file(&journal, &options, &stop, &ended, &mut note).unwrap();
        (done, events)
    });
    for (server, seen) in servers.iter().zip([views(&[0, 1, 2]), views(&[2])]) {
        wait_for("the match", || (server.logged("transport=bus") == 1).then_some(()));
        let mut join = Join::new(name(), views(&[0, 1, 2]));
        join.from = StartAt::Tick(Tick::ZERO);
        let mut watching = Watching::new(join, Socket::connect(server.address));
        wait_for("the end", || {
            watching.step().unwrap();
            watching.is_over().then_some(())
        });
        assert_equals(&source, &watching.tape, seen, 0);
    }
    let (done, events) = publishing.join().unwrap();
    assert!(done);
    assert_eq!(events.last(), Some(&PublishEvent::Taken), "{events:?}");
    // A server that missed the first announcement hears of the match by the next one.
    let announced = std::iter::from_fn(|| announces.try_next()).count();
    assert!(announced > 1, "announced {announced} times in three seconds");
}
