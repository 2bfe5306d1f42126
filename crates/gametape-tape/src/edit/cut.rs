//! What of a tape is in a cut: some views, some ticks, or both.

use std::collections::BTreeSet;
use std::ops::Range;

use gametape_wire::{Error, Result, Tick, ViewSet};

use crate::edit::dropped::DropReason;
use crate::edit::rewrite::Rewriter;
use crate::index::table::{ChunkEntry, KeyframeIndex};
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::gap::{Gap, GapCause};
use crate::layout::kind::ChunkKind;
use crate::layout::tape_header::TapeHeader;
use crate::read::tape::Tape;

/// What of a tape is in a cut, so that it plays there as it does in the whole tape.
///
/// ```
/// use gametape_tape::{Cut, TapeHeader, Tape, TapeWriter};
/// use gametape_wire::{Tick, TickLength, View, ViewSet};
///
/// # let mut writer = TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 7), b"{}")?;
/// # for tick in (0..100).map(Tick) {
/// #     writer.frame_for_all(0, tick, ViewSet::EMPTY.with(View::SPECTATOR), b"message")?;
/// # }
/// # let file = [writer.take(), writer.finish()?].concat();
/// let tape = Tape::open(&file)?;
/// let cut = Cut::new(&tape, None, Tick(20)..Tick(30))?;
/// let mut rewriter = cut.rewriter(&tape, TapeHeader::new(TickLength::millis::<50>(), 8))?;
/// for entry in tape.chunks.iter().filter(|entry| cut.keeps(entry)) {
///     rewriter.chunk(&tape.read(entry, &file)?)?;
/// }
/// let part = [rewriter.take(), rewriter.finish()?.bytes].concat();
/// // Without keyframes everything before is needed.
/// assert_eq!(cut.ticks(), Tick(0)..Tick(30));
/// assert_eq!(Tape::open(&part)?.summary.end_tick, Tick(30));
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// `None`: everything for everybody.
    views: Option<ViewSet>,
    ticks: Range<Tick>,
    /// Offsets of the keyframes in it.
    keyframes: BTreeSet<u64>,
}

impl Cut {
    /// The ticks `asked` of what `views` may know; of everything where no views are given.
    ///
    /// Needs the whole index of the tape. Refused where nothing could be in it, and where the tape does
    /// not have one of the views.
    pub fn new(tape: &Tape, views: Option<ViewSet>, asked: Range<Tick>) -> Result<Self> {
        if let Some(views) = views {
            tape.check_views(views)?;
        }
        check_ticks(tape, &asked)?;
        let (start, keyframes) = choose_keyframes(&tape.keyframes, views, &asked);
        Ok(Self { views, ticks: start..asked.end, keyframes })
    }

    /// The ticks of frames and orders in the cut: from the keyframe on that the first of those asked
    /// for is reached from.
    #[must_use]
    pub fn ticks(&self) -> Range<Tick> {
        self.ticks.clone()
    }

    /// How many keyframes are in the cut.
    #[must_use]
    pub fn keyframes(&self) -> usize {
        self.keyframes.len()
    }

    /// Is this chunk, or a part of it, in the cut?
    #[must_use]
    pub fn keeps(&self, entry: &ChunkEntry) -> bool {
        let header = &entry.header;
        match header.kind {
            kind if kind.is_keyframe() => self.keyframes.contains(&entry.offset),
            kind if !kind.has_ticks() => true,
            // Nobody knows when it was, or whether it has a time at all.
            kind if header.tick_count == 0 && (kind == ChunkKind::GAP || !kind.is_known()) => true,
            // What is in it cannot be taken apart, and may be of the time after the cut.
            kind if !kind.is_known() && header.end_tick() > self.ticks.end => false,
            // A header that declares no ticks is still about its first one.
            _ => {
                let first = header.first_tick;
                self.overlaps(first..header.end_tick().max(first + 1))
            }
        }
    }

    fn overlaps(&self, ticks: Range<Tick>) -> bool {
        ticks.start < self.ticks.end && ticks.end > self.ticks.start
    }

