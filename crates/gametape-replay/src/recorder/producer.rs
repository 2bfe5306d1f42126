//! The game's side of a recorder: checks what is given, and puts it into the queue.

use gametape_tape::limits::{CHUNK_BYTES, EVENTS_BYTES, METADATA_BYTES, NAME_BYTES, STRINGS, TICK};
use gametape_tape::{Cadence, ChunkEntry, ChunkKind, SimSnapshot, check_metadata};
use gametape_wire::{Error, Limit, Place, Result, Tick, View, ViewSet};

use super::EventBlock;
use super::counters::Counters;
use super::item::Item;
use super::options::RecorderOptions;
use super::queue::{Queue, Segment};
use crate::streams;

/// How a game ended its recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// The match is over.
    Finished,
    /// The recorder was dropped.
    Abandoned,
}

/// Room that a frame's lengths and mask may take in its chunk.
const FRAME_HEAD: u64 = 256;

/// Everything that game and writer share.
#[derive(Debug)]
pub(super) struct Producer {
    pub(super) queue: Queue,
    cadence: Cadence,
    /// The streams used so far.
    lanes: Vec<Lane>,
    next_name: u32,
    /// What the writer said last.
    progress: Counters,
    has_unreported_failure: bool,
    pub(super) ending: Option<Ending>,
    /// Does the writer sleep, with nothing to write?
    pub(super) is_writer_idle: bool,
    /// Was it woken since it last looked?
    pub(super) is_woken: bool,
    /// Has the writer ended?
    pub(super) is_done: bool,
    pub(super) is_finished: bool,
    /// Does somebody publish it, and want every tick when it is over?
    pub(super) is_live: bool,
}

/// How far a stream of one kind has come.
#[derive(Debug)]
struct Lane {
    kind: ChunkKind,
    stream: u16,
    /// Nothing before this tick.
    from: u64,
    /// When a keyframe is due.
    due: u64,
}

impl Producer {
    pub(super) fn new(options: &RecorderOptions, chunks: &[ChunkEntry], next_name: u32) -> Self {
        let mut producer = Self {
            queue: Queue::new(options),
            cadence: options.cadence,
            lanes: Vec::new(),
            next_name,
            progress: Counters::default(),
            has_unreported_failure: false,
            ending: None,
            is_writer_idle: false,
            is_woken: false,
            is_done: false,
            is_finished: false,
            is_live: false,
        };
        for chunk in chunks {
            let header = &chunk.header;
            let after = u64::from(header.kind.is_keyframe());
            let lane = producer.lane(header.kind, header.stream);
            lane.from = lane.from.max((header.last_tick() + after).0);
        }
        producer
    }

    /// How far a stream has come. Full and delta keyframes are one run.
    fn lane(&mut self, kind: ChunkKind, stream: u16) -> &mut Lane {
        let kind = if kind.is_keyframe() { ChunkKind::FULL_KEYFRAME } else { kind };
        let index = self.lanes.iter().position(|lane| (lane.kind, lane.stream) == (kind, stream));
        let index = index.unwrap_or_else(|| {
            self.lanes.push(Lane { kind, stream, from: 0, due: 0 });
            self.lanes.len() - 1
        });
        &mut self.lanes[index]
    }

    /// The stream, if it may go on at `tick`.
    fn lane_at(&mut self, kind: ChunkKind, stream: u16, tick: u64) -> Result<&mut Lane> {
        let lane = self.lane(kind, stream);
        if tick >= lane.from {
            return Ok(lane);
        }
        let problem = format!("tick {tick} is before tick {}, which is possible next", lane.from);
        Err(Error::misuse(kind.to_string(), problem))
    }

    pub(super) fn framed<'a>(
        &mut self,
        (kind, stream): (ChunkKind, u16),
        tick: u64,
        parts: impl ExactSizeIterator<Item = (ViewSet, &'a [u8])> + Clone,
    ) -> Result<()> {
        let bytes: usize = parts.clone().map(|(_, payload)| payload.len()).sum();
        check(CHUNK_BYTES, bytes as u64 + FRAME_HEAD)?;
        check(TICK, tick.saturating_add(1))?;
        check_views(parts.clone().map(|(views, _)| views))?;
        self.lane_at(kind, stream, tick)?.from = tick;
        if self.progress.has_stopped {
            self.queue.discard(bytes);
            return Ok(());
        }
        let pushed = self.queue.push_framed((kind, stream), tick, parts);
        self.note(pushed);
        Ok(())
    }

    pub(super) fn is_keyframe_due(&mut self, stream: u16, tick: u64) -> bool {
        let has_stopped = self.progress.has_stopped;
        let lane = self.lane(ChunkKind::FULL_KEYFRAME, stream);
        !has_stopped && tick >= lane.due.max(lane.from)
    }

    pub(super) fn keyframe(&mut self, view: Option<View>, snapshot: SimSnapshot) -> Result<()> {
        let (Tick(tick), cadence) = (snapshot.core.tick, self.cadence);
        check(TICK, tick.saturating_add(1))?;
        let stream = view.map_or(streams::SIMULATION, streams::keyframes_of);
        let lane = self.lane_at(ChunkKind::FULL_KEYFRAME, stream, tick)?;
        (lane.from, lane.due) = (tick + 1, cadence.next_after(Tick(tick)).0);
        let views = view.map_or(ViewSet::EMPTY, |view| ViewSet::EMPTY.with(view));
        self.push(Item::Keyframe { stream, views, snapshot: Box::new(snapshot) });
        Ok(())
    }

