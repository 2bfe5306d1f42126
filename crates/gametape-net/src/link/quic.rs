//! Messages over the streams and datagrams of a QUIC connection. Normative: `spec/live.md`, section 14.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use gametape_live::limits::DATAGRAM_BYTES;
use gametape_live::{Lane, Outgoing};
use gametape_wire::{Error, Result};
use quinn::crypto::rustls::QuicClientConfig;
use quinn::{
    Connection, ConnectionError, Endpoint, IdleTimeout, RecvStream, SendStream, TransportConfig,
    TransportErrorCode, VarInt,
};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::{Closed, Incoming, PROTOCOL, broken};
use crate::address::Address;
use crate::framing::{Decoder, Way, code, lane_of, put_entry};
use crate::tls::{Trust, untrusted};

/// A connection over which nothing comes for this long is gone. *Why so soon:* a server that was killed says nothing,
/// and who watches goes on as soon as this is noticed.
const IDLE: Duration = Duration::from_secs(5);
/// Something is said at least this often.
const ALIVE: Duration = Duration::from_millis(1500);
/// Streams of batches that may be open at the same time.
const STREAMS: u32 = 256;
/// How long the other side may take to end the connection, when everything was said.
const GOODBYE: Duration = Duration::from_secs(1);
/// Bytes that are read at once.
const PIECE: usize = 64 << 10;

/// The sending half.
#[derive(Debug)]
pub(super) struct Sender {
    connection: Connection,
    session: SendStream,
    /// The streams of lanes that have one for the whole connection.
    kept: BTreeMap<Lane, SendStream>,
    /// It keeps the socket.
    _endpoint: Option<Endpoint>,
}

fn transport() -> Result<TransportConfig> {
    let mut config = TransportConfig::default();
    config.max_idle_timeout(Some(IdleTimeout::try_from(IDLE).map_err(broken)?));
    config.keep_alive_interval(Some(ALIVE));
    config.max_concurrent_uni_streams(STREAMS.into());
    config.max_concurrent_bidi_streams(1u32.into());
    Ok(config)
}

