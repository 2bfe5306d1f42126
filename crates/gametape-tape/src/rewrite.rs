//! New tapes out of old ones: cut to some views, or without what was lost.

use std::collections::BTreeMap;
use std::ops::Range;

use gametape_wire::{Result, ViewSet};

use crate::chunk::Chunk;
use crate::frames::{Pieces, TapeFrames};
use crate::gap::Gap;
use crate::header::ChunkHeader;
use crate::kind::{ChunkKind, Flags};
use crate::order::TickOrder;
use crate::recover::Recovered;
use crate::tape::Tape;
use crate::tape_header::TapeHeader;
use crate::writer::TapeWriter;

/// Writes a tape with those chunks of another that may be in it.
///
/// Give it the chunks in ascending order of their sequence numbers, and append what
/// [`take`](Self::take) returns, as with a [`TapeWriter`].
#[derive(Debug)]
pub struct Rewriter {
    writer: TapeWriter,
    /// For whom; everything for everybody when it is repaired.
    views: Option<ViewSet>,
    /// Frames and orders at other ticks are left out.
    ticks: Range<u64>,
    dropped: BTreeMap<ChunkKind, u32>,
    order: TickOrder,
    buffer: Vec<u8>,
}

/// The end of a rewritten tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The last bytes to append.
    pub bytes: Vec<u8>,
    /// How many chunks of which kind were left out.
    pub dropped: BTreeMap<ChunkKind, u32>,
}

impl Rewriter {
    /// Cuts a tape to what `views` may know. `metadata` is for everybody.
    pub fn cut(front: TapeHeader, metadata: &[u8], views: ViewSet) -> Result<Self> {
        Self::new(front, metadata, Some(views))
    }

    /// Repairs a tape: everything that is whole, and gaps where something is missing.
    pub fn repair(front: TapeHeader, metadata: &[u8]) -> Result<Self> {
        Self::new(front, metadata, None)
    }

    fn new(front: TapeHeader, metadata: &[u8], views: Option<ViewSet>) -> Result<Self> {
        let writer = TapeWriter::new(front, metadata)?;
        let ticks = 0..u64::MAX;
        let (dropped, order, buffer) = (BTreeMap::new(), TickOrder::default(), Vec::new());
        Ok(Self { writer, views, ticks, dropped, order, buffer })
    }

    /// Keeps only the frames and orders of these ticks. Chunks of other kinds are for the caller to
    /// choose: who wants to play needs a keyframe at the start.
    #[must_use]
    pub fn within(mut self, ticks: Range<u64>) -> Self {
        self.ticks = ticks;
        self
    }

    /// The bytes that are to be appended now.
    #[must_use]
    pub fn take(&mut self) -> Vec<u8> {
        self.writer.take()
    }

    /// The next chunk of the old tape.
    pub fn chunk(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let header = &chunk.header;
        if !header.kind.is_counted() || (header.kind == ChunkKind::METADATA && header.stream == 0) {
            return Ok(());
        }
        if !self.order.admits_frames(header) {
            self.leave_out(header.kind);
            return Ok(());
        }
        let is_within =
            self.ticks.start <= header.first_tick && header.end_tick() <= self.ticks.end;
        match self.views {
            Some(views) if header.kind.is_framed() => self.select(chunk, views),
            None if header.kind.is_framed() && !is_within => self.select(chunk, ViewSet::ALL),
            _ => match kept_views(header, self.views) {
                Some(views) => self.writer.copy(chunk, views),
                None => {
                    self.leave_out(header.kind);
                    Ok(())
                }
            },
        }
    }

    fn leave_out(&mut self, kind: ChunkKind) {
        *self.dropped.entry(kind).or_default() += 1;
    }

    /// The frames of a chunk that are at the right time, with the parts of some views only.
    fn select(&mut self, chunk: &Chunk<'_>, views: ViewSet) -> Result<()> {
        let header = &chunk.header;
        let raw = chunk.raw_in(&mut self.buffer)?;
        for frame in TapeFrames::new(header, raw) {
            let frame = frame?;
            let pieces = Pieces::select(&frame, views);
            if !pieces.views.is_empty() && self.ticks.contains(&frame.tick) {
                self.writer.framed(header.kind, header.stream, frame.tick, &pieces)?;
            }
        }
        Ok(())
    }

