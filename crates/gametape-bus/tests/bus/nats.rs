//! Over a real `nats-server`: `GAMETAPE_NATS` names it, or the path has it. Without one these tests say so and pass.

use std::sync::Arc;
use std::time::Duration;

use gametape_bus::{Bus, Nats, NatsOptions, Window, follow};
use gametape_live::Publisher;
use gametape_tape::{TapeHeader, TapeWriter};
use gametape_wire::{Tick, ViewSet};

use crate::cluster::Cluster;
use crate::parts::{Playing, TestEdge, in_time, publisher};
use crate::proxy::TcpProxy;
use crate::toy::{Dice, METADATA, Match, Plan, TICK, name, views};

async fn connect(cluster: &Cluster, node: usize) -> Arc<Nats> {
    connect_to(&cluster.address(node)).await
}

async fn connect_to(address: &str) -> Arc<Nats> {
    let mut options = NatsOptions::default();
    options.settling = Duration::from_secs(20);
    Arc::new(Nats::connect(address, &options).await.unwrap())
}

fn source(seed: u64, ticks: u64) -> Match {
    Plan { ticks, spacing: 40, events: true, extras: true, ..Plan::small(seed) }.play()
}

/// Plays a match to its end while an edge follows it, until everybody there has all of it.
async fn play_to(
    edge: &Arc<TestEdge>,
    at_edge: Arc<Nats>,
    playing: &mut Playing,
    source: &Match,
    pace: Duration,
) {
    in_time(async {
        tokio::select! {
            ended = follow(at_edge, edge.clone()) => panic!("{ended:?}"),
            () = async {
                playing.play(&source.pieces, pace).await;
                playing.finish().await;
                std::future::pending::<()>().await;
            } => {}
            () = edge.run() => {}
        }
    })
    .await;
    edge.check(source);
}

#[tokio::test]
async fn a_match_goes_over_one_node_and_stays_in_the_window() {
    let Some(cluster) = Cluster::start(1, true) else { return };
    let source = source(1, 300);
    let bus = connect(&cluster, 0).await;
    assert_eq!(bus.window().await, Window::Copies(1));
    let edge = TestEdge::new(views(&[0, 1, 2]));
    edge.watch(&name(), 5);
    let mut playing = Playing::begin(bus.clone(), publisher(&source)).await;
    let at_edge = connect(&cluster, 0).await;
    play_to(&edge, at_edge, &mut playing, &source, Duration::from_millis(3)).await;
    assert_eq!(bus.lost(), 0);
    // The publisher is gone: whoever comes now has the window.
    bus.flush().await.unwrap();
    drop((playing, bus));
    let late = TestEdge::new(views(&[0, 2]));
    late.watch(&name(), 1);
    let at_late = connect(&cluster, 0).await;
    in_time(async {
        tokio::select! {
            ended = follow(at_late, late.clone()) => panic!("{ended:?}"),
            () = late.run() => {}
        }
    })
    .await;
    late.check(&source);
}

#[tokio::test]
async fn a_bus_that_keeps_nothing_is_enough() {
    let Some(cluster) = Cluster::start(1, false) else { return };
    let source = source(2, 200);
    let bus = connect(&cluster, 0).await;
    let window = bus.window().await;
    assert!(matches!(window, Window::Missing(_)), "{window:?}");
    let mut playing = Playing::begin(bus.clone(), publisher(&source)).await;
    playing.play(&source.pieces, Duration::ZERO).await;
    let edge = TestEdge::new(views(&[1]));
    edge.watch(&name(), 1);
    let at_edge = connect(&cluster, 0).await;
    in_time(async {
        tokio::select! {
            ended = follow(at_edge, edge.clone()) => panic!("{ended:?}"),
            () = async { playing.finish().await; std::future::pending::<()>().await } => {}
            () = edge.run() => {}
        }
    })
    .await;
    edge.check(&source);
}

