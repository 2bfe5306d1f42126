//! What is left of a damaged or unfinished tape.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use gametape_tape::{
    ChunkKind, Damage, Dropped, Gap, Level, Recovered, Recovery, Remedy, Rewriter, TapeHeader,
    Verifier,
};
use gametape_wire::{
    Arrange, Error, Result, Source, Tick, TickLength, TickRange, WatchedSource, drive,
};
use serde::Serialize;

use crate::open::visit_chunks;
use crate::rewrite::{Put, copy_bytes, derived_header, put_segments};
use crate::text::count;
use crate::verify::visit_keyframes;

/// A tape that was searched for everything that is whole.
///
/// ```
/// use gametape_replay::recover::FoundTape;
/// use gametape_tape::{TapeHeader, TapeWriter};
/// use gametape_wire::{Tick, TickLength, View};
///
/// let mut writer = TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), b"{}")?;
/// writer.frame(0, Tick::ZERO, &[(View::SPECTATOR, b"moved")])?;
/// writer.flush()?;
/// let mut unfinished = writer.take();
///
/// let mut whole = Vec::new();
/// let found = FoundTape::search(&mut unfinished)?.unwrap();
/// let report = found.write(&mut unfinished, None, &mut |bytes| {
///     whole.extend_from_slice(bytes);
///     Ok(())
/// })?;
/// assert!(!report.is_lossy() && whole.len() > unfinished.len());
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct FoundTape {
    found: Recovered,
    remedy: Remedy,
    /// Where the keyframes are that restore.
    sound_keyframes: BTreeSet<u64>,
}

impl FoundTape {
    /// Searches all bytes for chunks of a tape, whatever they begin with; `None` where there is
    /// nothing of a tape.
    pub fn search<S: Source>(source: &mut S) -> Result<Option<Self>> {
        let source = &mut WatchedSource::new(source);
        let mut recovery = Recovery::new(source.length()).with_chain();
        drive(&mut recovery, source)?;
        let found = recovery.finish();
        if found.chunks.is_empty() && found.header.is_none() {
            return Ok(None);
        }
        let (remedy, sound_keyframes) = remedy(source, &found)?;
        Ok(Some(Self { found, remedy, sound_keyframes }))
    }

    /// Is there a whole chunk?
    #[must_use]
    pub fn has_chunks(&self) -> bool {
        !self.found.chunks.is_empty()
    }

    /// Writes a tape that passes verification. `tick_length` is
    /// used where the header and the summary are both lost.
    pub fn write<S: Source>(
        &self,
        source: &mut S,
        tick_length: Option<TickLength>,
        put: &mut Put<'_>,
    ) -> Result<TapeRecovery> {
        let mut report = TapeRecovery::of(&self.found, self.remedy);
        match self.remedy {
            Remedy::Keep => copy_bytes(source, 0..source.length(), put)?,
            Remedy::Rebuild => drop(put_segments(source, &self.found.rebuild()?, put)?),
            _ => report.drop(self.repair(source, tick_length, put)?),
        }
        Ok(report)
    }

    /// Writes a new tape of what is sound; returns what could not be copied.
    fn repair<S: Source>(
        &self,
        source: &mut S,
        tick_length: Option<TickLength>,
        put: &mut Put<'_>,
    ) -> Result<Vec<Dropped>> {
        let found = &self.found;
        let (header, metadata) = (self.header(tick_length)?, found.metadata_or_empty());
        let mut rewriter = Rewriter::repair(header, metadata, self.sound_keyframes.clone())?;
        visit_chunks(source, &found.chunks, |chunk| {
            rewriter.chunk(chunk)?;
            put(&rewriter.take())
        })?;
        found.gaps().iter().try_for_each(|gap| rewriter.gap(gap))?;
        put(&rewriter.take())?;
        let end = rewriter.finish()?;
        put(&end.bytes)?;
        Ok(end.dropped)
    }

    fn header(&self, tick_length: Option<TickLength>) -> Result<TapeHeader> {
        let given = tick_length.map(|length| TapeHeader::new(length, 0));
        match self.found.header.or(given) {
            Some(header) => derived_header(&[header], "recover"),
            None => {
                Err(Error::misuse("header", "it is lost: --tick-us must say how long a tick is"))
            }
        }
    }
}

/// What must be done to the tape so that it passes verification, and where its sound keyframes are.
fn remedy<S: Source>(source: &mut S, found: &Recovered) -> Result<(Remedy, BTreeSet<u64>)> {
    let mut verifier = Verifier::new(source.length(), Level::Chain, None)?;
    drive(&mut verifier, source)?;
    let verified = verifier.finish();
    let (mut sound, mut are_all) = (BTreeSet::new(), true);
    visit_keyframes(source, &found.keyframes(), |offset, restored| match restored {
        Ok(()) => drop(sound.insert(offset)),
        Err(_) => are_all = false,
    })?;
    Ok((found.remedy(verified.passed(), verified.chunks_are_sound(), are_all), sound))
}

/// What recovering a tape came to; serialises as what `gametape recover --json` prints, without the
/// names of files.
#[derive(Debug, Serialize)]
pub struct TapeRecovery {
    finished: bool,
    kept_chunks: usize,
    lost_chunks: u64,
    lost_bytes: u64,
    lost_ticks: u64,
    dropped: BTreeMap<String, u32>,
    damages: Vec<Hole>,
    missing: Vec<Run>,
    /// Ticks of which events are there, and frames and orders were never written.
    #[serde(skip_serializing_if = "Option::is_none")]
    unwritten: Option<Ticks>,
    #[serde(skip)]
    left_out: Vec<Dropped>,
    #[serde(skip)]
    remedy: Remedy,
}

