//! Events as a recorder takes them.

use gametape_wire::Tick;

/// A block of events, encoded in the format of the analysis stream.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventBlock {
    /// One of [`streams`](crate::streams): [`EVENTS`](crate::streams::EVENTS) are never shed,
    /// [`REPORTED_EVENTS`](crate::streams::REPORTED_EVENTS) and then
    /// [`POSITIONS`](crate::streams::POSITIONS) first.
    pub stream: u16,
    /// Tick of the first event.
    pub first_tick: Tick,
    /// Tick of the last event.
    pub last_tick: Tick,
    /// How many events there are.
    pub count: u32,
    /// The encoded events.
    pub bytes: Vec<u8>,
}

impl EventBlock {
    /// A block of `count` events from the first to the last of these ticks.
    #[must_use]
    pub fn new(
        stream: u16,
        (first_tick, last_tick): (Tick, Tick),
        count: u32,
        bytes: impl Into<Vec<u8>>,
    ) -> Self {
        Self { stream, first_tick, last_tick, count, bytes: bytes.into() }
    }
}
