//! Makes a tape of what was received. Normative: `spec/live.md`, section 8.

use std::collections::BTreeMap;

use gametape_analysis::{AnalysisEvent, EventWriter, Events, is_own};
use gametape_replay::derived_header;
use gametape_replay::metadata::joined_closing;
use gametape_tape::{ChunkKind, Gap, GapCause, TapeHeader, TapeWriter};
use gametape_wire::{Result, Tick, View, ViewSet};

use crate::message::{Body, Data, Shared};
use crate::receiver::TickContent;

/// Events that are kept to the end at most; then the older half of them is written.
const MOST_EVENTS: usize = 1 << 18;

/// The header of a spectator's tape of some views: it follows from the source's.
pub(crate) fn header_of(source: &TapeHeader, views: ViewSet) -> Result<TapeHeader> {
    derived_header(&[*source], &format!("live {views}"))
}

/// What is lost of a view, and not in the tape yet.
#[derive(Debug, Clone, Copy)]
struct Lost {
    first: Tick,
    last: Tick,
    count: u64,
    /// Is it something that was left out? Then the next keyframe is soon enough to say so.
    left_out: bool,
}

/// Makes a tape of what some views receive.
#[derive(Debug)]
pub(crate) struct Assembler {
    writer: TapeWriter,
    views: ViewSet,
    /// The last keyframe of each stream.
    keyframes: BTreeMap<u16, Tick>,
    lost: BTreeMap<(View, bool), Lost>,
    events: Vec<AnalysisEvent>,
    /// Events before this tick are written.
    events_until: Tick,
    closings: Vec<String>,
}

impl Assembler {
    pub(crate) fn new(source: &TapeHeader, metadata: &str, views: ViewSet) -> Result<Self> {
        let header = header_of(source, views)?;
        Ok(Self {
            writer: TapeWriter::new(header, metadata.as_bytes())?,
            views,
            keyframes: BTreeMap::new(),
            lost: BTreeMap::new(),
            events: Vec::new(),
            events_until: Tick::ZERO,
            closings: Vec::new(),
        })
    }

    /// A view begins at a tick, after these chunks.
    pub(crate) fn begin(&mut self, starts: &[(View, Tick, Vec<Shared>)]) -> Result<()> {
        for (view, tick, _) in starts {
            let tick_count = u32::try_from(tick.0).unwrap_or(u32::MAX);
            if tick_count > 0 {
                let gap = Gap::new(GapCause::CUT, ChunkKind(0))
                    .with_views(ViewSet::EMPTY.with(*view))
                    .with_ticks(Tick::ZERO, tick_count);
                self.writer.gap(&gap)?;
            }
        }
        let chunks = starts.iter().map(|(view, _, chunks)| (*view, &chunks[..]));
        self.chunks(&chunks.collect::<Vec<_>>())
    }

    /// Everything of a tick.
    pub(crate) fn tick(&mut self, tick: Tick, contents: &[(View, TickContent)]) -> Result<()> {
        let chunks = contents.iter().map(|(view, content)| (*view, &content.chunks[..]));
        self.chunks(&chunks.collect::<Vec<_>>())?;
        let mut frames: BTreeMap<u32, Vec<(View, Vec<u8>)>> = BTreeMap::new();
        for (view, content) in contents {
            for (index, payload) in content.payloads() {
                frames.entry(index).or_default().push((*view, payload));
            }
        }
        for parts in frames.values() {
            let parts: Vec<(View, &[u8])> =
                parts.iter().map(|(view, payload)| (*view, &payload[..])).collect();
            self.writer.frame(0, tick, &parts)?;
        }
        Ok(())
    }

