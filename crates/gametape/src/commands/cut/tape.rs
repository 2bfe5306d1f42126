//! Cutting a tape.

use std::collections::BTreeSet;
use std::ops::Range;

use gametape_tape::{ChunkEntry, ChunkKind, Depth, EVERYBODY, Gap, GapCause, Rewriter, Tape};
use gametape_wire::{Error, ViewSet};

use super::Args;
use crate::failure::{Failure, Outcome};
use crate::output::Target;
use crate::rewrite::Told;
use crate::tape::{TapeFile, new_front, views_of};
use crate::text::count;

pub(super) fn cut(file: &mut TapeFile, args: &Args) -> Outcome {
    let target = args.result.target()?;
    let tape = file.open(Depth::Index)?;
    let views = args.view.iter().copied().collect();
    let end = args.to.map_or(u64::MAX, |time| time.tick(&tape.front));
    let asked = args.from.tick(&tape.front)..end;
    cut_span(file, &tape, views, asked, target)?.tell(args.result.json)
}

/// Writes some ticks of a tape as another tape; all views if `views` is empty.
pub(in crate::commands) fn cut_span(
    file: &mut TapeFile,
    tape: &Tape,
    views: ViewSet,
    asked: Range<u64>,
    target: &Target,
) -> Result<Told, Failure> {
    let selection = Selection::of(tape, views, asked).map_err(|error| file.failure(&error))?;
    let source = file.source.clone();
    let failed = |error: Error| Failure::of(&source, &error);
    let front = new_front(&[tape.front], &selection.to_string()).map_err(failed)?;
    let rewriter = match selection.views {
        Some(views) => Rewriter::cut(front, tape.metadata.as_bytes(), views),
        None => Rewriter::repair(front, tape.metadata.as_bytes()),
    };
    let mut rewriter = rewriter.map_err(failed)?.within(selection.ticks.clone());
    if let Some(gap) = selection.gap() {
        rewriter.gap(&gap).map_err(failed)?;
    }
    let mut out = target.open(&source)?;
    let kept = tape.chunks.iter().filter(|entry| selection.keeps(entry));
    file.visit("cutting", kept, |chunk| {
        rewriter.chunk(chunk).map_err(failed)?;
        out.put(&rewriter.take())
    })?;
    let end = rewriter.finish().map_err(failed)?;
    out.put(&end.bytes)?;
    out.finish()?;
    let mut told = Told::new(&source, Some(target));
    told.changes.extend(selection.earlier_start());
    let keyframes = tape.keyframes.entries().len() - selection.keyframes.len();
    if keyframes > 0 {
        told.changes.push(format!("{} left out", count(keyframes as u64, "keyframe")));
    }
    for (kind, chunks) in &end.dropped {
        told.changes.push(format!("{} of kind {kind} left out", count((*chunks).into(), "chunk")));
    }
    told.lost = tape.damages.iter().map(ToString::to_string).collect();
    Ok(told)
}

/// What of a tape is in the cut.
struct Selection {
    views: Option<ViewSet>,
    /// The time that was asked for.
    asked: Range<u64>,
    /// The time of frames and orders in the cut: from a keyframe on.
    ticks: Range<u64>,
    /// Offsets of the keyframes.
    keyframes: BTreeSet<u64>,
}

impl std::fmt::Display for Selection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let views = self.views.map_or("all".to_owned(), |views| views.to_string());
        write!(f, "cut {views} {}..{}", self.asked.start, self.asked.end)
    }
}

impl Selection {
    fn of(tape: &Tape, views: ViewSet, asked: Range<u64>) -> gametape_wire::Result<Self> {
        check(tape, views, &asked)?;
        let views = (!views.is_empty()).then_some(views);
        let (start, keyframes) = keyframes(tape, views, &asked);
        Ok(Self { views, ticks: start..asked.end, asked, keyframes })
    }

    fn keeps(&self, entry: &ChunkEntry) -> bool {
        let header = &entry.header;
        match header.kind {
            kind if kind.is_keyframe() => self.keyframes.contains(&entry.offset),
            kind if !kind.has_ticks() => true,
            ChunkKind::GAP if header.tick_count == 0 => true,
            _ => header.first_tick < self.ticks.end && header.end_tick() > self.ticks.start,
        }
    }

    /// Says that nothing is known of the time before the cut.
    fn gap(&self) -> Option<Gap> {
        let tick_count = u32::try_from(self.ticks.start).unwrap_or(u32::MAX);
        (tick_count > 0).then(|| Gap {
            cause: GapCause::INTERRUPTED,
            kind: ChunkKind(0),
            stream: 0,
            count: 0,
            bytes: 0,
            views: self.views.unwrap_or(EVERYBODY),
            first_tick: 0,
            tick_count,
        })
    }

    /// Says when the cut begins, if that is before what was asked for.
    fn earlier_start(&self) -> Option<String> {
        let Range { start, .. } = self.ticks;
        let why =
            if self.keyframes.is_empty() { "there is no keyframe" } else { "a keyframe is there" };
        (start < self.asked.start).then(|| format!("it begins at tick {start}: {why}"))
    }
}

/// Refuses what would be an empty cut.
fn check(tape: &Tape, views: ViewSet, asked: &Range<u64>) -> gametape_wire::Result<()> {
    let there = views_of(tape);
    let absent = views.without(there);
    if !absent.is_empty() {
        return Err(Error::misuse("cut", format!("it has views {there}, and not {absent}")));
    }
    if asked.is_empty() {
        let problem = format!("nothing lies between {} and {}", asked.start, asked.end);
        return Err(Error::misuse("cut", problem));
    }
    if asked.start > 0 && asked.start >= tape.summary.end_tick {
        let end = tape.summary.end_tick;
        let problem = format!("tick {} is after the end, which is at {end}", asked.start);
        return Err(Error::misuse("cut", problem));
    }
    Ok(())
}

/// The first tick whose frames are needed, and the offsets of the keyframes in the cut.
fn keyframes(tape: &Tape, views: Option<ViewSet>, asked: &Range<u64>) -> (u64, BTreeSet<u64>) {
    let index = &tape.keyframes;
    let is_wanted = |set: ViewSet| views.is_none_or(|views| !set.and(views).is_empty());
    let streams: BTreeSet<(u16, u16)> = index
        .entries()
        .iter()
        .filter(|entry| is_wanted(entry.views))
        .map(|entry| (entry.stream, entry.views.bits()))
        .collect();
    let mut start = if streams.is_empty() { 0 } else { asked.start };
    let mut offsets = BTreeSet::new();
    for stream in streams {
        let plan = index.plan(asked.start, |entry| (entry.stream, entry.views.bits()) == stream);
        let plan = plan.unwrap_or_default();
        let entered = plan.last().map_or(0, |&place| index.entries()[place].tick);
        start = start.min(entered);
        let mut kept: BTreeSet<u64> =
            plan.iter().map(|&place| index.entries()[place].tick).collect();
        let mut places = plan;
        for (place, entry) in index.entries().iter().enumerate() {
            let is_later = entry.tick > entered || kept.is_empty();
            let is_ours = (entry.stream, entry.views.bits()) == stream && entry.tick < asked.end;
            let stands = entry.baseline_tick().is_none_or(|baseline| kept.contains(&baseline));
            if is_later && is_ours && stands {
                kept.insert(entry.tick);
                places.push(place);
            }
        }
        let ranges = index.plan_ranges(&places);
        offsets.extend(ranges.into_iter().map(|range| range.start));
    }
    (start, offsets)
}
