//! Writing events: blocks come out that are to become events chunks.

use gametape_tape::limits::{EVENTS_BYTES, TICK};
use gametape_tape::{ChunkDraft, ChunkKind};
use gametape_wire::{Arrange, Error, Limit, Place, Result, Tick, ViewSet, Writer};

use crate::block::read::{FORM, LastOfKinds, RawEvents, SPAN};
use crate::event::kinds::EventStream;
use crate::event::table::{AnalysisEvent, EventKind};

/// Bytes in the body of a game's own kind.
pub const OWN_BODY: Limit = Limit::new("body of a game's own event", 1 << 16);
/// Bytes before a body at most: step, kind, length.
const MOST_HEAD: usize = 10 + 1 + 3;
/// Events that came late and are held back; then the block is ended.
const MOST_LATE: usize = 4096;

/// A finished block: the raw bytes of an events chunk, and what its header must say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The stream of the chunk.
    pub stream: EventStream,
    /// Tick of the first event.
    pub first_tick: Tick,
    /// Tick of the last event.
    pub last_tick: Tick,
    /// The number of events.
    pub count: u32,
    /// The raw bytes.
    pub bytes: Vec<u8>,
}

impl Block {
    /// The chunk to give to the writer of a tape.
    #[must_use]
    pub fn draft(&self) -> ChunkDraft {
        ChunkDraft::new(ChunkKind::EVENTS)
            .with_stream(self.stream.number())
            .with_views(ViewSet::EMPTY)
            .with_ticks(self.first_tick, (self.last_tick.0 - self.first_tick.0 + 1) as u32)
            .with_detail(self.count)
    }
}

/// Collects events and makes blocks of them, for each stream its own.
///
/// Within an open block events may come in any order of ticks; they are sorted when the block
/// ends, and events of one tick stay in the order in which they came.
///
/// ```
/// use gametape_analysis::{AnalysisEvent, EventWriter, Events};
/// use gametape_wire::Tick;
///
/// let pause = |tick, paused| AnalysisEvent::PauseEvent { tick: Tick(tick), player: 1, paused };
/// let mut writer = EventWriter::new();
/// writer.push(&pause(7, false))?;
/// writer.push(&pause(5, true))?;
/// let blocks = writer.flush()?;
/// assert_eq!((blocks[0].first_tick, blocks[0].last_tick, blocks[0].count), (Tick(5), Tick(7), 2));
/// let events: Result<Vec<_>, _> = Events::new(&blocks[0].bytes, 0)?.collect();
/// assert_eq!(events?, [pause(5, true), pause(7, false)]);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct EventWriter {
    open: [OpenBlock; EventStream::ALL.len()],
    finished: Vec<Block>,
    body: Writer,
}

impl Default for EventWriter {
    fn default() -> Self {
        let open = EventStream::ALL.map(OpenBlock::new);
        Self { open, finished: Vec::new(), body: Writer::new() }
    }
}

impl EventWriter {
    /// A writer without events.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an event. Refuses one before the last tick of a finished block of its stream, and one
    /// with longer lists than a reader takes; then nothing is added.
    #[inline]
    pub fn push(&mut self, event: &AnalysisEvent) -> Result<()> {
        let stream = event.kind().stream();
        self.add(stream, Item::Known(event))
    }

    /// Adds an event of the game's own kind, 65 to 127, to the simulation's stream.
    pub fn push_own(&mut self, tick: Tick, kind: u8, body: &[u8]) -> Result<()> {
        if !(EventKind::FIRST_OWN + 1..=EventKind::LAST_OWN).contains(&kind) {
            return Err(Error::misuse("kind of an event", "the game's own are 65 to 127"));
        }
        OWN_BODY.check(body.len() as u64, 0).map_err(nowhere)?;
        self.add(EventStream::Simulation, Item::Own { tick, kind, body })
    }

    #[inline]
    fn add(&mut self, stream: EventStream, item: Item<'_>) -> Result<()> {
        let tick = item.tick();
        TICK.check(tick.saturating_add(1), 0).map_err(nowhere)?;
        let open = &mut self.open[stream as usize];
        if tick < open.floor {
            let problem = format!("tick {tick} is before the tick {} already written", open.floor);
            return Err(Error::misuse("event", problem));
        }
        if open.count > 0 && tick < open.last_tick {
            return self.add_late(stream, item);
        }
        open.append(item, &mut self.body, &mut self.finished)
    }

    fn add_late(&mut self, stream: EventStream, item: Item<'_>) -> Result<()> {
        // Whoever cannot be written is refused now, not when the block ends.
        let mut last = LastOfKinds::NEW;
        item.write(&mut self.body, &mut last)?;
        let open = &mut self.open[stream as usize];
        open.late.push(item.to_owned());
        if open.late.len() >= MOST_LATE {
            open.end(&mut self.body, &mut self.finished)?;
        }
        Ok(())
    }

    /// The blocks finished since the last call.
    pub fn take(&mut self) -> Vec<Block> {
        std::mem::take(&mut self.finished)
    }

    /// Ends the open blocks, and gives all that were finished since the last call.
    pub fn flush(&mut self) -> Result<Vec<Block>> {
        for open in &mut self.open {
            open.end(&mut self.body, &mut self.finished)?;
        }
        Ok(self.take())
    }
}

