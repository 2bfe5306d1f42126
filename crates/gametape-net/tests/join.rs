//! A Join goes with the request where the server takes it there, else it is the first message.
#![allow(clippy::unwrap_used, clippy::panic)]

use futures_util::StreamExt;
use gametape_live::Shared;
use gametape_net::request::{JOINED, join_in_protocols};
use gametape_net::{Address, Link, PROTOCOL, Transport, Trust};
use tokio::net::TcpListener;
use tokio_tungstenite::accept_hdr_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;

/// What a server that answers with this subprotocol gets: the Join of the request, and the messages up to the end.
async fn heard(answered: &'static str) -> (Option<Shared>, Vec<Message>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: Address = format!("ws://{}/", listener.local_addr().unwrap()).parse().unwrap();
    let serving = async {
        let (stream, _) = listener.accept().await.unwrap();
        let mut joined = None;
        #[allow(clippy::result_large_err, reason = "the library says what a refusal is")]
        let answer = |request: &Request, mut response: Response| {
            let offered = request.headers()["sec-websocket-protocol"].to_str().unwrap();
            joined = join_in_protocols(offered.split(", "));
            let answered = HeaderValue::from_static(answered);
            response.headers_mut().insert("sec-websocket-protocol", answered);
            Ok(response)
        };
        let mut socket = accept_hdr_async(stream, answer).await.unwrap();
        let mut messages = Vec::new();
        while let Some(Ok(message)) = socket.next().await {
            messages.push(message);
        }
        (joined, messages)
    };
    let joining = async {
        let trust = Trust::default();
        let join = Shared::from([3, 1]);
        let link = Link::join(&address, Transport::WebSocket, &trust, join).await.unwrap();
        link.close().await
    };
    let (heard, _) = tokio::join!(serving, joining);
    heard
}

#[tokio::test]
async fn a_server_that_takes_it_in_the_request_does_not_get_it_twice() {
    let (joined, messages) = heard(JOINED).await;
    assert_eq!(joined.as_deref(), Some(&[3, 1][..]));
    assert!(messages.iter().all(Message::is_close), "{messages:?}");
}

#[tokio::test]
async fn a_server_that_knows_nothing_of_it_gets_it_as_a_message() {
    let (_, messages) = heard(PROTOCOL).await;
    assert_eq!(messages[0], Message::binary(vec![3, 1]));
}
