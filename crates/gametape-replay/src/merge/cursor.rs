//! One stream of frames or orders in one tape, read frame by frame.

use std::collections::VecDeque;

use gametape_tape::{ChunkEntry, ChunkHeader, TapeFrame, TapeFrames};
use gametape_wire::{Limit, Result, Source, Tick, View, ViewSet};

use super::MergeInput;

/// The chunks of all streams that are held at a time.
const HELD_BYTES: Limit = Limit::new("bytes of streams that are read side by side", 96 << 20);

/// Reads the frames of one stream of one input.
pub(super) struct Cursor {
    pub(super) input: usize,
    chunks: VecDeque<ChunkEntry>,
    held: Option<Held>,
}

/// A chunk of which some frames are left.
struct Held {
    /// Its first tick is that of the last frame that was read.
    header: ChunkHeader,
    raw: Vec<u8>,
    /// The offset of the next frame.
    at: usize,
    /// The tick of the next frame.
    next_tick: Tick,
    /// The offset of the byte after the next frame.
    next_end: usize,
}

/// A frame: views ascend, each with its payload.
pub(super) struct Frame<'a> {
    pub(super) views: ViewSet,
    frame: TapeFrame<'a>,
}

impl<'a> Frame<'a> {
    /// What each view receives, views ascending.
    pub(super) fn pieces(&self) -> impl Iterator<Item = (View, &'a [u8])> + use<'a> {
        let parts = self.frame.parts();
        parts.flat_map(|part| part.views.iter().map(move |view| (view, part.payload)))
    }
}

impl Cursor {
    pub(super) fn new(input: usize, chunks: VecDeque<ChunkEntry>) -> Self {
        Self { input, chunks, held: None }
    }

    /// A tick that the next frame does not come before; it is exact where a chunk is held.
    pub(super) fn next_tick(&self) -> Option<Tick> {
        match &self.held {
            Some(held) => Some(held.next_tick),
            None => self.chunks.front().map(|entry| entry.header.first_tick),
        }
    }

    /// Has the chunk of the next frame been read? Else it is read, and counted in `held`.
    pub(super) fn load<S: Source>(
        &mut self,
        inputs: &mut [MergeInput<S>],
        held: &mut u64,
    ) -> Result<()> {
        while self.held.is_none() {
            let Some(entry) = self.chunks.pop_front() else { return Ok(()) };
            HELD_BYTES.check(*held + u64::from(entry.header.raw_length), entry.offset)?;
            let input = &mut inputs[self.input];
            let raw = input.chunk(&entry, |chunk| Ok(chunk.raw()?.into_owned()))?;
            *held += raw.len() as u64;
            let chunk =
                Held { header: entry.header, raw, at: 0, next_tick: Tick::ZERO, next_end: 0 };
            self.keep(chunk, held).map_err(|error| inputs[self.input].failed(error))?;
        }
        Ok(())
    }

    /// Holds a chunk, unless no frame is left in it.
    fn keep(&mut self, mut chunk: Held, held: &mut u64) -> Result<()> {
        let next = chunk.peek()?.map(|frame| {
            let last = frame.parts().last();
            (frame.tick, last.map_or(0, |part| part.offset as usize + part.payload.len()))
        });
        match next {
            Some((tick, length)) => {
                (chunk.next_tick, chunk.next_end) = (tick, chunk.at + length);
                self.held = Some(chunk);
            }
            None => *held -= chunk.raw.len() as u64,
        }
        Ok(())
    }

    /// Is the next frame, whose chunk is loaded, at this tick?
    pub(super) fn is_at(&self, tick: Tick) -> bool {
        self.held.as_ref().is_some_and(|held| held.next_tick == tick)
    }

    /// The next frame, if it is at this tick.
    pub(super) fn frame_at(&self, tick: Tick) -> Result<Option<Frame<'_>>> {
        match &self.held {
            Some(held) if held.next_tick == tick => {
                let frame = held.peek()?;
                Ok(frame.map(|frame| Frame { views: frame.views, frame }))
            }
            _ => Ok(None),
        }
    }

    /// Goes on after the next frame.
    pub(super) fn advance(&mut self, held: &mut u64) -> Result<()> {
        let Some(mut chunk) = self.held.take() else { return Ok(()) };
        chunk.at = chunk.next_end;
        chunk.header.first_tick = chunk.next_tick;
        self.keep(chunk, held)
    }
}

impl Held {
    /// The next frame; its offsets count from `at`.
    fn peek(&self) -> Result<Option<TapeFrame<'_>>> {
        let rest = self.raw.get(self.at..).unwrap_or_default();
        TapeFrames::new(&self.header, rest).next().transpose()
    }
}
