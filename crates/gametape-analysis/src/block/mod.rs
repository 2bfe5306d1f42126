//! Blocks of events, which are the chunks of a tape: written, read, and found in a tape.

pub(crate) mod own;
pub(crate) mod read;
pub(crate) mod tape_events;
pub(crate) mod write;
