//! Passes: who may see what of a match. Normative: `spec/live.md`, section 11.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gametape_tape::limits::TICK;
use gametape_tape::{PublicKey, SigningKey};
use gametape_wire::{Error, ErrorKind, Reader, Result, ViewSet, Writer};

use crate::lane::Classes;
use crate::limits::PASS_BYTES;
use crate::name::MatchName;

const VERSION: u8 = 1;
const DOMAIN: &str = "gametape pass 1";
const TEXT: &str = "gtp1_";
/// Instead of classes: the pass is one to publish.
const PUBLISHING: u8 = 0x80;

/// What a seat may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// The views at most.
    pub views: ViewSet,
    /// The classes at most.
    pub classes: Classes,
    /// The delay at least, in ticks.
    pub delay: u64,
}

/// A signed permission to see some views of a match.
///
/// ```
/// use gametape_live::{Classes, Grant, Pass};
/// use gametape_tape::SigningKey;
/// use gametape_wire::{View, ViewSet};
///
/// let key = SigningKey::from_seed(&[7; 32]);
/// let views = ViewSet::EMPTY.with(View::SPECTATOR);
/// let grant = Grant { views, classes: Classes::ALL, delay: 1200 };
/// let text = Pass::sign("finals".parse()?, grant, 2_000_000_000, &key).to_string();
///
/// let pass: Pass = text.parse()?;
/// let trusted = [key.public_key()];
/// assert_eq!(pass.check(&"finals".parse()?, &trusted, 1_900_000_000), Some(grant));
/// assert_eq!(pass.check(&"finals".parse()?, &trusted, 2_000_000_000), None);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// The match.
    pub name: MatchName,
    /// What its holder may have.
    pub grant: Grant,
    /// Is it good for publishing the views of the grant, and for nothing else?
    pub is_publishing: bool,
    /// From when on it is not valid, in seconds since 1970.
    pub expiry: u64,
    /// Whose signature it says it has. Proves nothing by itself.
    pub key: PublicKey,
    signature: [u8; 64],
}

impl Pass {
    /// Makes and signs a pass. A pass without views is good for nothing, and nobody reads it.
    #[must_use]
    pub fn sign(name: MatchName, grant: Grant, expiry: u64, key: &SigningKey) -> Self {
        let grant = Grant { delay: grant.delay.min(TICK.max), ..grant };
        let is_publishing = false;
        let key_of = key.public_key();
        Self { name, grant, is_publishing, expiry, key: key_of, signature: [0; 64] }.signed(key)
    }

    /// Makes and signs a pass to publish these views of a match.
    #[must_use]
    pub fn sign_publishing(name: MatchName, views: ViewSet, expiry: u64, key: &SigningKey) -> Self {
        let grant = Grant { views, classes: Classes::ALL, delay: 0 };
        let pass = Self::sign(name, grant, expiry, key);
        Self { is_publishing: true, ..pass }.signed(key)
    }

    fn signed(mut self, key: &SigningKey) -> Self {
        self.signature = key.sign(DOMAIN, &self.signed_bytes());
        self
    }

    fn signed_bytes(&self) -> Vec<u8> {
        let mut w = Writer::new();
        w.u8(VERSION);
        self.name.write(&mut w);
        let classes = if self.is_publishing { PUBLISHING } else { self.grant.classes.bits() };
        w.u16_le(self.grant.views.bits()).u8(classes);
        w.u64_le(self.grant.delay).u64_le(self.expiry).bytes(&self.key.0);
        w.into_bytes()
    }

    /// The bytes, as a Join has them.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        [&self.signed_bytes()[..], &self.signature].concat()
    }

    /// The pass in these bytes, valid or not.
    pub fn read(bytes: &[u8]) -> Result<Self> {
        PASS_BYTES.check(bytes.len() as u64, 0)?;
        let mut r = Reader::new(bytes);
        let version = r.u8("version of a pass")?;
        if version != VERSION {
            let kind = ErrorKind::Unknown { code: version.into() };
            return Err(Error::at(0, "version of a pass", kind));
        }
        let name = MatchName::read(&mut r)?;
        let (grant, is_publishing) = read_grant(&mut r)?;
        let expiry = r.u64_le("expiry of a pass")?;
        let (key, signature) = (r.array("public key")?, r.array("signature")?);
        r.finish("pass")?;
        Ok(Self { name, grant, is_publishing, expiry, key: PublicKey(key), signature })
    }

    /// What its holder may have of a match, at a time in seconds since 1970; `None` where it is not valid:
    /// for another match, expired, not signed by a trusted key, or one to publish.
    #[must_use]
    pub fn check(&self, name: &MatchName, trusted: &[PublicKey], now: u64) -> Option<Grant> {
        let is_valid = !self.is_publishing && self.is_valid(name, trusted, now);
        is_valid.then_some(self.grant)
    }

    /// The views of a match that its holder may publish, as [`check`](Self::check) has it.
    #[must_use]
    pub fn check_publishing(
        &self,
        name: &MatchName,
        trusted: &[PublicKey],
        now: u64,
    ) -> Option<ViewSet> {
        let is_valid = self.is_publishing && self.is_valid(name, trusted, now);
        is_valid.then_some(self.grant.views)
    }

    fn is_valid(&self, name: &MatchName, trusted: &[PublicKey], now: u64) -> bool {
        self.name == *name && now < self.expiry && trusted.contains(&self.key) && self.is_signed()
    }

    /// Is the signature that of the key in it?
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.key.has_signed(DOMAIN, &self.signed_bytes(), &self.signature)
    }
}

/// What a pass is good for, and whether that is publishing.
fn read_grant(r: &mut Reader<'_>) -> Result<(Grant, bool)> {
    let offset = r.offset();
    let views = ViewSet::from_bits(r.u16_le("views of a pass")?);
    let bits = r.u8("classes of a pass")?;
    let is_publishing = bits == PUBLISHING;
    let classes = if is_publishing { Classes::ALL.bits() } else { bits };
    let bad = |offset, item, found: u8, expected| {
        Err(Error::at(offset, item, ErrorKind::BadValue { found: found.into(), expected }))
    };
    if views.is_empty() {
        return bad(offset, "views of a pass", 0, "at least one view");
    }
    let Some(classes) = Classes::from_bits(classes) else {
        return bad(offset + 2, "classes of a pass", classes, "five bits");
    };
    let offset = r.offset();
    let delay = TICK.check(r.u64_le("delay of a pass")?, offset)?;
    if is_publishing && delay != 0 {
        let expected = "0 in a pass to publish";
        let kind = ErrorKind::BadValue { found: delay.min(i64::MAX as u64) as i64, expected };
        return Err(Error::at(offset, "delay of a pass", kind));
    }
    Ok((Grant { views, classes, delay }, is_publishing))
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{TEXT}{}", URL_SAFE_NO_PAD.encode(self.to_bytes()))
    }
}

impl FromStr for Pass {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let bad = |problem: &'static str| {
            Error::at(0, "pass", ErrorKind::BadSyntax { problem: problem.into() })
        };
        let text = text.trim();
        let coded = text.strip_prefix(TEXT).ok_or_else(|| bad("it begins with gtp1_"))?;
        // Four letters are three bytes.
        PASS_BYTES.check(coded.len() as u64 / 4 * 3, 0)?;
        let bytes = URL_SAFE_NO_PAD.decode(coded).map_err(|_| bad("not base64url"))?;
        Self::read(&bytes)
    }
}
