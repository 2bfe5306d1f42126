//! What a damaged tape lost, as gaps.

use std::ops::Range;

use crate::gap::{Gap, GapCause};
use crate::header::EVERYBODY;
use crate::index::ChunkEntry;
use crate::kind::ChunkKind;
use crate::scan::Damage;

/// The ticks that a damage may concern: those of the lost chunk where its header is left, else
/// those between the whole chunks around it.
pub(crate) fn lost_ticks(chunks: &[ChunkEntry], damage: &Damage) -> Range<u64> {
    if let Some(header) = damage.header.filter(|header| header.kind.has_ticks()) {
        return header.first_tick..header.end_tick();
    }
    let timed = || chunks.iter().filter(|chunk| chunk.header.kind.has_ticks());
    let before = timed().filter(|chunk| chunk.offset < damage.range.start);
    let start = before.map(|chunk| chunk.header.end_tick()).max().unwrap_or(0);
    let after = timed().filter(|chunk| chunk.offset >= damage.range.end);
    let end = after.map(|chunk| chunk.header.first_tick).min().unwrap_or(start);
    start..end.max(start)
}

/// Damages and runs of missing sequence numbers as gaps, ascending by tick.
pub(crate) fn gaps(chunks: &[ChunkEntry], damages: &[Damage], missing: &[Range<u32>]) -> Vec<Gap> {
    let damages = damages.iter().map(|damage| damage_gap(damage, lost_ticks(chunks, damage)));
    let missing = missing.iter().map(|run| Gap {
        cause: GapCause::DAMAGE,
        kind: ChunkKind(0),
        stream: 0,
        count: run.end - run.start,
        bytes: 0,
        views: EVERYBODY,
        first_tick: 0,
        tick_count: 0,
    });
    let mut gaps: Vec<Gap> = damages.chain(missing).collect();
    gaps.sort_by_key(|gap| gap.first_tick);
    gaps
}

fn damage_gap(damage: &Damage, ticks: Range<u64>) -> Gap {
    let header = damage.header;
    Gap {
        cause: GapCause::DAMAGE,
        kind: header.map_or(ChunkKind(0), |header| header.kind),
        stream: header.map_or(0, |header| header.stream),
        count: u32::from(header.is_some()),
        bytes: damage.range.end - damage.range.start,
        views: header.map_or(EVERYBODY, |header| header.views),
        first_tick: ticks.start,
        tick_count: u32::try_from(ticks.end - ticks.start).unwrap_or(u32::MAX),
    }
}
