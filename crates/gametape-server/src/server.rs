//! The server: a listener, limits around its connections, and a clean end.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use futures_util::future::{Either, select};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::live::{Live, Peer, Port};
use crate::patience::Patience;
use crate::respond::{OnAir, Shared, router};
use crate::site::Site;
use crate::tls::{Identity, RENEWED};

/// Connections at the same time, unless it is said otherwise; the others wait until one ends.
const CONNECTIONS: usize = 512;
/// Connections of one address; more are closed at once.
const CONNECTIONS_OF_ONE: usize = 128;
/// The head of a request may take this long, and so may the pause before it on a connection that is kept.
const HEAD_TIME: Duration = Duration::from_secs(20);
/// A connection on which nothing moves for this long is closed.
const IDLE_TIME: Duration = Duration::from_secs(120);
/// The head of a request may have this many bytes,
const HEAD_BYTES: usize = 16 << 10;
/// and this many lines.
const HEAD_LINES: usize = 64;
/// What is on its way when the server is stopped may take this long.
const GRACE: Duration = Duration::from_millis(500);
/// Pause after a connection could not be accepted: the system has no room for more.
const PAUSE: Duration = Duration::from_millis(50);
/// Threads that read files and make pictures.
const BLOCKING_THREADS: usize = 16;

/// Where a server listens, and who may ask it.
#[derive(Debug, Clone)]
pub struct Listen {
    /// The address; port 0 is any free one.
    pub address: SocketAddr,
    /// Is everything below a path that nobody can guess?
    pub with_secret: bool,
    /// Names that requests may be sent to, besides addresses and `localhost`.
    pub names: Vec<String>,
    /// Origins of pages that may ask for what is live, besides our own: `https://example.org`.
    pub origins: Vec<String>,
    /// Connections at the same time; the others wait until one ends.
    pub connections: usize,
    /// Connections of one address; more are closed at once.
    pub connections_of_one: usize,
    /// The certificate of TLS; without one everything but QUIC is plain.
    pub identity: Option<Identity>,
    /// Is QUIC spoken at the same port, for live matches?
    pub with_quic: bool,
}

impl Default for Listen {
    /// Any free port of this machine, with a secret.
    fn default() -> Self {
        Self {
            address: (Ipv4Addr::LOCALHOST, 0).into(),
            with_secret: true,
            names: Vec::new(),
            origins: Vec::new(),
            connections: CONNECTIONS,
            connections_of_one: CONNECTIONS_OF_ONE,
            identity: None,
            with_quic: false,
        }
    }
}

impl Listen {
    /// An address as people write it: `0.0.0.0:8080`, `192.168.1.20` for any free port, `8080` of this machine.
    ///
    /// ```
    /// use gametape_server::Listen;
    ///
    /// for (text, address) in [
    ///     ("127.0.0.1:8080", "127.0.0.1:8080"),
    ///     ("0.0.0.0", "0.0.0.0:0"),
    ///     ("8080", "127.0.0.1:8080"),
    ///     ("[::1]:80", "[::1]:80"),
    ///     ("::", "[::]:0"),
    /// ] {
    ///     assert_eq!(Listen::address_of(text).map(|found| found.to_string()).as_deref(), Some(address));
    /// }
    /// for text in ["", "localhost", "99999", "127.0.0.1:", ":8080"] {
    ///     assert_eq!(Listen::address_of(text), None);
    /// }
    /// ```
    #[must_use]
    pub fn address_of(text: &str) -> Option<SocketAddr> {
        let with_port = || text.parse::<SocketAddr>().ok();
        let alone = || text.parse::<IpAddr>().ok().map(|address| (address, 0).into());
        let port = || text.parse::<u16>().ok().map(|port| (Ipv4Addr::LOCALHOST, port).into());
        with_port().or_else(alone).or_else(port)
    }
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    socket: Option<UdpSocket>,
    address: SocketAddr,
    secret: Option<String>,
    listen: Listen,
    stop: watch::Sender<bool>,
}

