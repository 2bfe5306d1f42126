//! Which moment is due when, at any rate, by the caller's clock.

use std::time::Duration;

use gametape_wire::{Moment, Tick, TickLength};

/// How fast a timeline is played, relative to the recording.
///
/// Thousandths and halvings down to 1/256 are exact.
///
/// ```
/// use gametape_replay::Rate;
///
/// assert_eq!(Rate::thousandths(1_000), Rate::NORMAL);
/// assert_eq!(Rate::power_of_two(1), Rate::thousandths(2_000));
/// assert_eq!(Rate::power_of_two(-3), Rate::thousandths(125));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rate(i64);

/// What a [`Rate`] counts in one thousandth.
const IN_A_THOUSANDTH: i64 = 256;

impl Rate {
    /// Nothing is due, however long one waits.
    pub const PAUSED: Self = Self(0);
    /// As fast as the recording.
    pub const NORMAL: Self = Self::thousandths(1_000);

    /// This many thousandths of the speed of the recording; below 0 backwards.
    #[must_use]
    pub const fn thousandths(thousandths: i64) -> Self {
        Self(thousandths.saturating_mul(IN_A_THOUSANDTH))
    }

    /// 2 to this power times as fast as the recording, up to 2⁴⁵; rounded down below 2⁻¹¹.
    #[must_use]
    pub fn power_of_two(power: i32) -> Self {
        let Self(normal) = Self::NORMAL;
        match power {
            0.. => Self(normal << power.min(MOST_DOUBLINGS)),
            _ => Self(normal >> power.unsigned_abs().min(63)),
        }
    }
}

/// More would not fit.
const MOST_DOUBLINGS: i32 = 45;

/// Plays a timeline: turns the caller's time into moments.
///
/// `now` is the time since any fixed instant of the caller. Nothing here reads a clock.
///
/// ```
/// use std::time::Duration;
/// use gametape_replay::{Clock, Rate};
/// use gametape_wire::{Moment, Tick, TickLength};
///
/// let mut clock = Clock::new(TickLength::MILLISECOND);
/// let (start, end) = (Moment::START, Moment::before(Tick(10_000)));
/// clock.play(Rate::power_of_two(2), Duration::ZERO, start); // Four times as fast.
/// let due = clock.due(Duration::from_secs(1), start, end);
/// assert_eq!(due, Moment::before(Tick(4_000)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    tick_length: TickLength,
    rate: Rate,
    /// A time and the moment that belongs to it.
    anchor: Option<(Duration, Moment)>,
}

impl Clock {
    /// A clock that is paused.
    #[must_use]
    pub fn new(tick_length: TickLength) -> Self {
        Self { tick_length, rate: Rate::PAUSED, anchor: None }
    }

    /// How fast it plays.
    #[must_use]
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Is nothing due, however long one waits?
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.rate == Rate::PAUSED
    }

    /// Plays from a position on.
    pub fn play(&mut self, rate: Rate, now: Duration, position: Moment) {
        (self.rate, self.anchor) = (rate, Some((now, position)));
    }

    /// The position was changed by somebody else: time counts from the next [`due`](Self::due) on.
    pub fn moved(&mut self) {
        self.anchor = None;
    }

    /// The moment that is due at `now`, between the start and `end`.
    ///
    /// At an end, time does not pass: who waits there for more to come does not jump when it comes.
    pub fn due(&mut self, now: Duration, position: Moment, end: Moment) -> Moment {
        let (since, from) = *self.anchor.get_or_insert((now, position));
        let elapsed = i128::try_from(now.saturating_sub(since).as_micros()).unwrap_or(i128::MAX);
        let ticks = elapsed.saturating_mul(self.rate.0.into())
            / (i128::from(Rate::NORMAL.0) * i128::from(self.tick_length.micros()));
        let due = i128::from(from.next_tick().0).saturating_add(ticks);
        let within = due.clamp(0, end.next_tick().0.into());
        let moment = Moment::before(Tick(u64::try_from(within).unwrap_or(u64::MAX)));
        if within != due {
            self.anchor = Some((now, moment));
        }
        moment
    }

    /// How long to wait from `now` until another moment than `position` is due; `None` while paused.
    #[must_use]
    pub fn next_due(&self, now: Duration, position: Moment) -> Option<Duration> {
        let rate = u128::from(self.rate.0.unsigned_abs());
        if rate == 0 {
            return None;
        }
        let (since, from) = self.anchor.unwrap_or((now, position));
        let gone = position.next_tick().0.abs_diff(from.next_tick().0);
        let normal = u128::from(Rate::NORMAL.0.unsigned_abs());
        let micros = (u128::from(gone) + 1) * u128::from(self.tick_length.micros()) * normal;
        let at =
            since + Duration::from_micros(u64::try_from(micros.div_ceil(rate)).unwrap_or(u64::MAX));
        Some(at.saturating_sub(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: Moment = Moment::before(Tick(100));

    fn at(tick: u64) -> Moment {
        Moment::before(Tick(tick))
    }

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn rates_scale_time_both_ways_and_stop_at_the_ends() {
        let mut clock = Clock::new(TickLength::MILLISECOND);
        clock.play(Rate::thousandths(500), millis(10), at(50));
        assert_eq!(clock.due(millis(13), at(50), END), at(51));
        assert_eq!(clock.due(millis(14), at(51), END), at(52));
        assert_eq!(clock.due(millis(1000), at(52), END), END);
        clock.play(Rate::thousandths(-2_000), millis(1000), END);
        assert_eq!(clock.due(millis(1010), END, END), at(80));
        assert_eq!(clock.due(millis(2000), at(80), END), Moment::START);
        clock.play(Rate::PAUSED, millis(2000), at(7));
        assert_eq!(clock.due(millis(9000), at(7), END), at(7));
    }

    #[test]
    fn who_waits_at_the_end_goes_on_from_there_when_it_moves() {
        let mut clock = Clock::new(TickLength::MILLISECOND);
        clock.play(Rate::NORMAL, millis(0), at(90));
        assert_eq!(clock.due(millis(5_000), at(90), END), END);
        assert_eq!(clock.due(millis(5_004), END, at(200)), at(104));
        clock.moved();
        assert_eq!(clock.due(millis(9_000), at(20), at(200)), at(20));
        assert_eq!(clock.due(millis(9_003), at(20), at(200)), at(23));
    }

    #[test]
    fn every_speed_of_a_player_is_exact() {
        for power in -8..=8 {
            let mut clock = Clock::new(TickLength::MILLISECOND);
            clock.play(Rate::power_of_two(power), millis(0), at(0));
            // As long as 256 s of the recording take.
            let passed = millis(256_000 * 256 / (1 << (power + 8)));
            assert_eq!(clock.due(passed, at(0), at(1 << 40)), at(256_000), "2^{power}");
        }
        assert_eq!(Rate::power_of_two(i32::MIN), Rate::PAUSED);
        assert_eq!(Rate::power_of_two(i32::MAX), Rate::power_of_two(45));
        assert!(Rate::power_of_two(45) > Rate::power_of_two(44));
    }

    #[test]
    fn the_wait_is_until_the_next_tick() {
        let mut clock = Clock::new(TickLength::MILLISECOND);
        assert_eq!(clock.next_due(millis(3), at(5)), None);
        clock.play(Rate::power_of_two(-2), millis(0), at(5));
        assert_eq!(clock.next_due(millis(1), at(5)), Some(millis(3)));
        assert_eq!(clock.due(millis(4), at(5), END), at(6));
        assert_eq!(clock.next_due(millis(4), at(6)), Some(millis(4)));
    }
}
