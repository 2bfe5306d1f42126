//! The events of a tape: nothing but events and names chunks is asked for.

use std::ops::Range;

use gametape_tape::{Chunk, ChunkEntry, ChunkKind, NameTable, Tape};
use gametape_wire::{Error, ErrorKind, Need, Result, SansIo, Source, Tick, check_range};

use crate::block::read::{Events, KindSet};
use crate::event::kinds::EventStream;
use crate::event::table::AnalysisEvent;

/// Reads the string table of a tape, all of it.
///
/// [`NameReader`] does the same for whoever has no [`Source`], or takes what is there.
pub fn read_names(tape: &Tape, mut source: impl Source) -> Result<NameTable> {
    let mut reader = NameReader::new(tape);
    reader.read_from(&mut source)?;
    match reader.problems.pop() {
        Some(problem) => Err(problem),
        None => Ok(reader.finish()),
    }
}

/// Reads the string table of a tape from bytes that somebody else fetches. An error of
/// [`supply`](SansIo::supply) costs the names of one chunk.
#[derive(Debug)]
pub struct NameReader<'t> {
    /// What is not read yet, the next one last.
    entries: Vec<&'t ChunkEntry>,
    names: NameTable,
    problems: Vec<Error>,
}

impl<'t> NameReader<'t> {
    /// Reads all names of a tape.
    #[must_use]
    pub fn new(tape: &'t Tape) -> Self {
        let mut entries: Vec<_> = tape.stream(ChunkKind::NAMES, 0).collect();
        entries.reverse();
        Self { entries, names: NameTable::default(), problems: Vec::new() }
    }

    /// Reads all that is not read yet. Chunks that are lost or damaged become
    /// [problems](Self::problems); an error is that of a read, after which the same may be tried again.
    pub fn read_from(&mut self, source: &mut impl Source) -> Result<()> {
        let length = source.length();
        while let Need::Bytes(ranges) = self.need() {
            for range in ranges {
                let read = match check_range(&range, length) {
                    Ok(()) => {
                        let bytes = source.fetch(range.clone())?;
                        self.supply(range, &bytes)
                    }
                    Err(lost) => {
                        self.entries.pop();
                        Err(lost)
                    }
                };
                self.problems.extend(read.err());
            }
        }
        Ok(())
    }

    /// What was wrong with chunks that [were read](Self::read_from).
    #[must_use]
    pub fn problems(&self) -> &[Error] {
        &self.problems
    }

    /// The names that were read.
    #[must_use]
    pub fn finish(self) -> NameTable {
        self.names
    }
}

impl SansIo for NameReader<'_> {
    fn need(&self) -> Need {
        self.entries.last().map_or(Need::Ready, |entry| Need::range(entry.range()))
    }

    fn supply(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<()> {
        match self.entries.pop_if(|entry| entry.range() == range) {
            Some(entry) => self.names.add(&entry.read(bytes)?),
            None => Ok(()),
        }
    }
}

/// The events of a tape, ascending by tick, of one tick by stream, from bytes that somebody else
/// fetches. [`TapeEvents`] fetches them from a [`Source`].
///
/// The chunk table of the tape is the index: only blocks of wanted streams and ticks are asked for.
/// Supply what is [needed](SansIo::need), [take](Self::take) events until there is none, and so on
/// until nothing is needed. An error of [`supply`](SansIo::supply) costs one block, and the events go
/// on after it.
///
/// ```
/// # use gametape_analysis::{EventReader, EventWriter, KindSet, sample};
/// # use gametape_tape::{Tape, TapeHeader, TapeWriter};
/// # use gametape_wire::{Need, SansIo, Tick, TickLength};
/// # fn main() -> gametape_wire::Result<()> {
/// # let mut tape = TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), b"{}")?;
/// # let mut writer = EventWriter::new();
/// # let events = sample::played(1, 1);
/// # events.iter().try_for_each(|event| writer.push(event))?;
/// # for block in writer.flush()? {
/// #     tape.chunk(&block.draft(), &block.bytes)?;
/// # }
/// # let file = [tape.take(), tape.finish()?].concat();
/// let tape = Tape::open(&file)?;
/// let mut reader = EventReader::new(&tape, KindSet::ALL, Tick::ZERO..Tick::MAX);
/// let mut count = 0;
/// while let Need::Bytes(ranges) = reader.need() {
///     for range in ranges {
///         let bytes = &file[range.start as usize..range.end as usize];
///         reader.supply(range, bytes)?;
///     }
///     while reader.take().is_some() {
///         count += 1;
///     }
/// }
/// # assert_eq!(count, events.len());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct EventReader<'t> {
    wanted: KindSet,
    ticks: Range<Tick>,
    streams: Vec<StreamCursor<'t>>,
    skipped: u64,
}

/// How far one stream is read.
#[derive(Debug)]
struct StreamCursor<'t> {
    stream: EventStream,
    /// Blocks that are not read yet, the next one last.
    entries: Vec<&'t ChunkEntry>,
    ready: std::iter::Peekable<std::vec::IntoIter<AnalysisEvent>>,
}

impl StreamCursor<'_> {
    /// The tick of the next event, where it is read.
    fn tick(&mut self) -> Option<Tick> {
        self.ready.peek().map(AnalysisEvent::tick)
    }

    /// Must a block be read before it is known which event is next?
    fn is_waiting(&self) -> bool {
        self.ready.len() == 0 && !self.entries.is_empty()
    }
}

