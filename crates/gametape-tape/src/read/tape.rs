//! An opened tape: what is in it, and where.

use std::collections::BTreeMap;
use std::ops::Range;

use gametape_wire::{Arrange, Error, ErrorKind, Result, Tick, View, ViewSet, drive};

use crate::index::summary::Summary;
use crate::index::table::{ChunkEntry, KeyframeIndex};
use crate::layout::chunk::Chunk;
use crate::layout::gap::Gap;
use crate::layout::kind::{ChunkKind, Flags};
use crate::layout::tape_header::TapeHeader;
use crate::read::order::TickOrder;
use crate::read::reader::{Depth, TapeReader};
use crate::recover::losses::{chunk_gap, gaps, unwritten_gaps};
use crate::recover::recovery::Recovered;
use crate::recover::scan::Damage;

/// What is in a tape, and where; the bytes themselves stay where they are.
///
/// A [`ChunkEntry`] says which [range](ChunkEntry::range) to fetch, and
/// [reads](ChunkEntry::read) the chunk from it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tape {
    /// The header.
    pub header: TapeHeader,
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
    unwritten: Option<Range<Tick>>,
    runs: Runs,
}

/// Indexes of chunks in the table by kind and stream.
type Runs = BTreeMap<(ChunkKind, u16), Vec<u32>>;

impl Tape {
    pub(crate) fn new(header: TapeHeader) -> Self {
        Self {
            header,
            metadata: String::new(),
            closing: None,
            summary: Summary::of(header, &[], [0; 32]),
            chunks: Vec::new(),
            keyframes: KeyframeIndex::default(),
            index_problem: None,
            damages: Vec::new(),
            missing: Vec::new(),
            unwritten: None,
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
        drive(&mut reader, &mut &*bytes)?;
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
        self.unwritten = found.unwritten();
        self.metadata = found.metadata.and_then(text).unwrap_or_default();
        self.closing = found.closing.and_then(text);
        self.summary = Summary::of(self.header, &found.chunks, [0; 32]);
        self.summary.packed = found.is_packed;
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
        for (chunk, index) in self.chunks.iter().zip(0..) {
            if order.admits_frames(&chunk.header) {
                self.runs.entry((chunk.header.kind, chunk.header.stream)).or_default().push(index);
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
        let mut gaps = gaps(&self.chunks, &self.damages, &self.missing);
        gaps.extend(self.misplaced().map(|chunk| chunk_gap(&chunk.header)));
        gaps.arrange_by_key(|gap| gap.first_tick);
        gaps
    }

    /// The ticks at which a tape that was never finished has events, or something else, but no frames and
    /// orders any more; see [`Recovered::unwritten`]. A tape that grows may still get them.
    #[must_use]
    pub fn unwritten(&self) -> Option<Range<Tick>> {
        self.unwritten.clone()
    }

    /// The gaps that a finished tape declares which is made of this one: [those of its
    /// losses](Self::gaps), and what its recorder did [not write](Self::unwritten) any more.
    #[must_use]
    pub fn gaps_when_finished(&self) -> Vec<Gap> {
        let mut gaps = self.gaps();
        if let Some(ticks) = &self.unwritten {
            gaps.extend(unwritten_gaps(&self.chunks, ticks));
            gaps.arrange_by_key(|gap| gap.first_tick);
        }
        gaps
    }

    /// Chunks of frames or orders that begin before the last tick of the chunk before them. No writer
    /// makes such chunks, and no [stream](Self::stream) has them.
    pub fn misplaced(&self) -> impl Iterator<Item = &ChunkEntry> {
        TickOrder::misplaced(&self.chunks).map(|index| &self.chunks[index])
    }

    /// The chunks of a kind and stream, ascending by tick; of frames and orders no two overlap.
    pub fn stream(&self, kind: ChunkKind, stream: u16) -> impl Iterator<Item = &ChunkEntry> {
        self.run(kind, stream).iter().filter_map(|&index| self.entry(index))
    }

    /// Those chunks of a kind and stream that say something about some of these ticks.
    pub fn stream_at(
        &self,
        kind: ChunkKind,
        stream: u16,
        ticks: Range<Tick>,
    ) -> impl Iterator<Item = &ChunkEntry> {
        let run = self.run(kind, stream);
        let header = |&index: &u32| self.entry(index).map(|chunk| &chunk.header);
        let begins = |index: &u32| header(index).is_some_and(|h| h.first_tick < ticks.end);
        let is_over = |index: &u32| header(index).is_some_and(|h| h.end_tick() <= ticks.start);
        let run = &run[..run.partition_point(begins)];
        // Frames never reach into the next chunk; of other kinds a chunk may outlast later ones.
        let start = if kind.is_framed() { run.partition_point(is_over) } else { 0 };
        let chunks = run[start..].iter().filter_map(|&index| self.entry(index));
        chunks.filter(move |chunk| chunk.header.end_tick() > ticks.start)
    }

    /// The last chunk of a kind and stream.
    #[must_use]
    pub fn last_of(&self, kind: ChunkKind, stream: u16) -> Option<&ChunkEntry> {
        self.run(kind, stream).last().and_then(|&index| self.entry(index))
    }

    fn run(&self, kind: ChunkKind, stream: u16) -> &[u32] {
        self.runs.get(&(kind, stream)).map_or(&[], |run| run)
    }

    fn entry(&self, index: u32) -> Option<&ChunkEntry> {
        self.chunks.get(index as usize)
    }

    /// The views that somebody has: those of frames, orders and keyframes, where the table was read,
    /// lost ones included.
    /// The summary also counts those who may know a setup.
    #[must_use]
    pub fn views(&self) -> ViewSet {
        let whole = self.chunks.iter().map(|entry| &entry.header);
        let lost = self.damages.iter().filter_map(|damage| damage.header.as_ref());
        let own = whole.chain(lost).filter(|header| {
            header.kind.is_framed() || (header.kind.is_keyframe() && header.views != ViewSet::ALL)
        });
        let views = own.fold(ViewSet::EMPTY, |views, header| views.or(header.views));
        if views.is_empty() { self.summary.views } else { views }
    }

    /// The first view that somebody has; the spectator where the tape has nothing of any.
    #[must_use]
    pub fn first_view(&self) -> View {
        self.views().iter().next().unwrap_or(View::SPECTATOR)
    }

    /// Refuses views that the tape does not have. A tape that has nothing of any view refuses none.
    pub fn check_views(&self, views: ViewSet) -> Result<()> {
        let there = self.views();
        let absent = views.without(there);
        if absent.is_empty() || there.is_empty() {
            return Ok(());
        }
        let problem = match there.len() {
            1 => format!("the tape has view {there} only, and not {absent}"),
            _ => format!("the tape has views {there}, and not {absent}"),
        };
        Err(Error::misuse("view", problem))
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
