//! The packed form: the same chunks in another order, for archives and range requests.

use gametape_wire::{Error, Result};

use super::assemble::{Assembly, Segment, join};
use crate::index::footer::IndexCodec;
use crate::read::tape::Tape;

/// What to write, and what to copy, to pack a tape that was opened with its whole index.
///
/// Every counted chunk keeps its bytes: chain and signatures stay valid.
pub fn pack(tape: &Tape) -> Result<Vec<Segment>> {
    if !tape.is_finished() || tape.chunks.len() != tape.summary.chunk_count as usize {
        let problem = "it needs a finished tape, opened with its whole index";
        return Err(Error::misuse("packing", problem));
    }
    let codec = IndexCodec::of(&tape.chunks);
    let assembly = Assembly::packed(tape.header, &tape.chunks, tape.summary.chain_head, codec)?;
    Ok(assembly.segments(None))
}

/// Packs the tape in `bytes`.
pub fn pack_bytes(bytes: &[u8]) -> Result<Vec<u8>> {
    join(pack(&Tape::open(bytes)?)?, bytes)
}
