//! Live matches over real sockets of this machine: how many can watch, what each costs, beside bare sockets of the same
//! transport that do nothing but send.
//!
//! Server and crowd are two processes on the same cores, so absolute numbers are those of a small machine: the
//! ratios count. Bare socket and server take turns at every size of the crowd.

use std::error::Error;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gametape_benches::audience::{
    Crowd, Lateness, NamedServer, ServerProcess, Source, Transport, bare_quic, bare_websocket,
};
use gametape_benches::{Claim, Report, median};
use gametape_live::Publisher;
use gametape_minewars::Generation;
use gametape_server::live::{EventLog, Hold, Live, LiveLimits, LogForm, Policy};
use gametape_server::{Assets, Listen, Matches, Server, Site};
use gametape_skirmish::{Config, Match, SECOND, Style, metadata, record_match};
use gametape_tape::Tape;
use gametape_wire::ViewSet;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// What one size of a crowd is measured for.
const WINDOW: Duration = Duration::from_secs(4);
/// Seats that are found to the nearest of these.
const STEP: usize = 250;
/// The crowd whose cost is measured.
const CROWD: usize = 1000;

fn main() -> Outcome<ExitCode> {
    let servers: [NamedServer; 3] =
        [("gametape", gametape), ("bare websocket", bare_websocket), ("bare quic", bare_quic)];
    if ServerProcess::serve(&servers)? {
        return Ok(ExitCode::SUCCESS);
    }
    let mut report = Report::new();
    let cost = costs(&mut report)?;
    seats("WebSocket", "bare websocket", Transport::BareWebSocket, Transport::WebSocket, 6000)
        .map(|claim| report.claim(&claim))?;
    seats("QUIC", "bare quic", Transport::BareQuic, Transport::Quic, 3000)
        .map(|claim| report.claim(&claim))?;
    storm(&mut report)?;
    publishing(&mut report)?;
    crowd_of_a_hundred_thousand(&cost);
    Ok(report.finish())
}

