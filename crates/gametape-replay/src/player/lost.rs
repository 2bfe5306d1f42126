//! Which input of a tape is lost, and where play ends.

use std::ops::Range;

use gametape_tape::{ChunkKind, Gap};

use super::track::Track;
use crate::source::{OpenTape, concerns};

/// The ticks whose input is known to be lost, and the tick before which play ends.
///
/// A tape that grows ends where all input is sure to be written. One that was never finished goes on to
/// its last tick, with input that may not have been written any more.
pub(super) fn lost_input(tape: &OpenTape, track: &impl Track) -> (Vec<Range<u64>>, u64) {
    let (input, views) = (track.input_kind(), track.views());
    let declared = tape.gaps().iter().filter(|gap| concerns(gap, input));
    let ours = declared.filter(|gap| !gap.views.and(views).is_empty());
    let mut lost: Vec<Range<u64>> =
        ours.map(Gap::ticks).map(|lost| lost.start.0..lost.end.0).collect();
    let (end, written) = (tape.tape().summary.end_tick, written(tape, input));
    if tape.is_growing() {
        return (lost, written.min(end.0));
    }
    lost.extend(Some(written..end.0).filter(|unwritten| !unwritten.is_empty()));
    (lost, end.0)
}

/// The tick before which all input is sure to be written.
///
/// Before a keyframe everything is written, and before the end of a chunk everything of its stream.
fn written(tape: &OpenTape, input: ChunkKind) -> u64 {
    let tape = tape.tape();
    if tape.is_finished() {
        return tape.summary.end_tick.0;
    }
    let input = tape.last_of(input, 0).map_or(0, |chunk| chunk.header.end_tick().0);
    let keyframe = tape.keyframes.entries().last().map_or(0, |keyframe| keyframe.tick.0);
    input.max(keyframe)
}