    /// Something of the old tape is lost, see [`Tape::gaps`] and [`Recovered::gaps`]: says so in the
    /// new one, where that is for somebody who may have known it.
    pub fn gap(&mut self, gap: &Gap) -> Result<()> {
        let Some(wanted) = self.views else { return self.writer.gap(gap) };
        let is_public = gap.views == ViewSet::ALL;
        let views = if is_public { ViewSet::ALL } else { gap.views.and(wanted) };
        if views.is_empty() {
            return Ok(());
        }
        // How much it was would tell about the others.
        let bytes = if gap.views.without(wanted).is_empty() { gap.bytes } else { 0 };
        self.writer.gap(&Gap { views, bytes, ..*gap })
    }

    /// Ends the new tape.
    pub fn finish(self) -> Result<Rewritten> {
        Ok(Rewritten { bytes: self.writer.finish()?, dropped: self.dropped })
    }
}

/// For whom a chunk is in the new tape; `None` when it is left out.
fn kept_views(header: &ChunkHeader, wanted: Option<ViewSet>) -> Option<ViewSet> {
    let is_known = header.kind.is_known();
    let survives = match header.kind {
        ChunkKind::SIGNATURE => false,
        ChunkKind::METADATA => true,
        _ => header.flags.has(Flags::SAFE_TO_COPY),
    };
    let Some(wanted) = wanted else { return survives.then_some(header.views) };
    let is_public = header.views == ViewSet::ALL;
    let fits = match is_known {
        true => is_public || !header.views.and(wanted).is_empty(),
        // Its payload may hold parts for others.
        false if header.flags.has(Flags::PARTS) || !is_public => {
            !header.views.is_empty() && header.views.without(wanted).is_empty()
        }
        false => true,
    };
    let views = if is_public { ViewSet::ALL } else { header.views.and(wanted) };
    (survives && fits).then_some(views)
}

/// Cuts the tape in `bytes` to what `views` may know; `tape_id` is that of the new tape.
///
/// Of a damaged tape, what is whole is cut, and gaps say what is not.
pub fn cut_bytes(bytes: &[u8], views: ViewSet, tape_id: u32) -> Result<Rewritten> {
    let tape = Tape::open(bytes)?;
    let front = TapeHeader::new(tape.front.tick_length, tape_id)?;
    let mut rewriter = Rewriter::cut(front, tape.metadata.as_bytes(), views)?;
    for entry in &tape.chunks {
        rewriter.chunk(&tape.read(entry, bytes)?)?;
    }
    tape.gaps().iter().try_for_each(|gap| rewriter.gap(gap))?;
    finish_whole(rewriter)
}

/// Writes what is whole of the tape in `bytes` as a new tape with `tape_id`.
///
/// `front` is used where the tape's own is lost, and metadata that is lost becomes `{}`.
pub fn repair_bytes(bytes: &[u8], front: Option<TapeHeader>, tape_id: u32) -> Result<Rewritten> {
    let found = Recovered::from_bytes(bytes);
    let old = found.front.or(front);
    let old = old.ok_or_else(|| {
        gametape_wire::Error::misuse("repair", "the front is lost: the tick length must be given")
    })?;
    let front = TapeHeader::new(old.tick_length, tape_id)?;
    let metadata = found.metadata.as_deref().unwrap_or(b"{}");
    let mut rewriter = Rewriter::repair(front, metadata)?;
    for entry in &found.chunks {
        let range = entry.range();
        let bytes = &bytes[range.start as usize..range.end as usize];
        rewriter.chunk(&Chunk::read(bytes, entry.offset)?)?;
    }
    found.gaps().iter().try_for_each(|gap| rewriter.gap(gap))?;
    finish_whole(rewriter)
}

fn finish_whole(mut rewriter: Rewriter) -> Result<Rewritten> {
    let mut bytes = rewriter.take();
    let mut rewritten = rewriter.finish()?;
    bytes.append(&mut rewritten.bytes);
    Ok(Rewritten { bytes, ..rewritten })
}
