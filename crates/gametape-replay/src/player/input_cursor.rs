//! The recorded input of a track, frame by frame, from any tick on.

use std::ops::Range;

use gametape_tape::{ChunkEntry, ChunkHeader, ChunkKind, Tape, TapeFrame, TapeFrames};
use gametape_wire::{Error, Result, Tick, ViewSet};

use crate::source::OpenTape;

/// Walks over the frames that some views receive. The bytes of the chunks that it comes to are
/// provided before.
#[derive(Debug)]
pub(super) struct InputCursor {
    views: ViewSet,
    chunks: Vec<ChunkEntry>,
    /// Number of the chunk that has the next frame, or had it.
    index: usize,
    /// Frames before this tick do not count.
    from: u64,
    /// Number of the next frame among the spots of that chunk, once it is unpacked.
    at: usize,
    /// Which chunk is unpacked.
    loaded: Option<usize>,
    raw: Vec<u8>,
    /// Where in the unpacked chunk the frames for the views are.
    spots: Vec<Spot>,
    /// Chunks that cannot be read: their ticks, and why.
    lost: Vec<(usize, Range<u64>, Error)>,
}

/// Where a frame is in its chunk.
#[derive(Debug, Clone, Copy)]
struct Spot {
    offset: usize,
    tick: u64,
    /// The tick of the frame before, from which this one counts.
    before: u64,
}

impl InputCursor {
    pub(super) fn new(tape: &Tape, kind: ChunkKind, views: ViewSet) -> Self {
        let mut chunks: Vec<ChunkEntry> = tape.stream(kind, 0).copied().collect();
        chunks.retain(|chunk| !chunk.header.views.and(views).is_empty());
        Self {
            views,
            chunks,
            index: 0,
            from: 0,
            at: 0,
            loaded: None,
            raw: Vec::new(),
            spots: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// Adds a chunk of the input that comes after all others.
    pub(super) fn add(&mut self, chunk: &ChunkEntry) {
        if !chunk.header.views.and(self.views).is_empty() {
            self.chunks.push(*chunk);
        }
    }

    /// Chunks that turned out to be unreadable: their ticks, and why.
    pub(super) fn lost(&self) -> impl Iterator<Item = (&Range<u64>, &Error)> {
        self.lost.iter().map(|(_, ticks, error)| (ticks, error))
    }

    /// Goes to the first frame at or after `tick`.
    pub(super) fn seek(&mut self, tick: u64) {
        self.from = tick;
        self.turn_to(self.first_at(tick));
    }

    fn first_at(&self, tick: u64) -> usize {
        self.chunks.partition_point(|chunk| chunk.header.end_tick() <= Tick(tick))
    }

    /// The chunks with the frames from one tick to another, not more of them than a window has room
    /// for, and the tick before which all frames are in them.
    pub(super) fn window(&self, from: u64, goal: u64, window: u64) -> (Vec<Range<u64>>, u64) {
        let mut ranges = Vec::new();
        let mut bytes = 0;
        let ahead = self.chunks[self.first_at(from)..].iter();
        for chunk in ahead.take_while(|chunk| chunk.header.first_tick < Tick(goal)) {
            bytes += chunk.header.chunk_length();
            // A tick that begins in one chunk and ends in another needs both.
            if bytes > window && chunk.header.first_tick > Tick(from) {
                return (ranges, chunk.header.first_tick.0);
            }
            ranges.push(chunk.range());
        }
        (ranges, goal)
    }

    /// The chunks that have frames of a tick.
    pub(super) fn ranges_at(&self, tick: Option<u64>) -> Vec<Range<u64>> {
        self.chunks_at(tick).map(ChunkEntry::range).collect()
    }

    pub(super) fn chunks_at(&self, tick: Option<u64>) -> impl Iterator<Item = &ChunkEntry> {
        let first = tick.map_or(self.chunks.len(), |tick| self.first_at(tick));
        let begun = move |chunk: &&ChunkEntry| Some(chunk.header.first_tick) <= tick.map(Tick);
        self.chunks[first..].iter().take_while(begun)
    }

    /// Where the present chunk is; `None` after the last one.
    pub(super) fn range(&self) -> Option<Range<u64>> {
        self.chunks.get(self.index).map(ChunkEntry::range)
    }

    /// The tick of the next frame for the views, if it is before `stop`.
    pub(super) fn peek(&mut self, tape: &OpenTape, stop: u64) -> Option<u64> {
        while self.chunks.get(self.index)?.header.first_tick < Tick(stop) {
            if let Some(tick) = self.peek_here(tape) {
                return Some(tick).filter(|tick| *tick < stop);
            }
        }
        None
    }

    /// The tick of the next frame for the views in the present chunk; goes to the next chunk where
    /// there is none.
    pub(super) fn peek_here(&mut self, tape: &OpenTape) -> Option<u64> {
        if self.load(tape)
            && let Some(spot) = self.spots.get(self.at)
        {
            return Some(spot.tick);
        }
        self.turn_to(self.index + 1);
        None
    }

    /// Takes the next frame for the views, if its tick is before `stop`.
    pub(super) fn take(&mut self, tape: &OpenTape, stop: u64) -> Option<TapeFrame<'_>> {
        self.peek(tape, stop)?;
        let spot = *self.spots.get(self.at)?;
        self.at += 1;
        self.frame(self.index, &spot)
    }

    /// A frame of a chunk that is unpacked.
    fn frame(&self, index: usize, spot: &Spot) -> Option<TapeFrame<'_>> {
        let mut header = self.chunks.get(index)?.header;
        header.first_tick = Tick(spot.before);
        TapeFrames::new(&header, self.raw.get(spot.offset..)?).next()?.ok()
    }

