//! What is released to whom. Normative: `spec/live.md`, section 6.

use std::collections::VecDeque;
use std::time::Duration;

use gametape_wire::{Tick, TickLength};

/// How many ticks a seat is kept after the match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Delay(pub u64);

impl Delay {
    /// Everything at once.
    pub const NONE: Self = Self(0);

    /// The last tick whose messages may leave when `over` is the last tick that is over; `None` where
    /// nothing may.
    #[must_use]
    pub fn released(self, over: Option<Tick>) -> Option<Tick> {
        match self.0 {
            0 => Some(Tick::MAX),
            delay => over?.checked_sub(delay),
        }
    }
}

/// The last tick that is over, at any time: after the end of a match it goes on by the clock.
#[derive(Debug, Clone, Default)]
pub(crate) struct Head {
    tick: Option<Tick>,
    ended: Option<Duration>,
    /// When ticks were over, at most one every [`APART`]; the last [`KEPT`] of them.
    recent: VecDeque<(Duration, Tick)>,
}

/// Times that are kept are so far apart, …
const APART: Duration = Duration::from_millis(10);
/// … and as many are kept: more than a quarter of a second.
const KEPT: usize = 32;

impl Head {
    pub(crate) fn advance(&mut self, tick: Tick, is_last: bool, now: Duration) {
        if self.tick.is_none_or(|known| known < tick) {
            self.tick = Some(tick);
            self.note(tick, now);
        }
        if is_last && self.ended.is_none() {
            self.ended = Some(now);
        }
    }

    fn note(&mut self, tick: Tick, now: Duration) {
        match self.recent.back_mut() {
            Some((at, last)) if now < *at + APART => *last = tick,
            _ => self.recent.push_back((now, tick)),
        }
        if self.recent.len() > KEPT {
            self.recent.pop_front();
        }
    }

    /// The last tick that was over at an earlier time, as far back as is known.
    pub(crate) fn earlier(&self, then: Duration, length: TickLength) -> Option<Tick> {
        if self.ended.is_some_and(|ended| ended <= then) {
            return self.at(then, length);
        }
        self.recent.iter().rev().find(|(at, _)| *at <= then).map(|(_, tick)| *tick)
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.ended.is_some()
    }

    pub(crate) fn at(&self, now: Duration, length: TickLength) -> Option<Tick> {
        let passed = self.ended.map_or(0, |ended| {
            let micros = now.saturating_sub(ended).as_micros() / u128::from(length.micros());
            u64::try_from(micros).unwrap_or(u64::MAX)
        });
        Some(self.tick? + passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_at_once_was_not_there_earlier() {
        let length = TickLength::millis::<50>();
        let at = Duration::from_millis;
        let mut head = Head::default();
        assert_eq!(head.earlier(at(1_000), length), None);
        // A recorder writes a second of ticks at once.
        for (second, now) in [(0, 1_000), (1, 2_000), (2, 3_000)] {
            (0..20).for_each(|tick| head.advance(Tick(second * 20 + tick), false, at(now)));
        }
        assert_eq!(head.earlier(at(999), length), None);
        assert_eq!(head.earlier(at(2_750), length), Some(Tick(39)));
        assert_eq!(head.earlier(at(3_000), length), Some(Tick(59)));
        // After the end of a match ticks pass by the clock.
        head.advance(Tick(60), true, at(4_000));
        assert_eq!(head.earlier(at(4_500), length), Some(Tick(70)));
        (0..10_000).for_each(|tick| head.advance(Tick(100 + tick), false, at(5_000 + tick * 10)));
        assert!(head.recent.len() <= KEPT);
    }
}
