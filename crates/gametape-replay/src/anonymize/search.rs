//! Searching what was written for what should be gone.

use gametape_cadre::Names;
use gametape_tape::{
    Chunk, ChunkKind, DeltaSnapshot, NameTable, SimSnapshot, TapeFrames, TapeHeader,
};
use gametape_wire::{Reader, Result};

use super::Anonymized;
use super::game::Game;

/// Reads the bytes of a new tape as they are written.
#[derive(Default)]
pub(super) struct Search {
    /// The offset of the next byte.
    offset: u64,
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
                // A delta has every text whole that a state gets by it: none needs to be restored.
                match texts_of_keyframe(kind, &raw) {
                    Ok(texts) => texts.iter().for_each(|text| find(text)),
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

/// All bytes of a keyframe in which there may be names.
fn texts_of_keyframe(kind: ChunkKind, raw: &[u8]) -> Result<Vec<Vec<u8>>> {
    match kind {
        ChunkKind::FULL_KEYFRAME => Ok(texts(&SimSnapshot::read(raw)?)),
        _ => delta_texts(&DeltaSnapshot::read(raw)?),
    }
}

/// The same of a state.
fn texts(state: &SimSnapshot) -> Vec<Vec<u8>> {
    let core = &state.core;
    let sections = core.sections.iter().map(|(name, bytes)| [name.as_bytes(), bytes].join(&b' '));
    let entities = core
        .entities
        .iter()
        .flat_map(|row| row.slots().map(|(_, bytes)| bytes.to_vec()).collect::<Vec<_>>());
    sections.chain(entities).collect()
}

/// The same of what turns one state into another.
fn delta_texts(delta: &DeltaSnapshot) -> Result<Vec<Vec<u8>>> {
    let mut texts = Vec::new();
    for (name, content) in &delta.core.changed_sections {
        let bytes = content.as_deref().unwrap_or_default();
        texts.push([name.as_bytes(), bytes].join(&b' '));
    }
    for entity in &delta.core.changed_entities {
        let mut components = Reader::new(&entity.changed_components);
        while components.remaining() > 0 {
            let length = components.varint("component")?;
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            texts.push(components.take(length, "component")?.to_vec());
        }
    }
    Ok(texts)
}
