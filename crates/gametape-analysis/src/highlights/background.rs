//! Anomaly: how much more happens in a window than is typical of this match.

use super::WHOLE;
use super::window::Span;

/// The least deviation: one event in a typical window.
const LEAST_DEVIATION: u128 = 1000;

/// How much happens in a match.
pub(super) struct Background<'a> {
    /// Ticks of the events that count, ascending.
    activity: &'a [u64],
    typical: u64,
    mean: u128,
    deviation: u128,
}

impl<'a> Background<'a> {
    /// From the ticks of events that count, ascending; `typical` is the length of a window.
    pub(super) fn new(activity: &'a [u64], typical: u64, end: u64) -> Self {
        let mut background = Self { activity, typical, mean: 0, deviation: LEAST_DEVIATION };
        let (rates, count) = background.tiles(end);
        // Tiles without events are not in the list; it could be very long.
        let empty = u128::from(count) - rates.len() as u128;
        let mean = rates.iter().sum::<u128>() / u128::from(count);
        let squares: u128 = rates.iter().map(|rate| rate.abs_diff(mean).pow(2)).sum();
        let variance = (squares + empty * mean * mean) / u128::from(count);
        background.mean = mean;
        background.deviation = variance.isqrt().max(LEAST_DEVIATION);
        background
    }

    /// The rates of the windows, one after the other, in which something happens, and how many
    /// windows there are.
    fn tiles(&self, end: u64) -> (Vec<u128>, u64) {
        let count = end / self.typical;
        if count == 0 {
            return (vec![self.rate(&(0..end))], 1);
        }
        let whole = self.activity.partition_point(|&tick| tick < count * self.typical);
        let tiles = self.activity[..whole]
            .chunk_by(|one, other| one / self.typical == other / self.typical);
        (tiles.map(|tile| 1000 * tile.len() as u128).collect(), count)
    }

    /// Events in a window, scaled to a typical one, in thousandths.
    fn rate(&self, window: &Span) -> u128 {
        let index = |tick| self.activity.partition_point(|&other| other < tick);
        let count = index(window.end) - index(window.start);
        1000 * count as u128 * u128::from(self.typical) / u128::from(window.end - window.start)
    }

    pub(super) fn anomaly(&self, window: &Span) -> u32 {
        let above = self.rate(window).saturating_sub(self.mean);
        (above * u128::from(WHOLE) / (4 * self.deviation)).min(WHOLE.into()) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusual_is_measured_in_deviations() {
        // Ten windows of 30 ticks: nine with 2 events each, one with 22.
        let mut activity: Vec<u64> =
            (0..10).flat_map(|tile| [tile * 30 + 1, tile * 30 + 2]).collect();
        activity.extend([95; 20]);
        activity.sort_unstable();
        let background = Background::new(&activity, 30, 305);
        assert_eq!(background.mean, 4000);
        assert_eq!(background.deviation, 6000);
        assert_eq!(background.anomaly(&(90..120)), 750_000);
        assert_eq!(background.anomaly(&(0..30)), 0);
        assert_eq!(background.anomaly(&(90..105)), WHOLE);
    }

    #[test]
    fn a_short_or_very_long_match_has_a_background() {
        assert_eq!(Background::new(&[3, 4], 30, 10).mean, 6000);
        let long = Background::new(&[5, 6], 1, 1 << 56);
        assert_eq!((long.mean, long.deviation), (0, LEAST_DEVIATION));
    }
}
