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
mod player;
mod spec_table;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod words;

use gametape_wire::{Reader, Result};

use crate::dialect::Dialect;

pub use class::Class;
pub use lists::{Digit, DigitBuf, DigitTile, Digits, TileBuf, Tiles};
pub use operand::Fit;
pub use pack::Packer;
pub use player::{Ballot, Duration, Money, Who};
pub use spec_table::opcode_tables;
pub use table::{Message, PlayerUpdate};
pub use text::Text;

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
    /// What could not be read, after an error.
    failed: Option<&'a [u8]>,
}

impl<'a> Messages<'a> {
    /// The messages of `payload`, which begins at `offset` of the whole input.
    #[must_use]
    pub fn new(payload: &'a [u8], offset: u64, dialect: Dialect) -> Self {
        Self { reader: Reader::with_base(payload, offset), dialect, failed: None }
    }

    /// Absolute offset of the next message.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.reader.offset()
    }

    /// What was not read: after an error, everything from the message that failed.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.failed.unwrap_or_else(|| self.reader.rest())
    }
}

impl<'a> Iterator for Messages<'a> {
    type Item = Result<Message<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() || self.failed.is_some() {
            return None;
        }
        let before = self.reader.rest();
        let message = Message::decode(&mut self.reader, self.dialect);
        if message.is_err() {
            self.failed = Some(before);
        }
        Some(message)
    }
}

impl Message<'_> {
    /// Would the message's text assemble to exactly `wire`, the bytes it was decoded from?
    pub(crate) fn text_gives(&self, wire: &[u8], dialect: Dialect, scratch: &mut Vec<u8>) -> bool {
        if self.text_is_exact() {
            return true;
        }
        if let Message::DigitRun { .. } = self {
            return false;
        }
        scratch.clear();
        self.encode(dialect.generation(), scratch).is_ok() && scratch == wire
    }
}
