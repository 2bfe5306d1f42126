//! A server that runs, and clients that are as simple as they can be.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use gametape_live::{Join, Message, Notice, Publisher, SeatId, Shared, Spectator};
use gametape_server::live::{EventLog, Hold, Live, LiveLimits, LogForm, Policy};
use gametape_server::{Assets, Identity, Listen, Matches, Server, Site, Stopper};
use gametape_wire::{Tick, ViewSet};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Error, WebSocket};

use super::toy::Match;

/// Longer than anything takes; a test that waits longer would wait forever.
pub(crate) const LONG: Duration = Duration::from_secs(60);

struct None;

impl Matches for None {
    fn list(&self) -> Vec<u8> {
        br#"{"matches":[]}"#.to_vec()
    }

    fn picture(&self, _: usize) -> Option<Vec<u8>> {
        Option::None
    }
}

/// A server that runs.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    /// The hash of its certificate, where it speaks TLS.
    pub(crate) certificate: Option<String>,
    pub(crate) log: Arc<Mutex<Vec<String>>>,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
}

/// Anybody publishes, strangers see everything at once, and nobody is refused for asking often.
pub(crate) fn open_policy() -> Policy {
    Policy { public: ViewSet::ALL, delay: Hold::Ticks(0), open: true, ..Policy::default() }
}

pub(crate) fn limits() -> LiveLimits {
    LiveLimits { joins: 0, ..LiveLimits::default() }
}

pub(crate) fn start(policy: Policy) -> Running {
    start_with(policy, limits(), |live| live)
}

pub(crate) fn start_with(
    policy: Policy,
    limits: LiveLimits,
    change: impl FnOnce(Live) -> Live,
) -> Running {
    start_at(&anywhere(), policy, limits, change)
}

/// Any free port, for many.
pub(crate) fn anywhere() -> Listen {
    Listen { with_secret: false, connections_of_one: 10_000, with_quic: true, ..Listen::default() }
}

pub(crate) fn start_at(
    listen: &Listen,
    policy: Policy,
    limits: LiveLimits,
    change: impl FnOnce(Live) -> Live,
) -> Running {
    let log = Arc::new(Mutex::new(Vec::new()));
    let lines = Arc::clone(&log);
    let say = move |line: &str| lines.lock().unwrap().push(line.to_owned());
    let live = Live::new(policy, limits, EventLog::new(LogForm::Text, Box::new(say)));
    let live = change(live);
    let folder = tempfile::tempdir().unwrap();
    let assets = Assets::in_folder(folder.path()).unwrap();
    let site = Site { assets, recordings: Vec::new(), matches: Arc::new(None) };
    let server = Server::bind(listen).unwrap();
    let (address, stopper) = (server.address(), server.stopper());
    let certificate = listen.identity.as_ref().and_then(Identity::hash);
    let thread = thread::spawn(move || server.run_live(site, live).unwrap());
    Running { address, certificate, log, stopper, thread: Some(thread) }
}

impl Running {
    /// Stops, and waits until it has.
    pub(crate) fn stop(&mut self) {
        self.stopper.stop();
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(ended.is_none_or(|ended| ended.is_ok()) || thread::panicking());
    }

    pub(crate) fn logged(&self, what: &str) -> usize {
        self.log.lock().unwrap().iter().filter(|line| line.contains(what)).count()
    }

