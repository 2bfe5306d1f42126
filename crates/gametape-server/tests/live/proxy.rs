//! Networks that lie: one that cuts connections, one that drops, doubles and reorders datagrams, one that is slow.

use std::collections::{HashMap, VecDeque};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::toy::Dice;

/// How long a proxy waits before it looks whether it is to end.
const LOOK: Duration = Duration::from_millis(5);

#[derive(Default)]
struct Shared {
    is_stopped: AtomicBool,
    /// How often it did harm.
    harm: AtomicU64,
}

/// Passes connections on, in pieces of any size, and cuts them after some bytes.
pub(crate) struct TcpProxy {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl TcpProxy {
    pub(crate) fn start(to: SocketAddr, seed: u64) -> Self {
        // The first bytes are the handshake.
        Self::cutting(to, seed, [u64::MAX, 3_000])
    }

    /// Cuts a connection when this many bytes went forth or back, or up to twice as many.
    pub(crate) fn cutting(to: SocketAddr, seed: u64, least: [u64; 2]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            let mut dice = Dice::new(seed);
            for client in listener.incoming() {
                if own.is_stopped.load(Ordering::Relaxed) {
                    return;
                }
                let (client, Ok(server)) = (client.unwrap(), TcpStream::connect(to)) else {
                    continue;
                };
                let [most_forth, most_back] =
                    least.map(|least| least.saturating_add(dice.below(least)));
                let (back, forth) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                let shared = Arc::clone(&own);
                thread::spawn(move || pass(client, forth, most_forth, &shared));
                let shared = Arc::clone(&own);
                thread::spawn(move || pass(server, back, most_back, &shared));
            }
        });
        Self { address, shared, thread: Some(thread) }
    }

    pub(crate) fn stop(mut self) -> u64 {
        self.shared.is_stopped.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
        self.thread.take().unwrap().join().unwrap();
        self.shared.harm.load(Ordering::Relaxed)
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, mut left: u64, shared: &Shared) {
    let mut piece = [0; 700];
    while let Ok(length @ 1..) = from.read(&mut piece) {
        let sent = (length as u64).min(left);
        if to.write_all(&piece[..sent as usize]).is_err() {
            break;
        }
        left -= sent;
        if left == 0 {
            shared.harm.fetch_add(1, Ordering::Relaxed);
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}

/// Passes datagrams on: some are dropped, doubled, or come after later ones.
pub(crate) struct UdpProxy {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl UdpProxy {
    pub(crate) fn start(to: SocketAddr, seed: u64) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let address = socket.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        let thread = thread::spawn(move || relay(&Arc::new(socket), to, seed, &own));
        Self { address, shared, thread: Some(thread) }
    }

    pub(crate) fn stop(mut self) -> u64 {
        self.shared.is_stopped.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
        self.shared.harm.load(Ordering::Relaxed)
    }
}

fn relay(socket: &Arc<UdpSocket>, to: SocketAddr, seed: u64, shared: &Arc<Shared>) {
    let mut ways: HashMap<SocketAddr, Arc<UdpSocket>> = HashMap::new();
    let mut threads = Vec::new();
    let mut line = Line::new(seed);
    run(socket, shared, &mut line, |bytes, client| {
        let way = ways.entry(client).or_insert_with(|| {
            let way = Arc::new(UdpSocket::bind("127.0.0.1:0").unwrap());
            let (back, way_back, shared) =
                (Arc::clone(socket), Arc::clone(&way), Arc::clone(shared));
            threads.push(thread::spawn(move || {
                let mut line = Line::new(seed ^ 0xFFFF);
                run(&way_back, &shared, &mut line, |bytes, _| {
                    let _ = back.send_to(bytes, client);
                });
            }));
            way
        });
        let _ = way.send_to(bytes, to);
    });
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// What one direction does to datagrams.
struct Line {
    dice: Dice,
    held: VecDeque<(Vec<u8>, SocketAddr)>,
}

impl Line {
    fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed), held: VecDeque::new() }
    }
}