#[tokio::test]
async fn messages_longer_than_the_bus_allows_come_whole() {
    let Some(cluster) = Cluster::start(1, true) else { return };
    let seen = views(&[1]);
    let header = TapeHeader::new(TICK, 0xB16);
    let mut writer = TapeWriter::new(header, METADATA.as_bytes()).unwrap();
    let mut dice = Dice::new(9);
    let large: Vec<u8> = (0..3 << 20).map(|_| dice.below(256) as u8).collect();
    writer.frame(0, Tick::ZERO, &[(crate::toy::view(1), b"small")]).unwrap();
    writer.frame(0, Tick(5), &[(crate::toy::view(1), &large)]).unwrap();
    writer.frame(0, Tick(9), &[(crate::toy::view(1), b"end")]).unwrap();
    let journal = [writer.take(), writer.finish().unwrap()].concat();
    let mut source = Plan::small(1).play();
    source.pieces = vec![journal];
    let own = Publisher::new(name(), header, METADATA, seen, usize::MAX).unwrap();
    let edge = TestEdge::new(seen);
    edge.watch(&name(), 1);
    let (bus, at_edge) = (connect(&cluster, 0).await, connect(&cluster, 0).await);
    let mut playing = Playing::begin(bus, own).await;
    play_to(&edge, at_edge, &mut playing, &source, Duration::ZERO).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_connections_that_are_cut_everything_arrives() {
    let Some(cluster) = Cluster::start(1, true) else { return };
    let source = source(4, 400);
    // The publisher sends much and is sent little, the edge the other way round.
    let forth = TcpProxy::cutting(cluster.socket(0), 1, [20_000, u64::MAX]);
    let back = TcpProxy::cutting(cluster.socket(0), 2, [u64::MAX, 20_000]);
    let edge = TestEdge::new(views(&[0, 1, 2]));
    edge.watch(&name(), 3);
    let mut playing =
        Playing::begin(connect_to(&format!("nats://{}", forth.address)).await, publisher(&source))
            .await;
    let at_edge = connect_to(&format!("nats://{}", back.address)).await;
    play_to(&edge, at_edge, &mut playing, &source, Duration::from_millis(5)).await;
    drop(playing);
    let cut = [forth.stop(), back.stop()];
    assert!(cut.iter().all(|cut| *cut > 0), "{cut:?}");
}

/// One of three nodes is killed while 200 watch: everybody goes on, and has everything.
async fn lose_a_node(killed: usize) {
    let Some(mut cluster) = Cluster::start(3, true) else { return };
    let source = source(3, 320);
    let bus = connect(&cluster, 0).await;
    assert_eq!(bus.window().await, Window::Copies(3));
    let seen: [ViewSet; 3] = [views(&[0]), views(&[1, 2]), views(&[0, 1, 2])];
    let edges = seen.map(TestEdge::new);
    let mut connections = Vec::new();
    for (node, edge) in edges.iter().enumerate() {
        edge.watch(&name(), [66, 67, 67][node]);
        connections.push(connect(&cluster, node).await);
    }
    let mut playing = Playing::begin(bus, publisher(&source)).await;
    let follow_all = connections.iter().zip(&edges).map(|(bus, edge)| {
        let bus: Arc<dyn Bus> = bus.clone();
        follow(bus, edge.clone())
    });
    let (before, after) = source.pieces.split_at(180);
    in_time(async {
        tokio::select! {
            _ = futures_util::future::select_all(follow_all.map(Box::pin)) => panic!("a bus ended"),
            () = async {
                let pace = Duration::from_millis(25);
                playing.play(before, pace).await;
                // Everybody watches by then, however late.
                let watches = |edge: &Arc<TestEdge>| edge.shown().is_some_and(|tick| tick >= 150);
                playing.pause_until(|| edges.iter().all(watches)).await;
                cluster.kill(killed);
                playing.play(after, pace).await;
                playing.finish().await;
                std::future::pending::<()>().await;
            } => {}
            () = async { tokio::join!(edges[0].run(), edges[1].run(), edges[2].run()); } => {}
        }
    })
    .await;
    assert!(cluster.nodes[killed].is_none(), "nobody was killed");
    let stalls: Vec<Duration> = edges.iter().map(|edge| edge.check(&source)).collect();
    println!("longest waits: {stalls:?}");
    assert!(stalls.iter().all(|stall| *stall < Duration::from_secs(10)), "{stalls:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_goes_on_when_the_node_of_the_publisher_is_killed() {
    lose_a_node(0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_goes_on_when_the_node_of_an_edge_is_killed() {
    lose_a_node(2).await;
}
