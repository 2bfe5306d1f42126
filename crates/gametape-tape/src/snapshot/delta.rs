//! Deltas between snapshots.

use gametape_wire::{Error, Result, Tick};

use super::changes::{RowChange, What, diff, diff_values};
use super::keys::{CellPos, PlayerId, UnitTag};
use super::{SimSnapshot, StateHash, StringInternerSnapshot};
use crate::check::chain::Hash;

/// What turns one snapshot, the baseline, into another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeltaSnapshot {
    /// What changed in the simulation.
    pub core: SimCoreDelta,
    /// What became of the campaign state.
    pub campaign_state: Change<Vec<u8>>,
    /// What became of the script state.
    pub script_state: Change<Vec<u8>>,
}

/// What became of something optional.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// It is as it was.
    #[default]
    Same,
    /// It is this now.
    Set(T),
    /// It is gone.
    Removed,
}

/// What changed in the simulation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimCoreDelta {
    /// Tick of the baseline.
    pub baseline_tick: Tick,
    /// State hash of the baseline.
    pub baseline_hash: StateHash,
    /// Tick of the result.
    pub tick: Tick,
    /// State hash of the result.
    pub state_hash: StateHash,
    /// The seed, if it is another.
    pub seed: Option<u64>,
    /// The map hash, if it is another.
    pub map_hash: Option<Hash>,
    /// The random generator, if it moved.
    pub random_state: Option<Vec<u8>>,
    /// Strings interned since the baseline.
    pub intern_table_delta: Option<StringInternerDelta>,
    /// Entities that differ, ascending.
    pub changed_entities: Vec<EntityDelta>,
    /// Players that differ, ascending.
    pub changed_players: Vec<PlayerStateDelta>,
    /// Map cells that differ.
    pub changed_map: Option<MapStateDelta>,
    /// Sections that differ, ascending.
    pub changed_sections: Vec<SectionDelta>,
}

/// Strings interned since the baseline; earlier ones never change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StringInternerDelta {
    /// Id of the first new string: the length of the baseline's table.
    pub start_id: u32,
    /// The new strings.
    pub new_entries: Vec<String>,
}

/// What became of one entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityDelta {
    /// Which.
    pub entity: UnitTag,
    /// Components with a new value.
    pub change_mask: u64,
    /// Components that it has no longer.
    pub removed_mask: u64,
    /// The new values in the order of the components, each with its length as a varint.
    pub changed_components: Vec<u8>,
    /// Not there in the baseline.
    pub is_new: bool,
    /// No longer there; then both masks are 0.
    pub is_removed: bool,
}

/// What became of one player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerStateDelta {
    /// Which.
    pub player: PlayerId,
    /// Fields with a new value.
    pub change_mask: u32,
    /// Fields that it has no longer.
    pub removed_mask: u32,
    /// The new values in the order of the fields, each with its length as a varint.
    pub changed_fields: Vec<u8>,
    /// Not there in the baseline.
    pub is_new: bool,
    /// No longer there; then both masks are 0.
    pub is_removed: bool,
}

/// The bytes of a map cell.
pub type MapCellState = Vec<u8>;

/// Map cells that differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MapStateDelta {
    /// Cells with their new state, or none when the cell is gone; ascending.
    pub changed_cells: Vec<(CellPos, Option<MapCellState>)>,
}

/// A section with its new content, or none when it is gone.
pub type SectionDelta = (String, Option<Vec<u8>>);

fn what(is_new: bool, is_removed: bool) -> What {
    match (is_new, is_removed) {
        (_, true) => What::Removed,
        (true, _) => What::New,
        _ => What::Changed,
    }
}

impl From<RowChange<'_, UnitTag>> for EntityDelta {
    fn from(change: RowChange<'_, UnitTag>) -> Self {
        Self {
            entity: change.key,
            change_mask: change.changed,
            removed_mask: change.removed,
            changed_components: change.values.into_owned(),
            is_new: change.what == What::New,
            is_removed: change.what == What::Removed,
        }
    }
}

