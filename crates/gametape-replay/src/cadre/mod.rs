//! Gamelogs in tapes, and back; normative text: `spec/tape-contents.md`, section 4.

mod convert;
mod state;

pub use convert::{from_tape, markers_of, to_tape};
pub use state::CadreGame;

/// Microseconds of a tick, which is one delta.
pub const TICK_LENGTH: u32 = 100_000;
