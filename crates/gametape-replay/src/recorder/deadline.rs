//! When something must be done at the latest; the clock is the caller's.

use std::time::Duration;

/// A time by which something is due, once there is something to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Deadline {
    due: Option<Duration>,
    not_before: Duration,
}

impl Deadline {
    /// Nothing to do yet, and nothing due before `wait` has passed.
    pub(super) fn not_before(now: Duration, wait: Duration) -> Self {
        Self { due: None, not_before: now.saturating_add(wait) }
    }

    /// From `now` on there is something to do, `within` this time. It is due after half of it: the
    /// other half is for the disk.
    pub(super) fn start(&mut self, now: Duration, within: Duration) {
        let due = now.saturating_add(within / 2).max(self.not_before);
        self.due.get_or_insert(due);
    }

    /// Is there something to do, and is it time?
    pub(super) fn is_due(&self, now: Duration) -> bool {
        self.due.is_some_and(|due| due <= now)
    }

    /// When it is time, if there is something to do.
    pub(super) fn at(&self) -> Option<Duration> {
        self.due
    }
}

/// The least time between two writes when this many of the possible chunks are used: a recording that
/// makes many small chunks makes larger ones before it runs out of them.
pub(super) fn pace(used: u64, most: u64) -> Duration {
    let seconds = match used.saturating_mul(8) / most.max(1) {
        0..4 => 0,
        4..6 => 1,
        6 => 10,
        _ => 60,
    };
    Duration::from_secs(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn it_is_due_after_half_of_the_time_from_the_first_thing_on() {
        let mut deadline = Deadline::default();
        assert!(!deadline.is_due(Duration::MAX) && deadline.at().is_none());
        deadline.start(SECOND, SECOND);
        deadline.start(2 * SECOND, SECOND);
        assert_eq!(deadline.at(), Some(SECOND * 3 / 2));
        assert!(!deadline.is_due(SECOND * 3 / 2 - Duration::from_nanos(1)));
        assert!(deadline.is_due(SECOND * 3 / 2));
    }

    #[test]
    fn never_is_possible() {
        let mut deadline = Deadline::default();
        deadline.start(SECOND, Duration::MAX);
        assert!(!deadline.is_due(SECOND * 1_000_000_000));
    }

    #[test]
    fn the_pace_slows_as_chunks_run_out() {
        let paces = [0, 49, 50, 74, 75, 87, 88, 100].map(|used| pace(used, 100).as_secs());
        assert_eq!(paces, [0, 0, 1, 1, 10, 10, 60, 60]);
        let mut deadline = Deadline::not_before(SECOND, pace(3, 4));
        deadline.start(SECOND, Duration::ZERO);
        assert_eq!(deadline.at(), Some(11 * SECOND));
    }
}
