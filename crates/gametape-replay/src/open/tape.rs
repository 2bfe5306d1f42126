//! Tapes in a source of bytes.

use gametape_tape::{Chunk, ChunkEntry, Depth, Tape, TapeReader};
use gametape_wire::{Result, Source, drive};

/// Opens a tape that need not be playable: cutting and joining do not look into everything.
pub fn open_tape<S: Source>(source: &mut S, depth: Depth) -> Result<Tape> {
    let mut reader = TapeReader::new(source.length(), depth);
    drive(&mut reader, source)?;
    reader.finish()
}

/// Shows these chunks to `visit`, one after the other.
pub fn visit_chunks<'e, S: Source>(
    source: &mut S,
    entries: impl IntoIterator<Item = &'e ChunkEntry>,
    mut visit: impl FnMut(&Chunk<'_>) -> Result<()>,
) -> Result<()> {
    for entry in entries {
        let bytes = source.fetch(entry.range())?;
        visit(&entry.read(&bytes)?)?;
    }
    Ok(())
}