/// Stops a server.
#[derive(Debug, Clone)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// The server ends soon.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Begins to listen. Nobody is answered before it runs.
    pub fn bind(listen: &Listen) -> io::Result<Self> {
        let (listener, socket) = bind(listen)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let secret = if listen.with_secret { Some(secret()?) } else { None };
        let stop = watch::Sender::new(false);
        Ok(Self { listener, socket, address, secret, listen: listen.clone(), stop })
    }

    /// Where the page is: `http://127.0.0.1:12345/SECRET/`.
    #[must_use]
    pub fn link(&self) -> String {
        let mut address = self.address;
        // Whoever listens everywhere is here, too.
        if address.ip().is_unspecified() {
            address.set_ip(Ipv4Addr::LOCALHOST.into());
        }
        let secret = self.secret.as_ref().map(|secret| format!("{secret}/"));
        let scheme = if self.listen.identity.is_some() { "https" } else { "http" };
        format!("{scheme}://{address}/{}", secret.unwrap_or_default())
    }

    /// The address that it listens at.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What stops it.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Answers until it is stopped.
    pub fn run(self, site: Site) -> io::Result<()> {
        self.run_with(site, None)
    }

    /// Answers until it is stopped, and broadcasts live matches.
    pub fn run_live(self, site: Site, live: Live) -> io::Result<()> {
        self.run_with(site, Some(Arc::new(live)))
    }

    fn run_with(self, site: Site, live: Option<Arc<Live>>) -> io::Result<()> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder
            .worker_threads(2)
            .max_blocking_threads(BLOCKING_THREADS)
            .enable_all()
            .build()?;
        let Self { listener, socket, secret, listen, stop, .. } = self;
        let on_air = live.map(|live| OnAir { live, stop: stop.subscribe() });
        let router = router(Arc::new(Shared::new(site, secret, &listen, on_air.clone())));
        let served = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let ended = stop.subscribe();
            let guests = Arc::new(Guests::new(&listen));
            let tls = listen.identity.as_ref().map(acceptor).transpose()?;
            let mut own = listen.identity.clone();
            let mut port = None;
            let live = on_air.as_ref().map(|on_air| Arc::clone(&on_air.live));
            if let Some(OnAir { live, stop }) = on_air {
                if let Some(socket) = socket {
                    let identity = own.insert(quic_identity(&listen)?).clone();
                    let opened = port.insert(Port::open(socket, &identity)?).clone();
                    live.speaks_quic(identity);
                    let (live, guests) = (Arc::clone(&live), Arc::clone(&guests));
                    tokio::spawn(opened.run(live, listen.clone(), guests, stop.clone()));
                }
                tokio::spawn(live.run(stop));
            }
            if let Some(identity) = own {
                tokio::spawn(keep_valid(identity, RENEWED, live.clone()));
            }
            let door = Door { listener: &listener, tls, router: &router };
            let accepting = accept(&door, &guests, &ended);
            select(pin!(accepting), pin!(stopped(ended.clone()))).await;
            drop(listener);
            guests.leave(GRACE).await;
            if let Some(port) = port {
                port.close(GRACE).await;
            }
            if let Some(live) = live {
                live.finish_tapes().await;
            }
            Ok(())
        });
        // Whoever makes a picture is not waited for.
        runtime.shutdown_background();
        served
    }
}

/// 128 bits that nobody knows.
fn secret() -> io::Result<String> {
    let bits = [getrandom::u64(), getrandom::u64()];
    let mut text = String::new();
    for bits in bits {
        text += &format!("{:016x}", bits.map_err(io::Error::other)?);
    }
    Ok(text)
}

async fn stopped(mut ended: watch::Receiver<bool>) {
    // Without anybody who could stop it, it never is.
    if ended.wait_for(|stopped| *stopped).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// A port for TCP, and one with the same number for UDP where that is wanted.
fn bind(listen: &Listen) -> io::Result<(TcpListener, Option<UdpSocket>)> {
    let mut tries = 0;
    loop {
        let listener = TcpListener::bind(listen.address)?;
        if !listen.with_quic {
            return Ok((listener, None));
        }
        match UdpSocket::bind(listener.local_addr()?) {
            Ok(socket) => return Ok((listener, Some(socket))),
            // Of any free port the other half may be taken.
            Err(_) if listen.address.port() == 0 && tries < 16 => tries += 1,
            Err(error) => return Err(error),
        }
    }
}

/// The certificate of QUIC, which cannot do without.
fn quic_identity(listen: &Listen) -> io::Result<Identity> {
    match &listen.identity {
        Some(identity) => Ok(identity.clone()),
        None => {
            let address = listen.address.ip();
            let own = (!address.is_unspecified()).then(|| address.to_string());
            Identity::self_signed(&listen.names.iter().cloned().chain(own).collect::<Vec<_>>())
        }
    }
}

/// Makes an own certificate again from time to time, for TLS and QUIC alike: the one before is good for another week.
async fn keep_valid(identity: Identity, every: Duration, live: Option<Arc<Live>>) {
    while let Some(before) = identity.hash() {
        sleep(every).await;
        let _ = identity.renew();
        if let (Some(live), Some(hash)) = (&live, identity.hash().filter(|hash| *hash != before)) {
            live.note_certificate(&hash);
        }
    }
}

fn acceptor(identity: &Identity) -> io::Result<TlsAcceptor> {
    Ok(TlsAcceptor::from(Arc::new(identity.config(&[b"http/1.1"], false)?)))
}

/// Where connections come in.
struct Door<'a> {
    listener: &'a tokio::net::TcpListener,
    tls: Option<TlsAcceptor>,
    router: &'a Router,
}

