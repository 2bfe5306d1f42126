//! Where players look: `CameraPositionSample` of `spec/events.md`.

use std::ops::Range;

use gametape_analysis::{
    AnalysisEvent, EventKind, EventStream, KindSet, TapeEvents, WorldPos, is_own,
};
use gametape_tape::ChunkKind;
use gametape_wire::{Result, Source, Tick, View};

use super::Stage;
use crate::model::Position;

/// Where a player looked at a tick.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct CameraSample {
    /// When.
    pub tick: Tick,
    /// Who.
    pub player: u8,
    /// Where, in tiles.
    pub at: Position,
}

impl<S: Source> Stage<S> {
    /// The players whose cameras the views that are seen may know; none where the recording has no such samples.
    #[must_use]
    pub fn camera_players(&mut self) -> Vec<u8> {
        let (seen, views) = (self.seen(), self.views());
        let reported = EventStream::Reported as u16;
        let Some((tape, _)) = self.tape() else { return Vec::new() };
        if tape.stream(ChunkKind::EVENTS, reported).next().is_none() {
            return Vec::new();
        }
        let all = if seen.contains(View::SPECTATOR) { views } else { seen };
        all.iter().filter(|view| *view != View::SPECTATOR).map(View::number).collect()
    }

    /// Where players looked in some ticks, as far as the views that are seen may know, ascending.
    pub fn camera_samples(&mut self, ticks: Range<Tick>) -> Result<Vec<CameraSample>> {
        let seen = self.seen();
        let Some((tape, source)) = self.tape() else { return Ok(Vec::new()) };
        let kinds = KindSet::EMPTY.with(EventKind::CameraPositionSample);
        let mut samples = Vec::new();
        for event in TapeEvents::new(tape, kinds, ticks, source) {
            let event = event?;
            let AnalysisEvent::CameraPositionSample { tick, player, viewport_center, .. } = event
            else {
                continue;
            };
            if seen.contains(View::SPECTATOR) || is_own(&event, seen) {
                let cell = |at: i32| at as f32 / WorldPos::PER_CELL as f32;
                let at = Position { x: cell(viewport_center.x), y: cell(viewport_center.y) };
                samples.push(CameraSample { tick, player, at });
            }
        }
        Ok(samples)
    }
}
