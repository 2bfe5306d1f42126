//! `kill -9` of each part while 200 spectators watch over real sockets: everybody goes on within ten seconds, and
//! has at the end what was recorded.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[allow(dead_code)]
#[path = "../../gametape-bus/tests/bus/cluster.rs"]
mod cluster;
mod running;

use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, File};
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use cluster::Cluster;
use gametape_live::Notice;
use gametape_net::{Seen, Transport, Watch, WatchOptions};
use gametape_tape::{Chunk, ChunkHeader, ChunkKind, TapeFrames, TapeHeader, TapeWriter};
use gametape_wire::{View, ViewSet, When};
use running::{
    Content, PATIENCE, Running, content, folder, get, none_for_upgrades, pause, proxy, serve_with,
    wait_for_match,
};

const CROWD: usize = 200;
/// Everybody goes on within this time.
const SOON: Duration = Duration::from_secs(10);
/// The match is so long, and has come so far before anybody watches.
const TICKS: u64 = 220;
const FIRST: u64 = 30;
const TICK: Duration = Duration::from_millis(50);
/// All spectators come from one address, and at once.
const LIMITS: &str = "--rate 0 --max-per-address 10000 --store store";

/// A match that is played as far as the test lets it: its journal grows at the speed of the match.
struct Game {
    tape: Vec<u8>,
    /// What the journal gets at which tick.
    pieces: VecDeque<(u64, Vec<u8>)>,
    journal: File,
    /// The match is here, and goes no further for now.
    tick: u64,
    most: u64,
    since: Instant,
}

impl Game {
    fn begin(folder: &Path) -> Self {
        let line = format!("record --speed max --seed 5 --ticks {TICKS} whole.tape");
        let mut record = Command::new(env!("CARGO_BIN_EXE_gametape"));
        let recorded = record.current_dir(folder).args(line.split(' ')).output().unwrap();
        assert!(recorded.status.success(), "{}", String::from_utf8_lossy(&recorded.stderr));
        let pieces = pieces(&fs::read(folder.join("whole.tape")).unwrap());
        let tape: Vec<u8> = pieces.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
        fs::write(folder.join("source.tape"), &tape).unwrap();
        let journal = File::create(folder.join("journal.tape")).unwrap();
        let mut game = Self { tape, pieces, journal, tick: 0, most: 0, since: Instant::now() };
        game.go_to(FIRST);
        game
    }

    /// Goes on, up to this tick.
    fn play_to(&mut self, tick: u64) {
        (self.most, self.since) = (tick, Instant::now());
    }

    fn go_to(&mut self, tick: u64) {
        self.tick = tick;
        let due = self.pieces.iter().take_while(|(of, _)| *of <= tick).count();
        for (_, bytes) in self.pieces.drain(..due) {
            self.journal.write_all(&bytes).unwrap();
        }
    }

    /// Lets time pass.
    fn step(&mut self) {
        let ticks = (self.since.elapsed().as_micros() / TICK.as_micros()) as u64;
        self.since += TICK * u32::try_from(ticks).unwrap();
        if self.tick < self.most {
            self.go_to((self.tick + ticks).min(self.most));
        }
    }
}

/// What a recorder of a match in real time writes, tick by tick; the last piece ends it.
fn pieces(tape: &[u8]) -> VecDeque<(u64, Vec<u8>)> {
    let header = TapeHeader::read(tape).unwrap();
    let mut used = TapeHeader::LENGTH;
    let mut next = || {
        let chunk = Chunk::read(&tape[used..], used as u64).unwrap();
        used += ChunkHeader::LENGTH + chunk.stored.len();
        chunk
    };
    let mut writer = TapeWriter::new(header, &next().raw().unwrap()).unwrap();
    let mut pieces = VecDeque::new();
    loop {
        let chunk = next();
        let raw = chunk.raw().unwrap();
        match chunk.header.kind {
            ChunkKind::FRAMES => {
                for frame in TapeFrames::new(&chunk.header, &raw) {
                    let frame = frame.unwrap();
                    let of = |view: View| Some((view, frame.view(view)?));
                    let parts: Vec<(View, &[u8])> = ViewSet::ALL.iter().filter_map(of).collect();
                    writer.frame(chunk.header.stream, frame.tick, &parts).unwrap();
                    writer.flush().unwrap();
                    pieces.push_back((frame.tick.0, writer.take()));
                }
            }
            ChunkKind::METADATA => writer.closing_metadata(&raw).unwrap(),
            ChunkKind::INDEX => {
                let last = [writer.take(), writer.finish().unwrap()].concat();
                pieces.push_back((TICKS, last));
                return pieces;
            }
            _ => writer.copy(&chunk, chunk.header.views).unwrap(),
        }
    }
}

