//! A small HTTP/1.1 client for files of a live match.

use std::time::Duration;

use bytes::Bytes;
use gametape_live::Pass;
use gametape_wire::Result;
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::time::timeout;

use crate::address::Address;
use crate::link::{broken, dial};
use crate::tls::Trust;

/// An answer takes at most this long.
const PATIENCE: Duration = Duration::from_secs(10);
/// No file of a match is longer: a slot of a second has at most a few chunks.
const LONGEST: usize = 64 << 20;

/// Asks one server for files, over a connection that is kept.
#[derive(Debug)]
pub(crate) struct Client {
    address: Address,
    trust: Trust,
    pass: Option<String>,
    open: Option<SendRequest<Empty<Bytes>>>,
}

impl Client {
    pub(crate) fn new(address: &Address, trust: &Trust, pass: Option<&Pass>) -> Self {
        let pass = pass.map(|pass| format!("Bearer {pass}"));
        Self { address: address.clone(), trust: trust.clone(), pass, open: None }
    }

    /// The bytes of a file below the base; `None` where there is no such file.
    pub(crate) async fn get(&mut self, below: &str) -> Result<Option<Bytes>> {
        let was_open = self.open.as_ref().is_some_and(|open| !open.is_closed());
        match self.once(below).await {
            // A server may end a kept connection at any time.
            Err(_) if was_open => {
                self.open = None;
                self.once(below).await
            }
            answer => answer,
        }
    }

    async fn once(&mut self, below: &str) -> Result<Option<Bytes>> {
        let answer = timeout(PATIENCE, self.ask(below)).await;
        let answer = answer.unwrap_or_else(|_| Err(broken("the server did not answer in time")));
        answer.inspect_err(|_| self.open = None)
    }

    async fn ask(&mut self, below: &str) -> Result<Option<Bytes>> {
        if self.open.as_ref().is_none_or(SendRequest::is_closed) {
            let stream = dial(&self.address, &self.trust).await?;
            let (open, connection) = handshake(TokioIo::new(stream)).await.map_err(broken)?;
            tokio::spawn(connection);
            self.open = Some(open);
        }
        let Some(open) = &mut self.open else { return Err(broken("there is none")) };
        open.ready().await.map_err(broken)?;
        let mut request = Request::get(self.address.path(below))
            .header("host", self.address.authority())
            .header("user-agent", concat!("gametape/", env!("CARGO_PKG_VERSION")));
        if let Some(pass) = &self.pass {
            request = request.header("authorization", pass);
        }
        let request = request.body(Empty::new()).map_err(broken)?;
        let answer = open.send_request(request).await.map_err(broken)?;
        let status = answer.status();
        let body = Limited::new(answer.into_body(), LONGEST).collect().await.map_err(broken)?;
        match status {
            StatusCode::OK => Ok(Some(body.to_bytes())),
            StatusCode::NOT_FOUND => Ok(None),
            other => Err(broken(format_args!("the server answered {other}"))),
        }
    }
}
