//! What is released to whom. Normative: `spec/live.md`, section 6.

use std::time::Duration;

use gametape_wire::TickLength;

/// How many ticks a seat is kept after the match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Delay(pub u64);

impl Delay {
    /// Everything at once.
    pub const NONE: Self = Self(0);

    /// The last tick whose messages may leave when `over` is the last tick that is over; `None` where
    /// nothing may.
    #[must_use]
    pub fn released(self, over: Option<u64>) -> Option<u64> {
        match self.0 {
            0 => Some(u64::MAX),
            delay => over?.checked_sub(delay),
        }
    }
}

/// The last tick that is over, at any time: after the end of a match it goes on by the clock.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Head {
    tick: Option<u64>,
    ended: Option<Duration>,
}

impl Head {
    pub(crate) fn advance(&mut self, tick: u64, is_last: bool, now: Duration) {
        if self.tick.is_none_or(|known| known < tick) {
            self.tick = Some(tick);
        }
        if is_last && self.ended.is_none() {
            self.ended = Some(now);
        }
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.ended.is_some()
    }

    pub(crate) fn at(&self, now: Duration, length: TickLength) -> Option<u64> {
        let passed = self.ended.map_or(0, |ended| {
            let micros = now.saturating_sub(ended).as_micros() / u128::from(length.micros());
            u64::try_from(micros).unwrap_or(u64::MAX)
        });
        Some(self.tick?.saturating_add(passed))
    }
}