impl<'t> EventReader<'t> {
    /// The events of these kinds and ticks.
    #[must_use]
    pub fn new(tape: &'t Tape, wanted: KindSet, ticks: Range<Tick>) -> Self {
        let cursor = |stream: EventStream| {
            let entries = tape.stream_at(ChunkKind::EVENTS, stream.number(), ticks.clone());
            let mut entries: Vec<_> = entries.collect();
            entries.reverse();
            StreamCursor { stream, entries, ready: Vec::new().into_iter().peekable() }
        };
        let streams = wanted.streams().map(cursor).collect();
        Self { wanted, ticks, streams, skipped: 0 }
    }

    /// The number of events of unknown kinds so far.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The next event; `None` where bytes are needed before it is known, and after the last.
    pub fn take(&mut self) -> Option<AnalysisEvent> {
        if self.waiting().is_some() {
            return None;
        }
        let ticks = self.streams.iter_mut().enumerate();
        let (_, index) = ticks.filter_map(|(index, of)| Some((of.tick()?, index))).min()?;
        self.streams[index].ready.next()
    }

    /// Goes on without the block that is needed next, which is not in the tape: the index names bytes
    /// after its end.
    pub fn leave_out(&mut self) {
        if let Some(index) = self.waiting() {
            self.streams[index].entries.pop();
        }
    }

    /// The first stream whose next block is needed.
    fn waiting(&self) -> Option<usize> {
        self.streams.iter().position(StreamCursor::is_waiting)
    }

    fn read_block(
        &mut self,
        stream: EventStream,
        entry: &ChunkEntry,
        bytes: &[u8],
    ) -> Result<Vec<AnalysisEvent>> {
        let chunk = entry.read(bytes)?;
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

impl SansIo for EventReader<'_> {
    fn need(&self) -> Need {
        let entry = self.waiting().and_then(|index| self.streams[index].entries.last());
        entry.map_or(Need::Ready, |entry| Need::range(entry.range()))
    }

    fn supply(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<()> {
        let Some(index) = self.waiting() else { return Ok(()) };
        let cursor = &mut self.streams[index];
        let Some(entry) = cursor.entries.pop_if(|entry| entry.range() == range) else {
            return Ok(());
        };
        let stream = cursor.stream;
        let events = self.read_block(stream, entry, bytes)?;
        self.streams[index].ready = events.into_iter().peekable();
        Ok(())
    }
}

/// Does the header of a chunk say what is in it?
fn check_header(chunk: &Chunk<'_>, read: &Events<'_>) -> Result<()> {
    let header = &chunk.header;
    let is_right = header.detail == read.count_read()
        && read.first_tick() == Some(header.first_tick)
        && read.last_tick() + 1 == header.end_tick();
    if is_right {
        return Ok(());
    }
    let kind = ErrorKind::BadSyntax { problem: "its header does not say what is in it".into() };
    Err(Error::at(chunk.offset, "events chunk", kind))
}

/// The events of a tape, ascending by tick, of one tick by stream.
///
/// Only blocks of wanted streams and ticks are fetched. Blocks that are lost or damaged are passed over
/// and become [problems](Self::problems).
///
/// An error is that of a read. The events end after it; asked again, they go on where they ended, with
/// the same block.
#[derive(Debug)]
pub struct TapeEvents<'t, S> {
    reader: EventReader<'t>,
    source: S,
    /// How long the tape is.
    length: u64,
    problems: Vec<Error>,
    /// A read failed, and it was reported.
    has_failed: bool,
}

impl<'t, S: Source> TapeEvents<'t, S> {
    /// The events of these kinds and ticks.
    #[must_use]
    pub fn new(tape: &'t Tape, wanted: KindSet, ticks: Range<Tick>, source: S) -> Self {
        let (reader, length) = (EventReader::new(tape, wanted, ticks), source.length());
        Self { reader, source, length, problems: Vec::new(), has_failed: false }
    }

    /// What was wrong with blocks so far, one error each.
    #[must_use]
    pub fn problems(&self) -> &[Error] {
        &self.problems
    }

    /// The number of events of unknown kinds so far.
    #[must_use]
    pub fn skipped(&self) -> u64 {
        self.reader.skipped()
    }

    /// Fetches and reads until the next event is known.
    fn fill(&mut self) -> Result<()> {
        while let Need::Bytes(ranges) = self.reader.need() {
            for range in ranges {
                let read = match check_range(&range, self.length) {
                    Ok(()) => {
                        let bytes = self.source.fetch(range.clone())?;
                        self.reader.supply(range, &bytes)
                    }
                    Err(lost) => {
                        self.reader.leave_out();
                        Err(lost)
                    }
                };
                self.problems.extend(read.err());
            }
        }
        Ok(())
    }
}

impl<S: Source> Iterator for TapeEvents<'_, S> {
    type Item = Result<AnalysisEvent>;

    fn next(&mut self) -> Option<Self::Item> {
        // A loop over a source that is down comes to an end.
        if std::mem::take(&mut self.has_failed) {
            return None;
        }
        match self.fill() {
            Ok(()) => self.reader.take().map(Ok),
            Err(error) => {
                self.has_failed = true;
                Some(Err(error))
            }
        }
    }
}
