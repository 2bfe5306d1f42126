//! Applying a delta: from its bytes straight into the new state.

use gametape_wire::{Error, ErrorKind, Place, Reader, Result};

use super::changes::apply;
use super::delta::DeltaSnapshot;
use super::delta_codec::{DeltaHead, read_fixed, read_interner, row_changes, value_changes};
use super::keys::Key;
use super::table::{SlotTable, ValueTable};
use super::{
    SimCoreSnapshot, SimSnapshot, StateHash, StringInternerSnapshot, hash_of_bytes, read_choice,
};
use crate::check::chain::Hash;
use crate::layout::names::read_bytes;

impl SimSnapshot {
    /// Becomes the state that `delta` leads to. A delta that does not fit is refused and changes
    /// nothing: another baseline, a contradiction, a result with another hash.
    pub fn apply(&mut self, delta: &DeltaSnapshot) -> Result<()> {
        let raw = delta.to_bytes();
        let mut r = Reader::new(&raw);
        let head = DeltaHead::read(&mut r)?;
        head.check_baseline(self, Some(&self.state_hash()))?;
        let state = self.with_changes(&head, &mut r)?;
        head.check_result(&state)?;
        *self = state;
        Ok(())
    }

    /// The state that the changes after the head of a delta lead to from here.
    pub(crate) fn with_changes(&self, head: &DeltaHead, r: &mut Reader<'_>) -> Result<Self> {
        let core = self.core.with_changes(head, r)?;
        let campaign_state = changed_bytes(r, "campaign state", &self.campaign_state)?;
        let script_state = changed_bytes(r, "script state", &self.script_state)?;
        r.finish("delta")?;
        Ok(Self { core, campaign_state, script_state })
    }
}

impl SimCoreSnapshot {
    fn with_changes(&self, head: &DeltaHead, r: &mut Reader<'_>) -> Result<Self> {
        Ok(Self {
            tick: head.tick,
            seed: read_fixed(r, "seed")?.map_or(self.seed, u64::from_le_bytes),
            map_hash: read_fixed(r, "map hash")?.unwrap_or(self.map_hash),
            random_state: match read_choice(r, "random state", 1)? {
                0 => self.random_state.clone(),
                _ => read_bytes(r, "random state")?.to_vec(),
            },
            intern_table: self.intern_table.with_changes(r)?,
            entities: with_rows(&self.entities, r)?,
            players: with_rows(&self.players, r)?,
            map: with_values(&self.map, r)?,
            sections: with_values(&self.sections, r)?,
        })
    }
}

fn with_rows<K: Key>(old: &SlotTable<K>, r: &mut Reader<'_>) -> Result<SlotTable<K>> {
    let changes = row_changes(r)?;
    apply(old, changes)
}

fn with_values<K: Key>(old: &ValueTable<K>, r: &mut Reader<'_>) -> Result<ValueTable<K>> {
    let changes = value_changes(r)?;
    apply(&old.0, changes).map(ValueTable)
}

impl StringInternerSnapshot {
    fn with_changes(&self, r: &mut Reader<'_>) -> Result<Self> {
        let mut entries = self.entries.clone();
        if let Some(delta) = read_interner(r)? {
            if delta.start_id as usize != entries.len() {
                let problem = "the delta does not go on where the table ends".into();
                let kind = ErrorKind::BadSyntax { problem };
                return Err(Error::new(Place::Nowhere, "string table", kind));
            }
            entries.extend(delta.new_entries);
        }
        Ok(Self { entries })
    }
}

fn changed_bytes(
    r: &mut Reader<'_>,
    item: &'static str,
    old: &Option<Vec<u8>>,
) -> Result<Option<Vec<u8>>> {
    Ok(match read_choice(r, item, 2)? {
        0 => old.clone(),
        1 => Some(read_bytes(r, item)?.to_vec()),
        _ => None,
    })
}

impl DeltaHead {
    /// Refuses a state that the delta does not belong on; `hash` is that of the state, if known.
    pub(crate) fn check_baseline(
        &self,
        state: &SimSnapshot,
        hash: Option<&StateHash>,
    ) -> Result<()> {
        let (wants, has) = (self.baseline_tick, state.core.tick);
        if wants == has && hash.is_none_or(|hash| *hash == self.baseline_hash) {
            return Ok(());
        }
        let problem = match wants == has {
            true => format!("it belongs on another state of tick {wants}: the hashes differ"),
            false => format!("it belongs on a state of tick {wants}, not on this of tick {has}"),
        };
        Err(Error::misuse("delta", problem))
    }

    /// Refuses a result that is not the announced one.
    pub(crate) fn check_result(&self, state: &SimSnapshot) -> Result<()> {
        let (stored, computed) = (self.state_hash, hash_of_bytes(&state.to_bytes()));
        if stored == computed {
            return Ok(());
        }
        let [stored, computed] = [stored, computed].map(first_bytes);
        let kind = ErrorKind::Checksum { stored, computed };
        Err(Error::new(Place::Nowhere, "state after a delta", kind))
    }
}

fn first_bytes(hash: Hash) -> u64 {
    hash.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes))
}