/// Bytes that are lost.
#[derive(Debug, Serialize)]
struct Hole {
    start: u64,
    end: u64,
    what: String,
    kind: Option<String>,
    chunk: Option<u32>,
    first_tick: Tick,
    end_tick: Tick,
    #[serde(skip)]
    text: String,
}

/// A range of ticks.
#[derive(Debug, Serialize)]
struct Ticks {
    first_tick: Tick,
    end_tick: Tick,
}

/// Numbers of chunks of which nothing is left.
#[derive(Debug, Serialize)]
struct Run {
    first: u32,
    last: u32,
}

impl TapeRecovery {
    fn of(found: &Recovered, remedy: Remedy) -> Self {
        let lost = || found.damages.iter().filter(|damage| found.is_loss(damage));
        let damages: Vec<Hole> = lost().map(|one| Hole::of(found, one)).collect();
        let with_header =
            lost().filter(|damage| damage.header.is_some_and(|h| h.kind != ChunkKind::INDEX));
        let gaps = found.gaps();
        let timed = gaps.iter().filter(|gap| gap.tick_count > 0);
        let missing: u64 = found.missing.iter().map(|run| run.len() as u64).sum();
        Self {
            finished: found.is_finished,
            kept_chunks: found.chunks.len(),
            lost_chunks: with_header.count() as u64 + missing,
            lost_bytes: damages.iter().map(|hole| hole.end - hole.start).sum(),
            lost_ticks: covered(timed.map(Gap::ticks)),
            dropped: BTreeMap::new(),
            left_out: Vec::new(),
            damages,
            missing: found
                .missing
                .iter()
                .map(|run| Run { first: run.start, last: run.end - 1 })
                .collect(),
            unwritten: found
                .unwritten()
                .map(|ticks| Ticks { first_tick: ticks.start, end_tick: ticks.end }),
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

    /// Is something of the tape not in the result?
    #[must_use]
    pub fn is_lossy(&self) -> bool {
        self.remedy == Remedy::Repair
    }

    /// What is lost, a line each: bytes that are damaged, then chunks of which nothing is left, and what
    /// the recorder never wrote.
    #[must_use]
    pub fn losses(&self) -> (Vec<&str>, Vec<String>) {
        let missing = self.missing.iter().map(|Run { first, last }| match first == last {
            true => format!("nothing is left of chunk {first}"),
            false => format!("nothing is left of chunks {first} to {last}"),
        });
        let unwritten = self.unwritten.iter();
        let unwritten = unwritten.map(|ticks| unwritten_text(&(ticks.first_tick..ticks.end_tick)));
        let damages = self.damages.iter().map(|hole| &*hole.text).collect();
        (damages, missing.chain(unwritten).collect())
    }

    /// What was whole and could not be copied.
    #[must_use]
    pub fn left_out(&self) -> &[Dropped] {
        &self.left_out
    }

    /// All of it in one line.
    #[must_use]
    pub fn conclusion(&self) -> String {
        let kept = count(self.kept_chunks as u64, "chunk");
        match (self.remedy, self.finished) {
            (Remedy::Keep, _) => format!("it is sound: {kept}, copied as they are"),
            (Remedy::Rebuild, true) => "no chunk was lost; header and index rewritten".to_owned(),
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
        let when = TickRange::from(ticks.clone());
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

/// Says that frames and orders of some ticks were given and not written.
pub(crate) fn unwritten_text(ticks: &Range<Tick>) -> String {
    let ticks = TickRange::from(ticks.clone());
    format!("frames and orders of {ticks}, which were never written")
}

/// How many ticks are in at least one of the ranges.
fn covered(ranges: impl Iterator<Item = Range<Tick>>) -> u64 {
    let mut ranges: Vec<Range<Tick>> = ranges.collect();
    ranges.arrange_by_key(|range| range.start);
    let mut end = Tick::ZERO;
    let mut ticks = 0;
    for range in ranges {
        let start = range.start.max(end);
        ticks += range.end.since(start);
        end = end.max(range.end);
    }
    ticks
}

#[cfg(test)]
mod tests {
    use gametape_tape::TapeWriter;
    use gametape_wire::View;

    use super::*;

    #[test]
    #[allow(clippy::single_range_in_vec_init)]
    fn ticks_are_counted_once() {
        let ranges = [5..9, 0..2, 7..10, 3..3].map(|ticks| Tick(ticks.start)..Tick(ticks.end));
        assert_eq!(covered(ranges.into_iter()), 7);
        assert_eq!(covered([].into_iter()), 0);
    }

    /// A tape of many chunks whose header and first chunks are gone.
    #[test]
    fn a_tape_without_its_beginning_is_found() {
        let mut writer =
            TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), b"{}").unwrap();
        for tick in 0..1000 {
            writer.frame(0, Tick(tick), &[(View::SPECTATOR, b"moved")]).unwrap();
            writer.flush().unwrap();
        }
        let mut bytes = [writer.take(), writer.finish().unwrap()].concat();
        bytes[..20_000].fill(0);
        let found = FoundTape::search(&mut bytes).unwrap().unwrap();
        let mut whole = Vec::new();
        let report = found.write(&mut bytes, Some(TickLength::millis::<50>()), &mut |piece| {
            whole.extend_from_slice(piece);
            Ok(())
        });
        let report = report.unwrap();
        assert!(report.is_lossy() && report.lost_ticks > 100, "{report:?}");
        let again = FoundTape::search(&mut whole).unwrap().unwrap();
        assert_eq!(again.remedy, Remedy::Keep);
        assert!(FoundTape::search(&mut vec![0_u8; 50_000]).unwrap().is_none());
    }
}
