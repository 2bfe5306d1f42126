//! Walking a tape from its front: whole chunks come out, and every damage in between.

use std::fmt;
use std::ops::Range;

use crate::check::check64;
use crate::chunk::Chunk;
use crate::header::{ChunkHeader, SYNC};
use crate::limits::{OVERLAPPING_FAILURES, TAPE_BYTES};
use crate::sequences::Sequences;
use crate::tape_header::TapeHeader;
use crate::trailer::Trailer;

/// What a reader needs next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Need {
    /// These bytes of the tape.
    Range(Range<u64>),
    /// Nothing more.
    Done,
}

/// What some bytes turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found<'a> {
    /// Nothing yet: go on.
    Nothing,
    /// The front.
    TapeHeader(TapeHeader),
    /// A whole chunk; index chunks too.
    Chunk(Chunk<'a>),
    /// A trailer.
    Trailer,
    /// Bytes that are no whole chunk.
    Damage(Damage),
    /// The tape ends here for now: go on when it has grown, or [close](Scanner::close) it.
    Waiting,
}

/// Bytes of a tape that are lost.
#[derive(Debug, Clone, PartialEq, Eq)]
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
/// It does no I/O: ask what it [needs](Self::need), [supply](Self::supply) these bytes, look at what
/// was found, repeat. At most one chunk and two headers are needed at once.
#[derive(Debug, Clone)]
pub struct Scanner {
    /// `None` while the tape grows.
    length: Option<u64>,
    tape_id: Option<u32>,
    /// The place that is looked at.
    at: u64,
    state: State,
    /// Where the damage began that is being searched through, and the header there.
    lost: Option<(u64, Option<ChunkHeader>)>,
    /// Ends of chunks that have wrong payloads and go over the place that is looked at.
    failures: Vec<u64>,
    sequences: Sequences,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// At the front.
    TapeHeader,
    /// Where a chunk or trailer should begin.
    Place,
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
        Self { length: Some(length.min(TAPE_BYTES.max)), ..Self::growing() }
    }

    /// A walk over a tape that is still being written.
    #[must_use]
    pub fn growing() -> Self {
        Self {
            length: None,
            tape_id: None,
            at: 0,
            state: State::TapeHeader,
            lost: None,
            failures: Vec::new(),
            sequences: Sequences::default(),
        }
    }

    /// The tape does not grow any more: it has `length` bytes.
    pub fn close(&mut self, length: u64) {
        self.length = Some(length.min(TAPE_BYTES.max));
        if let State::Chunk(header) = self.state {
            self.consider(header);
        }
    }

    /// The sequence numbers of whole chunks.
    pub(crate) fn sequences(&self) -> &Sequences {
        &self.sequences
    }

    /// The place up to which everything is known.
    #[must_use]
    pub fn position(&self) -> u64 {
        self.lost.map_or(self.at, |(from, _)| from)
    }

    /// The bytes that are needed next.
    #[must_use]
    pub fn need(&self) -> Need {
        let most = match self.state {
            State::TapeHeader => TapeHeader::LENGTH as u64,
            State::Place => HEADER,
            State::Chunk(header) => header.chunk_length() + HEADER,
            State::Search => WINDOW,
            State::Done => return Need::Done,
        };
        let end = self.at.saturating_add(most);
        let end = self.length.map_or(end, |length| end.min(length));
        if end <= self.at && self.lost.is_none() && !matches!(self.state, State::TapeHeader) {
            return Need::Done;
        }
        Need::Range(self.at..end.max(self.at))
    }

    /// The bytes that were [needed](Self::need); fewer where the tape ends.
    pub fn supply<'a>(&mut self, bytes: &'a [u8]) -> Found<'a> {
        let Need::Range(range) = self.need() else { return Found::Nothing };
        let asked = (range.end - range.start) as usize;
        let bytes = &bytes[..bytes.len().min(asked)];
        if bytes.len() < asked && self.length.is_some() {
            // The tape is shorter than was said.
            self.close(self.at + bytes.len() as u64);
            return Found::Nothing;
        }
        match self.state {
            State::TapeHeader => self.front(bytes),
            State::Place => self.place(bytes),
            State::Chunk(header) => self.chunk(&header, bytes),
            State::Search => self.search(bytes),
            State::Done => Found::Nothing,
        }
    }

    fn front<'a>(&mut self, bytes: &[u8]) -> Found<'a> {
        if self.length.is_none() && bytes.len() < TapeHeader::LENGTH {
            return Found::Waiting;
        }
        match TapeHeader::read(bytes) {
            Ok(front) => {
                self.tape_id = Some(front.tape_id);
                self.go_to(TapeHeader::LENGTH as u64);
                Found::TapeHeader(front)
            }
            Err(_) => {
                self.lost = Some((0, None));
                self.state = State::Search;
                Found::Nothing
            }
        }
    }

    fn place<'a>(&mut self, bytes: &[u8]) -> Found<'a> {
        if self.is_trailer(bytes, self.at) {
            self.go_to(self.at + TRAILER);
            return Found::Trailer;
        }
        if let Some(header) = self.header(bytes, self.at) {
            self.consider(header);
        } else if self.length.is_none() && (bytes.len() as u64) < HEADER {
            return Found::Waiting;
        } else {
            self.lose(None);
        }
        Found::Nothing
    }

    fn chunk<'a>(&mut self, header: &ChunkHeader, bytes: &'a [u8]) -> Found<'a> {
        let stored = bytes.get(ChunkHeader::LENGTH..header.chunk_length() as usize);
        let Some(stored) = stored else { return Found::Waiting };
        let behind = &bytes[header.chunk_length() as usize..];
        let is_whole = check64(stored) == header.check;
        if !is_whole && !self.goes_on(behind, header) {
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
        if let Some(next) = self.header(behind, self.at) {
            self.consider(next);
        }
        found
    }

    /// Does the tape go on directly behind this chunk?
    fn goes_on(&self, behind: &[u8], header: &ChunkHeader) -> bool {
        let end = self.at + header.chunk_length();
        behind.is_empty() || self.is_trailer(behind, end) || self.header(behind, end).is_some()
    }

    fn search<'a>(&mut self, bytes: &[u8]) -> Found<'a> {
        if let Some((place, header)) = self.next_header(bytes) {
            self.at = place;
            self.consider(header);
            return Found::Nothing;
        }
        let end = self.at + bytes.len() as u64;
        if self.length.is_none_or(|length| end < length) {
            // A header that begins in this window may end in the next one.
            let next = self.at.max(end.saturating_sub(HEADER - 1));
            let waits = self.length.is_none() && (bytes.len() as u64) < WINDOW;
            self.at = next;
            return if waits { Found::Waiting } else { Found::Nothing };
        }
        let trailer = bytes.len().checked_sub(Trailer::LENGTH);
        let place = trailer.map(|start| self.at + start as u64);
        match (trailer, place) {
            (Some(start), Some(place)) if self.is_trailer(&bytes[start..], place) => {
                self.at = place;
                self.state = State::Place;
                self.end_of_damage(DamageKind::Unreadable).unwrap_or(Found::Nothing)
            }
            _ => {
                self.at = end;
                self.state = State::Done;
                self.end_of_damage(DamageKind::Torn).unwrap_or(Found::Nothing)
            }
        }
    }

    /// The next valid header in a window that begins at the present place.
    fn next_header(&mut self, window: &[u8]) -> Option<(u64, ChunkHeader)> {
        let last = window.len().checked_sub(ChunkHeader::LENGTH)?;
        let mut from = 0;
        while from <= last {
            from += window[from..=last].iter().position(|&byte| byte == SYNC[0])?;
            let place = self.at + from as u64;
            if let Some(header) = self.header(&window[from..], place) {
                self.failures.retain(|&end| end > place);
                if self.failures.len() <= OVERLAPPING_FAILURES {
                    return Some((place, header));
                }
            }
            from += 1;
        }
        None
    }

    /// A valid header of this tape at the beginning of `bytes`.
    fn header(&self, bytes: &[u8], place: u64) -> Option<ChunkHeader> {
        let header = ChunkHeader::read(bytes.first_chunk()?, place).ok()?;
        self.is_ours(header.tape_id).then_some(header)
    }

    fn is_trailer(&self, bytes: &[u8], place: u64) -> bool {
        let trailer = bytes.first_chunk().and_then(|bytes| Trailer::read(bytes, place).ok());
        trailer.is_some_and(|trailer| self.is_ours(trailer.tape_id))
    }

    fn is_ours(&self, tape_id: u32) -> bool {
        self.tape_id.is_none_or(|ours| ours == tape_id)
    }

    /// A valid header at the present place: is there room for its chunk?
    fn consider(&mut self, header: ChunkHeader) {
        let end = self.at + header.chunk_length();
        if self.length.is_some_and(|length| end > length) {
            self.lose(Some(header));
        } else {
            self.state = State::Chunk(header);
        }
    }

    /// What is at the present place is lost: search behind it.
    fn lose(&mut self, header: Option<ChunkHeader>) {
        if self.lost.is_none() {
            if let Some(header) = &header {
                self.sequences.mark_lost(header);
            }
            self.lost = Some((self.at, header));
        }
        self.at += 1;
        self.state = State::Search;
    }

    /// Reports the damage that ends at the present place, if there was one.
    fn end_of_damage<'a>(&mut self, kind: DamageKind) -> Option<Found<'a>> {
        let (from, header) = self.lost.take()?;
        Some(Found::Damage(Damage { range: from..self.at, kind, header }))
    }

    fn go_to(&mut self, place: u64) {
        self.at = place;
        self.state = State::Place;
        self.failures.retain(|&end| end > place);
    }
}