    /// Asks for something, with more lines in the head.
    pub(crate) fn ask(&self, path: &str, lines: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n{lines}\r\n",
            self.address
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        Answer::of(&bytes)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.ask(path, "")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

/// An answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    fn of(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Self { status, head, body: bytes[end + 4..].to_vec() }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(one, _)| one.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// A connection that carries messages and does not wait.
pub(crate) trait Wire {
    /// A message that has come; an error where the connection has ended.
    fn receive(&mut self) -> Result<Option<Shared>, Ended>;
    fn send(&mut self, bytes: &[u8]);
    fn send_datagram(&mut self, bytes: &[u8]) {
        self.send(bytes);
    }
    /// Nothing more is wanted, where the transport can say so.
    fn finish(&mut self) {}
}

impl Wire for Box<dyn Wire> {
    fn receive(&mut self) -> Result<Option<Shared>, Ended> {
        (**self).receive()
    }

    fn send(&mut self, bytes: &[u8]) {
        (**self).send(bytes);
    }

    fn send_datagram(&mut self, bytes: &[u8]) {
        (**self).send_datagram(bytes);
    }

    fn finish(&mut self) {
        (**self).finish();
    }
}

/// The connection has ended, with this code where one was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended(pub(crate) Option<u16>);

/// A WebSocket of another implementation than the server's.
pub(crate) struct Socket {
    inner: WebSocket<TcpStream>,
}

impl Socket {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        Self::try_connect(address, "/live", &[]).unwrap()
    }

    pub(crate) fn try_connect(
        address: SocketAddr,
        path: &str,
        headers: &[(&'static str, String)],
    ) -> Result<Self, u16> {
        let mut request = format!("ws://{address}{path}").into_client_request().unwrap();
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().unwrap());
        }
        request.headers_mut().insert("sec-websocket-protocol", "gametape-live-1".parse().unwrap());
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream.set_nodelay(true).unwrap();
        let config = WebSocketConfig::default().max_message_size(Some(32 << 20));
        let config = config.max_frame_size(Some(32 << 20));
        match tungstenite::client::client_with_config(request, stream, Some(config)) {
            Ok((inner, _)) => {
                inner.get_ref().set_nonblocking(true).unwrap();
                Ok(Self { inner })
            }
            Err(tungstenite::HandshakeError::Failure(Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(other) => panic!("{other}"),
        }
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.put(tungstenite::Message::text(text.to_owned()));
    }

    fn put(&mut self, message: tungstenite::Message) {
        let mut sent = self.inner.send(message);
        let end = Instant::now() + LONG;
        while let Err(Error::Io(error)) = &sent
            && error.kind() == std::io::ErrorKind::WouldBlock
        {
            assert!(Instant::now() < end);
            thread::yield_now();
            sent = self.inner.flush();
        }
    }

    /// The next message of any kind.
    pub(crate) fn next(&mut self) -> Result<Option<tungstenite::Message>, Ended> {
        match self.inner.read() {
            Ok(tungstenite::Message::Close(frame)) => {
                Err(Ended(frame.map(|frame| frame.code.into())))
            }
            Ok(message) => Ok(Some(message)),
            Err(Error::Io(error)) if error.kind() == std::io::ErrorKind::WouldBlock => {
                Ok(Option::None)
            }
            Err(_) => Err(Ended(Option::None)),
        }
    }
}

impl Wire for Socket {
    fn receive(&mut self) -> Result<Option<Shared>, Ended> {
        Ok(match self.next()? {
            Some(tungstenite::Message::Binary(bytes)) => Some(bytes[..].into()),
            _ => Option::None,
        })
    }

    fn send(&mut self, bytes: &[u8]) {
        self.put(tungstenite::Message::binary(bytes.to_vec()));
    }
}

/// Waits for something, at most [`LONG`]. It looks again after pauses that become longer: the server needs the cores.
pub(crate) fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + LONG;
    let mut pause = Duration::from_micros(20);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "waited too long for {what}");
        thread::park_timeout(pause);
        pause = (pause * 2).min(Duration::from_millis(1));
    }
}

/// A publisher with a connection.
pub(crate) struct Publishing<W> {
    pub(crate) publisher: Publisher,
    pub(crate) wire: W,
    link: SeatId,
    start: Instant,
    pub(crate) sent: usize,
}

impl<W: Wire> Publishing<W> {
    pub(crate) fn new(publisher: Publisher, wire: W) -> Self {
        Self::try_new(publisher, wire).unwrap()
    }

    /// Announces, and waits for what the server has.
    pub(crate) fn try_new(
        mut publisher: Publisher,
        mut wire: W,
    ) -> Result<Self, gametape_live::Refusal> {
        wire.send(&publisher.announce());
        let answer = wait_for("an answer", || wire.receive().unwrap());
        let start = Instant::now();
        match Message::read(&answer).unwrap() {
            Message::Have(have) => {
                let link = publisher.connect(&have, start.elapsed());
                Ok(Self { publisher, wire, link, start, sent: 0 })
            }
            Message::Refuse(refusal) => Err(refusal),
            other => panic!("{other:?}"),
        }
    }

    /// Sends what there is, and what the server asks for.
    pub(crate) fn step(&mut self) {
        self.try_step().unwrap();
    }

