//! A WebSocket that carries messages.

use std::io::{self, IoSlice};
use std::time::Instant;

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::BytesMut;
use gametape_live::{Outgoing, Shared};
use gametape_net::PROTOCOL;
use gametape_net::request::{JOINED, join_in_protocols};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use sha1::{Digest, Sha1};
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

use super::frames::{BINARY, CLOSE, Decoder, Frame, PING, PONG, TEXT, head, whole};
use super::session::{End, LAST_WORDS, Link};

/// What RFC 6455 says.
const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// Pieces that one write takes.
const PIECES: usize = 64;

/// A connection after its upgrade.
pub(crate) struct Socket {
    stream: TokioIo<Upgraded>,
    decoder: Decoder,
    /// What goes out before all else; what was begun is ended, whoever stops waiting for it.
    out: BytesMut,
    heard: Instant,
}

/// An upgrade that a request asks for: the answer to it, and the socket that it becomes.
pub(crate) struct Upgrade {
    pub(crate) response: Response,
    /// The Join that came with the request.
    pub(crate) join: Option<Shared>,
    pub(crate) pending: OnUpgrade,
}

impl Upgrade {
    /// What a request asks for; `None` where it is no upgrade to a WebSocket that we understand.
    pub(crate) fn of(request: &mut Request) -> Option<Self> {
        let headers = request.headers();
        let has = |name: HeaderName, wanted: &str| {
            tokens(headers, &name).any(|token| token.eq_ignore_ascii_case(wanted))
        };
        let is_asked = has(header::CONNECTION, "upgrade")
            && has(header::UPGRADE, "websocket")
            && has(header::SEC_WEBSOCKET_VERSION, "13");
        let join = join_in_protocols(tokens(headers, &header::SEC_WEBSOCKET_PROTOCOL));
        let protocol = match &join {
            Some(_) => Some(JOINED),
            None => has(header::SEC_WEBSOCKET_PROTOCOL, PROTOCOL).then_some(PROTOCOL),
        };
        let key = key_of(headers).filter(|_| is_asked)?;
        let accept = STANDARD.encode(Sha1::new().chain_update(&key).chain_update(GUID).finalize());
        let pending = request.extensions_mut().remove::<OnUpgrade>()?;
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, HeaderValue::from_str(&accept).ok()?);
        if let Some(protocol) = protocol {
            headers.insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(protocol));
        }
        Some(Self { response, join, pending })
    }

    /// The socket, as soon as the answer is sent.
    pub(crate) async fn socket(pending: OnUpgrade) -> Option<Socket> {
        let stream = TokioIo::new(pending.await.ok()?);
        let (decoder, out) = (Decoder::new(0), BytesMut::new());
        Some(Socket { stream, decoder, out, heard: Instant::now() })
    }
}

/// What the lines of this name list.
fn tokens<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(name).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim)
}

/// The key of a request: 16 bytes as text.
fn key_of(headers: &HeaderMap) -> Option<Vec<u8>> {
    let key = headers.get(header::SEC_WEBSOCKET_KEY)?.as_bytes();
    let is_key = STANDARD.decode(key).is_ok_and(|bytes| bytes.len() == 16);
    is_key.then(|| key.to_vec())
}

impl Socket {
    /// The next frame that is more than a sign of life.
    pub(crate) async fn frame(&mut self) -> Result<Frame, End> {
        loop {
            match self.ready() {
                Some(Ok(Frame::Ping(payload))) => self.put(&whole(PONG, &payload)).await?,
                Some(frame) => return frame,
                None => {
                    let read = self.stream.read_buf(self.decoder.buffer()).await;
                    if read.map_err(|_| End::Done)? == 0 {
                        return Err(End::Done);
                    }
                    self.heard = Instant::now();
                }
            }
        }
    }

