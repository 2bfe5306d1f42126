//! The same over every transport, also over a network that delays, drops and cuts.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock, mpsc};

use gametape_live::{Join, Lane, Notice, Outgoing, Shared};
use gametape_net::framing::{Decoder, lane_of, put_entry};
use gametape_net::request::query;
use gametape_net::{Address, CertificateHash, Link, Trust};
use gametape_wire::{Tick, ViewSet};
use tokio::runtime::Runtime;

use super::common::{
    Ended, Publishing, Running, Socket, Watching, Wire, finish, open_policy, play, play_one, start,
    wait_for,
};
use super::proxy::{TcpProxy, UdpProxy};
use super::sessions::assert_equals;
use super::toy::{Match, Plan, name, received, views};

pub(crate) const ALL: [Carrier; 3] = [Carrier::WebSocket, Carrier::Quic, Carrier::WebTransport];

/// What carries messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carrier {
    WebSocket,
    Quic,
    WebTransport,
}

impl Carrier {
    pub(crate) fn connect(self, server: &Running) -> Box<dyn Wire> {
        self.connect_to(server, server.address)
    }

    /// Connects to an address that leads to the server.
    pub(crate) fn connect_to(self, server: &Running, address: SocketAddr) -> Box<dyn Wire> {
        self.try_connect(server, address).unwrap()
    }

    /// The same where it may fail.
    pub(crate) fn try_connect(
        self,
        server: &Running,
        address: SocketAddr,
    ) -> Option<Box<dyn Wire>> {
        Some(match self {
            Self::WebSocket => Box::new(Socket::connect(address)),
            Self::Quic => Box::new(Native::open(&format!("quic://{address}"), server, None)?),
            Self::WebTransport => Box::new(Web::open(address, &hash(server), None, None)?),
        })
    }

    /// Connects with a request that joins, where the transport has one.
    pub(crate) fn join(self, server: &Running, address: SocketAddr, join: Shared) -> Box<dyn Wire> {
        match self {
            Self::WebSocket => Native::join(&format!("ws://{address}/"), server, join),
            Self::Quic => Native::join(&format!("quic://{address}"), server, join),
            Self::WebTransport => {
                Box::new(Web::open(address, &hash(server), None, Some(&join)).unwrap())
            }
        }
    }
}

/// The hash of the certificate, as every client finds it.
pub(crate) fn hash(server: &Running) -> String {
    if let Some(hash) = &server.certificate {
        return hash.clone();
    }
    wait_for("the certificate", || {
        let about = server.get("/live/server.json").json();
        about["certificate_sha256"].as_str().map(str::to_owned)
    })
}

pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(1).enable_all().build().unwrap()
    })
}

/// Accepts the certificate of this server alone.
pub(crate) fn trust(server: &Running) -> Trust {
    Trust::Pinned(hash(server).parse::<CertificateHash>().unwrap())
}

/// The client that the tool uses.
pub(crate) struct Native(Link);

impl Native {
    /// Connects to an address that leads to the server, by the transport that it names.
    fn open(address: &str, server: &Running, join: Option<Shared>) -> Option<Self> {
        let (address, trust): (Address, Trust) = (address.parse().unwrap(), trust(server));
        let [transport] = *address.transports() else { panic!("{address} names several") };
        let opened = runtime().block_on(async {
            match join {
                Some(join) => Link::join(&address, transport, &trust, join).await,
                None => Link::connect(&address, transport, &trust).await,
            }
        });
        opened.ok().map(Self)
    }

    /// The same with a request that joins.
    pub(crate) fn join(address: &str, server: &Running, join: Shared) -> Box<dyn Wire> {
        Box::new(Self::open(address, server, Some(join)).unwrap())
    }

    pub(crate) fn connect(address: &str, server: &Running) -> Self {
        Self::open(address, server, None).unwrap()
    }

    fn put(&mut self, bytes: &[u8], is_datagram: bool) {
        let mut out = Outgoing::new(bytes.into());
        (out.lane, out.is_datagram) = (lane_of(bytes), is_datagram);
        // Where it fails the connection is gone, and receiving says so.
        let _ = runtime().block_on(self.0.send(&[out]));
    }
}

impl Wire for Native {
    fn receive(&mut self) -> Result<Option<Shared>, Ended> {
        match self.0.try_receive() {
            None => Ok(None),
            Some(Ok(message)) => Ok(Some(message)),
            Some(Err(closed)) => Err(Ended(closed.reason.contains("shuts down").then_some(3))),
        }
    }

    fn send(&mut self, bytes: &[u8]) {
        self.put(bytes, false);
    }

    fn send_datagram(&mut self, bytes: &[u8]) {
        self.put(bytes, true);
    }
}

/// WebTransport, as simple as it can be: what goes out has a stream of its own for each message.
pub(crate) struct Web {
    connection: Arc<wtransport::Connection>,
    session: wtransport::SendStream,
    incoming: mpsc::Receiver<Result<Shared, Ended>>,
}

