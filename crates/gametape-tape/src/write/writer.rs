//! Writing a tape: bytes come out that are to be appended to a file, a socket, anything.

use std::collections::{BTreeMap, BTreeSet};

use gametape_wire::{Error, ErrorKind, Place, Result, Tick, View, ViewSet, Writer};

use crate::check::chain::{Chain, leaf};
use crate::check::sign::{self, SigningKey};
use crate::index::footer::{FooterWriter, IndexCodec};
use crate::index::summary::Summary;
use crate::index::table::ChunkEntry;
use crate::layout::chunk::{Chunk, Compressor};
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::frames::{FrameBlock, Pieces};
use crate::layout::gap::Gap;
use crate::layout::kind::ChunkKind;
use crate::layout::names::NameTable;
use crate::layout::tape_header::TapeHeader;
use crate::limits::{CHUNK_BYTES, CHUNKS, FRAMES_TARGET, TICK};
use crate::snapshot::Keyframe;
use crate::write::draft::{ChunkDraft, put_chunk};

/// Writes a tape, chunk after chunk.
///
/// Frames and orders are collected and become chunks when enough is there, before a keyframe, and
/// at a [flush](Self::flush). Everything that became a chunk is in [`take`](Self::take), to be
/// appended to what was taken before: after each append the file is a valid tape. What a method
/// refuses leaves the tape as it was.
#[derive(Debug)]
pub struct TapeWriter {
    header: TapeHeader,
    out: Writer,
    chunks: Vec<ChunkEntry>,
    chain: Chain,
    compressor: Compressor,
    /// In the order in which they began.
    streams: Vec<StreamState>,
    indexes: BTreeMap<(ChunkKind, u16), usize>,
    /// The streams whose blocks are not empty.
    open: BTreeSet<usize>,
    names: u32,
}

/// This many streams are looked through before the table of all is asked.
const FIRST_STREAMS: usize = 8;

/// How far a stream of one kind has come.
#[derive(Debug)]
struct StreamState {
    kind: ChunkKind,
    stream: u16,
    last_tick: Tick,
    block: FrameBlock,
}

impl TapeWriter {
    /// Begins a tape: header and metadata, a JSON object.
    pub fn new(header: TapeHeader, metadata: &[u8]) -> Result<Self> {
        let mut out = Writer::new();
        out.bytes(&header.to_bytes());
        let mut writer = Self::continuing(header, out, Vec::new(), Chain::start(&header));
        writer.metadata(0, metadata)?;
        Ok(writer)
    }

    /// A writer that goes on after chunks that were written before.
    pub(crate) fn continuing(
        header: TapeHeader,
        out: Writer,
        chunks: Vec<ChunkEntry>,
        chain: Chain,
    ) -> Self {
        let mut writer = Self {
            header,
            out,
            chunks: Vec::new(),
            chain,
            compressor: Compressor::default(),
            streams: Vec::new(),
            indexes: BTreeMap::new(),
            open: BTreeSet::new(),
            names: 0,
        };
        for chunk in &chunks {
            let header = &chunk.header;
            let state = writer.stream(header.kind, header.stream);
            state.last_tick = state.last_tick.max(header.last_tick());
            if header.kind == ChunkKind::NAMES {
                writer.names = writer.names.saturating_add(header.detail);
            }
        }
        writer.chunks = chunks;
        writer
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &TapeHeader {
        &self.header
    }

    /// The chunks written so far, those not taken yet included.
    #[must_use]
    pub fn chunks(&self) -> &[ChunkEntry] {
        &self.chunks
    }

    /// The chain over the chunks written so far.
    #[must_use]
    pub fn chain(&self) -> Chain {
        self.chain
    }

    /// The id that the next name gets.
    #[must_use]
    pub fn next_name(&self) -> u32 {
        self.names
    }

    /// How long the tape is, bytes not taken yet included.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.out.offset()
    }

