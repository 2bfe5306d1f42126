//! Collecting what a walk over a tape finds.

use std::ops::Range;

use gametape_wire::{Error, Place, Result, Writer};

use crate::chain::{Chain, leaf};
use crate::chunk::Chunk;
use crate::footer::SUMMARY_STREAM;
use crate::gap::Gap;
use crate::index::ChunkEntry;
use crate::kind::ChunkKind;
use crate::losses::{gaps, lost_ticks};
use crate::scan::{Damage, DamageKind, Found, Need, Scanner};
use crate::summary::Summary;
use crate::tape_header::TapeHeader;
use crate::writer::TapeWriter;

const DAMAGED: &str = "it is damaged before its end: repair it first";

/// Everything that is left of a tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recovered {
    /// The front, from the summary where its own place is damaged.
    pub front: Option<TapeHeader>,
    /// The metadata, as JSON.
    pub metadata: Option<Vec<u8>>,
    /// The closing metadata, as JSON.
    pub closing: Option<Vec<u8>>,
    /// Whole counted chunks, ascending by sequence number.
    pub chunks: Vec<ChunkEntry>,
    /// Lost bytes, in the order of the tape.
    pub damages: Vec<Damage>,
    /// Sequence numbers of which nothing is left, not even a header.
    pub missing: Vec<Range<u32>>,
    /// Does the tape end with a trailer?
    pub is_finished: bool,
    /// Do counted chunks stand in another order than they were written in?
    pub is_reordered: bool,
    /// Behind the last whole counted chunk: where recording can go on.
    pub end: u64,
    /// The chain, where no chunk is missing in it.
    chain: Option<Chain>,
}

/// Walks a whole tape and collects what is whole; sans-IO as [`Scanner`].
#[derive(Debug, Clone)]
pub struct Recovery {
    scanner: Scanner,
    found: Recovered,
    hashes: bool,
}

impl Recovery {
    /// Over a tape of `length` bytes.
    #[must_use]
    pub fn new(length: u64) -> Self {
        Self::over(Scanner::new(length))
    }

    /// Over a tape that is still being written.
    #[must_use]
    pub fn growing() -> Self {
        Self::over(Scanner::growing())
    }

    fn over(scanner: Scanner) -> Self {
        let found = Recovered {
            front: None,
            metadata: None,
            closing: None,
            chunks: Vec::new(),
            damages: Vec::new(),
            missing: Vec::new(),
            is_finished: false,
            is_reordered: false,
            end: 0,
            chain: None,
        };
        Self { scanner, found, hashes: false }
    }

    /// Also follows the chain, so that [`Recovered::resume`] works.
    #[must_use]
    pub fn with_chain(mut self) -> Self {
        self.hashes = true;
        self
    }

    /// The bytes that are needed next.
    #[must_use]
    pub fn need(&self) -> Need {
        self.scanner.need()
    }

    /// The bytes that were needed; says what they are.
    pub fn supply<'a>(&mut self, bytes: &'a [u8]) -> Found<'a> {
        let found = self.scanner.supply(bytes);
        match &found {
            Found::TapeHeader(front) => {
                self.found.front = Some(*front);
                self.found.chain = self.hashes.then(|| Chain::start(front));
                self.found.end = TapeHeader::LENGTH as u64;
            }
            Found::Chunk(chunk) => self.note(chunk),
            Found::Damage(damage) => self.found.damages.push(damage.clone()),
            Found::Trailer | Found::Nothing | Found::Waiting => {}
        }
        match found {
            Found::Trailer => self.found.is_finished = true,
            Found::Chunk(_) | Found::Damage(_) => self.found.is_finished = false,
            _ => {}
        }
        found
    }

    fn note(&mut self, chunk: &Chunk<'_>) {
        let found = &mut self.found;
        if chunk.header.kind == ChunkKind::INDEX {
            if found.front.is_none() {
                found.front = front_of_summary(chunk);
            }
            return;
        }
        if chunk.header.kind == ChunkKind::METADATA
            && let Ok(raw) = chunk.raw()
        {
            let place =
                if chunk.header.stream == 0 { &mut found.metadata } else { &mut found.closing };
            *place = Some(raw.into_owned());
        }
        let last = found.chunks.last();
        found.is_reordered |= last.is_some_and(|last| last.header.sequence > chunk.header.sequence);
        match &mut found.chain {
            Some(chain) if chain.length() == chunk.header.sequence => chain.push(&leaf(chunk)),
            chain => *chain = None,
        }
        let entry = ChunkEntry::from(chunk);
        found.end = entry.range().end;
        found.chunks.push(entry);
    }

    /// A tape that was growing has ended, with `length` bytes.
    pub fn close(&mut self, length: u64) {
        self.scanner.close(length);
    }

    /// What was found.
    #[must_use]
    pub fn finish(mut self) -> Recovered {
        self.found.chunks.sort_by_key(|chunk| chunk.header.sequence);
        self.found.missing = self.scanner.sequences().missing();
        self.found
    }
}

fn front_of_summary(chunk: &Chunk<'_>) -> Option<TapeHeader> {
    if chunk.header.stream != SUMMARY_STREAM {
        return None;
    }
    let summary = Summary::read(&chunk.raw().ok()?, chunk.offset).ok()?;
    Some(summary.front)
}

impl Recovered {
    /// Everything that is left of the tape in `bytes`.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut recovery = Recovery::new(bytes.len() as u64).with_chain();
        while let Need::Range(range) = recovery.need() {
            recovery.supply(&bytes[range.start as usize..range.end as usize]);
        }
        recovery.finish()
    }

    /// Was nothing lost? A torn end is a loss.
    #[must_use]
    pub fn is_undamaged(&self) -> bool {
        self.damages.is_empty() && self.missing.is_empty()
    }

    /// The ticks that a damage may concern: those of the lost chunk where its header is left, else
    /// those between the chunks around it.
    #[must_use]
    pub fn lost_ticks(&self, damage: &Damage) -> Range<u64> {
        lost_ticks(&self.chunks, damage)
    }

    /// Everything that is lost, as a repaired tape says it; ascending by tick.
    #[must_use]
    pub fn gaps(&self) -> Vec<Gap> {
        gaps(&self.chunks, &self.damages, &self.missing)
    }

    /// The writer that goes on with this tape: cut the file at [`end`](Self::end), then append.
    ///
    /// Refused where anything but the end is lost: repair such a tape first.
    pub fn resume(self) -> Result<TapeWriter> {
        let torn =
            |damage: &Damage| damage.kind == DamageKind::Torn && damage.range.start >= self.end;
        let refuse = |problem| Err(Error::misuse("tape to continue", problem));
        if self.is_reordered {
            return refuse("a packed tape is complete");
        }
        if let Some(damage) = self.damages.iter().find(|damage| !torn(damage)) {
            let place = Place::Byte(damage.range.start);
            return refuse(DAMAGED).map_err(|error| error.with_place(place));
        }
        if !self.missing.is_empty() {
            return refuse(DAMAGED);
        }
        match (self.front, self.chain) {
            (Some(front), Some(chain)) if !self.chunks.is_empty() => {
                let out = Writer::with_base(self.end);
                Ok(TapeWriter::continuing(front, out, self.chunks, chain))
            }
            _ => refuse("front, metadata and the chain are needed"),
        }
    }
}
