//! The events of a cut: those that belong to a player, and those of some ticks.

use std::ops::Range;

use gametape_tape::{Chunk, ChunkDraft, EventFilter};
use gametape_wire::{Result, Tick, View, ViewSet};

use crate::block::read::{Events, LastOfKinds, RawEvents};
use crate::block::write::EventWriter;
use crate::event::table::{AnalysisEvent, EventKind};

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
    fn chunk(&mut self, chunk: &Chunk<'_>, views: ViewSet, ticks: &Range<Tick>) -> Result<u32> {
        let raw = chunk.raw()?;
        let read = Events::new(&raw, chunk.payload_offset())
            .and_then(Iterator::collect::<Result<Vec<AnalysisEvent>>>);
        let Ok(events) = read else { return Ok(0) };
        let mut count = 0;
        let is_kept =
            |event: &&AnalysisEvent| is_own(event, views) && ticks.contains(&event.tick());
        for event in events.iter().filter(is_kept) {
            self.kept.push(event)?;
            count += 1;
        }
        Ok(count)
    }

    fn within(
        &mut self,
        chunk: &Chunk<'_>,
        ticks: &Range<Tick>,
    ) -> Result<Vec<(ChunkDraft, Vec<u8>)>> {
        let raw = chunk.raw()?;
        let kept = events_within(&raw, chunk.payload_offset(), ticks);
        let Ok(mut kept) = kept else { return Ok(Vec::new()) };
        Ok(kept.flush()?.into_iter().map(|block| (block.draft(), block.bytes)).collect())
    }

    fn finish(&mut self) -> Result<Vec<(ChunkDraft, Vec<u8>)>> {
        let blocks = self.kept.flush()?;
        Ok(blocks.into_iter().map(|block| (block.draft(), block.bytes)).collect())
    }
}

/// The events of a block at some ticks, encoded again: tags and positions are differences to events
/// before them. Events of kinds that nobody knows are left out for that reason.
fn events_within(block: &[u8], offset: u64, ticks: &Range<Tick>) -> Result<EventWriter> {
    let mut kept = EventWriter::new();
    let mut last = LastOfKinds::NEW;
    for event in RawEvents::new(block, offset)? {
        let raw = event?;
        let is_within = ticks.contains(&raw.tick);
        match EventKind::from_number(raw.kind) {
            Some(kind) => {
                let event = last.read(kind, &raw)?;
                if is_within {
                    kept.push(&event)?;
                }
            }
            None if is_within && raw.kind > EventKind::FIRST_OWN => {
                kept.push_own(raw.tick, raw.kind, raw.body)?;
            }
            None => {}
        }
    }
    Ok(kept)
}

/// Is it about one of these players alone, or about something that everybody sees? What a view may know of the events of
/// a match (`spec/tape-contents.md`, section 8).
#[must_use]
pub fn is_own(event: &AnalysisEvent, views: ViewSet) -> bool {
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
