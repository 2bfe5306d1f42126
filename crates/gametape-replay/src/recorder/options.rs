//! What a game can choose about its recording.

use std::time::Duration;

use gametape_tape::Cadence;

/// What a game can choose about its recording. The default suits most.
///
/// ```
/// use gametape_replay::{Durability, RecorderOptions};
///
/// let options = RecorderOptions::default().with_durability(Durability::every_tick());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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

impl RecorderOptions {
    /// The same options with another cadence of keyframes.
    #[must_use]
    pub fn with_cadence(mut self, cadence: Cadence) -> Self {
        self.cadence = cadence;
        self
    }

    /// The same options with another durability.
    #[must_use]
    pub fn with_durability(mut self, durability: Durability) -> Self {
        self.durability = durability;
        self
    }

    /// The same options with other budgets of memory: over the first, events and keyframes are shed;
    /// over the second, the recording is interrupted.
    #[must_use]
    pub fn with_memory(mut self, queue_bytes: usize, most_queue_bytes: usize) -> Self {
        (self.queue_bytes, self.most_queue_bytes) = (queue_bytes, most_queue_bytes);
        self
    }
}

/// How soon what was recorded is safe, as long as the disk keeps up.
///
/// Work begins when half of a time has passed; the other half is for the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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
    /// Written and synced within these times.
    #[must_use]
    pub fn new(written_within: Duration, synced_within: Duration) -> Self {
        Self { written_within, synced_within }
    }

    /// Every tick goes to the disk as soon as the disk has taken the one before.
    #[must_use]
    pub fn every_tick() -> Self {
        Self { written_within: Duration::ZERO, synced_within: Duration::ZERO }
    }
}
