//! The table of events.

use gametape_tape::{PlayerId, UnitTag};
use gametape_wire::{Reader, Result, Tick, Writer};

use crate::event::field::{Field, Last};
use crate::event::kinds::{EventStream, FieldRow, KindRow, events};
use crate::event::types::{
    AbilityId, ControlGroupAction, MatchOutcome, NameId, PlayerStats, ResourceType, UnitTraits,
    UnitTypeId, UpgradeId, VoteAnalysisEvent, WorldPos,
};
use crate::export::column::{Names, RowSink, Value};
use crate::sample::Random;

events! {
    /// One observation about a match: for analysis, never needed for playback.
    AnalysisEvent, kinds EventKind, rows KINDS {
        /// A unit is there: spawned, or its construction is completed.
        1 UnitCreated Simulation {
            /// The unit.
            tag: UnitTag,
            /// Its type.
            unit_type: UnitTypeId,
            /// The player whose it is.
            owner: PlayerId,
            /// Its position.
            pos: WorldPos,
        }
        /// Construction of a unit or structure began.
        2 ConstructionStarted Simulation {
            /// The unit.
            tag: UnitTag,
            /// Its type.
            unit_type: UnitTypeId,
            /// The player whose it is.
            owner: PlayerId,
            /// Its position.
            pos: WorldPos,
        }
        /// A construction that began is completed.
        3 ConstructionCompleted Simulation {
            /// The unit.
            tag: UnitTag,
        }
        /// A unit was destroyed.
        4 UnitDestroyed Simulation {
            /// The unit.
            tag: UnitTag,
            /// The unit that did it.
            killer_tag: Option<UnitTag>,
            /// The player who did it.
            killer_owner: Option<PlayerId>,
            /// The player whose unit it was.
            owner: PlayerId,
            /// Its type.
            unit_type: UnitTypeId,
            /// Its position.
            pos: WorldPos,
            /// What it was worth.
            value: i64,
            /// What weighs in its loss.
            traits: UnitTraits,
        }
        /// Where units in combat are.
        5 UnitPositionSample Samples {
            /// Units and their positions, at most 256.
            positions: Vec<(UnitTag, WorldPos)>,
        }
        /// The figures of a player at a tick.
        6 PlayerStatSnapshot Simulation {
            /// The player.
            player: PlayerId,
            /// The figures.
            stats: PlayerStats,
        }
        /// A resource was harvested.
        7 ResourceCollected Simulation {
            /// The player who did it.
            player: PlayerId,
            /// The resource.
            resource_type: ResourceType,
            /// The amount.
            amount: i32,
        }
        /// An upgrade is completed.
        8 UpgradeCompleted Simulation {
            /// The player whose it is.
            player: PlayerId,
            /// The upgrade.
            upgrade_id: UpgradeId,
        }
        /// Where a player looks.
        9 CameraPositionSample Reported {
            /// The player.
            player: PlayerId,
            /// The middle of the screen.
            viewport_center: WorldPos,
            /// How near, in the game's own measure.
            zoom_level: u16,
        }
        /// A player's selection changed.
        10 SelectionChanged Reported {
            /// The player.
            player: PlayerId,
            /// Selected now, and not before.
            added: Vec<UnitTag>,
            /// Selected before, and not now.
            removed: Vec<UnitTag>,
        }
        /// A control group was set or used.
        11 ControlGroupEvent Reported {
            /// The player who did it.
            player: PlayerId,
            /// The number of the group.
            group: u8,
            /// What was done.
            action: ControlGroupAction,
        }
        /// An ability was used.
        12 AbilityUsed Simulation {
            /// The player who did it.
            player: PlayerId,
            /// The ability.
            ability_id: AbilityId,
            /// The position that it is aimed at.
            target: Option<WorldPos>,
        }
        /// The game was paused or goes on.
        13 PauseEvent Simulation {
            /// The player who did it.
            player: PlayerId,
            /// Is it paused now?
            paused: bool,
        }
        /// The match ended.
        14 MatchEnded Simulation {
            /// The outcome.
            outcome: MatchOutcome,
        }
        /// A vote was called, cast or decided.
        15 VoteEvent Simulation {
            /// The step of the vote.
            event: VoteAnalysisEvent,
        }
        /// Units of opposing players met.
        16 EngagementStarted Simulation {
            /// The middle of it.
            center_pos: WorldPos,
            /// Units of the side that began.
            friendly_units: Vec<UnitTag>,
            /// Units of the other side.
            enemy_units: Vec<UnitTag>,
            /// What the first side's units are worth.
            value_friendly: i64,
            /// What the other side's units are worth.
            value_enemy: i64,
            /// The same as that of its end.
            engagement_id: u32,
        }
        /// Combat ceased, or a side withdrew or died.
        17 EngagementEnded Simulation {
            /// The middle of it.
            center_pos: WorldPos,
            /// Units that the first side lost.
            friendly_losses: u32,
            /// Units that the other side lost.
            enemy_losses: u32,
            /// Units that the first side has left.
            friendly_survivors: u32,
            /// Units that the other side has left.
            enemy_survivors: u32,
            /// Its length in ticks.
            duration_ticks: u64,
            /// The same as that of its start.
            engagement_id: u32,
        }
        /// A superweapon was fired.
        18 SuperweaponFired Simulation {
            /// The weapon.
            weapon_type: AbilityId,
            /// The position that it is aimed at.
            target_pos: WorldPos,
            /// The player who did it.
            player: PlayerId,
            /// Units that it hit.
            units_affected: u32,
            /// Structures that it hit.
            buildings_affected: u32,
        }
        /// A base was wiped out.
        19 BaseDestroyed Simulation {
            /// The player whose it is.
            player: PlayerId,
            /// Its position.
            pos: WorldPos,
            /// The structures that it had.
            buildings_lost: Vec<UnitTag>,
        }
        /// Over 70 % of a player's army were lost in one engagement.
        20 ArmyWipe Simulation {
            /// The player whose it is.
            player: PlayerId,
            /// The number of units.
            units_lost: u32,
            /// What they were worth.
            total_value_lost: i64,
            /// The lost share of the army, in percent.
            percentage_of_army: u16,
        }
        /// A player whose value was below that of the others is now above it.
        21 ComebackMoment Simulation {
            /// The player.
            player: PlayerId,
            /// The difference before, in value.
            deficit_before: i64,
            /// The difference now, in value.
            advantage_after: i64,
            /// Both added.
            swing_value: i64,
        }
        /// Something of the game's own, in a form that every tool can show.
        64 GameEvent Simulation {
            /// What happened, in the game's own word.
            what: NameId,
            /// The player it is about.
            player: Option<PlayerId>,
            /// The unit it is about.
            tag: Option<UnitTag>,
            /// The position.
            pos: Option<WorldPos>,
            /// An amount; of a time-out, its ticks.
            value: i64,
        }
    }
}

