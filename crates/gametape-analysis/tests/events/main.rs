//! Events: golden vectors, blocks, tapes, exports.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may fail it")]

mod blocks;
mod common;
mod exports;
mod golden;
mod hostile;
mod tapes;
