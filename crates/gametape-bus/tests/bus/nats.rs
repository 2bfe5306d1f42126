//! Over a real `nats-server`: `GAMETAPE_NATS` names it, or the path has it. Without one these tests say so and pass.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gametape_bus::{Bus, Nats, NatsOptions, Window, follow};
use gametape_live::Publisher;
use gametape_tape::{TapeHeader, TapeWriter};
use gametape_wire::ViewSet;
use tempfile::TempDir;

use crate::parts::{Playing, TestEdge, in_time, publisher};
use crate::toy::{Dice, METADATA, Match, Plan, TICK, name, views};

/// Servers that end with the test.
struct Cluster {
    nodes: Vec<Option<Child>>,
    ports: Vec<u16>,
    _folder: TempDir,
}

/// Ports that are free now.
fn free_ports(count: usize) -> Vec<u16> {
    let listeners: Vec<_> = (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect()
}

impl Cluster {
    /// Starts so many nodes; `None`, and a line that says why, where there is no server.
    fn start(count: usize, has_window: bool) -> Option<Self> {
        let program = std::env::var_os("GAMETAPE_NATS").unwrap_or_else(|| "nats-server".into());
        if Command::new(&program).arg("--version").stdout(Stdio::null()).status().is_err() {
            println!("skipped: no nats-server; GAMETAPE_NATS or the path names one");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut ports = free_ports(2 * count);
        let routes = ports.split_off(count);
        let all: Vec<String> =
            routes.iter().map(|port| format!("nats://127.0.0.1:{port}")).collect();
        let start = |number: usize| {
            let store = folder.path().join(format!("n{number}"));
            let mut config =
                format!("server_name: n{number}\nlisten: 127.0.0.1:{}\n", ports[number]);
            if has_window {
                config += &format!(
                    "jetstream {{ store_dir: {:?}, max_memory_store: 64MB, max_file_store: 2GB }}\n",
                    store.display().to_string()
                );
            }
            if count > 1 {
                config += &format!(
                    "cluster {{ name: live, listen: 127.0.0.1:{}, routes: [{}] }}\n",
                    routes[number],
                    all.join(", ")
                );
            }
            let path = folder.path().join(format!("n{number}.conf"));
            fs::write(&path, config).unwrap();
            let child = spawn(&program, &path, &folder.path().join(format!("n{number}.log")));
            Some(child)
        };
        let nodes = (0..count).map(start).collect();
        let cluster = Self { nodes, ports, _folder: folder };
        let until = Instant::now() + Duration::from_secs(20);
        for port in &cluster.ports {
            while TcpStream::connect(("127.0.0.1", *port)).is_err() {
                assert!(Instant::now() < until, "nats-server does not start");
                std::thread::yield_now();
            }
        }
        Some(cluster)
    }

    fn address(&self, node: usize) -> String {
        format!("nats://127.0.0.1:{}", self.ports[node])
    }

    async fn connect(&self, node: usize) -> Arc<Nats> {
        Arc::new(Nats::connect(&self.address(node), &NatsOptions::default()).await.unwrap())
    }

    /// As `kill -9`.
    fn kill(&mut self, node: usize) {
        if let Some(mut child) = self.nodes[node].take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

fn spawn(program: &std::ffi::OsStr, config: &Path, log: &Path) -> Child {
    let log = fs::File::create(log).unwrap();
    Command::new(program).arg("-c").arg(config).stderr(log).spawn().unwrap()
}

impl Drop for Cluster {
    fn drop(&mut self) {
        (0..self.nodes.len()).for_each(|node| self.kill(node));
    }
}

fn source(seed: u64, ticks: u64) -> Match {
    Plan { ticks, spacing: 40, events: true, extras: true, ..Plan::small(seed) }.play()
}

#[tokio::test]
async fn a_match_goes_over_one_node_and_stays_in_the_window() {
    let Some(cluster) = Cluster::start(1, true) else { return };
    let source = source(1, 300);
    let bus = cluster.connect(0).await;
    assert_eq!(*bus.window(), Window::Copies(1));
    let edge = TestEdge::new(views(&[0, 1, 2]));
    edge.watch(&name(), 5);
    let mut playing = Playing::begin(bus.clone(), publisher(&source)).await;
    let at_edge = cluster.connect(0).await;
    in_time(async {
        tokio::select! {
            ended = follow(at_edge, edge.clone()) => panic!("{ended:?}"),
            () = async {
                playing.play(&source.pieces, Duration::from_millis(3)).await;
                playing.finish().await;
                std::future::pending::<()>().await;
            } => {}
            () = edge.run() => {}
        }
    })
    .await;
    edge.check(&source);
    assert_eq!(bus.lost(), 0);
    // The publisher is gone: whoever comes now has the window.
    bus.flush().await.unwrap();
    drop((playing, bus));
    let late = TestEdge::new(views(&[0, 2]));
    late.watch(&name(), 1);
    let at_late = cluster.connect(0).await;
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
    let bus = cluster.connect(0).await;
    assert!(matches!(bus.window(), Window::Missing(_)), "{:?}", bus.window());
    let mut playing = Playing::begin(bus.clone(), publisher(&source)).await;
    playing.play(&source.pieces, Duration::ZERO).await;
    let edge = TestEdge::new(views(&[1]));
    edge.watch(&name(), 1);
    let at_edge = cluster.connect(0).await;
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
    writer.frame(0, 0, &[(crate::toy::view(1), b"small")]).unwrap();
    writer.frame(0, 5, &[(crate::toy::view(1), &large)]).unwrap();
    writer.frame(0, 9, &[(crate::toy::view(1), b"end")]).unwrap();
    let journal = [writer.take(), writer.finish().unwrap()].concat();
    let mut source = Plan::small(1).play();
    source.pieces = vec![journal];
    let own = Publisher::new(name(), header, METADATA, seen, usize::MAX).unwrap();
    let edge = TestEdge::new(seen);
    edge.watch(&name(), 1);
    let (bus, at_edge) = (cluster.connect(0).await, cluster.connect(0).await);
    let mut playing = Playing::begin(bus, own).await;
    in_time(async {
        tokio::select! {
            ended = follow(at_edge, edge.clone()) => panic!("{ended:?}"),
            () = async {
                playing.play(&source.pieces, Duration::ZERO).await;
                playing.finish().await;
                std::future::pending::<()>().await;
            } => {}
            () = edge.run() => {}
        }
    })
    .await;
    edge.check(&source);
}

/// One of three nodes is killed while 200 watch: everybody goes on, and has everything.
async fn lose_a_node(killed: usize) {
    let Some(mut cluster) = Cluster::start(3, true) else { return };
    let source = source(3, 320);
    let bus = cluster.connect(0).await;
    assert_eq!(*bus.window(), Window::Copies(3));
    let seen: [ViewSet; 3] = [views(&[0]), views(&[1, 2]), views(&[0, 1, 2])];
    let edges = seen.map(TestEdge::new);
    let mut connections = Vec::new();
    for (node, edge) in edges.iter().enumerate() {
        edge.watch(&name(), [66, 67, 67][node]);
        connections.push(cluster.connect(node).await);
    }
    let mut playing = Playing::begin(bus, publisher(&source)).await;
    let follow_all = connections.iter().zip(&edges).map(|(bus, edge)| {
        let bus: Arc<dyn Bus> = bus.clone();
        follow(bus, edge.clone())
    });
    let killing = async {
        let mut beat = tokio::time::interval(Duration::from_millis(20));
        while edges.iter().any(|edge| edge.shown().is_none_or(|tick| tick < 150)) {
            beat.tick().await;
        }
        cluster.kill(killed);
        std::future::pending::<()>().await;
    };
    in_time(async {
        tokio::select! {
            _ = futures_util::future::select_all(follow_all.map(Box::pin)) => panic!("a bus ended"),
            () = killing => {}
            () = async {
                playing.play(&source.pieces, Duration::from_millis(25)).await;
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
