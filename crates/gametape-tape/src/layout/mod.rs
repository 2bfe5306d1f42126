//! The bytes of a tape: header, chunks and what is in them, trailer.

pub(crate) mod checksum;
pub(crate) mod chunk;
pub(crate) mod chunk_header;
pub(crate) mod columns;
pub(crate) mod frames;
pub(crate) mod gap;
pub(crate) mod kind;
pub(crate) mod names;
pub(crate) mod tape_header;
pub(crate) mod trailer;