impl<'a> From<&'a EntityDelta> for RowChange<'a, UnitTag> {
    fn from(delta: &'a EntityDelta) -> Self {
        Self {
            key: delta.entity,
            what: what(delta.is_new, delta.is_removed),
            changed: delta.change_mask,
            removed: delta.removed_mask,
            values: delta.changed_components.as_slice().into(),
        }
    }
}

impl From<RowChange<'_, PlayerId>> for PlayerStateDelta {
    fn from(change: RowChange<'_, PlayerId>) -> Self {
        Self {
            player: change.key,
            change_mask: change.changed as u32,
            removed_mask: change.removed as u32,
            changed_fields: change.values.into_owned(),
            is_new: change.what == What::New,
            is_removed: change.what == What::Removed,
        }
    }
}

impl<'a> From<&'a PlayerStateDelta> for RowChange<'a, PlayerId> {
    fn from(delta: &'a PlayerStateDelta) -> Self {
        Self {
            key: delta.player,
            what: what(delta.is_new, delta.is_removed),
            changed: delta.change_mask.into(),
            removed: delta.removed_mask.into(),
            values: delta.changed_fields.as_slice().into(),
        }
    }
}

impl DeltaSnapshot {
    /// What turns `baseline` into `state`.
    ///
    /// Refused when the baseline's strings are not the first ones of the state, or it is later.
    pub fn between(baseline: &SimSnapshot, state: &SimSnapshot) -> Result<Self> {
        Self::between_hashed((baseline, baseline.state_hash()), (state, state.state_hash()))
    }

    /// The same, for who knows the state hashes already.
    pub(super) fn between_hashed(
        (baseline, baseline_hash): (&SimSnapshot, StateHash),
        (state, state_hash): (&SimSnapshot, StateHash),
    ) -> Result<Self> {
        let (old, new) = (&baseline.core, &state.core);
        if old.tick > new.tick {
            return Err(Error::misuse("delta", "the baseline is later than the state"));
        }
        let cells = diff_values(&old.map, &new.map);
        let core = SimCoreDelta {
            baseline_tick: old.tick,
            baseline_hash,
            tick: new.tick,
            state_hash,
            seed: changed(&old.seed, &new.seed),
            map_hash: changed(&old.map_hash, &new.map_hash),
            random_state: changed(&old.random_state, &new.random_state),
            intern_table_delta: new_strings(&old.intern_table, &new.intern_table)?,
            changed_entities: diff(&old.entities, &new.entities),
            changed_players: diff(&old.players, &new.players),
            changed_map: (!cells.is_empty()).then_some(MapStateDelta { changed_cells: cells }),
            changed_sections: diff_values(&old.sections, &new.sections),
        };
        let campaign_state = Change::between(&baseline.campaign_state, &state.campaign_state);
        let script_state = Change::between(&baseline.script_state, &state.script_state);
        Ok(Self { core, campaign_state, script_state })
    }
}

fn changed<T: Clone + PartialEq>(old: &T, new: &T) -> Option<T> {
    (old != new).then(|| new.clone())
}

fn new_strings(
    old: &StringInternerSnapshot,
    new: &StringInternerSnapshot,
) -> Result<Option<StringInternerDelta>> {
    let Some(rest) = new.entries.strip_prefix(&old.entries[..]) else {
        return Err(Error::misuse("string table", "it did not just grow since the baseline"));
    };
    let start_id = old.entries.len() as u32;
    let delta = StringInternerDelta { start_id, new_entries: rest.to_vec() };
    Ok((!rest.is_empty()).then_some(delta))
}

impl<T: Clone + PartialEq> Change<T> {
    fn between(old: &Option<T>, new: &Option<T>) -> Self {
        match new {
            _ if old == new => Self::Same,
            Some(value) => Self::Set(value.clone()),
            None => Self::Removed,
        }
    }
}
