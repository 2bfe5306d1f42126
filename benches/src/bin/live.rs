//! Live matches over real sockets of this machine: how many can watch, what each costs, beside bare sockets of the same
//! transport that do nothing but send.
//!
//! Server and crowd are two processes on the same cores, so absolute numbers are those of a small machine: the
//! ratios count. Bare socket and server take turns at every size of the crowd.

use std::error::Error;
use std::fs::File;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gametape_benches::audience::{
    Crowd, Lateness, NamedServer, Nuisance, ServerProcess, Sight, SkirmishSource, Source,
    Transport, bare_quic, bare_websocket,
};
use gametape_benches::{Claim, Report, Stopwatch, median};
use gametape_minewars::Generation;
use gametape_net::{PublishOptions, publish_recording};
use gametape_server::live::{EventLog, Hold, Live, LiveLimits, LogForm, Policy};
use gametape_server::{Assets, Listen, Matches, Server, Site};
use gametape_skirmish::{Config, Match, Pace, Provenance, SECOND, Session, Style};
use gametape_wire::{Tick, View, ViewSet};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// What one size of a crowd is measured for.
const WINDOW: Duration = Duration::from_secs(4);
/// Seats that are found to the nearest of these.
const STEP: usize = 250;
/// The crowd whose cost is measured.
const CROWD: usize = 1000;
/// Players of the match that is played.
const PLAYERS: u8 = 6;

/// A part of the benchmark.
type Part = fn(&mut Report) -> Outcome<()>;

/// All parts; the names of some, as arguments, run those alone.
const PARTS: [(&str, Part); 7] = [
    ("costs", costs),
    ("websocket", websocket_seats),
    ("quic", quic_seats),
    ("storm", storm),
    ("match", six_players),
    ("nuisance", beside_nuisance),
    ("publishing", publishing),
];

fn main() -> Outcome<ExitCode> {
    let servers: [NamedServer; 4] = [
        ("gametape", gametape),
        ("guarded", guarded),
        ("bare websocket", bare_websocket),
        ("bare quic", bare_quic),
    ];
    if ServerProcess::serve(&servers)? {
        return Ok(ExitCode::SUCCESS);
    }
    let names: Vec<String> = std::env::args().skip(1).collect();
    if let Some(name) = names.iter().find(|name| PARTS.iter().all(|(part, _)| part != name)) {
        let parts = PARTS.map(|(part, _)| part).join(", ");
        return Err(format!("no part {name}: there are {parts}").into());
    }
    let mut report = Report::new();
    for (name, part) in PARTS {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            part(&mut report)?;
        }
    }
    Ok(report.finish())
}

/// Our server, where strangers see everything at once, with its own limits of what one address may do.
fn guarded(listens: &dyn Fn(u16)) -> io::Result<()> {
    let listen = Listen { with_secret: false, connections: 20_000, ..Listen::default() };
    run(&listen, LiveLimits::default(), listens)
}

/// The same for crowds over QUIC, which come from a few addresses.
fn gametape(listens: &dyn Fn(u16)) -> io::Result<()> {
    let listen = Listen {
        with_secret: false,
        connections: 20_000,
        connections_of_one: 20_000,
        with_quic: true,
        ..Listen::default()
    };
    run(&listen, LiveLimits { joins: 0, ..LiveLimits::default() }, listens)
}

fn run(listen: &Listen, limits: LiveLimits, listens: &dyn Fn(u16)) -> io::Result<()> {
    let policy =
        Policy { public: ViewSet::ALL, delay: Hold::Ticks(0), open: true, ..Policy::default() };
    let live = Live::new(policy, limits, EventLog::new(LogForm::Text, Box::new(|_| ())));
    let server = Server::bind(listen)?;
    listens(server.address().port());
    let assets = Assets::embedded();
    server.run_live(Site { assets, recordings: Vec::new(), matches: Arc::new(Nothing) }, live)
}

/// No finished recordings.
struct Nothing;

impl Matches for Nothing {
    fn list(&self) -> Vec<u8> {
        br#"{"matches":[]}"#.to_vec()
    }

    fn picture(&self, _: usize) -> Option<Vec<u8>> {
        None
    }
}

/// What a seat costs the server.
struct Cost {
    /// Microseconds of a processor each second.
    micros: f64,
    /// Bytes of memory.
    bytes: f64,
}

