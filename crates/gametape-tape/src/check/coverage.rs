//! Does the signature of a tape vouch for each of its bytes?

use gametape_wire::{Error, ErrorKind, Result};

use crate::check::chain::{Hash, sha256};
use crate::edit::assemble::Assembly;
use crate::index::footer::IndexCodec;
use crate::index::table::ChunkEntry;
use crate::layout::chunk::Chunk;
use crate::layout::chunk_header::ChunkHeader;
use crate::layout::tape_header::TapeHeader;
use crate::layout::trailer::Trailer;

/// The bytes of a tape that are in no counted chunk.
///
/// The chain covers header and counted chunks. Everything else follows from these: a signed tape is
/// refused where it does not.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    /// Offsets and hashes of the index chunks, in the order of the tape.
    index: Vec<(u64, Hash)>,
    trailers: Vec<u64>,
}

impl Coverage {
    /// Takes an index chunk.
    pub(crate) fn note_index(&mut self, chunk: &Chunk<'_>) {
        let hash = sha256(&[&chunk.header.to_bytes(), chunk.stored]);
        self.index.push((chunk.offset, hash));
    }

    /// Takes a trailer.
    pub(crate) fn note_trailer(&mut self, offset: u64) {
        self.trailers.push(offset);
    }

    /// Refuses a tape of `length` bytes unless it is what a writer makes of these chunks, which ascend
    /// by sequence number.
    pub(crate) fn check(
        &self,
        header: TapeHeader,
        chunks: &[ChunkEntry],
        packed: bool,
        chain_head: Hash,
        length: u64,
    ) -> Result<()> {
        let assemble = |codec| match packed {
            true => Assembly::packed(header, chunks, chain_head, codec),
            false => Assembly::recording(header, chunks, chain_head, codec),
        };
        let expected = assemble(IndexCodec::Raw)?;
        check_offsets(&expected, chunks)?;
        let found = self.check_index(&expected, length);
        // Earlier writers compressed the index of signed tapes. That is every byte too where this
        // compressor gives the same ones.
        found.or_else(|refused| {
            let compressed = assemble(IndexCodec::Smallest)?;
            self.check_index(&compressed, length).map_err(|_| refused)
        })
    }

    fn check_index(&self, expected: &Assembly, length: u64) -> Result<()> {
        let pages = index_chunks(&expected.pages.1, expected.pages.0);
        let footer = index_chunks(&expected.footer.1, expected.footer.0);
        let expected_index: Vec<(u64, Hash)> = pages.chain(footer).collect();
        let differs = self.index.iter().zip(&expected_index).find(|(found, right)| found != right);
        if let Some((found, right)) = differs {
            return Err(not_covered(found.0.min(right.0), "it is not the index of these chunks"));
        }
        if let Some(more) = self.index.get(expected_index.len()) {
            return Err(not_covered(more.0, "an index chunk more than these chunks have"));
        }
        let trailer = expected.length().saturating_sub(Trailer::LENGTH as u64);
        match self.trailers.iter().find(|&&offset| offset != trailer) {
            Some(&other) => Err(not_covered(other, "a trailer that is not the end")),
            None if self.index.len() < expected_index.len() || self.trailers.is_empty() => {
                Err(not_covered(length, "a part of the index is missing"))
            }
            None if length != expected.length() => {
                Err(not_covered(expected.length(), "bytes after the trailer"))
            }
            None => Ok(()),
        }
    }
}

/// Are the chunks where a writer puts them, one directly after the other?
fn check_offsets(expected: &Assembly, chunks: &[ChunkEntry]) -> Result<()> {
    for right in &expected.chunks {
        let found = chunks.get(right.header.sequence as usize);
        if found.is_none_or(|found| found.offset != right.offset) {
            return Err(not_covered(right.offset, "bytes that belong to no chunk"));
        }
    }
    Ok(())
}

/// Offsets and hashes of the chunks in these bytes, which begin at `offset`, without a trailer.
fn index_chunks(mut bytes: &[u8], mut offset: u64) -> impl Iterator<Item = (u64, Hash)> {
    std::iter::from_fn(move || {
        let header = ChunkHeader::read(bytes.first_chunk()?, offset).ok()?;
        let (chunk, rest) = bytes.split_at_checked(header.chunk_length() as usize)?;
        let found = (offset, sha256(&[chunk]));
        (bytes, offset) = (rest, offset + header.chunk_length());
        Some(found)
    })
}

fn not_covered(offset: u64, what: &str) -> Error {
    let problem = format!("no signature covers this: {what}").into();
    Error::at(offset, "signature", ErrorKind::BadSyntax { problem })
}
