//! Messages over a WebSocket: each is one binary message.

use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use gametape_live::Outgoing;
use gametape_live::limits::MESSAGE_BYTES;
use gametape_wire::Result;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::{Closed, Incoming, Io, PROTOCOL, broken, dial};
use crate::address::Address;
use crate::request::{JOINED, protocols};
use crate::tls::Trust;

/// The sending half.
pub(super) struct Sender {
    sink: Box<dyn futures_util::Sink<Message, Error = Error> + Send + Unpin>,
    /// When something was heard of the other side.
    heard: watch::Receiver<Instant>,
}

impl std::fmt::Debug for Sender {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sender")
    }
}

/// What both sides accept.
fn config() -> WebSocketConfig {
    let most = MESSAGE_BYTES.max as usize;
    WebSocketConfig::default().max_message_size(Some(most)).max_frame_size(Some(most))
}

/// A WebSocket, and whether the server took the Join that came with the request.
pub(super) async fn connect(
    address: &Address,
    trust: &Trust,
    join: Option<&[u8]>,
) -> Result<(WebSocketStream<Box<dyn Io>>, bool)> {
    let scheme = if address.is_secure() { "wss" } else { "ws" };
    let url = format!("{scheme}://{}{}", address.authority(), address.path("live"));
    let mut request = url.into_client_request().map_err(broken)?;
    let offered = join.map_or_else(|| PROTOCOL.to_owned(), protocols);
    let mut offered = HeaderValue::try_from(offered).map_err(broken)?;
    // There may be a pass in it.
    offered.set_sensitive(join.is_some());
    request.headers_mut().insert("sec-websocket-protocol", offered);
    let stream = dial(address, trust).await?;
    let opened = tokio_tungstenite::client_async_with_config(request, stream, Some(config())).await;
    let (stream, answer) = opened.map_err(broken)?;
    let chosen = answer.headers().get("sec-websocket-protocol");
    Ok((stream, chosen.is_some_and(|chosen| chosen == JOINED)))
}

/// Reads in a task of its own, so that the other side's pings are answered while nobody looks.
pub(super) fn run<S>(stream: WebSocketStream<S>, incoming: mpsc::Sender<Incoming>) -> Sender
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Send + Unpin + 'static,
{
    let (sink, stream): (SplitSink<_, _>, SplitStream<_>) = stream.split();
    let (hearing, heard) = watch::channel(Instant::now());
    tokio::spawn(read(stream, incoming, hearing));
    Sender { sink: Box::new(sink), heard }
}

async fn read<S>(
    mut stream: SplitStream<WebSocketStream<S>>,
    incoming: mpsc::Sender<Incoming>,
    hearing: watch::Sender<Instant>,
) where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    let closed = loop {
        let next = stream.next().await;
        hearing.send_replace(Instant::now());
        match next {
            Some(Ok(Message::Binary(bytes))) => {
                if incoming.send(Ok(bytes[..].into())).await.is_err() {
                    return;
                }
            }
            Some(Ok(Message::Text(_))) => break Closed::broken("the other side sent text"),
            Some(Ok(Message::Close(frame))) => break goodbye(frame),
            Some(Ok(_)) => {}
            Some(Err(error)) => break Closed::broken(error.to_string()),
            None => break Closed::broken("the connection ended"),
        }
    };
    // Who waits for it learns why; nobody else needs to.
    let _ = incoming.send(Err(closed)).await;
    // The answer to a goodbye goes out while the stream is read to its end.
    while let Some(Ok(_)) = stream.next().await {}
}

fn goodbye(frame: Option<CloseFrame>) -> Closed {
    let code = frame.as_ref().map_or(CloseCode::Normal, |frame| frame.code);
    let said = frame.map(|frame| frame.reason.to_string()).filter(|said| !said.is_empty());
    let words = match code {
        CloseCode::Normal => "the other side ended it",
        CloseCode::Away => "the server shuts down",
        CloseCode::Policy => "the other side refused it",
        _ => "the other side ended it with an error",
    };
    let reason = said.map_or_else(|| words.to_owned(), |said| format!("{words}: {said}"));
    Closed { reason, is_clean: code == CloseCode::Normal }
}

impl Sender {
    pub(super) fn heard(&self) -> Instant {
        *self.heard.borrow()
    }

    pub(super) async fn ping(&mut self) -> Result<()> {
        self.sink.send(Message::Ping(Bytes::new())).await.map_err(broken)
    }

    pub(super) async fn send(&mut self, batch: &[Outgoing]) -> Result<()> {
        for message in batch {
            let bytes = Bytes::from_owner(message.bytes.clone());
            self.sink.feed(Message::Binary(bytes)).await.map_err(broken)?;
        }
        self.sink.flush().await.map_err(broken)
    }

    pub(super) async fn close(&mut self) -> Result<()> {
        let frame = CloseFrame { code: CloseCode::Normal, reason: "".into() };
        self.sink.send(Message::Close(Some(frame))).await.map_err(broken)
    }
}
