//! Gameplay messages: one table, every direction.
//!
//! [`Message`] is one change to what a view knows. [`Messages`] walks a payload without
//! allocating; [`Message::encode`] and [`Message::print`] go the other ways; all of them, the
//! assembler and the opcode table in `spec/` come from the tables in `table.rs`.

mod class;
mod instructions;
mod lists;
mod operand;
mod pack;
mod pattern;
pub(crate) mod pen;
mod player;
mod spec_table;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod tokens;
mod wire;

use gametape_wire::{Reader, Result};

use crate::dialect::Dialect;

pub use class::Class;
pub use lists::{Digit, DigitBuf, DigitTile, Digits, OwnedTiles, TileBuf, Tiles};
pub use operand::Fit;
pub use pack::Packer;
pub use player::{Ballot, Duration, Money, Who};
pub use spec_table::opcode_tables;
pub use table::{Message, PlayerUpdate};
pub use text::Text;
pub(crate) use wire::SPOILED;

/// The messages of one payload, borrowed from it.
///
/// An error ends the payload: what follows a reserved first byte cannot be read.
/// [`rest`](Self::rest) is then the unreadable end.
///
/// ```
/// use gametape_minewars::{Coord, Dialect, Message, Messages};
///
/// let mut messages = Messages::new(&[0x02, 0xF9, 0x02, 0x01], 0, Dialect::Current);
/// assert_eq!(messages.next(), Some(Ok(Message::SmokeStart { tile: Coord::new(-7, 2) })));
/// assert_eq!(messages.next(), Some(Ok(Message::Tremor {})));
/// assert_eq!(messages.next(), None);
/// ```
#[derive(Debug, Clone)]
pub struct Messages<'a> {
    reader: Reader<'a>,
    dialect: Dialect,
    /// Was there an error? Then nothing more is read.
    failed: bool,
}

impl<'a> Messages<'a> {
    /// The messages of `payload`, which begins at `offset` of the whole input.
    #[must_use]
    #[inline]
    pub fn new(payload: &'a [u8], offset: u64, dialect: Dialect) -> Self {
        Self { reader: Reader::with_base(payload, offset), dialect, failed: false }
    }

    /// Absolute offset of the next message.
    #[must_use]
    #[inline]
    pub fn offset(&self) -> u64 {
        self.reader.offset()
    }

    /// Hands every message that is left, with its bytes, to `take`: faster than a loop, because no
    /// message is moved on its way. The error that ends the payload, if one does, comes back.
    #[inline]
    pub fn visit(&mut self, mut take: impl FnMut(Message<'a>, &'a [u8])) -> Result<()> {
        if self.failed {
            return Ok(());
        }
        // In a variable of its own, and so in registers.
        let mut reader = self.reader.clone();
        let read = Message::visit_all(&mut reader, self.dialect, &mut take);
        self.reader = reader;
        self.failed = read.is_err();
        read
    }

    /// The same as [`visit`](Self::visit), a call for each message slower. *Why: `visit` is compiled again for each
    /// caller, with what the caller does in the arm of every message and dialect; this is compiled once.*
    pub fn visit_dyn(&mut self, take: &mut dyn FnMut(Message<'a>, &'a [u8])) -> Result<()> {
        self.visit(take)
    }

    /// What was not read: after an error, everything from the message that failed.
    #[must_use]
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        self.reader.rest()
    }
}

impl<'a> Iterator for Messages<'a> {
    type Item = Result<Message<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.reader.is_empty() {
            return None;
        }
        let mut reader = self.reader.clone();
        let message = Message::decode(&mut reader, self.dialect);
        match message {
            Ok(_) => self.reader = reader,
            Err(_) => self.failed = true,
        }
        Some(message)
    }
}

impl Message<'_> {
    /// Would the message's text assemble to exactly `wire`, the bytes it was decoded from?
    pub(crate) fn text_gives(&self, wire: &[u8], dialect: Dialect) -> bool {
        if self.text_is_exact(dialect) {
            return true;
        }
        if let Message::DigitRun { .. } = self {
            return false;
        }
        let mut again = Vec::with_capacity(wire.len());
        self.encode(dialect.generation(), &mut again).is_ok() && again == wire
    }
}

/// The length of the longest beginning of `payload` that is at most `limit` bytes and ends where a
/// message ends: what a frame writer asks for when a payload is too long for one frame.
#[must_use]
pub fn whole_messages(payload: &[u8], limit: usize, dialect: Dialect) -> usize {
    let mut messages = Messages::new(&payload[..payload.len().min(limit)], 0, dialect);
    // A message that the limit cuts cannot be read, and ends the walk.
    let _ = messages.visit_dyn(&mut |_, _| {});
    messages.offset() as usize
}
