//! What a damaged tape lost, as gaps.

use gametape_wire::{Arrange, Tick, ViewSet};
use std::ops::Range;

use crate::index::table::ChunkEntry;
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::gap::{Gap, GapCause};
use crate::layout::kind::ChunkKind;
use crate::recover::scan::Damage;

/// The ticks that a damage may concern: those of the lost chunk where its header is left, else
/// those between the whole chunks around it.
pub(crate) fn lost_ticks(chunks: &[ChunkEntry], damage: &Damage) -> Range<Tick> {
    Neighbours::by_offset(chunks).of_damage(damage)
}

/// Damages and runs of missing sequence numbers as gaps, ascending by tick. The chunks ascend by
/// sequence number.
pub(crate) fn gaps<'d>(
    chunks: &[ChunkEntry],
    damages: impl IntoIterator<Item = &'d Damage>,
    missing: &[Range<u32>],
) -> Vec<Gap> {
    let by_offset = Neighbours::by_offset(chunks);
    let by_number = Neighbours::by_number(chunks);
    let damages = damages.into_iter().map(|damage| damage_gap(damage, by_offset.of_damage(damage)));
    let missing = missing.iter().map(|run| missing_gap(run, by_number.of_missing(run)));
    let mut gaps: Vec<Gap> = damages.chain(missing).collect();
    gaps.arrange_by_key(|gap| gap.first_tick);
    gaps
}

/// What the chunks before and after any offset say about its ticks, by a table: however many losses
/// there are, each costs a search.
struct Neighbours {
    /// Where the chunks with ticks are, ascending.
    offsets: Vec<u64>,
    /// Of the first *n* chunks: the latest tick that one of them reaches.
    before: Vec<Tick>,
    /// Of all but the first *n* chunks: the earliest tick that one of them reaches.
    after: Vec<Tick>,
    /// After the last tick of all.
    end: Tick,
}

impl Neighbours {
    /// By offset: nothing is known of a damage but that it is between whole chunks.
    fn by_offset(chunks: &[ChunkEntry]) -> Self {
        let row =
            |chunk: &ChunkEntry| (chunk.offset, chunk.header.end_tick(), chunk.header.first_tick);
        Self::new(chunks, row)
    }

    /// By sequence number. A missing chunk may be of another stream than its neighbours, whose ticks
    /// it may share.
    fn by_number(chunks: &[ChunkEntry]) -> Self {
        let row = |chunk: &ChunkEntry| {
            (chunk.header.sequence.into(), chunk.header.first_tick, chunk.header.end_tick())
        };
        Self::new(chunks, row)
    }

    /// `row` says of a chunk where it is, and which tick counts for what is after and before it.
    fn new(chunks: &[ChunkEntry], row: impl Fn(&ChunkEntry) -> (u64, Tick, Tick)) -> Self {
        let timed = || chunks.iter().filter(|chunk| chunk.header.kind.has_ticks());
        let end = timed().map(|chunk| chunk.header.end_tick()).max().unwrap_or_default();
        let mut rows: Vec<(u64, Tick, Tick)> = timed().map(row).collect();
        rows.arrange();
        let mut before = vec![Tick::ZERO];
        let mut after = vec![Tick::MAX; rows.len() + 1];
        for (number, &(_, low, _)) in rows.iter().enumerate() {
            before.push(low.max(before[number]));
        }
        for (number, &(_, _, high)) in rows.iter().enumerate().rev() {
            after[number] = high.min(after[number + 1]);
        }
        Self { offsets: rows.iter().map(|row| row.0).collect(), before, after, end }
    }

    /// The ticks between what is before `range` and what is after it; `None` as the end where
    /// nothing is after.
    fn around(&self, range: &Range<u64>) -> (Tick, Option<Tick>) {
        let start = self.before[self.offsets.partition_point(|offset| *offset < range.start)];
        let end = self.after[self.offsets.partition_point(|offset| *offset < range.end)];
        (start, (end != Tick::MAX).then_some(end.max(start)))
    }

    fn of_damage(&self, damage: &Damage) -> Range<Tick> {
        if let Some(header) = damage.header.filter(|header| header.kind.has_ticks()) {
            return header.first_tick..header.end_tick();
        }
        let (start, end) = self.around(&damage.range);
        start..end.unwrap_or(start)
    }

    fn of_missing(&self, run: &Range<u32>) -> Range<Tick> {
        let (start, end) = self.around(&(run.start.into()..run.end.into()));
        start..end.unwrap_or(self.end)
    }
}

fn missing_gap(run: &Range<u32>, ticks: Range<Tick>) -> Gap {
    gap(None, run.end - run.start, 0, &ticks)
}

fn damage_gap(damage: &Damage, ticks: Range<Tick>) -> Gap {
    let bytes = damage.range.end - damage.range.start;
    gap(damage.header.as_ref(), damage.header.is_some().into(), bytes, &ticks)
}

/// A chunk that is there and cannot be used.
pub(crate) fn chunk_gap(header: &ChunkHeader) -> Gap {
    gap(Some(header), 1, header.chunk_length(), &(header.first_tick..header.end_tick()))
}

/// Frames and orders at these ticks, as far as the tape has any, that were given and not written when
/// the recording stopped.
pub(crate) fn unwritten_gaps(
    chunks: &[ChunkEntry],
    ticks: &Range<Tick>,
) -> impl Iterator<Item = Gap> {
    let has = |kind| chunks.iter().any(|chunk| chunk.header.kind == kind);
    let kinds = [ChunkKind::FRAMES, ChunkKind::ORDERS].into_iter().filter(move |kind| has(*kind));
    kinds.map(|kind| Gap { kind, ..gap(None, 0, 0, ticks) })
}

fn gap(header: Option<&ChunkHeader>, count: u32, bytes: u64, ticks: &Range<Tick>) -> Gap {
    Gap {
        cause: GapCause::DAMAGE,
        kind: header.map_or(ChunkKind(0), |header| header.kind),
        stream: header.map_or(0, |header| header.stream),
        count,
        bytes,
        views: header.map_or(ViewSet::ALL, |header| header.views),
        first_tick: ticks.start,
        tick_count: u32::try_from(ticks.end.since(ticks.start)).unwrap_or(u32::MAX),
    }
}