    /// Chunks of several views: what they have in common is written once.
    fn chunks(&mut self, lists: &[(View, &[Shared])]) -> Result<()> {
        let mut merged: Vec<(ViewSet, Data<'_>)> = Vec::new();
        for (view, list) in lists {
            for bytes in *list {
                let Some(data) = Data::read(bytes)? else { continue };
                let same = merged
                    .iter_mut()
                    .find(|(views, other)| !views.contains(*view) && is_same(other, &data));
                match same {
                    Some((views, _)) => *views = views.with(*view),
                    None => merged.push((ViewSet::EMPTY.with(*view), data)),
                }
            }
        }
        merged.iter().try_for_each(|(views, data)| self.chunk(*views, data))
    }

    fn chunk(&mut self, views: ViewSet, data: &Data<'_>) -> Result<()> {
        let Body::Chunk(chunk, first) = &data.body else { return Ok(()) };
        let header = &chunk.header;
        if first.is_some() {
            let last = self.keyframes.get(&header.stream);
            let tick = header.first_tick;
            if last.is_some_and(|last| tick <= *last) {
                return Ok(());
            }
            self.keyframes.insert(header.stream, tick);
            self.put_lost(|_| true)?;
        }
        if header.kind == ChunkKind::METADATA {
            self.closings.push(String::from_utf8_lossy(&chunk.raw()?).into_owned());
            return Ok(());
        }
        let views = if header.views == ViewSet::ALL { ViewSet::ALL } else { views };
        self.writer.copy(chunk, views)
    }

    /// Names what is lost of a view.
    pub(crate) fn lose(&mut self, view: View, first: Tick, last: Tick, count: u64, left_out: bool) {
        let fresh = Lost { first, last, count: 0, left_out };
        let lost = self.lost.entry((view, left_out)).or_insert(fresh);
        lost.first = lost.first.min(first);
        lost.last = lost.last.max(last);
        lost.count = lost.count.saturating_add(count);
    }

    fn put_lost(&mut self, is_due: impl Fn(&Lost) -> bool) -> Result<()> {
        let due: Vec<(View, bool)> =
            self.lost.iter().filter(|(_, lost)| is_due(lost)).map(|(key, _)| *key).collect();
        for key in due {
            let (view, _) = key;
            let Some(lost) = self.lost.remove(&key) else { continue };
            let ticks = u32::try_from((lost.last + 1).since(lost.first)).unwrap_or(u32::MAX);
            let gap = Gap::new(GapCause::DAMAGE, ChunkKind::FRAMES)
                .with_views(ViewSet::EMPTY.with(view))
                .with_size(u32::try_from(lost.count).unwrap_or(u32::MAX), 0)
                .with_ticks(lost.first, ticks);
            self.writer.gap(&gap)?;
        }
        Ok(())
    }

    /// A message with events of a view.
    pub(crate) fn events(&mut self, bytes: &Shared) -> Result<()> {
        let Some(data) = Data::read(bytes)? else { return Ok(()) };
        let Body::Chunk(chunk, _) = &data.body else { return Ok(()) };
        let raw = chunk.raw()?;
        for event in Events::new(&raw, chunk.payload_offset())? {
            let event = event?;
            // What everybody sees comes with every view.
            let is_first = ViewSet::EMPTY.with(data.view) == self.views.lowest();
            // One that comes after later ones were written cannot be put in its place any more.
            let is_in_time = event.tick() >= self.events_until;
            if is_in_time && (is_first || !is_own(&event, ViewSet::EMPTY)) {
                self.events.push(event);
            }
        }
        if self.events.len() > MOST_EVENTS {
            self.events.sort_by_key(AnalysisEvent::tick);
            let (first, last) = (self.events[0].tick(), self.events[MOST_EVENTS].tick());
            let middle = self.events[MOST_EVENTS / 2].tick();
            self.put_events(if middle > first { middle } else { last + 1 })?;
        }
        Ok(())
    }

    /// Writes the events before a tick.
    fn put_events(&mut self, until: Tick) -> Result<()> {
        self.events_until = until;
        self.events.sort_by_key(AnalysisEvent::tick);
        let count = self.events.partition_point(|event| event.tick() < until);
        let mut writer = EventWriter::new();
        self.events.drain(..count).try_for_each(|event| writer.push(&event))?;
        self.writer.flush()?;
        for block in writer.flush()? {
            self.writer.chunk(&block.draft().with_views(self.views), &block.bytes)?;
        }
        Ok(())
    }

    /// Makes chunks of everything, and gives the bytes that are to be appended to the tape.
    pub(crate) fn flush(&mut self) -> Result<Vec<u8>> {
        self.put_lost(|lost| !lost.left_out)?;
        self.writer.flush()?;
        Ok(self.writer.take())
    }

    /// Ends the tape.
    pub(crate) fn finish(mut self) -> Result<Vec<u8>> {
        self.put_lost(|_| true)?;
        if let Some(closing) = joined_closing(&self.closings) {
            self.writer.closing_metadata(closing.as_bytes())?;
        }
        self.put_events(Tick::MAX)?;
        let mut bytes = self.writer.take();
        bytes.extend(self.writer.finish()?);
        Ok(bytes)
    }
}

/// Do two views get the same chunk?
fn is_same(one: &Data<'_>, other: &Data<'_>) -> bool {
    let (Body::Chunk(one, None), Body::Chunk(other, None)) = (&one.body, &other.body) else {
        return false;
    };
    let what = |header: &gametape_tape::ChunkHeader| {
        (header.kind, header.stream, header.first_tick, header.tick_count, header.codec)
    };
    one.header.kind != ChunkKind::METADATA
        && what(&one.header) == what(&other.header)
        && one.stored == other.stored
}