/// One who watches.
#[derive(Debug, Default)]
struct Seat {
    transports: BTreeSet<String>,
    tape: Vec<u8>,
    begun: usize,
    shown: Option<u64>,
    lost: Vec<Notice>,
    ended: Option<String>,
}

impl Seat {
    fn take(&mut self, seen: Seen) {
        match seen {
            Seen::Connected(transport) => drop(self.transports.insert(transport.to_string())),
            Seen::Tape(bytes) => self.tape.extend(bytes),
            Seen::Notice(Notice::Began { .. }) => self.begun += 1,
            Seen::Notice(Notice::Shown { tick }) => self.shown = Some(tick.0),
            Seen::Notice(notice @ Notice::Lost { .. }) => self.lost.push(notice),
            Seen::Ended(ended) => {
                self.ended = Some(ended.map_or_else(|error| error.to_string(), |()| String::new()));
            }
            _ => {}
        }
    }
}

/// Everybody who watches: half by WebSocket, a quarter each by QUIC and by segments.
struct Crowd {
    seats: Vec<Seat>,
    seen: Receiver<(usize, Seen)>,
}

impl Crowd {
    /// Who watches at these servers, as many at each.
    fn join(servers: &[SocketAddr]) -> Self {
        let (sender, seen) = channel();
        let narrow: Vec<SocketAddr> =
            servers.iter().map(|server| proxy(*server, none_for_upgrades)).collect();
        for number in 0..CROWD {
            let server = number % servers.len();
            let address = match number / servers.len() % 4 {
                0 | 1 => format!("ws://{}/?match=finals", servers[server]),
                2 => format!("http://{}/?match=finals", servers[server]),
                _ => format!("http://{}/?match=finals", narrow[server]),
            };
            let mut options = WatchOptions::new(address.parse().unwrap());
            options.at = Some(When::Start);
            options.views = Self::views(number, servers.len());
            let mut watch = Watch::begin(options).unwrap();
            let sender = sender.clone();
            thread::spawn(move || {
                while let Some(seen) = watch.wait() {
                    if sender.send((number, seen)).is_err() {
                        return;
                    }
                }
            });
        }
        let seats = (0..CROWD).map(|_| Seat::default()).collect();
        Self { seats, seen }
    }

    /// Segments are of one view; of the others each second one sees all.
    fn views(number: usize, servers: usize) -> ViewSet {
        let place = number / servers;
        let seen: &[u8] = match place % 4 {
            3 => &[0],
            _ if (place / 4).is_multiple_of(2) => &[0, 1, 2],
            _ => &[2],
        };
        seen.iter().filter_map(|number| View::new(*number)).collect()
    }

    /// Waits until it is so, while the match goes on.
    fn wait(&mut self, what: &str, game: &mut Game, mut is_so: impl FnMut(&[Seat]) -> bool) {
        let began = Instant::now();
        while !is_so(&self.seats) {
            assert!(began.elapsed() < PATIENCE, "{what} does not come: {:?}", self.positions());
            game.step();
            let first = self.seen.recv_timeout(Duration::from_millis(10));
            for (number, seen) in first.into_iter().chain(self.seen.try_iter()) {
                self.seats[number].take(seen);
            }
        }
        println!("{what} after {:?}", began.elapsed());
    }