    /// A frame that is there already.
    fn ready(&mut self) -> Option<Result<Frame, End>> {
        loop {
            match self.decoder.next() {
                Ok(Some(Frame::Pong)) => {}
                Ok(Some(Frame::Close)) => return Some(Err(End::Done)),
                Ok(Some(frame)) => return Some(Ok(frame)),
                Ok(None) => return None,
                Err(_) => return Some(Err(End::Malformed)),
            }
        }
    }

    /// Reads on to the end. Closing a connection of which something was not read resets it, and the other side may lose
    /// what was said last.
    async fn forget(&mut self) {
        let mut scrap = [0; 4 << 10];
        while matches!(self.stream.read(&mut scrap).await, Ok(1..)) {}
    }

    /// Sends a text.
    pub(crate) async fn say(&mut self, text: &str) -> Result<(), End> {
        self.put(&whole(TEXT, text.as_bytes())).await
    }

    async fn put(&mut self, bytes: &[u8]) -> Result<(), End> {
        self.out.extend_from_slice(bytes);
        self.drain().await?;
        self.stream.flush().await.map_err(|_| End::Done)
    }

    async fn drain(&mut self) -> Result<(), End> {
        while !self.out.is_empty() {
            self.stream.write_buf(&mut self.out).await.map_err(|_| End::Done)?;
        }
        Ok(())
    }
}

fn message_of(frame: Frame) -> Result<Shared, End> {
    match frame {
        Frame::Binary(bytes) => Ok(bytes.into()),
        _ => Err(End::Malformed),
    }
}

impl Link for Socket {
    async fn receive(&mut self) -> Result<Shared, End> {
        message_of(self.frame().await?)
    }

    fn received(&mut self) -> Option<Result<Shared, End>> {
        loop {
            match self.ready()? {
                // Who publishes and pings is answered by what is sent to it.
                Ok(Frame::Ping(_)) => {}
                Ok(frame) => return Some(message_of(frame)),
                Err(end) => return Some(Err(end)),
            }
        }
    }

    async fn send(&mut self, messages: &[Outgoing]) -> Result<(), End> {
        self.drain().await?;
        for some in messages.chunks(PIECES / 2) {
            let heads: Vec<([u8; 10], usize)> =
                some.iter().map(|message| head(BINARY, message.bytes.len())).collect();
            let mut pieces: Vec<IoSlice<'_>> = Vec::with_capacity(PIECES);
            for ((head, length), message) in heads.iter().zip(some) {
                pieces.push(IoSlice::new(&head[..*length]));
                pieces.push(IoSlice::new(&message.bytes));
            }
            write_all(&mut self.stream, &mut pieces).await.map_err(|_| End::Done)?;
        }
        self.stream.flush().await.map_err(|_| End::Done)
    }

    fn allow(&mut self, most: u64) {
        self.decoder.allow(most);
    }

    async fn ping(&mut self) -> Result<(), End> {
        self.put(&whole(PING, b"")).await
    }

    fn heard(&self) -> Instant {
        self.heard
    }

    async fn end(&mut self, end: End) {
        // Who does not read would get it in the middle of something else.
        if end == End::Slow {
            return;
        }
        let status: u16 = match end {
            End::Done | End::Replaced => 1000,
            End::Stopped => 1001,
            End::Refused(_) | End::Malformed | End::Expired => 1008,
            End::Slow | End::Silent => 1013,
        };
        let payload = [&status.to_be_bytes()[..], end.text().as_bytes()].concat();
        if self.put(&whole(CLOSE, &payload)).await.is_ok() && self.stream.shutdown().await.is_ok() {
            let _ = timeout(LAST_WORDS, self.forget()).await;
        }
    }

    fn transport(&self) -> &'static str {
        "websocket"
    }
}

/// Writes everything, without copying it together.
async fn write_all(
    stream: &mut (impl AsyncWrite + Unpin),
    mut pieces: &mut [IoSlice<'_>],
) -> io::Result<()> {
    IoSlice::advance_slices(&mut pieces, 0);
    while !pieces.is_empty() {
        let written = stream.write_vectored(pieces).await?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        IoSlice::advance_slices(&mut pieces, written);
    }
    Ok(())
}