async fn accept(door: &Door<'_>, guests: &Guests, ended: &watch::Receiver<bool>) {
    loop {
        let Ok(permit) = Arc::clone(&guests.room).acquire_owned().await else { return };
        match door.listener.accept().await {
            Ok((stream, peer)) => {
                let Some(guest) = guests.enter(peer.ip(), permit) else { continue };
                let (router, ended) = (door.router.clone(), ended.clone());
                let _ = stream.set_nodelay(true);
                // Who has a WebSocket stays a guest until that ends.
                let stream = Patience::new(stream, IDLE_TIME, guest);
                match door.tls.clone() {
                    Some(tls) => tokio::spawn(async move {
                        let secured = timeout(HEAD_TIME, tls.accept(stream)).await;
                        if let Ok(Ok(stream)) = secured {
                            serve(stream, Peer(peer), router, ended).await;
                        }
                    }),
                    None => tokio::spawn(serve(stream, Peer(peer), router, ended)),
                };
            }
            Err(_) => sleep(PAUSE).await,
        }
    }
}

/// Answers the requests of one connection.
async fn serve(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    peer: Peer,
    router: Router,
    ended: watch::Receiver<bool>,
) {
    let io = TokioIo::new(stream);
    let inner = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(peer);
        inner.call(request)
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
    builder.max_buf_size(HEAD_BYTES).max_headers(HEAD_LINES);
    let mut connection = pin!(builder.serve_connection(io, service).with_upgrades());
    let is_stopped = match select(connection.as_mut(), pin!(stopped(ended))).await {
        Either::Left(_) => false,
        Either::Right(_) => true,
    };
    if is_stopped {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(GRACE, connection).await;
    }
}

/// Who is connected.
#[derive(Debug)]
pub(crate) struct Guests {
    room: Arc<Semaphore>,
    most: usize,
    most_of_one: usize,
    by_address: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Guests {
    fn new(listen: &Listen) -> Self {
        let most = listen.connections.clamp(1, Semaphore::MAX_PERMITS);
        let room = Arc::new(Semaphore::new(most));
        Self { room, most, most_of_one: listen.connections_of_one, by_address: Arc::default() }
    }

    /// One more, unless there are too many.
    pub(crate) fn try_enter(&self, address: IpAddr) -> Option<Guest> {
        let permit = Arc::clone(&self.room).try_acquire_owned().ok()?;
        self.enter(address, permit)
    }

    /// Is most of the room taken?
    pub(crate) fn is_crowded(&self) -> bool {
        self.room.available_permits() < self.most / 2
    }

    /// One more, unless there are too many of this address.
    fn enter(&self, address: IpAddr, permit: OwnedSemaphorePermit) -> Option<Guest> {
        let mut all = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        let count = all.entry(address).or_default();
        if *count >= self.most_of_one {
            return None;
        }
        *count += 1;
        Some(Guest { address, all: Arc::clone(&self.by_address), _permit: permit })
    }

    /// Waits until all have left, but not longer.
    async fn leave(&self, longest: Duration) {
        let all = self.room.acquire_many(u32::try_from(self.most).unwrap_or(u32::MAX));
        let _ = timeout(longest, all).await;
    }
}

/// One who is connected.
pub(crate) struct Guest {
    address: IpAddr,
    all: Arc<Mutex<HashMap<IpAddr, usize>>>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for Guest {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = all.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                all.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_own_certificate_is_made_again() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let identity = Identity::self_signed(&[]).unwrap();
        let first = identity.hash();
        runtime.block_on(async {
            let keeping = tokio::spawn(keep_valid(identity.clone(), PAUSE, None));
            let renewed = async {
                while identity.hash() == first {
                    tokio::task::yield_now().await;
                }
            };
            timeout(Duration::from_secs(60), renewed).await.unwrap();
            keeping.abort();
        });
    }
}
