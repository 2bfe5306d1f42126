//! Snapshots of a whole game, game-agnostic, and deltas between them.

mod apply;
mod cadence;
mod changes;
mod delta;
mod delta_codec;
mod keys;
mod opaque;
mod table;

pub use cadence::{Cadence, KeyframeMaker};
pub use delta::{
    Change, DeltaSnapshot, EntityDelta, MapCellState, MapStateDelta, PlayerStateDelta,
    SectionDelta, SimCoreDelta, StringInternerDelta,
};
pub(crate) use delta_codec::DeltaHead;
pub use keys::{CellPos, Key, PlayerId, UnitTag};
pub use table::{Row, SlotTable, ValueTable};

use gametape_wire::{Error, ErrorKind, Reader, Result, Tick, Writer};

use crate::check::chain::{Hash, sha256};
use crate::layout::names::{read_bytes, read_strings, write_string};
use crate::limits::{STRINGS, TICK};

/// SHA-256 of the canonical bytes of a snapshot.
pub type StateHash = Hash;
/// The first bytes of a state hash.
pub type SyncHash = [u8; 8];

/// First byte of the canonical bytes of a snapshot.
const FORM: u8 = 1;

/// A whole game at one moment.
///
/// ```
/// use gametape_tape::{DeltaSnapshot, SimSnapshot, UnitTag};
/// use gametape_wire::Tick;
///
/// let tank = UnitTag { index: 7, generation: 0 };
/// let mut before = SimSnapshot::default();
/// before.core.entities.push(tank, &[(0, b"at the gate"), (3, b"100")])?;
///
/// let mut after = SimSnapshot::default();
/// after.core.tick = Tick(300);
/// after.core.entities.push(tank, &[(0, b"in the yard"), (3, b"100")])?;
///
/// let delta = DeltaSnapshot::between(&before, &after)?;
/// assert_eq!(delta.core.changed_entities[0].change_mask, 0b0001);
/// before.apply(&delta)?;
/// assert_eq!(before.to_bytes(), after.to_bytes());
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimSnapshot {
    /// What the simulation owns.
    pub core: SimCoreSnapshot,
    /// What the campaign keeps, if there is one.
    pub campaign_state: Option<Vec<u8>>,
    /// What scripts keep, if there are any.
    pub script_state: Option<Vec<u8>>,
}

/// What the simulation owns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SimCoreSnapshot {
    /// When: before the orders of this tick.
    pub tick: Tick,
    /// What the match was started from.
    pub seed: u64,
    /// Which map.
    pub map_hash: Hash,
    /// The random generator.
    pub random_state: Vec<u8>,
    /// Interned strings.
    pub intern_table: StringInternerSnapshot,
    /// Entities with up to 64 components each.
    pub entities: SlotTable<UnitTag>,
    /// Players with up to 32 fields each.
    pub players: SlotTable<PlayerId>,
    /// Map cells.
    pub map: ValueTable<CellPos>,
    /// Whatever else the game has, by name.
    pub sections: ValueTable<String>,
}

/// All interned strings; an id is an index into the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StringInternerSnapshot {
    /// The strings, by id.
    pub entries: Vec<String>,
}

impl SimSnapshot {
    /// The canonical bytes: equal states have equal ones.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new();
        let core = &self.core;
        w.u8(FORM).u64_le(core.tick.0).u64_le(core.seed).bytes(&core.map_hash);
        put_bytes(&mut w, &core.random_state);
        put_strings(&mut w, &core.intern_table.entries);
        core.entities.write(&mut w);
        core.players.write(&mut w);
        core.map.0.write(&mut w);
        core.sections.0.write(&mut w);
        put_optional(&mut w, self.campaign_state.as_deref());
        put_optional(&mut w, self.script_state.as_deref());
        w.into_bytes()
    }

    /// The snapshot with these canonical bytes, and with no other bytes.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let mut r = Reader::new(bytes);
        read_form(&mut r, FORM)?;
        let core = SimCoreSnapshot {
            tick: Tick(TICK.check(r.u64_le("tick")?, 1)?),
            seed: r.u64_le("seed")?,
            map_hash: r.array("map hash")?,
            random_state: read_bytes(&mut r, "random state")?.to_vec(),
            intern_table: StringInternerSnapshot { entries: read_string_list(&mut r)? },
            entities: SlotTable::read(&mut r)?,
            players: SlotTable::read(&mut r)?,
            map: ValueTable(SlotTable::read(&mut r)?),
            sections: ValueTable(SlotTable::read(&mut r)?),
        };
        let campaign_state = read_optional(&mut r, "campaign state")?;
        let script_state = read_optional(&mut r, "script state")?;
        r.finish("snapshot")?;
        Ok(Self { core, campaign_state, script_state })
    }

    /// About how many bytes of memory it holds: enough for a budget, and quickly known.
    #[must_use]
    pub fn memory(&self) -> usize {
        let core = &self.core;
        let strings = &core.intern_table.entries;
        let optional = |bytes: &Option<Vec<u8>>| bytes.as_ref().map_or(0, Vec::capacity);
        size_of::<Self>()
            + core.random_state.capacity()
            + strings.iter().map(|text| size_of::<String>() + text.len()).sum::<usize>()
            + core.entities.memory()
            + core.players.memory()
            + core.map.0.memory()
            + core.sections.0.memory()
            + optional(&self.campaign_state)
            + optional(&self.script_state)
    }

    /// SHA-256 of the canonical bytes.
    #[must_use]
    pub fn state_hash(&self) -> StateHash {
        hash_of_bytes(&self.to_bytes())
    }

    /// The first bytes of the state hash.
    #[must_use]
    pub fn sync_hash(&self) -> SyncHash {
        let mut sync = SyncHash::default();
        sync.copy_from_slice(&self.state_hash()[..8]);
        sync
    }
}

