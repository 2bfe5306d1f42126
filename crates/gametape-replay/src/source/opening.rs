//! Opening a tape without I/O of its own.

use std::ops::Range;

use gametape_tape::{ChunkEntry, ChunkKind, Depth, Gap, TapeReader};
use gametape_wire::{Error, Need, Result, SansIo};

use super::open_tape::OpenTape;
use super::store::joined;

/// Pieces up to this size are kept after opening: they may hold what is needed next.
const SMALL_PIECE: u64 = 64 << 10;

/// Opens a tape for playing: ask what it [needs](SansIo::need), supply it, until it is ready.
///
/// ```
/// use gametape_replay::OpeningTape;
/// use gametape_tape::{TapeHeader, TapeWriter};
/// use gametape_wire::{TickLength, drive};
///
/// let header = TapeHeader::new(TickLength::millis::<50>(), 7);
/// let mut writer = TapeWriter::new(header, br#"{"content":"digger"}"#)?;
/// let bytes = [writer.take(), writer.finish()?].concat();
/// let mut opening = OpeningTape::new(bytes.len() as u64);
/// drive(&mut opening, &mut &bytes[..])?;
/// assert_eq!(opening.finish()?.field("content").as_deref(), Some("digger"));
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug)]
pub struct OpeningTape {
    length: u64,
    step: Step,
    /// Small pieces that were supplied.
    pieces: Vec<(u64, Vec<u8>)>,
}

#[derive(Debug)]
enum Step {
    Index(Box<TapeReader>),
    /// What gap chunks say is needed too.
    Gaps(Box<OpenTape>, Vec<Range<u64>>),
    Ready(Box<OpenTape>),
    Failed,
}

impl OpeningTape {
    /// A tape of this many bytes.
    #[must_use]
    pub fn new(length: u64) -> Self {
        let reader = TapeReader::new(length, Depth::Index);
        Self { length, step: Step::Index(Box::new(reader)), pieces: Vec::new() }
    }

    /// The opened tape.
    pub fn finish(self) -> Result<OpenTape> {
        match self.step {
            Step::Ready(tape) => Ok(*tape),
            // Of nothing at all no bytes are asked for.
            Step::Index(reader) if self.length == 0 => {
                reader.finish().map(|tape| OpenTape::new(tape, 0))
            }
            _ => Err(Error::misuse("opening a tape", "it still needs bytes")),
        }
    }

    fn read_index(&mut self, range: &Range<u64>, bytes: &[u8]) -> Result<()> {
        let Step::Index(reader) = &mut self.step else { return Ok(()) };
        reader.supply(range.clone(), bytes)?;
        let is_end = range.start == 0 || range.end == self.length;
        if is_end && range.end - range.start <= SMALL_PIECE {
            self.pieces.push((range.start, bytes.to_vec()));
        }
        if !reader.need().is_ready() {
            return Ok(());
        }
        let Step::Index(reader) = std::mem::replace(&mut self.step, Step::Failed) else {
            return Ok(());
        };
        let tape = reader.finish()?;
        tape.check_playable()?;
        let mut tape = OpenTape::new(tape, self.length);
        for (start, bytes) in self.pieces.drain(..) {
            tape.store(start, &bytes);
        }
        self.read_gaps(tape)
    }

    fn read_gaps(&mut self, mut tape: OpenTape) -> Result<()> {
        let entries: Vec<ChunkEntry> = tape.tape().stream(ChunkKind::GAP, 0).copied().collect();
        let ranges: Vec<Range<u64>> = entries.iter().map(ChunkEntry::range).collect();
        let lacking = tape.ask(&[], &ranges);
        if !lacking.is_empty() {
            self.step = Step::Gaps(Box::new(tape), joined(lacking, 0));
            return Ok(());
        }
        let mut gaps = Vec::with_capacity(entries.len());
        for entry in entries {
            let bytes = tape.bytes(&entry.range());
            let bytes =
                bytes.unwrap_or_else(|| Err(Error::misuse("gap", "it was not supplied")))?;
            gaps.push(Gap::read(&entry.read(bytes)?)?);
        }
        tape.add_gaps(gaps);
        self.step = Step::Ready(Box::new(tape));
        Ok(())
    }
}

impl SansIo for OpeningTape {
    fn need(&self) -> Need {
        match &self.step {
            Step::Index(reader) => reader.need(),
            Step::Gaps(_, lacking) => Need::Bytes(lacking.clone()),
            Step::Ready(_) | Step::Failed => Need::Ready,
        }
    }

    fn supply(&mut self, range: Range<u64>, bytes: &[u8]) -> Result<()> {
        match &mut self.step {
            Step::Index(_) => self.read_index(&range, bytes),
            Step::Gaps(tape, lacking) => {
                lacking.retain(|needed| *needed != range);
                tape.store(range.start, bytes);
                if !lacking.is_empty() {
                    return Ok(());
                }
                let Step::Gaps(tape, _) = std::mem::replace(&mut self.step, Step::Failed) else {
                    return Ok(());
                };
                self.read_gaps(*tape)
            }
            Step::Ready(_) | Step::Failed => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use gametape_wire::{ErrorClass, drive};

    use super::*;

    #[test]
    fn a_file_in_which_nothing_is_yet_is_cut_short() {
        let mut opening = OpeningTape::new(0);
        drive(&mut opening, &mut &[][..]).unwrap();
        assert_eq!(opening.finish().unwrap_err().class(), ErrorClass::Truncated);
    }
}
