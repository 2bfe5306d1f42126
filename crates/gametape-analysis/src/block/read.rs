//! Blocks: the raw bytes of events chunks, read.

use gametape_tape::limits::{EVENTS_BYTES, TICK};
use gametape_wire::{Error, ErrorKind, Limit, Reader, Result, Tick};

use crate::event::field::{Last, bad_value};
use crate::event::kinds::EventStream;
use crate::event::table::{AnalysisEvent, EventKind};

/// The first byte of a block.
pub(crate) const FORM: u8 = 1;
/// Ticks from the first event of a block to the last, both counted: what a chunk's header can say.
pub(crate) const SPAN: Limit = Limit::new("ticks of a block", u32::MAX as u64);

/// An event whose fields are not read yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawEvent<'a> {
    /// When it happened.
    pub tick: Tick,
    /// The number of its kind, known or not.
    pub kind: u8,
    /// Its fields.
    pub body: &'a [u8],
    /// Where the body begins.
    pub offset: u64,
}

/// The events of a block, of all kinds, without a look at their fields.
#[derive(Debug, Clone)]
pub struct RawEvents<'a> {
    r: Reader<'a>,
    tick: u64,
    first: Option<u64>,
}

impl<'a> RawEvents<'a> {
    /// The events of a block; errors count their bytes from `offset`.
    pub fn new(block: &'a [u8], offset: u64) -> Result<Self> {
        EVENTS_BYTES.check(block.len() as u64, offset)?;
        let mut r = Reader::with_base(block, offset);
        match r.u8("events")? {
            FORM if r.is_empty() => {
                let kind = ErrorKind::Truncated { needed: 3, available: 0 };
                Err(Error::at(r.offset(), "first event", kind))
            }
            FORM => Ok(Self { r, tick: 0, first: None }),
            other => {
                Err(Error::at(offset, "form of events", ErrorKind::Unknown { code: other.into() }))
            }
        }
    }

    fn read(&mut self) -> Result<RawEvent<'a>> {
        let offset = self.r.offset();
        let step = self.r.varint("step of an event")?;
        let end = TICK.check(self.tick.saturating_add(step).saturating_add(1), offset)?;
        self.tick = end - 1;
        SPAN.check(end - *self.first.get_or_insert(self.tick), offset)?;
        let offset = self.r.offset();
        let kind = self.r.u8("kind of an event")?;
        if !(1..=EventKind::LAST_OWN).contains(&kind) {
            return Err(bad_value(offset, "kind of an event", kind.into(), "1 to 127"));
        }
        let length = self.r.varint("length of an event")?;
        let offset = self.r.offset();
        let body = self.r.take(usize::try_from(length).unwrap_or(usize::MAX), "event")?;
        Ok(RawEvent { tick: Tick(self.tick), kind, body, offset })
    }
}

impl<'a> Iterator for RawEvents<'a> {
    type Item = Result<RawEvent<'a>>;

    /// The next event; after an error there is none.
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.r.is_empty() {
            return None;
        }
        let event = self.read();
        if event.is_err() {
            self.r = Reader::with_base(&[], self.r.offset());
        }
        Some(event)
    }
}

/// The tags and positions that those of the next event of each kind are differences to.
#[derive(Debug, Clone)]
pub(crate) struct LastOfKinds([Last; EventKind::ALL.len()]);

impl LastOfKinds {
    pub(crate) const NEW: Self = Self([Last::NONE; EventKind::ALL.len()]);

    #[inline]
    pub(crate) fn of(&mut self, kind: EventKind) -> &mut Last {
        &mut self.0[kind.index()]
    }

    /// Reads the fields of an event of a known kind.
    #[inline]
    pub(crate) fn read(&mut self, kind: EventKind, raw: &RawEvent<'_>) -> Result<AnalysisEvent> {
        let mut r = Reader::with_base(raw.body, raw.offset);
        // Not map_err: an event is large, and this way it is not moved.
        match AnalysisEvent::read_body(kind, raw.tick, &mut r, self.of(kind)) {
            Err(error) => Err(error.within(kind.name())),
            read => read,
        }
    }
}

/// Which kinds are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindSet(u32);

impl KindSet {
    /// All kinds.
    pub const ALL: Self = Self(u32::MAX);
    /// No kind.
    pub const EMPTY: Self = Self(0);

    /// All kinds of a stream.
    #[must_use]
    pub fn of_stream(stream: EventStream) -> Self {
        EventKind::ALL.iter().copied().filter(|kind| kind.stream() == stream).collect()
    }

