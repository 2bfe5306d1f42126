//! What the start of a journal says about its match.

use gametape_replay::metadata::views_of_players;
use gametape_replay::streams::FRAMES;
use gametape_tape::{Chunk, ChunkHeader, ChunkKind, TapeHeader};
use gametape_wire::{ErrorClass, Result, View, ViewSet};

use crate::name::MatchName;
use crate::publisher::Publisher;

/// What is known of a match when its first frames are in the journal: enough to publish it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct JournalStart {
    /// The header of the journal.
    pub header: TapeHeader,
    /// Its metadata.
    pub metadata: String,
    /// The views of the players that the metadata names, and of all chunks up to the first frames.
    pub views: ViewSet,
}

impl JournalStart {
    /// Reads header and metadata alone, with the views of the players; `None` where more is needed.
    pub fn about(bytes: &[u8]) -> Result<Option<Self>> {
        Self::up_to(bytes, |chunk| chunk.kind == ChunkKind::METADATA)
    }

    /// Reads the start of a journal; `None` where more of it is needed. An error means that it is none.
    pub fn read(bytes: &[u8]) -> Result<Option<Self>> {
        let frames = (ChunkKind::FRAMES, FRAMES);
        let is_last = |chunk: &ChunkHeader| {
            (chunk.kind, chunk.stream) == frames || chunk.kind == ChunkKind::INDEX
        };
        Self::up_to(bytes, is_last)
    }

    /// Reads chunks up to the first that is the last.
    fn up_to(bytes: &[u8], is_last: impl Fn(&ChunkHeader) -> bool) -> Result<Option<Self>> {
        if bytes.len() < TapeHeader::LENGTH {
            return Ok(None);
        }
        let header = TapeHeader::read(bytes)?;
        let mut start = Self { header, metadata: String::new(), views: ViewSet::EMPTY };
        let mut used = TapeHeader::LENGTH;
        loop {
            let chunk = match Chunk::read(&bytes[used..], used as u64) {
                Ok(chunk) => chunk,
                Err(error) if error.class() == ErrorClass::Truncated => return Ok(None),
                Err(error) => return Err(error),
            };
            start.take(&chunk)?;
            if is_last(&chunk.header) {
                break;
            }
            used += ChunkHeader::LENGTH + chunk.stored.len();
        }
        if start.views.is_empty() {
            start.views = ViewSet::EMPTY.with(View::SPECTATOR);
        }
        Ok(Some(start))
    }

    fn take(&mut self, chunk: &Chunk<'_>) -> Result<()> {
        let header = &chunk.header;
        if (header.kind, header.stream) == (ChunkKind::METADATA, 0) {
            self.metadata = String::from_utf8_lossy(&chunk.raw()?).into_owned();
            self.views = self.views.or(views_of_players(&self.metadata));
        }
        if header.views != ViewSet::ALL {
            self.views = self.views.or(header.views);
        }
        Ok(())
    }

    /// A publisher of this match, which keeps about `window` bytes of each view in memory. It is to be given the
    /// journal from its first byte on.
    pub fn publisher(&self, name: MatchName, window: usize) -> Result<Publisher> {
        Publisher::new(name, self.header, &self.metadata, self.views, window)
    }
}
