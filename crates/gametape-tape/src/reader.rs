//! Opening a tape with few bytes: front, metadata, trailer, summary, index.

use std::ops::Range;

use gametape_wire::{Error, ErrorKind, Result};

use crate::chunk::Chunk;
use crate::fetched::Fetched;
use crate::footer::SUMMARY_STREAM;
use crate::header::ChunkHeader;
use crate::index::read_table_page;
use crate::kind::ChunkKind;
use crate::limits::TAPE_BYTES;
use crate::recover::Recovery;
use crate::scan::Need;
use crate::summary::{PageRow, Summary};
use crate::tape::Tape;
use crate::tape_header::TapeHeader;
use crate::trailer::Trailer;
use crate::writer::check_metadata;

/// How far opening goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// TapeHeader, metadata and summary: at most 64 KiB, usually 8 KiB.
    Summary,
    /// The keyframe index too.
    Keyframes,
    /// The keyframe index and the table of all chunks.
    Index,
}

/// The first and the last request: most tapes need no other for their summary.
const PROBE: u64 = 4 << 10;

/// Opens a tape without I/O of its own: ask what it [needs](Self::need), [supply](Self::supply)
/// these bytes, repeat until done.
///
/// A tape without a valid index is walked from front to end, and opens all the same.
#[derive(Debug)]
pub struct TapeReader {
    length: u64,
    depth: Depth,
    step: Step,
    /// What has to be there for the step.
    wanted: Range<u64>,
    fetched: Fetched,
    tape: Option<Tape>,
}

#[derive(Debug)]
enum Step {
    TapeHeader,
    Metadata,
    Trailer,
    Summary,
    Closing,
    /// This page of the summary.
    Page(usize),
    Scan(Box<Recovery>),
    Done,
}

impl TapeReader {
    /// A reader of a tape of `length` bytes.
    #[must_use]
    pub fn new(length: u64, depth: Depth) -> Self {
        let length = length.min(TAPE_BYTES.max);
        Self {
            length,
            depth,
            step: Step::TapeHeader,
            wanted: 0..PROBE.min(length),
            fetched: Fetched::default(),
            tape: None,
        }
    }

    /// The bytes that are needed next.
    #[must_use]
    pub fn need(&self) -> Need {
        match &self.step {
            Step::Done => Need::Done,
            Step::Scan(recovery) => recovery.need(),
            _ => Need::Range(self.fetched.lacking(&self.wanted)),
        }
    }

    /// The bytes that were needed. An error is final: this is not a tape.
    pub fn supply(&mut self, bytes: &[u8]) -> Result<()> {
        if let Step::Scan(recovery) = &mut self.step {
            recovery.supply(bytes);
            return self.end_scan();
        }
        let Need::Range(range) = self.need() else { return Ok(()) };
        if (bytes.len() as u64) < range.end - range.start {
            let (needed, available) = (range.end - range.start, bytes.len() as u64);
            let kind = ErrorKind::Truncated { needed, available };
            return Err(Error::at(range.start, "tape", kind));
        }
        self.fetched.add(&range, bytes);
        while !matches!(self.step, Step::Done | Step::Scan(_)) && self.fetched.has(&self.wanted) {
            self.advance()?;
        }
        Ok(())
    }

