//! Connections that carry messages, whatever the transport.

mod bus;
mod quic;
mod websocket;

use std::time::Duration;

use gametape_live::{Outgoing, Shared};
use gametape_wire::{Error, Result};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout};

use crate::address::{Address, Transport};
use crate::tls::{Trust, untrusted};

/// What speaks TCP, with TLS or without.
pub(crate) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// The name of the protocol, of WebSocket and of QUIC.
pub const PROTOCOL: &str = "gametape-live-1";
/// A connection that is not there by then does not come.
const CONNECTING: Duration = Duration::from_secs(5);
/// The same of a bus, whose window is made where it is missing.
const CONNECTING_TO_BUS: Duration = Duration::from_secs(20);
/// The same, where another transport can be tried.
const TRYING: Duration = Duration::from_secs(1);
/// A message that cannot be sent by then: the other side has stopped reading, or is gone.
const SENDING: Duration = Duration::from_secs(20);
/// How long the other side may take to say goodbye.
const CLOSING: Duration = Duration::from_secs(5);
/// The other side is asked this often whether it is there.
const ASKING: Duration = Duration::from_secs(5);
/// A connection over which nothing was heard for this long is gone.
const SILENCE: Duration = Duration::from_secs(15);
/// Messages that wait to be looked at: a sender that is faster has to wait.
const WAITING: usize = 256;

/// Why nothing more comes over a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// In words.
    pub reason: String,
    /// Did the other side end it as it should, with nothing lost on the way?
    pub is_clean: bool,
}

impl Closed {
    fn broken(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_clean: false }
    }
}

/// What comes over a connection.
type Incoming = std::result::Result<Shared, Closed>;

/// A connection to a server: messages both ways.
#[derive(Debug)]
pub struct Link {
    /// What it is made of.
    pub transport: Transport,
    sender: LinkSender,
    incoming: mpsc::Receiver<Incoming>,
    /// When the other side was last asked whether it is there.
    asked: Instant,
}

#[derive(Debug)]
enum LinkSender {
    WebSocket(Box<websocket::Sender>),
    Quic(Box<quic::Sender>),
    Bus(Box<bus::Wire>),
}

impl Link {
    /// Connects by one transport.
    pub async fn connect(address: &Address, transport: Transport, trust: &Trust) -> Result<Self> {
        Self::open(address, transport, trust, None).await
    }

    /// Connects by one transport and says this Join: with the request where the transport and the server allow it.
    pub async fn join(
        address: &Address,
        transport: Transport,
        trust: &Trust,
        join: Shared,
    ) -> Result<Self> {
        Self::open(address, transport, trust, Some(join)).await
    }

    async fn open(
        address: &Address,
        transport: Transport,
        trust: &Trust,
        mut join: Option<Shared>,
    ) -> Result<Self> {
        let connected = async {
            let (incoming_sender, incoming) = mpsc::channel(WAITING);
            let sender = match transport {
                Transport::WebSocket => {
                    let opened = websocket::connect(address, trust, join.as_deref()).await?;
                    let (stream, has_joined) = opened;
                    join = join.filter(|_| !has_joined);
                    LinkSender::WebSocket(Box::new(websocket::run(stream, incoming_sender)))
                }
                Transport::Quic => {
                    let quic = quic::connect(address, trust, incoming_sender).await?;
                    LinkSender::Quic(Box::new(quic))
                }
                Transport::Bus => {
                    let bus = address.bus().unwrap_or_default();
                    let bus = bus::connect(bus, address.credentials()).await?;
                    LinkSender::Bus(Box::new(bus))
                }
                Transport::Segments => {
                    return Err(Error::misuse("segments", "they carry no messages"));
                }
            };
            let mut link = Self { transport, sender, incoming, asked: Instant::now() };
            if let Some(join) = join {
                link.say(join).await?;
            }
            Ok(link)
        };
        let late = |_| broken("nobody answered in time");
        // UDP that is blocked gives no answer, and others are there to be tried.
        let is_one_of_several = transport == Transport::Quic && address.transports().len() > 1;
        let patience = match transport {
            Transport::Bus => CONNECTING_TO_BUS,
            _ if is_one_of_several => TRYING,
            _ => CONNECTING,
        };
        timeout(patience, connected).await.map_err(late)?
    }