impl Web {
    /// Opens a session, of a page of this origin, with a request that joins where there is a Join.
    pub(crate) fn open(
        address: SocketAddr,
        hash: &str,
        origin: Option<&str>,
        join: Option<&[u8]>,
    ) -> Option<Self> {
        let CertificateHash(hash) = hash.parse().unwrap();
        let config = wtransport::ClientConfig::builder()
            .with_bind_address("127.0.0.1:0".parse().unwrap())
            .with_server_certificate_hashes([hash.into()])
            .build();
        runtime().block_on(async {
            let endpoint = wtransport::Endpoint::client(config).unwrap();
            let query = join.map_or_else(String::new, |join| format!("?{}", query(join)));
            let url = format!("https://{address}/live{query}");
            let mut options = wtransport::endpoint::ConnectOptions::builder(url);
            if let Some(origin) = origin {
                options = options.add_header("origin", origin);
            }
            let connection = endpoint.connect(options.build()).await.ok()?;
            let (session, reading) = match join {
                Some(_) => connection.accept_bi().await.ok()?,
                None => connection.open_bi().await.ok()?.await.ok()?,
            };
            let (sender, incoming) = mpsc::channel();
            let connection = Arc::new(connection);
            tokio::spawn(read(reading, Decoder::session(), sender.clone()));
            tokio::spawn(accept(Arc::clone(&connection), sender.clone()));
            tokio::spawn(datagrams(Arc::clone(&connection), sender));
            Some(Self { connection, session, incoming })
        })
    }
}

type Incoming = mpsc::Sender<Result<Shared, Ended>>;

async fn read(mut stream: wtransport::RecvStream, mut decoder: Decoder, incoming: Incoming) {
    let mut piece = vec![0; 64 << 10];
    while let Ok(Some(length)) = stream.read(&mut piece).await {
        decoder.push(&piece[..length]);
        while let Some(message) = decoder.next_message().unwrap() {
            if incoming.send(Ok(message)).is_err() {
                return;
            }
        }
    }
}

async fn accept(connection: Arc<wtransport::Connection>, incoming: Incoming) {
    while let Ok(stream) = connection.accept_uni().await {
        tokio::spawn(read(stream, Decoder::data(), incoming.clone()));
    }
    let code = match connection.closed().await {
        wtransport::error::ConnectionError::ApplicationClosed(closed) => {
            u16::try_from(closed.code().into_inner()).ok()
        }
        _ => None,
    };
    let _ = incoming.send(Err(Ended(code)));
}

async fn datagrams(connection: Arc<wtransport::Connection>, incoming: Incoming) {
    while let Ok(datagram) = connection.receive_datagram().await {
        let _ = incoming.send(Ok(datagram.payload()[..].into()));
    }
}

impl Wire for Web {
    fn receive(&mut self) -> Result<Option<Shared>, Ended> {
        self.incoming.try_recv().ok().transpose()
    }

    fn send(&mut self, bytes: &[u8]) {
        runtime().block_on(async {
            let mut stream = Vec::new();
            match lane_of(bytes) {
                None => {
                    put_entry(&mut stream, bytes);
                    let _ = self.session.write_all(&stream).await;
                }
                Some(lane) => {
                    stream.push(lane.number());
                    put_entry(&mut stream, bytes);
                    if let Ok(opening) = self.connection.open_uni().await
                        && let Ok(mut sending) = opening.await
                    {
                        let _ = sending.write_all(&stream).await;
                        // It waits until everything has arrived.
                        tokio::spawn(async move { sending.finish().await });
                    }
                }
            }
        });
    }

    fn send_datagram(&mut self, bytes: &[u8]) {
        let _ = self.connection.send_datagram(bytes);
    }

    fn finish(&mut self) {
        // Where it fails it is finished.
        let _ = self.session.quic_stream_mut().finish();
    }
}

fn plan(seed: u64) -> Plan {
    Plan { ticks: 50, events: true, extras: true, ..Plan::small(seed) }
}

/// The same without what is fine to miss; of a spectator that lost nothing everything.
pub(crate) fn assert_equals_but_for_losses(
    source: &Match,
    tape: &[u8],
    seen: ViewSet,
    notices: &[Notice],
) {
    let has_lost = notices.iter().any(|notice| matches!(notice, Notice::Lost { .. }));
    if !has_lost {
        return assert_equals(source, tape, seen, 0);
    }
    let without = |payloads: Vec<(u64, Vec<u8>)>| {
        let mut kept: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
        for (tick, payload) in payloads {
            let mut rest = &payload[..];
            while let [class, length, ..] = *rest {
                let (message, after) = rest.split_at(2 + usize::from(length));
                if class != 0 {
                    kept.entry(tick).or_default().extend(message);
                }
                rest = after;
            }
        }
        kept
    };
    let journal = source.journal();
    for view in seen.iter() {
        assert_eq!(without(received(tape, view)), without(received(&journal, view)), "{view}");
    }
    let only_parts = |notice: &Notice| !matches!(notice, Notice::Lost { parts: 0, .. });
    assert!(notices.iter().all(only_parts), "whole ticks are lost");
}

