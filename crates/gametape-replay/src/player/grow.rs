//! A tape that grows while it is played.

use gametape_tape::ChunkKind;
use gametape_wire::Result;

use super::Player;
use super::lost::lost_input;
use super::track::Track;
use crate::timeline::Marker;

impl<T: Track> Player<T> {
    /// Says that the tape is still being recorded. The [end](crate::Timeline::end) is then where all
    /// input is sure to be written, and it moves with [`extend`](Self::extend).
    pub fn follow(&mut self) -> Result<()> {
        self.tape.follow()?;
        self.find_end();
        Ok(())
    }

    /// Adds bytes of the tape, which [follow](crate::OpenTape::end) the last whole chunk or those that
    /// were added before, in pieces of any size. Nothing that was computed is thrown away.
    ///
    /// Bytes that are no chunk are refused, with all after them.
    pub fn extend(&mut self, bytes: &[u8]) -> Result<()> {
        let Self { tape, input, keyframes, track, markers, .. } = self;
        let mut has_gaps = false;
        let grown = tape.grow(bytes, |tape, chunk| {
            let header = &chunk.header;
            let is_last = tape.tape().last_of(header.kind, header.stream) == Some(chunk);
            if (header.kind, header.stream) == (track.input_kind(), 0) && is_last {
                input.add(chunk);
            }
            if header.kind.is_keyframe() && keyframes.add_last(tape.tape(), track) {
                markers.push(Marker::keyframe(header.first_tick.0));
            }
            has_gaps |= header.kind == ChunkKind::GAP;
            Ok(())
        });
        if has_gaps || !self.tape.is_growing() {
            self.find_end();
        } else {
            self.end = lost_input(&self.tape, &self.track).1;
        }
        grown
    }

    /// Says that nothing more comes: play goes on to the last tick, with input that may be lost.
    pub fn close(&mut self) {
        self.tape.close();
        self.find_end();
    }
}
