//! Frames of one generation as frames of the other.

use std::ops::Range;

use gametape_wire::{Part, Result, View, ViewSet};

use super::message::{Flags, MessageTranslator};
use crate::dialect::Dialect;
use crate::edit::losses::{Loss, Losses};
use crate::message::{Fit, Message, Messages, PlayerUpdate, whole_messages};
use crate::{Frame, FrameLayout, FrameWriter, Frames, Generation};

/// Writes frames in another generation, and notes what cannot be written.
pub(super) struct Translator<'t, 'a> {
    dialect: Dialect,
    layout: FrameLayout,
    out: &'t mut FrameWriter,
    losses: &'t mut Losses,
    /// The messages of a payload as they are read.
    read: Vec<Message<'a>>,
    /// The messages of all payloads of a frame, as they are to be written.
    messages: Vec<Message<'a>>,
    parts: Vec<Translated>,
    lost: Vec<Loss>,
}

/// One payload: its messages, and the views that receive it.
struct Translated {
    /// The views that exist.
    views: ViewSet,
    /// The views that the frame names.
    named: ViewSet,
    messages: Range<usize>,
}

impl<'t, 'a> Translator<'t, 'a> {
    /// From frames in `dialect` to those of a writer, which has the same views.
    pub(super) fn new(dialect: Dialect, out: &'t mut FrameWriter, losses: &'t mut Losses) -> Self {
        let (read, messages, parts, lost) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { dialect, layout: out.layout(), out, losses, read, messages, parts, lost }
    }

    /// Writes all frames.
    pub(super) fn run(mut self, mut frames: Frames<'a>) -> Result<()> {
        for frame in frames.by_ref() {
            match frame {
                Ok(frame) => {
                    self.translate(&frame);
                    self.write(frame.time())?;
                }
                Err(_) => self.losses.note(Loss::CutFrame, None),
            }
        }
        self.out.idle_until(frames.time())
    }

    fn translate(&mut self, frame: &Frame<'a>) {
        self.messages.clear();
        self.parts.clear();
        let flags = match self.dialect.generation() {
            Generation::V01 => Flags::of(frame),
            Generation::Current => Flags::default(),
        };
        for part in frame.parts().filter(|part| !part.payload.is_empty()) {
            self.translate_part(&part, frame.time(), &flags);
        }
    }

    fn translate_part(&mut self, part: &Part<'a>, time: u64, flags: &Flags) {
        let views = part.views.and(self.layout.views());
        if views != part.views || views.is_empty() {
            self.losses.note(Loss::UnseenPayload, Some((time, part.views)));
        }
        if views.is_empty() {
            return;
        }
        self.read.clear();
        let mut messages = Messages::new(part.payload, part.offset, self.dialect);
        if messages.visit_dyn(&mut |message, _| self.read.push(message)).is_err() {
            self.lost.push(Loss::UnreadablePayload);
        }
        let start = self.messages.len();
        let (out, lost) = (&mut self.messages, &mut self.lost);
        let target = self.layout.generation();
        let mut each = MessageTranslator { target, views: part.views, flags, out, lost };
        for (index, message) in self.read.iter().enumerate() {
            each.translate(message, &self.read[index + 1..]);
        }
        for loss in self.lost.drain(..) {
            self.losses.note(loss, Some((time, part.views)));
        }
        let messages = start..self.messages.len();
        self.parts.push(Translated { views, named: part.views, messages });
    }

    /// Writes what was translated, straight into a frame where it fits there exactly.
    fn write(&mut self, time: u64) -> Result<()> {
        self.parts.retain(|part| !part.messages.is_empty());
        if self.parts.is_empty() || self.write_exactly(time).is_ok() {
            return Ok(());
        }
        self.write_carefully(time)
    }

