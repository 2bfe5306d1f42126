//! Coordinates and the two grids, hexagonal and square, with their ring order.

use std::fmt;

/// A tile, counted from the centre of the map: rows first, as on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Coord {
    /// Row.
    pub y: i8,
    /// Column.
    pub x: i8,
}

impl Coord {
    /// The centre of every map.
    pub const CENTRE: Self = Self { y: 0, x: 0 };

    /// The tile in row `y`, column `x`.
    #[must_use]
    pub const fn new(y: i8, x: i8) -> Self {
        Self { y, x }
    }

    /// The tile that two bytes on the wire name.
    #[must_use]
    #[inline]
    pub const fn from_wire(bytes: [u8; 2]) -> Self {
        Self { y: bytes[0] as i8, x: bytes[1] as i8 }
    }

    /// The tile that text of the form `y,x` names.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (y, x) = text.split_once(',')?;
        Some(Self::new(y.parse().ok()?, x.parse().ok()?))
    }

    /// The two bytes on the wire.
    #[must_use]
    #[inline]
    pub const fn to_wire(self) -> [u8; 2] {
        [self.y as u8, self.x as u8]
    }
}

impl fmt::Display for Coord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.y, self.x)
    }
}
