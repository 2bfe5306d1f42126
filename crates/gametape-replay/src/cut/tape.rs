//! Cutting a tape.

use std::ops::Range;

use gametape_analysis::OwnEvents;
use gametape_tape::{Chunk, ChunkKind, Cut, DropReason, Dropped, Tape};
use gametape_wire::{Result, Source, Tick, ViewSet};

use super::CutRequest;
use super::minewars::unreliable_text;
use super::thin::Thinner;
use crate::metadata::{for_views, without_outcome};
use crate::open::visit_chunks;
use crate::recover::unwritten_text;
use crate::rewrite::{Put, derived_header};
use crate::text::count;

/// What a cut of a tape does not have, and what it has in addition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
#[must_use]
pub struct TapeCut {
    /// The first tick, where that is before the one that was asked for.
    pub earlier_start: Option<Tick>,
    /// How many keyframes are in it.
    pub keyframes: u64,
    /// What of the tape is not in it, and why.
    pub dropped: Vec<Dropped>,
    /// Messages of class Unreliable that were left out.
    pub unreliable: u64,
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
        // What is at other ticks was asked to be left out; what unknown kinds mean is not known.
        let is_news =
            |row: &&Dropped| row.reason != DropReason::OutsideTime || !row.kind.is_known();
        let news = self.dropped.iter().filter(is_news);
        changes.extend(news.map(|row| format!("left out: {row}")));
        changes.extend((self.unreliable > 0).then(|| unreliable_text(self.unreliable)));
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
    let asked = request.ticks(tape.header.tick_length, tape.summary.end_tick)?;
    let views = (!request.views.is_empty()).then_some(request.views);
    let cut = Cut::new(tape, views, asked.clone())?;
    let mut thinner = match request.without_unreliable {
        true => Some(Thinner::new(tape, cut.ticks().start)?),
        false => None,
    };
    let what = done(views, &asked, request.without_unreliable);
    let header = derived_header(&[tape.header], &what)?;
    let mut rewriter = cut.rewriter(tape, header)?.with_events(OwnEvents::new());
    let kept = tape.chunks.iter().filter(|entry| cut.keeps(entry));
    let ends_early = cut.ticks().end < tape.summary.end_tick;
    visit_chunks(source, kept, |chunk| {
        match &tape.closing {
            Some(closing) if is_closing(chunk) => {
                // How the match ended is not known yet where the cut ends.
                let closing = if ends_early { without_outcome(closing) } else { closing.clone() };
                let closing = match views {
                    Some(views) => for_views(&closing, &tape.metadata, views),
                    None => closing,
                };
                rewriter.closing_metadata(closing.as_bytes())?;
            }
            _ => match &mut thinner {
                Some(thinner) => thinner.chunk(chunk, &mut |chunk| rewriter.chunk(chunk))?,
                None => rewriter.chunk(chunk)?,
            },
        }
        put(&rewriter.take())
    })?;
    let end = rewriter.finish()?;
    put(&end.bytes)?;
    Ok(TapeCut {
        earlier_start: Some(cut.ticks().start).filter(|start| *start < asked.start),
        keyframes: cut.keyframes() as u64,
        dropped: end.dropped,
        unreliable: thinner.map_or(0, |thinner| thinner.left_out()),
        lost: lost(tape, &cut.ticks()),
    })
}

fn is_closing(chunk: &Chunk<'_>) -> bool {
    (chunk.header.kind, chunk.header.stream) == (ChunkKind::METADATA, 1)
}

/// What the tape had lost before, in the cut or not, and what was never written of the cut's own ticks.
fn lost(tape: &Tape, ticks: &Range<Tick>) -> Vec<String> {
    let damages = tape.damages.iter().map(ToString::to_string);
    let missing = tape.missing.iter().map(|run| count(run.len() as u64, "chunk") + " missing");
    let misplaced = tape.misplaced().map(|entry| {
        format!("the ticks of chunk {}, {}, go back", entry.header.sequence, entry.header.kind)
    });
    let unwritten =
        tape.unwritten().filter(|lost| lost.start < ticks.end && lost.end > ticks.start);
    let unwritten = unwritten.as_ref().map(unwritten_text);
    damages.chain(missing).chain(misplaced).chain(unwritten).collect()
}

/// What is done, in words that differ between cuts.
fn done(views: Option<ViewSet>, asked: &Range<Tick>, is_thin: bool) -> String {
    let views = views.map_or("all".to_owned(), |views| views.to_string());
    let thin = if is_thin { " without unreliable" } else { "" };
    format!("cut {views} {}..{}{thin}", asked.start, asked.end)
}
