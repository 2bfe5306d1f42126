//! A timeline in a box is a timeline.

use gametape_wire::{Moment, Need, Report, Result, TickLength};

use super::{Change, Direction, Marker, Timeline};

impl<T: Timeline + ?Sized> Timeline for Box<T> {
    type State = T::State;

    fn tick_length(&self) -> TickLength {
        (**self).tick_length()
    }

    fn begin(&self) -> Moment {
        (**self).begin()
    }

    fn end(&self) -> Moment {
        (**self).end()
    }

    fn position(&self) -> Moment {
        (**self).position()
    }

    fn seek(&mut self, to: Moment) -> Result<Need> {
        (**self).seek(to)
    }

    fn step(&mut self, direction: Direction) -> Result<Need> {
        (**self).step(direction)
    }

    fn state(&self) -> &T::State {
        (**self).state()
    }

    fn changes(&self) -> Vec<Change<'_>> {
        (**self).changes()
    }

    fn markers(&self) -> &[Marker] {
        (**self).markers()
    }

    fn report(&self) -> &Report {
        (**self).report()
    }

    fn is_growing(&self) -> bool {
        (**self).is_growing()
    }

    fn grow(&mut self, piece: &[u8]) -> Result<()> {
        (**self).grow(piece)
    }

    fn stop_growing(&mut self) {
        (**self).stop_growing();
    }
}