    /// The opened tape.
    pub fn finish(self) -> Result<Tape> {
        match (self.step, self.tape) {
            (Step::Done, Some(tape)) => Ok(tape),
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

    /// Takes one step whose bytes are there.
    fn advance(&mut self) -> Result<()> {
        if matches!(self.step, Step::TapeHeader) {
            // Without a front it is no tape; everything behind can be rebuilt.
            let front = TapeHeader::read(self.fetched.get(&self.wanted))?;
            self.tape = Some(Tape::new(front));
            self.go(Step::Metadata, self.metadata_range());
            return Ok(());
        }
        let taken = match self.step {
            Step::Metadata => self.metadata(),
            Step::Trailer => self.trailer(),
            Step::Summary => self.summary(),
            Step::Closing => self.closing(),
            Step::Page(page) => self.page(page),
            Step::TapeHeader | Step::Scan(_) | Step::Done => Ok(()),
        };
        taken.or_else(|problem| self.scan(problem))
    }

    fn go(&mut self, step: Step, wanted: Range<u64>) {
        self.step = step;
        self.wanted = wanted.start.min(self.length)..wanted.end.min(self.length);
    }

    fn opened(&mut self) -> Result<&mut Tape> {
        self.tape.as_mut().ok_or_else(|| Error::misuse("tape reader", "there is no front yet"))
    }

    /// The metadata chunk, as its header says; just the header where that is not valid.
    fn metadata_range(&self) -> Range<u64> {
        let start = TapeHeader::LENGTH as u64;
        let head = self.fetched.get(&self.wanted).get(TapeHeader::LENGTH..).unwrap_or_default();
        let header = head.first_chunk().and_then(|bytes| ChunkHeader::read(bytes, start).ok());
        start..start + header.map_or(ChunkHeader::LENGTH as u64, |header| header.chunk_length())
    }

    fn metadata(&mut self) -> Result<()> {
        let Self { fetched, wanted, tape: Some(tape), .. } = self else { return Ok(()) };
        tape.metadata = read_metadata(&chunk_of(tape, fetched, wanted, ChunkKind::METADATA)?)?;
        self.go(Step::Trailer, self.length.saturating_sub(PROBE)..self.length);
        Ok(())
    }

    fn trailer(&mut self) -> Result<()> {
        let bytes = self.fetched.get(&self.wanted);
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
        let Self { fetched, wanted, tape: Some(tape), .. } = self else { return Ok(()) };
        let chunk = chunk_of(tape, fetched, wanted, ChunkKind::INDEX)?;
        let summary = Summary::read(&chunk.raw()?, chunk.payload_offset())?;
        summary.check_ranges(chunk.offset)?;
        if chunk.header.stream != SUMMARY_STREAM || summary.front != tape.front {
            let problem = "not the summary of this tape".into();
            return Err(Error::at(chunk.offset, "summary", ErrorKind::BadSyntax { problem }));
        }
        let closing = summary.closing.clone();
        tape.summary = summary;
        match closing {
            Some(range) => self.go(Step::Closing, range),
            None => self.next_page(0)?,
        }
        Ok(())
    }

    fn closing(&mut self) -> Result<()> {
        let Self { fetched, wanted, tape: Some(tape), .. } = self else { return Ok(()) };
        let chunk = chunk_of(tape, fetched, wanted, ChunkKind::METADATA)?;
        tape.closing = Some(read_metadata(&chunk)?);
        self.next_page(0)
    }

    /// Goes to the first page from `page` on that the depth asks for.
    fn next_page(&mut self, page: usize) -> Result<()> {
        let depth = self.depth;
        let asked = move |row: &PageRow| match depth {
            Depth::Summary => false,
            Depth::Keyframes => row.stream == PageRow::KEYFRAMES,
            Depth::Index => true,
        };
        let pages = &self.opened()?.summary.pages;
        let next = (page..pages.len()).find(|&page| asked(&pages[page]));
        match next.map(|page| (page, pages[page].range.clone())) {
            Some((page, range)) => {
                self.fetched.forget_all_but_ends();
                self.go(Step::Page(page), range);
            }
            None => {
                let tape = self.opened()?;
                tape.check_table(depth)?;
                tape.sort_into_runs();
                self.go(Step::Done, 0..0);
            }
        }
        Ok(())
    }

    fn page(&mut self, page: usize) -> Result<()> {
        let Self { fetched, wanted, tape: Some(tape), .. } = self else { return Ok(()) };
        let chunk = chunk_of(tape, fetched, wanted, ChunkKind::INDEX)?;
        match tape.summary.pages[page].stream {
            PageRow::TABLE => tape.chunks.extend(read_table_page(&chunk)?),
            PageRow::KEYFRAMES => tape.keyframes.add_page(&chunk)?,
            _ => {}
        }
        self.next_page(page + 1)
    }

    /// The index cannot be used: walk the tape instead.
    fn scan(&mut self, problem: Error) -> Result<()> {
        let front = self.opened()?.front;
        let mut tape = Tape::new(front);
        tape.index_problem = Some(problem);
        self.tape = Some(tape);
        self.fetched = Fetched::default();
        self.step = Step::Scan(Box::new(Recovery::new(self.length)));
        self.end_scan()
    }

    fn end_scan(&mut self) -> Result<()> {
        if self.need() != Need::Done {
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
    if chunk.header.tape_id == tape.front.tape_id && chunk.header.kind == kind {
        return Ok(chunk);
    }
    let problem = format!("no {kind} chunk of this tape").into();
    Err(Error::at(chunk.offset, "chunk", ErrorKind::BadSyntax { problem }))
}
