//! Clients that nobody wants: who floods, who never reads, who never finishes its request, who comes and goes.

use std::error::Error;
use std::net::Ipv4Addr;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use gametape_live::{Message, StartAt};
use gametape_wire::{Tick, View};
use tokio::io::AsyncWriteExt;
use tokio::time::{interval, sleep};
use tokio_tungstenite::tungstenite;

use super::crowd::{connection, join, opened};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Who sends its request byte by byte.
const SLOW: usize = 100;
/// Who watches and never reads.
const HALF_OPEN: usize = 100;
/// Who asks for the beginning of the match as fast as it can.
const FLOODING: usize = 8;
/// Who joins, and leaves at once.
const CHURNING: usize = 8;

/// Clients that nobody wants, until this is dropped. They try again when they are sent away.
#[derive(Debug)]
pub struct Nuisance {
    _runtime: tokio::runtime::Runtime,
}

impl Nuisance {
    /// Begins to annoy the server at this port.
    pub fn begin(port: u16) -> Outcome<Self> {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build()?;
        for _ in 0..SLOW {
            runtime.spawn(again_and_again(move || slow(port)));
        }
        for _ in 0..HALF_OPEN {
            runtime.spawn(again_and_again(move || half_open(port)));
        }
        for number in 0..FLOODING {
            runtime.spawn(again_and_again(move || flooding(port, number % 2 == 0)));
        }
        for _ in 0..CHURNING {
            runtime.spawn(again_and_again(move || churning(port)));
        }
        Ok(Self { _runtime: runtime })
    }
}

async fn again_and_again<F: Future<Output = Outcome<()>>>(mut once: impl FnMut() -> F) {
    loop {
        // That it fails is what is hoped for.
        let _ = once().await;
        sleep(Duration::from_millis(20)).await;
    }
}

/// Each kind has one address.
fn from(number: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 2, 0, number)
}

async fn slow(port: u16) -> Outcome<()> {
    let mut stream = connection(from(1), port).await?;
    let mut due = interval(Duration::from_millis(100));
    for byte in b"GET /live HTTP/1.1\r\nX: ".iter().chain(std::iter::repeat(&b'x')) {
        due.tick().await;
        stream.write_all(&[*byte]).await?;
    }
    Ok(())
}

async fn half_open(port: u16) -> Outcome<()> {
    let _socket = opened(from(2), port, Some(join(View::SPECTATOR)?)).await?;
    std::future::pending().await
}

async fn flooding(port: u16, reads: bool) -> Outcome<()> {
    let (mut send, mut receive) =
        opened(from(3), port, Some(join(View::SPECTATOR)?)).await?.split();
    let seek = Message::Seek(StartAt::Tick(Tick::ZERO)).to_bytes().to_vec();
    let flood = async {
        loop {
            send.send(tungstenite::Message::Binary(seek.clone().into())).await?;
        }
    };
    let read = async {
        while reads && receive.next().await.is_some_and(|message| message.is_ok()) {}
        if reads { Ok(()) } else { std::future::pending().await }
    };
    tokio::select! {
        sent = flood => sent,
        ended = read => ended,
    }
}

async fn churning(port: u16) -> Outcome<()> {
    opened(from(4), port, Some(join(View::SPECTATOR)?)).await.map(drop)
}