/// The state hash of a snapshot with these canonical bytes.
pub(crate) fn hash_of_bytes(bytes: &[u8]) -> StateHash {
    sha256(&[bytes])
}

/// A snapshot or delta in its canonical bytes, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyframe {
    /// When it was taken.
    pub tick: Tick,
    /// The tick of the baseline, of a delta.
    pub baseline_tick: Option<Tick>,
    /// The canonical bytes.
    pub raw: Vec<u8>,
}

impl Keyframe {
    /// A full keyframe.
    #[must_use]
    pub fn full(snapshot: &SimSnapshot) -> Self {
        Self { tick: snapshot.core.tick, baseline_tick: None, raw: snapshot.to_bytes() }
    }

    /// A delta keyframe.
    #[must_use]
    pub fn delta(delta: &DeltaSnapshot) -> Self {
        let core = &delta.core;
        let baseline_tick = Some(core.baseline_tick);
        Self { tick: core.tick, baseline_tick, raw: delta.to_bytes() }
    }

    /// Is it a snapshot, not a delta?
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.baseline_tick.is_none()
    }

    /// Ticks back to the baseline, of a delta.
    pub fn baseline_distance(&self) -> Result<Option<u32>> {
        let Some(baseline) = self.baseline_tick else { return Ok(None) };
        let distance =
            self.tick.0.checked_sub(baseline.0).and_then(|ticks| u32::try_from(ticks).ok());
        let problem = "the baseline is later, or over 2^32 ticks earlier";
        distance.map(Some).ok_or_else(|| Error::misuse("delta keyframe", problem))
    }
}

fn read_form(r: &mut Reader<'_>, expected: u8) -> Result<()> {
    let (offset, code) = (r.offset(), r.u8("form of the keyframe")?);
    if code == expected {
        return Ok(());
    }
    Err(Error::at(offset, "form of the keyframe", ErrorKind::Unknown { code: code.into() }))
}

fn put_bytes(w: &mut Writer, bytes: &[u8]) {
    w.varint(bytes.len() as u64).bytes(bytes);
}

fn put_strings(w: &mut Writer, strings: &[String]) {
    w.varint(strings.len() as u64);
    strings.iter().for_each(|text| write_string(w, text));
}

fn read_string_list(r: &mut Reader<'_>) -> Result<Vec<String>> {
    let count = STRINGS.check(r.varint("string table")?, r.offset())?;
    read_strings(r, count, "string table")
}

fn put_optional(w: &mut Writer, bytes: Option<&[u8]>) {
    w.u8(bytes.is_some().into());
    if let Some(bytes) = bytes {
        put_bytes(w, bytes);
    }
}

fn read_optional(r: &mut Reader<'_>, item: &'static str) -> Result<Option<Vec<u8>>> {
    Ok(match read_choice(r, item, 1)? {
        0 => None,
        _ => Some(read_bytes(r, item)?.to_vec()),
    })
}

/// A byte that says which of a few forms follows.
fn read_choice(r: &mut Reader<'_>, item: &'static str, most: u8) -> Result<u8> {
    let (offset, found) = (r.offset(), r.u8(item)?);
    if found <= most {
        return Ok(found);
    }
    let expected = if most == 1 { "0 or 1" } else { "0, 1 or 2" };
    Err(Error::at(offset, item, ErrorKind::BadValue { found: found.into(), expected }))
}
