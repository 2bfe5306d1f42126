//! Joining a game as a spectator, without I/O: what to send, and what the answers mean.

use gametape_wire::{Error, ErrorKind, Place, Result};

use super::{END_OF_MESSAGE, Message};

/// What this program calls itself to a server.
const OWN_NAME: &str = "gametape";

/// Which game to watch.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// What somebody calls the game.
    pub game: String,
    /// The session; `*` for any that is open.
    pub session: String,
}

impl Request {
    /// A game in a session; `*` for any that is open.
    #[must_use]
    pub fn new(game: impl Into<String>, session: impl Into<String>) -> Self {
        Self { game: game.into(), session: session.into() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Naming,
    Asking,
    Watching,
}

/// A spectator who is about to join.
///
/// ```
/// use gametape_cadre::{Joining, Message, Request};
///
/// let (mut joining, hello) = Joining::begin(Request::new("Move", "2"));
/// assert_eq!(hello, b"{\"event\":\"alias\",\"data\":\"Move\"}\x04");
/// let named = Message::parse(br#"{"event":"named","data":"Move"}"#)?;
/// let play = joining.answer(&named)?.unwrap();
/// assert!(play.starts_with(br#"{"event":"play","data":{"gameName":"Move","requestedSession":"2","#));
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct Joining {
    request: Request,
    phase: Phase,
}

impl Joining {
    /// What to send first.
    #[must_use]
    pub fn begin(request: Request) -> (Self, Vec<u8>) {
        let mut hello = String::from("{\"event\":\"alias\",\"data\":");
        gametape_wire::json::push_str(&request.game, &mut hello);
        hello.push('}');
        (Self { request, phase: Phase::Naming }, ended(hello))
    }

    /// Takes the next message, and says what to send, if anything. An error where the server refuses.
    pub fn answer(&mut self, message: &Message<'_>) -> Result<Option<Vec<u8>>> {
        match (self.phase, message) {
            (Phase::Naming, Message::Named(name)) => {
                self.phase = Phase::Asking;
                return Ok(Some(play(name, &self.request.session)));
            }
            (_, Message::Lobbied(_) | Message::Delta(_)) => self.phase = Phase::Watching,
            (Phase::Naming | Phase::Asking, Message::Fatal(why)) => {
                let problem = format!("it refuses: {why}").into();
                let kind = ErrorKind::BadSyntax { problem };
                return Err(Error::new(Place::Nowhere, "server", kind));
            }
            _ => {}
        }
        Ok(None)
    }

    /// Did the server let the spectator in?
    #[must_use]
    pub fn is_in(&self) -> bool {
        self.phase == Phase::Watching
    }
}

fn play(game: &str, session: &str) -> Vec<u8> {
    let mut out = String::from("{\"event\":\"play\",\"data\":{");
    let fields = [
        ("gameName", game),
        ("requestedSession", session),
        ("clientType", OWN_NAME),
        ("playerName", OWN_NAME),
    ];
    for (name, value) in fields {
        out.push_str(&format!("\"{name}\":"));
        gametape_wire::json::push_str(value, &mut out);
        out.push(',');
    }
    out.push_str("\"spectating\":true,\"metaDeltas\":true}}");
    ended(out)
}

fn ended(message: String) -> Vec<u8> {
    let mut bytes = message.into_bytes();
    bytes.push(END_OF_MESSAGE);
    bytes
}
