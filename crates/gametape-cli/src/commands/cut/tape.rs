//! Cutting a tape.

use std::ops::Range;

use gametape_analysis::OwnEvents;
use gametape_tape::{Cut, Depth, DropReason, Dropped, Tape};
use gametape_wire::{Error, ViewSet};

use super::Args;
use crate::failure::{Failure, Outcome};
use crate::output::Target;
use crate::rewrite::Told;
use crate::tape::{TapeFile, new_front};
use crate::text::count;

pub(super) fn cut(file: &mut TapeFile, args: &Args) -> Outcome {
    let target = args.result.target()?;
    let tape = file.open(Depth::Index)?;
    let views = args.view.iter().copied().collect();
    let end = args.to.map_or(u64::MAX, |time| time.tick(&tape.header));
    let asked = args.from.tick(&tape.header)..end;
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
    let source = file.source.clone();
    let failed = |error: Error| Failure::of(&source, &error);
    let views = (!views.is_empty()).then_some(views);
    let cut = Cut::new(tape, views, asked.clone()).map_err(failed)?;
    let front = new_front(&[tape.header], &done(views, &asked)).map_err(failed)?;
    let rewriter = cut.rewriter(tape, front).map_err(failed)?;
    let mut rewriter = rewriter.with_events(OwnEvents::new());
    let mut out = target.open(&source)?;
    let kept = tape.chunks.iter().filter(|entry| cut.keeps(entry));
    file.visit("cutting", kept, |chunk| {
        rewriter.chunk(chunk).map_err(failed)?;
        out.put(&rewriter.take())
    })?;
    let end = rewriter.finish().map_err(failed)?;
    out.put(&end.bytes)?;
    out.finish()?;
    let mut told = Told::new(&source, Some(target));
    told.changes.extend(earlier_start(&cut, &asked));
    // What is at other ticks was asked to be left out; of unknown kinds nobody knows what they mean.
    let is_news = |row: &&Dropped| row.reason != DropReason::OutsideTime || !row.kind.is_known();
    let news = end.dropped.iter().filter(is_news);
    told.changes.extend(news.map(|row| format!("left out: {row}")));
    told.lost = lost(tape);
    Ok(told)
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

/// What is done, in words that tell one cut from another.
fn done(views: Option<ViewSet>, asked: &Range<u64>) -> String {
    let views = views.map_or("all".to_owned(), |views| views.to_string());
    format!("cut {views} {}..{}", asked.start, asked.end)
}

/// Says when the cut begins, if that is before what was asked for.
fn earlier_start(cut: &Cut, asked: &Range<u64>) -> Option<String> {
    let Range { start, .. } = cut.ticks();
    let why = if cut.keyframes() == 0 { "there is no keyframe" } else { "a keyframe is there" };
    (start < asked.start).then(|| format!("it begins at tick {start}: {why}"))
}
