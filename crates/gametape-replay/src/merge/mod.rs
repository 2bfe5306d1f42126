//! Several tapes of one match as one: `spec/tape-contents.md`, section 6.

mod cursor;
mod lanes;
mod metadata;
mod units;

use gametape_tape::{Chunk, ChunkEntry, ChunkKind, Depth, Tape, TapeHeader, TapeWriter};
use gametape_wire::{Error, ErrorKind, Place, Result, Source};

use crate::open::open_tape;
use crate::recover::unwritten_text;
use crate::rewrite::{Put, derived_header};
use crate::text::count;
use lanes::Lanes;
use units::Units;

/// A tape that is to be joined with others.
#[derive(Debug)]
pub struct MergeInput<S> {
    name: String,
    source: S,
    tape: Tape,
}

impl<S: Source> MergeInput<S> {
    /// Opens a tape; `name` is what errors call it.
    pub fn open(name: impl Into<String>, mut source: S) -> Result<Self> {
        let tape = open_tape(&mut source, Depth::Index)?;
        Ok(Self { name: name.into(), source, tape })
    }

    /// What errors call it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is in the tape.
    #[must_use]
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// What of it is lost, and declared by a gap in the joined tape.
    #[must_use]
    pub fn lost(&self) -> Vec<String> {
        let damages = self.tape.damages.iter().map(ToString::to_string);
        let missing = self.tape.missing.iter();
        let missing = missing.map(|run| count(run.len() as u64, "chunk") + " missing");
        let unwritten = self.tape.unwritten();
        damages.chain(missing).chain(unwritten.as_ref().map(unwritten_text)).collect()
    }

    /// How many signatures it has; the joined tape has none.
    #[must_use]
    pub fn signatures(&self) -> u64 {
        self.tape.summary.kind(ChunkKind::SIGNATURE).map_or(0, |row| row.chunks.into())
    }

    /// It does not fit to those before it.
    #[cold]
    fn contradicts(&self, problem: String) -> Error {
        let kind = ErrorKind::BadSyntax { problem: problem.into() };
        Error::new(Place::Nowhere, self.name.clone(), kind)
    }

    /// Does something with a chunk.
    fn chunk<T>(
        &mut self,
        entry: &ChunkEntry,
        look: impl FnOnce(&Chunk<'_>) -> Result<T>,
    ) -> Result<T> {
        let read = self.source.fetch(entry.range());
        let looked = read.and_then(|bytes| look(&entry.read(&bytes)?));
        looked.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: Error) -> Error {
        error.within(&self.name)
    }
}

/// What joining tapes led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
#[must_use]
pub struct Merged {
    /// Ticks at which several tapes have orders, of which nobody knows which came first.
    pub unordered_ticks: u64,
}

/// Joins tapes of one match: its parts one after the other, or what each view received.
///
/// Every view receives what it received in any of the tapes, in the same order. What several tapes
/// have is taken once; tapes that contradict each other are refused. Reads every chunk at most twice
/// and holds few chunks at a time.
pub fn merge<S: Source>(inputs: &mut [MergeInput<S>], put: &mut Put<'_>) -> Result<Merged> {
    let header = derived_header(&headers(inputs)?, "merge")?;
    let metadata = metadata::joined(inputs)?;
    let mut writer = TapeWriter::new(header, metadata.as_bytes())?;
    let mut units = Units::of(inputs);
    let mut lanes = Lanes::of(inputs);
    loop {
        match (units.next_tick(), lanes.next_tick()) {
            // A keyframe is before the frames of its tick.
            (Some(unit), tick) if tick.is_none_or(|tick| unit <= tick) => {
                units.write_next(inputs, &mut writer, put)?;
            }
            (_, Some(_)) => lanes.write_tick(inputs, &mut writer, put)?,
            (_, None) => break,
        }
    }
    for input in &*inputs {
        input.tape.gaps_when_finished().iter().try_for_each(|gap| writer.gap(gap))?;
    }
    if let Some(closing) = metadata::joined_closing(inputs)? {
        writer.closing_metadata(closing.as_bytes())?;
    }
    put(&writer.take())?;
    put(&writer.finish()?)?;
    Ok(Merged { unordered_ticks: lanes.unordered_ticks })
}

/// The headers of all tapes, which have ticks of one length.
fn headers<S: Source>(inputs: &[MergeInput<S>]) -> Result<Vec<TapeHeader>> {
    let headers: Vec<TapeHeader> = inputs.iter().map(|input| input.tape.header).collect();
    let Some(first) = headers.first() else {
        return Err(Error::misuse("merge", "there are no tapes to join"));
    };
    match inputs.iter().find(|input| input.tape.header.tick_length != first.tick_length) {
        None => Ok(headers),
        Some(other) => {
            let [ours, theirs] =
                [first, &other.tape.header].map(|header| header.tick_length.micros());
            let before = &inputs[0].name;
            Err(other.contradicts(format!("it has ticks of {theirs} µs, {before} of {ours} µs")))
        }
    }
}
