//! One palette for text, pictures and pages: `spec/scene.md`, section 4.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Red, green, blue; written as `#rrggbb`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(type = "string"))]
pub struct Colour(pub u8, pub u8, pub u8);

impl Colour {
    /// The colour of a number such as `0xff6b4a`.
    #[must_use]
    pub const fn hex(number: u32) -> Self {
        Self((number >> 16) as u8, (number >> 8) as u8, number as u8)
    }

    /// A colour between this one and another, of which it has `share` of 256 parts.
    #[must_use]
    pub fn mixed(self, other: Self, share: u16) -> Self {
        let share = share.min(256);
        let mix = |a: u8, b: u8| ((u16::from(a) * (256 - share) + u16::from(b) * share) >> 8) as u8;
        Self(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }

    /// How bright it looks, 0 to 255.
    #[must_use]
    pub fn brightness(self) -> u32 {
        (u32::from(self.0) * 3 + u32::from(self.1) * 6 + u32::from(self.2)) / 10
    }

    /// Black or white, whichever can be read on it.
    #[must_use]
    pub fn readable(self) -> Self {
        if self.brightness() > 120 { Palette::INK } else { Palette::TEXT }
    }

    /// The same brightness without the colour, darkened: for those who are out.
    #[must_use]
    pub fn greyed(self) -> Self {
        let grey = (self.brightness() / 2 + 40) as u8;
        Self(grey, grey, grey).mixed(self, 48)
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

impl FromStr for Colour {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.strip_prefix('#').filter(|digits| {
            digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        });
        let number = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        number.map(Self::hex).ok_or_else(|| format!("{text:?} is not a colour such as #ff6b4a"))
    }
}

impl TryFrom<String> for Colour {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Colour> for String {
    fn from(colour: Colour) -> Self {
        colour.to_string()
    }
}

/// The colours of everything that Gametape draws.
#[derive(Debug, Clone, Copy)]
pub struct Palette;

/// Players 1 to 15.
const PLAYERS: [Colour; 15] = [
    Colour::hex(0xff6b4a),
    Colour::hex(0x8b7cff),
    Colour::hex(0xffc83d),
    Colour::hex(0xff7ac6),
    Colour::hex(0x2dd4bf),
    Colour::hex(0x4aa8ff),
    Colour::hex(0xb7e34a),
    Colour::hex(0xe0405e),
    Colour::hex(0xc98f5f),
    Colour::hex(0xd9dee8),
    Colour::hex(0x3fbf6f),
    Colour::hex(0xc4a7ff),
    Colour::hex(0xb5651d),
    Colour::hex(0x5a7cf0),
    Colour::hex(0xa8b4c8),
];

/// Words for terrain, as games use them.
const TERRAIN: [(&str, Colour); 18] = [
    ("water", Colour::hex(0x16212e)),
    ("regular", Colour::hex(0x3a444f)),
    ("fertile", Colour::hex(0x4b5a45)),
    ("forest", Colour::hex(0x2e4436)),
    ("mountain", Colour::hex(0x2c2e3a)),
    ("destroyed", Colour::hex(0x40302e)),
    ("foundation", Colour::hex(0x545a63)),
    ("land", Colour::hex(0x465140)),
    ("grass", Colour::hex(0x43533f)),
    ("dirt", Colour::hex(0x4a3f37)),
    ("sand", Colour::hex(0x5a543f)),
    ("stone", Colour::hex(0x4b505a)),
    ("wall", Colour::hex(0x5a606b)),
    ("road", Colour::hex(0x4d4a48)),
    ("floor", Colour::hex(0x3d434d)),
    ("lava", Colour::hex(0x5a2f28)),
    ("light", Colour::hex(0x6f7a88)),
    ("dark", Colour::hex(0x465160)),
];

/// For terrain without a known word.
const OTHER_TERRAIN: [Colour; 8] = [
    Colour::hex(0x3a444f),
    Colour::hex(0x4b5a45),
    Colour::hex(0x4a3f37),
    Colour::hex(0x3b4a5c),
    Colour::hex(0x50445a),
    Colour::hex(0x5a543f),
    Colour::hex(0x3f5250),
    Colour::hex(0x5a4640),
];

/// For marks without a known word.
const MARKS: [Colour; 6] = [
    Colour::hex(0xc3b58f),
    Colour::hex(0x9fb7c9),
    Colour::hex(0xb9a3b8),
    Colour::hex(0xa3bda0),
    Colour::hex(0xc99f8f),
    Colour::hex(0xaeb8c6),
];

impl Palette {
    /// The background of everything.
    pub const BACKGROUND: Colour = Colour::hex(0x0e1218);
    /// Panels.
    pub const PANEL: Colour = Colour::hex(0x151b24);
    /// What is raised above panels.
    pub const RAISED: Colour = Colour::hex(0x1c2430);
    /// Hairlines.
    pub const LINE: Colour = Colour::hex(0x273141);
    /// Text, and white things on the board.
    pub const TEXT: Colour = Colour::hex(0xe8edf4);
    /// Text that matters less.
    pub const SECONDARY: Colour = Colour::hex(0x94a3b8);
    /// What is chosen.
    pub const ACCENT: Colour = Colour::hex(0x5cc8ff);
    /// What is wrong.
    pub const WARNING: Colour = Colour::hex(0xffb454);
    /// Dark letters and things on the board.
    pub const INK: Colour = Colour::hex(0x0b0f14);
    /// A kind that nobody knows.
    pub const UNKNOWN: Colour = Colour::hex(0x5c3a66);

    /// The colour of a player from 1 on; those after the 15th begin again.
    #[must_use]
    pub fn player(number: u8) -> Colour {
        PLAYERS[usize::from(number).wrapping_sub(1) % PLAYERS.len()]
    }

    /// The colour of a terrain by its word; of unknown words that of unknown kinds.
    #[must_use]
    pub fn terrain(word: &str) -> Colour {
        Self::known_terrain(word).unwrap_or(Self::UNKNOWN)
    }

    /// The colour of a terrain by its word, or the `number`th of those without a word.
    #[must_use]
    pub fn terrain_or(word: &str, number: usize) -> Colour {
        Self::known_terrain(word).unwrap_or(OTHER_TERRAIN[number % OTHER_TERRAIN.len()])
    }

    fn known_terrain(word: &str) -> Option<Colour> {
        TERRAIN.iter().find(|(own, _)| own.eq_ignore_ascii_case(word)).map(|(_, colour)| *colour)
    }

    /// The colour of the `number`th kind of mark.
    #[must_use]
    pub fn mark(number: usize) -> Colour {
        MARKS[number % MARKS.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_as_they_are_written() {
        for colour in PLAYERS {
            assert_eq!(colour.to_string().parse(), Ok(colour));
        }
        assert_eq!(Colour::hex(0x0a0b0c).to_string(), "#0a0b0c");
        for odd in ["", "#", "#12345", "123456", "#12345g", "#+12345"] {
            assert!(odd.parse::<Colour>().is_err(), "{odd}");
        }
    }

    #[test]
    fn green_looks_brighter_than_red_and_red_than_blue() {
        let brightness = |number| Colour::hex(number).brightness();
        assert_eq!([0, 0xffffff, 0x808080].map(brightness), [0, 255, 128]);
        assert_eq!([0xff0000, 0x00ff00, 0x0000ff].map(brightness), [76, 153, 25]);
        assert_eq!(Colour::hex(0x00ff00).readable(), Palette::INK);
        assert_eq!(Colour::hex(0xff00ff).readable(), Palette::TEXT);
        assert_eq!(Colour::hex(0xff8000).greyed(), Colour(142, 118, 94));
    }

    #[test]
    fn players_differ_from_each_other_and_from_terrain() {
        let apart = |a: Colour, b: Colour| {
            let by = |a: u8, b: u8| u32::from(a.abs_diff(b));
            by(a.0, b.0) + by(a.1, b.1) + by(a.2, b.2)
        };
        for (i, player) in PLAYERS.iter().enumerate() {
            assert!(PLAYERS[..i].iter().all(|other| apart(*player, *other) > 60), "{player}");
            assert!(TERRAIN.iter().all(|(_, ground)| apart(*player, *ground) > 100), "{player}");
        }
        assert_eq!(Palette::player(16), Palette::player(1));
    }
}
