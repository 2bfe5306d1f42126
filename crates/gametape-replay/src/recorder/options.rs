//! What a game can choose about its recording.

use std::time::Duration;

use gametape_tape::Cadence;

/// What a game can choose about its recording. The default suits most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecorderOptions {
    /// How often keyframes are due, and how often they are full.
    pub cadence: Cadence,
    /// How soon what was recorded is safe.
    pub durability: Durability,
    /// Memory for what is not written yet; over it, events and keyframes are shed.
    pub queue_bytes: usize,
    /// The most memory for what is not written yet; over it, the recording is interrupted.
    pub most_queue_bytes: usize,
}

impl Default for RecorderOptions {
    /// The usual cadence and durability, 64 MiB and at most 256 MiB of memory.
    fn default() -> Self {
        Self {
            cadence: Cadence::default(),
            durability: Durability::default(),
            queue_bytes: 64 << 20,
            most_queue_bytes: 256 << 20,
        }
    }
}

/// How soon what was recorded is safe, as long as the disk keeps up.
///
/// Work begins when half of a time has passed; the other half is for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Durability {
    /// Until it survives the end of the process: it is handed to the operating system.
    pub written_within: Duration,
    /// Until it survives the end of power: it is on the disk. [`Duration::MAX`] leaves that to the
    /// operating system.
    pub synced_within: Duration,
}

impl Default for Durability {
    /// Written within a second, synced within ten.
    fn default() -> Self {
        let [written_within, synced_within] = [1, 10].map(Duration::from_secs);
        Self { written_within, synced_within }
    }
}

impl Durability {
    /// Every tick goes to the disk as soon as the disk has taken the one before.
    #[must_use]
    pub fn every_tick() -> Self {
        Self { written_within: Duration::ZERO, synced_within: Duration::ZERO }
    }
}