    /// May a publisher that has sent everything go? On a bus nobody says that it has come: who lacks something
    /// asks for it within a few seconds.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        match &self.sender {
            LinkSender::Bus(bus) => bus.is_quiet(),
            _ => true,
        }
    }

    /// A WebSocket that somebody else opened, from either side.
    pub fn over_websocket<S>(stream: tokio_tungstenite::WebSocketStream<S>) -> Self
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (sender, incoming) = mpsc::channel(WAITING);
        let sender = LinkSender::WebSocket(Box::new(websocket::run(stream, sender)));
        let (transport, asked) = (Transport::WebSocket, Instant::now());
        Self { transport, sender, incoming, asked }
    }

    /// The side of a QUIC connection that was connected to.
    pub async fn accept_quic(connection: quinn::Connection) -> Result<Self> {
        let (sender, incoming) = mpsc::channel(WAITING);
        let sender = LinkSender::Quic(Box::new(quic::accept(connection, sender).await?));
        let (transport, asked) = (Transport::Quic, Instant::now());
        Ok(Self { transport, sender, incoming, asked })
    }

    /// Sends messages, each on its way, and returns when the transport has taken them.
    pub async fn send(&mut self, batch: &[Outgoing]) -> Result<()> {
        let sent = async {
            match &mut self.sender {
                LinkSender::WebSocket(sender) => sender.send(batch).await,
                LinkSender::Quic(sender) => sender.send(batch).await,
                LinkSender::Bus(bus) => bus.send(batch).await,
            }
        };
        let late = |_| broken("the other side does not read");
        timeout(SENDING, sent).await.map_err(late)?
    }

    /// Sends a message about the session.
    pub async fn say(&mut self, message: Shared) -> Result<()> {
        self.send(&[Outgoing::new(message)]).await
    }

    /// The next message, or why there is none. May be dropped and called again: nothing is lost.
    pub async fn receive(&mut self) -> std::result::Result<Shared, Closed> {
        if let LinkSender::Bus(bus) = &mut self.sender {
            return bus.receive().await;
        }
        let gone = || Err(Closed::broken("the connection ended"));
        self.incoming.recv().await.unwrap_or_else(gone)
    }

    /// A message that is there already.
    pub fn try_receive(&mut self) -> Option<std::result::Result<Shared, Closed>> {
        if let LinkSender::Bus(bus) = &mut self.sender {
            return bus.try_receive();
        }
        self.incoming.try_recv().ok()
    }

    /// Is the other side there? To be called now and then; QUIC knows by itself.
    pub async fn check(&mut self) -> Result<()> {
        let LinkSender::WebSocket(sender) = &mut self.sender else { return Ok(()) };
        if sender.heard().elapsed() > SILENCE {
            return Err(broken("nothing was heard of the other side for too long"));
        }
        if self.asked.elapsed() < ASKING {
            return Ok(());
        }
        self.asked = Instant::now();
        timeout(SENDING, sender.ping()).await.unwrap_or(Ok(()))
    }

    /// Ends the connection. True where the other side has taken everything and said goodbye.
    pub async fn close(mut self) -> bool {
        let goodbye = async {
            match &mut self.sender {
                LinkSender::WebSocket(sender) => sender.close().await?,
                LinkSender::Quic(sender) => return sender.close(&mut self.incoming).await,
                LinkSender::Bus(bus) => return bus.flush().await.map(|()| true),
            }
            loop {
                match self.incoming.recv().await {
                    Some(Ok(_)) => {}
                    Some(Err(closed)) => return Ok(closed.is_clean),
                    None => return Ok(false),
                }
            }
        };
        let done: Result<bool> = timeout(CLOSING, goodbye).await.unwrap_or(Ok(false));
        done.unwrap_or(false)
    }
}

/// Something is wrong with a connection.
pub(crate) fn broken(problem: impl std::fmt::Display) -> Error {
    let problem = problem.to_string().into();
    Error::new(
        gametape_wire::Place::Nowhere,
        "connection",
        gametape_wire::ErrorKind::Io { problem },
    )
}

/// Opens a TCP connection, with TLS where the address says so.
pub(crate) async fn dial(address: &Address, trust: &Trust) -> Result<Box<dyn Io>> {
    let target = (address.host(), address.port());
    let socket = TcpStream::connect(target).await.map_err(broken)?;
    socket.set_nodelay(true).map_err(broken)?;
    if !address.is_secure() {
        return Ok(Box::new(socket));
    }
    let name = rustls::pki_types::ServerName::try_from(address.host().to_owned());
    let name = name.map_err(broken)?;
    let config = std::sync::Arc::new(trust.config(b"http/1.1")?);
    let connector = tokio_rustls::TlsConnector::from(config);
    Ok(Box::new(connector.connect(name, socket).await.map_err(|error| tls_failure(&error))?))
}

/// What is wrong with a connection that TLS refuses.
fn tls_failure(error: &std::io::Error) -> Error {
    let tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match tls {
        Some(rustls::Error::InvalidCertificate(why)) => untrusted(words(why)),
        _ => broken(error),
    }
}

/// Why a certificate is not accepted, in words.
fn words(why: &rustls::CertificateError) -> String {
    use rustls::CertificateError as Why;
    match why {
        Why::UnknownIssuer => "nobody who is trusted vouches for it".to_owned(),
        Why::ApplicationVerificationFailure => "it is another one".to_owned(),
        other => other.to_string(),
    }
}
