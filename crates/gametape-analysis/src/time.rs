//! Seconds in ticks.

/// How long a tick is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TickLength(u64);

impl TickLength {
    /// A length in microseconds; 0, which no tape has, is taken as 1.
    pub(crate) fn from_micros(micros: u32) -> Self {
        Self(u64::from(micros).max(1))
    }

    /// The ticks nearest to so many seconds, at least 1.
    pub(crate) fn ticks_in(self, seconds: u64) -> u64 {
        ((seconds * 1_000_000 + self.0 / 2) / self.0).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_the_nearest_number_of_ticks() {
        let ticks = |micros, seconds| TickLength::from_micros(micros).ticks_in(seconds);
        assert_eq!(ticks(50_000, 15), 300);
        assert_eq!(ticks(66_667, 3), 45);
        assert_eq!(ticks(2_000_000, 3), 2);
        assert_eq!(ticks(u32::MAX, 15), 1);
        assert_eq!(ticks(0, 1), 1_000_000);
    }
}
