//! Opening a tape with few bytes: header, metadata, trailer, summary, index.

use std::ops::Range;

use gametape_wire::{Error, ErrorKind, Need, Result, SansIo};

use crate::index::footer::SUMMARY_STREAM;
use crate::index::summary::{PageRow, Summary};
use crate::index::table::read_table_page;
use crate::layout::chunk::Chunk;
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::kind::ChunkKind;
use crate::layout::tape_header::TapeHeader;
use crate::layout::trailer::Trailer;
use crate::limits::TAPE_BYTES;
use crate::read::fetched::Fetched;
use crate::read::tape::Tape;
use crate::recover::recovery::Recovery;
use crate::write::writer::check_metadata;

/// How far opening goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Depth {
    /// Header, metadata and summary: at most 64 KiB, mostly 8 KiB.
    Summary,
    /// The keyframe index too.
    Keyframes,
    /// The keyframe index and the table of all chunks: mostly at most 64 KiB in two requests.
    Index,
}

impl Depth {
    /// How much is asked for first, at the beginning and at the end of the tape.
    ///
    /// The beginning of a packed tape has metadata and keyframe index, the end has the chunk table.
    const fn probes(self) -> (u64, u64) {
        match self {
            Self::Summary => (4 << 10, 4 << 10),
            Self::Keyframes | Self::Index => (TapeReader::FIRST_BYTES, 40 << 10),
        }
    }

    fn asks_for(self, row: &PageRow) -> bool {
        match self {
            Self::Summary => false,
            Self::Keyframes => row.stream == PageRow::KEYFRAMES,
            Self::Index => true,
        }
    }
}

/// How much of the index is held at once before it is read.
const PAGES_AT_ONCE: u64 = 8 << 20;

/// Opens a tape without I/O of its own, as [`SansIo`]: ask what it needs, supply these bytes, repeat
/// until it is ready.
///
/// A tape without a valid index is walked from beginning to end, and opens all the same.
#[derive(Debug)]
pub struct TapeReader {
    length: u64,
    depth: Depth,
    step: Step,
    /// What has to be there for the step.
    wanted: Vec<Range<u64>>,
    fetched: Fetched,
    tape: Option<Tape>,
}

#[derive(Debug)]
enum Step {
    /// Both ends of the tape, then its header.
    Ends,
    Metadata,
    Trailer,
    Summary,
    Closing,
    /// These pages of the summary.
    Pages(Range<usize>),
    Scan(Box<Recovery>),
    Done,
}

impl SansIo for TapeReader {
    fn need(&self) -> Need {
        match &self.step {
            Step::Done => Need::Ready,
            Step::Scan(recovery) => recovery.need(),
            _ => match self.fetched.lacking(&self.wanted) {
                nothing if nothing.is_empty() => Need::Ready,
                ranges => Need::Bytes(ranges),
            },
        }
    }

    /// An error is final: this is not a tape.
    fn supply(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<()> {
        if let Step::Scan(recovery) = &mut self.step {
            recovery.supply(range, bytes)?;
            return self.end_scan();
        }
        if !self.need().ranges().contains(&range) {
            return Err(Error::misuse("tape reader", "these bytes were not asked for"));
        }
        if bytes.len() as u64 != range.end - range.start {
            let (needed, available) = (range.end - range.start, bytes.len() as u64);
            let kind = ErrorKind::Truncated { needed, available };
            return Err(Error::at(range.start, "tape", kind));
        }
        self.fetched.add(&range, bytes);
        self.advance_all()
    }
}

impl TapeReader {
    /// How many bytes at the start of a tape are asked for at most before anything is known of it.
    pub const FIRST_BYTES: u64 = 24 << 10;

    /// A reader of a tape of `length` bytes.
    #[must_use]
    pub fn new(length: u64, depth: Depth) -> Self {
        let length = length.min(TAPE_BYTES.max);
        let (head, tail) = depth.probes();
        let wanted = match length <= head + tail {
            // Nothing is gained by leaving out a little in the middle, unless little is wanted.
            true if depth != Depth::Summary || length <= head => {
                std::iter::once(0..length).collect()
            }
            _ => vec![0..head.min(length), head.max(length.saturating_sub(tail))..length],
        };
        let (fetched, step) = (Fetched::default(), Step::Ends);
        Self { length, depth, step, wanted, fetched, tape: None }
    }

