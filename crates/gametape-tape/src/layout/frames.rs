//! Frames inside of frames and orders chunks: what views receive at a tick.

use gametape_wire::{Error, ErrorKind, Part, Reader, Result, Tick, View, ViewSet, Writer};

use crate::layout::chunk_header::ChunkHeader;
use crate::limits::TICK;

/// One frame, borrowed from the raw bytes of its chunk.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TapeFrame<'a> {
    /// When.
    pub tick: Tick,
    /// For whom.
    pub views: ViewSet,
    /// Offset of its first byte in the raw bytes of the chunk.
    pub offset: u64,
    /// Do all views receive the same?
    homogenous: bool,
    lengths: Reader<'a>,
    payloads: Reader<'a>,
}

impl<'a> TapeFrame<'a> {
    fn read(r: &mut Reader<'a>, previous: Tick) -> Result<Self> {
        let offset = r.offset();
        let head = r.varint("frame delta")?;
        let tick = Tick(TICK.check((previous + (head >> 1)).0, offset)?);
        let views = read_mask(r)?;
        let homogenous = head & 1 == 0;
        let lengths = r.clone();
        let mut total = 0u64;
        for _ in 0..if homogenous { 1 } else { views.len() } {
            total = total.saturating_add(r.varint("frame length")?);
        }
        let payloads = r.clone();
        r.take(usize::try_from(total).unwrap_or(usize::MAX), "frame payload")?;
        Ok(Self { tick, views, offset, homogenous, lengths, payloads })
    }

    /// What is in it: one part for all views, or one for each, in ascending order.
    pub fn parts(&self) -> impl Iterator<Item = Part<'a>> + use<'a> {
        let (mut lengths, mut payloads) = (self.lengths.clone(), self.payloads.clone());
        let homogenous = self.homogenous;
        let mut left = self.views;
        std::iter::from_fn(move || {
            let views = if homogenous { left } else { left.lowest() };
            if views.is_empty() {
                return None;
            }
            left = left.without(views);
            let offset = payloads.offset();
            // Both were there when the frame was read.
            let length = lengths.varint("frame length").ok()?;
            let payload = payloads.take(length as usize, "frame payload").ok()?;
            Some(Part { views, offset, payload })
        })
    }

    /// What a view receives, if it takes part.
    #[must_use]
    pub fn view(&self, view: View) -> Option<&'a [u8]> {
        self.parts().find(|part| part.views.contains(view)).map(|part| part.payload)
    }
}

fn read_mask(r: &mut Reader<'_>) -> Result<ViewSet> {
    let offset = r.offset();
    match r.varint("frame mask")? {
        mask @ 1..=0xFFFF => Ok(ViewSet::from_bits(mask as u16)),
        mask => {
            let kind = ErrorKind::BadValue { found: mask as i64, expected: "1..=65535" };
            Err(Error::at(offset, "frame mask", kind))
        }
    }
}

/// Walks the frames in the raw bytes of a chunk without allocating.
#[derive(Debug, Clone)]
pub struct TapeFrames<'a> {
    rest: Reader<'a>,
    tick: Tick,
}

impl<'a> TapeFrames<'a> {
    /// The frames in `raw`, the raw bytes of a chunk with this header.
    #[must_use]
    pub fn new(header: &ChunkHeader, raw: &'a [u8]) -> Self {
        Self { rest: Reader::new(raw), tick: header.first_tick }
    }
}

impl<'a> Iterator for TapeFrames<'a> {
    type Item = Result<TapeFrame<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let frame = TapeFrame::read(&mut self.rest, self.tick);
        match &frame {
            Ok(frame) => self.tick = frame.tick,
            Err(_) => self.rest = Reader::new(&[]),
        }
        Some(frame)
    }
}

/// What several views receive at one tick, before it is a frame.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Pieces<'a> {
    pub(crate) views: ViewSet,
    rows: [&'a [u8]; View::MAX as usize + 1],
}

impl<'a> Pieces<'a> {
    pub(crate) fn put(&mut self, view: View, bytes: &'a [u8]) {
        self.views = self.views.with(view);
        self.rows[usize::from(view.number())] = bytes;
    }

