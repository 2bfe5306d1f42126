//! What is left of a damaged or unfinished tape.

use std::collections::BTreeMap;
use std::ops::Range;

use gametape_replay::verify::check_keyframes;
use gametape_tape::{
    ChunkKind, Damage, Dropped, Gap, Level, Recovered, Remedy, Rewriter, TapeHeader, Verifier,
};
use gametape_wire::{Error, ErrorKind, Result as WireResult};
use serde::Serialize;

use super::Args;
use crate::failure::{Done, Failure, Outcome, note, warn};
use crate::output::{Output, print_json};
use crate::tape::{TapeFile, new_front};
use crate::text::{count, thousands};

/// More damages than these are counted, not shown.
const SHOWN_DAMAGES: usize = 20;

impl Args {
    pub(super) fn recover_tape(&self, file: &mut TapeFile) -> Outcome {
        let found = file.recover()?;
        if found.chunks.is_empty() && found.header.is_none() {
            let problem = "there is no whole chunk of a tape in it".into();
            return Err(file.failure(&Error::at(0, "tape", ErrorKind::BadSyntax { problem })));
        }
        let remedy = remedy(file, &found)?;
        let output = self.target().map_or_else(|| file.source.to_string(), ToString::to_string);
        let mut report = Report::of(file, output, &found, remedy);
        let mut out = self.open(&file.source)?;
        match remedy {
            Remedy::Keep => {
                let all = 0..file.length()?;
                file.copy(&all, |bytes| out.put(bytes))?;
            }
            Remedy::Rebuild => {
                let segments = found.rebuild().map_err(|error| file.failure(&error))?;
                file.put_segments("writing", &segments, |bytes| out.put(bytes))?;
            }
            _ => report.drop(self.repair(file, &found, &mut out)?),
        }
        out.finish()?;
        report.print(self.json)
    }

    /// Writes a new tape of what is sound; returns how many chunks could not be copied.
    fn repair(
        &self,
        file: &mut TapeFile,
        found: &Recovered,
        out: &mut Output,
    ) -> Result<Vec<Dropped>, Failure> {
        let source = file.source.clone();
        let failed = |error: Error| Failure::of(&source, &error);
        let header = self.header(found).map_err(failed)?;
        let mut rewriter = Rewriter::repair(header, found.metadata_or_empty()).map_err(failed)?;
        file.visit("recovering", &found.chunks, |chunk| {
            rewriter.chunk(chunk).map_err(failed)?;
            out.put(&rewriter.take())
        })?;
        found.gaps().iter().try_for_each(|gap| rewriter.gap(gap)).map_err(failed)?;
        out.put(&rewriter.take())?;
        let end = rewriter.finish().map_err(failed)?;
        out.put(&end.bytes)?;
        Ok(end.dropped)
    }

    fn header(&self, found: &Recovered) -> WireResult<TapeHeader> {
        let given = self.tick_us.map(|length| TapeHeader::new(length, 0)).transpose()?;
        match found.header.or(given) {
            Some(header) => new_front(&[header], "recover"),
            None => {
                Err(Error::misuse("header", "it is lost: --tick-us must say how long a tick is"))
            }
        }
    }
}

/// What must be done to the tape so that it passes verification.
fn remedy(file: &mut TapeFile, found: &Recovered) -> Result<Remedy, Failure> {
    let length = file.length()?;
    let verifier = Verifier::new(length, Level::Chain, None);
    let mut verifier = verifier.map_err(|error| file.failure(&error))?;
    file.answer("verifying", &mut verifier)?;
    let verified = verifier.finish();
    let mut states_are_sound = true;
    check_keyframes(file, &found.keyframes(), |_| states_are_sound = false)
        .map_err(|error| file.failure(&error))?;
    Ok(found.remedy(verified.passed(), verified.chunks_are_sound(), states_are_sound))
}

#[derive(Serialize)]
struct Report {
    file: String,
    output: String,
    finished: bool,
    kept_chunks: usize,
    lost_chunks: u64,
    lost_bytes: u64,
    lost_ticks: u64,
    dropped: BTreeMap<String, u32>,
    damages: Vec<Hole>,
    missing: Vec<Run>,
    #[serde(skip)]
    left_out: Vec<Dropped>,
    #[serde(skip)]
    remedy: Remedy,
}

/// Bytes that are lost.
#[derive(Serialize)]
struct Hole {
    start: u64,
    end: u64,
    what: String,
    kind: Option<String>,
    chunk: Option<u32>,
    first_tick: u64,
    end_tick: u64,
    #[serde(skip)]
    text: String,
}

