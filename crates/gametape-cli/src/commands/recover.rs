//! `gametape recover`: what is left of a damaged or unfinished tape.

use std::ops::Range;

use gametape_tape::{ChunkKind, Damage, Gap, Recovered, Rewriter, TapeHeader};
use gametape_wire::{Error, Result as WireResult};
use serde::Serialize;

use crate::failure::{Done, Failure, Outcome, note, warn};
use crate::output::{Output, Target, print_json};
use crate::rewrite::TapeResultArgs;
use crate::tape::{TapeFile, new_front};
use crate::text::{count, thousands};

/// Save what is whole of a damaged or unfinished tape, and tell what was lost
///
/// Keeps every whole chunk, writes the index anew, and puts a gap where something is missing.
/// Nothing is invented. A tape that was only not finished keeps id, chain and signatures, and the
/// exit code is 0. If anything was lost, the result is a new tape with an id of its own and without
/// signatures, and the exit code is 3.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    files: TapeResultArgs,

    /// How long a tick lasts, in microseconds: needed only where front and summary are both lost
    #[arg(long, value_name = "US", value_parser = clap::value_parser!(u32).range(1..))]
    tick_us: Option<u32>,
}

const EXAMPLES: &str = r#"With --json:
  {"file","output","finished","kept_chunks","lost_chunks","lost_bytes","lost_ticks",
   "dropped":{kind: chunks},"damages":[{"start","end","what","kind","chunk","first_tick",
   "end_tick"}],"missing":[{"first","last"}]}
"finished" says whether the tape had a trailer; "dropped" is what was whole and could not be copied,
signatures most of all; "missing" are numbers of chunks of which nothing is left.

Examples:
  gametape recover crashed.tape whole.tape
  gametape recover --json crashed.tape whole.tape | jq .lost_ticks"#;

/// More damages than these are counted, not shown.
const SHOWN_DAMAGES: usize = 20;

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let target = self.files.result.target()?;
        let mut file = self.files.tape.source.open_as_tape()?;
        let found = file.recover()?;
        let mut report = Report::of(&file, target, &found);
        if found.chunks.is_empty() && found.front.is_none() {
            let problem = "there is no whole chunk of a tape in it".into();
            let kind = gametape_wire::ErrorKind::BadSyntax { problem };
            return Err(file.failure(&Error::at(0, "tape", kind)));
        }
        let mut out = target.open(&file.source)?;
        if !found.is_undamaged() {
            report.dropped = self.repair(&mut file, &found, &mut out)?;
        } else if found.is_finished {
            let all = 0..file.length()?;
            file.copy(&all, |bytes| out.put(bytes))?;
        } else {
            finish(&mut file, found, &mut out)?;
        }
        out.finish()?;
        report.tell(self.files.result.json)
    }

    /// Writes a new tape of what is whole; says how many chunks could not be copied.
    fn repair(
        &self,
        file: &mut TapeFile,
        found: &Recovered,
        out: &mut Output,
    ) -> Result<Dropped, Failure> {
        let source = file.source.clone();
        let failed = |error: Error| Failure::of(&source, &error);
        let front = self.front(found).map_err(failed)?;
        let metadata = found.metadata.as_deref().unwrap_or(b"{}");
        let mut rewriter = Rewriter::repair(front, metadata).map_err(failed)?;
        file.visit("recovering", &found.chunks, |chunk| {
            rewriter.chunk(chunk).map_err(failed)?;
            out.put(&rewriter.take())
        })?;
        found.gaps().iter().try_for_each(|gap| rewriter.gap(gap)).map_err(failed)?;
        out.put(&rewriter.take())?;
        let end = rewriter.finish().map_err(failed)?;
        out.put(&end.bytes)?;
        Ok(end.dropped.iter().map(|(kind, chunks)| (kind.to_string(), *chunks)).collect())
    }

    fn front(&self, found: &Recovered) -> WireResult<TapeHeader> {
        let given = self.tick_us.map(|length| TapeHeader::new(length, 0)).transpose()?;
        match found.front.or(given) {
            Some(front) => new_front(&[front], "recover"),
            None => {
                Err(Error::misuse("front", "it is lost: --tick-us must say how long a tick is"))
            }
        }
    }
}

/// Ends a tape that is whole as far as it goes.
fn finish(file: &mut TapeFile, found: Recovered, out: &mut Output) -> Result<(), Failure> {
    let end = found.end;
    let mut writer = found.resume().map_err(|error| file.failure(&error))?;
    file.copy(&(0..end), |bytes| out.put(bytes))?;
    out.put(&writer.take())?;
    out.put(&writer.finish().map_err(|error| file.failure(&error))?)
}

type Dropped = std::collections::BTreeMap<String, u32>;

#[derive(Serialize)]
struct Report {
    file: String,
    output: String,
    finished: bool,
    kept_chunks: usize,
    lost_chunks: u64,
    lost_bytes: u64,
    lost_ticks: u64,
    dropped: Dropped,
    damages: Vec<Hole>,
    missing: Vec<Run>,
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
    fn of(file: &TapeFile, target: &Target, found: &Recovered) -> Self {
        let damages: Vec<Hole> = found.damages.iter().map(|one| Hole::of(found, one)).collect();
        let with_header = found
            .damages
            .iter()
            .filter(|damage| damage.header.is_some_and(|header| header.kind != ChunkKind::INDEX));
        let missing: u64 = found.missing.iter().map(|run| run.len() as u64).sum();
        Self {
            file: file.source.to_string(),
            output: target.to_string(),
            finished: found.is_finished,
            kept_chunks: found.chunks.len(),
            lost_chunks: with_header.count() as u64 + missing,
            lost_bytes: damages.iter().map(|hole| hole.end - hole.start).sum(),
            lost_ticks: covered(found.gaps().iter().map(ticks_of)),
            dropped: Dropped::new(),
            damages,
            missing: found
                .missing
                .iter()
                .map(|run| Run { first: run.start, last: run.end - 1 })
                .collect(),
        }
    }

    fn tell(&self, json: bool) -> Outcome {
        let lost = !self.damages.is_empty() || !self.missing.is_empty();
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
        for (kind, chunks) in &self.dropped {
            let many = count((*chunks).into(), "chunk");
            note(
                &self.file,
                format_args!("{many} of kind {kind} left out: not valid in a new tape"),
            );
        }
        note(&self.file, self.conclusion(lost));
        Ok(Done::lost_if(lost))
    }

    fn conclusion(&self, lost: bool) -> String {
        let kept = count(self.kept_chunks as u64, "chunk");
        match (lost, self.finished) {
            (false, true) => format!("nothing was lost: {kept}, copied as they are"),
            (false, false) => format!("nothing was lost: {kept}, now finished"),
            (true, _) => {
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
    gap.first_tick..gap.first_tick + u64::from(gap.tick_count)
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