    /// These kinds and `kind`.
    #[must_use]
    pub const fn with(self, kind: EventKind) -> Self {
        Self(self.0 | 1 << kind.index())
    }

    /// Is `kind` one of them?
    #[must_use]
    #[inline]
    pub const fn has(self, kind: EventKind) -> bool {
        self.0 >> kind.index() & 1 == 1
    }

    /// The streams that hold kinds of these.
    pub fn streams(self) -> impl Iterator<Item = EventStream> {
        EventStream::ALL.into_iter().filter(move |&stream| {
            EventKind::ALL.iter().any(|&kind| self.has(kind) && kind.stream() == stream)
        })
    }
}

impl FromIterator<EventKind> for KindSet {
    fn from_iter<I: IntoIterator<Item = EventKind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::EMPTY, Self::with)
    }
}

/// The events of a block whose kinds are known; others are skipped and counted.
///
/// ```
/// use gametape_analysis::{AnalysisEvent, Events};
/// use gametape_wire::Tick;
///
/// // A pause at tick 5, then an event of a kind that nobody knows.
/// let block = [1, 5, 13, 2, 1, 1, 0, 99, 1, 0xFF];
/// let mut events = Events::new(&block, 0)?;
/// let pause = AnalysisEvent::PauseEvent { tick: Tick(5), player: 1, paused: true };
/// assert_eq!(events.next(), Some(Ok(pause)));
/// assert_eq!(events.next(), None);
/// assert_eq!(events.skipped(), 1);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Events<'a> {
    raw: RawEvents<'a>,
    last: LastOfKinds,
    wanted: KindSet,
    stream: Option<EventStream>,
    count: u32,
    skipped: u32,
}

impl<'a> Events<'a> {
    /// The events of a block; errors count their bytes from `offset`.
    pub fn new(block: &'a [u8], offset: u64) -> Result<Self> {
        let raw = RawEvents::new(block, offset)?;
        let (last, wanted) = (LastOfKinds::NEW, KindSet::ALL);
        Ok(Self { raw, last, wanted, stream: None, count: 0, skipped: 0 })
    }

    /// Only these kinds; the others cost no more than their length.
    #[must_use]
    pub fn only(mut self, kinds: KindSet) -> Self {
        self.wanted = kinds;
        self
    }

    /// Refuses kinds of other streams.
    #[must_use]
    pub fn in_stream(mut self, stream: EventStream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// The tick of the first event, where one was read.
    #[must_use]
    pub fn first_tick(&self) -> Option<Tick> {
        self.raw.first.map(Tick)
    }

    /// The tick of the last event that was read.
    #[must_use]
    pub fn last_tick(&self) -> Tick {
        Tick(self.raw.tick)
    }

    /// The number of events read so far, of all kinds.
    #[must_use]
    pub fn count_read(&self) -> u32 {
        self.count
    }

    /// How many of them have kinds that this version does not know.
    #[must_use]
    pub fn skipped(&self) -> u32 {
        self.skipped
    }

    /// The kind of an event, or nothing where it is not wanted.
    #[inline]
    fn wanted_kind(&mut self, raw: &RawEvent<'a>) -> Result<Option<EventKind>> {
        self.count += 1;
        let Some(kind) = EventKind::from_number(raw.kind) else {
            self.skipped += 1;
            return Ok(None);
        };
        if self.stream.is_some_and(|stream| stream != kind.stream()) {
            let problem = format!("{} does not belong into this stream", kind.name()).into();
            return Err(Error::at(raw.offset, "event", ErrorKind::BadSyntax { problem }));
        }
        Ok(Some(kind).filter(|kind| self.wanted.has(*kind)))
    }

    /// After an error there is none.
    #[cold]
    fn stop(&mut self) {
        self.raw.r = Reader::new(&[]);
    }
}

impl Iterator for Events<'_> {
    type Item = Result<AnalysisEvent>;

    /// The next event; after an error there is none.
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let raw = match self.raw.next()? {
                Ok(raw) => raw,
                Err(error) => return Some(Err(error)),
            };
            let event = match self.wanted_kind(&raw) {
                Ok(None) => continue,
                Ok(Some(kind)) => self.last.read(kind, &raw),
                Err(error) => Err(error),
            };
            if event.is_err() {
                self.stop();
            }
            return Some(event);
        }
    }
}
