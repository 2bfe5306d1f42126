//! QUIC and WebTransport on one port: which of them it is, a connection says when it begins.

use std::collections::BTreeMap;
use std::io;
use std::net::UdpSocket;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use gametape_live::limits::{DATAGRAM_BYTES, SMALL_MESSAGE_BYTES};
use gametape_live::{Lane, Outgoing, Shared};
use gametape_net::PROTOCOL;
use gametape_net::framing::{self, Decoder, Way, lane_of};
use gametape_net::request::join_in_query;
use quinn::crypto::rustls::{HandshakeData, QuicServerConfig};
use quinn::{
    AckFrequencyConfig, Connecting, Endpoint, EndpointConfig, IdleTimeout, Incoming, RecvStream,
    SendStream, ServerConfig, TokioRuntime, TransportConfig, VarInt,
};
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use wtransport::endpoint::{IncomingSessionFuture, SessionRequest};
use wtransport::tls::WEBTRANSPORT_ALPN;

use super::Live;
use super::session::{End, LAST_WORDS, Link, Visit};
use crate::host;
use crate::server::{Guest, Guests, Listen};
use crate::tls::Identity;

/// A connection over which nothing comes for this long is gone.
const IDLE: Duration = Duration::from_secs(30);
/// Something is said at least this often.
const ALIVE: Duration = Duration::from_secs(10);
/// Streams that who connects may open before it is known who it is.
const FIRST_STREAMS: u32 = 8;
/// Streams that a publisher may have open.
const STREAMS: u32 = 256;
/// Bytes that are on their way to one seat at most.
const SEND_WINDOW: u64 = 256 << 10;
/// Bytes of a connection, and of one of its streams, that wait to be read.
const WINDOWS: (u32, u32) = (2 << 20, 1 << 20);
/// Datagrams that wait to be sent to one seat.
const DATAGRAMS: usize = 32 << 10;
/// A seat acknowledges this many packets at once,
const ACKNOWLEDGED: u32 = 8;
/// and does so after this time at the latest, if the way to it is not longer.
const ACKNOWLEDGED_IN: Duration = Duration::from_millis(100);
/// What the system may keep of datagrams that come and go.
const SOCKET_BYTES: usize = 4 << 20;
/// Messages of at most this many bytes are put together.
const SMALL: usize = 1 << 10;
/// Messages that wait to be looked at.
const WAITING: usize = 256;
/// Bytes that are read at once.
const PIECE: usize = 64 << 10;

/// What listens for QUIC.
#[derive(Clone)]
pub(crate) struct Port {
    endpoint: Endpoint,
}

fn transport() -> io::Result<TransportConfig> {
    let mut config = TransportConfig::default();
    config.max_idle_timeout(Some(IdleTimeout::try_from(IDLE).map_err(io::Error::other)?));
    config.keep_alive_interval(Some(ALIVE));
    config.max_concurrent_bidi_streams(FIRST_STREAMS.into());
    config.max_concurrent_uni_streams(FIRST_STREAMS.into());
    config.send_window(SEND_WINDOW);
    config.receive_window(WINDOWS.0.into()).stream_receive_window(WINDOWS.1.into());
    config.datagram_receive_buffer_size(Some(SOCKET_BYTES / 16));
    config.datagram_send_buffer_size(DATAGRAMS);
    // Most of what a server reads of a seat are acknowledgements. What comes out of order is acknowledged at once, as ever.
    let mut acknowledged = AckFrequencyConfig::default();
    acknowledged.ack_eliciting_threshold(ACKNOWLEDGED.into()).max_ack_delay(Some(ACKNOWLEDGED_IN));
    config.ack_frequency_config(Some(acknowledged));
    Ok(config)
}

impl Port {
    /// Listens with this socket and this certificate. Called inside a runtime.
    pub(crate) fn open(socket: UdpSocket, identity: &Identity) -> io::Result<Self> {
        let about = socket2::SockRef::from(&socket);
        // As much as the system allows.
        let _ = about.set_recv_buffer_size(SOCKET_BYTES);
        let _ = about.set_send_buffer_size(SOCKET_BYTES);
        let tls = identity.config(&[PROTOCOL.as_bytes(), WEBTRANSPORT_ALPN], true)?;
        let tls = QuicServerConfig::try_from(tls).map_err(io::Error::other)?;
        let mut config = ServerConfig::with_crypto(Arc::new(tls));
        config.transport_config(Arc::new(transport()?));
        let runtime = Arc::new(TokioRuntime);
        let endpoint = Endpoint::new(EndpointConfig::default(), Some(config), socket, runtime)?;
        Ok(Self { endpoint })
    }

