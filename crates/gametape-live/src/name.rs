//! What a match is called on the network.

use std::fmt;
use std::str::FromStr;

use gametape_wire::{Error, ErrorKind, Reader, Result, Writer};

/// The name of a match: 1 to 64 of the letters `A-Z a-z 0-9 _ -`, so that it can be part of a path and
/// of a subject on a bus.
///
/// ```
/// use gametape_live::MatchName;
///
/// assert_eq!("finals-3".parse::<MatchName>()?.as_str(), "finals-3");
/// assert!("../etc".parse::<MatchName>().is_err());
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MatchName(String);

const MOST: usize = 64;

impl MatchName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A name made of any text, such as that of a file: other letters become `-`.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        let name: String = text.chars().map(letter).take(MOST).collect();
        Self(if name.is_empty() { "match".to_owned() } else { name })
    }

    pub(crate) fn read(r: &mut Reader<'_>) -> Result<Self> {
        let offset = r.offset();
        let length = r.u8("name of a match")?;
        let bytes = r.take(length.into(), "name of a match")?;
        let name = std::str::from_utf8(bytes).ok().filter(|name| is_name(name));
        name.map(|name| Self(name.to_owned())).ok_or_else(|| {
            Error::at(offset, "name of a match", ErrorKind::BadSyntax { problem: PROBLEM.into() })
        })
    }

    pub(crate) fn write(&self, w: &mut Writer) {
        w.u8(self.0.len() as u8).bytes(self.0.as_bytes());
    }
}

const PROBLEM: &str = "it has 1 to 64 of the letters A-Z a-z 0-9 _ -";

fn is_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=MOST).contains(&name.len()) && name.bytes().all(is_letter)
}

impl FromStr for MatchName {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match is_name(name) {
            true => Ok(Self(name.to_owned())),
            false => Err(Error::misuse("name of a match", PROBLEM)),
        }
    }
}

impl fmt::Display for MatchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
