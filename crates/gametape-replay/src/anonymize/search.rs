//! Searching what was written for what should be gone.

use gametape_cadre::Names;
use gametape_tape::{
    Chunk, ChunkKind, KeyframeChecker, NameTable, SimSnapshot, TapeFrames, TapeHeader,
};
use gametape_wire::Result;

use super::Anonymized;
use super::game::Game;

/// Reads the bytes of a new tape as they are written.
#[derive(Default)]
pub(super) struct Search {
    /// The offset of the next byte.
    offset: u64,
    /// The states that keyframes lead to.
    keyframes: KeyframeChecker,
}

impl Search {
    /// The next bytes of the tape: its header, or whole chunks.
    pub(super) fn read(
        &mut self,
        mut bytes: &[u8],
        game: &mut Game<'_>,
        names: &Names,
        result: &mut Anonymized,
    ) -> Result<()> {
        if self.offset == 0 && !bytes.is_empty() {
            bytes = bytes.get(TapeHeader::LENGTH..).unwrap_or_default();
            self.offset = TapeHeader::LENGTH as u64;
        }
        while !bytes.is_empty() {
            let chunk = Chunk::read(bytes, self.offset)?;
            let length = chunk.header.chunk_length();
            self.chunk(&chunk, game, names, result)?;
            bytes = bytes.get(length as usize..).unwrap_or_default();
            self.offset += length;
        }
        Ok(())
    }

    fn chunk(
        &mut self,
        chunk: &Chunk<'_>,
        game: &mut Game<'_>,
        names: &Names,
        result: &mut Anonymized,
    ) -> Result<()> {
        let raw = chunk.raw()?;
        let (kind, stream) = (chunk.header.kind, chunk.header.stream);
        let mut find = |bytes: &[u8]| {
            for name in names.found_in(&String::from_utf8_lossy(bytes)) {
                result.remaining.insert(format!("the name of {name} in {kind} of stream {stream}"));
            }
        };
        match kind {
            ChunkKind::SETUP if game.search_json(&raw) => {}
            kind if kind.is_framed() => {
                for frame in TapeFrames::new(&chunk.header, &raw) {
                    for part in frame?.parts() {
                        if !game.search_json(part.payload) {
                            find(part.payload);
                        }
                    }
                }
            }
            kind if kind.is_keyframe() => {
                match self.keyframes.add(chunk) {
                    Ok(()) => {
                        let state = self.keyframes.state(stream, chunk.header.views);
                        state.into_iter().flat_map(texts).for_each(|text| find(&text));
                    }
                    // A tape may have lost the keyframe that a copied one builds on.
                    Err(_) => find(&raw),
                }
            }
            ChunkKind::NAMES => {
                let mut table = NameTable::default();
                table.add(chunk)?;
                let texts = (0..table.len() as u32).filter_map(|id| table.get(id));
                texts.for_each(|text| find(text.as_bytes()));
            }
            _ => find(&raw),
        }
        Ok(())
    }
}

/// All bytes of a state in which there may be names.
fn texts(state: &SimSnapshot) -> Vec<Vec<u8>> {
    let core = &state.core;
    let sections = core.sections.iter().map(|(name, bytes)| [name.as_bytes(), bytes].join(&b' '));
    let entities = core
        .entities
        .iter()
        .flat_map(|row| row.slots().map(|(_, bytes)| bytes.to_vec()).collect::<Vec<_>>());
    sections.chain(entities).collect()
}
