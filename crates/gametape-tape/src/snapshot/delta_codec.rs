//! The bytes of a delta.

use gametape_wire::{Error, ErrorKind, Reader, Result, Tick, Writer};

use super::changes::{RowChange, ValueChange, What};
use super::delta::{Change, DeltaSnapshot, MapStateDelta, SimCoreDelta, StringInternerDelta};
use super::keys::Key;
use super::table::{read_count, read_key, read_mask, read_values, write_mask};
use super::{StateHash, put_optional, put_strings, read_choice, read_form, read_string_list};
use crate::layout::names::read_bytes;
use crate::limits::{STRINGS, TICK};

/// First byte of a delta.
const FORM: u8 = 2;

impl DeltaSnapshot {
    /// The bytes of the delta in a keyframe.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new();
        let core = &self.core;
        w.u8(FORM).u64_le(core.baseline_tick.0).bytes(&core.baseline_hash);
        w.u64_le(core.tick.0).bytes(&core.state_hash);
        put_fixed(&mut w, core.seed.map(u64::to_le_bytes));
        put_fixed(&mut w, core.map_hash);
        put_optional(&mut w, core.random_state.as_deref());
        put_interner(&mut w, core.intern_table_delta.as_ref());
        put_rows(&mut w, core.changed_entities.iter().map(RowChange::from));
        put_rows(&mut w, core.changed_players.iter().map(RowChange::from));
        put_values(&mut w, core.changed_map.as_ref().map_or(&[], |map| &map.changed_cells));
        put_values(&mut w, &core.changed_sections);
        put_change(&mut w, &self.campaign_state);
        put_change(&mut w, &self.script_state);
        w.into_bytes()
    }

    /// The delta in these bytes.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let mut r = Reader::new(bytes);
        let head = DeltaHead::read(&mut r)?;
        let core = read_core(&head, &mut r)?;
        let campaign_state = read_change(&mut r, "campaign state")?;
        let script_state = read_change(&mut r, "script state")?;
        r.finish("delta")?;
        Ok(Self { core, campaign_state, script_state })
    }
}

/// What a delta begins with: from where to where it leads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DeltaHead {
    pub(crate) baseline_tick: Tick,
    pub(crate) baseline_hash: StateHash,
    pub(crate) tick: Tick,
    pub(crate) state_hash: StateHash,
}

impl DeltaHead {
    /// The head at the beginning of a delta's bytes.
    pub(crate) fn read(r: &mut Reader<'_>) -> Result<Self> {
        read_form(r, FORM)?;
        Ok(Self {
            baseline_tick: Tick(TICK.check(r.u64_le("baseline tick")?, r.offset())?),
            baseline_hash: r.array("baseline hash")?,
            tick: Tick(TICK.check(r.u64_le("tick")?, r.offset())?),
            state_hash: r.array("state hash")?,
        })
    }
}

fn read_core(head: &DeltaHead, r: &mut Reader<'_>) -> Result<SimCoreDelta> {
    Ok(SimCoreDelta {
        baseline_tick: head.baseline_tick,
        baseline_hash: head.baseline_hash,
        tick: head.tick,
        state_hash: head.state_hash,
        seed: read_fixed(r, "seed")?.map(u64::from_le_bytes),
        map_hash: read_fixed(r, "map hash")?,
        random_state: super::read_optional(r, "random state")?,
        intern_table_delta: read_interner(r)?,
        changed_entities: read_rows(r)?,
        changed_players: read_rows(r)?,
        changed_map: Some(read_values_list(r)?)
            .filter(|cells| !cells.is_empty())
            .map(|changed_cells| MapStateDelta { changed_cells }),
        changed_sections: read_values_list(r)?,
    })
}

fn put_fixed<const N: usize>(w: &mut Writer, value: Option<[u8; N]>) {
    w.u8(value.is_some().into());
    if let Some(value) = value {
        w.bytes(&value);
    }
}

pub(super) fn read_fixed<const N: usize>(
    r: &mut Reader<'_>,
    item: &'static str,
) -> Result<Option<[u8; N]>> {
    let is_there = read_choice(r, item, 1)? == 1;
    if is_there { r.array(item).map(Some) } else { Ok(None) }
}

fn put_interner(w: &mut Writer, delta: Option<&StringInternerDelta>) {
    w.u8(delta.is_some().into());
    if let Some(delta) = delta {
        w.varint(delta.start_id.into());
        put_strings(w, &delta.new_entries);
    }
}

pub(super) fn read_interner(r: &mut Reader<'_>) -> Result<Option<StringInternerDelta>> {
    if read_choice(r, "string table", 1)? == 0 {
        return Ok(None);
    }
    let start_id = STRINGS.check(r.varint("string table")?, r.offset())? as u32;
    let offset = r.offset();
    let new_entries = read_string_list(r)?;
    if new_entries.is_empty() {
        return Err(not_canonical(offset, "string table"));
    }
    Ok(Some(StringInternerDelta { start_id, new_entries }))
}