/// Processor time and memory of a seat over each transport, and what follows for a large audience.
fn costs(report: &mut Report) -> Outcome<()> {
    let bare = cost_of_a_seat("bare websocket", Transport::BareWebSocket)?;
    let websocket = cost_of_a_seat("gametape", Transport::WebSocket)?;
    let segments = cost_of_a_seat("gametape", Transport::Segments)?;
    let bare_quic = cost_of_a_seat("bare quic", Transport::BareQuic)?;
    let quic = cost_of_a_seat("gametape", Transport::Quic)?;
    println!(
        "of bare sockets: WebSocket {:.2}, QUIC {:.2}",
        websocket.micros / bare.micros,
        quic.micros / bare_quic.micros
    );
    report.claim(&Claim::at_most(
        "processor time of segments / WebSocket",
        segments.micros / websocket.micros,
        1.0 / 12.0,
    ));
    let most = websocket.bytes.max(segments.bytes).max(quic.bytes);
    report.claim(&Claim::at_most("KiB of memory for each seat", most / 1024.0, 64.0));
    let cores = |cost: &Cost| cost.micros * 100_000.0 / 1e6;
    let gbit = 100_000.0 * 60.0 * 300.0 * 8.0 / 1e9;
    println!(
        "100,000 seats: {:.1} cores by segments without any cache, {:.0} over WebSocket, {:.0} over QUIC; {gbit:.1} Gbit/s",
        cores(&segments),
        cores(&websocket),
        cores(&quic)
    );
    Ok(())
}

/// What one seat among many costs.
fn cost_of_a_seat(name: &str, transport: Transport) -> Outcome<Cost> {
    let server = ServerProcess::start(name)?;
    let source = published(name, &server)?;
    // What the match itself costs, without anybody.
    let before = server.usage()?;
    std::thread::sleep(WINDOW);
    let idle = server.usage()?;
    let crowd = Crowd::join(transport, server.port, CROWD)?;
    let joined = server.usage()?;
    let late = crowd.watch(WINDOW);
    let after = server.usage()?;
    drop((crowd, source));
    let alone = idle.computed.saturating_sub(before.computed);
    let computed = (after.computed.saturating_sub(joined.computed)).saturating_sub(alone);
    let micros = computed.as_micros() as f64 / WINDOW.as_secs_f64() / CROWD as f64;
    let bytes = after.resident.saturating_sub(idle.resident) as f64 / CROWD as f64;
    let seen = match transport {
        Transport::Segments => String::new(),
        _ => format!("; {}", words(&late)),
    };
    let kibibytes = bytes / 1024.0;
    println!(
        "{transport:?}: {micros:.0} µs each second, {kibibytes:.1} KiB for each of {CROWD} seats{seen}"
    );
    Ok(Cost { micros, bytes })
}

/// A match for our server; the others make their own frames.
fn published(name: &str, server: &ServerProcess) -> Outcome<Option<Source>> {
    (name == "gametape").then(|| Source::publish(server.port)).transpose()
}

fn words(late: &Lateness) -> String {
    let (p50, p99) = (late.p50.as_secs_f64() * 1e3, late.p99.as_secs_f64() * 1e3);
    format!("p50 {p50:.1} ms, p99 {p99:.1} ms, {:.1} % came", 100.0 * late.delivered)
}

fn websocket_seats(report: &mut Report) -> Outcome<()> {
    let ways = [("bare websocket", Transport::BareWebSocket), ("gametape", Transport::WebSocket)];
    seats(report, "WebSocket", ways, 8000)
}

fn quic_seats(report: &mut Report) -> Outcome<()> {
    let ways = [("bare quic", Transport::BareQuic), ("gametape", Transport::Quic)];
    seats(report, "QUIC", ways, 4000)
}

/// How many seats there can be, compared with a bare socket.
fn seats(
    report: &mut Report,
    name: &str,
    ways: [(&str, Transport); 2],
    most: usize,
) -> Outcome<()> {
    let mut found = [Search::new(most), Search::new(most)];
    // In turns, so that a busy machine slows both.
    while found.iter().any(|search| !search.is_done()) {
        for (search, (server, transport)) in found.iter_mut().zip(ways) {
            if let Some(count) = search.next() {
                let late = lateness(server, transport, count)?;
                println!("{name}, {server}, {count} seats: {}", words(&late));
                search.note(count, late.is_fine());
            }
        }
    }
    let [bare, ours] = found.map(|search| search.best as f64);
    println!("{name}: {ours} seats, {bare} of the bare socket");
    report.claim(&Claim::at_least(&format!("seats of {name} / bare socket"), ours / bare, 0.8));
    Ok(())
}

/// How late a crowd of this size sees frames. Who does not even get in sees nothing.
fn lateness(name: &str, transport: Transport, count: usize) -> Outcome<Lateness> {
    let server = ServerProcess::start(name)?;
    let _source = published(name, &server)?;
    match Crowd::join(transport, server.port, count) {
        // Joining is over: what follows is the match alone.
        Ok(crowd) => {
            crowd.watch(Duration::from_secs(1));
            Ok(crowd.watch(WINDOW))
        }
        Err(_) => Ok(Lateness::of(Vec::new(), count)),
    }
}

/// The largest number that is fine, by halving.
struct Search {
    best: usize,
    bad: usize,
}

impl Search {
    fn new(most: usize) -> Self {
        Self { best: 0, bad: most + STEP }
    }

    fn is_done(&self) -> bool {
        self.bad - self.best <= STEP
    }

    fn next(&self) -> Option<usize> {
        (!self.is_done()).then(|| (self.best + self.bad) / 2 / STEP * STEP)
    }

