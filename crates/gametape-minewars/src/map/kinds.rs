//! Kinds of tile, item and structure: one table each.

use std::fmt;

use crate::dialect::Dialect;
use crate::message::pen::Word;

/// Declares one set of kinds from rows of `code Variant "word" tool_codes`.
///
/// `tool_codes` are the numbers that the public tool's dialect uses for the same kind. A number
/// without a row stays what it is: `Unknown`.
macro_rules! kinds {
    ($(#[$doc:meta])* $name:ident { $($(#[$row_doc:meta])* $code:literal $variant:ident $word:literal [$($tool:literal),*];)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$row_doc])* $variant,)*
            /// A reserved number, kept as it is.
            Unknown(u8),
        }

        impl $name {
            /// Every kind that has a name.
            pub const NAMED: &'static [Self] = &[$(Self::$variant),*];

            /// The kind that a number of this format means.
            #[must_use]
            #[inline]
            pub const fn from_code(code: u8) -> Self {
                match code {
                    $($code => Self::$variant,)*
                    other => Self::Unknown(other),
                }
            }

            /// The kind that a number means in `dialect`.
            #[must_use]
            #[inline]
            pub const fn from_code_in(code: u8, dialect: Dialect) -> Self {
                match dialect {
                    Dialect::V01 | Dialect::Current => Self::from_code(code),
                    Dialect::MwDatatool => match code {
                        $($($tool => Self::$variant,)*)*
                        other => Self::Unknown(other),
                    },
                }
            }

            /// The number of the kind in this format.
            #[must_use]
            #[inline]
            pub const fn code(self) -> u8 {
                const CODES: &[u8] = &[$($code),*];
                let row = self.row();
                let unknown = match self {
                    Self::Unknown(code) => code,
                    _ => 0,
                };
                if row < CODES.len() { CODES[row] } else { unknown }
            }

            /// The row of the table; those without a name are after the last.
            ///
            /// A number to look the code up by: a jump for each kind is what encoding would wait
            /// for most.
            #[inline]
            const fn row(self) -> usize {
                enum Row { $($variant,)* Unknown }
                let row = match self {
                    $(Self::$variant => Row::$variant,)*
                    Self::Unknown(_) => Row::Unknown,
                };
                row as usize
            }

            /// The word for the kind in assembly text; reserved numbers have none.
            #[must_use]
            #[inline]
            pub const fn word(self) -> Option<&'static str> {
                match self {
                    $(Self::$variant => Some($word),)*
                    Self::Unknown(_) => None,
                }
            }

            /// The word for the kind as it is printed, after a blank; reserved numbers have none.
            #[inline]
            pub(crate) fn printed_word(self) -> Option<&'static Word> {
                static WORDS: &[Word] = &[$(Word::new($word)),*];
                WORDS.get(self.row())
            }

            /// The kind with this word.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }

        impl fmt::Display for $name {
            /// The word, or the number where there is none.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.word() {
                    Some(word) => f.write_str(word),
                    None => self.code().fmt(f),
                }
            }
        }
    };
}

kinds! {
    /// What the ground of a tile is.
    TileKind {
        /// Open water.
        0 Water "water" [0];
        /// Part of a mountain: clustered, owned all or nothing.
        2 Mountain "mountain" [7];
        /// Part of a forest: clustered, owned all or nothing.
        3 Forest "forest" [6];
        /// Land after an explosion.
        4 Destroyed "destroyed" [1];
        /// Land that was harvested or built over.
        5 Foundation "foundation" [4, 5];
        /// Ordinary land.
        6 Regular "regular" [2];
        /// Land that yields more.
        7 Fertile "fertile" [3];
    }
}

kinds! {
    /// What lies hidden on a tile.
    ItemKind {
        /// Nothing.
        0 None "none" [0];
        /// Looks like a mine and is not.
        1 Decoy "decoy" [2];
        /// Explodes when captured.
        2 Mine "mine" [1];
        /// Smokes its neighbours when captured.
        3 Trap "trap" [3];
    }
}

kinds! {
    /// What is built on a tile.
    StructureKind {
        /// A road.
        0 Road "road" [0];
        /// A bridge over water.
        1 Bridge "bridge" [3];
        /// A wall.
        2 Wall "wall" [1];
        /// A tower that sees far.
        3 Tower "tower" [2];
    }
}

impl TileKind {
    /// Do neighbouring tiles of this kind form one piece that has one owner?
    #[must_use]
    pub const fn is_clustered(self) -> bool {
        matches!(self, Self::Mountain | Self::Forest)
    }

    /// Is it land that a player can capture tile by tile?
    #[must_use]
    pub const fn is_land(self) -> bool {
        matches!(self, Self::Regular | Self::Fertile | Self::Destroyed | Self::Foundation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_survives() {
        for code in 0..=255 {
            assert_eq!(TileKind::from_code(code).code(), code);
            assert_eq!(ItemKind::from_code(code).code(), code);
            assert_eq!(StructureKind::from_code(code).code(), code);
        }
    }

    #[test]
    fn the_public_tool_counts_differently() {
        let kinds: Vec<TileKind> =
            (0..8).map(|code| TileKind::from_code_in(code, Dialect::MwDatatool)).collect();
        use TileKind::*;
        assert_eq!(
            kinds,
            [Water, Destroyed, Regular, Fertile, Foundation, Foundation, Forest, Mountain]
        );
        assert_eq!(ItemKind::from_code_in(1, Dialect::MwDatatool), ItemKind::Mine);
        assert_eq!(StructureKind::from_code_in(3, Dialect::MwDatatool), StructureKind::Bridge);
    }
}