    /// Where everybody is, and how it ended for who is not there any more.
    fn positions(&self) -> Vec<(Option<u64>, Option<&str>)> {
        self.seats.iter().map(|seat| (seat.shown, seat.ended.as_deref())).collect()
    }

    fn wait_for_tick(&mut self, tick: u64, game: &mut Game) {
        let has_it = |seat: &Seat| seat.shown >= Some(tick);
        self.wait("a tick", game, |seats| seats.iter().all(has_it));
    }

    /// The newest tick that anybody has.
    fn newest(&self) -> u64 {
        self.seats.iter().filter_map(|seat| seat.shown).max().unwrap()
    }

    /// What happens next happens while all watch: everybody has later ticks soon after.
    fn goes_on(&mut self, game: &mut Game, happens: impl FnOnce()) {
        let newest = self.newest();
        let began = Instant::now();
        happens();
        self.wait_for_tick(newest + 1, game);
        let passed = began.elapsed();
        assert!(passed < SOON, "it took {passed:?} until everybody went on");
        println!("everybody went on after {passed:?}");
    }

    /// The match comes to its end, and everybody has all of it.
    fn finish(mut self, game: &mut Game, folder: &Path, servers: usize) {
        game.play_to(TICKS);
        self.wait("the end", game, |seats| seats.iter().all(|seat| seat.ended.is_some()));
        let source = [0, 1, 2].map(|view| Content::of(&game.tape, view));
        let mut parts_lost = 0;
        for (number, seat) in self.seats.iter().enumerate() {
            assert_eq!(seat.ended.as_deref(), Some(""), "{number}");
            assert_eq!(seat.begun, 1, "it is one tape: {number}");
            let lost = seat.lost();
            parts_lost += usize::from(!lost.is_empty());
            for view in Self::views(number, servers).iter() {
                let view = view.number();
                let kept = Content::of(&seat.tape, view).without(view, &lost);
                let source = source[usize::from(view)].clone().without(view, &lost);
                assert_eq!(kept.keyframes, source.keyframes, "{number}, view {view}");
                assert_eq!(kept.payloads, source.payloads, "{number}, view {view}");
            }
        }
        assert!(source.iter().all(|of| of.payloads.len() > 20 && of.keyframes.len() >= 2));
        println!("{parts_lost} of {CROWD} lost unreliable parts");
        self.check_whole(folder, servers);
        check_stored(folder);
        let used: BTreeSet<&str> =
            self.seats.iter().flat_map(|seat| &seat.transports).map(String::as_str).collect();
        let all = [Transport::WebSocket, Transport::Quic, Transport::Segments];
        let all: Vec<String> = all.iter().map(Transport::to_string).collect();
        assert_eq!(used, all.iter().map(String::as_str).collect());
    }

    /// Of one by each transport everything is compared, as the tool cuts it.
    fn check_whole(&self, folder: &Path, servers: usize) {
        for number in [0, 2, 3].map(|place| place * servers) {
            fs::write(folder.join("kept.tape"), &self.seats[number].tape).unwrap();
            let lost = self.seats[number].lost();
            for view in Self::views(number, servers).iter().map(View::number) {
                let [source, kept] = ["source.tape", "kept.tape"]
                    .map(|tape| content(folder, tape, view).without(view, &lost));
                assert_eq!(source, kept, "{number}, view {view}");
            }
        }
    }
}

/// The tape that servers keep is whole.
fn check_stored(folder: &Path) {
    let until = Instant::now() + PATIENCE;
    let began = Instant::now();
    let stored = loop {
        assert!(Instant::now() < until, "there is no tape");
        let entries = fs::read_dir(folder.join("store")).into_iter().flatten();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        if let Some(name) = names.filter(|name| name.ends_with(".tape")).min() {
            break name;
        }
        pause();
    };
    println!("a tape is stored after {:?}", began.elapsed());
    assert!(!stored.contains("part"), "it is not whole: {stored}");
    for view in [0, 1, 2] {
        let [source, kept] =
            ["source.tape", &format!("store/{stored}")].map(|tape| content(folder, tape, view));
        assert_eq!(source, kept, "view {view}");
    }
}

