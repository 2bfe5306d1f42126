//! The two strings with a meaning of their own in deltas.

use gametape_wire::{Error, ErrorKind, Place, Result};

use crate::text::json::{Cursor, Kind};
use crate::text::raw::Raw;

/// The removal and the length marker, decoded.
///
/// ```
/// use gametape_cadre::Markers;
///
/// assert_eq!(Markers::default(), Markers::new("&RM", "&LEN"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Markers {
    pub(crate) removed: Box<[u8]>,
    pub(crate) length: Box<[u8]>,
}

impl Default for Markers {
    fn default() -> Self {
        Self::new("&RM", "&LEN")
    }
}

impl Markers {
    /// Markers of one's own.
    #[must_use]
    pub fn new(removed: &str, length: &str) -> Self {
        Self { removed: removed.as_bytes().into(), length: length.as_bytes().into() }
    }

    /// The markers that a `constants` object names, defaults for those it does not.
    pub(crate) fn from_constants(constants: Option<Raw<'_>>) -> Result<Self> {
        let mut markers = Self::default();
        let Some(constants) = constants else { return Ok(markers) };
        if let Some(removed) = constant(constants, "DELTA_REMOVED")? {
            markers.removed = removed;
        }
        if let Some(length) = constant(constants, "DELTA_LIST_LENGTH")? {
            markers.length = length;
        }
        Ok(markers)
    }
}

fn constant(constants: Raw<'_>, name: &'static str) -> Result<Option<Box<[u8]>>> {
    let Some(raw) = constants.get(name) else { return Ok(None) };
    if raw.kind() != Kind::String {
        let place = Place::Path(format!("constants.{name}"));
        let problem = "a marker must be a string".into();
        return Err(Error::new(place, "marker", ErrorKind::BadSyntax { problem }));
    }
    let token = Cursor::new(raw.as_bytes(), 0).string()?;
    Ok(Some(token.decoded(raw.as_bytes()).into()))
}
