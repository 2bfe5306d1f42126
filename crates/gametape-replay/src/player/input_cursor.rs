//! The recorded input of a track, frame by frame, from any tick on.

use std::ops::Range;

use gametape_tape::{ChunkEntry, ChunkHeader, ChunkKind, TapeFrame, TapeFrames};
use gametape_wire::{Error, Result, ViewSet};

use crate::source::Recording;
use gametape_wire::Source;

/// Walks over the frames that some views receive.
#[derive(Debug)]
pub(super) struct InputCursor {
    views: ViewSet,
    chunks: Vec<ChunkEntry>,
    /// Number of the chunk in which the next frame stands, or stood.
    place: usize,
    /// Number of the next frame among the spots of that chunk.
    at: usize,
    /// Which chunk is unpacked.
    loaded: Option<usize>,
    raw: Vec<u8>,
    /// Where in the unpacked chunk the frames for the views stand.
    spots: Vec<Spot>,
    /// Chunks that cannot be read: their ticks, and why.
    lost: Vec<(usize, Range<u64>, Error)>,
}

/// Where a frame stands in its chunk.
#[derive(Debug, Clone, Copy)]
struct Spot {
    offset: usize,
    tick: u64,
    /// The tick of the frame before, from which this one counts.
    before: u64,
}

impl InputCursor {
    pub(super) fn new<S: Source>(
        recording: &Recording<S>,
        kind: ChunkKind,
        views: ViewSet,
    ) -> Self {
        let mut chunks = recording.entries(kind, 0);
        chunks.retain(|chunk| !chunk.header.views.and(views).is_empty());
        Self {
            views,
            chunks,
            place: 0,
            at: 0,
            loaded: None,
            raw: Vec::new(),
            spots: Vec::new(),
            lost: Vec::new(),
        }
    }

    /// Chunks that turned out to be unreadable: their ticks, and why.
    pub(super) fn lost(&self) -> impl Iterator<Item = (&Range<u64>, &Error)> {
        self.lost.iter().map(|(_, ticks, error)| (ticks, error))
    }

    /// Goes to the first frame at or behind `tick`.
    pub(super) fn seek<S: Source>(&mut self, recording: &mut Recording<S>, tick: u64) {
        self.turn_to(self.chunks.partition_point(|chunk| chunk.header.end_tick() <= tick));
        if self.load(recording) {
            self.at = self.spots.partition_point(|spot| spot.tick < tick);
        }
    }

    /// The tick of the next frame for the views, if there is one.
    pub(super) fn peek<S: Source>(&mut self, recording: &mut Recording<S>) -> Option<u64> {
        while self.load(recording) {
            if let Some(spot) = self.spots.get(self.at) {
                return Some(spot.tick);
            }
            self.turn_to(self.place + 1);
        }
        None
    }

    /// Takes the next frame for the views, if its tick is before `stop`.
    pub(super) fn take<S: Source>(
        &mut self,
        recording: &mut Recording<S>,
        stop: u64,
    ) -> Option<TapeFrame<'_>> {
        self.peek(recording).filter(|tick| *tick < stop)?;
        let spot = self.spots.get(self.at)?;
        let mut header = self.chunks.get(self.place)?.header;
        header.first_tick = spot.before;
        self.at += 1;
        TapeFrames::new(&header, self.raw.get(spot.offset..)?).next()?.ok()
    }

    /// Goes to the last frame for the views before `tick` and gives its tick. Where there is none,
    /// the input is then somewhere.
    pub(super) fn last_before<S: Source>(
        &mut self,
        recording: &mut Recording<S>,
        tick: u64,
    ) -> Option<u64> {
        let end = self.chunks.partition_point(|chunk| chunk.header.first_tick < tick);
        for place in (0..end).rev() {
            self.turn_to(place);
            if !self.load(recording) || self.place != place {
                continue;
            }
            let earlier = self.spots.partition_point(|spot| spot.tick < tick);
            if let Some(last) = earlier.checked_sub(1) {
                self.at = last;
                return Some(self.spots[last].tick);
            }
        }
        None
    }

    /// Do the frames of these ticks have at most so many bytes, as far as headers tell?
    pub(super) fn has_at_most(&self, bytes: u64, ticks: &Range<u64>) -> bool {
        let first = self.chunks.partition_point(|chunk| chunk.header.end_tick() <= ticks.start);
        let touched = self.chunks[first..].iter().map(|chunk| &chunk.header);
        let mut touched = touched.take_while(|header| header.first_tick < ticks.end);
        let left = touched.try_fold(bytes, |left, header| left.checked_sub(share(header, ticks)));
        left.is_some()
    }

    fn turn_to(&mut self, place: usize) {
        (self.place, self.at) = (place, 0);
    }

    /// Unpacks the present chunk, or the next one that can be read. False when there is none.
    fn load<S: Source>(&mut self, recording: &mut Recording<S>) -> bool {
        while self.loaded != Some(self.place) {
            let Some(chunk) = self.chunks.get(self.place).copied() else { return false };
            self.loaded = None;
            let raw = recording.raw(&chunk);
            match raw.and_then(|raw| Ok((spots_of(&chunk.header, &raw, self.views)?, raw))) {
                Ok((spots, raw)) => {
                    (self.spots, self.raw, self.loaded) = (spots, raw, Some(self.place));
                }
                Err(error) => {
                    self.note_lost(&chunk.header, error);
                    self.turn_to(self.place + 1);
                }
            }
        }
        true
    }

    fn note_lost(&mut self, header: &ChunkHeader, error: Error) {
        if self.lost.iter().all(|(place, ..)| *place != self.place) {
            self.lost.push((self.place, header.first_tick..header.end_tick(), error));
        }
    }
}

/// The bytes of a chunk that fall to these ticks, as if they were spread evenly.
fn share(header: &ChunkHeader, ticks: &Range<u64>) -> u64 {
    let start = header.first_tick.max(ticks.start);
    let common = header.end_tick().min(ticks.end).saturating_sub(start);
    let all = (header.end_tick() - header.first_tick).max(1);
    (u128::from(header.raw_length) * u128::from(common) / u128::from(all)) as u64
}

/// Where the frames for these views stand; an error where frames are not what the header says.
fn spots_of(header: &ChunkHeader, raw: &[u8], views: ViewSet) -> Result<Vec<Spot>> {
    let mut spots = Vec::new();
    let mut before = header.first_tick;
    for frame in TapeFrames::new(header, raw) {
        let frame = frame?;
        if !frame.views.and(views).is_empty() {
            spots.push(Spot { offset: frame.offset as usize, tick: frame.tick, before });
        }
        before = frame.tick;
    }
    if before.checked_add(1) != Some(header.end_tick()) {
        let problem = "its frames do not end where its header says";
        return Err(Error::misuse(header.kind.to_string(), problem));
    }
    Ok(spots)
}