    /// Begins the new tape, with gaps for the time before the cut and for what `tape` lost in it.
    /// Then it takes the chunks that the cut [keeps](Self::keeps).
    pub fn rewriter(&self, tape: &Tape, header: TapeHeader) -> Result<Rewriter> {
        let metadata = tape.metadata.as_bytes();
        let metadata = if metadata.is_empty() { b"{}" } else { metadata };
        let rewriter = match self.views {
            Some(views) => Rewriter::cut(header, metadata, views),
            None => Rewriter::copy(header, metadata),
        };
        let mut rewriter = rewriter?.within(self.ticks.clone());
        let lost = tape.gaps_when_finished().into_iter().filter_map(|gap| gap.within(&self.ticks));
        self.time_before().into_iter().chain(lost).try_for_each(|gap| rewriter.gap(&gap))?;
        tape.chunks
            .iter()
            .filter(|entry| !self.keeps(entry))
            .for_each(|entry| rewriter.pass_over(self.reason(&entry.header), &entry.header));
        Ok(rewriter)
    }

    /// Why a chunk is not in the cut.
    fn reason(&self, header: &ChunkHeader) -> DropReason {
        let is_hidden = self.views.is_some_and(|views| {
            header.views != ViewSet::ALL && header.views.and(views).is_empty()
        });
        if is_hidden { DropReason::OtherViews } else { DropReason::OutsideTime }
    }

    /// Says where the tape begins.
    fn time_before(&self) -> Option<Gap> {
        let tick_count = u32::try_from(self.ticks.start.0).unwrap_or(u32::MAX);
        (tick_count > 0).then(|| Gap {
            cause: GapCause::CUT,
            kind: ChunkKind(0),
            stream: 0,
            count: 0,
            bytes: 0,
            views: self.views.unwrap_or(ViewSet::ALL),
            first_tick: Tick::ZERO,
            tick_count,
        })
    }
}

/// Refuses what would be an empty cut.
fn check_ticks(tape: &Tape, asked: &Range<Tick>) -> Result<()> {
    let Range { start, end } = asked;
    if asked.is_empty() {
        return Err(Error::misuse("cut", format!("nothing is between {start} and {end}")));
    }
    let last = tape.summary.end_tick;
    if *start > Tick::ZERO && *start >= last {
        let problem = format!("tick {start} is after the end, which is at {last}");
        return Err(Error::misuse("cut", problem));
    }
    Ok(())
}

/// A run of keyframes that build on each other: stream and views.
type Run = (u16, u16);

/// The first tick whose frames are needed, and the offsets of the keyframes in the cut.
fn choose_keyframes(
    index: &KeyframeIndex,
    views: Option<ViewSet>,
    asked: &Range<Tick>,
) -> (Tick, BTreeSet<u64>) {
    let is_wanted =
        |set: ViewSet| views.is_none_or(|views| set == ViewSet::ALL || !set.and(views).is_empty());
    let wanted = index.entries().iter().filter(|entry| is_wanted(entry.views));
    let runs: BTreeSet<Run> = wanted.map(|entry| (entry.stream, entry.views.bits())).collect();
    let mut start = if runs.is_empty() { Tick::ZERO } else { asked.start };
    let mut offsets = BTreeSet::new();
    for run in runs {
        let (entered, chosen) = choose_of_run(index, run, asked);
        start = start.min(entered);
        let ranges = index.plan_ranges(&chosen);
        offsets.extend(ranges.into_iter().map(|range| range.start));
    }
    (start, offsets)
}

/// The keyframe of a run that the first tick is reached from, with what it builds on, and all later
/// ones that build on kept ones; with the tick of the first.
fn choose_of_run(index: &KeyframeIndex, run: Run, asked: &Range<Tick>) -> (Tick, Vec<usize>) {
    let plan = index.plan(asked.start, |entry| (entry.stream, entry.views.bits()) == run);
    let mut chosen = plan.unwrap_or_default();
    let tick = |&number: &usize| index.entries()[number].tick;
    let entered = chosen.last().map(tick);
    let mut kept: BTreeSet<Tick> = chosen.iter().map(tick).collect();
    for (number, entry) in index.entries().iter().enumerate() {
        let is_later = entered.is_none_or(|entered| entry.tick > entered) && entry.tick < asked.end;
        let is_ours = (entry.stream, entry.views.bits()) == run;
        let is_usable = entry.baseline_tick().is_none_or(|baseline| kept.contains(&baseline));
        if is_later && is_ours && is_usable {
            kept.insert(entry.tick);
            chosen.push(number);
        }
    }
    (entered.unwrap_or_default(), chosen)
}
