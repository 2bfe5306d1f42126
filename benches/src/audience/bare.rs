//! Bare sockets: a server that does nothing but send the same frame to everybody. What ours is compared with.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::get;
use tokio::sync::broadcast::{Receiver, Sender};

use super::{FRAMES, stamped};

/// Frames that a connection may be late by before it misses some.
const QUEUED: usize = 256;

/// A WebSocket of axum that sends every frame to everybody.
pub fn bare_websocket(listens: &dyn Fn(u16)) -> io::Result<()> {
    runtime()?.block_on(async {
        let frames = frames();
        let router = Router::new().route("/live", get(upgrade)).with_state(frames);
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        listens(listener.local_addr()?.port());
        axum::serve(listener, router).await
    })
}

async fn upgrade(State(frames): State<Sender<Bytes>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(move |socket| send_all(socket, frames.subscribe()))
}

async fn send_all(mut socket: WebSocket, mut frames: Receiver<Bytes>) {
    while let Ok(frame) = frames.recv().await {
        if socket.send(Message::Binary(frame)).await.is_err() {
            return;
        }
    }
}

/// A QUIC server that sends every frame to everybody, on one stream each.
pub fn bare_quic(listens: &dyn Fn(u16)) -> io::Result<()> {
    runtime()?.block_on(async {
        let frames = frames();
        let endpoint = super::quic::server()?;
        listens(endpoint.local_addr()?.port());
        while let Some(incoming) = endpoint.accept().await {
            let frames = frames.subscribe();
            tokio::spawn(async move {
                let Ok(connection) = incoming.await else { return };
                let Ok(stream) = connection.open_uni().await else { return };
                write_all(stream, frames).await;
            });
        }
        Ok(())
    })
}

async fn write_all(mut stream: quinn::SendStream, mut frames: Receiver<Bytes>) {
    while let Ok(frame) = frames.recv().await {
        if stream.write_all(&frame).await.is_err() {
            return;
        }
    }
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
}

/// Frames as time passes.
fn frames() -> Sender<Bytes> {
    let sender = Sender::new(QUEUED);
    let frames = sender.clone();
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(Duration::from_secs(1) / FRAMES);
        loop {
            ticks.tick().await;
            // Nobody may be there yet.
            let _ = frames.send(Bytes::copy_from_slice(&stamped()));
        }
    });
    sender
}
