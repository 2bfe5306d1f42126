//! The events of each view, in windows of ticks: where the events of all end a block says nothing about
//! others. Normative: `spec/live.md`, section 9.

use std::collections::BTreeMap;

use gametape_analysis::{AnalysisEvent, EventWriter, Events, is_own};
use gametape_tape::{Chunk, ChunkDraft};
use gametape_wire::{Result, Tick, View, ViewSet};

/// Events that wait for their window to be complete.
#[derive(Debug)]
pub(crate) struct Windows {
    ticks: u64,
    waiting: BTreeMap<u16, Vec<(AnalysisEvent, ViewSet)>>,
}

/// The events of one window of a stream: each with who may know it.
pub(crate) struct Window {
    pub(crate) last_tick: Tick,
    events: Vec<(AnalysisEvent, ViewSet)>,
}

impl Window {
    /// What a view may know of it, as chunks with their raw bytes.
    pub(crate) fn of(&self, view: View) -> Result<Vec<(ChunkDraft, Vec<u8>)>> {
        let own = ViewSet::EMPTY.with(view);
        let mut writer = EventWriter::new();
        for (event, views) in &self.events {
            if views.contains(view) || (views.is_empty() && is_own(event, own)) {
                writer.push(event)?;
            }
        }
        Ok(writer.flush()?.into_iter().map(|block| (block.draft(), block.bytes)).collect())
    }
}

impl Windows {
    pub(crate) fn new(ticks: u64) -> Self {
        Self { ticks: ticks.max(1), waiting: BTreeMap::new() }
    }

    /// Takes a chunk of events; gives the windows that are complete now. What cannot be read is left out.
    pub(crate) fn chunk(&mut self, chunk: &Chunk<'_>) -> Result<Vec<Window>> {
        let header = &chunk.header;
        let complete = header.first_tick.0 / self.ticks * self.ticks;
        let raw = chunk.raw()?;
        let read = Events::new(&raw, chunk.payload_offset())
            .and_then(Iterator::collect::<Result<Vec<AnalysisEvent>>>);
        let waiting = self.waiting.entry(header.stream).or_default();
        // What is for some views alone is theirs, whatever it is about.
        let views = header.views;
        waiting.extend(read.unwrap_or_default().into_iter().map(|event| (event, views)));
        let ready: Vec<(AnalysisEvent, ViewSet)> =
            waiting.extract_if(.., |(event, _)| event.tick().0 < complete).collect();
        Ok(self.windows(ready))
    }

    /// All that is left, at the end.
    pub(crate) fn finish(&mut self) -> Vec<Window> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_values().flat_map(|events| self.windows(events)).collect()
    }

    fn windows(&self, events: Vec<(AnalysisEvent, ViewSet)>) -> Vec<Window> {
        let mut windows: BTreeMap<u64, Window> = BTreeMap::new();
        for (event, views) in events {
            let number = event.tick().0 / self.ticks;
            let last_tick = Tick(number.saturating_add(1).saturating_mul(self.ticks) - 1);
            let window = Window { last_tick, events: Vec::new() };
            windows.entry(number).or_insert(window).events.push((event, views));
        }
        windows.into_values().collect()
    }
}
