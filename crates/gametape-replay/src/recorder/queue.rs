//! The bounded queue between game and writer: what waits, and what is shed when too much waits.

use gametape_tape::ChunkKind;
use gametape_wire::{Error, ErrorKind, Place, Result, ViewSet};

use super::counters::{Count, Shed};
use super::item::{Class, Item, Loss};
use super::options::RecorderOptions;
use crate::streams;

/// Bytes of payloads in one segment. *Why segments:* a single buffer would be copied when it grows,
/// on the game's thread.
const SEGMENT_BYTES: usize = 64 << 10;
const SEGMENT_ITEMS: usize = 1024;
/// Emptied segments that are kept for reuse.
const SPARE_SEGMENTS: usize = 16;

/// A run of items, with the payloads of its frames and orders.
#[derive(Debug, Default)]
pub(super) struct Segment {
    pub(super) items: Vec<Item>,
    /// Of all framed items, one after the other; and their payloads likewise.
    pub(super) parts: Vec<Part>,
    pub(super) bytes: Vec<u8>,
}

/// A payload and who receives it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) views: ViewSet,
    pub(super) length: usize,
}

impl Segment {
    /// Empties it, and says whether its memory is worth keeping.
    pub(super) fn reset(&mut self) -> bool {
        self.items.clear();
        self.parts.clear();
        self.bytes.clear();
        self.bytes.capacity() <= 2 * SEGMENT_BYTES
    }

    fn has_room(&self, bytes: usize) -> bool {
        self.items.len() < SEGMENT_ITEMS && self.bytes.len() + bytes <= self.bytes.capacity()
    }
}

/// Items that wait for the writer, within a budget of memory.
#[derive(Debug)]
pub(super) struct Queue {
    /// Over this, something is shed.
    budget: usize,
    /// Over this, the recording is interrupted.
    most: usize,
    segments: Vec<Segment>,
    spare: Vec<Segment>,
    /// Where the items of each class are: segment, index in it.
    sheddable: [Vec<(usize, usize)>; 3],
    queued: usize,
    /// What the writer took and has not written yet.
    in_flight: usize,
    interruption: Option<Loss>,
    pub(super) shed: Shed,
    pub(super) lost: Count,
}

impl Queue {
    pub(super) fn new(options: &RecorderOptions) -> Self {
        Self {
            budget: options.queue_bytes,
            most: options.most_queue_bytes.max(options.queue_bytes),
            segments: Vec::new(),
            spare: Vec::new(),
            sheddable: Default::default(),
            queued: 0,
            in_flight: 0,
            interruption: None,
            shed: Shed::default(),
            lost: Count::default(),
        }
    }

    /// Memory of everything that is not written yet.
    pub(super) fn held(&self) -> usize {
        self.queued + self.in_flight
    }

    /// Memory of what waits for the writer to take it.
    pub(super) fn waiting(&self) -> usize {
        self.queued
    }

    /// Is there nothing for the writer to take?
    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// Adds a frame or order; fails when that begins an interruption.
    pub(super) fn push_framed<'a>(
        &mut self,
        (kind, stream): (ChunkKind, u16),
        tick: u64,
        parts: impl ExactSizeIterator<Item = (ViewSet, &'a [u8])> + Clone,
    ) -> Result<()> {
        let bytes: usize = parts.clone().map(|(_, payload)| payload.len()).sum();
        let memory = size_of::<Item>() + bytes + parts.len() * size_of::<Part>();
        let item = Item::Framed { kind, stream, tick, parts: parts.len() as u8 };
        if !self.admits(memory) {
            return self.lose(&Loss { bytes: memory as u64, ..item.loss() });
        }
        let segment = self.segment(bytes);
        for (views, payload) in parts {
            segment.parts.push(Part { views, length: payload.len() });
            segment.bytes.extend_from_slice(payload);
        }
        segment.items.push(item);
        self.queued += memory;
        Ok(())
    }

    /// Adds anything else; fails when that begins an interruption.
    pub(super) fn push(&mut self, item: Item) -> Result<()> {
        let memory = item.memory();
        match class_of(&item) {
            Some(class) => self.push_sheddable(class, item, memory),
            None if is_always_kept(&item) || self.admits(memory) => self.put(item, memory),
            None => return self.lose(&item.loss()),
        }
        Ok(())
    }

    fn put(&mut self, item: Item, memory: usize) {
        self.segment(0).items.push(item);
        self.queued += memory;
    }

    /// Of one class, what waits already goes before what comes later.
    fn push_sheddable(&mut self, class: Class, item: Item, memory: usize) {
        self.relieve(memory, Some(class));
        if self.held() + memory > self.budget {
            return self.note_shed(class, item.loss());
        }
        self.put(item, memory);
        let segment = self.segments.len() - 1;
        let index = self.segments[segment].items.len() - 1;
        self.sheddable[class as usize].push((segment, index));
    }

    /// Makes room by shedding, and says whether there is room.
    fn admits(&mut self, memory: usize) -> bool {
        self.relieve(memory, None);
        self.interruption.is_none() && self.held() + memory <= self.most
    }

