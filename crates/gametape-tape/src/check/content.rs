//! Does a whole chunk hold what its kind must hold?

use gametape_wire::{Error, ErrorKind, Result, Tick, ViewSet};

use crate::check::sign::Signature;
use crate::layout::chunk::Chunk;
use crate::layout::frames::TapeFrames;
use crate::layout::gap::Gap;
use crate::layout::kind::ChunkKind;
use crate::layout::names::{NameTable, Resource};
use crate::snapshot::{DeltaSnapshot, SimSnapshot};
use crate::write::writer::check_metadata;

/// Unpacks a chunk into a buffer and reads what this version knows of it. Returns the unpacked bytes, of an
/// unknown kind none.
pub(crate) fn check_content<'b>(chunk: &Chunk<'b>, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
    let header = &chunk.header;
    if !header.kind.is_known() {
        return Ok(&[]);
    }
    let raw = chunk.raw_in(buffer)?;
    let checked = match header.kind {
        ChunkKind::METADATA => {
            check_metadata(raw, chunk.payload_offset())?;
            header.views == ViewSet::ALL && header.stream <= 1
        }
        ChunkKind::ORDERS | ChunkKind::FRAMES => frames_agree(chunk, raw)?,
        ChunkKind::FULL_KEYFRAME => SimSnapshot::read(raw)?.core.tick == header.first_tick,
        ChunkKind::DELTA_KEYFRAME => delta_agrees(chunk, raw)?,
        ChunkKind::NAMES => {
            let mut names = NameTable::default();
            names.add(chunk)?;
            true
        }
        ChunkKind::GAP => Gap::read(chunk).is_ok(),
        ChunkKind::RESOURCE => Resource::read(chunk).is_ok(),
        ChunkKind::SIGNATURE => Signature::read(chunk).is_ok(),
        _ => true,
    };
    if checked {
        return Ok(raw);
    }
    let kind = ErrorKind::BadSyntax { problem: "its header does not say what is in it".into() };
    Err(Error::at(chunk.offset, header.kind.to_string(), kind))
}

fn frames_agree(chunk: &Chunk<'_>, raw: &[u8]) -> Result<bool> {
    let header = &chunk.header;
    let (mut frames, mut views, mut first, mut last) = (0u32, ViewSet::EMPTY, None, Tick::ZERO);
    for frame in TapeFrames::new(header, raw) {
        let frame = frame?;
        frames += 1;
        views = views.or(frame.views);
        first.get_or_insert(frame.tick);
        last = frame.tick;
    }
    let spans = first == Some(header.first_tick) && last + 1 == header.end_tick();
    Ok(spans && frames == header.detail && views == header.views)
}

fn delta_agrees(chunk: &Chunk<'_>, raw: &[u8]) -> Result<bool> {
    let core = DeltaSnapshot::read(raw)?.core;
    let distance = core.tick.0.checked_sub(core.baseline_tick.0);
    Ok(core.tick == chunk.header.first_tick && distance == Some(chunk.header.detail.into()))
}