    /// The frames of a tick for the views in a chunk, where it is the one that is unpacked.
    pub(super) fn unpacked_at(
        &self,
        chunk: &ChunkEntry,
        tick: u64,
    ) -> Option<impl Iterator<Item = TapeFrame<'_>>> {
        let index = self.loaded?;
        let is_it = self.chunks.get(index)?.offset == chunk.offset;
        let first = self.spots.partition_point(|spot| spot.tick < tick);
        let these = self.spots[first..].iter().take_while(move |spot| spot.tick == tick);
        is_it.then(|| these.filter_map(move |spot| self.frame(index, spot)))
    }

    /// Goes after the chunks that may have frames before a tick.
    pub(super) fn look_back(&mut self, tick: u64) {
        self.turn_to(self.chunks.partition_point(|chunk| chunk.header.first_tick < Tick(tick)));
    }

    /// Where the chunk before the present one is.
    pub(super) fn range_before(&self) -> Option<Range<u64>> {
        self.chunks.get(self.index.checked_sub(1)?).map(ChunkEntry::range)
    }

    /// Goes to the chunk before the present one, and gives the tick of its last frame for the views
    /// before a tick.
    pub(super) fn last_before(&mut self, tape: &OpenTape, tick: u64) -> Option<u64> {
        self.turn_to(self.index.checked_sub(1)?);
        if !self.load(tape) {
            return None;
        }
        let earlier = self.spots.partition_point(|spot| spot.tick < tick);
        Some(self.spots[earlier.checked_sub(1)?].tick)
    }

    /// Do the frames of these ticks have at most this many bytes, as far as headers say?
    pub(super) fn has_at_most(&self, bytes: u64, ticks: &Range<u64>) -> bool {
        let touched = self.chunks[self.first_at(ticks.start)..].iter().map(|chunk| &chunk.header);
        let mut touched = touched.take_while(|header| header.first_tick < Tick(ticks.end));
        let left = touched.try_fold(bytes, |left, header| left.checked_sub(share(header, ticks)));
        left.is_some()
    }

    /// Goes to the first frame of a chunk that counts.
    fn turn_to(&mut self, index: usize) {
        self.index = index;
        if self.loaded == Some(index) {
            self.skip();
        }
    }

    /// Passes over the frames that do not count.
    fn skip(&mut self) {
        self.at = self.spots.partition_point(|spot| spot.tick < self.from);
    }

    /// Unpacks the present chunk. False where that cannot be done: what is wrong is then noted.
    fn load(&mut self, tape: &OpenTape) -> bool {
        if self.loaded == Some(self.index) {
            return true;
        }
        let Some(chunk) = self.chunks.get(self.index).copied() else { return false };
        self.loaded = None;
        let Some(bytes) = tape.bytes(&chunk.range()) else {
            debug_assert!(false, "chunks are provided before they are needed");
            return false;
        };
        let unpacked = bytes.and_then(|bytes| self.unpack(&chunk, bytes));
        match unpacked {
            Ok(()) => {
                self.loaded = Some(self.index);
                self.skip();
                true
            }
            Err(error) => {
                self.note_lost(&chunk.header, error);
                false
            }
        }
    }

    fn unpack(&mut self, chunk: &ChunkEntry, bytes: &[u8]) -> Result<()> {
        let chunk = chunk.read(bytes)?;
        let raw = chunk.raw()?;
        self.spots.clear();
        find_spots(&chunk.header, &raw, self.views, &mut self.spots)?;
        self.raw = raw.into_owned();
        Ok(())
    }

    fn note_lost(&mut self, header: &ChunkHeader, error: Error) {
        if self.lost.iter().all(|(index, ..)| *index != self.index) {
            self.lost.push((self.index, header.first_tick.0..header.end_tick().0, error));
        }
    }
}

/// The bytes of a chunk that fall to these ticks, as if they were spread evenly.
fn share(header: &ChunkHeader, ticks: &Range<u64>) -> u64 {
    let start = header.first_tick.max(Tick(ticks.start));
    let common = header.end_tick().min(Tick(ticks.end)).since(start);
    let all = header.end_tick().since(header.first_tick).max(1);
    (u128::from(header.raw_length) * u128::from(common) / u128::from(all)) as u64
}

/// Where the frames for these views are; an error where frames are not what the header says.
fn find_spots(
    header: &ChunkHeader,
    raw: &[u8],
    views: ViewSet,
    spots: &mut Vec<Spot>,
) -> Result<()> {
    let mut before = header.first_tick;
    for frame in TapeFrames::new(header, raw) {
        let frame = frame?;
        if !frame.views.and(views).is_empty() {
            spots.push(Spot {
                offset: frame.offset as usize,
                tick: frame.tick.0,
                before: before.0,
            });
        }
        before = frame.tick;
    }
    if before + 1 != header.end_tick() {
        let problem = "its frames do not end where its header says";
        return Err(Error::misuse(header.kind.to_string(), problem));
    }
    Ok(())
}
