//! Snapshots.

use gametape_wire::{Error, Result};

/// A snapshot or delta in its canonical bytes, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyframe {
    /// When it was taken.
    pub tick: u64,
    /// The tick of the baseline, of a delta.
    pub baseline_tick: Option<u64>,
    /// The canonical bytes.
    pub raw: Vec<u8>,
}

impl Keyframe {
    /// Ticks back to the baseline, of a delta.
    pub(crate) fn baseline_distance(&self) -> Result<Option<u32>> {
        let Some(baseline) = self.baseline_tick else { return Ok(None) };
        let distance = self.tick.checked_sub(baseline).and_then(|ticks| u32::try_from(ticks).ok());
        let problem = "the baseline is later, or over 2^32 ticks earlier";
        distance.map(Some).ok_or_else(|| Error::misuse("delta keyframe", problem))
    }
}
