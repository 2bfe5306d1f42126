//! The crowd: many connections of one process, which say how late they see each frame.

use std::error::Error;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use gametape_live::{Join, SegmentFollower, StartAt};
use gametape_net::framing::{Decoder, put_entry};
use gametape_wire::{View, ViewSet};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use super::source::{MATCH, TickTimes};
use super::{FRAME_BYTES, FRAMES, Lateness, age, quic};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Everybody must be connected after this time.
const PATIENCE: Duration = Duration::from_secs(30);
/// Connections that are made at the same time.
const AT_ONCE: usize = 64;
/// How often a connection over QUIC that ended before anything came is tried again.
const JOINS: usize = 3;
/// How often marks are read over QUIC.
const MARKS: Duration = Duration::from_secs(1);
/// Room of a WebSocket for what is read at once, in bytes: it is cleared before each time.
const READ_BUFFER: usize = 4 << 10;
/// Connections of one endpoint of QUIC.
const OF_ONE_ENDPOINT: usize = 250;

/// How a crowd is connected, and to what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// A bare WebSocket.
    BareWebSocket,
    /// A WebSocket of our server.
    WebSocket,
    /// A bare stream of QUIC.
    BareQuic,
    /// Our server over QUIC.
    Quic,
    /// Segments of our server.
    Segments,
}

/// What a crowd looks at, to know how late it is.
#[derive(Debug, Clone)]
pub enum Sight {
    /// Frames that say when they were made, [`FRAMES`] of them a second.
    Stamps,
    /// The ends of ticks of a match, from all its seats in turn.
    Ticks {
        /// When each tick was played.
        times: Arc<TickTimes>,
        /// Ticks a second.
        rate: u32,
        /// Views of the match, from 0 on.
        views: u8,
    },
}

impl Sight {
    fn rate(&self) -> u32 {
        match self {
            Self::Stamps => FRAMES,
            Self::Ticks { rate, .. } => *rate,
        }
    }

    /// The view that one of the crowd watches.
    fn view(&self, number: usize) -> View {
        let views = match self {
            Self::Stamps => 1,
            Self::Ticks { views, .. } => usize::from(*views),
        };
        View::new((number % views.max(1)) as u8).unwrap_or(View::SPECTATOR)
    }

    fn age(&self, message: &[u8]) -> Option<Duration> {
        match self {
            Self::Stamps => age(message),
            Self::Ticks { times, .. } => match gametape_live::Message::read(message) {
                Ok(gametape_live::Message::Mark(mark)) => times.age(mark.tick.0),
                _ => None,
            },
        }
    }
}

/// What all connections have in common.
#[derive(Debug)]
struct Common {
    sight: Sight,
    is_measured: AtomicBool,
    seen: AtomicUsize,
    ages: Mutex<Vec<u32>>,
}

/// Many who watch, until this is dropped.
#[derive(Debug)]
pub struct Crowd {
    runtime: tokio::runtime::Runtime,
    common: Arc<Common>,
    count: usize,
}

impl Crowd {
    /// Connects this many, and waits until each has seen a frame.
    pub fn join(transport: Transport, port: u16, count: usize) -> Outcome<Self> {
        Self::join_to_see(Sight::Stamps, transport, port, count)
    }