    /// Says to those who are left that the server stops, and waits until they know, but not longer.
    pub(crate) async fn close(&self, longest: Duration) {
        self.endpoint.close(End::Stopped.code().into(), End::Stopped.text().as_bytes());
        let _ = timeout(longest, self.endpoint.wait_idle()).await;
    }

    /// Accepts connections until the server stops.
    pub(crate) async fn run(
        self,
        live: Arc<Live>,
        listen: Listen,
        guests: Arc<Guests>,
        stop: watch::Receiver<bool>,
    ) {
        let listen = Arc::new(listen);
        while let Some(incoming) = self.endpoint.accept().await {
            let address = incoming.remote_address().ip();
            // Whoever can be forged is asked to come again where there is not much room left.
            if !incoming.remote_address_validated() && guests.is_crowded() {
                let _ = incoming.retry();
                continue;
            }
            let guest = if live.may_join(address) { guests.try_enter(address) } else { None };
            let Some(guest) = guest else {
                live.figures.refused.add(1);
                live.log.note("refused", &[("from", &address), ("why", &"too many")]);
                incoming.refuse();
                continue;
            };
            let visit = Visit { live: Arc::clone(&live), address, stop: stop.clone() };
            tokio::spawn(welcome(incoming, visit, Arc::clone(&listen), guest));
        }
    }
}

async fn welcome(incoming: Incoming, visit: Visit, listen: Arc<Listen>, guest: Guest) {
    let patience = visit.live.limits.first_message;
    let live = Arc::clone(&visit.live);
    let entered = timeout(patience, enter(incoming, &visit, &listen)).await;
    if let Ok(Some((mut link, join))) = entered {
        live.figures.connections.add(1);
        visit.serve(&mut link, join).await;
        live.figures.connections.sub(1);
    }
    drop(guest);
}

/// Shakes hands, until the session stream is there; with the Join where it came with the request.
async fn enter(
    incoming: Incoming,
    visit: &Visit,
    listen: &Listen,
) -> Option<(Streams, Option<Shared>)> {
    let mut connecting: Connecting = incoming.accept().ok()?;
    let data = connecting.handshake_data().await.ok()?;
    let protocol = data.downcast::<HandshakeData>().ok()?.protocol?;
    if protocol == PROTOCOL.as_bytes() {
        let connection = connecting.await.ok()?;
        let (session, reading) = connection.accept_bi().await.ok()?;
        let (session, reading) = (Sending::Quic(session), Reading::Quic(reading));
        return Some((Streams::new(Carrier::Quic(connection), session, reading), None));
    }
    let request = IncomingSessionFuture::with_quic_connecting(connecting).await.ok()?;
    if let Some(why) = refusal(&request, listen) {
        visit.live.figures.refused.add(1);
        visit.live.log.note(
            "refused",
            &[("transport", &"webtransport"), ("from", &visit.address), ("why", &why)],
        );
        match why {
            NO_PATH => request.not_found().await,
            _ => request.forbidden().await,
        }
        return None;
    }
    let join = join_in_query(path_and_query(&request).1);
    let connection = request.accept().await.ok()?;
    let (session, reading) = match &join {
        Some(_) => connection.open_bi().await.ok()?.await.ok()?,
        None => connection.accept_bi().await.ok()?,
    };
    let connection = Carrier::WebTransport(Arc::new(connection));
    let (session, reading) = (Sending::WebTransport(session), Reading::WebTransport(reading));
    Some((Streams::new(connection, session, reading), join))
}

fn path_and_query(request: &SessionRequest) -> (&str, &str) {
    request.path().split_once('?').unwrap_or((request.path(), ""))
}

/// Why a session of WebTransport is not for us.
fn refusal(request: &SessionRequest, listen: &Listen) -> Option<&'static str> {
    let (path, _) = path_and_query(request);
    let is_ours = |origin: &str| {
        host::is_own_origin(origin, request.authority())
            || listen.origins.iter().any(|allowed| allowed == origin)
    };
    if !host::is_allowed(request.authority(), &listen.names) {
        Some("sent to another name")
    } else if request.origin().is_some_and(|origin| !is_ours(origin)) {
        Some("a page of somebody else")
    } else if path != "/live" {
        Some(NO_PATH)
    } else {
        None
    }
}

const NO_PATH: &str = "no such path";

/// A connection, with the frames of WebTransport around its streams or without.
#[derive(Clone)]
enum Carrier {
    Quic(quinn::Connection),
    WebTransport(Arc<wtransport::Connection>),
}

/// A stream that goes out.
enum Sending {
    Quic(SendStream),
    WebTransport(wtransport::SendStream),
}

/// A stream that comes in.
enum Reading {
    Quic(RecvStream),
    WebTransport(wtransport::RecvStream),
}

impl Sending {
    fn quic(&mut self) -> &mut SendStream {
        match self {
            Self::Quic(stream) => stream,
            Self::WebTransport(stream) => stream.quic_stream_mut(),
        }
    }

