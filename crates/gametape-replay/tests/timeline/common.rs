//! What must hold for every timeline that needs no bytes.

use gametape_replay::{Direction, Timeline};
use gametape_wire::{Moment, Tick};

/// Moments that jump about, the same on every run.
pub(crate) fn jumps(end: u64, count: usize) -> impl Iterator<Item = Moment> {
    let mut dice = 1u64;
    (0..count).map(move |_| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        Moment::before(Tick((dice >> 33) % (end + 1)))
    })
}

/// Goes to a moment.
pub(crate) fn go<T: Timeline + ?Sized>(timeline: &mut T, to: Moment) {
    assert!(timeline.seek(to).unwrap().is_ready());
    assert_eq!(timeline.position(), to);
}

/// Every stop of a timeline: the start, then where steps lead.
pub(crate) fn stops<T: Timeline + ?Sized>(timeline: &mut T) -> Vec<Moment> {
    go(timeline, Moment::START);
    let mut stops = vec![Moment::START];
    loop {
        assert!(timeline.step(Direction::Forward).unwrap().is_ready());
        if timeline.position() == stops[stops.len() - 1] {
            return stops;
        }
        stops.push(timeline.position());
    }
}

/// Steps forward and backward stop at the same moments, and each has its changes.
pub(crate) fn check_steps<T: Timeline + ?Sized>(timeline: &mut T) {
    let stops = stops(timeline);
    for stop in stops.iter().rev() {
        assert_eq!(timeline.position(), *stop);
        assert_eq!(timeline.changes().is_empty(), *stop == Moment::START, "{stop:?}");
        assert!(timeline.step(Direction::Backward).unwrap().is_ready());
    }
    assert_eq!(timeline.position(), Moment::START);
    let end = timeline.end();
    assert!(timeline.seek(Moment::after(end.next_tick())).is_err());
    assert_eq!(timeline.position(), Moment::START);
}
