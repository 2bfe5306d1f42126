//! Which moment is due when, at any rate, by the caller's clock.

use std::time::Duration;

use gametape_wire::{Moment, Tick, TickLength};

/// Plays a timeline: turns the caller's time into moments.
///
/// `now` is the time since any fixed instant of the caller. Nothing here reads a clock.
///
/// ```
/// use std::time::Duration;
/// use gametape_replay::Clock;
/// use gametape_wire::{Moment, Tick, TickLength};
///
/// let mut clock = Clock::new(TickLength::MILLISECOND);
/// let (start, end) = (Moment::START, Moment::before(Tick(10_000)));
/// clock.play(4_000, Duration::ZERO, start); // Four times as fast.
/// let due = clock.due(Duration::from_secs(1), start, end);
/// assert_eq!(due, Moment::before(Tick(4_000)));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    tick_length: TickLength,
    /// Thousandths; 0 while paused, below 0 backwards.
    rate: i64,
    /// A time and the moment that belongs to it.
    anchor: Option<(Duration, Moment)>,
}

impl Clock {
    /// A clock that is paused.
    #[must_use]
    pub fn new(tick_length: TickLength) -> Self {
        Self { tick_length, rate: 0, anchor: None }
    }

    /// The rate in thousandths of the speed of the recording; 0 while paused, below 0 backwards.
    #[must_use]
    pub fn rate(&self) -> i64 {
        self.rate
    }

    /// Is nothing due, however long one waits?
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.rate == 0
    }

    /// Plays from a position on at a rate in thousandths; 0 pauses, below 0 is backwards.
    pub fn play(&mut self, rate: i64, now: Duration, position: Moment) {
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
        let ticks = elapsed.saturating_mul(self.rate.into())
            / (1000 * i128::from(self.tick_length.micros()));
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
        let rate = u128::from(self.rate.unsigned_abs());
        if rate == 0 {
            return None;
        }
        let (since, from) = self.anchor.unwrap_or((now, position));
        let gone = position.next_tick().0.abs_diff(from.next_tick().0);
        let micros = (u128::from(gone) + 1) * u128::from(self.tick_length.micros()) * 1000;
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
        clock.play(500, millis(10), at(50));
        assert_eq!(clock.due(millis(13), at(50), END), at(51));
        assert_eq!(clock.due(millis(14), at(51), END), at(52));
        assert_eq!(clock.due(millis(1000), at(52), END), END);
        clock.play(-2_000, millis(1000), END);
        assert_eq!(clock.due(millis(1010), END, END), at(80));
        assert_eq!(clock.due(millis(2000), at(80), END), Moment::START);
        clock.play(0, millis(2000), at(7));
        assert_eq!(clock.due(millis(9000), at(7), END), at(7));
    }

    #[test]
    fn who_waits_at_the_end_goes_on_from_there_when_it_moves() {
        let mut clock = Clock::new(TickLength::MILLISECOND);
        clock.play(1_000, millis(0), at(90));
        assert_eq!(clock.due(millis(5_000), at(90), END), END);
        assert_eq!(clock.due(millis(5_004), END, at(200)), at(104));
        clock.moved();
        assert_eq!(clock.due(millis(9_000), at(20), at(200)), at(20));
        assert_eq!(clock.due(millis(9_003), at(20), at(200)), at(23));
    }

    #[test]
    fn the_wait_is_until_the_next_tick() {
        let mut clock = Clock::new(TickLength::MILLISECOND);
        assert_eq!(clock.next_due(millis(3), at(5)), None);
        clock.play(250, millis(0), at(5));
        assert_eq!(clock.next_due(millis(1), at(5)), Some(millis(3)));
        assert_eq!(clock.due(millis(4), at(5), END), at(6));
        assert_eq!(clock.next_due(millis(4), at(6)), Some(millis(4)));
    }
}
