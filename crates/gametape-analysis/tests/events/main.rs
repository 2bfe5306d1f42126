//! Events: golden vectors, blocks, tapes, exports.

mod blocks;
mod common;
mod exports;
mod golden;
mod hostile;
mod tapes;
