//! Tapes as files: read range by range, so that a large one is never held as a whole.

mod contents;
mod key;
mod line;
mod metadata;
mod view;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use gametape_tape::{
    Chunk, ChunkEntry, Depth, Recovered, Recovery, Segment, Tape, TapeHeader, TapeReader,
};
use gametape_wire::{Error, ErrorKind, Need, SansIo, Tick};

use crate::failure::{Failure, warn_of_loss};
use crate::input::{Source, refuse};
use crate::progress::Progress;
pub(crate) use contents::Content;
pub(crate) use key::{PublicKeyArg, read_secret, write_pair};
pub(crate) use line::{ChunkLine, PartLine};
pub(crate) use metadata::{Metadata, PlayerName, Seat};
pub(crate) use view::{PLAY_ONCE, view_at, warn_of_doubt};

/// A tape whose bytes are fetched when somebody needs them.
#[derive(Debug)]
pub(crate) struct TapeFile {
    pub(crate) source: Source,
    store: Store,
    buffer: Vec<u8>,
    /// Bytes fetched so far.
    fetched: u64,
}

#[derive(Debug)]
enum Store {
    File(File),
    Memory(Vec<u8>),
}

/// Do these bytes begin a tape, or one that a text-mode or 7-bit channel spoilt? Opening it says
/// what is wrong then.
pub(crate) fn is_tape(start: &[u8]) -> bool {
    matches!(start, [0x89 | 0x09, b'T', b'A', b'P', ..])
}

impl TapeFile {
    /// A tape in memory.
    pub(crate) fn in_memory(source: &Source, bytes: Vec<u8>) -> Self {
        Self::new(source, Store::Memory(bytes))
    }

    /// A tape in a file that can be entered anywhere.
    pub(crate) fn in_file(source: &Source, file: File) -> Self {
        Self::new(source, Store::File(file))
    }

    fn new(source: &Source, store: Store) -> Self {
        Self { source: source.clone(), store, buffer: Vec::new(), fetched: 0 }
    }

    /// How long the tape is now.
    pub(crate) fn length(&self) -> Result<u64, Failure> {
        match &self.store {
            Store::Memory(bytes) => Ok(bytes.len() as u64),
            Store::File(file) => {
                file.metadata().map(|about| about.len()).map_err(|error| self.io(&error))
            }
        }
    }

    fn io(&self, error: &io::Error) -> Failure {
        Failure::io(&self.source, error)
    }

    /// Something is wrong with this tape.
    pub(crate) fn failure(&self, error: &Error) -> Failure {
        Failure::of(&self.source, error)
    }

    /// A usage error if one of these options was given, which tapes do not know.
    pub(crate) fn refuse(&self, options: &[(&str, bool)]) -> Result<(), Failure> {
        let source = &self.source;
        refuse(options, |option| {
            Failure::usage(format_args!("{option} is not for tapes, and {source} is one"))
        })
    }

    /// These bytes; fewer where the tape ends.
    pub(crate) fn fetch(&mut self, range: &Range<u64>) -> Result<&[u8], Failure> {
        let source = self.source.clone();
        self.fetch_io(range).map_err(|error| Failure::io(&source, &error))
    }

    fn fetch_io(&mut self, range: &Range<u64>) -> io::Result<&[u8]> {
        let bytes = match &mut self.store {
            Store::Memory(bytes) => {
                let [start, end] =
                    [range.start, range.end].map(|place| (place as usize).min(bytes.len()));
                &bytes[start..end]
            }
            Store::File(file) => {
                read_range(file, range, &mut self.buffer)?;
                &self.buffer
            }
        };
        self.fetched += bytes.len() as u64;
        Ok(bytes)
    }

    /// Opens the tape; where its index cannot be used, walks it.
    pub(crate) fn open(&mut self, depth: Depth) -> Result<Tape, Failure> {
        let mut reader = TapeReader::new(self.length()?, depth);
        self.answer("reading", &mut reader)?;
        reader.finish().map_err(|error| self.failure(&error))
    }

    /// Walks the whole tape, and finds what is whole.
    pub(crate) fn recover(&mut self) -> Result<Recovered, Failure> {
        let mut recovery = Recovery::new(self.length()?).with_chain();
        self.answer("searching", &mut recovery)?;
        Ok(recovery.finish())
    }

