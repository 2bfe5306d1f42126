//! What happened in a tick: all that views and events are made from.

use std::fmt;

use gametape_minewars::ItemKind;
use gametape_tape::UnitTag;

use crate::atlas::Cell;
use crate::order::VoteKind;
use crate::units::Unit;
use crate::world::Outcome;

/// One thing that happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// A tile got another owner by being captured.
    Captured {
        cell: Cell,
        by: u8,
        from: u8,
    },
    ClusterTaken {
        cluster: usize,
        from: u8,
    },
    Exploded {
        cell: Cell,
    },
    /// A player hit a mine of `killer`, 0 for nobody.
    Died {
        player: u8,
        cell: Cell,
        killer: u8,
    },
    Resumed {
        player: u8,
    },
    Unprotected {
        player: u8,
    },
    Revealed {
        player: u8,
        cell: Cell,
        item: ItemKind,
    },
    CityCapturing {
        city: usize,
        by: u8,
    },
    CityContested {
        city: usize,
        by: u8,
    },
    CityCaptured {
        city: usize,
        by: u8,
        from: u8,
    },
    /// A city paid (below zero) or received money.
    Paid {
        city: usize,
        amount: i32,
    },
    Eliminated {
        player: u8,
    },
    Surrendered {
        player: u8,
    },
    Left {
        player: u8,
    },
    Kicked {
        player: u8,
    },
    VoteCalled {
        id: u8,
        kind: VoteKind,
        by: u8,
    },
    Ballot {
        id: u8,
        by: u8,
        yes: bool,
    },
    VoteEnded {
        id: u8,
        by: u8,
        passed: bool,
    },
    Paused {
        player: u8,
        on: bool,
    },
    Created {
        tag: UnitTag,
        unit: Unit,
    },
    Started {
        tag: UnitTag,
        unit: Unit,
    },
    Completed {
        tag: UnitTag,
    },
    /// A unit is gone, finished or not, a city for its former owner; `killer` is 0 for nobody.
    Destroyed {
        tag: UnitTag,
        unit: Unit,
        killer: u8,
    },
    Damaged {
        tag: UnitTag,
        by: u8,
        cell: Cell,
        owner: u8,
    },
    Ability {
        player: u8,
        ability: Ability,
        cell: Cell,
        /// Structures that are gone.
        destroyed: u32,
        /// Structures that were hit.
        buildings: u32,
        /// Items that are gone.
        items: u32,
    },
    Collected {
        player: u8,
        what: Collected,
        amount: u32,
    },
    Upgraded {
        player: u8,
        craft: usize,
    },
    Ended {
        outcome: Outcome,
    },
}

/// Why an order changed nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    NoPlayer,
    NoOrder,
    NoInput,
    Over,
    Out,
    Paused,
    TimedOut,
    /// What the rules of the order forbid, in words.
    Because(&'static str),
}

impl Refusal {
    /// Refuses what is not so.
    pub(crate) fn unless(is_so: bool, why: &'static str) -> Result<(), Self> {
        if is_so { Ok(()) } else { Err(Self::Because(why)) }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPlayer => f.write_str("there is no such player"),
            Self::NoOrder => f.write_str("these bytes are no order"),
            Self::NoInput => f.write_str("this is no input to the simulation"),
            Self::Over => f.write_str("the match is over"),
            Self::Out => f.write_str("the player is out"),
            Self::Paused => f.write_str("the match is paused"),
            Self::TimedOut => f.write_str("the player is timed out"),
            Self::Because(why) => f.write_str(why),
        }
    }
}

/// What a player can do from afar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ability {
    Strike,
    Reveal,
    Smoke,
}

/// What a player can gather.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Collected {
    Harvest,
    Scrap,
}

impl Ability {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 3] = [Self::Strike, Self::Reveal, Self::Smoke];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Strike => "strike",
            Self::Reveal => "reveal",
            Self::Smoke => "smoke",
        }
    }
}

impl Collected {
    #[cfg(test)]
    pub(crate) const ALL: [Self; 2] = [Self::Harvest, Self::Scrap];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Harvest => "harvest",
            Self::Scrap => "scrap",
        }
    }
}

/// What happened in the last tick.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    pub(crate) moments: Vec<Moment>,
    /// Tiles about which anything changed, or may have.
    pub(crate) touched: Vec<Cell>,
    /// Tiles that came into a player's sight.
    pub(crate) sighted: Vec<(u8, Cell)>,
    /// Did money, resources, trade or owner of a city change?
    pub(crate) cities_touched: bool,
    /// The clock of the tick, unless the match is paused.
    pub(crate) clock: Option<u64>,
    /// What became of each order of the tick, in the order in which they were executed.
    pub(crate) answers: Vec<Result<(), Refusal>>,
    /// A bit for each cell: is it among those touched?
    is_touched: Vec<u64>,
}

impl Log {
    pub(crate) fn new(cells: usize) -> Self {
        Self { is_touched: vec![0; cells.div_ceil(64)], ..Self::default() }
    }

    pub(crate) fn clear(&mut self) {
        self.moments.clear();
        for cell in self.touched.drain(..) {
            self.is_touched[cell as usize / 64] = 0;
        }
        self.sighted.clear();
        self.answers.clear();
        self.cities_touched = false;
        self.clock = None;
    }

    pub(crate) fn touch(&mut self, cell: Cell) {
        let (bits, bit) = (&mut self.is_touched[cell as usize / 64], 1 << (cell % 64));
        if *bits & bit == 0 {
            *bits |= bit;
            self.touched.push(cell);
        }
    }

    pub(crate) fn push(&mut self, moment: Moment) {
        self.moments.push(moment);
    }
}

impl Moment {
    /// A unit that is gone counts as lost unless its owner removed it, and a pending one never.
    pub(crate) fn loss(&self) -> Option<(&Unit, u8)> {
        match self {
            Self::Destroyed { unit, killer, .. } if unit.construction.is_none() && *killer != 0 => {
                Some((unit, *killer))
            }
            _ => None,
        }
    }
}