/// An event on its way into a block.
#[derive(Clone, Copy)]
enum Item<'a> {
    Known(&'a AnalysisEvent),
    Own { tick: Tick, kind: u8, body: &'a [u8] },
}

#[derive(Debug)]
enum OwnedItem {
    Known(AnalysisEvent),
    Own { tick: Tick, kind: u8, body: Vec<u8> },
}

impl Item<'_> {
    #[inline]
    fn tick(&self) -> u64 {
        match self {
            Self::Known(event) => event.tick().0,
            Self::Own { tick, .. } => tick.0,
        }
    }

    #[inline]
    fn kind(&self) -> u8 {
        match self {
            Self::Known(event) => event.kind().number(),
            Self::Own { kind, .. } => *kind,
        }
    }

    /// Replaces what is in `out` by the body. After an error `last` is as it was.
    #[inline]
    fn write(&self, out: &mut Writer, last: &mut LastOfKinds) -> Result<()> {
        out.truncate(0);
        match self {
            Self::Known(event) => {
                let kind = event.kind();
                let mut next = *last.of(kind);
                event.write_body(out, &mut next).map_err(|error| error.within(kind.name()))?;
                *last.of(kind) = next;
            }
            Self::Own { body, .. } => {
                out.bytes(body);
            }
        }
        Ok(())
    }

    fn to_owned(self) -> OwnedItem {
        match self {
            Self::Known(event) => OwnedItem::Known(event.clone()),
            Self::Own { tick, kind, body } => OwnedItem::Own { tick, kind, body: body.to_vec() },
        }
    }
}

impl OwnedItem {
    fn borrow(&self) -> Item<'_> {
        match self {
            Self::Known(event) => Item::Known(event),
            Self::Own { tick, kind, body } => Item::Own { tick: *tick, kind: *kind, body },
        }
    }
}

/// The block of a stream that is being filled.
#[derive(Debug)]
struct OpenBlock {
    stream: EventStream,
    bytes: Writer,
    last: LastOfKinds,
    first_tick: u64,
    last_tick: u64,
    count: u32,
    /// Nothing before this tick can be added: it is written.
    floor: u64,
    late: Vec<OwnedItem>,
}

impl OpenBlock {
    fn new(stream: EventStream) -> Self {
        Self {
            stream,
            bytes: Writer::new(),
            last: LastOfKinds::NEW,
            first_tick: 0,
            last_tick: 0,
            count: 0,
            floor: 0,
            late: Vec::new(),
        }
    }

    /// Adds an event that is not before the last one; `body` is a buffer.
    #[inline]
    fn append(
        &mut self,
        item: Item<'_>,
        body: &mut Writer,
        finished: &mut Vec<Block>,
    ) -> Result<()> {
        item.write(body, &mut self.last)?;
        if self.count > 0 && !self.has_room(item.tick(), body.as_bytes().len()) {
            self.end(body, finished)?;
            // Differences begin again.
            item.write(body, &mut self.last)?;
        }
        self.put(item.tick(), item.kind(), body.as_bytes());
        Ok(())
    }

    #[inline]
    fn has_room(&self, tick: u64, body: usize) -> bool {
        let length = self.bytes.as_bytes().len() + MOST_HEAD + body;
        length as u64 <= EVENTS_BYTES.max && tick - self.first_tick < SPAN.max
    }

    #[inline]
    fn put(&mut self, tick: u64, kind: u8, body: &[u8]) {
        if self.count == 0 {
            self.bytes.u8(FORM);
            (self.first_tick, self.last_tick) = (tick, 0);
        }
        self.bytes.varint(tick - self.last_tick).u8(kind).varint(body.len() as u64).bytes(body);
        self.last_tick = tick;
        self.count += 1;
    }

    /// Makes a block of what is there, or several where late events make it too long.
    fn end(&mut self, body: &mut Writer, finished: &mut Vec<Block>) -> Result<()> {
        if !self.late.is_empty() {
            let items = self.sorted()?;
            self.reset();
            for item in &items {
                self.append(item.borrow(), body, finished)?;
            }
        }
        if self.count > 0 {
            finished.push(Block {
                stream: self.stream,
                first_tick: Tick(self.first_tick),
                last_tick: Tick(self.last_tick),
                count: self.count,
                bytes: std::mem::take(&mut self.bytes).into_bytes(),
            });
            self.floor = self.last_tick;
            self.reset();
        }
        Ok(())
    }

    /// All events, the late ones in their order.
    fn sorted(&mut self) -> Result<Vec<OwnedItem>> {
        let mut last = LastOfKinds::NEW;
        let mut items = Vec::with_capacity(self.count as usize + self.late.len());
        for raw in RawEvents::new(self.bytes.as_bytes(), 0)? {
            let raw = raw?;
            items.push(match EventKind::from_number(raw.kind) {
                Some(kind) => OwnedItem::Known(last.read(kind, &raw)?),
                None => OwnedItem::Own { tick: raw.tick, kind: raw.kind, body: raw.body.to_vec() },
            });
        }
        items.append(&mut self.late);
        items.arrange_by_key(|item| item.borrow().tick());
        Ok(items)
    }

    fn reset(&mut self) {
        self.bytes.truncate(0);
        self.last = LastOfKinds::NEW;
        self.count = 0;
    }
}

/// The same error without a place: it is about the call, not about input.
fn nowhere(error: Error) -> Error {
    error.with_place(Place::Nowhere)
}