pub(super) async fn connect(
    address: &Address,
    trust: &Trust,
    incoming: mpsc::Sender<Incoming>,
) -> Result<Sender> {
    let target = (address.host(), address.port());
    let found: Vec<SocketAddr> = tokio::net::lookup_host(target).await.map_err(broken)?.collect();
    let target = found.first().copied().ok_or_else(|| broken("no such host"))?;
    let any: SocketAddr = match target {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let tls = trust.config(PROTOCOL.as_bytes())?;
    let tls = QuicClientConfig::try_from(tls).map_err(broken)?;
    let mut config = quinn::ClientConfig::new(Arc::new(tls));
    config.transport_config(Arc::new(transport()?));
    let endpoint = Endpoint::client(any).map_err(broken)?;
    let connecting = endpoint.connect_with(config, target, address.host()).map_err(broken)?;
    let connection = connecting.await.map_err(refused)?;
    let (session, reading) = connection.open_bi().await.map_err(broken)?;
    Ok(run(connection, session, reading, incoming, Some(endpoint)))
}

/// Why there is no connection.
#[allow(clippy::needless_pass_by_value, reason = "it is a function for map_err")]
fn refused(error: ConnectionError) -> Error {
    match &error {
        ConnectionError::TransportError(why) if is_about_certificate(why.code) => {
            untrusted(&why.reason)
        }
        _ => broken(error),
    }
}

/// Alerts of TLS that say that a certificate, or a signature in it, is not accepted: RFC 8446, section 6, and
/// RFC 9001, section 4.8.
fn is_about_certificate(code: TransportErrorCode) -> bool {
    matches!(u64::from(code).checked_sub(0x100), Some(42..=46 | 48 | 49 | 51))
}

/// The side that was connected to: who connects opens the session stream, with its first message.
pub(super) async fn accept(
    connection: Connection,
    incoming: mpsc::Sender<Incoming>,
) -> Result<Sender> {
    let (session, reading) = connection.accept_bi().await.map_err(broken)?;
    Ok(run(connection, session, reading, incoming, None))
}

fn run(
    connection: Connection,
    session: SendStream,
    reading: RecvStream,
    incoming: mpsc::Sender<Incoming>,
    endpoint: Option<Endpoint>,
) -> Sender {
    // Where it fails the stream is gone, and sending says so.
    let _ = session.set_priority(Way::Session.priority());
    tokio::spawn(read(reading, Decoder::session(), connection.clone(), incoming.clone()));
    tokio::spawn(accept_streams(connection.clone(), incoming.clone()));
    tokio::spawn(read_datagrams(connection.clone(), incoming));
    Sender { connection, session, kept: BTreeMap::new(), _endpoint: endpoint }
}

async fn accept_streams(connection: Connection, incoming: mpsc::Sender<Incoming>) {
    loop {
        match connection.accept_uni().await {
            Ok(stream) => {
                let of = (connection.clone(), incoming.clone());
                tokio::spawn(read(stream, Decoder::data(), of.0, of.1));
            }
            Err(error) => {
                let _ = incoming.send(Err(goodbye(&error))).await;
                return;
            }
        }
    }
}

fn goodbye(error: &ConnectionError) -> Closed {
    let ConnectionError::ApplicationClosed(closed) = error else {
        let is_clean = *error == ConnectionError::LocallyClosed;
        return Closed { reason: error.to_string(), is_clean };
    };
    let number = closed.error_code.into_inner();
    let reason = match u32::try_from(number).unwrap_or(u32::MAX) {
        code::DONE => "the other side ended it",
        code::REFUSED => "the other side refused it",
        code::MALFORMED => "the other side did not understand a message",
        code::SHUT_DOWN => "the server shuts down",
        code::TOO_SLOW => "this side was too slow",
        _ => "the other side ended it with an error",
    };
    Closed { reason: reason.to_owned(), is_clean: number == u64::from(code::DONE) }
}

/// Hands on the messages of a stream; one that cannot be understood ends the connection.
async fn read(
    mut stream: RecvStream,
    mut decoder: Decoder,
    connection: Connection,
    incoming: mpsc::Sender<Incoming>,
) {
    let malformed = loop {
        match stream.read_chunk(PIECE, true).await {
            Ok(Some(piece)) => decoder.push(&piece.bytes),
            Ok(None) => match decoder.finish() {
                Ok(()) => return,
                Err(error) => break error,
            },
            // The connection says why.
            Err(_) => return,
        }
        let mut next = decoder.next_message();
        while let Ok(Some(message)) = next {
            if incoming.send(Ok(message)).await.is_err() {
                return;
            }
            next = decoder.next_message();
        }
        if let Err(error) = next {
            break error;
        }
    };
    connection.close(code::MALFORMED.into(), b"");
    let _ = incoming.send(Err(Closed::broken(malformed.to_string()))).await;
}

async fn read_datagrams(connection: Connection, incoming: mpsc::Sender<Incoming>) {
    while let Ok(datagram) = connection.read_datagram().await {
        // They are fine to miss: nothing waits for them. What is no message of lane 0 is not looked at.
        let is_fine =
            datagram.len() <= DATAGRAM_BYTES && lane_of(&datagram) == Some(Lane::UNRELIABLE);
        if is_fine
            && let Err(mpsc::error::TrySendError::Closed(_)) =
                incoming.try_send(Ok(datagram[..].into()))
        {
            return;
        }
    }
}

impl Sender {
    pub(super) async fn send(&mut self, batch: &[Outgoing]) -> Result<()> {
        let mut ways: BTreeMap<Way, Vec<u8>> = BTreeMap::new();
        for message in batch {
            match Way::of(message) {
                Way::Datagram => self.datagram(message, &mut ways),
                way => {
                    put_entry(ways.entry(way).or_insert_with(|| self.start(way)), &message.bytes);
                }
            }
        }
        let mut ways: Vec<(Way, Vec<u8>)> = ways.into_iter().collect();
        // Marks come after what they count, so that nobody asks for what is on its way.
        ways.sort_by_key(|(way, _)| match way {
            Way::Session => 1,
            _ => 0,
        });
        for (way, bytes) in ways {
            self.write(way, bytes.into()).await?;
        }
        Ok(())
    }

    /// What a stream begins with that is not open yet.
    fn start(&self, way: Way) -> Vec<u8> {
        match way {
            Way::Kept(lane) if self.kept.contains_key(&lane) => Vec::new(),
            _ => way.prefix(),
        }
    }

    /// Sends a datagram; where the other side takes none, or it is too long, as a reliable message.
    fn datagram(&mut self, message: &Outgoing, ways: &mut BTreeMap<Way, Vec<u8>>) {
        let bytes = Bytes::from_owner(message.bytes.clone());
        let fits = self.connection.max_datagram_size().is_some_and(|most| bytes.len() <= most);
        if !fits || self.connection.send_datagram(bytes).is_err() {
            let way = Way::Batch(Lane::UNRELIABLE);
            put_entry(ways.entry(way).or_insert_with(|| way.prefix()), &message.bytes);
        }
    }

    async fn write(&mut self, way: Way, bytes: Bytes) -> Result<()> {
        match way {
            Way::Session => self.session.write_chunk(bytes).await.map_err(broken),
            Way::Kept(lane) => {
                if !self.kept.contains_key(&lane) {
                    let stream = self.open(way).await?;
                    self.kept.insert(lane, stream);
                }
                match self.kept.get_mut(&lane) {
                    Some(stream) => stream.write_chunk(bytes).await.map_err(broken),
                    None => Ok(()),
                }
            }
            Way::Batch(_) | Way::Datagram => {
                let mut stream = self.open(way).await?;
                stream.write_chunk(bytes).await.map_err(broken)?;
                stream.finish().map_err(broken)
            }
        }
    }

    async fn open(&self, way: Way) -> Result<SendStream> {
        let stream = self.connection.open_uni().await.map_err(broken)?;
        stream.set_priority(way.priority()).map_err(broken)?;
        Ok(stream)
    }

    /// Ends the session stream and waits until the other side ends the connection.
    pub(super) async fn close(&mut self, incoming: &mut mpsc::Receiver<Incoming>) -> Result<bool> {
        for stream in self.kept.values_mut() {
            stream.finish().map_err(broken)?;
        }
        self.session.finish().map_err(broken)?;
        // Acknowledged by the other side's transport, and so there.
        let mut is_taken = true;
        for stream in self.kept.values().chain(std::iter::once(&self.session)) {
            is_taken &= matches!(stream.stopped().await, Ok(None));
        }
        // Ending it from here would drop what the other side has not looked at yet.
        let _ = timeout(GOODBYE, self.connection.closed()).await;
        self.connection.close(VarInt::from_u32(code::DONE), b"");
        incoming.close();
        Ok(is_taken)
    }
}
