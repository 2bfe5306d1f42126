//! What stands for what on a map: one row for each kind, its sign in text and its colour.

use gametape_minewars::{ItemKind, StructureKind, TileKind, TileState};

/// Red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::commands) struct Rgb(
    pub(in crate::commands) u8,
    pub(in crate::commands) u8,
    pub(in crate::commands) u8,
);

impl Rgb {
    /// A colour between this one and another, `share` of 256 parts of it the other.
    pub(in crate::commands) fn mixed(self, other: Self, share: u16) -> Self {
        let mix = |a: u8, b: u8| ((u16::from(a) * (256 - share) + u16::from(b) * share) >> 8) as u8;
        Self(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }

    /// How bright it looks, 0 to 255.
    pub(in crate::commands) fn brightness(self) -> u32 {
        (u32::from(self.0) * 3 + u32::from(self.1) * 6 + u32::from(self.2)) / 10
    }
}

pub(in crate::commands) const INK: Rgb = Rgb(24, 27, 33);
pub(in crate::commands) const PAPER: Rgb = Rgb(240, 240, 235);
pub(in crate::commands) const SMOKE: Rgb = Rgb(150, 150, 158);

/// The ground of a tile.
const GROUND: [(TileKind, char, Rgb); 7] = [
    (TileKind::Water, '~', Rgb(52, 96, 148)),
    (TileKind::Mountain, '^', Rgb(126, 116, 110)),
    (TileKind::Forest, '&', Rgb(58, 112, 66)),
    (TileKind::Destroyed, 'x', Rgb(84, 70, 66)),
    (TileKind::Foundation, '_', Rgb(176, 164, 146)),
    (TileKind::Regular, '.', Rgb(196, 190, 140)),
    (TileKind::Fertile, '"', Rgb(150, 186, 96)),
];
const UNKNOWN_GROUND: (char, Rgb) = ('?', Rgb(190, 80, 190));

const ITEMS: [(ItemKind, char); 3] =
    [(ItemKind::Decoy, 'o'), (ItemKind::Mine, '*'), (ItemKind::Trap, '%')];

const STRUCTURES: [(StructureKind, char); 4] = [
    (StructureKind::Road, '+'),
    (StructureKind::Bridge, '='),
    (StructureKind::Wall, '#'),
    (StructureKind::Tower, '!'),
];

const FLAG: char = '|';
const SMOKE_SIGN: char = ':';

/// Players 1 to 15.
const PLAYERS: [Rgb; 15] = [
    Rgb(214, 48, 49),
    Rgb(28, 100, 242),
    Rgb(250, 177, 0),
    Rgb(142, 68, 173),
    Rgb(0, 168, 150),
    Rgb(240, 98, 146),
    Rgb(109, 76, 65),
    Rgb(124, 200, 20),
    Rgb(255, 120, 30),
    Rgb(60, 60, 160),
    Rgb(0, 190, 230),
    Rgb(160, 20, 80),
    Rgb(20, 110, 40),
    Rgb(200, 150, 255),
    Rgb(70, 70, 75),
];

/// A thing on the map that the legend explains: its sign and what it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::commands) enum Thing {
    Ground(TileKind),
    Structure(StructureKind),
    Item(ItemKind),
    Flag,
    Smoke,
}

impl Thing {
    /// Everything that is on a tile, the most important first.
    pub(in crate::commands) fn all_on(tile: &TileState) -> impl Iterator<Item = Self> + use<> {
        let item = Some(tile.item).filter(|item| *item != ItemKind::None);
        [
            tile.smoke.then_some(Self::Smoke),
            tile.flag.map(|_| Self::Flag),
            tile.structure.map(Self::Structure),
            item.map(Self::Item),
            Some(Self::Ground(tile.kind)),
        ]
        .into_iter()
        .flatten()
    }

    /// What it is, in words.
    pub(in crate::commands) fn name(&self) -> String {
        match self {
            Self::Ground(kind) => kind.to_string(),
            Self::Structure(kind) => kind.to_string(),
            Self::Item(kind) => kind.to_string(),
            Self::Flag => "flag".to_owned(),
            Self::Smoke => "smoke".to_owned(),
        }
    }

    /// What stands for it in text.
    pub(in crate::commands) fn sign(&self) -> char {
        match self {
            Self::Ground(kind) => ground(*kind).0,
            Self::Structure(kind) => find(&STRUCTURES, kind),
            Self::Item(kind) => find(&ITEMS, kind),
            Self::Flag => FLAG,
            Self::Smoke => SMOKE_SIGN,
        }
    }
}

fn find<K: PartialEq>(rows: &[(K, char)], kind: &K) -> char {
    rows.iter().find(|(own, _)| own == kind).map_or(UNKNOWN_GROUND.0, |(_, sign)| *sign)
}

fn ground(kind: TileKind) -> (char, Rgb) {
    let row = GROUND.iter().find(|(own, ..)| *own == kind);
    row.map_or(UNKNOWN_GROUND, |(_, sign, colour)| (*sign, *colour))
}

/// The colour of bare ground.
pub(in crate::commands) fn ground_colour(kind: TileKind) -> Rgb {
    ground(kind).1
}

/// The colour of a tile: its ground, tinted by its owner.
pub(in crate::commands) fn tile_colour(tile: &TileState) -> Rgb {
    let bare = ground_colour(tile.kind);
    let tinted = player_colour(tile.owner).map_or(bare, |owner| bare.mixed(owner, 125));
    if tile.smoke { tinted.mixed(SMOKE, 150) } else { tinted }
}

/// The colour of a player; nobody has none.
pub(in crate::commands) fn player_colour(player: u8) -> Option<Rgb> {
    PLAYERS.get(usize::from(player).checked_sub(1)?).copied()
}

/// The sign of a player, and a blank for nobody.
pub(in crate::commands) fn player_sign(player: u8) -> char {
    match player {
        0 => ' ',
        _ => char::from_digit(player.into(), 16).unwrap_or('?'),
    }
}

/// The letter of a city; those after the 26th share one sign.
pub(in crate::commands) fn city_sign(id: u8) -> char {
    if id < 26 { char::from(b'A' + id) } else { '@' }
}
