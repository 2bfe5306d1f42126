//! Looking on while a delta is merged.

use crate::state::keys::{Key, Keys};
use crate::state::tree::{Tree, Value};

/// Where something happens: the path, and what is needed to read values.
pub(crate) struct Site<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) keys: &'a Keys,
    pub(crate) text: &'a [u8],
    pub(crate) path: &'a [Key],
}

/// What is legal to merge, but should not be in a delta.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Oddity {
    StrayRemoval,
    LengthMismatch { stated: u32, made: u32 },
    KindKept,
    IgnoredKey,
    DuplicateKey,
}

/// Somebody who looks on. Who is not [`ACTIVE`](Self::ACTIVE) costs nothing.
pub(crate) trait Watch {
    const ACTIVE: bool;

    /// Does it need every value that a shorter length cuts off?
    const WANTS_REMOVED: bool = Self::ACTIVE;

    /// A value changed; either may be absent.
    fn change(&mut self, site: &Site<'_>, old: Value, new: Value);

    /// Something odd was merged.
    fn odd(&mut self, keys: &Keys, path: &[Key], oddity: Oddity);

    /// What was reported of this delta did not count: it is merged again from its start.
    fn start_over(&mut self);
}

/// Nobody.
pub(crate) struct Unwatched;

impl Watch for Unwatched {
    const ACTIVE: bool = false;

    fn change(&mut self, _: &Site<'_>, _: Value, _: Value) {}

    fn odd(&mut self, _: &Keys, _: &[Key], _: Oddity) {}

    fn start_over(&mut self) {}
}
