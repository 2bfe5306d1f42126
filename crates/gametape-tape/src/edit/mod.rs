//! New tapes out of old ones.

pub(crate) mod assemble;
pub(crate) mod cut;
pub(crate) mod dropped;
pub(crate) mod pack;
pub(crate) mod rewrite;