    /// The same, where something else is looked at.
    pub fn join_to_see(
        sight: Sight,
        transport: Transport,
        port: u16,
        count: usize,
    ) -> Outcome<Self> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(2).enable_all().build()?;
        let (is_measured, seen) = (AtomicBool::default(), AtomicUsize::default());
        let common = Arc::new(Common { sight, is_measured, seen, ages: Mutex::default() });
        runtime.block_on(connect_all(transport, port, count, &common))?;
        Ok(Self { runtime, common, count })
    }

    /// Watches for this long.
    pub fn watch(&self, time: Duration) -> Lateness {
        self.common.is_measured.store(true, Ordering::Relaxed);
        self.wait(time);
        self.common.is_measured.store(false, Ordering::Relaxed);
        // Each hands in what it saw with the next frame that it sees; what comes only now is late and does not count.
        self.wait(Duration::from_millis(300));
        let ages = std::mem::take(&mut *self.ages());
        let expected = time.as_secs_f64() * f64::from(self.common.sight.rate()) * self.count as f64;
        Lateness::of(ages, expected as usize)
    }

    fn wait(&self, time: Duration) {
        self.runtime.block_on(async { tokio::time::sleep(time).await });
    }

    fn ages(&self) -> std::sync::MutexGuard<'_, Vec<u32>> {
        self.common.ages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn connect_all(
    transport: Transport,
    port: u16,
    count: usize,
    common: &Arc<Common>,
) -> Outcome<()> {
    let start = Instant::now();
    let room = Arc::new(tokio::sync::Semaphore::new(AT_ONCE));
    let mut endpoint = None;
    for number in 0..count {
        let is_quic = matches!(transport, Transport::Quic | Transport::BareQuic);
        if is_quic && number % OF_ONE_ENDPOINT == 0 {
            endpoint = Some(quic::client()?);
        }
        let (endpoint, mut eye) = (endpoint.clone(), Eye::new(common));
        let (first, from) = (join(common.sight.view(number))?, address_of(number));
        let permit = Arc::clone(&room).acquire_owned().await?;
        tokio::spawn(async move {
            eye.permit = Some(permit);
            let end = match (transport, endpoint) {
                (Transport::BareWebSocket, _) => websocket(from, port, None, eye).await,
                (Transport::WebSocket, _) => websocket(from, port, Some(first), eye).await,
                (Transport::Segments, _) => segments(from, port, eye).await,
                (Transport::BareQuic, Some(endpoint)) => bare_quic(endpoint, port, eye).await,
                (Transport::Quic, Some(endpoint)) => quic(endpoint, port, &first, eye).await,
                (_, None) => Ok(()),
            };
            if let Err(problem) = &end {
                eprintln!("a connection ended: {problem}");
            }
            end
        });
    }
    while common.seen.load(Ordering::Relaxed) < count {
        if start.elapsed() > PATIENCE {
            let seen = common.seen.load(Ordering::Relaxed);
            return Err(format!("only {seen} of {count} see anything").into());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(())
}

/// One who watches.
struct Eye {
    common: Arc<Common>,
    has_seen: bool,
    ages: Vec<u32>,
    permit: Option<tokio::sync::OwnedSemaphorePermit>,
}

impl Eye {
    fn new(common: &Arc<Common>) -> Self {
        Self { common: Arc::clone(common), has_seen: false, ages: Vec::new(), permit: None }
    }

    /// A message came.
    fn see(&mut self, message: &[u8]) {
        let Some(age) = self.common.sight.age(message) else { return };
        self.note();
        if self.common.is_measured.load(Ordering::Relaxed) {
            self.ages.push(u32::try_from(age.as_micros()).unwrap_or(u32::MAX));
        } else if !self.ages.is_empty() {
            let mut all = self.common.ages.lock().unwrap_or_else(PoisonError::into_inner);
            all.append(&mut self.ages);
        }
    }

    /// It is connected, and sees something.
    fn note(&mut self) {
        self.permit = None;
        if !self.has_seen {
            self.has_seen = true;
            self.common.seen.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// The message with which somebody asks to watch a view.
pub(super) fn join(view: View) -> Outcome<Vec<u8>> {
    let views = ViewSet::EMPTY.with(view);
    let join = Join::new(MATCH.parse()?, views);
    Ok(gametape_live::Message::Join(join).to_bytes().to_vec())
}

/// People come from different addresses; this machine has millions of them.
fn address_of(number: usize) -> Ipv4Addr {
    let [.., high, low] = (number as u32).to_be_bytes();
    Ipv4Addr::new(127, 1, high, low)
}

/// A connection from an address of this machine.
pub(super) async fn connection(from: Ipv4Addr, port: u16) -> Outcome<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    Ok(socket.connect((Ipv4Addr::LOCALHOST, port).into()).await?)
}

async fn websocket(from: Ipv4Addr, port: u16, first: Option<Vec<u8>>, mut eye: Eye) -> Outcome<()> {
    let mut socket = opened(from, port, first).await?;
    while let Some(message) = socket.next().await {
        if let Message::Binary(bytes) = message? {
            eye.see(&bytes);
        }
    }
    Ok(())
}

/// A WebSocket over which this was said first.
pub(super) async fn opened(
    from: Ipv4Addr,
    port: u16,
    first: Option<Vec<u8>>,
) -> Outcome<WebSocketStream<TcpStream>> {
    let stream = connection(from, port).await?;
    let mut request = format!("ws://127.0.0.1:{port}/live").into_client_request()?;
    if first.is_some() {
        let protocol = "gametape-live-1".parse()?;
        request.headers_mut().insert("sec-websocket-protocol", protocol);
    }
    // Clearing 128 KiB for each frame would be a third of the work of the crowd, which shares the machine with the server.
    let config = WebSocketConfig::default().read_buffer_size(READ_BUFFER);
    let opened = tokio_tungstenite::client_async_with_config(request, stream, Some(config)).await;
    let (mut socket, _) = opened?;
    if let Some(first) = first {
        socket.send(Message::Binary(first.into())).await?;
    }
    Ok(socket)
}

async fn connected(endpoint: &quinn::Endpoint, port: u16) -> Outcome<quinn::Connection> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    Ok(endpoint.connect(address, "localhost")?.await?)
}

async fn bare_quic(endpoint: quinn::Endpoint, port: u16, mut eye: Eye) -> Outcome<()> {
    let connection = connected(&endpoint, port).await?;
    let mut stream = connection.accept_uni().await?;
    let mut frame = [0; FRAME_BYTES];
    loop {
        stream.read_exact(&mut frame).await?;
        eye.see(&frame);
    }
}

async fn quic(endpoint: quinn::Endpoint, port: u16, join: &[u8], eye: Eye) -> Outcome<()> {
    // As the product's own clients do: who is not let in comes again.
    let mut joined = seated(&endpoint, port, join).await;
    for _ in 0..JOINS {
        if joined.is_err() {
            joined = seated(&endpoint, port, join).await;
        }
    }
    let Seat { connection, _session, mut stream } = joined?;
    // Frames of one class come on one stream; keyframes on others.
    let eye = Arc::new(tokio::sync::Mutex::new(eye));
    loop {
        let eye = Arc::clone(&eye);
        tokio::spawn(async move {
            let mut lane = [0];
            stream.read_exact(&mut lane).await?;
            let mut eye = eye.lock().await;
            match lane[0] {
                4 => read_lane(stream, lane[0], &mut eye).await,
                _ => {
                    tokio::spawn(async move { stream.read_to_end(1 << 20).await });
                    Ok(())
                }
            }
        });
        stream = connection.accept_uni().await?;
    }
}

/// A connection over QUIC that has a seat.
struct Seat {
    connection: quinn::Connection,
    /// The session lasts as long as this.
    _session: quinn::SendStream,
    /// The first stream of data.
    stream: quinn::RecvStream,
}

async fn seated(endpoint: &quinn::Endpoint, port: u16, join: &[u8]) -> Outcome<Seat> {
    let connection = connected(endpoint, port).await?;
    let (mut send, mut session) = connection.open_bi().await?;
    let mut first = Vec::new();
    put_entry(&mut first, join);
    send.write_all(&first).await?;
    // Marks and the like are read and passed over, many at once: the crowd shares the machine with the server that is
    // measured, and must not cost more than the frames that it looks at.
    tokio::spawn(async move {
        let mut buffer = [0; 4096];
        while let Ok(Some(_)) = session.read(&mut buffer).await {
            tokio::time::sleep(MARKS).await;
        }
    });
    let stream = connection.accept_uni().await?;
    Ok(Seat { connection, _session: send, stream })
}

async fn read_lane(mut stream: quinn::RecvStream, lane: u8, eye: &mut Eye) -> Outcome<()> {
    let mut decoder = Decoder::data();
    decoder.push(&[lane]);
    while let Some(chunk) = stream.read_chunk(64 << 10, true).await? {
        decoder.push(&chunk.bytes);
        while let Some(message) = decoder.next_message()? {
            eye.see(&message);
        }
    }
    Ok(())
}

/// Follows segments over one connection that is kept, as the product's own clients do.
async fn segments(from: Ipv4Addr, port: u16, mut eye: Eye) -> Outcome<()> {
    let mut stream = BufReader::new(connection(from, port).await?);
    let mut follower = SegmentFollower::new(View::SPECTATOR, StartAt::Live);
    let start = Instant::now();
    loop {
        for file in follower.poll(start.elapsed()) {
            let path = format!("/live/{MATCH}/0/{file}");
            let body = fetched(&mut stream, port, &path).await?;
            follower.answer(file, body.as_deref(), start.elapsed())?;
        }
        if follower.shown().is_some() {
            eye.note();
        }
        follower.take_tape();
        follower.notices();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The body of an answer; `None` where it is not found.
async fn fetched(
    stream: &mut BufReader<TcpStream>,
    port: u16,
    path: &str,
) -> Outcome<Option<Vec<u8>>> {
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let (mut line, mut length, mut is_found) = (String::new(), 0, None);
    loop {
        line.clear();
        stream.read_line(&mut line).await?;
        let text = line.trim_end().to_ascii_lowercase();
        is_found = is_found.or_else(|| Some(text.contains(" 200")));
        if let Some(value) = text.strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
        if text.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok((is_found == Some(true)).then_some(body))
}
