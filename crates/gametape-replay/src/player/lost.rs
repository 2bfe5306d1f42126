//! Which input of a tape is lost.

use std::ops::Range;

use gametape_tape::{Gap, SimTick};
use gametape_wire::ViewSet;

use super::track::Track;
use crate::source::{Recording, concerns};
use gametape_wire::Source;

/// The ticks whose input is known to be lost.
pub(super) fn lost_input<S: Source, T: Track>(
    recording: &Recording<S>,
    views: ViewSet,
) -> Vec<Range<SimTick>> {
    let told = recording.gaps().iter().filter(|gap| concerns(gap, T::INPUT));
    let ours = told.filter(|gap| !gap.views.and(views).is_empty());
    let ticks = |gap: &Gap| gap.first_tick..gap.first_tick + u64::from(gap.tick_count.max(1));
    let mut lost: Vec<Range<SimTick>> = ours.map(ticks).collect();
    lost.extend(unwritten_input::<S, T>(recording));
    lost
}

/// Of a tape that was never finished: the ticks whose input may not have been written any more.
///
/// Before a keyframe everything is written, and before the end of a chunk everything of its stream.
fn unwritten_input<S: Source, T: Track>(recording: &Recording<S>) -> Option<Range<SimTick>> {
    let tape = recording.tape();
    if tape.is_finished() {
        return None;
    }
    let input = tape.stream(T::INPUT, 0).map(|chunk| chunk.header.end_tick()).max();
    let keyframe = tape.keyframes.entries().last().map(|keyframe| keyframe.tick);
    let written = input.max(keyframe).unwrap_or(0);
    (written < tape.summary.end_tick).then_some(written..tape.summary.end_tick)
}
