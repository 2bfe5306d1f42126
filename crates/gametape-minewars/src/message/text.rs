//! Strings: names, chat lines, votes. Any bytes survive the way through assembly text.

use gametape_wire::{Error, Reader, Result};

use super::operand::{Fit, Operand, Slot, put};
use super::pen::Pen;
use super::tokens::{Token, Tokens};
use super::wire::Wire;

/// Text as it came over the wire: up to 255 bytes that should be UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Text<'a>(pub &'a [u8]);

impl<'a> Text<'a> {
    /// The text, unless its bytes are not UTF-8.
    #[must_use]
    pub fn as_str(self) -> Option<&'a str> {
        str::from_utf8(self.0).ok()
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(text.as_bytes())
    }
}

impl<'a> Operand<'a> for Text<'a> {
    #[inline(always)]
    fn read(slot: Slot, _: u8, r: &mut Reader<'a>) -> Result<Self> {
        let length = r.u8(slot.name)?;
        Ok(Self(r.take(usize::from(length), slot.name)?))
    }
    fn bits(&self) -> usize {
        0
    }
    fn write(&self, slot: Slot, wire: Wire<'a>) -> Result<Wire<'a>> {
        let Ok(length) = u8::try_from(self.0.len()) else {
            let problem = format!("{} bytes, the most is 255", self.0.len());
            return Err(Error::misuse(slot.name, problem));
        };
        Ok(wire.put([length]).end_with(self.0))
    }
    fn print<'p>(&self, _: Slot, pen: Pen<'p>) -> Pen<'p> {
        let mut quoted = Vec::with_capacity(self.0.len() + 3);
        quoted.push(b' ');
        push_quoted(&mut quoted, self.0);
        pen.text(&quoted)
    }
    /// A quoted string, or everything up to the comment as it is.
    fn parse(slot: Slot, tokens: &mut Tokens<'_>, out: &mut Vec<u8>) -> Result<(usize, Fit)> {
        let (rest, first) = tokens.take_rest(slot.name)?;
        let bytes = match rest.strip_prefix('"') {
            Some(quoted) => unquote(tokens, first, quoted, slot.name)?,
            None => rest.as_bytes().to_vec(),
        };
        put(&Text(&bytes), slot, out).map_err(|error| tokens.locate(error, first))
    }
}

/// Appends bytes in quotes, so that [`unquote`] gives exactly them back.
///
/// Escapes are `\"`, `\\`, `\n`, `\r`, `\t`, and `\xNN` for other controls and for bytes that are
/// not UTF-8.
pub(crate) fn push_quoted(out: &mut Vec<u8>, bytes: &[u8]) {
    out.push(b'"');
    for chunk in bytes.utf8_chunks() {
        chunk.valid().chars().for_each(|c| push_escaped(out, c));
        chunk.invalid().iter().for_each(|byte| push_hex_escape(out, *byte));
    }
    out.push(b'"');
}

fn push_escaped(out: &mut Vec<u8>, c: char) {
    match c {
        '"' => out.extend_from_slice(b"\\\""),
        '\\' => out.extend_from_slice(b"\\\\"),
        '\n' => out.extend_from_slice(b"\\n"),
        '\r' => out.extend_from_slice(b"\\r"),
        '\t' => out.extend_from_slice(b"\\t"),
        // Controls could move the cursor of a terminal or end the line for some readers.
        c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
            c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push_hex_escape(out, byte));
        }
        c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

fn push_hex_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.extend_from_slice(&[b'\\', b'x', HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
}

/// The bytes of a quoted string; `quoted` begins after the opening quote and ends with the line.
pub(crate) fn unquote(
    tokens: &Tokens<'_>,
    word: Token<'_>,
    quoted: &str,
    item: &'static str,
) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(quoted.len());
    let mut chars = quoted.chars();
    loop {
        match chars.next() {
            None => return Err(tokens.error(word, item, "the closing quote is missing")),
            Some('"') if chars.as_str().is_empty() => return Ok(bytes),
            Some('"') => {
                return Err(tokens.error(word, item, "nothing may follow the closing quote"));
            }
            Some('\\') => match unescape(&mut chars) {
                Some(byte) => bytes.push(byte),
                None => {
                    let known = r#"an escape is \" \\ \n \r \t or \xNN"#;
                    return Err(tokens.error(word, item, known));
                }
            },
            Some(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// The byte that the escape after a backslash means.
fn unescape(chars: &mut std::str::Chars<'_>) -> Option<u8> {
    match chars.next()? {
        '"' => Some(b'"'),
        '\\' => Some(b'\\'),
        'n' => Some(b'\n'),
        'r' => Some(b'\r'),
        't' => Some(b'\t'),
        'x' => {
            let high = chars.next()?.to_digit(16)?;
            let low = chars.next()?.to_digit(16)?;
            Some((high << 4 | low) as u8)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(bytes: &[u8]) -> String {
        let mut out = Vec::new();
        push_quoted(&mut out, bytes);
        String::from_utf8(out).unwrap()
    }

    fn unquoted(text: &str) -> Result<Vec<u8>> {
        let mut tokens = Tokens::cut(text, 1);
        let word = tokens.take("text").unwrap();
        unquote(&tokens, word, text.strip_prefix('"').unwrap(), "text")
    }

    #[test]
    fn any_bytes_survive_quoting() {
        let hostile: Vec<u8> = (0..=255).collect();
        for bytes in [b"".as_slice(), b"Ana", "Борис; \"x\" \\ \u{2028}".as_bytes(), &hostile]
        {
            assert_eq!(unquoted(&quoted(bytes)).unwrap(), bytes);
        }
    }

    #[test]
    fn quoted_text_stays_on_one_line_and_readable() {
        assert_eq!(quoted("Борис\n".as_bytes()), r#""Борис\n""#);
        assert_eq!(quoted(b"\x1b[31m\xff"), r#""\x1b[31m\xff""#);
    }

    #[test]
    fn bad_quoting_is_refused() {
        for bad in [r#""open"#, r#""a"b""#, r#""\q""#, r#""\x0""#] {
            assert!(unquoted(bad).is_err(), "{bad}");
        }
    }
}
