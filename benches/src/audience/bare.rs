//! Bare sockets: a server that does nothing but send the same frame to everybody. What ours is compared with.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::broadcast::{Receiver, Sender};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::{FRAME_BYTES, FRAMES, stamped};

/// Frames that a connection may be late by before it misses some.
const QUEUED: usize = 256;

/// A WebSocket that sends every frame to everybody: encoded once, and written with one call. No server can do less.
pub fn bare_websocket(listens: &dyn Fn(u16)) -> io::Result<()> {
    runtime()?.block_on(async {
        let frames = frames(websocket_frame);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        listens(listener.local_addr()?.port());
        loop {
            let (stream, _) = listener.accept().await?;
            tokio::spawn(send_all(stream, frames.subscribe()));
        }
    })
}

async fn send_all(stream: TcpStream, mut frames: Receiver<Bytes>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    let key = key_of_request(&mut stream).await?;
    let accept = derive_accept_key(key.as_bytes());
    let answer = format!(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    stream.write_all(answer.as_bytes()).await?;
    while let Ok(frame) = frames.recv().await {
        stream.write_all(&frame).await?;
    }
    Ok(())
}

/// Reads a request to its end.
async fn key_of_request(stream: &mut BufReader<TcpStream>) -> io::Result<String> {
    let (mut line, mut key) = (String::new(), String::new());
    while stream.read_line(&mut line).await? > 2 {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("sec-websocket-key")
        {
            value.trim().clone_into(&mut key);
        }
        line.clear();
    }
    Ok(key)
}

/// A frame of a WebSocket around a stamped frame.
fn websocket_frame() -> Bytes {
    let length = (FRAME_BYTES as u16).to_be_bytes();
    [&[0x82, 126, length[0], length[1]], &stamped()[..]].concat().into()
}

/// A QUIC server that sends every frame to everybody, on one stream each.
pub fn bare_quic(listens: &dyn Fn(u16)) -> io::Result<()> {
    runtime()?.block_on(async {
        let frames = frames(|| Bytes::copy_from_slice(&stamped()));
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
fn frames(make: fn() -> Bytes) -> Sender<Bytes> {
    let sender = Sender::new(QUEUED);
    let frames = sender.clone();
    tokio::spawn(async move {
        let mut ticks = tokio::time::interval(Duration::from_secs(1) / FRAMES);
        loop {
            ticks.tick().await;
            // Nobody may be there yet.
            let _ = frames.send(make());
        }
    });
    sender
}
