//! What fields of events are made of.

use gametape_tape::{PlayerId, UnitTag};
use gametape_wire::{Reader, Result, Tick, Writer};

use crate::event::choice::choices;
use crate::event::field::{Field, Last, bad_value, column};
use crate::export::column::{Column, ColumnType, Names, RowSink, Value};
use crate::sample::Random;

/// An id of the tape's string table: events can be read without a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct NameId(pub u32);

/// What type a unit is of.
pub type UnitTypeId = NameId;
/// Which upgrade.
pub type UpgradeId = NameId;
/// Which ability or weapon.
pub type AbilityId = NameId;
/// Which resource.
pub type ResourceType = NameId;

/// A position in the world: fixed point, 1024 for a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct WorldPos {
    /// Column, times 1024.
    pub x: i32,
    /// Row, times 1024.
    pub y: i32,
    /// Level, times 1024.
    pub z: i32,
}

impl WorldPos {
    /// How many steps a cell has in each direction.
    pub const PER_CELL: i32 = 1024;
}

impl From<gametape_tape::CellPos> for WorldPos {
    /// The first corner of a cell; a cell beyond 2²¹ keeps only its lower bits.
    fn from(cell: gametape_tape::CellPos) -> Self {
        let [x, y, z] = [cell.x, cell.y, cell.z].map(|axis| axis.wrapping_mul(Self::PER_CELL));
        Self { x, y, z }
    }
}

/// What weighs in the loss of a unit, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct UnitTraits(u8);

impl UnitTraits {
    /// An ordinary unit.
    pub const NONE: Self = Self(0);
    /// A structure.
    pub const STRUCTURE: Self = Self(1);
    /// It gives access to technology.
    pub const TECHNOLOGY: Self = Self(2);
    /// It is or holds a superweapon.
    pub const SUPERWEAPON: Self = Self(4);

    const KNOWN: u8 = 7;
    const COLUMNS: [(&'static str, Self); 3] = [
        ("structure", Self::STRUCTURE),
        ("technology", Self::TECHNOLOGY),
        ("superweapon", Self::SUPERWEAPON),
    ];

    /// These traits and those of `other`.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Are all traits of `other` there?
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl Field for UnitTraits {
    const TYPE: &'static str = "traits";
    const WIDTH: usize = 3;
    #[inline]
    fn write(&self, w: &mut Writer, _: &mut Last) -> Result<()> {
        w.u8(self.0);
        Ok(())
    }
    #[inline]
    fn read(r: &mut Reader<'_>, _: &mut Last, item: &'static str) -> Result<Self> {
        let offset = r.offset();
        match r.u8(item)? {
            bits @ 0..=Self::KNOWN => Ok(Self(bits)),
            other => Err(bad_value(offset, item, other.into(), "bits 0 to 2")),
        }
    }
    fn columns(name: &str, nullable: bool, out: &mut Vec<Column>) {
        out.extend(
            Self::COLUMNS
                .map(|(bit, _)| column(&format!("{name}_{bit}"), ColumnType::Bool, nullable)),
        );
    }
    fn values(&self, _: &dyn Names, row: &mut impl RowSink) {
        Self::COLUMNS.iter().for_each(|(_, bit)| row.value(Value::Bool(self.has(*bit))));
    }
    fn sample(random: &mut Random) -> Self {
        Self(random.below(8) as u8)
    }
}

/// Declares the fields of [`PlayerStats`] once: struct, bytes, columns and the list of statistics.
macro_rules! player_stats {
    ($($(#[doc = $doc:literal])* $field:ident: $type:ty,)*) => {
        /// The figures of a player at a tick: integers only.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
        pub struct PlayerStats { $($(#[doc = $doc])* pub $field: $type,)* }

        impl PlayerStats {
            /// Every statistic: its name, and how to take it.
            pub const ALL: &'static [(&'static str, fn(&Self) -> i64)] =
                &[$((stringify!($field), |stats| stats.$field.into())),*];
        }

        impl Field for PlayerStats {
            const TYPE: &'static str = "stats";
            const WIDTH: usize = Self::ALL.len();
            fn write(&self, w: &mut Writer, last: &mut Last) -> Result<()> {
                $(self.$field.write(w, last)?;)*
                Ok(())
            }
            fn read(r: &mut Reader<'_>, last: &mut Last, _: &'static str) -> Result<Self> {
                Ok(Self { $($field: Field::read(r, last, stringify!($field))?),* })
            }
            fn columns(name: &str, nullable: bool, out: &mut Vec<Column>) {
                $(<$type>::columns(&format!("{name}_{}", stringify!($field)), nullable, out);)*
            }
            fn values(&self, names: &dyn Names, row: &mut impl RowSink) {
                $(self.$field.values(names, row);)*
            }
            fn sample(random: &mut Random) -> Self {
                Self { $($field: Field::sample(random)),* }
            }
        }

        /// Names and types of the statistics, for the printed table.
        pub(crate) const STATS_FIELDS: &[(&str, &str, &str)] =
            &[$((stringify!($field), stringify!($type), concat!($($doc),*))),*];
    };
}

player_stats! {
    /// Money in hand.
    credits: i64,
    /// Money gained a minute, at this moment.
    income: i64,
    /// Value of everything that fights.
    army_value: i64,
    /// Structures that are completed and not destroyed.
    structures: u32,
    /// Units alive, structures not counted.
    units: u32,
    /// Cells owned.
    territory: u32,
    /// Units and structures of others destroyed so far.
    kills: u32,
    /// Own units and structures lost so far.
    losses: u32,
    /// Value of what was destroyed so far.
    value_killed: i64,
    /// Value of what was lost so far.
    value_lost: i64,
    /// Orders given since this player's snapshot before, as a rate a minute.
    actions_per_minute: u32,
}

choices! {
    /// How a match ended.
    MatchOutcome, rows OUTCOME_CHOICES, "outcome" {
        /// Somebody won.
        0 Completed {
            /// Who.
            winner: PlayerId,
            /// Why it ended.
            reason: NameId
        }
        /// Nobody won.
        1 Draw
        /// A player left, and the match was given up.
        2 Abandoned {
            /// Who left.
            leaver: PlayerId
        }
        /// The match does not count and begins again.
        3 Remade
        /// Machines came to different states.
        4 Desync {
            /// The first tick whose states differ.
            first_tick: Tick
        }
    }
}

choices! {
    /// A step in the life of a vote.
    VoteAnalysisEvent, rows VOTE_CHOICES, "vote step" {
        /// Somebody called a vote.
        0 Proposed {
            /// Which vote.
            id: u32,
            /// What is voted on.
            kind: NameId,
            /// Who called it.
            proposer: PlayerId
        }
        /// Somebody voted.
        1 Ballot {
            /// Which vote.
            id: u32,
            /// Who voted.
            voter: PlayerId,
            /// For it?
            yes: bool
        }
        /// The vote ended.
        2 Resolved {
            /// Which vote.
            id: u32,
            /// Was it accepted?
            passed: bool
        }
    }
}

choices! {
    /// What a player did with a control group.
    ControlGroupAction, rows GROUP_CHOICES, "group action" {
        /// The group was set.
        0 Assign
        /// Units were added to it.
        1 Append
        /// It was selected.
        2 Recall
    }
}

/// So that a tag can be shown as people write it: `7.1` is slot 7, tenant 1.
#[must_use]
pub fn tag_text(tag: UnitTag) -> String {
    format!("{}.{}", tag.index, tag.generation)
}