/// Our server, where strangers see everything at once.
fn gametape(listens: &dyn Fn(u16)) -> io::Result<()> {
    let policy =
        Policy { public: ViewSet::ALL, delay: Hold::Ticks(0), open: true, ..Policy::default() };
    let limits = LiveLimits { joins: 0, ..LiveLimits::default() };
    let live = Live::new(policy, limits, EventLog::new(LogForm::Text, Box::new(|_| ())));
    let listen = Listen {
        with_secret: false,
        connections: 20_000,
        connections_of_one: 20_000,
        with_quic: true,
        ..Listen::default()
    };
    let server = Server::bind(&listen)?;
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

/// What a seat costs.
struct Cost {
    websocket: f64,
    segments: f64,
}

/// Processor time and memory of a seat: a crowd over WebSocket, and one that follows segments.
fn costs(report: &mut Report) -> Outcome<Cost> {
    let (websocket, bytes) = cost_of_a_seat(Transport::WebSocket)?;
    let (segments, _) = cost_of_a_seat(Transport::Segments)?;
    println!(
        "a seat costs {websocket:.0} µs of a processor each second over WebSocket, {segments:.1} by segments"
    );
    report.claim(&Claim::at_most(
        "processor time of segments / WebSocket",
        segments / websocket,
        1.0 / 12.0,
    ));
    report.claim(&Claim::at_most("KiB of memory for each seat", bytes / 1024.0, 64.0));
    Ok(Cost { websocket, segments })
}

/// Microseconds of a processor for each second, and bytes, of one seat among many.
fn cost_of_a_seat(transport: Transport) -> Outcome<(f64, f64)> {
    let server = ServerProcess::start("gametape")?;
    let source = Source::publish(server.port)?;
    // What the match itself costs, without anybody.
    let before = server.usage()?;
    std::thread::sleep(WINDOW);
    let idle = server.usage()?;
    let crowd = Crowd::join(transport, server.port, CROWD)?;
    let joined = server.usage()?;
    let late = crowd.watch(WINDOW);
    let after = server.usage()?;
    println!("{transport:?}, {CROWD} seats: {}", words(&late));
    let alone = idle.computed.saturating_sub(before.computed);
    let computed = (after.computed.saturating_sub(joined.computed)).saturating_sub(alone);
    drop((crowd, source));
    let micros = computed.as_micros() as f64 / WINDOW.as_secs_f64() / CROWD as f64;
    let bytes = after.resident.saturating_sub(idle.resident) as f64 / CROWD as f64;
    Ok((micros, bytes))
}

fn words(late: &Lateness) -> String {
    let (p50, p99) = (late.p50.as_secs_f64() * 1e3, late.p99.as_secs_f64() * 1e3);
    format!("p50 {p50:.1} ms, p99 {p99:.1} ms, {:.1} % came", 100.0 * late.delivered)
}

/// How many seats there can be, compared with a bare socket.
fn seats(
    name: &str,
    bare: &str,
    bare_transport: Transport,
    ours: Transport,
    most: usize,
) -> Outcome<Claim> {
    let mut found = [Search::new(most), Search::new(most)];
    // In turns, so that a busy machine slows both.
    while found.iter().any(|search| !search.is_done()) {
        for (search, (server, transport)) in
            found.iter_mut().zip([(bare, bare_transport), ("gametape", ours)])
        {
            if let Some(count) = search.next() {
                let late = lateness(server, transport, count)?;
                println!("{name}, {server}, {count} seats: {}", words(&late));
                search.note(count, late.is_fine());
            }
        }
    }
    let [bare, ours] = found.map(|search| search.best as f64);
    println!("{name}: {ours} seats, {bare} of the bare socket");
    Ok(Claim::at_least(&format!("seats of {name} / bare socket"), ours / bare, 0.8))
}

/// How late a crowd of this size sees frames. Who does not even get in sees nothing.
fn lateness(server: &str, transport: Transport, count: usize) -> Outcome<Lateness> {
    let server_process = ServerProcess::start(server)?;
    let _source = match server {
        "gametape" => Some(Source::publish(server_process.port)?),
        _ => None,
    };
    match Crowd::join(transport, server_process.port, count) {
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
    let server = ServerProcess::start("gametape")?;
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

/// What publishing costs the game at each tick: a match of six, whose messages are made while it is recorded.
fn publishing(report: &mut Report) -> Outcome<()> {
    let config = Config::new(6, 16, 5).with_time_limit(3 * 60);
    let mut played = Match::new(config.clone(), &Style::ALL, Generation::Current)?;
    let about = metadata(&config, Generation::Current);
    let tape = record_match(&mut played, &about, 1, 3 * 60 * SECOND)?;
    let opened = Tape::open(&tape)?;
    let ticks = 3 * 60 * SECOND;
    let about = std::str::from_utf8(&about)?;
    let mut rounds = Vec::new();
    for _ in 0..7 {
        let name = "bench".parse()?;
        let mut publisher = Publisher::new(name, opened.header, about, opened.views(), 64 << 20)?;
        let link = publisher.connect(&[], Duration::ZERO);
        let start = Instant::now();
        let mut bytes = 0;
        for piece in tape.chunks(4096) {
            publisher.follow(piece, start.elapsed())?;
            let out = publisher.poll(link, start.elapsed(), usize::MAX);
            bytes += out.iter().map(|out| out.bytes.len()).sum::<usize>();
        }
        rounds.push(start.elapsed().as_secs_f64() * 1e6 / ticks as f64);
        assert!(bytes > 0);
    }
    report.claim(&Claim::at_most("µs of publishing at each tick", median(&mut rounds), 50.0));
    Ok(())
}

/// What follows for a large audience.
fn crowd_of_a_hundred_thousand(cost: &Cost) {
    let cores = |micros: f64| micros * 100_000.0 / 1e6;
    let gbit = 100_000.0 * 60.0 * 300.0 * 8.0 / 1e9;
    println!(
        "100,000 seats: {:.0} cores over WebSocket, {:.1} by segments without any cache; {gbit:.1} Gbit/s",
        cores(cost.websocket),
        cores(cost.segments)
    );
}
