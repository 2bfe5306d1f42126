//! A tape whose index is known, without its bytes.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use gametape_cadre::Raw;
use gametape_tape::{Chunk, ChunkEntry, ChunkKind, DamageKind, Gap, Tape};
use gametape_wire::{Arrange, Error, ErrorKind, Result, Tick};

use super::first_tick;
use super::store::{Store, joined};

/// Bytes of chunks that are kept, besides those that are needed at once.
const STORED_BYTES: usize = 8 << 20;
/// Ranges this close to each other are asked for as one.
const SMALL_GAP: u64 = 16 << 10;
/// Keyframes of a packed tape are asked for as one range up to this size.
const KEYFRAMES_AT_ONCE: u64 = 16 << 20;

/// A tape whose index was read: what is in it and what is missing. The bytes of its chunks are
/// supplied when they are needed.
#[derive(Debug, Clone)]
pub struct OpenTape {
    /// Shared by copies, until one of them grows.
    tape: Arc<Tape>,
    /// All that is missing, and of that what gap chunks say.
    gaps: Vec<Gap>,
    declared: Vec<Gap>,
    length: u64,
    store: Store,
    growth: Growth,
    /// What has come of the next chunk.
    partial: Vec<u8>,
}

/// May chunks be added?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Growth {
    No,
    Yes,
    /// They could, until the index began.
    Finished,
}

impl OpenTape {
    pub(super) fn new(tape: Tape, length: u64) -> Self {
        let (gaps, declared) = (tape.gaps(), Vec::new());
        let store = Store::new(STORED_BYTES);
        let tape = Arc::new(tape);
        Self { tape, gaps, declared, length, store, growth: Growth::No, partial: Vec::new() }
    }

    /// What is in the tape, and where.
    #[must_use]
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// What is known to be missing: what gap chunks say, and what damage took. Ascending by tick.
    #[must_use]
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// The first tick that is in the tape: 0, unless it was cut.
    #[must_use]
    pub fn first_tick(&self) -> Tick {
        first_tick(&self.gaps)
    }