    /// The bytes that are to be appended now.
    #[must_use]
    pub fn take(&mut self) -> Vec<u8> {
        let next = Writer::with_base(self.out.offset());
        std::mem::replace(&mut self.out, next).into_bytes()
    }

    /// What views receive at `tick`; each view at most once.
    pub fn frame(&mut self, stream: u16, tick: Tick, parts: &[(View, &[u8])]) -> Result<()> {
        self.framed(ChunkKind::FRAMES, stream, tick, &Pieces::gather(parts)?)
    }

    /// The same for all of `views`.
    pub fn frame_for_all(
        &mut self,
        stream: u16,
        tick: Tick,
        views: ViewSet,
        payload: &[u8],
    ) -> Result<()> {
        if views.is_empty() {
            return Err(Error::misuse("frame", "nobody receives it"));
        }
        let block = self.room(ChunkKind::FRAMES, stream, tick, payload.len())?;
        block.push_shared(tick, views, payload);
        Ok(())
    }

    /// What `player` asked for at `tick`.
    pub fn order(&mut self, stream: u16, tick: Tick, player: View, payload: &[u8]) -> Result<()> {
        let block = self.room(ChunkKind::ORDERS, stream, tick, payload.len())?;
        block.push_shared(tick, ViewSet::EMPTY.with(player), payload);
        Ok(())
    }

    /// What several players asked for together at `tick`.
    pub fn orders(&mut self, stream: u16, tick: Tick, parts: &[(View, &[u8])]) -> Result<()> {
        self.framed(ChunkKind::ORDERS, stream, tick, &Pieces::gather(parts)?)
    }

    pub(crate) fn framed(
        &mut self,
        kind: ChunkKind,
        stream: u16,
        tick: Tick,
        pieces: &Pieces<'_>,
    ) -> Result<()> {
        self.room(kind, stream, tick, pieces.byte_count())?.push(tick, pieces);
        Ok(())
    }

    /// The open block of a stream, with room for a frame of this size.
    fn room(
        &mut self,
        kind: ChunkKind,
        stream: u16,
        tick: Tick,
        bytes: usize,
    ) -> Result<&mut FrameBlock> {
        TICK.check((tick + 1).0, 0).map_err(nowhere)?;
        CHUNK_BYTES.check(bytes as u64 + 256, 0).map_err(nowhere)?;
        let index = self.stream_index(kind, stream);
        let state = &self.streams[index];
        check_order(state, tick)?;
        if !state.block.is_empty() && !state.block.has_room(tick, bytes, FRAMES_TARGET) {
            self.end_block(index)?;
        }
        let state = &mut self.streams[index];
        if state.block.is_empty() {
            self.open.insert(index);
        }
        state.last_tick = tick;
        Ok(&mut state.block)
    }

    /// A snapshot that play can start from. Open frames and orders become chunks before it.
    pub fn keyframe(&mut self, stream: u16, views: ViewSet, keyframe: &Keyframe) -> Result<()> {
        let distance = keyframe.baseline_distance()?;
        let kind = match distance {
            None => ChunkKind::FULL_KEYFRAME,
            Some(_) => ChunkKind::DELTA_KEYFRAME,
        };
        let draft = ChunkDraft {
            stream,
            views,
            first_tick: keyframe.tick,
            detail: distance.unwrap_or(0),
            ..ChunkDraft::new(kind)
        };
        self.flush()?;
        self.chunk(&draft, &keyframe.raw)
    }

    /// What a match starts from, in the game's own bytes.
    pub fn setup(&mut self, stream: u16, views: ViewSet, raw: &[u8]) -> Result<()> {
        self.chunk(&ChunkDraft { stream, views, ..ChunkDraft::new(ChunkKind::SETUP) }, raw)
    }

    /// Strings for the next ids of the recording's string table; returns the first of these ids.
    pub fn names<S: AsRef<str>>(&mut self, names: &[S]) -> Result<u32> {
        let first = self.names;
        let raw = NameTable::encode(first, names)?;
        let detail = names.len() as u32;
        self.chunk(&ChunkDraft { detail, ..ChunkDraft::new(ChunkKind::NAMES) }, &raw)?;
        self.names += detail;
        Ok(first)
    }

