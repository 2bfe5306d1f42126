//! Where the bytes of a tape come from, and a tape that is opened for playing.

use std::borrow::Cow;
use std::ops::Range;

use gametape_cadre::Raw;
use gametape_tape::{Chunk, ChunkEntry, ChunkKind, Depth, Gap, Tape, TapeReader};
use gametape_wire::{Error, ErrorKind, Result, Source, drive};

/// A tape that is opened for playing or converting: finished or not, whole or damaged.
///
/// ```
/// use gametape_replay::Recording;
/// use gametape_tape::{TapeHeader, TapeWriter};
///
/// let mut writer = TapeWriter::new(TapeHeader::new(50_000, 7)?, br#"{"content":"digger"}"#)?;
/// let bytes = writer.take(); // Never finished: the power went.
/// let recording = Recording::open(&bytes[..])?;
/// assert_eq!(recording.field("content").as_deref(), Some("digger"));
/// assert!(!recording.tape().is_finished() && recording.gaps().is_empty());
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct Recording<S> {
    source: S,
    tape: Tape,
    gaps: Vec<Gap>,
}

impl<S: Source> Recording<S> {
    /// Opens a tape. Refused where a critical chunk is of a kind that this version does not know.
    pub fn open(mut source: S) -> Result<Self> {
        let mut reader = TapeReader::new(source.length(), Depth::Index);
        drive(&mut reader, &mut source)?;
        let tape = reader.finish()?;
        tape.check_playable()?;
        let mut recording = Self { source, tape, gaps: Vec::new() };
        recording.gaps = recording.find_gaps()?;
        Ok(recording)
    }

    /// What is in the tape, and where.
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// What is known to be missing: what gap chunks say, and what damage took. Ascending by tick.
    pub fn gaps(&self) -> &[Gap] {
        &self.gaps
    }

    /// A string of the metadata; the closing metadata counts where both have it.
    pub fn field(&self, name: &str) -> Option<String> {
        let metadata = [self.tape.closing.as_deref(), Some(self.tape.metadata.as_str())];
        metadata.into_iter().flatten().find_map(|json| {
            let value = Raw::parse(json.as_bytes()).ok()?.get(name)?;
            value.as_str().map(Cow::into_owned)
        })
    }

    /// The raw bytes of a chunk.
    pub fn raw(&mut self, entry: &ChunkEntry) -> Result<Vec<u8>> {
        self.chunk(entry, |chunk| Ok(chunk.raw()?.into_owned()))
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
    pub(crate) fn bytes<T>(
        &mut self,
        range: Range<u64>,
        look: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<T> {
        if range.end > self.source.length() {
            let available = self.source.length().saturating_sub(range.start);
            let kind = ErrorKind::Truncated { needed: range.end - range.start, available };
            return Err(Error::at(range.start, "chunk", kind));
        }
        look(&self.source.fetch(range)?)
    }

    /// The chunks of a kind and stream, in the order of the recording.
    pub fn entries(&self, kind: ChunkKind, stream: u16) -> Vec<ChunkEntry> {
        self.tape.stream(kind, stream).copied().collect()
    }

    /// The first setup of a stream.
    pub fn setup(&mut self, stream: u16) -> Result<Option<Vec<u8>>> {
        let first = self.tape.stream(ChunkKind::SETUP, stream).next().copied();
        first.map(|entry| self.raw(&entry)).transpose()
    }

    /// The setup of a stream, or an error that says that it is missing.
    pub(crate) fn needed_setup(&mut self, stream: u16) -> Result<Vec<u8>> {
        let missing = || Error::misuse("setup", "the tape has none");
        self.setup(stream)?.ok_or_else(missing)
    }

    /// The bytes of the tape, unasked.
    pub fn into_source(self) -> S {
        self.source
    }

    fn find_gaps(&mut self) -> Result<Vec<Gap>> {
        let mut gaps = self.tape.gaps();
        for entry in self.entries(ChunkKind::GAP, 0) {
            gaps.push(self.chunk(&entry, Gap::read)?);
        }
        gaps.sort_by_key(|gap| gap.first_tick);
        Ok(gaps)
    }
}

/// Does a gap concern what is played from the first stream of this kind?
pub(crate) fn concerns(gap: &Gap, kind: ChunkKind) -> bool {
    gap.kind == ChunkKind(0) || (gap.kind, gap.stream) == (kind, 0)
}
