//! Figures about a frame stream: what is in it, for whom, and what cannot be read.

use crate::{Frame, FrameKind};
use gametape_wire::{Error, Part, Result, View, ViewSet};

use crate::dialect::Dialect;
use crate::message::{Class, Messages};

const VIEWS: usize = View::MAX as usize + 1;

/// Figures about a frame stream; made by [`Survey::of`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Survey {
    /// Frames with one payload for all their views.
    pub homogenous: u64,
    /// Frames with a payload for each view.
    pub heterogenous: u64,
    /// Frames in which only time passes.
    pub keepalives: u64,
    /// When the last frame happens, in milliseconds (ticks in v0.1).
    pub duration: u64,
    /// Messages as stored: one in a homogenous frame counts once.
    pub messages: u64,
    /// The views that take part in any frame.
    pub views: ViewSet,
    /// The frame that is cut by the end of the stream, if one is.
    pub cut: Option<Error>,
    by_class: [u64; Class::ALL.len()],
    by_view: [u64; VIEWS],
    unreadable: [u64; VIEWS],
}

/// Messages that the same views receive, before each view is said to have received them.
///
/// Payloads that several views share are mostly for the same ones: they are counted once.
#[derive(Default)]
struct Shared {
    views: ViewSet,
    messages: u64,
}

impl Survey {
    /// Walks through frames and counts.
    ///
    /// ```
    /// use gametape_minewars::{Class, Dialect, Survey};
    /// use gametape_minewars::{FrameLayout, Frames, Generation};
    /// use gametape_wire::View;
    ///
    /// let layout = FrameLayout::new(Generation::Current, View::new(2).unwrap())?;
    /// // After 67 ms a tremor for the spectator and both players.
    /// let stream = [0x80, 67, 0b111, 0, 0x01];
    /// let survey = Survey::of(Frames::new(layout, &stream), Dialect::Current);
    /// assert_eq!((survey.frames(), survey.duration, survey.messages), (1, 67, 1));
    /// assert_eq!(survey.received_by(View::new(2).unwrap()), 1);
    /// # Ok::<(), gametape_wire::Error>(())
    /// ```
    #[must_use]
    pub fn of<'a>(frames: impl Iterator<Item = Result<Frame<'a>>>, dialect: Dialect) -> Self {
        let (mut survey, mut shared) = (Self::default(), Shared::default());
        for frame in frames {
            match frame {
                Ok(frame) => survey.take(&frame, dialect, &mut shared),
                Err(error) => survey.cut = Some(error),
            }
        }
        survey.receive(&shared);
        survey
    }

    /// All frames.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.homogenous + self.heterogenous + self.keepalives
    }

    /// Messages of one class, as stored.
    #[must_use]
    pub fn of_class(&self, class: Class) -> u64 {
        self.by_class[class as usize]
    }

    /// Messages that one view receives.
    #[must_use]
    pub fn received_by(&self, view: View) -> u64 {
        self.by_view[usize::from(view.number())]
    }

    /// Payloads for one view whose end cannot be read.
    #[must_use]
    pub fn unreadable_for(&self, view: View) -> u64 {
        self.unreadable[usize::from(view.number())]
    }

    /// Can everything be read?
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.cut.is_none() && self.unreadable.iter().all(|count| *count == 0)
    }

    fn take(&mut self, frame: &Frame<'_>, dialect: Dialect, shared: &mut Shared) {
        match frame.kind() {
            FrameKind::Homogenous => self.homogenous += 1,
            FrameKind::Heterogenous => self.heterogenous += 1,
            FrameKind::Keepalive => self.keepalives += 1,
        }
        self.duration = frame.time();
        self.views = ViewSet::from_bits(self.views.bits() | frame.views().bits());
        for part in frame.parts() {
            self.take_part(&part, dialect, shared);
        }
    }

    fn take_part(&mut self, part: &Part<'_>, dialect: Dialect, shared: &mut Shared) {
        let before = self.messages;
        let mut messages = Messages::new(part.payload, part.offset, dialect);
        let read = messages.visit(|message, _| {
            self.messages += 1;
            self.by_class[message.class() as usize] += 1;
        });
        if read.is_err() {
            each(part.views, |view| self.unreadable[view] += 1);
        }
        let messages = self.messages - before;
        if part.views == shared.views {
            shared.messages += messages;
        } else if part.views == part.views.lowest() {
            self.receive(&Shared { views: part.views, messages });
        } else {
            self.receive(shared);
            *shared = Shared { views: part.views, messages };
        }
    }

    fn receive(&mut self, shared: &Shared) {
        each(shared.views, |view| self.by_view[view] += shared.messages);
    }
}

/// Calls `take` with the number of each view.
fn each(views: ViewSet, mut take: impl FnMut(usize)) {
    views.iter().for_each(|view| take(usize::from(view.number())));
}

#[cfg(test)]
mod tests {
    use crate::{FrameLayout, FrameWriter, Frames, Generation};

    use super::*;

    #[test]
    fn frames_messages_and_damage_are_counted_where_they_are() {
        let [zero, one, two] = [0, 1, 2].map(|number| View::new(number).unwrap());
        let layout = FrameLayout::new(Generation::Current, two).unwrap();
        let mut writer = FrameWriter::new(layout);
        writer.homogenous(5, ViewSet::up_to(two), &[0x01, 0x02, 3, 4]).unwrap();
        // Two tremors, and a first byte that nothing follows.
        let parts: [(View, &[u8]); 2] = [(zero, &[0x01, 0x01]), (one, &[0x01, 0x02])];
        writer.heterogenous(10, &parts).unwrap();
        writer.keepalive();
        writer.raw(&[0x80]);
        let survey = Survey::of(Frames::new(layout, &writer.into_bytes()), Dialect::Current);
        assert_eq!((survey.homogenous, survey.heterogenous, survey.keepalives), (1, 1, 1));
        assert_eq!((survey.frames(), survey.duration), (3, 5 + 10 + 32767));
        assert_eq!(survey.messages, 2 + 2 + 1);
        assert_eq!([zero, one, two].map(|view| survey.received_by(view)), [4, 3, 2]);
        assert_eq!([zero, one, two].map(|view| survey.unreadable_for(view)), [0, 1, 0]);
        assert_eq!(Class::ALL.map(|class| survey.of_class(class)).iter().sum::<u64>(), 5);
        assert!(survey.cut.is_some() && !survey.is_readable());
        assert_eq!(survey.views, ViewSet::up_to(two));
    }
}
