//! A spectator's whole session, without I/O: bytes of the server go in; what to send, and the game, come out.

use gametape_wire::Result;

use super::{Ending, Joining, Message, Messages, Request, check_markers, empty_log};
use crate::limits::Options;
use crate::log::Log;
use crate::log::markers::Markers;

/// What the next message means for a spectator.
#[derive(Debug)]
#[non_exhaustive]
pub enum Seen {
    /// These bytes are to be sent.
    Send(Vec<u8>),
    /// The game begins: a log without deltas, which come next.
    Begin(Box<Log>),
    /// A delta.
    Delta(Vec<u8>),
}

/// Somebody who watches a game on a server.
///
/// ```
/// use gametape_cadre::{Options, Request, Seen, Spectator};
///
/// let (mut spectator, hello) = Spectator::begin(Request::new("Move", "*"), &Options::default());
/// assert!(hello.starts_with(b"{\"event\":\"alias\""));
/// spectator.receive(b"{\"event\":\"named\",\"data\":\"Move\"}\x04", 0)?;
/// assert!(matches!(spectator.next_seen()?, Some(Seen::Send(_))));
/// assert!(spectator.next_seen()?.is_none());
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct Spectator {
    joining: Joining,
    messages: Messages,
    ending: Ending,
    options: Options,
    /// The log to begin with, until the first delta.
    log: Option<Box<Log>>,
    /// The first delta, while the game begins.
    first: Option<Vec<u8>>,
    /// The markers of a game that has begun.
    markers: Option<Markers>,
}

impl Spectator {
    /// Somebody who asks for a game, and the bytes to send first.
    #[must_use]
    pub fn begin(request: Request, options: &Options) -> (Self, Vec<u8>) {
        let (joining, hello) = Joining::begin(request);
        let spectator = Self {
            joining,
            messages: Messages::new(options),
            ending: Ending::default(),
            options: *options,
            log: None,
            first: None,
            markers: None,
        };
        (spectator, hello)
    }

    /// Takes bytes of the server, cut anywhere, beside a log that has this many bytes.
    pub fn receive(&mut self, bytes: &[u8], log_bytes: usize) -> Result<()> {
        self.messages.receive(bytes, log_bytes)
    }

    /// What comes next of what was received. After an error the session is over.
    pub fn next_seen(&mut self) -> Result<Option<Seen>> {
        if let Some(delta) = self.first.take() {
            return Ok(Some(Seen::Delta(delta)));
        }
        loop {
            let Some(message) = self.messages.next_message() else { return Ok(None) };
            let message = message.to_vec();
            let seen = self.take(&message).map_err(|error| self.messages.locate(error))?;
            if seen.is_some() {
                return Ok(seen);
            }
        }
    }

    fn take(&mut self, message: &[u8]) -> Result<Option<Seen>> {
        let message = Message::parse(message)?;
        let answer = self.joining.answer(&message)?;
        self.ending.note(&message);
        match (message, &self.markers) {
            (Message::Lobbied(lobby), Some(markers)) => check_markers(lobby, markers)?,
            (Message::Lobbied(lobby), None) => {
                self.log = Some(Box::new(empty_log(Some(lobby), &self.options)?));
            }
            (Message::Delta(delta), Some(_)) => {
                return Ok(Some(Seen::Delta(delta.as_bytes().to_vec())));
            }
            (Message::Delta(delta), None) => {
                self.first = Some(delta.as_bytes().to_vec());
                let log = match self.log.take() {
                    Some(log) => log,
                    None => Box::new(empty_log(None, &self.options)?),
                };
                self.markers = Some(log.markers().clone());
                return Ok(Some(Seen::Begin(log)));
            }
            _ => {}
        }
        Ok(answer.map(Seen::Send))
    }

    /// How the session ended, or would end now.
    #[must_use]
    pub fn ending(&self) -> Ending {
        Ending { cut_bytes: self.messages.pending(), ..self.ending.clone() }
    }

    /// Did the server say that the game is over?
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.ending.is_over
    }

    /// Did the server let the spectator in?
    #[must_use]
    pub fn is_in(&self) -> bool {
        self.joining.is_in()
    }
}
