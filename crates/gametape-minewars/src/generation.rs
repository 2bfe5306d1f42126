//! The two ages of the MineWars stream family.

use std::fmt;

/// Which age of the stream family some bytes belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Generation {
    /// The first public layout, version bytes 0.1.0.0.
    V01,
    /// The layout in use today, version bytes 0.0.1.x.
    Current,
}

impl Generation {
    /// Both, oldest first.
    pub const ALL: [Self; 2] = [Self::V01, Self::Current];

    /// The name that text, JSON and command line use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V01 => "v0.1",
            Self::Current => "current",
        }
    }
}

impl fmt::Display for Generation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
