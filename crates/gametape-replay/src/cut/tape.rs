//! Cutting a tape.

use std::collections::BTreeMap;
use std::ops::Range;

use gametape_tape::{ChunkKind, Cut, Tape};
use gametape_wire::{Error, Result, Source, Tick, TickLength, ViewSet};

use super::CutRequest;
use crate::open::visit_chunks;
use crate::rewrite::{Put, derived_header};

/// What a cut of a tape does not have, and what it has in addition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
#[must_use]
pub struct TapeCut {
    /// The first tick, where that is before the one that was asked for.
    pub earlier_start: Option<u64>,
    /// How many keyframes are in it.
    pub keyframes: u64,
    /// How many keyframes of the tape are not in it.
    pub dropped_keyframes: u64,
    /// How many chunks of which other kinds were dropped.
    pub dropped: BTreeMap<ChunkKind, u32>,
    /// What the tape had lost before, in the cut or not.
    pub lost: Vec<String>,
}

impl TapeCut {
    /// What is different from the tape, one line each.
    #[must_use]
    pub fn changes(&self) -> Vec<String> {
        let mut changes = Vec::new();
        if let Some(tick) = self.earlier_start {
            let why =
                if self.keyframes == 0 { "there is no keyframe" } else { "a keyframe is there" };
            changes.push(format!("it begins at tick {tick}: {why}"));
        }
        if self.dropped_keyframes > 0 {
            changes.push(format!("{} dropped", count(self.dropped_keyframes, "keyframe")));
        }
        for (kind, chunks) in &self.dropped {
            changes.push(format!("{} of kind {kind} dropped", count((*chunks).into(), "chunk")));
        }
        changes
    }
}

/// Writes some views or ticks of a tape as another tape.
///
/// It begins with the last keyframe at or before the first tick, so that it plays there as the whole
/// tape does. Refused where the tape does not have one of the views, or nothing would be in the cut.
pub fn cut_tape<S: Source>(
    source: &mut S,
    tape: &Tape,
    request: &CutRequest,
    put: &mut Put<'_>,
) -> Result<TapeCut> {
    check_views(tape, request.views)?;
    let length = TickLength::from_micros(tape.front.tick_length).unwrap_or(TickLength::MILLISECOND);
    let asked = request.ticks(length, Tick(tape.summary.end_tick))?;
    let views = (!request.views.is_empty()).then_some(request.views);
    let cut = Cut::new(tape, views, asked.clone())?;
    let header = derived_header(&[tape.front], &done(views, &asked))?;
    let mut rewriter = cut.rewriter(tape, header)?;
    let kept = tape.chunks.iter().filter(|entry| cut.keeps(entry));
    visit_chunks(source, kept, |chunk| {
        rewriter.chunk(chunk)?;
        put(&rewriter.take())
    })?;
    let end = rewriter.finish()?;
    put(&end.bytes)?;
    Ok(TapeCut {
        earlier_start: Some(cut.ticks().start).filter(|start| *start < asked.start),
        keyframes: cut.keyframes() as u64,
        dropped_keyframes: (tape.keyframes.entries().len() - cut.keyframes()) as u64,
        dropped: end.dropped,
        lost: lost(tape),
    })
}

/// The views that somebody has: those of frames, orders and keyframes, where the index was read.
/// The summary also counts those who may know a setup.
#[must_use]
pub fn views_of(tape: &Tape) -> ViewSet {
    let own = tape.chunks.iter().map(|entry| &entry.header).filter(|header| {
        header.kind.is_framed() || (header.kind.is_keyframe() && header.views != ViewSet::ALL)
    });
    let views = own.fold(ViewSet::EMPTY, |views, header| views.or(header.views));
    if views.is_empty() { tape.summary.views } else { views }
}

/// Refuses views that the tape does not have.
fn check_views(tape: &Tape, views: ViewSet) -> Result<()> {
    let there = views_of(tape);
    let absent = views.without(there);
    if absent.is_empty() {
        return Ok(());
    }
    Err(Error::misuse("cut", format!("it has views {there}, and not {absent}")))
}

/// What the tape had lost before, in the cut or not.
fn lost(tape: &Tape) -> Vec<String> {
    let damages = tape.damages.iter().map(ToString::to_string);
    let missing = tape.missing.iter().map(|run| count(run.len() as u64, "chunk") + " missing");
    let misplaced = tape.misplaced().map(|entry| {
        format!("the ticks of chunk {}, {}, go back", entry.header.sequence, entry.header.kind)
    });
    damages.chain(missing).chain(misplaced).collect()
}

/// What is done, in words that differ between cuts.
fn done(views: Option<ViewSet>, asked: &Range<u64>) -> String {
    let views = views.map_or("all".to_owned(), |views| views.to_string());
    format!("cut {views} {}..{}", asked.start, asked.end)
}

fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
