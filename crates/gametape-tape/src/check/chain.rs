//! The SHA-256 chain over all counted chunks.

use sha2::{Digest, Sha256};

use crate::layout::chunk::Chunk;
use crate::layout::tape_header::TapeHeader;

/// A SHA-256 value.
pub type Hash = [u8; 32];

const START: &[u8] = b"gametape chain 1";

pub(crate) fn sha256(parts: &[&[u8]]) -> Hash {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize().into()
}

/// The chain up to some chunk: depends on every byte of the header and of all chunks so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    head: Hash,
    length: u32,
}

impl Chain {
    /// The chain before the first chunk.
    #[must_use]
    pub fn start(header: &TapeHeader) -> Self {
        Self { head: sha256(&[START, &header.to_bytes()]), length: 0 }
    }

    /// The chain's present end.
    #[must_use]
    pub fn head(&self) -> Hash {
        self.head
    }

    /// How many chunks are in it.
    #[must_use]
    pub fn length(&self) -> u32 {
        self.length
    }

    /// Adds the next chunk by its [leaf](leaf).
    pub fn push(&mut self, leaf: &Hash) {
        self.head = sha256(&[&self.head, leaf]);
        self.length += 1;
    }
}

/// What represents a chunk in the chain: the hash of all its bytes.
#[must_use]
pub fn leaf(chunk: &Chunk<'_>) -> Hash {
    sha256(&[&chunk.header.to_bytes(), chunk.stored])
}
