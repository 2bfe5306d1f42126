//! Which tick is due when, at any rate, by the caller's clock.

/// Turns the caller's time into ticks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// Microseconds of a tick.
    tick_length: u32,
    /// Thousandths; 0 while paused, below 0 backwards.
    rate: i64,
    /// A time and the tick that belongs to it.
    anchor: Option<(u64, u64)>,
}

impl Clock {
    pub(super) fn new(tick_length: u32) -> Self {
        Self { tick_length: tick_length.max(1), rate: 0, anchor: None }
    }

    pub(super) fn rate(&self) -> i64 {
        self.rate
    }

    pub(super) fn set_rate(&mut self, rate: i64, now: u64, tick: u64) {
        (self.rate, self.anchor) = (rate, Some((now, tick)));
    }

    /// The playhead was put elsewhere: time counts from there.
    pub(super) fn forget(&mut self) {
        self.anchor = None;
    }

    /// The tick that is due at `now`, within `0..=end`.
    pub(super) fn due(&mut self, now: u64, tick: u64, end: u64) -> u64 {
        let (since, from) = *self.anchor.get_or_insert((now, tick));
        let elapsed = i128::from(now.saturating_sub(since));
        let ticks = elapsed * i128::from(self.rate) / (1000 * i128::from(self.tick_length));
        let due = (i128::from(from) + ticks).clamp(0, end.into());
        u64::try_from(due).unwrap_or(end)
    }
}
