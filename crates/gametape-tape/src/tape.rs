//! An opened tape: what is in it, and where.

use std::collections::BTreeMap;
use std::ops::Range;

use gametape_wire::{Error, ErrorKind, Result};

use crate::chunk::Chunk;
use crate::gap::Gap;
use crate::index::{ChunkEntry, KeyframeIndex};
use crate::kind::{ChunkKind, Flags};
use crate::losses::gaps;
use crate::order::TickOrder;
use crate::reader::{Depth, TapeReader};
use crate::recover::Recovered;
use crate::scan::{Damage, Need};
use crate::summary::Summary;
use crate::tape_header::TapeHeader;

/// What is in a tape, and where; the bytes themselves stay where they are.
///
/// A [`ChunkEntry`] says which [range](ChunkEntry::range) to fetch, and
/// [reads](ChunkEntry::read) the chunk from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tape {
    /// The front.
    pub front: TapeHeader,
    /// The metadata, a JSON object; empty where it is lost.
    pub metadata: String,
    /// The closing metadata, a JSON object.
    pub closing: Option<String>,
    /// What there is of each kind. Of a rebuilt index, the chain head is zero.
    pub summary: Summary,
    /// All counted chunks, ascending by sequence number; empty unless the table was read.
    pub chunks: Vec<ChunkEntry>,
    /// All keyframes, ascending by tick; empty unless they were read.
    pub keyframes: KeyframeIndex,
    /// Why the tape's own index could not be used.
    pub index_problem: Option<Error>,
    /// Lost bytes; only known where the tape was walked.
    pub damages: Vec<Damage>,
    /// Lost sequence numbers; only known where the tape was walked.
    pub missing: Vec<Range<u32>>,
    runs: Runs,
}

/// Places of chunks in the table by kind and stream.
type Runs = BTreeMap<(ChunkKind, u16), Vec<u32>>;

impl Tape {
    pub(crate) fn new(front: TapeHeader) -> Self {
        Self {
            front,
            metadata: String::new(),
            closing: None,
            summary: Summary::of(front, &[], [0; 32]),
            chunks: Vec::new(),
            keyframes: KeyframeIndex::default(),
            index_problem: None,
            damages: Vec::new(),
            missing: Vec::new(),
            runs: Runs::new(),
        }
    }

    /// Opens the tape in `bytes`, with its whole index.
    pub fn open(bytes: &[u8]) -> Result<Self> {
        Self::open_to(bytes, Depth::Index)
    }

    /// Opens the tape in `bytes` as far as `depth` says.
    pub fn open_to(bytes: &[u8], depth: Depth) -> Result<Self> {
        let mut reader = TapeReader::new(bytes.len() as u64, depth);
        while let Need::Range(range) = reader.need() {
            reader.supply(&bytes[range.start as usize..range.end as usize])?;
        }
        reader.finish()
    }