    pub(super) fn events(&mut self, block: EventBlock) -> Result<()> {
        let EventBlock { stream, first_tick: Tick(first_tick), last_tick, count, bytes: raw } =
            block;
        let last_tick = last_tick.0;
        check(TICK, last_tick.saturating_add(1))?;
        check(EVENTS_BYTES, raw.len() as u64)?;
        let ticks = last_tick.checked_sub(first_tick).and_then(|n| u32::try_from(n + 1).ok());
        let Some(tick_count) = ticks else {
            return Err(Error::misuse("events", "they end before they begin, or are too long"));
        };
        self.lane_at(ChunkKind::EVENTS, stream, first_tick)?.from = first_tick;
        self.push(Item::Events { stream, first_tick, tick_count, count, raw });
        Ok(())
    }

    pub(super) fn setup(&mut self, stream: u16, views: ViewSet, raw: Vec<u8>) -> Result<()> {
        check(CHUNK_BYTES, raw.len() as u64)?;
        self.push(Item::Setup { stream, views, raw });
        Ok(())
    }

    /// The id of the first of these names.
    pub(super) fn names(&mut self, names: Vec<String>) -> Result<u32> {
        let bytes: usize = names.iter().map(|name| name.len() + 10).sum();
        check(CHUNK_BYTES, bytes as u64 + 20)?;
        check(STRINGS, u64::from(self.next_name) + names.len() as u64)?;
        names.iter().try_for_each(|name| check(NAME_BYTES, name.len() as u64).map(drop))?;
        let first = self.next_name;
        if !names.is_empty() {
            self.next_name += names.len() as u32;
            self.push(Item::Names(names));
        }
        Ok(first)
    }

    pub(super) fn resource(&mut self, name: &str, views: ViewSet, content: Vec<u8>) -> Result<()> {
        check(CHUNK_BYTES, (name.len() + content.len()) as u64 + 10)?;
        self.push(Item::Resource { name: name.to_owned(), views, content });
        Ok(())
    }

    pub(super) fn closing(&mut self, metadata: &[u8]) -> Result<()> {
        check(METADATA_BYTES, metadata.len() as u64)?;
        check_metadata(metadata, 0).map_err(|error| error.with_place(Place::Nowhere))?;
        self.push(Item::Closing(metadata.to_vec()));
        Ok(())
    }

    pub(super) fn end_tick(&mut self, tick: u64) {
        if !self.progress.has_stopped {
            self.queue.end_tick(tick);
        }
    }

    pub(super) fn push(&mut self, item: Item) {
        if self.progress.has_stopped {
            return self.queue.discard(item.memory());
        }
        let pushed = self.queue.push(item);
        self.note(pushed);
    }

    /// Remembers a failure, to be reported once.
    pub(super) fn note(&mut self, outcome: Result<()>) {
        if let Err(failure) = outcome {
            self.progress.failure = Some(failure);
            self.has_unreported_failure = true;
        }
    }

    /// The writer ended. After a failure everything is lost from here on. Gives back what nobody
    /// will write.
    pub(super) fn stop(&mut self, failure: Option<Error>) -> Vec<Segment> {
        self.is_done = true;
        if let Some(failure) = failure {
            self.progress.has_stopped = true;
            self.note(Err(failure));
        }
        self.queue.clear()
    }

    /// The failure, the first time that somebody asks.
    pub(super) fn take_failure(&mut self) -> Option<Error> {
        let is_new = std::mem::take(&mut self.has_unreported_failure);
        self.progress.failure.clone().filter(|_| is_new)
    }

    /// What the writer is done with.
    pub(super) fn release(&mut self, segments: &mut Vec<Segment>) {
        if self.queue.release(segments) {
            // After a hole, play can start again at the next keyframe.
            self.lanes.iter_mut().for_each(|lane| lane.due = 0);
        }
    }

    /// Keeps what the writer says about itself.
    pub(super) fn update(&mut self, update: impl FnOnce(&mut Counters)) {
        update(&mut self.progress);
    }

    pub(super) fn counters(&self) -> Counters {
        Counters {
            shed: self.queue.shed,
            lost: self.queue.lost,
            queued_bytes: self.queue.held() as u64,
            ..self.progress.clone()
        }
    }
}

fn check(limit: Limit, value: u64) -> Result<()> {
    limit.check(value, 0).map(drop).map_err(|error| error.with_place(Place::Nowhere))
}

/// Is there somebody, and nobody twice?
fn check_views(parts: impl Iterator<Item = ViewSet>) -> Result<()> {
    let mut seen = ViewSet::EMPTY;
    for views in parts {
        if views.is_empty() || !seen.and(views).is_empty() {
            let problem = "each part needs a view, and no view may have two";
            return Err(Error::misuse("frame", problem));
        }
        seen = seen.or(views);
    }
    match seen.is_empty() {
        true => Err(Error::misuse("frame", "nobody receives it")),
        false => Ok(()),
    }
}
