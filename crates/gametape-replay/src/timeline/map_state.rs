//! Timelines of several kinds as one type.

use std::fmt;
use std::ops::Range;

use gametape_wire::{Moment, Need, Report, Result, SansIo, TickLength};

use super::{Change, Direction, Marker, Timeline};

/// A timeline whose state is seen as something more general: see [`Timeline::map_state`].
pub struct MapState<T: Timeline, S: ?Sized> {
    timeline: T,
    map: fn(&T::State) -> &S,
}

impl<T: Timeline, S: ?Sized> MapState<T, S> {
    pub(super) fn new(timeline: T, map: fn(&T::State) -> &S) -> Self {
        Self { timeline, map }
    }

    /// The timeline itself.
    #[must_use]
    pub fn inner(&self) -> &T {
        &self.timeline
    }

    /// The timeline itself, to be extended.
    pub fn inner_mut(&mut self) -> &mut T {
        &mut self.timeline
    }
}

impl<T: Timeline + fmt::Debug, S: ?Sized> fmt::Debug for MapState<T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.timeline.fmt(f)
    }
}

impl<T: Timeline, S: ?Sized> SansIo for MapState<T, S> {
    fn need(&self) -> Need {
        self.timeline.need()
    }

    fn supply(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<()> {
        self.timeline.supply(range, bytes)
    }
}

impl<T: Timeline, S: ?Sized> Timeline for MapState<T, S> {
    type State = S;

    fn tick_length(&self) -> TickLength {
        self.timeline.tick_length()
    }

    fn begin(&self) -> Moment {
        self.timeline.begin()
    }

    fn end(&self) -> Moment {
        self.timeline.end()
    }

    fn position(&self) -> Moment {
        self.timeline.position()
    }

    fn seek(&mut self, to: Moment) -> Result<Need> {
        self.timeline.seek(to)
    }

    fn step(&mut self, direction: Direction) -> Result<Need> {
        self.timeline.step(direction)
    }

    fn state(&self) -> &S {
        (self.map)(self.timeline.state())
    }

    fn changes(&self) -> Vec<Change<'_>> {
        self.timeline.changes()
    }

    fn markers(&self) -> &[Marker] {
        self.timeline.markers()
    }

    fn report(&self) -> &Report {
        self.timeline.report()
    }

    fn is_growing(&self) -> bool {
        self.timeline.is_growing()
    }

    fn grow(&mut self, piece: &[u8]) -> Result<()> {
        self.timeline.grow(piece)
    }

    fn stop_growing(&mut self) {
        self.timeline.stop_growing();
    }
}
