//! Writing a tape.

pub(crate) mod draft;
pub(crate) mod writer;