    /// The opened tape.
    pub fn finish(self) -> Result<Tape> {
        match (self.step, self.tape) {
            (Step::Done, Some(tape)) => Ok(tape),
            (Step::Ends, _) if self.length == 0 => TapeHeader::read(&[]).map(Tape::new),
            _ => Err(Error::misuse("tape reader", "it still needs bytes")),
        }
    }

    /// Could the index not be used, so that the tape is walked?
    pub(crate) fn is_walking(&self) -> bool {
        self.tape.as_ref().is_some_and(|tape| tape.index_problem.is_some())
    }

    /// Why it is walking.
    pub(crate) fn into_index_problem(self) -> Error {
        let problem = self.tape.and_then(|tape| tape.index_problem);
        problem.unwrap_or_else(|| Error::misuse("tape reader", "there is no problem"))
    }

    /// Takes all steps whose bytes are there.
    fn advance_all(&mut self) -> Result<()> {
        let is_there = |reader: &Self| reader.wanted.iter().all(|range| reader.fetched.has(range));
        while !matches!(self.step, Step::Done | Step::Scan(_)) && is_there(self) {
            self.advance()?;
        }
        Ok(())
    }

    /// Takes one step whose bytes are there.
    fn advance(&mut self) -> Result<()> {
        if matches!(self.step, Step::Ends) {
            // Without a header it is no tape; everything after it can be rebuilt.
            let header = TapeHeader::read(self.head())?;
            self.tape = Some(Tape::new(header));
            self.go(Step::Metadata, self.metadata_range());
            return Ok(());
        }
        let taken = match self.step {
            Step::Metadata => self.metadata(),
            Step::Trailer => self.trailer(),
            Step::Summary => self.summary(),
            Step::Closing => self.closing(),
            Step::Pages(ref pages) => {
                let pages = pages.clone();
                self.pages(pages)
            }
            Step::Ends | Step::Scan(_) | Step::Done => Ok(()),
        };
        taken.or_else(|problem| self.scan(problem))
    }

    fn go(&mut self, step: Step, wanted: Range<u64>) {
        self.step = step;
        let wanted = wanted.start.min(self.length)..wanted.end.min(self.length);
        self.wanted = Vec::from([wanted]);
    }

    /// The first bytes of the tape.
    fn head(&self) -> &[u8] {
        let (head, _) = self.depth.probes();
        self.fetched.get(&(0..head.min(self.length)))
    }

    /// The bytes of the step, which are there.
    fn there(&self) -> (&[u8], u64) {
        let wanted = self.wanted.first().cloned().unwrap_or(0..0);
        (self.fetched.get(&wanted), wanted.start)
    }

    fn opened(&mut self) -> Result<&mut Tape> {
        self.tape.as_mut().ok_or_else(|| Error::misuse("tape reader", "there is no header yet"))
    }

    /// The metadata chunk, as its header says; just the header where that is not valid.
    fn metadata_range(&self) -> Range<u64> {
        let start = TapeHeader::LENGTH as u64;
        let head = self.head().get(TapeHeader::LENGTH..).unwrap_or_default();
        let header = head.first_chunk().and_then(|bytes| ChunkHeader::read(bytes, start).ok());
        start..start + header.map_or(ChunkHeader::LENGTH as u64, |header| header.chunk_length())
    }

    fn metadata(&mut self) -> Result<()> {
        let metadata = read_metadata(&self.chunk(ChunkKind::METADATA)?)?;
        self.opened()?.metadata = metadata;
        self.go(Step::Trailer, self.length.saturating_sub(Trailer::LENGTH as u64)..self.length);
        Ok(())
    }

    fn trailer(&mut self) -> Result<()> {
        let (bytes, _) = self.there();
        let offset = self.length.saturating_sub(Trailer::LENGTH as u64);
        let Some(last) = bytes.last_chunk() else {
            let kind = ErrorKind::Truncated { needed: 32, available: bytes.len() as u64 };
            return Err(Error::at(0, "trailer", kind));
        };
        let range = Trailer::read(last, offset)?.summary_range();
        crate::limits::CHUNK_BYTES.check(range.end - range.start, offset)?;
        self.go(Step::Summary, range);
        Ok(())
    }