    pub(crate) fn try_step(&mut self) -> Result<(), Ended> {
        let now = self.start.elapsed();
        while let Some(message) = self.wire.receive()? {
            self.publisher.receive(self.link, &message, now).unwrap();
        }
        for out in self.publisher.poll(self.link, now, 1 << 20) {
            self.sent += 1;
            match out.is_datagram {
                true => self.wire.send_datagram(&out.bytes),
                false => self.wire.send(&out.bytes),
            }
        }
        Ok(())
    }

    pub(crate) fn follow(&mut self, piece: &[u8]) {
        self.publisher.follow(piece, self.start.elapsed()).unwrap();
        self.step();
    }

    /// The connection is gone.
    pub(crate) fn lose(mut self) -> Publisher {
        self.publisher.disconnect(self.link);
        self.publisher
    }
}

/// A spectator with a connection.
pub(crate) struct Watching<W> {
    pub(crate) spectator: Spectator,
    pub(crate) wire: Option<W>,
    start: Instant,
    pub(crate) tape: Vec<u8>,
    pub(crate) notices: Vec<Notice>,
    /// Everything that came.
    pub(crate) seen: Vec<Shared>,
}

impl<W: Wire> Watching<W> {
    pub(crate) fn new(join: Join, wire: W) -> Self {
        Self::joining(join, |join| {
            let mut wire = wire;
            wire.send(&join);
            wire
        })
    }

    /// With a connection whose request joins.
    pub(crate) fn joining(join: Join, connect: impl FnOnce(Shared) -> W) -> Self {
        let spectator = Spectator::new(join);
        let wire = Some(connect(spectator.join()));
        let (start, tape) = (Instant::now(), Vec::new());
        Self { spectator, wire, start, tape, notices: Vec::new(), seen: Vec::new() }
    }

    /// Goes on over another connection.
    pub(crate) fn connect(&mut self, mut wire: W) {
        wire.send(&self.spectator.join());
        self.wire = Some(wire);
    }

    /// Takes what has come; an error where the connection has ended.
    pub(crate) fn step(&mut self) -> Result<(), Ended> {
        let now = self.start.elapsed();
        let Some(wire) = &mut self.wire else { return Err(Ended(Option::None)) };
        while let Some(message) = wire.receive()? {
            self.seen.push(message.clone());
            self.spectator.receive(&message, now).unwrap();
        }
        for message in self.spectator.poll(now).unwrap() {
            wire.send(&message);
        }
        let notices = self.spectator.notices();
        if notices.iter().any(|notice| matches!(notice, Notice::Began { .. })) {
            self.tape.clear();
        }
        self.notices.extend(notices);
        self.tape.extend(self.spectator.take_tape().unwrap());
        Ok(())
    }

    pub(crate) fn is_over(&self) -> bool {
        self.spectator.is_over()
    }
}

/// Publishes a match of the toy from its first piece to its last, while spectators watch.
pub(crate) fn play<P: Wire, S: Wire>(
    source: &Match,
    publishing: &mut Publishing<P>,
    watching: &mut [Watching<S>],
) {
    for tick in 0..source.pieces.len() {
        play_one(source, tick, publishing, watching);
    }
    finish(publishing, watching);
}

/// Publishes one piece, and waits until everybody has what was before: so nothing is late, and nothing dropped.
pub(crate) fn play_one<P: Wire, S: Wire>(
    source: &Match,
    tick: usize,
    publishing: &mut Publishing<P>,
    watching: &mut [Watching<S>],
) {
    publishing.follow(&source.pieces[tick]);
    let over = (tick as u64).min(source.ticks).checked_sub(1);
    wait_for("a tick", || {
        publishing.step();
        watching.iter_mut().for_each(|one| one.step().unwrap());
        watching.iter().all(|one| one.spectator.shown() >= over.map(Tick)).then_some(())
    });
}

/// Waits until everybody has everything.
pub(crate) fn finish<P: Wire, S: Wire>(
    publishing: &mut Publishing<P>,
    watching: &mut [Watching<S>],
) {
    wait_for("the end", || {
        publishing.step();
        watching.iter_mut().for_each(|one| one.step().unwrap());
        watching.iter().all(Watching::is_over).then_some(())
    });
}
