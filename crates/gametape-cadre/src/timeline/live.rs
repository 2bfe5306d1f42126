//! The same states from a live game: messages as a spectator receives them.

use std::borrow::Cow;

use gametape_wire::{Error, ErrorKind, Result};

use crate::limits::Options;
use crate::log::Log;
use crate::log::markers::Markers;
use crate::text::json::Kind;
use crate::text::raw::Raw;
use crate::timeline::Timeline;

/// The byte that ends a message on TCP.
pub const END_OF_MESSAGE: u8 = 0x04;

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
    /// What was not taken yet: the beginning of a message whose end did not come, and after an
    /// error also whole messages.
    partial: Vec<u8>,
    /// How much of it is known to hold no end of a message.
    searched: usize,
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
    /// Something that does not concern the states: the name of the event.
    Other(String),
}

impl Live {
    /// Nothing was received yet.
    pub fn new(options: &Options) -> Result<Self> {
        let log = Log::new(Markers::default(), options);
        let timeline = Timeline::load(log, options)?;
        Ok(Self { timeline, partial: Vec::new(), searched: 0, options: *options })
    }

    /// Takes bytes of a TCP stream, cut anywhere. Says what each message that ended in them
    /// brought. After an error the messages after the bad one are kept: the next call, also one
    /// without bytes, goes on with them.
    pub fn receive(&mut self, bytes: &[u8]) -> Result<Vec<LiveEvent>> {
        let mut pending = std::mem::take(&mut self.partial);
        pending.extend_from_slice(bytes);
        let mut events = Vec::new();
        let (mut start, mut searched) = (0, self.searched);
        let mut outcome = Ok(());
        while outcome.is_ok()
            && let Some(end) = memchr::memchr(END_OF_MESSAGE, &pending[searched..])
        {
            let message = &pending[start..searched + end];
            searched += end + 1;
            start = searched;
            if !message.trim_ascii().is_empty() {
                outcome = self.message(message).map(|event| events.push(event));
            }
        }
        pending.drain(..start);
        self.searched = if outcome.is_ok() { pending.len() } else { 0 };
        self.partial = pending;
        outcome?;
        self.options.log_bytes().check(self.partial.len() as u64, 0)?;
        Ok(events)
    }

    /// Takes one whole message, such as a WebSocket frame.
    pub fn message(&mut self, message: &[u8]) -> Result<LiveEvent> {
        let message = Raw::parse(message)?;
        let event = message.get("event").and_then(|event| event.as_str());
        let data = message.get("data");
        match (event.as_deref(), data) {
            (Some("meta-delta"), Some(delta)) => {
                self.timeline.push(delta.as_bytes())?;
                Ok(LiveEvent::Delta(self.timeline.len() - 1))
            }
            (Some("lobbied"), Some(lobby)) => self.lobbied(lobby),
            (Some(_), _) => Ok(LiveEvent::Other(event.map(Cow::into_owned).unwrap_or_default())),
            (None, _) => {
                let problem = "a message must have an event".into();
                Err(Error::at(0, "message", ErrorKind::BadSyntax { problem }))
            }
        }
    }

    fn lobbied(&mut self, lobby: Raw<'_>) -> Result<LiveEvent> {
        let constants = lobby.get("constants").filter(|raw| raw.kind() == Kind::Object);
        let markers = Markers::from_constants(constants)?;
        if !self.timeline.is_empty() {
            if markers == *self.timeline.log().markers() {
                return Ok(LiveEvent::Lobbied);
            }
            return Err(Error::misuse("lobbied", "the markers cannot change during a game"));
        }
        let mut log = Log::new(markers, &self.options);
        for name in LOBBY_FIELDS {
            if let Some(value) = lobby.get(name) {
                log.set_field(name, value.as_bytes())?;
            }
        }
        self.timeline = Timeline::load(log, &self.options)?;
        Ok(LiveEvent::Lobbied)
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
        self.partial.len()
    }

    /// The game so far, as a log that can be written.
    #[must_use]
    pub fn into_log(self) -> Log {
        self.timeline.into_log()
    }
}
