//! What is left of a tape that is damaged, unfinished or still being written.

pub(crate) mod losses;
pub(crate) mod recovery;
pub(crate) mod scan;
pub(crate) mod sequences;
