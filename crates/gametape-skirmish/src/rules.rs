//! Every number of the rules; normative text: `spec/skirmish.md`, section 4.

use gametape_minewars::{ItemKind, StructureKind, TileKind};
use gametape_wire::TickLength;

/// How long a tick lasts, in milliseconds.
pub const TICK_MS: u32 = 50;
/// How long a tick lasts.
pub const TICK_LENGTH: TickLength = TickLength::from_micros(TICK_MS * 1000).unwrap();
/// Ticks in a second.
pub const SECOND: u64 = 20;

pub(crate) const CAPTURE_MS: u64 = 125;
pub(crate) const TIMEOUT: u64 = 5 * SECOND;
pub(crate) const SMOKE: u64 = 5 * SECOND;
pub(crate) const CITY_CAPTURE: u64 = 5 * SECOND;
pub(crate) const PROTECTION: u64 = 10 * SECOND;
pub(crate) const STRIKE_PAUSE: u64 = 3 * SECOND;
pub(crate) const VOTE: u64 = 30 * SECOND;
pub(crate) const LONGEST_PAUSE: u16 = 600;
pub(crate) const PAUSES: u8 = 3;
pub(crate) const STRIKE_COST: u32 = 150;
pub(crate) const REVEAL_COST: u32 = 40;
pub(crate) const SMOKE_COST: u32 = 60;
pub(crate) const CITY_VALUE: u32 = 1000;
pub(crate) const CITY_YIELD: u32 = 25;
pub(crate) const BUILD_RATE: u16 = 50;
pub(crate) const CRAFT_RATE: u16 = 25;
/// Finished structures that make a craft.
pub(crate) const CRAFTS: [u32; 3] = [3, 8, 15];
pub(crate) const IMPORT_PRICE: u32 = 2;
pub(crate) const START_MONEY: u32 = 100;
pub(crate) const EXPANSION: usize = 60;
/// How far own land sees.
pub(crate) const NEAR_SIGHT: u8 = 3;
/// How far a tower sees.
pub(crate) const FAR_SIGHT: u8 = 5;
/// The largest digit that has a message.
pub(crate) const MOST_DIGIT: u8 = 7;

/// What it costs to deploy an item, and what the item is worth.
pub(crate) const fn item_cost(item: ItemKind) -> u32 {
    match item {
        ItemKind::Decoy => 20,
        ItemKind::Mine => 50,
        ItemKind::Trap => 30,
        ItemKind::None | ItemKind::Unknown(_) => 0,
    }
}

/// Points that a structure takes, and what it is worth.
pub(crate) const fn structure_points(kind: StructureKind) -> u16 {
    match kind {
        StructureKind::Road => 50,
        StructureKind::Bridge => 150,
        StructureKind::Wall => 100,
        StructureKind::Tower => 200,
        StructureKind::Unknown(_) => 0,
    }
}

/// What a tile yields each second for the city of its region, where both have one owner.
pub(crate) const fn tile_yield(ground: TileKind) -> u32 {
    match ground {
        TileKind::Regular | TileKind::Foundation => 1,
        TileKind::Fertile => 2,
        TileKind::Forest => 5,
        TileKind::Mountain => 7,
        _ => 0,
    }
}

/// Hit points of a structure that nobody damaged.
pub(crate) const fn full_hp(kind: StructureKind) -> u8 {
    match kind {
        StructureKind::Road => 3,
        StructureKind::Bridge => 4,
        StructureKind::Wall => 8,
        StructureKind::Tower => 6,
        StructureKind::Unknown(_) => 0,
    }
}

/// Crafts that a player has after this many finished structures.
pub(crate) fn crafts(finished: u32) -> usize {
    CRAFTS.iter().filter(|needed| finished >= **needed).count()
}
