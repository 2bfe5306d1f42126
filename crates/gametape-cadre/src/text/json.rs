//! Tokens of JSON text.

use std::borrow::Cow;

use gametape_wire::{Error, ErrorKind, Result};

use crate::text;
use crate::text::scan::{Skimmer, truncated_at, unclosed};
use crate::text::swar;

/// What a byte means inside of a string.
const PLAIN: u8 = 0;
const QUOTE: u8 = 1;
const ESCAPE: u8 = 2;
const CONTROL: u8 = 3;

const STRING_CLASS: [u8; 256] = {
    let mut classes = [PLAIN; 256];
    let mut byte = 0;
    while byte < 0x20 {
        classes[byte] = CONTROL;
        byte += 1;
    }
    classes[b'"' as usize] = QUOTE;
    classes[b'\\' as usize] = ESCAPE;
    classes
};

/// A piece of the text: `start..end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    pub(crate) fn of(self, text: &[u8]) -> &[u8] {
        &text[self.start as usize..self.end as usize]
    }

    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }

    pub(crate) fn shifted(self, by: u32) -> Self {
        Self { start: self.start + by, end: self.end + by }
    }
}

/// A string token: where it is, with its quotes, and whether it has escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StringToken {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) escaped: bool,
}

impl StringToken {
    /// What is between the quotes, escapes as written.
    #[inline]
    pub(crate) fn inner<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start + 1..self.end - 1]
    }

    /// The string itself, in WTF-8.
    pub(crate) fn decoded<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let inner = self.inner(text);
        if self.escaped { Cow::Owned(text::decode(inner)) } else { Cow::Borrowed(inner) }
    }
}

