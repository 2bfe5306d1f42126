//! Tapes as files: read range by range, so that a large one is never held as a whole.

mod contents;
mod key;
mod view;

use std::borrow::Cow;
use std::fs::File;
use std::ops::Range;

use gametape_replay::open::{Format, KeptStart, open_tape, sniff};
use gametape_tape::{Chunk, ChunkEntry, Depth, Recovered, Recovery, Tape, TapeHeader};
use gametape_wire::{Error, Result as WireResult, Source as Bytes, Tick, drive};

use crate::failure::{Failure, warn_of_loss};
use crate::input::{Source, refuse};
use crate::progress::waiting;
pub(crate) use contents::{Content, warn_of_gaps};
use gametape_replay::inspect::losses;
pub(crate) use gametape_replay::inspect::{ChunkLine, PartLine};
pub(crate) use gametape_replay::metadata::{Metadata, Seat};
pub(crate) use key::{PublicKeyArg, read_secret, write_pair};
pub(crate) use view::{PLAY_ONCE, view_at, warn_of_doubt};

/// A tape whose bytes are fetched when they are needed.
#[derive(Debug)]
pub(crate) struct TapeFile {
    pub(crate) source: Source,
    store: Store,
}

#[derive(Debug)]
enum Store {
    File(KeptStart<File>),
    Memory(Vec<u8>),
}

/// Do these bytes begin a tape, or one that a text-mode or 7-bit channel damaged? Opening it says
/// what is wrong then.
pub(crate) fn is_tape(start: &[u8]) -> bool {
    sniff(start, None) == Some(Format::Tape)
}

impl Bytes for TapeFile {
    fn length(&self) -> u64 {
        match &self.store {
            Store::File(file) => file.length(),
            Store::Memory(bytes) => bytes.length(),
        }
    }

    fn fetch(&mut self, range: Range<u64>) -> WireResult<Cow<'_, [u8]>> {
        match &mut self.store {
            Store::File(file) => file.fetch(range),
            Store::Memory(bytes) => bytes.fetch(range),
        }
    }
}

impl TapeFile {
    /// A tape in memory.
    pub(crate) fn in_memory(source: &Source, bytes: Vec<u8>) -> Self {
        Self { source: source.clone(), store: Store::Memory(bytes) }
    }

    /// A tape in a file that can be entered anywhere.
    pub(crate) fn in_file(source: &Source, file: File) -> Self {
        Self { source: source.clone(), store: Store::File(KeptStart::new(file)) }
    }

    /// Does it begin as a tape does? `None` where it is empty.
    pub(crate) fn is_tape(&mut self) -> Result<Option<bool>, Failure> {
        let source = self.source.clone();
        let start = self.fetch(0..self.length().min(4));
        let start = start.map_err(|error| Failure::of(&source, &error))?;
        Ok((!start.is_empty()).then(|| is_tape(&start)))
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

    /// Opens the tape; where its index cannot be used, walks it.
    pub(crate) fn open(&mut self, depth: Depth) -> Result<Tape, Failure> {
        waiting("reading", || open_tape(self, depth)).map_err(|error| self.failure(&error))
    }

    /// Walks the whole tape, and finds what is whole.
    pub(crate) fn recover(&mut self) -> Result<Recovered, Failure> {
        let mut recovery = Recovery::new(self.length()).with_chain();
        let searched = waiting("searching", || drive(&mut recovery, self));
        searched.map_err(|error| self.failure(&error))?;
        Ok(recovery.finish())
    }

    /// Shows these chunks to `visit`, one after the other.
    pub(crate) fn visit<'e>(
        &mut self,
        entries: impl IntoIterator<Item = &'e ChunkEntry>,
        mut visit: impl FnMut(&Chunk<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for entry in entries {
            let source = self.source.clone();
            let failed = |error: Error| Failure::of(&source, &error);
            let bytes = self.fetch(entry.range()).map_err(failed)?;
            visit(&entry.read(&bytes).map_err(failed)?)?;
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
}

/// Reports what a tape that had to be walked does not have any more.
pub(crate) fn warn_of_losses(source: &Source, tape: &Tape) {
    losses(tape).for_each(|loss| warn_of_loss(source, loss));
}

/// Milliseconds that this many ticks last.
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
