//! Tapes as files: read range by range, so that a large one is never held as a whole.

use std::borrow::Cow;
use std::fs::File;
use std::ops::Range;

use gametape_replay::inspect::losses;
use gametape_replay::open::{Format, KeptStart, open_tape, sniff, visit_chunks};
use gametape_tape::{Chunk, ChunkEntry, Depth, Recovered, Recovery, Tape};
use gametape_wire::{Error, Result as WireResult, Source as Bytes, drive};

use crate::host::{BytesBar, host, waiting, warn_of_loss};
use crate::outcome::Failure;
use crate::output::Unwritten;
use crate::remote::Remote;
use crate::source::Source;

/// A tape whose bytes are fetched when they are needed.
#[derive(Debug)]
pub struct TapeFile {
    /// Where it is.
    pub source: Source,
    store: Store,
    /// Shows which byte of the tape the work is at.
    progress: Option<Box<dyn BytesBar>>,
}

#[derive(Debug)]
enum Store {
    File(KeptStart<File>),
    Remote(Remote),
    Memory(Vec<u8>),
}

impl Bytes for TapeFile {
    fn length(&self) -> u64 {
        match &self.store {
            Store::File(file) => file.length(),
            Store::Remote(remote) => remote.length(),
            Store::Memory(bytes) => bytes.length(),
        }
    }

    fn fetch(&mut self, range: Range<u64>) -> WireResult<Cow<'_, [u8]>> {
        if let Some(progress) = &mut self.progress {
            progress.at(range.end);
        }
        match &mut self.store {
            Store::File(file) => file.fetch(range),
            Store::Remote(remote) => remote.fetch(range),
            Store::Memory(bytes) => bytes.fetch(range),
        }
    }

    fn prepare(&mut self, ranges: &[Range<u64>]) -> WireResult<()> {
        match &mut self.store {
            Store::Remote(remote) => remote.prepare(ranges),
            Store::File(_) | Store::Memory(_) => Ok(()),
        }
    }
}

impl TapeFile {
    /// A tape in memory.
    #[must_use]
    pub fn in_memory(source: &Source, bytes: Vec<u8>) -> Self {
        Self { source: source.clone(), store: Store::Memory(bytes), progress: None }
    }

    /// A tape in a file that can be entered anywhere.
    #[must_use]
    pub fn in_file(source: &Source, file: File) -> Self {
        Self { source: source.clone(), store: Store::File(KeptStart::new(file)), progress: None }
    }

    /// A tape at an address.
    pub(crate) fn at_address(source: &Source, remote: Remote) -> Self {
        Self { source: source.clone(), store: Store::Remote(remote), progress: None }
    }

    /// Does work that goes through the tape and prints nothing, and shows how far it is.
    pub fn watched<T>(&mut self, label: &'static str, work: impl FnOnce(&mut Self) -> T) -> T {
        self.progress = host().watch_bytes(label, self.length());
        let done = work(self);
        self.progress = None;
        done
    }

    /// Does it begin as a tape does? `None` where it is empty.
    pub fn is_tape(&mut self) -> Result<Option<bool>, Failure> {
        let start = self.first(4)?;
        Ok((!start.is_empty()).then(|| sniff(&start, None) == Some(Format::Tape)))
    }

    /// Something is wrong with this tape.
    #[must_use]
    pub fn failure(&self, error: &Error) -> Failure {
        Failure::of(&self.source, error)
    }

    /// Opens the tape; where its index cannot be used, walks it.
    pub fn open(&mut self, depth: Depth) -> Result<Tape, Failure> {
        waiting("reading", || open_tape(self, depth)).map_err(|error| self.failure(&error))
    }

    /// Walks the whole tape, and finds what is whole.
    pub fn recover(&mut self) -> Result<Recovered, Failure> {
        let mut recovery = Recovery::new(self.length()).with_chain();
        let searched = self.watched("searching", |file| drive(&mut recovery, file));
        searched.map_err(|error| self.failure(&error))?;
        Ok(recovery.finish())
    }

    /// Shows these chunks to `visit`, one after the other.
    pub fn visit<'e>(
        &mut self,
        entries: impl IntoIterator<Item = &'e ChunkEntry>,
        mut visit: impl FnMut(&Chunk<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut unwritten = Unwritten::default();
        let visited = visit_chunks(self, entries, |chunk| unwritten.note(visit(chunk)));
        unwritten.conclude(&self.source, visited)
    }

    /// The first bytes, at most this many.
    pub(crate) fn first(&mut self, most: u64) -> Result<Vec<u8>, Failure> {
        let bytes = self.fetch(0..self.length().min(most)).map(Cow::into_owned);
        bytes.map_err(|error| self.failure(&error))
    }

    /// All bytes, unless they are more than memory may be used for.
    pub fn into_bytes(self) -> Result<Vec<u8>, Failure> {
        match self.store {
            Store::Memory(bytes) => Ok(bytes),
            Store::File(_) | Store::Remote(_) => self.source.read(),
        }
    }

    /// Can there be more of it later?
    #[must_use]
    pub fn may_grow(&self) -> bool {
        matches!(self.store, Store::File(_))
    }
}

/// Reports what a tape that had to be walked does not have any more.
pub fn warn_of_losses(source: &Source, tape: &Tape) {
    losses(tape).for_each(|loss| warn_of_loss(source, loss));
}