    /// A named attachment.
    pub fn resource(&mut self, name: &str, views: ViewSet, content: &[u8]) -> Result<()> {
        let mut raw = Writer::new();
        raw.varint(name.len() as u64).bytes(name.as_bytes()).bytes(content);
        let draft = ChunkDraft { views, ..ChunkDraft::new(ChunkKind::RESOURCE) };
        self.chunk(&draft, raw.as_bytes())
    }

    /// Says that something is missing. Open frames and orders become chunks before it.
    pub fn gap(&mut self, gap: &Gap) -> Result<()> {
        self.flush()?;
        self.chunk(&gap.draft(), &gap.to_bytes())
    }

    /// What is known only at the end, a JSON object.
    pub fn closing_metadata(&mut self, metadata: &[u8]) -> Result<()> {
        self.flush()?;
        self.metadata(1, metadata)
    }

    fn metadata(&mut self, stream: u16, metadata: &[u8]) -> Result<()> {
        check_metadata(metadata, 0).map_err(nowhere)?;
        self.chunk(&ChunkDraft { stream, ..ChunkDraft::new(ChunkKind::METADATA) }, metadata)
    }

    /// Signs everything so far. Only further signatures may follow, or the tape is not signed.
    pub fn sign(&mut self, key: &SigningKey) -> Result<()> {
        self.flush()?;
        let signature = sign::sign(key, &self.chain);
        self.chunk(&ChunkDraft::new(ChunkKind::SIGNATURE), &signature)
    }

    /// Any chunk: events, and kinds that this version does not know.
    ///
    /// First ticks must not decrease within a kind and stream.
    pub fn chunk(&mut self, draft: &ChunkDraft, raw: &[u8]) -> Result<()> {
        check_order(self.stream(draft.kind, draft.stream), draft.first_tick)?;
        self.packed_chunk(draft, raw)
    }

    /// A chunk of another tape as it is stored there, for these views.
    pub fn copy(&mut self, chunk: &Chunk<'_>, views: ViewSet) -> Result<()> {
        let draft = ChunkDraft { views, ..ChunkDraft::from(&chunk.header) };
        self.flush()?;
        check_order(self.stream(draft.kind, draft.stream), draft.first_tick)?;
        if draft.kind == ChunkKind::NAMES {
            self.names = self.names.saturating_add(draft.detail);
        }
        let header = ChunkHeader { sequence: self.next_sequence()?, views, ..chunk.header };
        let header = ChunkHeader { tape_id: self.header.tape_id, ..header };
        self.put(&header, chunk.stored)
    }

    fn packed_chunk(&mut self, draft: &ChunkDraft, raw: &[u8]) -> Result<()> {
        CHUNK_BYTES.check(raw.len() as u64, 0).map_err(nowhere)?;
        let sequence = self.next_sequence()?;
        let mut compressor = std::mem::take(&mut self.compressor);
        let (codec, stored) = compressor.pack(raw);
        let header = draft.header(self.header.tape_id, sequence, codec, raw.len(), stored);
        let written = header.and_then(|header| self.put(&header, stored));
        self.compressor = compressor;
        written
    }

    fn next_sequence(&self) -> Result<u32> {
        CHUNKS.check(self.chunks.len() as u64 + 1, 0).map_err(nowhere)?;
        Ok(self.chunks.len() as u32)
    }

    /// Appends a chunk to tape, table and chain.
    fn put(&mut self, header: &ChunkHeader, stored: &[u8]) -> Result<()> {
        if header.kind == ChunkKind::INDEX {
            return Err(Error::misuse("chunk", "the index is written by finish"));
        }
        let chunk = Chunk { header: *header, offset: self.out.offset(), stored };
        self.chain.push(&leaf(&chunk));
        self.chunks.push(ChunkEntry::from(&chunk));
        put_chunk(&mut self.out, header, stored);
        let state = self.stream(header.kind, header.stream);
        state.last_tick = state.last_tick.max(header.last_tick());
        Ok(())
    }

