//! A tape that is opened for playing or converting.

mod open_tape;
mod opening;
mod store;

use std::ops::Range;

use gametape_tape::{Chunk, ChunkEntry, ChunkKind, Gap, GapCause, Tape};
use gametape_wire::{Error, ErrorKind, Place, Result, Source, Tick, drive};

pub use open_tape::OpenTape;
pub use opening::OpeningTape;

/// A tape and the source of its bytes: finished or not, whole or damaged.
///
/// ```
/// use gametape_replay::Recording;
/// use gametape_tape::{TapeHeader, TapeWriter};
/// use gametape_wire::TickLength;
///
/// let header = TapeHeader::new(TickLength::millis::<50>(), 7);
/// let mut writer = TapeWriter::new(header, br#"{"content":"digger"}"#)?;
/// let bytes = writer.take(); // Never finished: the power went.
/// let recording = Recording::open(&bytes[..])?;
/// assert_eq!(recording.field("content").as_deref(), Some("digger"));
/// assert!(!recording.tape().is_finished() && recording.gaps().is_empty());
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct Recording<S> {
    source: S,
    open: OpenTape,
}

impl<S: Source> Recording<S> {
    /// Opens a tape. Refused where a critical chunk is of a kind that this version does not know.
    pub fn open(mut source: S) -> Result<Self> {
        let mut opening = OpeningTape::new(source.length());
        drive(&mut opening, &mut source)?;
        Ok(Self { source, open: opening.finish()? })
    }

    /// The raw bytes of a chunk.
    pub fn raw(&mut self, entry: &ChunkEntry) -> Result<Vec<u8>> {
        self.raw_or_damage(entry)?
    }

    /// The raw bytes of a chunk or, within, what is wrong with it: it is damaged, or after the end of the
    /// tape. The outer error is that of a read.
    pub fn raw_or_damage(&mut self, entry: &ChunkEntry) -> Result<Result<Vec<u8>>> {
        let raw = |bytes: &[u8]| Ok(entry.read(bytes)?.raw()?.into_owned());
        // What opening has read is not fetched again.
        Ok(match self.open.bytes(&entry.range()) {
            Some(bytes) => bytes.and_then(raw),
            None => raw(&self.source.fetch(entry.range())?),
        })
    }

    /// Does something with a chunk.
    pub fn chunk<T>(
        &mut self,
        entry: &ChunkEntry,
        look: impl FnOnce(&Chunk<'_>) -> Result<T>,
    ) -> Result<T> {
        self.bytes(entry.range(), |bytes| look(&entry.read(bytes)?))
    }

    /// Does something with bytes of the tape.
    fn bytes<T>(&mut self, range: Range<u64>, look: impl FnOnce(&[u8]) -> Result<T>) -> Result<T> {
        match self.open.bytes(&range) {
            Some(bytes) => look(bytes?),
            None => look(&self.source.fetch(range)?),
        }
    }

    /// The first setup of a stream. Its bytes are kept, since every view begins with it.
    pub fn setup(&mut self, stream: u16) -> Result<Option<Vec<u8>>> {
        let Some(entry) = self.open.setup(stream).copied() else { return Ok(None) };
        if self.open.bytes(&entry.range()).is_none() {
            let bytes = self.source.fetch(entry.range())?;
            self.open.store(entry.offset, &bytes);
        }
        self.raw(&entry).map(Some)
    }

    /// The setup of a stream, or an error that says that it is missing.
    pub(crate) fn needed_setup(&mut self, stream: u16) -> Result<Vec<u8>> {
        let missing = || {
            let problem = "the tape has none".into();
            Error::new(Place::Nowhere, "setup", ErrorKind::BadSyntax { problem })
        };
        self.setup(stream)?.ok_or_else(missing)
    }
}

impl<S> Recording<S> {
    /// A tape that was opened, and the source of its bytes.
    #[must_use]
    pub fn new(source: S, open: OpenTape) -> Self {
        Self { source, open }
    }

    /// What is in the tape, and where.
    #[must_use]
    pub fn tape(&self) -> &Tape {
        self.open.tape()
    }

    /// What is known to be missing: what gap chunks say, and what damage took. Ascending by tick.
    #[must_use]
    pub fn gaps(&self) -> &[Gap] {
        self.open.gaps()
    }

    /// A string of the metadata; the closing metadata counts where both have it.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<String> {
        self.open.field(name)
    }

    /// The chunks of a kind and stream, in the order of the recording.
    #[must_use]
    pub fn entries(&self, kind: ChunkKind, stream: u16) -> Vec<ChunkEntry> {
        self.tape().stream(kind, stream).copied().collect()
    }

    /// The opened tape, without the source of its bytes.
    pub fn open_tape(&self) -> &OpenTape {
        &self.open
    }

    /// The source of the bytes.
    #[must_use]
    pub fn into_source(self) -> S {
        self.source
    }

    /// The source of the bytes and the opened tape, apart.
    #[must_use]
    pub fn into_parts(self) -> (S, OpenTape) {
        (self.source, self.open)
    }
}

/// The first tick of a tape with these gaps: after what was cut away.
pub(crate) fn first_tick(gaps: &[Gap]) -> Tick {
    let is_before = |gap: &&Gap| gap.cause == GapCause::CUT && gap.first_tick == Tick::ZERO;
    gaps.iter().filter(is_before).map(|gap| gap.ticks().end).max().unwrap_or_default()
}

/// Does a gap concern what is played from the first stream of this kind?
pub(crate) fn concerns(gap: &Gap, kind: ChunkKind) -> bool {
    gap.kind == ChunkKind(0) || (gap.kind, gap.stream) == (kind, 0)
}
