//! How the same message model is written down: the two generations, and one tool's accident.

use std::fmt;

use crate::Generation;

/// A way of writing the message model down.
///
/// [`MwDatatool`](Self::MwDatatool) is read only, and only when it is asked for by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Dialect {
    /// The first public layout.
    V01,
    /// The layout in use today.
    Current,
    /// The current layout with the numbers that the public `mw_datatool` uses.
    MwDatatool,
}

impl Dialect {
    /// Every dialect.
    pub const ALL: [Self; 3] = [Self::V01, Self::Current, Self::MwDatatool];

    /// The generation whose frames and opcodes the dialect has.
    #[must_use]
    pub const fn generation(self) -> Generation {
        match self {
            Self::V01 => Generation::V01,
            Self::Current | Self::MwDatatool => Generation::Current,
        }
    }

    /// The name that text, JSON and command line use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V01 => Generation::V01.name(),
            Self::Current => Generation::Current.name(),
            Self::MwDatatool => "mw-datatool",
        }
    }
}

impl From<Generation> for Dialect {
    fn from(generation: Generation) -> Self {
        match generation {
            Generation::V01 => Self::V01,
            Generation::Current => Self::Current,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
