//! What a rewritten tape does not have of the old one.

use std::collections::BTreeMap;
use std::fmt;

use crate::layout::chunk_header::ChunkHeader;
use crate::layout::kind::ChunkKind;

/// Why something is not in a rewritten tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DropReason {
    /// It is for other views, or about them.
    OtherViews,
    /// It is about other ticks.
    OutsideTime,
    /// It is of a kind without a name, and not marked as safe to copy.
    NotSafeToCopy,
    /// A signature is wrong in another tape.
    Signature,
    /// Its ticks go back before those of the chunk before it.
    Misplaced,
    /// What is in it is not what its kind must hold.
    Malformed,
    /// A delta keyframe: the state that it builds on is not there, or is another one.
    NoBaseline,
}

impl fmt::Display for DropReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OtherViews => "not for these views",
            Self::OutsideTime => "outside of these ticks",
            Self::NotSafeToCopy => "not marked as safe to copy",
            Self::Signature => "not valid in a new tape",
            Self::Misplaced => "their ticks go back",
            Self::Malformed => "their content is malformed",
            Self::NoBaseline => "the state that they build on is not there",
        })
    }
}

/// Chunks of one kind and stream that are not in a rewritten tape, for one reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dropped {
    /// Of which kind.
    pub kind: ChunkKind,
    /// Of which stream.
    pub stream: u16,
    /// Why.
    pub reason: DropReason,
    /// How many chunks; those of which something is kept are not counted.
    pub chunks: u32,
    /// How many frames, events or names, of chunks that say so.
    pub items: u64,
}

impl fmt::Display for Dropped {
    /// `3 chunks of events of stream 1, 250 items: not for these views`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, stream, reason, chunks, items } = self;
        let many = |count: u64, one: &str| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {one}s"),
        };
        match chunks {
            0 => write!(f, "{} of {kind}", many(*items, "item"))?,
            _ => write!(f, "{} of {kind}", many((*chunks).into(), "chunk"))?,
        }
        if *stream > 0 {
            write!(f, " of stream {stream}")?;
        }
        if *chunks > 0 && *items > 0 {
            write!(f, ", {}", many(*items, "item"))?;
        }
        write!(f, ": {reason}")
    }
}

/// Counts what is dropped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drops(BTreeMap<(ChunkKind, u16, DropReason), (u32, u64)>);

impl Drops {
    /// A whole chunk is dropped.
    pub(crate) fn chunk(&mut self, header: &ChunkHeader, reason: DropReason) {
        let items = if header.kind.is_keyframe() { 0 } else { header.detail };
        self.add(header, reason, 1, items.into());
    }

    /// Some items of a chunk are dropped.
    pub(crate) fn items(&mut self, header: &ChunkHeader, reason: DropReason, items: u64) {
        if items > 0 {
            self.add(header, reason, 0, items);
        }
    }

    fn add(&mut self, header: &ChunkHeader, reason: DropReason, chunks: u32, items: u64) {
        let sums = self.0.entry((header.kind, header.stream, reason)).or_default();
        sums.0 += chunks;
        sums.1 += items;
    }

    /// What was dropped, ascending by kind and stream.
    pub(crate) fn finish(self) -> Vec<Dropped> {
        let row = |((kind, stream, reason), (chunks, items))| Dropped {
            kind,
            stream,
            reason,
            chunks,
            items,
        };
        self.0.into_iter().map(row).collect()
    }
}