fn run(
    socket: &UdpSocket,
    shared: &Shared,
    line: &mut Line,
    mut send: impl FnMut(&[u8], SocketAddr),
) {
    socket.set_read_timeout(Some(LOOK)).unwrap();
    let mut bytes = [0; 2048];
    while !shared.is_stopped.load(Ordering::Relaxed) {
        let (length, from) = match socket.recv_from(&mut bytes) {
            Ok(received) => received,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                line.held.drain(..).for_each(|(bytes, from)| send(&bytes, from));
                continue;
            }
            Err(_) => continue,
        };
        let chance = line.dice.below(100);
        if chance < 8 {
            shared.harm.fetch_add(1, Ordering::Relaxed);
        }
        match chance {
            0..4 => continue,
            4..6 => {
                send(&bytes[..length], from);
                send(&bytes[..length], from);
            }
            6..12 => line.held.push_back((bytes[..length].to_vec(), from)),
            _ => send(&bytes[..length], from),
        }
        if line.held.len() > 3 {
            line.held.drain(..).for_each(|(bytes, from)| send(&bytes, from));
        }
    }
}

/// A server that is far away: what goes there, and what comes back, takes this long. The handshake of TCP is with the
/// proxy, and takes nothing.
pub(crate) struct Far {
    pub(crate) tcp: SocketAddr,
    pub(crate) udp: SocketAddr,
}

impl Far {
    /// Its threads end with the test.
    pub(crate) fn start(to: SocketAddr, away: Duration) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let tcp = listener.local_addr().unwrap();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(to) else { continue };
                for socket in [&client, &server] {
                    socket.set_nodelay(true).unwrap();
                }
                let (back, forth) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                carry(client, forth, away);
                carry(server, back, away);
            }
        });
        let socket = Arc::new(UdpSocket::bind("127.0.0.1:0").unwrap());
        let udp = socket.local_addr().unwrap();
        thread::spawn(move || carry_datagrams(&socket, to, away));
        Self { tcp, udp }
    }
}

/// Hands on what comes, after a delay.
fn later<T: Send + 'static>(
    away: Duration,
    mut hand_on: impl FnMut(T) -> bool + Send + 'static,
) -> mpsc::Sender<(Instant, T)> {
    let (sender, flying) = mpsc::channel::<(Instant, T)>();
    thread::spawn(move || {
        flying.into_iter().all(|(at, item)| {
            thread::sleep((at + away).saturating_duration_since(Instant::now()));
            hand_on(item)
        })
    });
    sender
}

fn carry(mut from: TcpStream, mut to: TcpStream, away: Duration) {
    let flying = later(away, move |bytes: Vec<u8>| match bytes.is_empty() {
        true => to.shutdown(Shutdown::Write).is_err(),
        false => to.write_all(&bytes).is_ok(),
    });
    thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(length) = from.read(&mut piece) {
            if flying.send((Instant::now(), piece[..length].to_vec())).is_err() || length == 0 {
                return;
            }
        }
    });
}

fn carry_datagrams(socket: &Arc<UdpSocket>, to: SocketAddr, away: Duration) {
    let mut ways: HashMap<SocketAddr, mpsc::Sender<(Instant, Vec<u8>)>> = HashMap::new();
    let mut bytes = [0; 2048];
    while let Ok((length, client)) = socket.recv_from(&mut bytes) {
        let way = ways.entry(client).or_insert_with(|| {
            let way = Arc::new(UdpSocket::bind("127.0.0.1:0").unwrap());
            way.connect(to).unwrap();
            let (back, returning) = (Arc::clone(socket), Arc::clone(&way));
            let home = later(away, move |bytes: Vec<u8>| back.send_to(&bytes, client).is_ok());
            thread::spawn(move || {
                let mut bytes = [0; 2048];
                while let Ok(length) = returning.recv(&mut bytes)
                    && home.send((Instant::now(), bytes[..length].to_vec())).is_ok()
                {
                }
            });
            later(away, move |bytes: Vec<u8>| way.send(&bytes).is_ok())
        });
        let _ = way.send((Instant::now(), bytes[..length].to_vec()));
    }
}