/// A position in JSON text. Offsets in errors are offsets in `text`.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) at: usize,
    skimmer: Skimmer,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a [u8], at: usize) -> Self {
        Self { text, at, skimmer: Skimmer::default() }
    }

    /// The next byte that is not white space, not taken; 0 at the end.
    #[inline(always)]
    pub(crate) fn peek(&mut self) -> u8 {
        match self.text.get(self.at) {
            Some(byte) if *byte > b' ' => *byte,
            _ => self.peek_after_space(),
        }
    }

    #[inline(never)]
    fn peek_after_space(&mut self) -> u8 {
        loop {
            match self.text.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(byte) => return *byte,
                None => return 0,
            }
        }
    }

    /// Takes `byte` if it comes next.
    #[inline]
    pub(crate) fn accept(&mut self, byte: u8) -> bool {
        let found = self.peek() == byte;
        self.at += usize::from(found);
        found
    }

    /// Takes `text` if it is right here.
    #[inline]
    pub(crate) fn accept_text<const N: usize>(&mut self, text: &[u8; N]) -> bool {
        let found = self.text[self.at..].first_chunk() == Some(text);
        self.at += if found { N } else { 0 };
        found
    }

    /// Takes `byte` or says that it was expected.
    #[inline]
    pub(crate) fn expect(&mut self, byte: u8, problem: &'static str) -> Result<()> {
        if self.accept(byte) { Ok(()) } else { Err(self.syntax(problem)) }
    }

    /// Takes a comma and returns true, or takes `close` and returns false.
    #[inline]
    pub(crate) fn comma_or(&mut self, close: u8) -> Result<bool> {
        match self.peek() {
            b',' => {
                self.at += 1;
                Ok(true)
            }
            byte if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(self.syntax("expected a comma or the closing bracket")),
        }
    }

    /// The error for what is here.
    #[cold]
    pub(crate) fn syntax(&self, problem: &'static str) -> Error {
        if self.at >= self.text.len() {
            return truncated_at(self.text.len(), "JSON");
        }
        Error::at(self.at as u64, "JSON", ErrorKind::BadSyntax { problem: problem.into() })
    }

    /// Takes a string.
    #[inline(always)]
    pub(crate) fn string(&mut self) -> Result<StringToken> {
        // Decided here, so that nothing travels through memory for most strings.
        let start = self.at;
        let starts_here = self.text.get(start) == Some(&b'"');
        match swar::short_string_end(self.text, start + 1).filter(|_| starts_here) {
            Some(end) => {
                self.at = end + 1;
                Ok(StringToken { start, end: self.at, escaped: false })
            }
            None => self.any_string(),
        }
    }

    #[inline(never)]
    fn any_string(&mut self) -> Result<StringToken> {
        if self.peek() != b'"' {
            return Err(self.syntax("expected a string"));
        }
        let start = self.at;
        let mut at = start + 1;
        while let Some(bytes) = self.text.get(at..).and_then(|rest| rest.first_chunk()) {
            let special = swar::special_in_strings(u128::from_le_bytes(*bytes));
            at += special.trailing_zeros() as usize / 8;
            if special != 0 {
                break;
            }
        }
        while let Some(byte) = self.text.get(at) {
            match STRING_CLASS[usize::from(*byte)] {
                PLAIN => at += 1,
                QUOTE => {
                    self.at = at + 1;
                    return Ok(StringToken { start, end: at + 1, escaped: false });
                }
                _ => return self.string_with_escapes(start, at),
            }
        }
        Err(truncated_at(self.text.len(), "string"))
    }

    #[cold]
    fn string_with_escapes(&mut self, start: usize, mut at: usize) -> Result<StringToken> {
        while let Some(byte) = self.text.get(at) {
            self.at = at;
            match STRING_CLASS[usize::from(*byte)] {
                PLAIN => at += 1,
                QUOTE => {
                    self.at = at + 1;
                    return Ok(StringToken { start, end: at + 1, escaped: true });
                }
                ESCAPE => at += self.escape_length()?,
                _ => return Err(self.syntax("a control character must be escaped")),
            }
        }
        Err(truncated_at(self.text.len(), "string"))
    }

    /// Takes a key and its colon if it is an index, spelled and set without any frills.
    #[inline]
    pub(crate) fn index_key(&mut self) -> Option<u32> {
        if self.peek() != b'"' {
            return None;
        }
        let rest = &self.text[self.at + 1..];
        let (index, length) = match rest.first_chunk() {
            Some(bytes) => swar::leading_number(u64::from_le_bytes(*bytes))?,
            None => leading_number(rest)?,
        };
        if rest.get(length..length + 2) != Some(b"\":") {
            return None;
        }
        self.at += length + 3;
        Some(index)
    }

    /// Takes a number that is plain digits, a few, and the last thing in its container.
    #[inline]
    pub(crate) fn last_number(&mut self) -> Option<u32> {
        let bytes = self.text.get(self.at..)?.first_chunk()?;
        let (number, length) = swar::leading_number(u64::from_le_bytes(*bytes))?;
        if bytes[length] != b'}' {
            return None;
        }
        self.at += length;
        Some(number)
    }

    /// The length of the escape that is here.
    fn escape_length(&self) -> Result<usize> {
        match self.text.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(2),
            Some(b'u') => match self.text.get(self.at + 2..self.at + 6) {
                Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => Ok(6),
                Some(_) => Err(self.syntax("expected four hexadecimal digits")),
                None => Err(truncated_at(self.text.len(), "escape")),
            },
            Some(_) => Err(self.syntax("unknown escape")),
            None => Err(truncated_at(self.text.len(), "escape")),
        }
    }

    /// Takes a number, `true`, `false` or `null`.
    #[inline(always)]
    pub(crate) fn literal(&mut self) -> Result<Span> {
        match self.short_integer_end() {
            Some(end) => Ok(Span::new(std::mem::replace(&mut self.at, end), end)),
            None => self.any_literal(),
        }
    }

    /// The end of the number that is right here, if it is a few digits with a comma or a brace after them.
    #[inline(always)]
    fn short_integer_end(&self) -> Option<usize> {
        let bytes = self.text.get(self.at..)?.first_chunk()?;
        let length = swar::leading_digits(u64::from_le_bytes(*bytes));
        let is_whole = matches!(bytes.get(length)?, b',' | b'}');
        (length > 0 && is_whole && (bytes[0] != b'0' || length == 1)).then_some(self.at + length)
    }

    #[inline(never)]
    fn any_literal(&mut self) -> Result<Span> {
        let start = self.at;
        let end = match self.peek() {
            b'-' | b'0'..=b'9' => self.number_end()?,
            b't' => self.word_end(b"true")?,
            b'f' => self.word_end(b"false")?,
            b'n' => self.word_end(b"null")?,
            _ => return Err(self.syntax("expected a value")),
        };
        let start = start.max(self.at);
        self.at = end;
        Ok(Span::new(start, end))
    }

    fn word_end(&self, word: &'static [u8]) -> Result<usize> {
        if self.text[self.at..].starts_with(word) {
            return Ok(self.at + word.len());
        }
        Err(self.syntax("expected a value"))
    }

    #[inline]
    fn number_end(&self) -> Result<usize> {
        let mut at = self.at + usize::from(self.text[self.at] == b'-');
        let first = at;
        at = self.digits_end(at)?;
        if self.text[first] == b'0' && at > first + 1 {
            return Err(self.syntax("a number must not begin with 0"));
        }
        if self.text.get(at) == Some(&b'.') {
            at = self.digits_end(at + 1)?;
        }
        if let Some(b'e' | b'E') = self.text.get(at) {
            let signed = matches!(self.text.get(at + 1), Some(b'+' | b'-'));
            at = self.digits_end(at + 1 + usize::from(signed))?;
        }
        Ok(at)
    }

    /// The end of at least one digit.
    #[inline]
    fn digits_end(&self, start: usize) -> Result<usize> {
        let mut at = start;
        while let Some(bytes) = self.text.get(at..).and_then(|rest| rest.first_chunk()) {
            let digits = swar::leading_digits(u64::from_le_bytes(*bytes));
            at += digits;
            if digits < bytes.len() {
                break;
            }
        }
        while self.text.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        match (at > start, at < self.text.len()) {
            (true, _) => Ok(at),
            (false, true) => Err(self.syntax("expected a digit")),
            (false, false) => Err(truncated_at(at, "number")),
        }
    }

    /// The end of the container whose opening bracket is at `start`; none if it does not end.
    #[inline(always)]
    pub(crate) fn end_of_container(&mut self, start: usize) -> Option<usize> {
        self.skimmer.skip(self.text, start)
    }

    /// Skips any value; of containers only the brackets are looked at.
    #[inline]
    pub(crate) fn skip_value(&mut self) -> Result<Span> {
        match self.peek() {
            b'{' | b'[' => {
                let start = self.at;
                match self.end_of_container(start) {
                    Some(end) => self.at = end,
                    None => return Err(unclosed(self.text, start)),
                }
                Ok(Span::new(start, self.at))
            }
            b'"' => self.string().map(|token| Span::new(token.start, token.end)),
            _ => self.literal(),
        }
    }
}

