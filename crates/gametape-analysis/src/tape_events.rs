//! The events of a tape: nothing but events and names chunks is asked for.

use std::borrow::Cow;
use std::ops::Range;

use gametape_tape::{Chunk, ChunkEntry, ChunkKind, NameTable, Tape};
use gametape_wire::{Error, ErrorKind, Result};

use crate::block::{Events, KindSet};
use crate::kinds::EventStream;
use crate::table::AnalysisEvent;

/// Reads the string table of a tape. `fetch` gives the bytes of a range of the tape.
pub fn read_names<'b>(
    tape: &Tape,
    mut fetch: impl FnMut(Range<u64>) -> Result<Cow<'b, [u8]>>,
) -> Result<NameTable> {
    let mut names = NameTable::default();
    for entry in tape.stream(ChunkKind::NAMES, 0) {
        names.add(&entry.read(&fetch(entry.range())?)?)?;
    }
    Ok(names)
}

/// The events of a tape, ascending by tick, of one tick by stream.
///
/// The chunk table of the tape is the index: only blocks of wanted streams and ticks are asked
/// for. A block that cannot be read gives one error, and the events go on behind it.
pub struct TapeEvents<'t, F> {
    fetch: F,
    wanted: KindSet,
    ticks: Range<u64>,
    streams: Vec<StreamCursor<'t>>,
    skipped: u64,
}

/// Where the reading of one stream stands.
struct StreamCursor<'t> {
    stream: EventStream,
    entries: Vec<&'t ChunkEntry>,
    ready: std::iter::Peekable<std::vec::IntoIter<AnalysisEvent>>,
}

impl<'t, 'b, F: FnMut(Range<u64>) -> Result<Cow<'b, [u8]>>> TapeEvents<'t, F> {
    /// The events of these kinds and ticks. `fetch` gives the bytes of a range of the tape.
    pub fn new(tape: &'t Tape, wanted: KindSet, ticks: Range<u64>, fetch: F) -> Self {
        let cursor = |stream: EventStream| {
            let entries = tape.stream_at(ChunkKind::EVENTS, stream.number(), ticks.clone());
            let mut entries: Vec<_> = entries.collect();
            entries.reverse();
            StreamCursor { stream, entries, ready: Vec::new().into_iter().peekable() }
        };
        let streams = wanted.streams().map(cursor).collect();
        Self { fetch, wanted, ticks, streams, skipped: 0 }
    }

    /// How many events of unknown kinds were met so far.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Makes sure that every stream which goes on has an event ready.
    fn fill(&mut self) -> Result<()> {
        for place in 0..self.streams.len() {
            while self.streams[place].ready.peek().is_none() {
                let Some(entry) = self.streams[place].entries.pop() else { break };
                let events = self.read_block(self.streams[place].stream, entry)?;
                self.streams[place].ready = events.into_iter().peekable();
            }
        }
        Ok(())
    }

    fn read_block(
        &mut self,
        stream: EventStream,
        entry: &ChunkEntry,
    ) -> Result<Vec<AnalysisEvent>> {
        let bytes = (self.fetch)(entry.range())?;
        let chunk = entry.read(&bytes)?;
        let raw = chunk.raw()?;
        let mut events =
            Events::new(&raw, chunk.payload_offset())?.only(self.wanted).in_stream(stream);
        let mut wanted = Vec::new();
        for event in &mut events {
            let event = event?;
            if self.ticks.contains(&event.tick()) {
                wanted.push(event);
            }
        }
        self.skipped += u64::from(events.skipped());
        check_header(&chunk, &events)?;
        Ok(wanted)
    }
}

/// Does the header of a chunk say what is in it?
fn check_header(chunk: &Chunk<'_>, read: &Events<'_>) -> Result<()> {
    let header = &chunk.header;
    let is_right = header.detail == read.met()
        && read.first_tick() == Some(header.first_tick)
        && read.last_tick() + 1 == header.end_tick();
    if is_right {
        return Ok(());
    }
    let kind = ErrorKind::BadSyntax { problem: "its header does not say what is in it".into() };
    Err(Error::at(chunk.offset, "events chunk", kind))
}

impl<'b, F: FnMut(Range<u64>) -> Result<Cow<'b, [u8]>>> Iterator for TapeEvents<'_, F> {
    type Item = Result<AnalysisEvent>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.fill() {
            return Some(Err(error));
        }
        let ticks = self.streams.iter_mut().enumerate();
        let ticks = ticks.filter_map(|(place, s)| Some((s.ready.peek()?.tick(), place)));
        let (_, place) = ticks.min()?;
        self.streams[place].ready.next().map(Ok)
    }
}