/// Numbers of chunks of which nothing is left.
#[derive(Serialize)]
struct Run {
    first: u32,
    last: u32,
}

impl Report {
    fn of(file: &TapeFile, output: String, found: &Recovered, remedy: Remedy) -> Self {
        let lost = || found.damages.iter().filter(|damage| found.is_loss(damage));
        let damages: Vec<Hole> = lost().map(|one| Hole::of(found, one)).collect();
        let with_header =
            lost().filter(|damage| damage.header.is_some_and(|h| h.kind != ChunkKind::INDEX));
        let missing: u64 = found.missing.iter().map(|run| run.len() as u64).sum();
        Self {
            file: file.source.to_string(),
            output,
            finished: found.is_finished,
            kept_chunks: found.chunks.len(),
            lost_chunks: with_header.count() as u64 + missing,
            lost_bytes: damages.iter().map(|hole| hole.end - hole.start).sum(),
            lost_ticks: covered(found.gaps().iter().map(ticks_of)),
            dropped: BTreeMap::new(),
            left_out: Vec::new(),
            damages,
            missing: found
                .missing
                .iter()
                .map(|run| Run { first: run.start, last: run.end - 1 })
                .collect(),
            remedy,
        }
    }

    /// Takes what was whole and could not be copied.
    fn drop(&mut self, rows: Vec<Dropped>) {
        for row in &rows {
            *self.dropped.entry(row.kind.to_string()).or_default() += row.chunks;
        }
        self.left_out = rows;
    }

    fn print(&self, json: bool) -> Outcome {
        let lost = self.remedy == Remedy::Repair;
        if json {
            print_json(self)?;
            return Ok(Done::lost_if(lost));
        }
        for hole in self.damages.iter().take(SHOWN_DAMAGES) {
            warn(&self.file, format_args!("lost: {}", hole.text));
        }
        if let Some(more @ 1..) = self.damages.len().checked_sub(SHOWN_DAMAGES) {
            warn(&self.file, format_args!("lost: {} more places", thousands(more as u64)));
        }
        for Run { first, last } in &self.missing {
            warn(&self.file, format_args!("lost: nothing is left of chunks {first} to {last}"));
        }
        for row in &self.left_out {
            note(&self.file, format_args!("left out: {row}"));
        }
        note(&self.file, self.conclusion());
        Ok(Done::lost_if(lost))
    }

    fn conclusion(&self) -> String {
        let kept = count(self.kept_chunks as u64, "chunk");
        match (self.remedy, self.finished) {
            (Remedy::Keep, _) => format!("it is sound: {kept}, copied as they are"),
            (Remedy::Rebuild, true) => format!("no chunk was lost: {kept}, put in order"),
            (Remedy::Rebuild, false) => format!(
                "no chunk was lost: {kept}, now finished; what the recorder had not written yet, \
                 frames or events, is not known"
            ),
            _ => {
                let chunks = count(self.lost_chunks, "chunk");
                let (bytes, ticks) =
                    (count(self.lost_bytes, "byte"), count(self.lost_ticks, "tick"));
                format!("{kept} kept; {chunks} lost, {bytes}, {ticks}")
            }
        }
    }
}

impl Hole {
    fn of(found: &Recovered, damage: &Damage) -> Self {
        let ticks = found.lost_ticks(damage);
        let when = match ticks.is_empty() {
            true => format!("around tick {}", ticks.start),
            false => format!("ticks {} to {}", ticks.start, ticks.end - 1),
        };
        Self {
            start: damage.range.start,
            end: damage.range.end,
            what: format!("{:?}", damage.kind).to_lowercase(),
            kind: damage.header.map(|header| header.kind.to_string()),
            chunk: damage.header.map(|header| header.sequence),
            first_tick: ticks.start,
            end_tick: ticks.end,
            text: format!("{damage}, {when}"),
        }
    }
}

/// The ticks of a gap: of a damage, or of chunks of which nothing is left.
fn ticks_of(gap: &Gap) -> Range<u64> {
    gap.ticks()
}

/// How many ticks are in at least one of the ranges.
fn covered(ranges: impl Iterator<Item = Range<u64>>) -> u64 {
    let mut ranges: Vec<Range<u64>> = ranges.collect();
    ranges.sort_by_key(|range| range.start);
    let mut end = 0;
    let mut ticks = 0;
    for range in ranges {
        let start = range.start.max(end);
        ticks += range.end.saturating_sub(start);
        end = end.max(range.end);
    }
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::single_range_in_vec_init)]
    fn ticks_are_counted_once() {
        assert_eq!(covered([5..9, 0..2, 7..10, 3..3].into_iter()), 7);
        assert_eq!(covered([].into_iter()), 0);
    }
}
