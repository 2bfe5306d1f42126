//! Ed25519 signatures of the chain.

use std::fmt;

use ed25519_dalek::Signer;
use gametape_wire::{Error, ErrorKind, Reader, Result};

use crate::check::chain::Chain;
use crate::layout::chunk::Chunk;

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
}

fn message(chain: &Chain) -> Vec<u8> {
    [DOMAIN, &chain.head(), &chain.length().to_le_bytes()].concat()
}

/// The raw bytes of a signature chunk that follows `chain`.
pub(crate) fn sign(key: &SigningKey, chain: &Chain) -> Vec<u8> {
    let signature = key.0.sign(&message(chain)).to_bytes();
    [&[ED25519, 0, 0, 0][..], &key.public_key().0, &signature].concat()
}