    /// Sends a head and messages, without copying the messages.
    async fn put(&mut self, pieces: &mut [Bytes]) -> Result<(), End> {
        self.quic().write_all_chunks(pieces).await.map_err(|_| End::Done)
    }
}

impl Reading {
    fn quic(&mut self) -> &mut RecvStream {
        match self {
            Self::Quic(stream) => stream,
            Self::WebTransport(stream) => stream.quic_stream_mut(),
        }
    }
}

impl Carrier {
    fn quic(&self) -> &quinn::Connection {
        match self {
            Self::Quic(connection) => connection,
            Self::WebTransport(connection) => connection.quic_connection(),
        }
    }

    async fn open(&self) -> Result<Sending, End> {
        match self {
            Self::Quic(connection) => {
                connection.open_uni().await.map(Sending::Quic).map_err(|_| End::Done)
            }
            Self::WebTransport(connection) => {
                let opening = connection.open_uni().await.map_err(|_| End::Done)?;
                opening.await.map(Sending::WebTransport).map_err(|_| End::Done)
            }
        }
    }

    async fn accept(&self) -> Option<Reading> {
        match self {
            Self::Quic(connection) => connection.accept_uni().await.ok().map(Reading::Quic),
            Self::WebTransport(connection) => {
                connection.accept_uni().await.ok().map(Reading::WebTransport)
            }
        }
    }

    async fn datagram(&self) -> Option<Bytes> {
        match self {
            Self::Quic(connection) => connection.read_datagram().await.ok(),
            Self::WebTransport(connection) => {
                connection.receive_datagram().await.ok().map(|datagram| datagram.payload())
            }
        }
    }

    /// Sends a datagram, if one of its size can be sent.
    fn send_datagram(&self, message: &Shared) -> bool {
        match self {
            Self::Quic(connection) => {
                connection.send_datagram(Bytes::from_owner(Arc::clone(message))).is_ok()
            }
            Self::WebTransport(connection) => connection.send_datagram(&message[..]).is_ok(),
        }
    }
}

/// A session over the streams of a connection.
struct Streams {
    carrier: Carrier,
    session: Sending,
    /// Streams that are there as long as the connection.
    kept: BTreeMap<Lane, Sending>,
    incoming: mpsc::Receiver<Result<Shared, End>>,
    /// For those who read streams that are not open yet.
    sender: mpsc::Sender<Result<Shared, End>>,
}

impl Streams {
    fn new(carrier: Carrier, mut session: Sending, reading: Reading) -> Self {
        // Where it fails the stream is gone, and sending says so.
        let _ = session.quic().set_priority(Way::Session.priority());
        let (sender, incoming) = mpsc::channel(WAITING);
        tokio::spawn(read(reading, Decoder::session(), true, sender.clone()));
        Self { carrier, session, kept: BTreeMap::new(), incoming, sender }
    }

    async fn put(&mut self, way: Way, mut pieces: Vec<Bytes>) -> Result<(), End> {
        match way {
            Way::Session => self.session.put(&mut pieces).await,
            Way::Kept(lane) => {
                if !self.kept.contains_key(&lane) {
                    let stream = self.begin(way, &mut pieces).await?;
                    self.kept.insert(lane, stream);
                }
                match self.kept.get_mut(&lane) {
                    Some(stream) => stream.put(&mut pieces).await,
                    None => Ok(()),
                }
            }
            Way::Batch(_) | Way::Datagram => {
                let mut stream = self.begin(way, &mut pieces).await?;
                stream.put(&mut pieces).await?;
                stream.quic().finish().map_err(|_| End::Done)
            }
        }
    }

    /// Waits until the other side has read everything: it ends the session then, or the connection. That its transport
    /// has everything is not enough, since ending the connection throws away what nobody has read.
    async fn is_heard(&mut self) {
        let _ = self.session.quic().stopped().await;
        while self.receive().await.is_ok() {}
    }

    /// Opens a stream, and puts its head before what is sent on it.
    async fn begin(&self, way: Way, pieces: &mut Vec<Bytes>) -> Result<Sending, End> {
        let mut stream = self.carrier.open().await?;
        let _ = stream.quic().set_priority(way.priority());
        pieces.insert(0, way.prefix().into());
        Ok(stream)
    }
}

/// What goes out on one stream. Small messages are put together, which costs less than to hand on each of them; the
/// others are not copied.
#[derive(Debug, Default)]
struct Pieces {
    whole: Vec<Bytes>,
    small: Vec<u8>,
}

impl Pieces {
    fn put_entry(&mut self, message: &Shared) {
        if message.len() <= SMALL {
            return framing::put_entry(&mut self.small, message);
        }
        framing::put_length(&mut self.small, message);
        self.cut();
        self.whole.push(Bytes::from_owner(Arc::clone(message)));
    }