fn put_rows<'a, K: Key>(w: &mut Writer, rows: impl ExactSizeIterator<Item = RowChange<'a, K>>) {
    w.varint(rows.len() as u64);
    let mut previous = None;
    for row in rows {
        row.key.write(w, previous.as_ref());
        w.u8(row.what as u8);
        write_mask::<K>(w, row.changed);
        write_mask::<K>(w, row.removed);
        w.bytes(&row.values);
        previous = Some(row.key);
    }
}

fn read_rows<'a, K: Key, D: From<RowChange<'a, K>>>(r: &mut Reader<'a>) -> Result<Vec<D>> {
    row_changes(r)?.map(|change| change.map(D::from)).collect()
}

/// The changed rows of a table with slots, one by one, borrowed from the delta's bytes.
pub(super) fn row_changes<'a, K: Key>(
    r: &mut Reader<'a>,
) -> Result<impl Iterator<Item = Result<RowChange<'a, K>>>> {
    changes(r, read_row)
}

/// The changed rows of a table with one value in each row, in the same way.
pub(super) fn value_changes<'a, K: Key>(
    r: &mut Reader<'a>,
) -> Result<impl Iterator<Item = Result<RowChange<'a, K>>>> {
    changes(r, read_value)
}

fn changes<'a, K: Key>(
    r: &mut Reader<'a>,
    read: impl Fn(&mut Reader<'a>, K) -> Result<RowChange<'a, K>>,
) -> Result<impl Iterator<Item = Result<RowChange<'a, K>>>> {
    let mut left = read_count::<K>(r)?;
    let mut previous: Option<K> = None;
    let mut next = move || {
        let key = read_key(r, previous.as_ref())?;
        previous = Some(key.clone());
        read(r, key)
    };
    Ok(std::iter::from_fn(move || {
        left = left.checked_sub(1)?;
        Some(next())
    }))
}

fn read_row<'a, K: Key>(r: &mut Reader<'a>, key: K) -> Result<RowChange<'a, K>> {
    let offset = r.offset();
    let what = read_what(r, K::ITEM)?;
    let (changed, removed) = (read_mask::<K>(r)?, read_mask::<K>(r)?);
    let is_canonical = match what {
        What::Changed | What::Put => changed & removed == 0 && changed | removed != 0,
        What::New => removed == 0,
        What::Removed => changed | removed == 0,
    };
    if !is_canonical {
        return Err(not_canonical(offset, K::ITEM));
    }
    let values = read_values(r, changed, K::ITEM)?.into();
    Ok(RowChange { key, what, changed, removed, values })
}

fn read_value<'a, K: Key>(r: &mut Reader<'a>, key: K) -> Result<RowChange<'a, K>> {
    let is_there = read_choice(r, K::ITEM, 1)? == 1;
    let (what, changed) = if is_there { (What::Put, 1) } else { (What::Removed, 0) };
    let values = read_values(r, changed, K::ITEM)?.into();
    Ok(RowChange { key, what, changed, removed: 0, values })
}

fn read_what(r: &mut Reader<'_>, item: &'static str) -> Result<What> {
    Ok(match read_choice(r, item, 2)? {
        0 => What::Changed,
        1 => What::New,
        _ => What::Removed,
    })
}

fn not_canonical(offset: u64, item: &'static str) -> Error {
    let problem = "a change that changes nothing or contradicts itself".into();
    Error::at(offset, item, ErrorKind::BadSyntax { problem })
}

fn put_values<K: Key>(w: &mut Writer, values: &[ValueChange<K>]) {
    w.varint(values.len() as u64);
    let mut previous = None;
    for (key, value) in values {
        key.write(w, previous);
        put_optional(w, value.as_deref());
        previous = Some(key);
    }
}

fn read_values_list<K: Key>(r: &mut Reader<'_>) -> Result<Vec<ValueChange<K>>> {
    let mut values: Vec<ValueChange<K>> = Vec::new();
    for _ in 0..read_count::<K>(r)? {
        let key = read_key(r, values.last().map(|(key, _)| key))?;
        values.push((key, super::read_optional(r, K::ITEM)?));
    }
    Ok(values)
}

fn put_change(w: &mut Writer, change: &Change<Vec<u8>>) {
    match change {
        Change::Same => w.u8(0),
        Change::Set(value) => w.u8(1).varint(value.len() as u64).bytes(value),
        Change::Removed => w.u8(2),
    };
}

fn read_change(r: &mut Reader<'_>, item: &'static str) -> Result<Change<Vec<u8>>> {
    Ok(match read_choice(r, item, 2)? {
        0 => Change::Same,
        1 => Change::Set(read_bytes(r, item)?.to_vec()),
        _ => Change::Removed,
    })
}