impl AnalysisEvent {
    /// Did a player destroy something of another?
    #[must_use]
    pub fn is_kill(&self) -> bool {
        match self {
            Self::UnitDestroyed { killer_owner: Some(killer), owner, .. } => killer != owner,
            _ => false,
        }
    }
}

impl AnalysisEvent {
    /// How many bytes it takes in memory, its lists included.
    #[must_use]
    pub fn memory(&self) -> usize {
        let tags = |lists: &[&Vec<UnitTag>]| {
            lists.iter().map(|list| size_of::<UnitTag>() * list.capacity()).sum()
        };
        let lists: usize = match self {
            Self::UnitPositionSample { positions, .. } => {
                size_of::<(UnitTag, WorldPos)>() * positions.capacity()
            }
            Self::SelectionChanged { added, removed, .. } => tags(&[added, removed]),
            Self::EngagementStarted { friendly_units, enemy_units, .. } => {
                tags(&[friendly_units, enemy_units])
            }
            Self::BaseDestroyed { buildings_lost, .. } => tags(&[buildings_lost]),
            _ => 0,
        };
        size_of::<Self>() + lists
    }
}

impl EventKind {
    /// Kinds from this number on are the game's own: never given a meaning here, but for
    /// [`GameEvent`](AnalysisEvent::GameEvent), the first of them.
    pub const FIRST_OWN: u8 = 64;
    /// The last of the game's own kinds.
    pub const LAST_OWN: u8 = 127;

    /// Its index in [`ALL`](Self::ALL).
    #[inline]
    pub(crate) const fn index(self) -> usize {
        match self as u8 {
            Self::FIRST_OWN => Self::ALL.len() - 1,
            number => number as usize - 1,
        }
    }

    #[inline]
    pub(crate) fn row(self) -> &'static KindRow {
        &KINDS[self.index()]
    }

    /// Its number in the tape.
    #[must_use]
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// The stream of events chunks that it belongs to.
    #[must_use]
    pub fn stream(self) -> EventStream {
        self.row().stream
    }
}