    fn cut(&mut self) {
        if !self.small.is_empty() {
            self.whole.push(std::mem::take(&mut self.small).into());
        }
    }

    fn into_bytes(mut self) -> Vec<Bytes> {
        self.cut();
        self.whole
    }
}

/// Hands on the messages of a stream. That the session stream ends ends the session.
async fn read(
    mut stream: Reading,
    mut decoder: Decoder,
    is_session: bool,
    incoming: mpsc::Sender<Result<Shared, End>>,
) {
    let end = loop {
        match stream.quic().read_chunk(PIECE, true).await {
            Ok(Some(piece)) => decoder.push(&piece.bytes),
            Ok(None) if decoder.finish().is_ok() => break End::Done,
            Ok(None) => break End::Malformed,
            Err(_) => break End::Done,
        }
        let mut next = decoder.next_message();
        while let Ok(Some(message)) = next {
            if incoming.send(Ok(message)).await.is_err() {
                return;
            }
            next = decoder.next_message();
        }
        if next.is_err() {
            break End::Malformed;
        }
    };
    if is_session || end == End::Malformed {
        let _ = incoming.send(Err(end)).await;
    }
}

/// Hands on what a publisher sends: streams of its lanes, and datagrams.
async fn read_all(carrier: Carrier, incoming: mpsc::Sender<Result<Shared, End>>) {
    loop {
        tokio::select! {
            stream = carrier.accept() => match stream {
                Some(stream) => {
                    tokio::spawn(read(stream, Decoder::data(), false, incoming.clone()));
                }
                None => return,
            },
            datagram = carrier.datagram() => match datagram {
                // What is no message of lane 0 is not looked at, and what finds no room is missed.
                Some(bytes)
                    if bytes.len() <= DATAGRAM_BYTES
                        && lane_of(&bytes) == Some(Lane::UNRELIABLE) =>
                {
                    let _ = incoming.try_send(Ok(bytes[..].into()));
                }
                Some(_) => {}
                None => return,
            },
        }
    }
}

impl Link for Streams {
    async fn receive(&mut self) -> Result<Shared, End> {
        self.incoming.recv().await.unwrap_or(Err(End::Done))
    }

    fn received(&mut self) -> Option<Result<Shared, End>> {
        self.incoming.try_recv().ok()
    }

    async fn send(&mut self, messages: &[Outgoing]) -> Result<(), End> {
        // What follows begins somewhere else: who gets it before it knows that throws it away.
        let is_first = |message: &&Outgoing| Way::of(message) == Way::Session;
        let first = messages.iter().take_while(is_first).count();
        let (first, messages) = messages.split_at(first);
        if !first.is_empty() {
            let mut pieces = Pieces::default();
            first.iter().for_each(|message| pieces.put_entry(&message.bytes));
            self.put(Way::Session, pieces.into_bytes()).await?;
        }
        let mut ways: Vec<(Way, Pieces)> = Vec::new();
        for message in messages {
            let mut way = Way::of(message);
            if way == Way::Datagram {
                if self.carrier.send_datagram(&message.bytes) {
                    continue;
                }
                // It does not fit: it is fine to miss, but there is another way.
                way = Way::Batch(Lane::UNRELIABLE);
            }
            let index = ways.iter().position(|(other, _)| *other == way).unwrap_or_else(|| {
                ways.push((way, Pieces::default()));
                ways.len() - 1
            });
            ways[index].1.put_entry(&message.bytes);
        }
        // Marks come after what they count, so that nobody asks for what is on its way.
        ways.sort_by_key(|(way, _)| *way == Way::Session);
        for (way, pieces) in ways {
            self.put(way, pieces.into_bytes()).await?;
        }
        Ok(())
    }

    fn allow(&mut self, most: u64) {
        if most > SMALL_MESSAGE_BYTES.max {
            self.carrier.quic().set_max_concurrent_uni_streams(STREAMS.into());
            tokio::spawn(read_all(self.carrier.clone(), self.sender.clone()));
        }
    }

    async fn ping(&mut self) -> Result<(), End> {
        Ok(())
    }

    /// The transport itself finds out who is gone.
    fn heard(&self) -> Instant {
        Instant::now()
    }

    async fn end(&mut self, end: End) {
        let has_said_why = matches!(end, End::Refused(_));
        if self.session.quic().finish().is_ok() && has_said_why {
            let _ = timeout(LAST_WORDS, self.is_heard()).await;
        }
        let number = VarInt::from_u32(end.code());
        self.carrier.quic().close(number, end.text().as_bytes());
    }

    fn transport(&self) -> &'static str {
        match self.carrier {
            Carrier::Quic(_) => "quic",
            Carrier::WebTransport(_) => "webtransport",
        }
    }
}
