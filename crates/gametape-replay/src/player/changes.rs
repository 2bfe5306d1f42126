//! What the last tick before the position consists of.

use gametape_tape::{TapeFrame, TapeFrames};
use gametape_wire::{Tick, View};

use super::Player;
use super::track::Track;
use crate::timeline::Change;

/// One input, kept for who asks.
#[derive(Debug, Clone)]
pub(super) struct Changed {
    view: View,
    payload: Vec<u8>,
}

impl<T: Track> Player<T> {
    pub(super) fn changes_now(&self) -> Vec<Change<'_>> {
        let changes = self.changes.get_or_init(|| self.find_changes());
        changes.iter().map(|change| Change::of(change.view, &change.payload, None)).collect()
    }

    /// Looks into the chunks, which are there at the end of every seek.
    fn find_changes(&self) -> Vec<Changed> {
        let Some(tick) = self.tick.checked_sub(1) else { return Vec::new() };
        let mut changes = Vec::new();
        for chunk in self.input.chunks_at(Some(tick)) {
            // A chunk of millions of frames is not unpacked again for each of them.
            if let Some(frames) = self.input.unpacked_at(chunk, tick) {
                frames.for_each(|frame| self.add_changes(&frame, &mut changes));
                continue;
            }
            // What cannot be read is a finding of whoever plays it.
            let Some(Ok(raw)) = self.tape.raw(chunk) else { continue };
            let frames = TapeFrames::new(&chunk.header, &raw).map_while(Result::ok);
            for frame in frames.skip_while(|frame| frame.tick < Tick(tick)) {
                if frame.tick > Tick(tick) {
                    break;
                }
                self.add_changes(&frame, &mut changes);
            }
        }
        changes
    }

    /// What a frame has for the views of the track.
    fn add_changes(&self, frame: &TapeFrame<'_>, changes: &mut Vec<Changed>) {
        let views = self.track.views();
        for part in frame.parts() {
            let ours = part.views.and(views).iter();
            changes.extend(ours.map(|view| Changed { view, payload: part.payload.to_vec() }));
        }
    }
}
