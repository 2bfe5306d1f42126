//! The bytes of a spectator stream as messages; normative text: `spec/gamelog.md`, section 10.

use std::borrow::Cow;

use gametape_wire::{Error, ErrorKind, Place, Result};

use crate::limits::Options;
use crate::text::raw::Raw;

/// The byte that ends a message on TCP.
pub const END_OF_MESSAGE: u8 = 0x04;

/// What one message says.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Message<'a> {
    /// The name of the game that was asked for.
    Named(Cow<'a, str>),
    /// What game it is, and its markers.
    Lobbied(Raw<'a>),
    /// A delta.
    Delta(Raw<'a>),
    /// The game is over; where its gamelog is.
    Over(Option<Cow<'a, str>>),
    /// The server ends the connection; why.
    Fatal(String),
    /// Something that does not concern the states: the name of the event.
    Other(String),
}

impl<'a> Message<'a> {
    /// Reads a message, without the byte that ends it.
    pub fn parse(message: &'a [u8]) -> Result<Self> {
        let message = Raw::parse(message)?;
        let Some(event) = message.get("event").and_then(|event| event.as_str()) else {
            let problem = "a message must have an event".into();
            return Err(Error::at(0, "event", ErrorKind::BadSyntax { problem }));
        };
        let data = message.get("data");
        let text = |name: &str| data?.get(name)?.as_str();
        Ok(match (&*event, data) {
            ("meta-delta", Some(delta)) => Self::Delta(delta),
            ("lobbied", Some(lobby)) => Self::Lobbied(lobby),
            ("named", Some(name)) => name.as_str().map_or(Self::Other("named".into()), Self::Named),
            ("over", _) => Self::Over(text("gamelogURL")),
            ("fatal", _) => Self::Fatal(text("message").unwrap_or_default().into_owned()),
            _ => Self::Other(event.into_owned()),
        })
    }
}

/// Divides the bytes of a stream into messages.
#[derive(Debug)]
pub struct Messages {
    /// What was not taken yet.
    pending: Vec<u8>,
    /// How much of it was taken since bytes came.
    taken: usize,
    /// How much of it is known to hold no end of a message.
    searched: usize,
    /// The bytes of the stream before `pending`.
    before: u64,
    /// The number and the first byte of the last message.
    last: Option<(u64, u64)>,
    options: Options,
}

impl Messages {
    /// Nothing was received yet.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        let options = *options;
        Self { pending: Vec::new(), taken: 0, searched: 0, before: 0, last: None, options }
    }

    /// Takes bytes, cut anywhere. Refused where a message whose end did not come is too long together with a log of
    /// this many bytes.
    pub fn receive(&mut self, bytes: &[u8], log_bytes: usize) -> Result<()> {
        self.pending.drain(..self.taken);
        self.before += self.taken as u64;
        (self.searched, self.taken) = (self.searched - self.taken, 0);
        self.pending.extend_from_slice(bytes);
        let end = memchr::memrchr(END_OF_MESSAGE, bytes).map_or(0, |end| {
            // What is whole is taken away before more comes.
            self.pending.len() - bytes.len() + end + 1
        });
        let open = self.pending.len() - end;
        self.options.log_bytes().check((open + log_bytes) as u64, self.before)?;
        Ok(())
    }

    /// The next whole message.
    pub fn next_message(&mut self) -> Option<&[u8]> {
        loop {
            let Some(found) = memchr::memchr(END_OF_MESSAGE, &self.pending[self.searched..]) else {
                self.searched = self.pending.len();
                return None;
            };
            let (start, end) = (self.taken, self.searched + found);
            (self.taken, self.searched) = (end + 1, end + 1);
            if !self.pending[start..end].trim_ascii().is_empty() {
                let number = self.last.map_or(0, |(number, _)| number + 1);
                self.last = Some((number, self.before + start as u64));
                return Some(&self.pending[start..end]);
            }
        }
    }

    /// An error about the last message, with its place in the stream.
    pub(crate) fn locate(&self, error: Error) -> Error {
        let (number, start) = self.last.unwrap_or_default();
        let error = match error.place() {
            Place::Path(_) => error,
            _ => error.with_place(Place::Byte(start)),
        };
        error.within(format_args!("message {number}"))
    }

    /// How many bytes came that are not taken yet.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.pending.len() - self.taken
    }
}
