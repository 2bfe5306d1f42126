//! Signs, colours and looks of everything on a MineWars map: one row each.

use gametape_minewars::{Digit, FlagState, ItemKind, StructureKind, TileKind};

use crate::model::{Kind, Look};
use crate::palette::{Colour, Palette};

const GROUND: [(TileKind, char); 7] = [
    (TileKind::Water, '~'),
    (TileKind::Mountain, '^'),
    (TileKind::Forest, '&'),
    (TileKind::Destroyed, 'x'),
    (TileKind::Foundation, '_'),
    (TileKind::Regular, '.'),
    (TileKind::Fertile, '"'),
];

const ITEMS: [(ItemKind, char, Look); 3] = [
    (ItemKind::Decoy, 'o', Look::Ring),
    (ItemKind::Mine, '*', Look::Dot),
    (ItemKind::Trap, '%', Look::Cross),
];

const STRUCTURES: [(StructureKind, char, u32, Look); 4] = [
    (StructureKind::Road, '+', 0xb7a88a, Look::Bar),
    (StructureKind::Bridge, '=', 0xc79a63, Look::Bars),
    (StructureKind::Wall, '#', 0xaeb8c6, Look::Block),
    (StructureKind::Tower, '!', 0xe8edf4, Look::Triangle),
];

const UNKNOWN: char = '?';

pub(super) fn ground(kind: TileKind) -> Kind {
    let glyph = GROUND.iter().find(|(own, _)| *own == kind).map_or(UNKNOWN, |(_, glyph)| *glyph);
    let name = kind.to_string();
    let colour = Palette::terrain(&name);
    Kind { name, glyph: Some(glyph), colour, look: Look::Fill }
}

pub(super) fn item(kind: ItemKind) -> Kind {
    let row = ITEMS.iter().find(|(own, ..)| *own == kind);
    let (glyph, look) = row.map_or((UNKNOWN, Look::Cross), |(_, glyph, look)| (*glyph, *look));
    Kind { name: kind.to_string(), glyph: Some(glyph), colour: Palette::INK, look }
}

pub(super) fn structure(kind: StructureKind) -> Kind {
    let row = STRUCTURES.iter().find(|(own, ..)| *own == kind);
    let (glyph, colour, look) = row
        .map_or((UNKNOWN, Palette::WARNING, Look::Block), |(_, glyph, colour, look)| {
            (*glyph, Colour::hex(*colour), *look)
        });
    Kind { name: kind.to_string(), glyph: Some(glyph), colour, look }
}

/// A structure that is not finished is not shown in text.
pub(super) fn construction(kind: Option<StructureKind>) -> Kind {
    let name = kind.map_or_else(|| "something".to_owned(), |kind| kind.to_string());
    Kind::new(&format!("{name}, being built"), None, Palette::SECONDARY, Look::Frame)
}

pub(super) fn digit(digit: Digit) -> Kind {
    let star = if digit.asterisk { "*" } else { "" };
    Kind::new(&format!("{}{star}", digit.value), None, Palette::TEXT, Look::Text)
}

/// Those that nobody is named for first, then by player.
pub(super) fn flag_code(flag: FlagState) -> u8 {
    match flag {
        FlagState::Unnamed => 0,
        FlagState::Of(player) => player,
    }
}

pub(super) fn flag(flag: FlagState) -> Kind {
    let colour = match flag {
        FlagState::Unnamed => Palette::TEXT,
        FlagState::Of(player) => Palette::player(player),
    };
    Kind::new("flag", Some('|'), colour, Look::Flag)
}

pub(super) fn smoke() -> Kind {
    Kind::new("smoke", Some(':'), Palette::SECONDARY, Look::Tint)
}

pub(super) fn city() -> Kind {
    Kind::new("city", None, Palette::TEXT, Look::Disc)
}

/// The letter of a city; those after the 26th share one sign.
pub(super) fn city_glyph(id: u8) -> char {
    if id < 26 { char::from(b'A' + id) } else { '@' }
}