    /// Are there frames or orders that are in no chunk yet?
    #[must_use]
    pub fn has_open_chunks(&self) -> bool {
        !self.open.is_empty()
    }

    /// Makes chunks of all frames and orders given so far.
    pub fn flush(&mut self) -> Result<()> {
        while let Some(&index) = self.open.first() {
            self.end_block(index)?;
        }
        Ok(())
    }

    fn end_block(&mut self, index: usize) -> Result<()> {
        let state = &mut self.streams[index];
        let (kind, stream, mut block) =
            (state.kind, state.stream, std::mem::take(&mut state.block));
        let written = self.block_chunk(kind, stream, &block);
        if written.is_ok() {
            // The buffer serves the next chunk.
            block.clear();
            self.open.remove(&index);
        }
        self.streams[index].block = block;
        written
    }

    fn block_chunk(&mut self, kind: ChunkKind, stream: u16, block: &FrameBlock) -> Result<()> {
        let draft = ChunkDraft {
            stream,
            views: block.views,
            first_tick: block.first_tick,
            tick_count: block.tick_count()?,
            detail: block.frames,
            ..ChunkDraft::new(kind)
        };
        // Its ticks were checked frame by frame.
        self.packed_chunk(&draft, block.raw())
    }

    fn stream(&mut self, kind: ChunkKind, stream: u16) -> &mut StreamState {
        let index = self.stream_index(kind, stream);
        &mut self.streams[index]
    }

    /// Where a stream's state is; made when it is new.
    fn stream_index(&mut self, kind: ChunkKind, stream: u16) -> usize {
        // Most tapes have few streams, of which the first are those of frames.
        let first = self.streams.iter().take(FIRST_STREAMS);
        let found = first.enumerate().find(|(_, s)| s.kind == kind && s.stream == stream);
        if let Some((index, _)) = found {
            return index;
        }
        let next = self.streams.len();
        let index = *self.indexes.entry((kind, stream)).or_insert(next);
        if index == next {
            let block = FrameBlock::default();
            self.streams.push(StreamState { kind, stream, last_tick: Tick::ZERO, block });
        }
        index
    }

    /// Ends the tape with its index; returns the last bytes to append.
    pub fn finish(mut self) -> Result<Vec<u8>> {
        self.flush()?;
        let summary = Summary::of(self.header, &self.chunks, self.chain.head());
        let (count, codec) = (self.chunks.len() as u32, IndexCodec::of(&self.chunks));
        FooterWriter::new(self.header, count, &mut self.out, codec)
            .recording(&self.chunks, summary)?;
        Ok(self.out.into_bytes())
    }
}

fn check_order(state: &StreamState, tick: Tick) -> Result<()> {
    let last = state.last_tick;
    if tick >= last || !state.kind.ascends() {
        return Ok(());
    }
    let problem = format!("tick {tick} is before the tick {last} already reached");
    Err(Error::misuse(state.kind.to_string(), problem))
}

/// Is it UTF-8, and a JSON object at first sight? Gives the text; `offset` is for errors.
pub fn check_metadata(metadata: &[u8], offset: u64) -> Result<&str> {
    let bad = |problem: &'static str| {
        Error::at(offset, "metadata", ErrorKind::BadSyntax { problem: problem.into() })
    };
    let text = std::str::from_utf8(metadata).map_err(|_| bad("not UTF-8"))?;
    let inner = text.trim();
    if inner.starts_with('{') && inner.ends_with('}') {
        return Ok(text);
    }
    Err(bad("not a JSON object"))
}

/// The same error without an offset: it is about the call, not about input.
fn nowhere(error: Error) -> Error {
    error.with_place(Place::Nowhere)
}
