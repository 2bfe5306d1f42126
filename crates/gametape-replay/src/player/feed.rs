//! The recorded input of a track, frame by frame, from any tick on.

use std::ops::Range;

use gametape_tape::{ChunkEntry, ChunkHeader, ChunkKind, TapeFrame, TapeFrames};
use gametape_wire::{Error, Result, ViewSet};

use crate::source::{Recording, Source};

/// Every how many frames of a chunk a place is kept to go on from.
const MARK_SPACING: usize = 64;

/// A place between two frames of a chunk.
#[derive(Debug, Clone, Copy)]
struct Mark {
    /// Where the next frame begins.
    offset: usize,
    /// The tick of the frame before, from which the next one counts.
    before: u64,
}

/// Walks over the frames that some views receive.
#[derive(Debug)]
pub(super) struct Feed {
    views: ViewSet,
    chunks: Vec<ChunkEntry>,
    /// Number of the chunk in which the next frame stands, or stood.
    place: usize,
    /// Which chunk is unpacked.
    loaded: Option<usize>,
    raw: Vec<u8>,
    marks: Vec<Mark>,
    at: Mark,
    /// Chunks that cannot be read: their ticks, and why.
    lost: Vec<(usize, Range<u64>, Error)>,
}

impl Feed {
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
            loaded: None,
            raw: Vec::new(),
            marks: Vec::new(),
            at: Mark { offset: 0, before: 0 },
            lost: Vec::new(),
        }
    }

    /// Chunks that turned out to be unreadable: their ticks, and why.
    pub(super) fn lost(&self) -> impl Iterator<Item = (&Range<u64>, &Error)> {
        self.lost.iter().map(|(_, ticks, error)| (ticks, error))
    }

    /// Goes to the first frame at or behind `tick`.
    pub(super) fn seek<S: Source>(&mut self, recording: &mut Recording<S>, tick: u64) {
        self.place = self.chunks.partition_point(|chunk| chunk.header.end_tick() <= tick);
        self.at = Mark { offset: usize::MAX, before: 0 };
        if !self.load(recording) {
            return;
        }
        let behind = self.marks.partition_point(|mark| mark.before < tick);
        self.at = self.marks[behind.saturating_sub(1)];
        while let Some((frame, next)) = self.parse() {
            if frame >= tick {
                break;
            }
            self.at = next;
        }
    }

    /// The tick of the next frame for the views, if there is one.
    pub(super) fn peek<S: Source>(&mut self, recording: &mut Recording<S>) -> Option<u64> {
        loop {
            if !self.load(recording) {
                return None;
            }
            match frame_at(&self.chunks[self.place].header, &self.raw, self.at) {
                Some((frame, _)) if !frame.views.and(self.views).is_empty() => {
                    return Some(frame.tick);
                }
                Some((_, next)) => self.at = next,
                None => self.turn(),
            }
        }
    }

    /// Takes the next frame for the views, if its tick is before `stop`.
    pub(super) fn take<S: Source>(
        &mut self,
        recording: &mut Recording<S>,
        stop: u64,
    ) -> Option<TapeFrame<'_>> {
        self.peek(recording).filter(|tick| *tick < stop)?;
        let (frame, next) = frame_at(&self.chunks[self.place].header, &self.raw, self.at)?;
        self.at = next;
        Some(frame)
    }

    /// Do the frames of these ticks have at most so many bytes, as far as headers tell?
    pub(super) fn has_at_most(&self, bytes: u64, ticks: &Range<u64>) -> bool {
        let first = self.chunks.partition_point(|chunk| chunk.header.end_tick() <= ticks.start);
        let touched = self.chunks[first..].iter().map(|chunk| &chunk.header);
        let mut touched = touched.take_while(|header| header.first_tick < ticks.end);
        let left = touched.try_fold(bytes, |left, header| left.checked_sub(share(header, ticks)));
        left.is_some()
    }

    /// Goes to the last frame for the views before `tick` and gives its tick. Where there is none,
    /// the feed is then somewhere.
    pub(super) fn last_before<S: Source>(
        &mut self,
        recording: &mut Recording<S>,
        tick: u64,
    ) -> Option<u64> {
        let end = self.chunks.partition_point(|chunk| chunk.header.first_tick < tick);
        for place in (0..end).rev() {
            (self.place, self.at) = (place, Mark { offset: usize::MAX, before: 0 });
            if !self.load(recording) || self.place != place {
                continue;
            }
            let marks = self.marks.partition_point(|mark| mark.before < tick);
            let last = (0..marks).rev().find_map(|mark| self.last_behind(mark, tick));
            if last.is_some() {
                return last;
            }
        }
        None
    }

    /// The tick of the last frame for the views behind a mark, before the next one and `tick`.
    fn last_behind(&self, mark: usize, tick: u64) -> Option<u64> {
        let mut header = self.chunks[self.place].header;
        let Mark { offset, before } = self.marks[mark];
        header.first_tick = before;
        let frames = TapeFrames::new(&header, &self.raw[offset..]).map_while(Result::ok);
        let early = frames.take(MARK_SPACING).take_while(|frame| frame.tick < tick);
        let ours = early.filter(|frame| !frame.views.and(self.views).is_empty());
        ours.last().map(|frame| frame.tick)
    }

    fn parse(&self) -> Option<(u64, Mark)> {
        let header = &self.chunks.get(self.place)?.header;
        frame_at(header, &self.raw, self.at).map(|(frame, next)| (frame.tick, next))
    }

    fn turn(&mut self) {
        self.place += 1;
        self.at.offset = usize::MAX;
    }

    /// Unpacks the present chunk, or the next one that can be read. False when there is none.
    fn load<S: Source>(&mut self, recording: &mut Recording<S>) -> bool {
        while let Some(chunk) = self.chunks.get(self.place).copied() {
            if self.loaded != Some(self.place) {
                self.loaded = None;
                match recording.raw(&chunk).and_then(|raw| Ok((marks_of(&chunk, &raw)?, raw))) {
                    Ok((marks, raw)) => (self.marks, self.raw) = (marks, raw),
                    Err(error) => {
                        self.note_lost(&chunk.header, error);
                        self.turn();
                        continue;
                    }
                }
                self.loaded = Some(self.place);
                self.at.offset = usize::MAX;
            }
            if self.at.offset == usize::MAX {
                self.at = Mark { offset: 0, before: chunk.header.first_tick };
            }
            return true;
        }
        false
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

/// The frame at a place, and the place behind it.
fn frame_at<'a>(header: &ChunkHeader, raw: &'a [u8], at: Mark) -> Option<(TapeFrame<'a>, Mark)> {
    let mut header = *header;
    header.first_tick = at.before;
    let frame = TapeFrames::new(&header, raw.get(at.offset..)?).next()?.ok()?;
    let end = frame.parts().last().map_or(0, |part| part.offset as usize + part.payload.len());
    let next = Mark { offset: at.offset + end, before: frame.tick };
    Some((frame, next))
}

/// Places in a chunk to go on from; an error where its frames are not what its header says.
fn marks_of(chunk: &ChunkEntry, raw: &[u8]) -> Result<Vec<Mark>> {
    let mut marks = vec![Mark { offset: 0, before: chunk.header.first_tick }];
    let mut before = chunk.header.first_tick;
    for (number, frame) in TapeFrames::new(&chunk.header, raw).enumerate() {
        let frame = frame?;
        if number > 0 && number.is_multiple_of(MARK_SPACING) {
            marks.push(Mark { offset: frame.offset as usize, before });
        }
        before = frame.tick;
    }
    if before.checked_add(1) != Some(chunk.header.end_tick()) {
        let problem = "its frames do not end where its header says";
        return Err(Error::misuse(chunk.header.kind.to_string(), problem));
    }
    Ok(marks)
}
