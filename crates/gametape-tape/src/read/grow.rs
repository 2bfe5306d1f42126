//! A tape that is opened while it is still being written.

use gametape_wire::{Error, Result};

use crate::index::summary::{KindSummary, Summary};
use crate::index::table::ChunkEntry;
use crate::layout::chunk::Chunk;
use crate::read::tape::Tape;

impl Tape {
    /// Adds a chunk that was written after all others, so that the tape is as if it had been opened with
    /// it. False for a chunk of the index, which begins after the last chunk: the tape is then finished.
    ///
    /// Refused where chunks before it are missing.
    pub fn push(&mut self, chunk: &Chunk<'_>) -> Result<bool> {
        if chunk.header.tape_id != self.header.tape_id {
            return Err(Error::misuse("chunk", "it belongs to another tape"));
        }
        if !chunk.header.kind.is_counted() {
            self.index_problem = None;
            return Ok(false);
        }
        let expected = self.chunks.last().map_or(0, |last| last.header.sequence + 1);
        if chunk.header.sequence != expected {
            let problem = format!("it has number {}, not {expected}", chunk.header.sequence);
            return Err(Error::misuse("chunk", problem));
        }
        let entry = ChunkEntry::from(chunk);
        if entry.is_closing_metadata() {
            self.closing = String::from_utf8(chunk.raw()?.into_owned()).ok();
        }
        self.summary.add(&entry);
        self.keyframes.push(&entry);
        self.add_to_run(&entry);
        self.chunks.push(entry);
        Ok(true)
    }
}

impl Summary {
    fn add(&mut self, entry: &ChunkEntry) {
        let one = Self::of(self.header, &[*entry], self.chain_head);
        if entry.header.kind.has_ticks() {
            let is_first = !self.kinds.iter().any(|row| row.kind.has_ticks());
            let first = if is_first { one.first_tick } else { self.first_tick.min(one.first_tick) };
            (self.first_tick, self.end_tick) = (first, self.end_tick.max(one.end_tick));
        }
        self.chunk_count += 1;
        self.views = self.views.or(one.views);
        self.closing = one.closing.or(self.closing.take());
        for row in one.kinds {
            self.add_row(row);
        }
    }

    fn add_row(&mut self, row: KindSummary) {
        match self.kinds.binary_search_by_key(&row.kind, |own: &KindSummary| own.kind) {
            Ok(index) => {
                let own = &mut self.kinds[index];
                own.chunks += row.chunks;
                own.raw_bytes += row.raw_bytes;
                own.stored_bytes += row.stored_bytes;
                own.items += row.items;
            }
            Err(index) => self.kinds.insert(index, row),
        }
    }
}

#[cfg(test)]
mod tests {
    use gametape_wire::{Tick, TickLength, View, ViewSet};

    use super::*;
    use crate::{ChunkKind, Gap, GapCause, TapeHeader, TapeWriter};

    /// A tape of every common kind of chunk, never finished.
    fn unfinished() -> Vec<u8> {
        let mut writer =
            TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 7), b"{}").unwrap();
        writer.setup(0, ViewSet::ALL, b"setup").unwrap();
        let mut bytes = writer.take();
        for tick in (0..60).step_by(3) {
            writer.frame(0, Tick(tick), &[(View::SPECTATOR, b"frame")]).unwrap();
            writer.flush().unwrap();
            bytes.extend(writer.take());
        }
        let gap = Gap {
            cause: GapCause::SHED,
            kind: ChunkKind::FRAMES,
            stream: 0,
            count: 1,
            bytes: 9,
            views: ViewSet::ALL,
            first_tick: Tick(60),
            tick_count: 2,
        };
        writer.gap(&gap).unwrap();
        writer.closing_metadata(br#"{"outcome":"won"}"#).unwrap();
        writer.flush().unwrap();
        bytes.extend(writer.take());
        bytes
    }

    #[test]
    fn a_tape_that_grows_is_the_tape_that_is_opened_later() {
        let bytes = unfinished();
        let whole = Tape::open(&bytes).unwrap();
        let first = whole.chunks[2].offset as usize;
        let mut grown = Tape::open(&bytes[..first]).unwrap();
        let mut offset = first;
        while offset < bytes.len() {
            let chunk = Chunk::read(&bytes[offset..], offset as u64).unwrap();
            assert!(grown.push(&chunk).unwrap());
            offset = ChunkEntry::from(&chunk).range().end as usize;
        }
        grown.index_problem.clone_from(&whole.index_problem);
        assert_eq!(grown, whole);
        let again = Chunk::read(&bytes[first..], first as u64).unwrap();
        assert!(grown.push(&again).is_err(), "its number is known");
    }
}
