//! The same states from a live game: messages as a spectator receives them.

mod address;
mod joining;
mod messages;
mod spectated;
mod spectator;

use gametape_wire::{Error, ErrorKind, Place, Result};

use crate::limits::Options;
use crate::log::Log;
use crate::log::markers::Markers;
use crate::text::json::Kind;
use crate::text::raw::Raw;
use crate::timeline::Timeline;

pub use address::GameAddress;
pub use joining::{Joining, Request};
pub use messages::{END_OF_MESSAGE, Message, Messages};
pub use spectated::{Ending, Spectated};
pub use spectator::{Seen, Spectator};

/// The version of the layout that is written.
const LAYOUT: &[u8] = br#""2.2.0""#;

/// The fields of a log that a `lobbied` message carries.
const LOBBY_FIELDS: [&str; 4] = ["gameName", "gameSession", "gameVersion", "constants"];

/// A game that is being watched: bytes or frames go in, deltas and states come out.
///
/// ```
/// use gametape_cadre::{Live, LiveEvent, Options};
///
/// let mut live = Live::new(&Options::default()).unwrap();
/// let bytes = b"{\"event\":\"meta-delta\",\"data\":{\"type\":\"start\",\"game\":{\"x\":1}}}\x04{\"ev";
/// let events = live.receive(bytes).unwrap();
/// assert_eq!(events, [LiveEvent::Delta(0)]);
/// assert_eq!(live.timeline().state().canonical(), b"{\"x\":1}");
/// assert_eq!(live.pending(), 4);
/// ```
#[derive(Debug)]
pub struct Live {
    timeline: Timeline,
    messages: Messages,
    ending: Ending,
    options: Options,
}

/// What a message brought.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiveEvent {
    /// What game it is, and its markers.
    Lobbied,
    /// The delta with this index.
    Delta(usize),
    /// The game is over.
    Over,
    /// The server ends the connection, and says why.
    Fatal(String),
    /// Something that does not concern the states: the name of the event.
    Other(String),
}

impl Live {
    /// Nothing was received yet.
    pub fn new(options: &Options) -> Result<Self> {
        let timeline = Timeline::load(empty_log(None, options)?, options)?;
        let messages = Messages::new(options);
        Ok(Self { timeline, messages, ending: Ending::default(), options: *options })
    }

    /// Takes bytes of a TCP stream, cut anywhere. Says what each message that ended in them
    /// brought. After an error the messages after the bad one are kept: the next call, also one
    /// without bytes, goes on with them.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<Vec<LiveEvent>> {
        let Self { timeline, messages, ending, options } = self;
        let fits = messages.receive(bytes, timeline.log().json_bytes());
        let mut events = Vec::new();
        while let Some(message) = messages.next_message() {
            match take(timeline, ending, options, message) {
                Ok(event) => events.push(event),
                Err(error) => return Err(messages.locate(error)),
            }
        }
        fits.map(|()| events)
    }

    /// Takes one whole message, such as a WebSocket frame.
    pub fn message(&mut self, message: &[u8]) -> Result<LiveEvent> {
        take(&mut self.timeline, &mut self.ending, &self.options, message)
    }

    /// The game so far. It can be looked at anywhere, also while more comes in.
    #[must_use]
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// The game so far, to move in.
    pub fn timeline_mut(&mut self) -> &mut Timeline {
        &mut self.timeline
    }

    /// How many bytes of a message came whose end did not.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.messages.pending()
    }

    /// The game so far, as a log that can be written.
    #[must_use]
    pub fn into_log(self) -> Log {
        self.timeline.into_log()
    }
}

fn take(
    timeline: &mut Timeline,
    ending: &mut Ending,
    options: &Options,
    message: &[u8],
) -> Result<LiveEvent> {
    let message = Message::parse(message)?;
    ending.note(&message);
    match message {
        Message::Delta(delta) => {
            timeline.push(delta.as_bytes())?;
            Ok(LiveEvent::Delta(timeline.len() - 1))
        }
        Message::Lobbied(lobby) => lobbied(timeline, lobby, options),
        Message::Over(_) => Ok(LiveEvent::Over),
        Message::Fatal(why) => Ok(LiveEvent::Fatal(why)),
        Message::Named(_) => Ok(LiveEvent::Other("named".to_owned())),
        Message::Other(event) => Ok(LiveEvent::Other(event)),
    }
}

fn lobbied(timeline: &mut Timeline, lobby: Raw<'_>, options: &Options) -> Result<LiveEvent> {
    if timeline.is_empty() {
        *timeline = Timeline::load(empty_log(Some(lobby), options)?, options)?;
    } else {
        check_markers(lobby, timeline.log().markers())?;
    }
    Ok(LiveEvent::Lobbied)
}

/// Refuses a `lobbied` message that has other markers than the game.
fn check_markers(lobby: Raw<'_>, markers: &Markers) -> Result<()> {
    if markers_of(lobby)? == *markers {
        return Ok(());
    }
    let problem = "the markers cannot change during a game".into();
    Err(Error::new(Place::Byte(0), "lobbied", ErrorKind::BadSyntax { problem }))
}

fn markers_of(lobby: Raw<'_>) -> Result<Markers> {
    Markers::from_constants(lobby.get("constants").filter(|raw| raw.kind() == Kind::Object))
}

/// A log without deltas, with what a `lobbied` message says about the game, in the order in which servers write it.
pub(crate) fn empty_log(lobby: Option<Raw<'_>>, options: &Options) -> Result<Log> {
    let markers = lobby.map(markers_of).transpose()?.unwrap_or_default();
    let mut log = Log::new(markers, options);
    log.set_field("gamelogVersion", LAYOUT)?;
    for name in LOBBY_FIELDS {
        if let Some(value) = lobby.and_then(|lobby| lobby.get(name)) {
            log.set_field(name, value.as_bytes())?;
        }
    }
    log.put_deltas_last();
    Ok(log)
}
