//! Windows around candidates.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

/// Ticks from a first one to one after the last.
pub(super) type Span = Range<u64>;

pub(super) const TYPICAL_SECONDS: u64 = 30;
const SHORTEST_SECONDS: u64 = 15;
const LONGEST_SECONDS: u64 = 60;

/// Makes windows.
pub(super) struct Windows<'a> {
    /// Ascending by start.
    engagements: &'a [Span],
    half: u64,
    typical: u64,
    shortest: u64,
    longest: u64,
    end: u64,
}

impl<'a> Windows<'a> {
    pub(super) fn new(engagements: &'a [Span], ticks_in: impl Fn(u64) -> u64, end: u64) -> Self {
        Self {
            engagements,
            half: ticks_in(TYPICAL_SECONDS / 2),
            typical: ticks_in(TYPICAL_SECONDS),
            shortest: ticks_in(SHORTEST_SECONDS),
            // Very long ticks round up: a window must still hold its moment.
            longest: ticks_in(LONGEST_SECONDS)
                .max(ticks_in(TYPICAL_SECONDS) + ticks_in(TYPICAL_SECONDS / 2)),
            end,
        }
    }

    /// Each candidate with its window. The candidates ascend.
    pub(super) fn around(&self, candidates: &[u64]) -> Vec<(u64, Span)> {
        let mut coming = self.engagements.iter().peekable();
        // The longest first, of equal ones the earliest. Those that are over stay until they are
        // on top: they never come back.
        let mut running: BinaryHeap<(u64, Reverse<u64>)> = BinaryHeap::new();
        let mut windows = Vec::with_capacity(candidates.len());
        for &tick in candidates {
            while let Some(engagement) = coming.next_if(|engagement| engagement.start <= tick) {
                let length = engagement.end - engagement.start;
                running.push((length, Reverse(engagement.start)));
            }
            while running.peek().is_some_and(|(length, start)| start.0 + length <= tick) {
                running.pop();
            }
            let longest = running.peek().map(|(length, start)| start.0..start.0 + length);
            windows.push((tick, self.window(tick, longest)));
        }
        windows
    }

    fn window(&self, tick: u64, engagement: Option<Span>) -> Span {
        let mut window = tick.saturating_sub(self.half)..tick.saturating_add(self.half);
        // A span reaches one after the last tick.
        if let Some(long) = engagement.filter(|span| span.end - span.start > self.typical + 1) {
            window = window.start.min(long.start)..window.end.max(long.end);
        }
        if window.end - window.start > self.longest {
            window = self.shorten(tick, &window);
        }
        self.cut(&window)
    }

    /// The longest window around `tick`, moved into `union`.
    fn shorten(&self, tick: u64, union: &Span) -> Span {
        let start = tick.saturating_sub(self.typical).max(union.start);
        let start = start.min(union.end - self.longest);
        start..start + self.longest
    }

    /// Cuts a window to the match, and lets one that is too short grow.
    fn cut(&self, window: &Span) -> Span {
        let (mut start, mut end) = (window.start, window.end.min(self.end));
        if end - start < self.shortest {
            start = end.saturating_sub(self.shortest);
            end = (start + self.shortest).min(self.end);
        }
        start..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The window of a moment in a match of 2000 seconds, one tick each.
    fn window(tick: u64, engagements: &[Span]) -> Span {
        Windows::new(engagements, |seconds| seconds, 2000).around(&[tick])[0].1.clone()
    }

    #[test]
    fn long_engagements_widen_windows() {
        let with = |first: u64, last: u64| window(500, std::slice::from_ref(&(first..last + 1)));
        // Not longer than 30 seconds: as always.
        assert_eq!(with(490, 520), 485..515);
        // The union of both.
        assert_eq!(with(490, 530), 485..531);
        assert_eq!(with(460, 500), 460..515);
        // At most 60 seconds, inside of the union.
        assert_eq!(with(400, 700), 470..530);
        assert_eq!(with(495, 700), 485..545);
        assert_eq!(with(300, 505), 455..515);
        // The moment is not in it.
        assert_eq!(with(400, 499), 485..515);
        assert_eq!(with(501, 600), 485..515);
    }

    /// At the ends of a match a window has at least 15 seconds, where the match has.
    #[test]
    fn windows_stay_in_the_match() {
        let window =
            |tick, end| Windows::new(&[], |seconds| seconds, end).around(&[tick])[0].1.clone();
        assert_eq!(window(0, 2000), 0..15);
        assert_eq!(window(1, 2000), 0..16);
        assert_eq!(window(1990, 2000), 1975..2000);
        assert_eq!(window(2000, 2000), 1985..2000);
        assert_eq!(window(2005, 2000), 1985..2000);
        assert_eq!([window(0, 10), window(5, 10), window(10, 10)], [0..10, 0..10, 0..10]);
    }

    #[test]
    fn the_longest_engagement_counts_while_it_lasts() {
        let engagements = [100..180, 110..150, 120..260, 130..270];
        let windows = Windows::new(&engagements, |seconds| seconds, 2000);
        let found: Vec<Span> =
            windows.around(&[115, 140, 265, 300]).into_iter().map(|(_, window)| window).collect();
        // 120..260 and 130..270 are equally long: the earlier, until it is over.
        assert_eq!(found, [100..160, 120..180, 220..280, 285..315]);
    }

    #[test]
    fn very_long_ticks_have_windows_too() {
        let always = 0..2000;
        let windows = Windows::new(std::slice::from_ref(&always), |_| 1, 2000);
        assert_eq!(windows.around(&[0, 7]), [(0, 0..2), (7, 6..8)]);
    }
}
