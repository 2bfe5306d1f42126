//! Moments and spans of a recording, as people write them: [`When`].
//!
//! A moment is always after everything that happened at that time.

use std::ops::Range;

use gametape_wire::text::count;
use gametape_wire::{Error, Moment, Result, Tick, TickLength, Time, When};

/// The moment in a recording of ticks of some length that has these moments. Refused for a turn, which
/// only gamelogs have.
pub fn moment_by_clock(when: When, length: TickLength, span: Range<Moment>) -> Result<Moment> {
    when.moment_within(length, span).ok_or_else(no_turns)
}

/// When a recording ends that a time is after, so that its end is meant; `None` for any other time.
#[must_use]
pub fn end_before(when: When, length: TickLength, end: Moment) -> Option<Time> {
    let asked = match when {
        When::Time(time) => length.tick_at(time),
        When::Number(millis) => length.tick_at(Time::from_millis(millis)),
        When::Tick(tick) => tick,
        _ => return None,
    };
    // Ticks of a millisecond have no length that anybody means.
    let is_clock = length == TickLength::MILLISECOND;
    let last = if is_clock { end.last_tick().unwrap_or_default() } else { end.next_tick() };
    (asked > last).then(|| length.time_of(last))
}

/// The moment in a gamelog of this many deltas; a number without a unit is a delta. `first_delta` finds
/// the delta with which a turn begins. Refused for a time, because a gamelog has no clock, and for a
/// delta or turn that is not there.
pub fn moment_of_gamelog(
    when: When,
    deltas: u64,
    first_delta: impl FnOnce(i64) -> Option<u64>,
) -> Result<Moment> {
    match when {
        When::Time(_) | When::BeforeEnd(_) => Err(refused(
            "a gamelog has no clock: name a delta (tick:12), a turn (turn:3) or a share (50%)",
        )),
        When::Number(delta) | When::Tick(Tick(delta)) if delta >= deltas => {
            let there = count(deltas, "delta");
            Err(refused(format!("there are {there}, counted from 0, and so no delta {delta}")))
        }
        When::Number(delta) => Ok(Moment::after(Tick(delta))),
        When::Turn(turn) => {
            let delta = first_delta(turn).map(|delta| Moment::after(Tick(delta)));
            delta.ok_or_else(|| refused(format!("there is no turn {turn}")))
        }
        when => {
            let end = Moment::before(Tick(deltas));
            moment_by_clock(when, TickLength::MILLISECOND, Moment::START..end)
        }
    }
}

/// The ticks of a span, in a recording that ends before tick `end`: from the first on, which is in it,
/// to the last, which is not; to the end of time where the end is meant. Refused for a turn.
pub fn ticks_between(from: When, to: When, length: TickLength, end: Tick) -> Result<Range<Tick>> {
    let bound = |when: When| when.bound(length, end).ok_or_else(no_turns);
    let to = if to == When::End { Tick::MAX } else { bound(to)? };
    Ok(bound(from)?..to)
}

fn no_turns() -> Error {
    refused("turns are for gamelogs, and this is not one")
}

#[cold]
fn refused(problem: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::misuse("time", problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many deltas are merged, in a log of ten whose turn 2 begins with delta 6.
    fn deltas(text: &str) -> Option<u64> {
        let turn = |turn| (turn == 2).then_some(6);
        let moment = moment_of_gamelog(text.parse().unwrap(), 10, turn);
        moment.ok().map(|moment| moment.next_tick().0)
    }

    #[test]
    fn a_gamelog_is_counted_in_deltas() {
        for (text, merged) in [
            ("start", 1),
            ("0", 1),
            ("9", 10),
            ("tick:3", 4),
            ("end", 10),
            ("50%", 5),
            ("100%", 10),
            ("0%", 1),
            ("turn:2", 7),
        ] {
            assert_eq!(deltas(text), Some(merged), "{text}");
        }
    }

    #[test]
    fn a_gamelog_has_no_clock() {
        for text in ["3:37", "5s", "5ms", "-10s", "10", "tick:10", "turn:3"] {
            assert_eq!(deltas(text), None, "{text}");
        }
    }

    #[test]
    fn a_time_after_the_end_is_noticed() {
        let length = TickLength::from_micros(50_000).unwrap();
        let end = |text: &str| {
            let end = end_before(text.parse().unwrap(), length, Moment::before(Tick(100)));
            end.map(|time| time.to_string())
        };
        assert_eq!(
            ["5.05s", "6000", "tick:101"].map(end),
            ["0:05", "0:05", "0:05"].map(|t| Some(t.into()))
        );
        assert_eq!(["0:05", "tick:100", "end", "100%", "-9:00"].map(end), [const { None }; 5]);
        let file = |time| end_before(time, TickLength::MILLISECOND, Moment::after(Tick(700)));
        assert_eq!(file(When::Number(700)), None);
        assert_eq!(file(When::Number(701)), Some(Time::from_millis(700)));
    }

    #[test]
    fn spans_end_before_their_last_tick_and_have_no_turns() {
        let length = TickLength::from_micros(50_000).unwrap();
        let span = |from: &str, to: &str| {
            ticks_between(from.parse().unwrap(), to.parse().unwrap(), length, Tick(100)).ok()
        };
        assert_eq!(span("start", "1s"), Some(Tick::ZERO..Tick(20)));
        assert_eq!(span("-1s", "end"), Some(Tick(80)..Tick::MAX));
        assert_eq!(span("start", "turn:3"), None);
    }
}
