//! Going on with a tape that was interrupted, or even finished.

use std::borrow::Cow;
use std::io::{self, SeekFrom};
use std::ops::Range;

use gametape_tape::{ChunkKind, Recovered, Recovery, TapeWriter};
use gametape_wire::{Error, Result, Source, ViewSet, drive};

use super::item::Loss;
use super::sink::ResumableSink;

/// A tape that goes on.
#[derive(Debug)]
pub(super) struct Resumed {
    pub(super) tape: TapeWriter,
    pub(super) interruption: Interruption,
}

/// Where the recording of a resumed tape was interrupted, and what was lost there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interruption {
    /// One after the last tick of which everything is written.
    pub(super) end_tick: u64,
    torn_chunks: u64,
    torn_bytes: u64,
}

impl Interruption {
    fn of(found: &Recovered) -> Self {
        let timed = found.chunks.iter().filter(|chunk| chunk.header.kind.has_ticks());
        let torn = &found.damages;
        let end_tick = timed.map(|chunk| chunk.header.end_tick()).max().unwrap_or_default();
        Self {
            end_tick: found.unwritten().map_or(end_tick.0, |ticks| ticks.start.0),
            torn_chunks: torn.iter().filter(|damage| damage.header.is_some()).count() as u64,
            torn_bytes: torn.iter().map(|damage| damage.range.end - damage.range.start).sum(),
        }
    }

    pub(super) fn has_lost_bytes(&self) -> bool {
        self.torn_bytes > 0
    }

    /// What is missing when recording goes on at `tick`.
    pub(super) fn until(&self, tick: u64) -> Loss {
        Loss {
            kind: ChunkKind(0),
            stream: 0,
            views: ViewSet::ALL,
            first_tick: self.end_tick,
            end_tick: tick.max(self.end_tick),
            items: self.torn_chunks,
            bytes: self.torn_bytes,
        }
    }
}

/// Reads the whole tape, cuts a torn end off, and goes on after the last whole chunk.
pub(super) fn resume(sink: &mut impl ResumableSink) -> Result<Resumed> {
    let found = walk(sink)?;
    let interruption = Interruption::of(&found);
    let end = found.end;
    let tape = found.resume()?;
    sink.cut(end).map_err(|error| Error::unwritable(end, "tape", error))?;
    Ok(Resumed { tape, interruption })
}

fn walk(sink: &mut impl ResumableSink) -> Result<Recovered> {
    let length =
        sink.seek(SeekFrom::End(0)).map_err(|error| Error::unreadable(0, "tape", error))?;
    let mut recovery = Recovery::new(length).with_chain();
    let mut window = Window { sink, length, at: 0, bytes: Vec::new() };
    drive(&mut recovery, &mut window)?;
    Ok(recovery.finish())
}

/// How much is read at once.
const READ_BYTES: u64 = 256 << 10;

/// A part of a tape in memory. *Why:* a walk goes forward, looks at some bytes twice, and asks for
/// few at once.
struct Window<'a, S> {
    sink: &'a mut S,
    length: u64,
    at: u64,
    bytes: Vec<u8>,
}

impl<S: ResumableSink> Source for Window<'_, S> {
    fn length(&self) -> u64 {
        self.length
    }

    fn fetch(&mut self, range: Range<u64>) -> Result<Cow<'_, [u8]>> {
        let end = self.at + self.bytes.len() as u64;
        if range.start < self.at || range.end > end {
            self.read(&range).map_err(|error| Error::unreadable(range.start, "tape", error))?;
        }
        let [start, end] = [range.start, range.end].map(|offset| (offset - self.at) as usize);
        Ok(Cow::Borrowed(&self.bytes[start..end]))
    }
}

impl<S: ResumableSink> Window<'_, S> {
    fn read(&mut self, range: &Range<u64>) -> io::Result<()> {
        let most = (range.end - range.start).max(READ_BYTES).min(self.length - range.start);
        self.at = range.start;
        self.bytes.resize(most as usize, 0);
        self.sink.seek(SeekFrom::Start(self.at))?;
        self.sink.read_exact(&mut self.bytes)
    }
}
