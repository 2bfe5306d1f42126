//! What a recorder says about itself.

use gametape_wire::{Error, Tick};

/// How a recording goes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// What was left out because the disk did not keep up.
    pub shed: Shed,
    /// Everything that was given while the recording was interrupted or had failed.
    pub lost: Count,
    /// Bytes that wait for the writer.
    pub queued_bytes: u64,
    /// Bytes of the tape that were handed to the sink; of a resumed tape, from its beginning.
    pub written_bytes: u64,
    /// Bytes of the tape that survive a loss of power.
    pub durable_bytes: u64,
    /// Chunks of the tape that were handed to the sink.
    pub chunks: u32,
    /// The last ended tick that was handed to the sink with everything before it.
    pub last_written_tick: Option<Tick>,
    /// The last ended tick that survives a loss of power with everything before it.
    pub last_durable_tick: Option<Tick>,
    /// What went wrong last.
    pub failure: Option<Error>,
    /// Has a failure ended the recording?
    pub has_stopped: bool,
}

/// What was left out, in the order in which it goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shed {
    /// Chunks of events that players' machines reported.
    pub reported: Count,
    /// Chunks of position samples.
    pub positions: Count,
    /// Keyframes.
    pub keyframes: Count,
}

/// How much of something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Count {
    /// How many.
    pub items: u64,
    /// How many bytes, as they waited in memory.
    pub bytes: u64,
}

impl Count {
    pub(super) fn add(&mut self, bytes: usize) {
        self.items += 1;
        self.bytes += bytes as u64;
    }
}

/// How a recording ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Does the tape end with its index? If not, it is a valid tape up to where it was written.
    pub is_finished: bool,
    /// The last counters.
    pub counters: Counters,
}
