//! The index of a finished tape: chunk table, keyframe index, summary.

pub(crate) mod footer;
pub(crate) mod summary;
pub(crate) mod table;
