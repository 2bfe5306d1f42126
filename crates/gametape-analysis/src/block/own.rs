//! The events that belong to a player: what a tape keeps that is cut to that player's view.

use gametape_tape::{Chunk, ChunkDraft, EventFilter};
use gametape_wire::{Result, View, ViewSet};

use crate::block::read::Events;
use crate::block::write::EventWriter;
use crate::event::table::AnalysisEvent;

/// Keeps the events of the players that a tape is cut to, by `spec/tape-contents.md`, section 8.
///
/// A block that cannot be read is left out as a whole: nobody knows whose events are in it.
#[derive(Debug, Default)]
pub struct OwnEvents {
    kept: EventWriter,
}

impl OwnEvents {
    /// A filter that kept nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl EventFilter for OwnEvents {
    fn chunk(&mut self, chunk: &Chunk<'_>, views: ViewSet) -> Result<u32> {
        let raw = chunk.raw()?;
        let read = Events::new(&raw, chunk.payload_offset())
            .and_then(Iterator::collect::<Result<Vec<AnalysisEvent>>>);
        let Ok(events) = read else { return Ok(0) };
        let mut count = 0;
        for event in events.iter().filter(|event| is_own(event, views)) {
            self.kept.push(event)?;
            count += 1;
        }
        Ok(count)
    }

    fn finish(&mut self) -> Result<Vec<(ChunkDraft, Vec<u8>)>> {
        let blocks = self.kept.flush()?;
        Ok(blocks.into_iter().map(|block| (block.draft(), block.bytes)).collect())
    }
}

/// Is it about one of these players alone, or about something that everybody sees?
fn is_own(event: &AnalysisEvent, views: ViewSet) -> bool {
    let is_theirs = |player: u8| View::new(player).is_some_and(|view| views.contains(view));
    match event {
        AnalysisEvent::PlayerStatSnapshot { player, .. }
        | AnalysisEvent::ResourceCollected { player, .. }
        | AnalysisEvent::UpgradeCompleted { player, .. }
        | AnalysisEvent::CameraPositionSample { player, .. }
        | AnalysisEvent::SelectionChanged { player, .. }
        | AnalysisEvent::ControlGroupEvent { player, .. }
        | AnalysisEvent::AbilityUsed { player, .. } => is_theirs(*player),
        AnalysisEvent::PauseEvent { .. } | AnalysisEvent::MatchEnded { .. } => true,
        _ => false,
    }
}
