//! A match that is published in real time to a server.

use std::error::Error;
use std::fs::File;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use gametape_live::{Message, Publisher, SeatId};
use gametape_minewars::Generation;
use gametape_net::{PublishEvent, PublishOptions, publish_recording};
use gametape_replay::streams::keyframes_of;
use gametape_skirmish::{Config, Match, Pace, Provenance, SECOND, Session, Style};
use gametape_tape::{Cadence, KeyframeMaker, SimSnapshot, TapeHeader, TapeWriter};
use gametape_wire::{Tick, TickLength, View, ViewSet};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::{FRAMES, now, stamped};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The name of the match.
pub(super) const MATCH: &str = "bench";
const METADATA: &str = r#"{"game":"bench"}"#;
/// The server has the match after this time.
const PATIENCE: Duration = Duration::from_secs(10);
/// Bytes of a keyframe.
const KEYFRAME_BYTES: usize = 4096;

/// When each tick of a match was played.
#[derive(Debug)]
pub struct TickTimes(Vec<AtomicU64>);

impl TickTimes {
    fn new(ticks: u64) -> Arc<Self> {
        Arc::new(Self((0..ticks).map(|_| AtomicU64::new(u64::MAX)).collect()))
    }

    fn note(&self, tick: u64) {
        if let Some(time) = self.0.get(tick as usize) {
            time.store(now().as_nanos() as u64, Ordering::Release);
        }
    }

    /// How long ago it was.
    pub(super) fn age(&self, tick: u64) -> Option<Duration> {
        let time = self.0.get(tick as usize)?.load(Ordering::Acquire);
        now().checked_sub(Duration::from_nanos(time))
    }
}

/// A match of Skirmish that is played, recorded and published in real time until this is dropped.
#[derive(Debug)]
pub struct SkirmishSource {
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<gametape_wire::Result<()>>>,
    /// When each tick was played.
    pub times: Arc<TickTimes>,
}

impl SkirmishSource {
    /// Ticks of the longest match.
    const TICKS: u64 = 120 * SECOND;

    /// Begins a match of `players` and publishes it to the server at this port.
    pub fn publish(port: u16, players: u8) -> Outcome<Self> {
        let styles = Style::ALL;
        let config = Config::new(players, 16, 5);
        let game = Match::new(config, &styles, Generation::Current)?;
        let journal = std::env::temp_dir().join(format!("gametape-bench-{port}.tape"));
        let (by, pace) = (Provenance::by("benchmark"), Pace::Times(1));
        let file = File::create(&journal)?;
        let mut session = Session::begin(game, &styles, Generation::Current, &by, pace, file)?;
        let views: ViewSet = (0..=players).filter_map(View::new).collect();
        let to = PublishOptions::new(format!("ws://127.0.0.1:{port}/").parse()?, MATCH.parse()?);
        let (sink, mut publishing) = publish_recording(&journal, views, to);
        session.publish(sink);
        let (connected, is_connected) = channel();
        let (stop, times) = (Arc::new(AtomicBool::new(false)), TickTimes::new(Self::TICKS));
        let (stopped, noted) = (Arc::clone(&stop), Arc::clone(&times));
        let thread = thread::spawn(move || {
            let start = Instant::now();
            while session.tick() < Tick(Self::TICKS) && !stopped.load(Ordering::Relaxed) {
                let tick = session.tick();
                thread::sleep(pace.due(tick).saturating_sub(start.elapsed()));
                noted.note(tick.0);
                session.step(start.elapsed())?;
                if let Some(PublishEvent::Connected(_)) = publishing.next_event() {
                    // Nobody waits for it a second time.
                    let _ = connected.send(());
                }
            }
            publishing.give_up();
            drop(session);
            // It is in the way of nobody where it stays.
            let _ = std::fs::remove_file(journal);
            Ok(())
        });
        let source = Self { stop, thread: Some(thread), times };
        // Who comes before the match is refused.
        is_connected.recv_timeout(PATIENCE)?;
        Ok(source)
    }
}

impl Drop for SkirmishSource {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(Ok(Err(problem))) = self.thread.take().map(thread::JoinHandle::join) {
            eprintln!("the match ended: {problem}");
        }
    }
}

/// A match that goes on until this is dropped: a frame of one view, [`FRAMES`] times a second, and a
/// keyframe every second.
#[derive(Debug)]
pub struct Source {
    _runtime: tokio::runtime::Runtime,
}

impl Source {
    /// Begins to publish to the server at this port.
    pub fn publish(port: u16) -> Outcome<Self> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build()?;
        let live = runtime.block_on(Live::connect(port))?;
        runtime.spawn(async move {
            if let Err(problem) = live.run().await {
                eprintln!("the publisher ended: {problem}");
            }
        });
        Ok(Self { _runtime: runtime })
    }
}

struct Live {
    socket: WebSocketStream<TcpStream>,
    publisher: Publisher,
    link: SeatId,
    writer: TapeWriter,
    keyframes: KeyframeMaker,
}

impl Live {
    async fn connect(port: u16) -> Outcome<Self> {
        let view = ViewSet::EMPTY.with(View::SPECTATOR);
        let header = TapeHeader::new(
            TickLength::from_micros(1_000_000 / FRAMES).ok_or("no tick length")?,
            0xBE4C,
        );
        let mut publisher = Publisher::new(MATCH.parse()?, header, METADATA, view, 64 << 20)?;
        let writer = TapeWriter::new(header, METADATA.as_bytes())?;
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
        let mut request = format!("ws://127.0.0.1:{port}/live").into_client_request()?;
        request.headers_mut().insert("sec-websocket-protocol", "gametape-live-1".parse()?);
        let (mut socket, _) = tokio_tungstenite::client_async(request, stream).await?;
        let announce = publisher.announce().to_vec();
        socket.send(tungstenite::Message::Binary(announce.into())).await?;
        let have = loop {
            let message = socket.next().await.ok_or("the server went away")??;
            if let tungstenite::Message::Binary(bytes) = message {
                match Message::read(&bytes)? {
                    Message::Have(have) => break have,
                    other => return Err(format!("no Have, but {other:?}").into()),
                }
            }
        };
        let link = publisher.connect(&have, now());
        let keyframes = KeyframeMaker::new(Cadence::every(u64::from(FRAMES)));
        Ok(Self { socket, publisher, link, writer, keyframes })
    }

    async fn run(mut self) -> Outcome<()> {
        let mut ticks = tokio::time::interval(Duration::from_secs(1) / FRAMES);
        for tick in 0.. {
            ticks.tick().await;
            self.tick(tick)?;
            for out in self.publisher.poll(self.link, now(), usize::MAX) {
                self.socket.feed(tungstenite::Message::Binary(out.bytes.to_vec().into())).await?;
            }
            self.socket.flush().await?;
        }
        Ok(())
    }

    fn tick(&mut self, tick: u64) -> Outcome<()> {
        if tick.is_multiple_of(u64::from(FRAMES)) {
            let state = SimSnapshot::opaque(Tick(tick), &[tick as u8; KEYFRAME_BYTES])?;
            let views = ViewSet::EMPTY.with(View::SPECTATOR);
            let keyframe = self.keyframes.make(state);
            self.writer.keyframe(keyframes_of(View::SPECTATOR), views, &keyframe)?;
            self.writer.flush()?;
            self.publisher.follow(&self.writer.take(), now())?;
        }
        self.publisher.frame(Tick(tick), &[(View::SPECTATOR, &stamped())], now())?;
        self.publisher.end_tick(Tick(tick), now())?;
        Ok(())
    }
}