    fn note(&mut self, count: usize, is_fine: bool) {
        if is_fine { self.best = count } else { self.bad = count }
    }
}

/// Two thousand who come at the same time see the match within five seconds.
fn storm(report: &mut Report) -> Outcome<()> {
    let server = ServerProcess::start("guarded")?;
    let source = Source::publish(server.port)?;
    let start = Instant::now();
    let crowd = Crowd::join(Transport::WebSocket, server.port, 2000)?;
    let seconds = start.elapsed().as_secs_f64();
    drop((crowd, source));
    report.claim(&Claim::at_most(
        "seconds until 2000 who join at once see the match",
        seconds,
        5.0,
    ));
    Ok(())
}

/// A match of six players, played in real time, and a thousand who watch it from all its seats.
fn six_players(report: &mut Report) -> Outcome<()> {
    let server = ServerProcess::start("guarded")?;
    let source = SkirmishSource::publish(server.port, PLAYERS)?;
    let (times, rate) = (Arc::clone(&source.times), u32::try_from(SECOND)?);
    let sight = Sight::Ticks { times, rate, views: PLAYERS + 1 };
    let crowd = Crowd::join_to_see(sight, Transport::WebSocket, server.port, CROWD)?;
    crowd.watch(Duration::from_secs(1));
    let before = server.usage()?;
    let late = crowd.watch(3 * WINDOW);
    let computed = server.usage()?.computed.saturating_sub(before.computed);
    let share = 100.0 * computed.as_secs_f64() / (3 * WINDOW).as_secs_f64();
    println!(
        "a match of {PLAYERS} to {CROWD} spectators: {}; {share:.0} % of a processor",
        words(&late)
    );
    let millis = late.p99.as_secs_f64() * 1e3;
    report.claim(&Claim::at_most("ms until 99 of 100 see a tick of the match", millis, 50.0));
    report.claim(&Claim::at_least("ticks of the match that they see", late.delivered, 0.99));
    Ok(())
}

/// How much later a crowd sees frames while others flood the server, never read, or never finish a request.
fn beside_nuisance(report: &mut Report) -> Outcome<()> {
    let server = ServerProcess::start("guarded")?;
    let _source = Source::publish(server.port)?;
    let crowd = Crowd::join(Transport::WebSocket, server.port, CROWD)?;
    let mut ratios = Vec::new();
    for _ in 0..7 {
        let quiet = crowd.watch(WINDOW);
        let nuisance = Nuisance::begin(server.port)?;
        crowd.watch(Duration::from_secs(1));
        let beside = crowd.watch(WINDOW);
        drop(nuisance);
        crowd.watch(Duration::from_secs(1));
        println!("{CROWD} seats: {}; beside others: {}", words(&quiet), words(&beside));
        ratios.push(beside.p99.as_secs_f64() / quiet.p99.as_secs_f64());
    }
    report.claim(&Claim::at_most(
        "lateness (p99) beside hostile clients / without them",
        median(&mut ratios),
        2.0,
    ));
    Ok(())
}

/// What publishing costs the game at each tick: all work on its thread, beside the same match that is only recorded.
fn publishing(report: &mut Report) -> Outcome<()> {
    let server = ServerProcess::start("gametape")?;
    let mut rounds = Vec::new();
    for round in 0..7 {
        let alone = played(None)?;
        let published = played(Some((server.port, format!("round-{round}"))))?;
        rounds.push((published - alone).max(0.0));
    }
    report.claim(&Claim::at_most("µs of publishing at each tick", median(&mut rounds), 50.0));
    Ok(())
}

/// Microseconds of this thread for each tick of a match that is recorded and, if wanted, published.
fn played(to: Option<(u16, String)>) -> Outcome<f64> {
    let ticks = 60 * SECOND;
    let game = Match::new(Config::new(PLAYERS, 16, 5), &Style::ALL, Generation::Current)?;
    let journal = std::env::temp_dir().join(format!("gametape-bench-{}", std::process::id()));
    let (about, file) = (Provenance::by("benchmark"), File::create(&journal)?);
    let generation = Generation::Current;
    let mut session = Session::begin(game, &Style::ALL, generation, &about, Pace::Max, file)?;
    let publishing = match to {
        Some((port, name)) => {
            let address = format!("ws://127.0.0.1:{port}/").parse()?;
            let views: ViewSet = (0..=PLAYERS).filter_map(View::new).collect();
            let options = PublishOptions::new(address, name.parse()?);
            let (sink, publishing) = publish_recording(&journal, views, options);
            session.publish(sink);
            Some(publishing)
        }
        None => None,
    };
    let clock = Stopwatch::start();
    while session.tick() < Tick(ticks) {
        session.step(Duration::ZERO)?;
    }
    let micros = clock.elapsed().as_secs_f64() * 1e6 / ticks as f64;
    if let Some(publishing) = publishing {
        publishing.give_up();
    }
    drop(session);
    std::fs::remove_file(journal)?;
    Ok(micros)
}
