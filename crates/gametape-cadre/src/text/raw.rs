//! JSON values as text that is looked into only when asked.

use std::borrow::Cow;

use gametape_wire::{Error, ErrorKind, Result};

use crate::text;
use crate::text::json::{Cursor, Kind, Span, StringToken, kind_of, not_utf8};

/// A JSON value as text that nobody looked into yet.
///
/// The text is known to be one value whose brackets are balanced. Whatever else may be wrong with
/// it shows as an error, or as a missing entry, when it is looked into.
///
/// ```
/// use gametape_cadre::Raw;
///
/// let raw = Raw::parse(br#"{"player": {"id": "0"}, "n": 1e21}"#).unwrap();
/// assert_eq!(raw.get("n").unwrap().as_bytes(), b"1e21");
/// assert_eq!(raw.at(&["player", "id"]).unwrap().as_str().unwrap(), "0");
/// assert!(raw.get("missing").is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Raw<'a>(&'a [u8]);

impl<'a> Raw<'a> {
    pub(crate) fn of(text: &'a [u8], span: Span) -> Self {
        Self(span.of(text))
    }

    /// Takes `text` as one value, which must be valid JSON through and through.
    pub fn parse(text: &'a [u8]) -> Result<Self> {
        let raw = Self(text);
        raw.validate()?;
        Ok(Self(text.trim_ascii()))
    }

    /// The text of the value.
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// What the first byte says that the value is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        kind_of(self.0.first().copied().unwrap_or(b'n'))
    }

    /// The string, lone surrogates replaced by U+FFFD; none when it is something else.
    #[must_use]
    pub fn as_str(&self) -> Option<Cow<'a, str>> {
        let token = Cursor::new(self.0, 0).string().ok()?;
        Some(text::lossy(token.decoded(self.0)))
    }

    /// The number, if it is one that an `i64` can hold.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        std::str::from_utf8(self.0).ok()?.parse().ok()
    }

    /// Is it `true`?
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.0 == b"true"
    }

    /// The value of `key` in this object; the last one if there are several.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        let mut found = None;
        for entry in self.entries() {
            let (name, value) = entry.ok()?;
            if name.decoded() == key.as_bytes() {
                found = Some(value);
            }
        }
        found
    }

    /// The value at the end of a path of keys.
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<Raw<'a>> {
        path.iter().try_fold(*self, |raw, key| raw.get(key))
    }

    /// The entries of this object; none when it is something else.
    pub fn entries(&self) -> Entries<'a> {
        Entries(Walk::new(self.0, b'{'))
    }

    /// The elements of this array; none when it is something else.
    pub fn elements(&self) -> Elements<'a> {
        Elements(Walk::new(self.0, b'['))
    }

    /// Says whether the text is one valid JSON value, whatever its depth.
    pub fn validate(&self) -> Result<()> {
        if let Err(error) = std::str::from_utf8(self.0) {
            return Err(not_utf8(error.valid_up_to()));
        }
        let mut cursor = Cursor::new(self.0, 0);
        validate_value(&mut cursor)?;
        cursor.peek();
        let extra = (self.0.len() - cursor.at) as u64;
        if extra == 0 {
            return Ok(());
        }
        Err(Error::at(cursor.at as u64, "JSON", ErrorKind::Trailing { extra }))
    }
}

impl std::fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Raw({})", String::from_utf8_lossy(self.0))
    }
}

/// Walks one value with a stack of its own, one byte per level.
fn validate_value(cursor: &mut Cursor<'_>) -> Result<()> {
    let mut open: Vec<u8> = Vec::new();
    loop {
        match cursor.peek() {
            bracket @ (b'{' | b'[') => {
                cursor.at += 1;
                // Both brackets are closed by the code point two later.
                let close = bracket + 2;
                if !cursor.accept(close) {
                    open.push(close);
                    validate_entry_start(cursor, close)?;
                    continue;
                }
            }
            b'"' => {
                cursor.string()?;
            }
            _ => {
                cursor.literal()?;
            }
        }
        if !to_next_value(cursor, &mut open)? {
            return Ok(());
        }
    }
}

/// After a value: closes what ends here. False when nothing is open any more.
fn to_next_value(cursor: &mut Cursor<'_>, open: &mut Vec<u8>) -> Result<bool> {
    while let Some(close) = open.last() {
        if cursor.comma_or(*close)? {
            validate_entry_start(cursor, *close)?;
            return Ok(true);
        }
        open.pop();
    }
    Ok(false)
}

