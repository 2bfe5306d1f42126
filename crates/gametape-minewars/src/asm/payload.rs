//! Assembly text of one payload: a message on each line, and `BYTES` for what no message can say.

use gametape_wire::{Error, Result};

use crate::dialect::Dialect;
use crate::message::pen::Sheet;
use crate::message::tokens::{Token, Tokens};
use crate::message::{Fit, Message, Messages};

/// The word for bytes that are given as they are.
pub(crate) const BYTES: &str = "BYTES";

/// One line of disassembly, before its end.
#[derive(Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A message, decoded.
    Message(Message<'a>),
    /// A message whose text would assemble to other bytes: its text ends with its exact bytes.
    Irregular(Message<'a>, &'a [u8]),
    /// The rest of the payload, which could not be decoded.
    Unreadable(Error, &'a [u8]),
}

impl<'a> Line<'a> {
    /// The line for a message that was decoded from `wire`.
    pub(crate) fn of(message: Message<'a>, wire: &'a [u8], dialect: Dialect) -> Self {
        if message.text_gives(wire, dialect) {
            Self::Message(message)
        } else {
            Self::Irregular(message, wire)
        }
    }

    /// Appends the line's text without comment and without an end of line.
    pub fn print(&self, dialect: Dialect, out: &mut Vec<u8>) {
        match self {
            Self::Message(message) => message.print(dialect, out),
            Self::Irregular(message, bytes) => {
                message.print(dialect, out);
                push_bytes(" =", bytes, out);
            }
            Self::Unreadable(_, bytes) => push_bytes(BYTES, bytes, out),
        }
    }

    /// Appends why the line could not be decoded, as a comment that begins with a blank.
    pub fn print_comment(&self, out: &mut Vec<u8>) {
        if let Self::Unreadable(error, _) = self {
            out.extend_from_slice(b" ; ");
            out.extend_from_slice(error.to_string().as_bytes());
        }
    }

    /// Appends the line with its comment.
    pub(super) fn print_on(&self, sheet: &mut Sheet, dialect: Dialect) {
        if let Self::Message(message) = self {
            return message.print_on(sheet, dialect);
        }
        let mut text = Vec::new();
        self.print(dialect, &mut text);
        self.print_comment(&mut text);
        sheet.append(&text);
    }
}

/// The lines of one payload.
///
/// Assembling them gives the payload back byte for byte, whatever the payload is.
#[derive(Debug, Clone)]
pub struct Lines<'a> {
    messages: Messages<'a>,
    dialect: Dialect,
}

impl<'a> Lines<'a> {
    /// The lines of `payload`, which begins at `offset` of the whole input.
    #[must_use]
    pub fn new(payload: &'a [u8], offset: u64, dialect: Dialect) -> Self {
        Self { messages: Messages::new(payload, offset, dialect), dialect }
    }

    /// Absolute offset of the next line's bytes.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.messages.offset()
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let before = self.messages.rest();
        match self.messages.next()? {
            Ok(message) => {
                let wire = &before[..before.len() - self.messages.rest().len()];
                Some(Line::of(message, wire, self.dialect))
            }
            Err(error) => Some(Line::Unreadable(error, before)),
        }
    }
}

/// Appends a word and bytes as hexadecimal digits.
pub(crate) fn push_bytes(word: &str, bytes: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(word.as_bytes());
    out.push(b' ');
    for byte in bytes {
        out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
    }
}

/// Parses the hexadecimal words after a word such as `BYTES`.
pub(crate) fn parse_bytes(tokens: &mut Tokens<'_>, what: &'static str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some(word) = tokens.take_optional() {
        parse_hex(tokens, word, what, &mut bytes)?;
    }
    Ok(bytes)
}

fn parse_hex(
    tokens: &Tokens<'_>,
    word: Token<'_>,
    what: &'static str,
    bytes: &mut Vec<u8>,
) -> Result<()> {
    let pairs = word.text.as_bytes().as_chunks::<2>();
    let digit = |c: u8| char::from(c).to_digit(16);
    for pair in pairs.0 {
        match (digit(pair[0]), digit(pair[1])) {
            (Some(high), Some(low)) => bytes.push((high << 4 | low) as u8),
            _ => return Err(tokens.error(word, what, "bytes are pairs of hexadecimal digits")),
        }
    }
    if !pairs.1.is_empty() {
        return Err(tokens.error(word, what, "a byte has two hexadecimal digits"));
    }
    Ok(())
}

/// Assembles one line that is a message or `BYTES`, and appends it to a payload.
pub(crate) fn assemble_line(
    mut tokens: Tokens<'_>,
    dialect: Dialect,
    payload: &mut Vec<u8>,
) -> Result<Fit> {
    match tokens.mnemonic() {
        Some(BYTES) => {
            tokens.take(BYTES)?;
            payload.extend_from_slice(&parse_bytes(&mut tokens, BYTES)?);
            Ok(Fit::Exact)
        }
        // Some tools write it for "nothing"; it has no bytes.
        Some("NOP") => {
            tokens.take("NOP")?;
            tokens.finish()?;
            Ok(Fit::Exact)
        }
        _ => assemble_message(tokens, dialect, payload),
    }
}

/// Assembles a message, which may end with its exact bytes. A text without quotes may end the same
/// way, so a line that is a message as it is has no mark.
fn assemble_message(tokens: Tokens<'_>, dialect: Dialect, payload: &mut Vec<u8>) -> Result<Fit> {
    let mut unmarked = tokens.clone();
    let Some(mark) = unmarked.take_mark() else {
        return Message::assemble(tokens, dialect, payload);
    };
    if let Ok(fit) = Message::assemble(tokens, dialect, payload) {
        return Ok(fit);
    }
    let mut bytes = Vec::new();
    parse_hex(&unmarked, mark, "exact bytes", &mut bytes)?;
    let mut messages = Messages::new(&bytes, 0, dialect);
    let decoded = messages.next();
    let (Some(Ok(message)), true) = (decoded, messages.rest().is_empty()) else {
        return Err(unmarked.error(mark, "exact bytes", "these bytes are not one message"));
    };
    let mut text = Vec::new();
    message.print(dialect, &mut text);
    let text = String::from_utf8_lossy(&text);
    if !unmarked.is_same_as(&text) {
        let problem = format!("these bytes mean '{text}': correct them, or leave them out");
        return Err(unmarked.error(mark, "exact bytes", problem));
    }
    payload.extend_from_slice(&bytes);
    Ok(Fit::Exact)
}
