//! Ed25519 signatures of the chain.

use std::fmt;

use ed25519_dalek::Signer;
use gametape_wire::{Error, ErrorKind, Reader, Result};

use crate::check::chain::{Chain, Hash, leaf};
use crate::layout::chunk::Chunk;
use crate::layout::kind::{ChunkKind, Codec};
use crate::write::draft::ChunkDraft;

const DOMAIN: &[u8] = b"gametape signature 1";
const ED25519: u8 = 1;

/// A secret key to sign tapes with. Never printed.
pub struct SigningKey(ed25519_dalek::SigningKey);

impl SigningKey {
    /// The key that 32 secret random bytes give.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// The public key that belongs to it.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey(of {})", self.public_key())
    }
}

/// A public key to check signatures with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey(pub [u8; 32]);

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The raw bytes of a signature chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Signature {
    /// Whose signature it says it is. Proves nothing by itself.
    pub key: PublicKey,
    signature: [u8; 64],
}

impl Signature {
    /// The signature in a chunk of kind [`ChunkKind::SIGNATURE`](crate::ChunkKind::SIGNATURE).
    pub fn read(chunk: &Chunk<'_>) -> Result<Self> {
        let raw = chunk.raw()?;
        let mut r = Reader::with_base(&raw, chunk.payload_offset());
        let algorithm = r.u8("signature algorithm")?;
        if algorithm != ED25519 {
            let kind = ErrorKind::Unknown { code: algorithm.into() };
            return Err(Error::at(chunk.payload_offset(), "signature algorithm", kind));
        }
        r.take(3, "signature")?;
        let (key, signature) = (r.array("public key")?, r.array("signature")?);
        r.finish("signature")?;
        Ok(Self { key: PublicKey(key), signature })
    }

    /// Is it by `key`, over the chain as it was before the signature's chunk?
    #[must_use]
    pub fn is_by(&self, key: &PublicKey, chain: &Chain) -> bool {
        let Ok(verifying) = ed25519_dalek::VerifyingKey::from_bytes(&key.0) else { return false };
        let signature = ed25519_dalek::Signature::from_bytes(&self.signature);
        self.key == *key && verifying.verify_strict(&message(chain), &signature).is_ok()
    }

    /// The raw bytes of the signature's chunk.
    fn to_bytes(self) -> Vec<u8> {
        [&[ED25519, 0, 0, 0][..], &self.key.0, &self.signature].concat()
    }

    /// The leaf of the chunk that a writer makes of it. No signature covers its own chunk, so any other
    /// bytes in that would be nobody's.
    pub(crate) fn leaf(&self, tape_id: u32, sequence: u32) -> Result<Hash> {
        let raw = self.to_bytes();
        let draft = ChunkDraft::new(ChunkKind::SIGNATURE);
        let header = draft.header(tape_id, sequence, Codec::RAW, raw.len(), &raw)?;
        Ok(leaf(&Chunk { header, offset: 0, stored: &raw }))
    }
}

fn message(chain: &Chain) -> Vec<u8> {
    [DOMAIN, &chain.head(), &chain.length().to_le_bytes()].concat()
}

/// The raw bytes of a signature chunk that follows `chain`.
pub(crate) fn sign(key: &SigningKey, chain: &Chain) -> Vec<u8> {
    let signature = key.0.sign(&message(chain)).to_bytes();
    Signature { key: key.public_key(), signature }.to_bytes()
}