    fn write_exactly(&mut self, time: u64) -> Result<()> {
        let delta = u32::try_from(time.saturating_sub(self.out.time())).unwrap_or(u32::MAX);
        let Self { messages, parts, .. } = self;
        let of = |part: &Translated| &messages[part.messages.clone()];
        let views = ViewSet::from_bits(parts.iter().fold(0, |all, part| all | part.views.bits()));
        let first = &parts[0];
        if parts.iter().skip(1).all(|part| of(part) == of(first)) {
            return self.out.homogenous_messages(delta, views, of(first));
        }
        // Only homogenous frames have a part with several views, and those have one part. The parts of others are in
        // ascending order.
        let mut payloads: [&[Message<'_>]; View::MAX as usize + 1] = Default::default();
        payloads.iter_mut().zip(parts.iter()).for_each(|(payload, part)| *payload = of(part));
        let payloads = &payloads[..parts.len().min(payloads.len())];
        self.out.heterogenous_messages(delta, views, payloads)
    }

    /// Writes one message at a time and notes what the target cannot express, as a moment that takes
    /// several frames if it must.
    fn write_carefully(&mut self, time: u64) -> Result<()> {
        let mut payloads = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let mut payload = Vec::new();
            let at = Some((time, part.named));
            for message in &self.messages[part.messages.clone()] {
                if let Some(loss) = put_message(message, self.layout, self.dialect, &mut payload) {
                    self.losses.note(loss, at);
                }
            }
            payloads.push((part.views, payload));
        }
        let views: Vec<(View, &[u8])> = payloads
            .iter()
            .flat_map(|(views, payload)| views.iter().map(move |view| (view, &payload[..])))
            .collect();
        let target = self.layout.generation().into();
        self.out.moment(time, &views, |payload, limit| whole_messages(payload, limit, target))
    }
}

/// Appends a message, and returns what is lost of it.
fn put_message(
    message: &Message<'_>,
    layout: FrameLayout,
    dialect: Dialect,
    payload: &mut Vec<u8>,
) -> Option<Loss> {
    let start = payload.len();
    let written = message.encode(layout.generation(), payload);
    let word = word(message, dialect.generation());
    match written {
        Ok(_) if payload.len() - start > layout.payload_limit() => {
            payload.truncate(start);
            Some(Loss::LongMessage(word))
        }
        Ok(Fit::Exact) => None,
        Ok(Fit::Rounded | Fit::Saturated) => Some(Loss::Duration(word)),
        Err(_) => Some(inexpressible(message, word)),
    }
}

/// What kind of loss it is that the target cannot write a message.
fn inexpressible(message: &Message<'_>, word: &'static str) -> Loss {
    match message {
        Message::Item { .. }
        | Message::Tile { .. }
        | Message::Player { update: PlayerUpdate::Vote { .. }, .. } => Loss::ReservedValue(word),
        Message::Player { .. } => Loss::PlayerUpdate(word),
        _ => Loss::Message(word),
    }
}

/// The word for the message, or for what happened to the player.
fn word(message: &Message<'_>, generation: Generation) -> &'static str {
    match message {
        Message::Player { update, .. } => update.word_in(generation),
        _ => message.word_in(generation),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Sample;

    /// The frames of a recording in the other generation, each written message by message.
    fn converted_carefully(layout: FrameLayout, frames: Frames<'_>, dialect: Dialect) -> Vec<u8> {
        let (mut out, mut losses) = (FrameWriter::new(layout), Losses::default());
        let mut translator = Translator::new(dialect, &mut out, &mut losses);
        for frame in frames {
            let frame = frame.unwrap();
            translator.translate(&frame);
            translator.parts.retain(|part| !part.messages.is_empty());
            translator.write_carefully(frame.time()).unwrap();
        }
        out.into_bytes()
    }

    #[test]
    fn writing_straight_into_frames_gives_the_same_bytes_as_writing_message_by_message() {
        for [source, target] in
            [[Generation::Current, Generation::V01], [Generation::V01, Generation::Current]]
        {
            let sample = Sample { moments: 300, ..Sample::default() };
            let (setup, bytes) = sample.build(source).unwrap();
            let layout = |generation| FrameLayout::new(generation, setup.max_view()).unwrap();
            let frames = || Frames::new(layout(source), &bytes);
            let careful = converted_carefully(layout(target), frames(), source.into());
            let (mut out, mut losses) = (FrameWriter::new(layout(target)), Losses::default());
            Translator::new(source.into(), &mut out, &mut losses).run(frames()).unwrap();
            assert_eq!(out.as_bytes(), careful);
        }
    }
}
