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
/// What the text of a file with a secret key begins with.
const SECRET: &str = "gametape-secret-key:";
/// What the text of a file with a public key begins with.
const PUBLIC: &str = "gametape-public-key:";

/// A secret key to sign tapes with. Never printed.
pub struct SigningKey(ed25519_dalek::SigningKey);

impl SigningKey {
    /// The key that 32 secret random bytes give.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(ed25519_dalek::SigningKey::from_bytes(seed))
    }

    /// The key in the text of a key file, as [`secret_key_text`] makes it; `None` where there is none.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let seed = text.trim().strip_prefix(SECRET)?;
        digits(seed).map(|seed| Self::from_seed(&seed))
    }

    /// Is that the text of a file with a secret key?
    #[must_use]
    pub fn is_text_of_one(text: &str) -> bool {
        text.trim().starts_with(SECRET)
    }

    /// The signature of something else than a tape. The domain says what, and must be one that no other
    /// use of keys has.
    #[must_use]
    pub fn sign(&self, domain: &str, bytes: &[u8]) -> [u8; 64] {
        self.0.sign(&[domain.as_bytes(), bytes].concat()).to_bytes()
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
        f.write_str(&gametape_wire::text::hex(&self.0))
    }
}

impl PublicKey {
    /// The key in the text of a key file, as [`to_text`](Self::to_text) makes it, or in its 64 digits;
    /// `None` where there is none.
    ///
    /// ```
    /// use gametape_tape::{PublicKey, SigningKey};
    ///
    /// let key = SigningKey::from_seed(&[7; 32]).public_key();
    /// assert_eq!(PublicKey::from_text(&key.to_text()), Some(key));
    /// assert_eq!(PublicKey::from_text(&key.to_string()), Some(key));
    /// assert_eq!(PublicKey::from_text("0a0b"), None);
    /// ```
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        digits(text.strip_prefix(PUBLIC).unwrap_or(text)).map(Self)
    }

    /// Is it a signature of this key, made by [`SigningKey::sign`]?
    #[must_use]
    pub fn has_signed(&self, domain: &str, bytes: &[u8], signature: &[u8; 64]) -> bool {
        let Ok(key) = ed25519_dalek::VerifyingKey::from_bytes(&self.0) else { return false };
        let signature = ed25519_dalek::Signature::from_bytes(signature);
        key.verify_strict(&[domain.as_bytes(), bytes].concat(), &signature).is_ok()
    }

    /// The text of a key file: a line that says what it is, with 64 hexadecimal digits.
    #[must_use]
    pub fn to_text(&self) -> String {
        format!("{PUBLIC}{self}\n")
    }
}

/// The text of a file with the secret key of these 32 random bytes.
#[must_use]
pub fn secret_key_text(seed: &[u8; 32]) -> String {
    // Written in the same digits as a public key.
    format!("{SECRET}{}\n", PublicKey(*seed))
}

/// 32 bytes as 64 hexadecimal digits.
fn digits(text: &str) -> Option<[u8; 32]> {
    let text = text.trim();
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    let mut bytes = [0; 32];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        let pair = std::str::from_utf8(pair).ok()?;
        // A sign is no digit.
        pair.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(())?;
        *byte = u8::from_str_radix(pair, 16).ok()?;
    }
    Some(bytes)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_64_digits() {
        for digits in ["0a".repeat(32), "0A".repeat(32), format!(" {}\n", "0a".repeat(32))] {
            assert_eq!(PublicKey::from_text(&digits), Some(PublicKey([10; 32])));
        }
        let wrong =
            [String::new(), "0a".repeat(31), "0g".repeat(32), "+a".repeat(32), "é".repeat(32)];
        for wrong in wrong {
            assert_eq!(PublicKey::from_text(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_text_of_a_key_says_which_one_it_is() {
        let text = secret_key_text(&[7; 32]);
        let key = SigningKey::from_text(&text).unwrap().public_key();
        assert_eq!(key, SigningKey::from_seed(&[7; 32]).public_key());
        assert!(SigningKey::is_text_of_one(&text) && PublicKey::from_text(&text).is_none());
        assert!(SigningKey::from_text(&key.to_text()).is_none());
    }
}
