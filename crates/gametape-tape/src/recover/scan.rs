//! Walking a tape from its header to its end: whole chunks come out, and every damage in between.

use std::fmt;
use std::ops::Range;

use gametape_wire::Need;

use crate::layout::checksum::check64;
use crate::layout::chunk::Chunk;
use crate::layout::chunk_header::{ChunkHeader, SYNC};
use crate::layout::tape_header::TapeHeader;
use crate::layout::trailer::Trailer;
use crate::limits::{OVERLAPPING_FAILURES, TAPE_BYTES};
use crate::recover::sequences::Sequences;

/// What some bytes turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Found<'a> {
    /// Nothing yet.
    Nothing,
    /// The header of the tape.
    TapeHeader(TapeHeader),
    /// A whole chunk; index chunks too.
    Chunk(Chunk<'a>),
    /// A trailer, which begins at this offset.
    Trailer(u64),
    /// Bytes that are no whole chunk.
    Damage(Damage),
}

/// Bytes of a tape that are lost.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Damage {
    /// Where.
    pub range: Range<u64>,
    /// What happened.
    pub kind: DamageKind,
    /// The header of the chunk that began there, where it can still be read.
    pub header: Option<ChunkHeader>,
}

/// What happened to lost bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DamageKind {
    /// The chunk's payload does not match its checksum.
    Payload,
    /// No chunk begins where one should.
    Unreadable,
    /// The tape ends within it.
    Torn,
    /// A chunk with the sequence number of an earlier one.
    Duplicate,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            DamageKind::Payload => "wrong payload",
            DamageKind::Unreadable => "unreadable",
            DamageKind::Torn => "torn end",
            DamageKind::Duplicate => "sequence number used twice",
        };
        write!(f, "bytes {}..{}: {what}", self.range.start, self.range.end)?;
        match &self.header {
            Some(header) => write!(f, " ({} chunk {})", header.kind, header.sequence),
            None => Ok(()),
        }
    }
}

/// How much is looked through at once while searching.
const WINDOW: u64 = 64 << 10;
const HEADER: u64 = ChunkHeader::LENGTH as u64;
const TRAILER: u64 = Trailer::LENGTH as u64;

/// Walks a tape from chunk to chunk, and past damage to the next whole chunk.
///
/// It works as [`SansIo`](gametape_wire::SansIo) does, but that every supply gives what was
/// [found](Found): ask what it [needs](Self::need), [supply](Self::supply) these bytes, look at what
/// was found, repeat until nothing is needed. At most one chunk and two headers are needed at once.
///
/// A tape that is still being written is followed with [`growing`](Self::growing) and
/// [`grow`](Self::grow): where nothing is needed the end is reached for now.
#[derive(Debug, Clone)]
pub struct Scanner {
    /// How many bytes there are.
    length: u64,
    /// Can there be more of them later?
    grows: bool,
    tape_id: Option<u32>,
    /// The offset that is looked at.
    at: u64,
    /// Up to here a growing tape was looked at without finding enough.
    looked_to: u64,
    state: State,
    /// Where the damage began that is being searched through, and the header there.
    lost: Option<(u64, Option<ChunkHeader>)>,
    /// Ends of chunks that have wrong payloads and go over the offset that is looked at.
    failures: Vec<u64>,
    sequences: Sequences,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// At the header of the tape.
    TapeHeader,
    /// Where a chunk or trailer should begin.
    Boundary,
    /// At a valid header.
    Chunk(ChunkHeader),
    /// Looking for a valid header.
    Search,
    Done,
}

impl Scanner {
    /// A walk over a tape of `length` bytes.
    #[must_use]
    pub fn new(length: u64) -> Self {
        Self { length: length.min(TAPE_BYTES.max), grows: false, ..Self::growing() }
    }

    /// A walk over a tape that is still being written: of no bytes until it [grows](Self::grow).
    #[must_use]
    pub fn growing() -> Self {
        Self {
            length: 0,
            grows: true,
            tape_id: None,
            at: 0,
            looked_to: 0,
            state: State::TapeHeader,
            lost: None,
            failures: Vec::new(),
            sequences: Sequences::default(),
        }
    }

    /// The tape has `length` bytes by now. Fewer than before change nothing.
    pub fn grow(&mut self, length: u64) {
        self.length = self.length.max(length.min(TAPE_BYTES.max));
    }

    /// The tape does not grow any more: it has `length` bytes.
    pub fn close(&mut self, length: u64) {
        self.length = length.min(TAPE_BYTES.max);
        self.grows = false;
        if let State::Chunk(header) = self.state {
            self.consider(header);
        }
        self.stay_within();
    }

