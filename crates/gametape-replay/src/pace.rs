//! How fast to play near live. Normative: `spec/live.md`, section 10.

use std::time::Duration;

use crate::Rate;

/// The slowest and the fastest rate in thousandths.
const RATES: (i64, i64) = (950, 1050);
/// So far from the target, playing a little faster takes minutes.
const FAR: Duration = Duration::from_secs(10);

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pace {
    /// Play at this rate.
    Play(Rate),
    /// Nothing is left: wait until there is more.
    Wait,
    /// Play, and offer to jump: live is far ahead.
    Behind(Rate),
}

/// Holds a target of what is there and not shown yet, by playing a little faster or slower.
///
/// ```
/// use std::time::Duration;
/// use gametape_replay::{Pace, Pacer, Rate};
///
/// let mut pacer = Pacer::new(Duration::from_millis(200));
/// assert_eq!(pacer.pace(Duration::ZERO), Pace::Wait);
/// assert_eq!(pacer.pace(Duration::from_millis(50)), Pace::Wait);
/// assert_eq!(pacer.pace(Duration::from_millis(190)), Pace::Play(Rate::NORMAL));
/// assert_eq!(pacer.pace(Duration::from_millis(400)), Pace::Play(Rate::thousandths(1050)));
/// assert_eq!(pacer.pace(Duration::from_millis(100)), Pace::Play(Rate::thousandths(950)));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Pacer {
    target: Duration,
    waits: bool,
}

impl Pacer {
    /// A pacer that holds this much.
    #[must_use]
    pub const fn new(target: Duration) -> Self {
        Self { target, waits: true }
    }

    /// What to do when this much is there and not shown yet.
    pub fn pace(&mut self, buffer: Duration) -> Pace {
        if buffer.is_zero() || (self.waits && buffer < self.target / 2) {
            self.waits = true;
            return Pace::Wait;
        }
        self.waits = false;
        let rate = Rate::thousandths(self.thousandths(buffer));
        let is_far = buffer > self.target + FAR;
        if is_far { Pace::Behind(rate) } else { Pace::Play(rate) }
    }

    fn thousandths(&self, buffer: Duration) -> i64 {
        let (target, buffer) = (micros(self.target).max(1), micros(buffer));
        let (least, most) = RATES;
        let quarter = target / 4;
        if (buffer - target).abs() <= quarter {
            return 1000;
        }
        // Full at twice and at half of the target.
        let rate = match buffer > target {
            true => 1000 + (most - 1000) * (buffer - target - quarter) / (target - quarter).max(1),
            false => {
                1000 - (1000 - least) * (target - quarter - buffer) / (target / 2 - quarter).max(1)
            }
        };
        rate.clamp(least, most)
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX / 4096)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of `spec/live.md`, section 10, which the page is tested with, too.
    #[test]
    fn rates_are_those_of_the_specification() {
        let rates = [
            (500, 950),
            (625, 975),
            (750, 1000),
            (1000, 1000),
            (1250, 1000),
            (1625, 1025),
            (2000, 1050),
            (9000, 1050),
        ];
        let millis = Duration::from_millis;
        let mut pacer = Pacer::new(millis(1000));
        assert_eq!(pacer.pace(millis(400)), Pace::Wait);
        for (buffer, rate) in rates {
            assert_eq!(pacer.pace(millis(buffer)), Pace::Play(Rate::thousandths(rate)), "{buffer}");
        }
        assert_eq!(pacer.pace(millis(400)), Pace::Play(Rate::thousandths(950)));
        assert_eq!(pacer.pace(Duration::ZERO), Pace::Wait);
        assert_eq!(pacer.pace(millis(400)), Pace::Wait);
        assert_eq!(pacer.pace(millis(11_500)), Pace::Behind(Rate::thousandths(1050)));
    }
}