    /// A string of the metadata; the closing metadata counts where both have it.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<String> {
        let metadata = [self.tape.closing.as_deref(), Some(self.tape.metadata.as_str())];
        metadata.into_iter().flatten().find_map(|json| {
            let value = Raw::parse(json.as_bytes()).ok()?.get(name)?;
            value.as_str().map(Cow::into_owned)
        })
    }

    /// The raw bytes of a chunk; `None` where its [range](ChunkEntry::range) is to be supplied first.
    #[must_use]
    pub fn raw(&self, entry: &ChunkEntry) -> Option<Result<Vec<u8>>> {
        let read = |bytes| Ok(entry.read(bytes)?.raw()?.into_owned());
        Some(self.bytes(&entry.range())?.and_then(read))
    }

    /// The first setup of a stream, where the tape has one.
    #[must_use]
    pub fn setup(&self, stream: u16) -> Option<&ChunkEntry> {
        self.tape.stream(ChunkKind::SETUP, stream).next()
    }

    /// Keeps bytes of the tape for later.
    pub fn store(&mut self, offset: u64, bytes: &[u8]) {
        self.store.add(offset, bytes.to_vec());
    }

    /// Bytes of chunks that are kept now.
    #[must_use]
    pub fn stored_bytes(&self) -> usize {
        self.store.bytes() + self.partial.len()
    }

    /// Bytes of the tape; `None` where they are to be supplied first.
    pub(crate) fn bytes(&self, range: &Range<u64>) -> Option<Result<&[u8]>> {
        if range.end > self.length {
            let available = self.length.saturating_sub(range.start);
            let kind = ErrorKind::Truncated { needed: range.end - range.start, available };
            return Some(Err(Error::at(range.start, "chunk", kind)));
        }
        self.store.get(range).map(Ok)
    }

    /// What must be supplied to have these chunks, in few ranges. Chunks after the end of the tape are
    /// never asked for.
    pub(crate) fn ask(
        &mut self,
        keyframes: &[Range<u64>],
        input: &[Range<u64>],
    ) -> Vec<Range<u64>> {
        let length = self.length;
        let wanted = keyframes.iter().chain(input).filter(|range| range.end <= length);
        let mut lacking = self.store.ask(wanted.cloned());
        if lacking.is_empty() {
            return lacking;
        }
        if self.tape.summary.packed {
            // All that is between them are other keyframes: one request is cheaper than many.
            let is_keyframe = |range: &Range<u64>| keyframes.contains(range);
            let needed = lacking.extract_if(.., |range| is_keyframe(range)).collect::<Vec<_>>();
            let span = joined(needed.clone(), u64::MAX);
            let fits = span.iter().all(|range| range.end - range.start <= KEYFRAMES_AT_ONCE);
            lacking.extend(if fits { span } else { needed });
        }
        joined(lacking, SMALL_GAP)
    }

    pub(super) fn add_gaps(&mut self, gaps: Vec<Gap>) {
        self.gaps.extend(&gaps);
        self.gaps.arrange_by_key(|gap| gap.first_tick);
        self.declared.extend(gaps);
    }

    /// Finds again what is missing.
    fn find_gaps(&mut self) {
        self.gaps = self.tape.gaps();
        self.gaps.extend(&self.declared);
        self.gaps.arrange_by_key(|gap| gap.first_tick);
    }

    /// May chunks still be added?
    #[must_use]
    pub fn is_growing(&self) -> bool {
        self.growth == Growth::Yes
    }

    /// Says that the tape is still being recorded: chunks may be added, and one that is cut at its end
    /// is not lost. Refused for a tape that was finished.
    pub fn follow(&mut self) -> Result<()> {
        if self.tape.is_finished() || self.tape.summary.packed {
            return Err(Error::misuse("tape", "it is finished and does not grow"));
        }
        let end = self.end();
        Arc::make_mut(&mut self.tape)
            .damages
            .retain(|damage| damage.kind != DamageKind::Torn || damage.range.start < end);
        self.find_gaps();
        (self.growth, self.length) = (Growth::Yes, end);
        Ok(())
    }

    pub(crate) fn close(&mut self) {
        if self.growth == Growth::Yes {
            self.find_gaps();
        }
        self.growth = Growth::No;
        self.partial.clear();
    }

    /// Adds bytes that follow those that are known, in pieces of any size.
    pub fn extend(&mut self, bytes: &[u8]) -> Result<()> {
        self.grow(bytes, |_, _| Ok(()))
    }

    /// After the last whole chunk: where the tape goes on.
    #[must_use]
    pub fn end(&self) -> u64 {
        let header = gametape_tape::TapeHeader::LENGTH as u64;
        self.tape.chunks.last().map_or(header, |chunk| chunk.range().end)
    }

    /// Takes bytes that follow those that are known, and gives every chunk that becomes whole.
    pub(crate) fn grow(
        &mut self,
        bytes: &[u8],
        mut added: impl FnMut(&mut Self, &ChunkEntry) -> Result<()>,
    ) -> Result<()> {
        match self.growth {
            Growth::Yes => {}
            Growth::No => return Err(Error::misuse("tape", "it does not grow")),
            // The index says what is known already.
            Growth::Finished => return Ok(()),
        }
        let mut all = std::mem::take(&mut self.partial);
        all.extend_from_slice(bytes);
        let mut used = 0;
        while self.is_growing() {
            let rest = &all[used..];
            let offset = self.length;
            let chunk = match Chunk::read(rest, offset) {
                Ok(chunk) => chunk,
                Err(error) if matches!(error.kind(), ErrorKind::Truncated { .. }) => break,
                Err(error) => return Err(error),
            };
            let entry = ChunkEntry::from(&chunk);
            let own = &rest[..(entry.range().end - offset) as usize];
            self.length = entry.range().end;
            if Arc::make_mut(&mut self.tape).push(&chunk)? {
                if chunk.header.kind == ChunkKind::GAP {
                    self.add_gaps(vec![Gap::read(&chunk)?]);
                }
                self.store.ask(std::iter::empty());
                self.store.add(offset, own.to_vec());
                added(self, &entry)?;
            } else {
                // The index begins: all chunks are there.
                self.growth = Growth::Finished;
                self.find_gaps();
            }
            used += own.len();
        }
        if self.is_growing() {
            all.drain(..used);
            self.partial = all;
        }
        Ok(())
    }
}