/// What kind of JSON value something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An index of a list that holds nothing.
    Hole,
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// A number, kept as its text.
    Number,
    /// A string.
    String,
    /// A list.
    List,
    /// An object.
    Object,
}

/// What [`swar::leading_number`] finds, where the text is too short for a word.
#[cold]
fn leading_number(text: &[u8]) -> Option<(u32, usize)> {
    let mut bytes = [0; 8];
    let length = text.len().min(bytes.len());
    bytes[..length].copy_from_slice(&text[..length]);
    swar::leading_number(u64::from_le_bytes(bytes))
}

/// The error for text that is not UTF-8.
#[cold]
pub(crate) fn not_utf8(offset: usize) -> Error {
    Error::at(offset as u64, "JSON", ErrorKind::BadSyntax { problem: "not UTF-8".into() })
}

/// What a value is that begins with `first`.
#[inline]
pub(crate) fn kind_of(first: u8) -> Kind {
    match first {
        b'{' => Kind::Object,
        b'[' => Kind::List,
        b'"' => Kind::String,
        b't' | b'f' => Kind::Bool,
        b'n' => Kind::Null,
        _ => Kind::Number,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_that_are_taken_at_once_are_those_of_any_literal() {
        let numbers =
            ["0", "7", "10", "1234567", "12345678", "00", "01", "-1", "1.5", "1e5", "", "x"];
        for number in numbers {
            for after in [",", "}", "]", " ,", "\n}", "\"", ""] {
                for rest in ["", "        "] {
                    let text = format!("{number}{after}{rest}");
                    let mut cursor = Cursor::new(text.as_bytes(), 0);
                    let mut other = cursor.clone();
                    let (found, expected) = (cursor.literal(), other.any_literal());
                    assert_eq!((found, cursor.at), (expected, other.at), "{text}");
                }
            }
        }
        let taken = |text: &str| Cursor::new(text.as_bytes(), 0).short_integer_end();
        assert_eq!((taken("1234567,   "), taken("0}         ")), (Some(7), Some(1)));
        assert_eq!((taken("12345678,  "), taken("01,        ")), (None, None));
    }
}