    /// Those parts of a frame that `wanted` may know.
    pub(crate) fn select(frame: &TapeFrame<'a>, wanted: ViewSet) -> Self {
        let mut pieces = Self::default();
        for part in frame.parts() {
            part.views.and(wanted).iter().for_each(|view| pieces.put(view, part.payload));
        }
        pieces
    }

    pub(crate) fn gather(parts: &[(View, &'a [u8])]) -> Result<Self> {
        let mut pieces = Self::default();
        if parts.is_empty() {
            return Err(Error::misuse("frame", "nobody receives it"));
        }
        for &(view, bytes) in parts {
            if pieces.views.contains(view) {
                return Err(Error::misuse("frame", format!("view {view} is given twice")));
            }
            pieces.put(view, bytes);
        }
        Ok(pieces)
    }

    fn iter(&self) -> impl Iterator<Item = &'a [u8]> {
        self.views.iter().map(|view| self.rows[usize::from(view.number())])
    }

    /// The one payload that all receive, if it is one.
    fn shared(&self) -> Option<&'a [u8]> {
        let mut payloads = self.iter();
        let first = payloads.next()?;
        payloads.all(|payload| payload == first).then_some(first)
    }

    pub(crate) fn byte_count(&self) -> usize {
        self.iter().map(<[u8]>::len).sum()
    }
}

/// Collects frames until they become a chunk.
#[derive(Debug, Clone, Default)]
pub(crate) struct FrameBlock {
    out: Writer,
    pub(crate) first_tick: Tick,
    last_tick: Tick,
    pub(crate) frames: u32,
    pub(crate) views: ViewSet,
}

/// Delta, mask and sixteen lengths are never longer.
const MOST_FRAME_HEAD: usize = 10 + 3 + 16 * 4;

impl FrameBlock {
    pub(crate) fn raw(&self) -> &[u8] {
        self.out.as_bytes()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.frames == 0
    }

    pub(crate) fn tick_count(&self) -> Result<u32> {
        let ticks = self.last_tick.since(self.first_tick) + 1;
        u32::try_from(ticks).map_err(|_| Error::misuse("frames", "they span over 2^32 ticks"))
    }

    /// Would the frame still fit below `most` bytes and into the ticks of one chunk?
    pub(crate) fn has_room(&self, tick: Tick, bytes: usize, most: usize) -> bool {
        let fits = self.raw().len() + bytes + MOST_FRAME_HEAD <= most;
        fits && tick.since(self.first_tick) < u32::MAX.into()
    }

    pub(crate) fn clear(&mut self) {
        self.out.truncate(0);
        self.frames = 0;
        self.views = ViewSet::EMPTY;
    }

    /// A frame that gives all `views` the same; `tick` is not before the last one.
    pub(crate) fn push_shared(&mut self, tick: Tick, views: ViewSet, payload: &[u8]) {
        let delta = self.begin(tick, views);
        let (mask, length) = (u64::from(views.bits()), payload.len() as u64);
        if delta | mask | length < 0x40 {
            // The common case of many small frames: three bytes at once.
            self.out.bytes(&[(delta << 1) as u8, mask as u8, length as u8]).bytes(payload);
        } else {
            self.out.varint(delta << 1).varint(mask).varint(length).bytes(payload);
        }
    }

    pub(crate) fn push(&mut self, tick: Tick, pieces: &Pieces<'_>) {
        if let Some(payload) = pieces.shared() {
            return self.push_shared(tick, pieces.views, payload);
        }
        let delta = self.begin(tick, pieces.views);
        self.out.varint(delta << 1 | 1).varint(pieces.views.bits().into());
        for payload in pieces.iter() {
            self.out.varint(payload.len() as u64);
        }
        for payload in pieces.iter() {
            self.out.bytes(payload);
        }
    }

    /// Counts the frame and returns its delta.
    fn begin(&mut self, tick: Tick, views: ViewSet) -> u64 {
        if self.is_empty() {
            (self.first_tick, self.last_tick) = (tick, tick);
        }
        let delta = tick.since(self.last_tick);
        self.last_tick = tick;
        self.frames += 1;
        self.views = self.views.or(views);
        delta
    }
}