    /// Gives a reader the bytes that it needs, until it needs no more.
    pub(crate) fn answer(
        &mut self,
        label: &'static str,
        reader: &mut impl SansIo,
    ) -> Result<(), Failure> {
        let mut progress = Progress::new(label, self.length()?);
        while let Need::Bytes(ranges) = reader.need() {
            for range in ranges {
                progress.at(range.start);
                let supplied = reader.supply(range.clone(), self.fetch(&range)?);
                supplied.map_err(|error| self.failure(&error))?;
            }
        }
        Ok(())
    }

    /// Writes a tape that is made of this one; returns how many bytes it has.
    pub(crate) fn put_segments(
        &mut self,
        label: &'static str,
        segments: &[Segment],
        mut put: impl FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<u64, Failure> {
        let mut written = 0;
        let mut progress = Progress::new(label, segments.iter().map(Segment::length).sum());
        for segment in segments {
            let mut put = |bytes: &[u8]| {
                written += bytes.len() as u64;
                progress.at(written);
                put(bytes)
            };
            match segment {
                Segment::Bytes(bytes) => put(bytes)?,
                Segment::Copy(range) => self.copy(range, put)?,
            }
        }
        Ok(written)
    }

    /// One chunk, checked against the index.
    pub(crate) fn chunk(&mut self, entry: &ChunkEntry) -> Result<Chunk<'_>, Failure> {
        let source = self.source.clone();
        let bytes = self.fetch(&entry.range())?;
        entry.read(bytes).map_err(|error| Failure::of(&source, &error))
    }

    /// Shows these chunks to `visit`, one after the other.
    pub(crate) fn visit<'e>(
        &mut self,
        label: &'static str,
        entries: impl IntoIterator<Item = &'e ChunkEntry>,
        mut visit: impl FnMut(&Chunk<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut progress = Progress::new(label, self.length()?);
        let mut done = 0;
        for entry in entries {
            visit(&self.chunk(entry)?)?;
            done += entry.header.chunk_length();
            progress.at(done);
        }
        Ok(())
    }

    /// Copies the first bytes of the tape.
    pub(crate) fn copy(
        &mut self,
        range: &Range<u64>,
        mut put: impl FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        const PIECE: u64 = 1 << 20;
        let mut at = range.start;
        while at < range.end {
            let end = range.end.min(at + PIECE);
            let source = self.source.clone();
            let bytes = self.fetch(&(at..end))?;
            if (bytes.len() as u64) < end - at {
                let kind = ErrorKind::Truncated { needed: end - at, available: bytes.len() as u64 };
                return Err(Failure::of(&source, &Error::at(at, "tape", kind)));
            }
            put(bytes)?;
            at = end;
        }
        Ok(())
    }

    /// The bytes of a tape in memory; none of one in a file.
    pub(crate) fn into_memory(self) -> Vec<u8> {
        match self.store {
            Store::Memory(bytes) => bytes,
            Store::File(_) => Vec::new(),
        }
    }

    /// Can there be more of it later?
    pub(crate) fn may_grow(&self) -> bool {
        matches!(self.store, Store::File(_))
    }

    /// Bytes fetched so far.
    #[cfg(test)]
    pub(crate) fn fetched(&self) -> u64 {
        self.fetched
    }
}

fn read_range(file: &mut File, range: &Range<u64>, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    file.seek(SeekFrom::Start(range.start))?;
    file.take(range.end.saturating_sub(range.start)).read_to_end(buffer).map(drop)
}

/// What a walk over the tape did not find.
pub(crate) fn losses(tape: &Tape) -> impl Iterator<Item = String> {
    let missing = tape.missing.iter().map(|run| match run.len() {
        1 => format!("chunk {} is missing", run.start),
        _ => format!("chunks {} to {} are missing", run.start, run.end - 1),
    });
    tape.damages.iter().map(ToString::to_string).chain(missing)
}

/// Tells what a tape that had to be walked does not have any more.
pub(crate) fn warn_of_losses(source: &Source, tape: &Tape) {
    losses(tape).for_each(|loss| warn_of_loss(source, loss));
}

pub(crate) use gametape_replay::derived_header as new_front;

/// Milliseconds that so many ticks last.
pub(crate) fn milliseconds(front: &TapeHeader, ticks: u64) -> u64 {
    front.tick_length.millis_of(Tick(ticks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_times() {
        let front = TapeHeader::new(16_667, 1).unwrap();
        assert_eq!([0, 1, 60].map(|t| milliseconds(&front, t)), [0, 16, 1000]);
    }
}