impl Seat {
    /// View, first and last tick of what was lost: never whole ticks.
    fn lost(&self) -> Vec<[u64; 3]> {
        let of = |notice: &Notice| match notice {
            Notice::Lost { view, first, last, parts: 1.. } => {
                [u64::from(view.number()), first.0, last.0]
            }
            other => panic!("whole ticks are lost: {other:?}"),
        };
        self.lost.iter().map(of).collect()
    }
}

/// The newest tick of a server.
fn now_tick(server: SocketAddr) -> Option<u64> {
    let answer = get(server, "live/finals/0/now");
    let now: serde_json::Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1)?).ok()?;
    now["tick"].as_u64()
}

fn publish(folder: &Path, to: &str) -> Running {
    Running::start(folder, &format!("publish journal.tape --to {to} --match finals"))
}

/// A match that is published to a server, and watched by everybody.
fn watched() -> (tempfile::TempDir, PathBuf, Game, Running, Running, SocketAddr, Crowd) {
    let (kept, folder) = folder();
    let mut game = Game::begin(&folder);
    let (server, address) = serve_with(&folder, &format!("{LIMITS} --listen 127.0.0.1:0"));
    let publisher = publish(&folder, &format!("http://{address}/"));
    wait_for_match(address);
    let mut crowd = Crowd::join(&[address]);
    crowd.wait("a seat", &mut game, |seats| seats.iter().all(|seat| seat.begun > 0));
    game.play_to(80);
    crowd.wait_for_tick(50, &mut game);
    (kept, folder, game, server, publisher, address, crowd)
}

#[test]
fn of_a_publisher() {
    let (_kept, folder, mut game, _server, publisher, address, mut crowd) = watched();
    game.play_to(160);
    let mut publisher = Some(publisher);
    crowd.goes_on(&mut game, || {
        publisher.take().unwrap().kill();
        publisher = Some(publish(&folder, &format!("http://{address}/")));
    });
    crowd.finish(&mut game, &folder, 1);
    assert_eq!(publisher.unwrap().code(), Some(0));
}

#[test]
fn of_a_server() {
    let (_kept, folder, mut game, server, publisher, address, mut crowd) = watched();
    game.play_to(160);
    let mut server = Some(server);
    crowd.goes_on(&mut game, || {
        server.take().unwrap().kill();
        server = Some(serve_with(&folder, &format!("{LIMITS} --listen {address}")).0);
    });
    crowd.finish(&mut game, &folder, 1);
    assert_eq!(publisher.code(), Some(0));
}

#[test]
fn of_a_node_of_the_bus_and_of_a_server_there() {
    let Some(mut cluster) = Cluster::start(3, true) else { return };
    let (_kept, folder) = folder();
    let mut game = Game::begin(&folder);
    let bus = [0, 1, 2].map(|node| cluster.address(node)).join(",");
    let edge =
        |listen: &str| serve_with(&folder, &format!("{LIMITS} --bus {bus} --listen {listen}"));
    let (first, first_address) = edge("127.0.0.1:0");
    let (_second, second_address) = edge("127.0.0.1:0");
    let publisher = publish(&folder, &bus);
    wait_for_match(first_address);
    wait_for_match(second_address);
    let mut crowd = Crowd::join(&[first_address, second_address]);
    crowd.wait("a seat", &mut game, |seats| seats.iter().all(|seat| seat.begun > 0));
    game.play_to(80);
    crowd.wait_for_tick(50, &mut game);
    game.play_to(140);
    crowd.goes_on(&mut game, || cluster.kill(0));
    // The bus is whole again when a server that comes now gets everything from its window.
    let (_spare, spare) = edge("127.0.0.1:0");
    let newest = crowd.newest();
    crowd.wait("the window", &mut game, |_| now_tick(spare) >= Some(newest));
    let mut first = Some(first);
    game.play_to(200);
    crowd.goes_on(&mut game, || {
        first.take().unwrap().kill();
        first = Some(edge(&first_address.to_string()).0);
    });
    crowd.finish(&mut game, &folder, 2);
    assert_eq!(publisher.code(), Some(0));
}