/// In an object a key and a colon come before each value.
fn validate_entry_start(cursor: &mut Cursor<'_>, close: u8) -> Result<()> {
    if close == b'}' {
        cursor.string()?;
        cursor.expect(b':', "expected a colon")?;
    }
    Ok(())
}

/// The name of an entry of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<'a> {
    text: &'a [u8],
    token: StringToken,
}

impl<'a> Name<'a> {
    /// The name as it is written, with its quotes.
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        &self.text[self.token.start..self.token.end]
    }

    /// The name, lone surrogates replaced.
    #[must_use]
    pub fn as_str(&self) -> Cow<'a, str> {
        text::lossy(self.decoded())
    }

    /// The name in WTF-8.
    pub(crate) fn decoded(&self) -> Cow<'a, [u8]> {
        self.token.decoded(self.text)
    }
}

/// How far a walk over the children of a container is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    First,
    Next,
    Done,
}

/// A walk over the children of one container.
#[derive(Debug)]
struct Walk<'a> {
    cursor: Cursor<'a>,
    close: u8,
    step: Step,
}

impl<'a> Walk<'a> {
    fn new(text: &'a [u8], open: u8) -> Self {
        let mut cursor = Cursor::new(text, 0);
        let step = if cursor.accept(open) { Step::First } else { Step::Done };
        Self { cursor, close: open + 2, step }
    }

    /// Is there another child? The cursor then is on it.
    fn more(&mut self) -> Result<bool> {
        let more = match std::mem::replace(&mut self.step, Step::Done) {
            Step::First => !self.cursor.accept(self.close),
            Step::Next => self.cursor.comma_or(self.close)?,
            Step::Done => false,
        };
        if more {
            self.step = Step::Next;
        }
        Ok(more)
    }

    /// Ends the walk for good at the first error.
    fn ended<T>(&mut self, result: Result<T>) -> Result<T> {
        if result.is_err() {
            self.step = Step::Done;
        }
        result
    }

    fn entry(&mut self) -> Result<(Name<'a>, Raw<'a>)> {
        let token = self.cursor.string()?;
        self.cursor.expect(b':', "expected a colon")?;
        Ok((Name { text: self.cursor.text, token }, self.element()?))
    }

    fn element(&mut self) -> Result<Raw<'a>> {
        let span = self.cursor.skip_value()?;
        Ok(Raw::of(self.cursor.text, span))
    }
}

/// The entries of an object, in the order they are written.
#[derive(Debug)]
#[must_use]
pub struct Entries<'a>(Walk<'a>);

impl<'a> Iterator for Entries<'a> {
    type Item = Result<(Name<'a>, Raw<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = match self.0.more() {
            Ok(true) => self.0.entry(),
            Ok(false) => return None,
            Err(error) => Err(error),
        };
        Some(self.0.ended(item))
    }
}

/// The elements of an array.
#[derive(Debug)]
#[must_use]
pub struct Elements<'a>(Walk<'a>);

impl<'a> Iterator for Elements<'a> {
    type Item = Result<Raw<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let item = match self.0.more() {
            Ok(true) => self.0.element(),
            Ok(false) => return None,
            Err(error) => Err(error),
        };
        Some(self.0.ended(item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_json_passes_and_broken_json_names_the_byte() {
        for good in ["{}", " [1, -0.5e+3, {\"a\" : [null,true]}, \"\\ud800\"] ", "7", "[[],{}]"] {
            assert!(Raw(good.as_bytes()).validate().is_ok(), "{good}");
        }
        for (bad, offset) in [
            ("[1,]", 3),
            ("{\"a\":1,}", 7),
            ("[01]", 1),
            ("[1}", 2),
            ("[\"\\x\"]", 2),
            ("[\"\n\"]", 2),
            ("1 2", 2),
            ("[", 1),
            ("[-]", 1),
            ("nul", 0),
        ] {
            let error = Raw(bad.as_bytes()).validate().unwrap_err();
            assert_eq!(error.offset(), Some(offset), "{bad}: {error}");
        }
    }

    #[test]
    fn deep_json_is_validated_without_recursion() {
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(Raw(deep.as_bytes()).validate().is_ok());
    }

    #[test]
    fn a_key_is_found_however_it_is_written() {
        let raw = Raw(br#"{"a":1,"\u0061":2,"b":[1,{"c":3}]}"#);
        assert_eq!(raw.get("a").unwrap().as_i64(), Some(2));
        let elements: Vec<_> = raw.get("b").unwrap().elements().map(Result::unwrap).collect();
        assert_eq!(elements[1].at(&["c"]).unwrap().as_i64(), Some(3));
        assert!(Raw(b"{\"a\" 1}").entries().next().unwrap().is_err());
    }
}
