//! Opening a tape, and reading states from it.

mod fetched;
mod grow;
pub(crate) mod order;
pub(crate) mod reader;
pub(crate) mod restore;
pub(crate) mod tape;
