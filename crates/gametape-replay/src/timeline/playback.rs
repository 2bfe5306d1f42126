//! A timeline that is played from a source.

use gametape_wire::{Moment, Report, Result, Source, TickLength, When, drive};

use super::{Change, Direction, Marker, Timeline};

/// A timeline together with the [`Source`] of its bytes: every call waits until it is there.
///
/// A read that fails ends a call with its error and is no [finding](Self::report). The position is then
/// a moment on the way, and the call may be tried again.
#[derive(Debug)]
pub struct Playback<S, T> {
    source: S,
    timeline: T,
}

impl<S, T: Timeline> Playback<S, T> {
    /// A timeline over the bytes of a source.
    #[must_use]
    pub fn new(source: S, timeline: T) -> Self {
        Self { source, timeline }
    }

    /// The source and the timeline, apart.
    #[must_use]
    pub fn into_parts(self) -> (S, T) {
        (self.source, self.timeline)
    }

    /// The source.
    #[must_use]
    pub fn source(&self) -> &S {
        &self.source
    }

    /// The timeline.
    #[must_use]
    pub fn timeline(&self) -> &T {
        &self.timeline
    }

    /// The timeline, to be extended.
    pub fn timeline_mut(&mut self) -> &mut T {
        &mut self.timeline
    }

    pub(crate) fn parts_mut(&mut self) -> (&mut S, &mut T) {
        (&mut self.source, &mut self.timeline)
    }

    /// How long a tick takes.
    #[must_use]
    pub fn tick_length(&self) -> TickLength {
        self.timeline.tick_length()
    }

    /// The first moment that can be gone to.
    pub fn begin(&self) -> Moment {
        self.timeline.begin()
    }

    /// The last moment that can be gone to.
    #[must_use]
    pub fn end(&self) -> Moment {
        self.timeline.end()
    }

    /// How much of the recording is in the state.
    #[must_use]
    pub fn position(&self) -> Moment {
        self.timeline.position()
    }

    /// The state at the position.
    #[must_use]
    pub fn state(&self) -> &T::State {
        self.timeline.state()
    }

    /// What carried the state forward during the last tick before the position.
    #[must_use]
    pub fn changes(&self) -> Vec<Change<'_>> {
        self.timeline.changes()
    }

    /// Moments of interest, ascending.
    #[must_use]
    pub fn markers(&self) -> &[Marker] {
        self.timeline.markers()
    }

    /// What was wrong with the parts that were played so far.
    #[must_use]
    pub fn report(&self) -> &Report {
        self.timeline.report()
    }

    /// The moment that somebody wrote.
    pub fn moment(&self, when: When) -> Result<Moment> {
        self.timeline.moment(when)
    }
}

impl<S: Source, T: Timeline> Playback<S, T> {
    /// Goes to a moment, at most the end. A tick means the moment after it.
    pub fn seek(&mut self, to: impl Into<Moment>) -> Result<()> {
        if self.timeline.seek(to.into())?.is_ready() {
            return Ok(());
        }
        drive(&mut self.timeline, &mut self.source)
    }

    /// Goes to the next or the last moment at which the state may differ. False where there is none.
    pub fn step(&mut self, direction: Direction) -> Result<bool> {
        let before = self.position();
        if !self.timeline.step(direction)?.is_ready() {
            drive(&mut self.timeline, &mut self.source)?;
        }
        Ok(self.position() != before)
    }
}