    /// The sequence numbers of whole chunks.
    pub(crate) fn sequences(&self) -> &Sequences {
        &self.sequences
    }

    /// The offset up to which everything is known.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.lost.map_or(self.at, |(from, _)| from)
    }

    /// The bytes that are needed next.
    pub fn need(&self) -> Need {
        let most = match self.state {
            State::TapeHeader => TapeHeader::LENGTH as u64,
            State::Boundary => HEADER,
            State::Chunk(header) => header.chunk_length() + HEADER,
            State::Search => WINDOW,
            State::Done => return Need::Ready,
        };
        let end = self.at.saturating_add(most).min(self.length);
        if self.waits(end) { Need::Ready } else { Need::range(self.at..end.max(self.at)) }
    }

    /// Must the tape grow before the bytes up to `end` say anything new?
    fn waits(&self, end: u64) -> bool {
        let least = match self.state {
            State::TapeHeader => TapeHeader::LENGTH as u64,
            State::Chunk(header) => header.chunk_length(),
            _ => TRAILER,
        };
        self.grows && (end <= self.looked_to || end < self.at.saturating_add(least))
    }

    /// The bytes that were [needed](Self::need); fewer where the tape turns out to end.
    ///
    /// Bytes that were not asked for are ignored.
    pub fn supply<'a>(&mut self, range: Range<u64>, bytes: &'a [u8]) -> Found<'a> {
        if self.need().ranges() != [range.clone()] {
            return Found::Nothing;
        }
        let asked = (range.end - range.start) as usize;
        let bytes = &bytes[..bytes.len().min(asked)];
        if bytes.len() < asked {
            // The tape is shorter than it claimed.
            self.close(self.at + bytes.len() as u64);
            return Found::Nothing;
        }
        match self.state {
            State::TapeHeader => self.tape_header(bytes),
            State::Boundary => self.boundary(bytes),
            State::Chunk(header) => self.chunk(&header, bytes),
            State::Search => self.search(bytes),
            State::Done => Found::Nothing,
        }
    }

    fn tape_header<'a>(&mut self, bytes: &[u8]) -> Found<'a> {
        match TapeHeader::read(bytes) {
            Ok(header) => {
                self.tape_id = Some(header.tape_id);
                self.go_to(TapeHeader::LENGTH as u64);
                Found::TapeHeader(header)
            }
            Err(_) => {
                self.lost = Some((0, None));
                self.state = State::Search;
                Found::Nothing
            }
        }
    }

    fn boundary<'a>(&mut self, bytes: &[u8]) -> Found<'a> {
        if self.is_trailer(bytes, self.at) {
            let offset = self.at;
            self.go_to(offset + TRAILER);
            return Found::Trailer(offset);
        }
        if let Some(header) = self.header(bytes, self.at) {
            self.consider(header);
        } else if self.grows && (bytes.len() as u64) < HEADER {
            self.looked_to = self.at + bytes.len() as u64;
        } else {
            self.lose(None);
        }
        Found::Nothing
    }

    fn chunk<'a>(&mut self, header: &ChunkHeader, bytes: &'a [u8]) -> Found<'a> {
        let stored = bytes.get(ChunkHeader::LENGTH..header.chunk_length() as usize);
        let Some(stored) = stored else { return Found::Nothing };
        let after = &bytes[header.chunk_length() as usize..];
        let is_whole = check64(stored) == header.check;
        if !is_whole && !self.goes_on(after, header) {
            self.failures.push(self.at + header.chunk_length());
            self.lose(Some(*header));
            return Found::Nothing;
        }
        if let Some(damage) = self.end_of_damage(DamageKind::Unreadable) {
            return damage;
        }
        let range = self.at..self.at + header.chunk_length();
        let found = if !is_whole {
            self.sequences.mark_lost(header);
            Found::Damage(Damage { range, kind: DamageKind::Payload, header: Some(*header) })
        } else if !self.sequences.take(header) {
            Found::Damage(Damage { range, kind: DamageKind::Duplicate, header: Some(*header) })
        } else {
            self.tape_id = Some(header.tape_id);
            Found::Chunk(Chunk { header: *header, offset: self.at, stored })
        };
        self.go_to(self.at + header.chunk_length());
        if let Some(next) = self.header(after, self.at) {
            self.consider(next);
        }
        found
    }

    /// Does the tape go on directly after this chunk? Another number than the next one may mean that
    /// bytes are missing, and that whole chunks are where the payload should be.
    fn goes_on(&self, after: &[u8], header: &ChunkHeader) -> bool {
        let end = self.at + header.chunk_length();
        let is_next = |next: ChunkHeader| Some(next.sequence) == header.sequence.checked_add(1);
        after.is_empty()
            || self.is_trailer(after, end)
            || self.header(after, end).is_some_and(is_next)
    }

    fn search<'a>(&mut self, bytes: &[u8]) -> Found<'a> {
        if let Some((offset, header)) = self.next_header(bytes) {
            self.at = offset;
            self.consider(header);
            return Found::Nothing;
        }
        let end = self.at + bytes.len() as u64;
        if self.grows || end < self.length {
            // A header that begins in this window may end in the next one.
            self.at = self.at.max(end.saturating_sub(HEADER - 1));
            if end == self.length {
                self.looked_to = end;
            }
            return Found::Nothing;
        }
        let trailer = bytes.len().checked_sub(Trailer::LENGTH);
        let offset = trailer.map(|start| self.at + start as u64);
        match (trailer, offset) {
            (Some(start), Some(offset)) if self.is_trailer(&bytes[start..], offset) => {
                self.at = offset;
                self.state = State::Boundary;
                self.end_of_damage(DamageKind::Unreadable).unwrap_or(Found::Nothing)
            }
            _ => {
                self.at = end;
                self.state = State::Done;
                self.end_of_damage(DamageKind::Torn).unwrap_or(Found::Nothing)
            }
        }
    }

    /// The next valid header in a window that begins at the present offset.
    fn next_header(&mut self, window: &[u8]) -> Option<(u64, ChunkHeader)> {
        let last = window.len().checked_sub(ChunkHeader::LENGTH)?;
        let mut from = 0;
        while from <= last {
            from += window[from..=last].iter().position(|&byte| byte == SYNC[0])?;
            let offset = self.at + from as u64;
            if let Some(header) = self.header(&window[from..], offset) {
                self.failures.retain(|&end| end > offset);
                if self.failures.len() <= OVERLAPPING_FAILURES {
                    return Some((offset, header));
                }
            }
            from += 1;
        }
        None
    }

    /// A valid header of this tape at the beginning of `bytes`.
    fn header(&self, bytes: &[u8], offset: u64) -> Option<ChunkHeader> {
        let header = ChunkHeader::read(bytes.first_chunk()?, offset).ok()?;
        self.is_ours(header.tape_id).then_some(header)
    }

    fn is_trailer(&self, bytes: &[u8], offset: u64) -> bool {
        let trailer = bytes.first_chunk().and_then(|bytes| Trailer::read(bytes, offset).ok());
        trailer.is_some_and(|trailer| self.is_ours(trailer.tape_id))
    }

    fn is_ours(&self, tape_id: u32) -> bool {
        self.tape_id.is_none_or(|ours| ours == tape_id)
    }

    /// A valid header at the present offset: is there room for its chunk?
    fn consider(&mut self, header: ChunkHeader) {
        let end = self.at + header.chunk_length();
        if !self.grows && end > self.length {
            self.lose(Some(header));
        } else {
            self.state = State::Chunk(header);
        }
    }

    /// What is at the present offset is lost: search after it.
    fn lose(&mut self, header: Option<ChunkHeader>) {
        if self.lost.is_none() {
            if let Some(header) = &header {
                self.sequences.mark_lost(header);
            }
            self.lost = Some((self.at, header));
        }
        self.at += 1;
        self.state = State::Search;
        self.stay_within();
    }

    /// Damage that reaches to the last byte is looked at once more, so that it is reported.
    fn stay_within(&mut self) {
        if self.lost.is_some() && !self.grows {
            self.at = self.at.min(self.length.saturating_sub(1));
        }
    }

    /// Reports the damage that ends at the present offset, if there is one.
    fn end_of_damage<'a>(&mut self, kind: DamageKind) -> Option<Found<'a>> {
        let (from, header) = self.lost.take()?;
        // The next chunk is where the lost one ends: nothing but its payload is wrong.
        let is_payload = header.is_some_and(|header| from + header.chunk_length() == self.at);
        let kind = if is_payload { DamageKind::Payload } else { kind };
        Some(Found::Damage(Damage { range: from..self.at, kind, header }))
    }

    fn go_to(&mut self, offset: u64) {
        self.at = offset;
        self.state = State::Boundary;
        self.failures.retain(|&end| end > offset);
    }
}
