//! The one error shape of the whole stack: what went wrong, in which item, at which place,
//! and whose move it is.

use std::borrow::Cow;
use std::fmt;

use crate::text::{count, thousands, without_code};

/// Shorthand for results of this stack.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, in which item, and where.
///
/// One pointer wide, so that a `Result` on a hot path stays in registers.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    item: Cow<'static, str>,
    place: Place,
}

/// What went wrong. Every format uses these few kinds; the *item* of the error says of what.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input ends before the item does.
    Truncated {
        /// Bytes that the item needs.
        needed: u64,
        /// Bytes that are left.
        available: u64,
    },
    /// The item is whole, but bytes follow where none may.
    Trailing {
        /// Bytes that are left over.
        extra: u64,
    },
    /// A value that the format does not allow here.
    BadValue {
        /// The value as it was read or given.
        found: i64,
        /// What is allowed, in words.
        expected: &'static str,
    },
    /// Text or structure that does not follow the rules.
    BadSyntax {
        /// What is wrong, in words.
        problem: Cow<'static, str>,
    },
    /// A reserved or unknown code whose meaning, and so whose length, is not known.
    Unknown {
        /// The code as it was read.
        code: u64,
    },
    /// More than a named limit allows.
    OverLimit {
        /// The value that was asked for.
        value: u64,
        /// The most that is allowed.
        limit: u64,
    },
    /// A checksum that does not match its bytes.
    Checksum {
        /// The checksum as stored.
        stored: u64,
        /// The checksum of the bytes that are there.
        computed: u64,
    },
    /// Compressed data that does not unpack to what was announced.
    Compression {
        /// Bytes that were announced.
        announced: u64,
        /// What happened instead, in words.
        problem: Cow<'static, str>,
    },
    /// What bytes come from or go to does not work: a disk, a pipe, a network.
    Io {
        /// What happened, in words.
        problem: Cow<'static, str>,
    },
    /// A request that the target cannot express or the caller may not make.
    Misuse {
        /// Why not, in words.
        problem: Cow<'static, str>,
    },
}

/// Whose move it is: decides how a caller reacts and which exit code a tool returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ErrorClass {
    /// More bytes may help: the input is cut short.
    Truncated,
    /// The input breaks the rules of its format.
    Malformed,
    /// The input may be fine, but this version does not know it.
    Unsupported,
    /// The input asks for more than a limit allows.
    Limit,
    /// The input was changed after it was written.
    Integrity,
    /// Bytes could not be read or written; the same may work at another time.
    Io,
    /// The caller asked for something that cannot be.
    Misuse,
}

/// Where it went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// No place: the error is about the call, not about input.
    Nowhere,
    /// An absolute byte offset in the input.
    Byte(u64),
    /// A line and column of text, both from 1, and the line itself.
    Text {
        /// Line number, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
        /// The line of the input.
        source: String,
    },
    /// A path through structured data, such as `deltas[12].game.units`.
    Path(String),
}

impl Error {
    /// An error of `kind` in `item` at an absolute byte offset.
    #[cold]
    #[must_use]
    pub fn at(offset: u64, item: impl Into<Cow<'static, str>>, kind: ErrorKind) -> Self {
        Self::new(Place::Byte(offset), item, kind)
    }

    /// An error of `kind` in `item` at any kind of place.
    #[cold]
    #[must_use]
    pub fn new(place: Place, item: impl Into<Cow<'static, str>>, kind: ErrorKind) -> Self {
        Self(Box::new(Inner { kind, item: item.into(), place }))
    }

    /// The caller asked for something that cannot be: `problem` says why not.
    #[cold]
    #[must_use]
    pub fn misuse(
        item: impl Into<Cow<'static, str>>,
        problem: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(Place::Nowhere, item, ErrorKind::Misuse { problem: problem.into() })
    }

    /// The bytes of `item` from `offset` on cannot be read: `why` is what the system says.
    #[cold]
    #[must_use]
    pub fn unreadable(
        offset: u64,
        item: impl Into<Cow<'static, str>>,
        why: impl fmt::Display,
    ) -> Self {
        let problem = format!("cannot be read: {}", without_code(&why.to_string())).into();
        Self::at(offset, item, ErrorKind::Io { problem })
    }

