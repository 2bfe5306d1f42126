//! What the state of a match is made of.

use gametape_minewars::{ItemKind, TileKind};
use gametape_tape::UnitTag;

/// A tile. Owners of mountains and forests are those of their cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tile {
    pub(crate) ground: TileKind,
    pub(crate) owner: u8,
    pub(crate) item: ItemKind,
    /// Bit n: player n has a flag here.
    pub(crate) flags: u16,
    /// Until when it is smoked, 0 for not.
    pub(crate) smoke_end: u64,
    /// The finished structure here.
    pub(crate) structure: Option<UnitTag>,
}

impl Tile {
    /// A tile of nobody.
    pub(crate) fn new(ground: TileKind, item: ItemKind) -> Self {
        Self { ground, owner: 0, item, flags: 0, smoke_end: 0, structure: None }
    }
}

/// A city. It has the owner of its tile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct City {
    pub(crate) tag: UnitTag,
    pub(crate) money: u32,
    pub(crate) resources: u16,
    pub(crate) export: u8,
    pub(crate) import: u8,
    /// Who is capturing it, and since when.
    pub(crate) capture: Option<(u8, u64)>,
    pub(crate) building: Option<UnitTag>,
    /// What it yielded last: sent to views, but no part of the state.
    pub(crate) income: u16,
}

/// A player.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Player {
    pub(crate) out: bool,
    pub(crate) surrendered: bool,
    pub(crate) left: bool,
    pub(crate) kicked: bool,
    /// When the next capture is possible, in milliseconds.
    pub(crate) ready_at: u64,
    pub(crate) strike_ready: u64,
    /// 0 for none.
    pub(crate) timeout_end: u64,
    /// 0 for none.
    pub(crate) protection_end: u64,
    pub(crate) counters: Counters,
    /// Tiles owned, of clusters too: follows from the map.
    pub(crate) territory: u32,
    /// Cities owned: follows from the map.
    pub(crate) cities: u8,
}

/// What is counted of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counters {
    /// Orders that were carried out.
    pub orders: u32,
    /// Orders that were refused.
    pub refused: u32,
    /// Mines that went off under the player.
    pub timeouts: u32,
    /// Units of others destroyed.
    pub kills: u32,
    /// Own units that others destroyed.
    pub losses: u32,
    /// Structures finished.
    pub finished: u32,
    /// What the destroyed units were worth.
    pub value_killed: u64,
    /// What the lost units were worth.
    pub value_lost: u64,
    /// How often the player paused.
    pub pauses: u8,
}

/// The match is paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pause {
    pub(crate) by: u8,
    pub(crate) ticks_left: u16,
}

/// How a match ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// Somebody won.
    Won {
        /// Who.
        winner: u8,
        /// By what.
        reason: Reason,
    },
    /// Nobody won.
    Draw {
        /// Why.
        reason: Reason,
    },
    /// The last opponent left.
    Abandoned {
        /// Who left.
        leaver: u8,
    },
}

impl Outcome {
    /// Who won and by what, in words: player 1 is called by the first name.
    #[must_use]
    pub fn in_words(self, names: &[String]) -> String {
        let name = |player: u8| {
            let name = usize::from(player).checked_sub(1).and_then(|index| names.get(index));
            name.map_or("nobody", String::as_str)
        };
        match self {
            Self::Won { winner, reason } => format!("{} won: {}", name(winner), reason.name()),
            Self::Draw { reason } => format!("a draw: {}", reason.name()),
            Self::Abandoned { leaver } => format!("abandoned: {} left", name(leaver)),
        }
    }
}

/// Why a match ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The last opponent lost the last city.
    Elimination,
    /// The last opponent surrendered.
    Surrender,
    /// The players voted to give the match to the leader.
    SurrenderVote,
    /// The last opponent was removed.
    Kick,
    /// The time was up.
    TimeLimit,
    /// The players voted for a draw.
    DrawVote,
    /// Nobody was left.
    NobodyLeft,
}

impl Reason {
    pub(crate) const ALL: [Self; 7] = [
        Self::Elimination,
        Self::Surrender,
        Self::SurrenderVote,
        Self::Kick,
        Self::TimeLimit,
        Self::DrawVote,
        Self::NobodyLeft,
    ];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Elimination => "elimination",
            Self::Surrender => "surrender",
            Self::SurrenderVote => "surrender vote",
            Self::Kick => "kick",
            Self::TimeLimit => "time limit",
            Self::DrawVote => "draw vote",
            Self::NobodyLeft => "nobody left",
        }
    }
}