    /// Was the tape ended by its writer, and its index used?
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.index_problem.is_none()
    }

    /// Fills in what a walk found.
    pub(crate) fn rebuild(&mut self, found: Recovered) {
        let text = |json: Vec<u8>| String::from_utf8(json).ok();
        self.metadata = found.metadata.and_then(text).unwrap_or_default();
        self.closing = found.closing.and_then(text);
        self.summary = Summary::of(self.front, &found.chunks, [0; 32]);
        self.summary.packed = found.is_reordered;
        self.keyframes = KeyframeIndex::of(&found.chunks, None);
        self.chunks = found.chunks;
        self.damages = found.damages;
        self.missing = found.missing;
        self.sort_into_runs();
    }

    /// Makes streams easy to find, once all chunks are known.
    pub(crate) fn sort_into_runs(&mut self) {
        self.runs.clear();
        let mut order = TickOrder::default();
        for (chunk, place) in self.chunks.iter().zip(0..) {
            if order.admits_frames(&chunk.header) {
                self.runs.entry((chunk.header.kind, chunk.header.stream)).or_default().push(place);
            }
        }
    }

    /// Adds the chunk that comes next to its stream, unless it is of frames that go back in time.
    pub(crate) fn add_to_run(&mut self, entry: &ChunkEntry) {
        let (kind, stream) = (entry.header.kind, entry.header.stream);
        let last = self.last_of(kind, stream);
        let in_order = last.is_none_or(|last| entry.header.first_tick >= last.header.last_tick());
        if in_order || !kind.is_framed() {
            self.runs.entry((kind, stream)).or_default().push(self.chunks.len() as u32);
        }
    }

    /// Is the table that was read complete and in order?
    pub(crate) fn check_table(&self, depth: Depth) -> Result<()> {
        let in_order = self.chunks.iter().zip(0..).all(|(chunk, n)| chunk.header.sequence == n);
        let complete = self.chunks.len() == self.summary.chunk_count as usize;
        if depth != Depth::Index || (in_order && complete) {
            return Ok(());
        }
        let problem = "chunks are missing in it or out of order".into();
        let offset = self.summary.pages.first().map_or(0, |page| page.range.start);
        Err(Error::at(offset, "chunk table", ErrorKind::BadSyntax { problem }))
    }

    /// Everything that is lost, as a repaired tape says it, ascending by tick: [misplaced
    /// chunks](Self::misplaced) and, where the tape was walked, what damage took.
    #[must_use]
    pub fn gaps(&self) -> Vec<Gap> {
        gaps(&self.chunks, &self.damages, &self.missing)
    }

    /// Chunks of frames or orders that begin before the last tick of the chunk before them. No writer
    /// makes such chunks, and no [stream](Self::stream) has them.
    pub fn misplaced(&self) -> impl Iterator<Item = &ChunkEntry> {
        TickOrder::misplaced(&self.chunks).map(|place| &self.chunks[place])
    }

    /// The chunks of a kind and stream, ascending by tick; of frames and orders no two overlap.
    pub fn stream(&self, kind: ChunkKind, stream: u16) -> impl Iterator<Item = &ChunkEntry> {
        self.run(kind, stream).iter().filter_map(|&place| self.entry(place))
    }

    /// Those chunks of a kind and stream that say something about some of these ticks.
    pub fn stream_at(
        &self,
        kind: ChunkKind,
        stream: u16,
        ticks: Range<u64>,
    ) -> impl Iterator<Item = &ChunkEntry> {
        let run = self.run(kind, stream);
        let header = |&place: &u32| self.entry(place).map(|chunk| &chunk.header);
        let begins = |place: &u32| header(place).is_some_and(|h| h.first_tick < ticks.end);
        let is_over = |place: &u32| header(place).is_some_and(|h| h.end_tick() <= ticks.start);
        let run = &run[..run.partition_point(begins)];
        // Frames never reach into the next chunk; of other kinds a chunk may outlast later ones.
        let start = if kind.is_framed() { run.partition_point(is_over) } else { 0 };
        let chunks = run[start..].iter().filter_map(|&place| self.entry(place));
        chunks.filter(move |chunk| chunk.header.end_tick() > ticks.start)
    }

    /// The last chunk of a kind and stream.
    #[must_use]
    pub fn last_of(&self, kind: ChunkKind, stream: u16) -> Option<&ChunkEntry> {
        self.run(kind, stream).last().and_then(|&place| self.entry(place))
    }

    fn run(&self, kind: ChunkKind, stream: u16) -> &[u32] {
        self.runs.get(&(kind, stream)).map_or(&[], |run| run)
    }

    fn entry(&self, place: u32) -> Option<&ChunkEntry> {
        self.chunks.get(place as usize)
    }

    /// The chunk of an entry, from the bytes of the whole tape.
    pub fn read<'a>(&self, entry: &ChunkEntry, bytes: &'a [u8]) -> Result<Chunk<'a>> {
        let Range { start, end } = entry.range();
        let available = bytes.len() as u64;
        if end > available {
            let available = available.saturating_sub(start);
            let kind = ErrorKind::Truncated { needed: end - start, available };
            return Err(Error::at(start, entry.header.kind.to_string(), kind));
        }
        entry.read(&bytes[start as usize..end as usize])
    }

    /// Refuses a tape with a critical chunk of an unknown kind.
    pub fn check_playable(&self) -> Result<()> {
        let unknown = |chunk: &&ChunkEntry| {
            !chunk.header.kind.is_known() && chunk.header.flags.has(Flags::CRITICAL)
        };
        match self.chunks.iter().find(unknown) {
            None => Ok(()),
            Some(chunk) => {
                let kind = ErrorKind::Unknown { code: chunk.header.kind.0.into() };
                Err(Error::at(chunk.offset + 12, "critical chunk", kind))
            }
        }
    }
}