#[test]
fn over_every_transport_a_spectator_has_what_the_source_has() {
    let server = start(open_policy());
    for (number, publisher) in ALL.into_iter().enumerate() {
        let name = format!("m-{number}");
        let source = plan(number as u64).play();
        let metadata = super::toy::METADATA;
        let made = gametape_live::Publisher::new(
            name.parse().unwrap(),
            source.header,
            metadata,
            source.views,
            usize::MAX,
        );
        let made = made.unwrap().with_classes(super::toy::ToyClasses);
        let mut publishing = Publishing::new(made, publisher.connect(&server));
        let sets = [views(&[0]), views(&[1, 2]), views(&[0, 1, 2])];
        let watch = |(carrier, seen): (Carrier, ViewSet)| {
            Watching::new(Join::new(name.parse().unwrap(), seen), carrier.connect(&server))
        };
        let mut watching: Vec<_> = ALL.into_iter().zip(sets).map(watch).collect();
        play(&source, &mut publishing, &mut watching);
        for (one, seen) in watching.iter().zip(sets) {
            assert_equals_but_for_losses(&source, &one.tape, seen, &one.notices);
        }
    }
    for transport in ["websocket", "quic", "webtransport"] {
        assert_eq!(server.logged(&format!("transport={transport} from=127.0.0.1 what={{")), 0);
        assert!(server.logged(&format!("transport={transport}")) > 3);
    }
}

#[test]
fn a_server_that_stops_tells_those_on_streams_too() {
    let mut server = start(open_policy());
    let source = plan(5).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    publishing.follow(&source.pieces[0]);
    let carriers = [Carrier::Quic, Carrier::WebTransport];
    let mut watching = carriers
        .map(|carrier| Watching::new(Join::new(name(), views(&[0])), carrier.connect(&server)));
    for one in &mut watching {
        wait_for("a seat", || {
            one.step().unwrap();
            (!one.notices.is_empty()).then_some(())
        });
    }
    server.stop();
    for one in &mut watching {
        assert_eq!(wait_for("the end", || one.step().err()), Ended(Some(3)));
    }
}

/// Plays while everybody who is cut off connects again.
fn play_through(
    source: &Match,
    server: &Running,
    carrier: Carrier,
    address: SocketAddr,
    watching: &mut Watching<Box<dyn Wire>>,
) {
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    let step = |watching: &mut Watching<Box<dyn Wire>>| {
        if watching.step().is_err() {
            watching.wire = None;
            if let Some(wire) = carrier.try_connect(server, address) {
                watching.connect(wire);
            }
        }
    };
    for tick in 0..source.pieces.len() {
        play_one::<_, Socket>(source, tick, &mut publishing, &mut []);
        let over = (tick as u64).min(source.ticks).checked_sub(1);
        wait_for("a tick", || {
            publishing.step();
            step(watching);
            (watching.spectator.shown() >= over.map(Tick)).then_some(())
        });
    }
    wait_for("the end", || {
        publishing.step();
        step(watching);
        watching.is_over().then_some(())
    });
    finish::<_, Socket>(&mut publishing, &mut []);
}

#[test]
fn over_a_network_that_cuts_and_drops_everything_arrives_or_is_named() {
    for carrier in ALL {
        for seed in 0..3 {
            let server = start(open_policy());
            let source = plan(seed).play();
            let (mut tcp, mut udp) = (None, None);
            let address = match carrier {
                Carrier::WebSocket => tcp.insert(TcpProxy::start(server.address, seed)).address,
                _ => udp.insert(UdpProxy::start(server.address, seed)).address,
            };
            let wire = wait_for("a connection", || carrier.try_connect(&server, address));
            let mut one = Watching::new(Join::new(name(), views(&[0, 2])), wire);
            play_through(&source, &server, carrier, address, &mut one);
            assert_equals_but_for_losses(&source, &one.tape, views(&[0, 2]), &one.notices);
            let hurt = tcp.map(TcpProxy::stop).unwrap_or_default()
                + udp.map(UdpProxy::stop).unwrap_or_default();
            assert!(hurt > 0, "the network was too good: {carrier:?} {seed}");
        }
    }
}

#[test]
fn lanes_without_order_are_streams_of_their_own() {
    // What carries it is checked by the decoder of the client: a message on a stream of another lane ends it.
    let server = start(open_policy());
    let source = plan(9).play();
    let mut publishing = Publishing::new(source.publisher(), Socket::connect(server.address));
    let mut watching =
        vec![Watching::new(Join::new(name(), views(&[0])), Carrier::WebTransport.connect(&server))];
    play(&source, &mut publishing, &mut watching);
    let lanes: Vec<Lane> = watching[0].seen.iter().filter_map(|message| lane_of(message)).collect();
    assert!(Lane::ALL.iter().all(|lane| lanes.contains(lane)), "{lanes:?}");
}