    fn summary(&mut self) -> Result<()> {
        let chunk = self.chunk(ChunkKind::INDEX)?;
        let summary = Summary::read(&chunk.raw()?, chunk.payload_offset())?;
        summary.check_ranges(chunk.offset)?;
        let is_ours = self.tape.as_ref().is_some_and(|tape| tape.header == summary.header);
        if chunk.header.stream != SUMMARY_STREAM || !is_ours {
            let problem = "not the summary of this tape".into();
            return Err(Error::at(chunk.offset, "summary", ErrorKind::BadSyntax { problem }));
        }
        let closing = summary.closing.clone();
        self.opened()?.summary = summary;
        match closing {
            Some(range) => self.go(Step::Closing, range),
            None => self.next_pages(0)?,
        }
        Ok(())
    }

    fn closing(&mut self) -> Result<()> {
        let closing = read_metadata(&self.chunk(ChunkKind::METADATA)?)?;
        self.opened()?.closing = Some(closing);
        self.next_pages(0)
    }

    /// Goes to the pages from `first` on that the depth asks for, as many as are held at once.
    fn next_pages(&mut self, first: usize) -> Result<()> {
        let depth = self.depth;
        let rows = &self.opened()?.summary.pages;
        let Some(start) = (first..rows.len()).find(|&page| depth.asks_for(&rows[page])) else {
            return self.end_pages();
        };
        let mut end = start;
        let mut bytes = 0;
        let mut wanted = Vec::new();
        while end < rows.len() && (bytes < PAGES_AT_ONCE || end == start) {
            if depth.asks_for(&rows[end]) {
                bytes += rows[end].range.end - rows[end].range.start;
                wanted.push(rows[end].range.clone());
            }
            end += 1;
        }
        self.fetched.keep_only(&wanted);
        self.step = Step::Pages(start..end);
        self.wanted = wanted;
        Ok(())
    }

    fn end_pages(&mut self) -> Result<()> {
        let depth = self.depth;
        let tape = self.opened()?;
        tape.check_table(depth)?;
        tape.sort_into_runs();
        self.go(Step::Done, 0..0);
        Ok(())
    }

    fn pages(&mut self, pages: Range<usize>) -> Result<()> {
        let depth = self.depth;
        let Self { fetched, tape: Some(tape), .. } = self else { return Ok(()) };
        for row in tape.summary.pages[pages.clone()].iter().filter(|row| depth.asks_for(row)) {
            let chunk = chunk_of(tape, fetched, &row.range, ChunkKind::INDEX)?;
            match row.stream {
                PageRow::TABLE => tape.chunks.extend(read_table_page(&chunk)?),
                PageRow::KEYFRAMES => tape.keyframes.add_page(&chunk)?,
                _ => {}
            }
        }
        self.next_pages(pages.end)
    }

    /// The chunk of the step, if it is one of this tape and kind.
    fn chunk(&self, kind: ChunkKind) -> Result<Chunk<'_>> {
        let (Some(tape), Some(wanted)) = (&self.tape, self.wanted.first()) else {
            return Err(Error::misuse("tape reader", "there is no header yet"));
        };
        chunk_of(tape, &self.fetched, wanted, kind)
    }

    /// The index cannot be used: walk the tape instead.
    fn scan(&mut self, problem: Error) -> Result<()> {
        let header = self.opened()?.header;
        let mut tape = Tape::new(header);
        tape.index_problem = Some(problem);
        self.tape = Some(tape);
        self.fetched = Fetched::default();
        self.step = Step::Scan(Box::new(Recovery::new(self.length)));
        self.end_scan()
    }

    fn end_scan(&mut self) -> Result<()> {
        if !self.need().is_ready() {
            return Ok(());
        }
        if let Step::Scan(recovery) = std::mem::replace(&mut self.step, Step::Done) {
            self.opened()?.rebuild(recovery.finish());
        }
        Ok(())
    }
}

fn read_metadata(chunk: &Chunk<'_>) -> Result<String> {
    Ok(check_metadata(&chunk.raw()?, chunk.payload_offset())?.to_owned())
}

/// The chunk in the wanted bytes, if it is one of this tape and kind.
fn chunk_of<'a>(
    tape: &Tape,
    fetched: &'a Fetched,
    wanted: &Range<u64>,
    kind: ChunkKind,
) -> Result<Chunk<'a>> {
    let chunk = Chunk::read(fetched.get(wanted), wanted.start)?;
    if chunk.header.tape_id == tape.header.tape_id && chunk.header.kind == kind {
        return Ok(chunk);
    }
    let problem = format!("no {kind} chunk of this tape").into();
    Err(Error::at(chunk.offset, "chunk", ErrorKind::BadSyntax { problem }))
}
