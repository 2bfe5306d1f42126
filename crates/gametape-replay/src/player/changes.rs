//! What the last tick before the position consists of.

use gametape_tape::TapeFrames;
use gametape_wire::View;

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
        let views = self.track.views();
        let mut changes = Vec::new();
        for chunk in self.input.chunks_at(Some(tick)) {
            // What cannot be read is a finding of whoever plays it.
            let Some(Ok(raw)) = self.tape.raw(chunk) else { continue };
            let frames = TapeFrames::new(&chunk.header, &raw).map_while(Result::ok);
            for frame in frames.skip_while(|frame| frame.tick < tick) {
                if frame.tick > tick {
                    break;
                }
                let parts = frame.parts();
                changes.extend(parts.flat_map(|part| {
                    let payload = part.payload;
                    let ours = part.views.and(views).iter();
                    ours.map(|view| Changed { view, payload: payload.to_vec() }).collect::<Vec<_>>()
                }));
            }
        }
        changes
    }
}