    /// Sheds what is less important than `than`, until there is room for `memory` more.
    fn relieve(&mut self, memory: usize, than: Option<Class>) {
        for class in [Class::Reported, Class::Positions, Class::Keyframes] {
            if than.is_some_and(|than| class >= than) {
                return;
            }
            while self.held() + memory > self.budget
                && let Some((segment, index)) = self.sheddable[class as usize].pop()
            {
                self.shed_at(class, segment, index);
            }
        }
    }

    fn shed_at(&mut self, class: Class, segment: usize, index: usize) {
        let item = &mut self.segments[segment].items[index];
        let loss = item.loss();
        *item = Item::Shed(class, loss);
        self.queued -= loss.bytes as usize;
        self.queued += size_of::<Item>();
        self.count_shed(class, &loss);
    }

    /// Leaves a mark where something was shed before it was in the queue.
    fn note_shed(&mut self, class: Class, loss: Loss) {
        self.count_shed(class, &loss);
        let marks = self.segments.last_mut().into_iter().flat_map(|segment| {
            let is_mark = |item: &&mut Item| matches!(item, Item::Shed(..));
            segment.items.iter_mut().rev().take_while(is_mark)
        });
        for mark in marks {
            if let Item::Shed(_, other) = mark
                && other.is_like(&loss)
            {
                return other.merge(&loss);
            }
        }
        self.put(Item::Shed(class, loss), size_of::<Item>());
    }

    fn count_shed(&mut self, class: Class, loss: &Loss) {
        let count = match class {
            Class::Reported => &mut self.shed.reported,
            Class::Positions => &mut self.shed.positions,
            Class::Keyframes => &mut self.shed.keyframes,
        };
        count.add(loss.bytes as usize);
    }

    /// Something that is never shed does not fit: from here on everything is lost until the writer
    /// is back. Only the first loss is an error.
    fn lose(&mut self, loss: &Loss) -> Result<()> {
        self.lost.add(loss.bytes as usize);
        if let Some(interruption) = &mut self.interruption {
            interruption.merge(loss);
            return Ok(());
        }
        self.interruption = Some(Loss { kind: ChunkKind(0), stream: 0, ..*loss });
        let (value, limit) = (self.held() as u64 + loss.bytes, self.most as u64);
        let kind = ErrorKind::OverLimit { value, limit };
        Err(Error::new(Place::Nowhere, "queue of the recorder", kind))
    }

    /// Everything of `tick` is in the queue, unless some of it was lost.
    pub(super) fn end_tick(&mut self, tick: u64) {
        if self.interruption.is_some() {
            return;
        }
        let last = self.segments.last_mut().and_then(|segment| segment.items.last_mut());
        match last {
            Some(Item::TickEnd(last)) => *last = tick,
            _ => self.put(Item::TickEnd(tick), size_of::<Item>()),
        }
    }

    /// Nobody writes any more: what is given is lost.
    pub(super) fn discard(&mut self, bytes: usize) {
        self.lost.add(bytes);
    }

    /// The segment to add to, with room for this many bytes of payload.
    fn segment(&mut self, bytes: usize) -> &mut Segment {
        if !self.segments.last().is_some_and(|segment| segment.has_room(bytes)) {
            let mut segment = self.spare.pop().unwrap_or_default();
            segment.bytes.reserve(SEGMENT_BYTES.max(bytes));
            self.segments.push(segment);
        }
        let last = self.segments.len() - 1;
        &mut self.segments[last]
    }

    /// Everything that waits.
    pub(super) fn take(&mut self) -> Vec<Segment> {
        self.sheddable.iter_mut().for_each(Vec::clear);
        self.in_flight += std::mem::take(&mut self.queued);
        std::mem::take(&mut self.segments)
    }

    /// The writer is done with what it took, and gives emptied segments back. Ends an interruption
    /// and says whether there was one.
    pub(super) fn release(&mut self, segments: &mut Vec<Segment>) -> bool {
        self.in_flight = 0;
        while self.spare.len() < SPARE_SEGMENTS
            && let Some(segment) = segments.pop()
        {
            self.spare.push(segment);
        }
        let Some(loss) = self.interruption.take() else { return false };
        self.put(Item::Interrupted(loss), size_of::<Item>());
        true
    }

    /// Nobody will write: forgets what waits.
    pub(super) fn clear(&mut self) -> Vec<Segment> {
        let segments = self.take();
        self.in_flight = 0;
        segments
    }
}

fn class_of(item: &Item) -> Option<Class> {
    match item {
        Item::Keyframe { .. } => Some(Class::Keyframes),
        Item::Events { stream: streams::POSITIONS, .. } => Some(Class::Positions),
        Item::Events { stream: streams::REPORTED_EVENTS, .. } => Some(Class::Reported),
        _ => None,
    }
}

/// Small things that everything else depends on.
fn is_always_kept(item: &Item) -> bool {
    matches!(item, Item::Names(_) | Item::Closing(_) | Item::Sign(_) | Item::Shed(..))
}