    /// The bytes of `item` from `offset` on cannot be written: `why` is what the system says.
    #[cold]
    #[must_use]
    pub fn unwritable(
        offset: u64,
        item: impl Into<Cow<'static, str>>,
        why: impl fmt::Display,
    ) -> Self {
        let problem = format!("cannot be written: {}", without_code(&why.to_string())).into();
        Self::at(offset, item, ErrorKind::Io { problem })
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Whose move it is.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        self.0.kind.class()
    }

    /// The item that was being read or written.
    #[must_use]
    pub fn item(&self) -> &str {
        &self.0.item
    }

    /// Where it went wrong.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// The absolute byte offset, where the place is one.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        match self.0.place {
            Place::Byte(offset) => Some(offset),
            _ => None,
        }
    }

    /// The same error, its item named as part of something larger: `frame 12: OWNER`.
    #[must_use]
    pub fn within(mut self, outer: impl fmt::Display) -> Self {
        self.0.item = format!("{outer}: {}", self.0.item).into();
        self
    }

    /// The same error at another place, for callers who know it better.
    #[must_use]
    pub fn with_place(mut self, place: Place) -> Self {
        self.0.place = place;
        self
    }
}

impl ErrorKind {
    /// Whose move it is after an error of this kind.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Truncated { .. } => ErrorClass::Truncated,
            Self::Trailing { .. }
            | Self::BadValue { .. }
            | Self::BadSyntax { .. }
            | Self::Compression { .. } => ErrorClass::Malformed,
            Self::Unknown { .. } => ErrorClass::Unsupported,
            Self::OverLimit { .. } => ErrorClass::Limit,
            Self::Checksum { .. } => ErrorClass::Integrity,
            Self::Io { .. } => ErrorClass::Io,
            Self::Misuse { .. } => ErrorClass::Misuse,
        }
    }
}

impl ErrorClass {
    /// The class as one lower-case word, as JSON output prints it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Malformed => "malformed",
            Self::Unsupported => "unsupported",
            Self::Limit => "limit",
            Self::Integrity => "integrity",
            Self::Io => "io",
            Self::Misuse => "misuse",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}{}", self.0.item, self.0.kind, self.0.place)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("class", &self.class())
            .field("item", &self.0.item)
            .field("kind", &self.0.kind)
            .field("place", &self.0.place)
            .finish()
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        let problem = without_code(&error.to_string()).to_owned().into();
        Self::new(Place::Nowhere, "I/O", ErrorKind::Io { problem })
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated { needed, available } => {
                let (needed, available) = (count(*needed, "byte"), thousands(*available));
                write!(f, "the input ends early: {needed} needed, {available} left")
            }
            Self::Trailing { extra: 1 } => f.write_str("1 byte follows where none may"),
            Self::Trailing { extra } => write!(f, "{extra} bytes follow where none may"),
            Self::BadValue { found, expected } => write!(f, "found {found}, expected {expected}"),
            Self::BadSyntax { problem } | Self::Io { problem } | Self::Misuse { problem } => {
                f.write_str(problem)
            }
            Self::Unknown { code } => {
                write!(f, "0x{code:02X} is reserved, so its length is unknown")
            }
            Self::OverLimit { value, limit } => write!(f, "{value} is over the limit of {limit}"),
            Self::Checksum { stored, computed } => {
                write!(f, "checksum is {computed:016x}, but {stored:016x} is stored")
            }
            Self::Compression { announced, problem } => {
                write!(f, "does not unpack to the announced {announced} bytes: {problem}")
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nowhere => Ok(()),
            Self::Byte(offset) => write!(f, " (at byte {offset})"),
            Self::Text { line, column, source } => write_source_line(f, *line, *column, source),
            Self::Path(path) => write!(f, " (at {path})"),
        }
    }
}

/// Shows the line itself with a caret below the column.
fn write_source_line(
    f: &mut fmt::Formatter<'_>,
    line: u32,
    column: u32,
    source: &str,
) -> fmt::Result {
    let number = line.to_string();
    let gutter = " ".repeat(number.len());
    let indent: String = source
        .chars()
        .take(column.saturating_sub(1) as usize)
        .map(|c| if c == '\t' { '\t' } else { ' ' })
        .collect();
    write!(f, " (line {line}, column {column})\n{number} | {source}\n{gutter} | {indent}^")
}
