//! A match that is published in real time to a server.

use std::error::Error;
use std::net::Ipv4Addr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use gametape_live::{Message, Publisher, SeatId};
use gametape_replay::streams::keyframes_of;
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
/// Bytes of a keyframe.
const KEYFRAME_BYTES: usize = 4096;

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
        self.publisher.frame(tick, &[(View::SPECTATOR, &stamped())], now())?;
        self.publisher.end_tick(tick, now())?;
        Ok(())
    }
}
