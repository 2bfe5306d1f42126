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
    /// Reads the start of a journal; `None` where more of it is needed. An error means that it is none.
    pub fn read(bytes: &[u8]) -> Result<Option<Self>> {
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
            if start.take(&chunk)? {
                return Ok(Some(start));
            }
            used += ChunkHeader::LENGTH + chunk.stored.len();
        }
    }

    /// Takes a chunk; true where it is the last that matters.
    fn take(&mut self, chunk: &Chunk<'_>) -> Result<bool> {
        let header = &chunk.header;
        if (header.kind, header.stream) == (ChunkKind::METADATA, 0) {
            self.metadata = String::from_utf8_lossy(&chunk.raw()?).into_owned();
            self.views = self.views.or(views_of_players(&self.metadata));
        }
        if header.views != ViewSet::ALL {
            self.views = self.views.or(header.views);
        }
        let is_last = (header.kind, header.stream) == (ChunkKind::FRAMES, FRAMES);
        if !is_last && header.kind != ChunkKind::INDEX {
            return Ok(false);
        }
        if self.views.is_empty() {
            self.views = ViewSet::EMPTY.with(View::SPECTATOR);
        }
        Ok(true)
    }

    /// A publisher of this match, which keeps about `window` bytes of each view in memory. It is to be given the
    /// journal from its first byte on.
    pub fn publisher(&self, name: MatchName, window: usize) -> Result<Publisher> {
        Publisher::new(name, self.header, &self.metadata, self.views, window)
    }
}
