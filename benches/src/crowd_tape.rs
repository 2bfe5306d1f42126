//! The messages of a crowd in a tape.

use gametape_tape::{
    Cadence, Chunk, ChunkKind, KeyframeMaker, Restorer, Tape, TapeFrames, TapeHeader, TapeWriter,
};
use gametape_wire::{Error, Result, Tick, TickLength, ViewSet};

use crate::crowd::{Crowd, MESSAGE_BYTES, Seen, TICK_BYTES, taste};

/// A recorder writes what it has about once a second.
const FLUSH_TICKS: u64 = 20;

/// Keyframes for who seeks often: full ones, close together. Mcap's counterpart are small chunks.
pub const FOR_SEEKING: Cadence = Cadence::every(12).with_full_every(1).with_delta_percent(0);

fn begin() -> Result<TapeWriter> {
    TapeWriter::new(TapeHeader::new(TickLength::millis::<50>(), 1), br#"{"game":"crowd"}"#)
}

/// A tape of messages, those of a tick together, and nothing else.
pub fn write(messages: &[u8]) -> Result<Vec<u8>> {
    let mut writer = begin()?;
    let mut file = Vec::with_capacity(messages.len());
    let mut payload = Vec::with_capacity(TICK_BYTES);
    for (tick, tick_messages) in (0..).zip(messages.chunks_exact(TICK_BYTES)) {
        // One by one, as a game says them.
        payload.clear();
        tick_messages.chunks_exact(MESSAGE_BYTES).for_each(|one| payload.extend_from_slice(one));
        writer.frame_for_all(0, Tick(tick), ViewSet::ALL, &payload)?;
        if tick % FLUSH_TICKS == 0 {
            file.extend(writer.take());
        }
    }
    file.extend(writer.take());
    file.extend(writer.finish()?);
    Ok(file)
}

/// Reads every message.
pub fn read(file: &[u8]) -> Result<u64> {
    let tape = Tape::open(file)?;
    let (mut buffer, mut sum) = (Vec::new(), 0);
    for entry in tape.stream(ChunkKind::FRAMES, 0) {
        sum = read_chunk(&tape.read(entry, file)?, &mut buffer, sum)?;
    }
    Ok(sum)
}

/// Reads every message of a chunk of frames.
pub fn read_chunk(chunk: &Chunk<'_>, buffer: &mut Vec<u8>, mut sum: u64) -> Result<u64> {
    for frame in TapeFrames::new(&chunk.header, chunk.raw_in(buffer)?) {
        for part in frame?.parts() {
            sum = part.payload.chunks_exact(MESSAGE_BYTES).fold(sum, taste);
        }
    }
    Ok(sum)
}

/// Records a crowd as a game does, with keyframes, written once a second; `give` takes the bytes.
pub fn record<E: From<Error>>(
    crowd: &mut Crowd,
    ticks: u64,
    cadence: Cadence,
    mut give: impl FnMut(&[u8]) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let mut keyframes = KeyframeMaker::new(cadence);
    let mut writer = begin()?;
    let mut payload = Vec::with_capacity(TICK_BYTES);
    for tick in 0..ticks {
        if keyframes.is_due(Tick(tick)) {
            let keyframe = keyframes.make(crowd.snapshot()?);
            writer.keyframe(0, ViewSet::EMPTY, &keyframe)?;
        }
        payload.clear();
        crowd.step(&mut payload);
        writer.frame_for_all(0, Tick(tick), ViewSet::ALL, &payload)?;
        if tick % FLUSH_TICKS == FLUSH_TICKS - 1 {
            writer.flush()?;
            give(&writer.take())?;
        }
    }
    writer.flush()?;
    give(&writer.take())?;
    give(&writer.finish()?)
}

/// The same, in memory.
pub fn recorded(mut crowd: Crowd, ticks: u64, cadence: Cadence) -> Result<Vec<u8>> {
    let mut file = Vec::new();
    record(&mut crowd, ticks, cadence, |bytes| {
        file.extend_from_slice(bytes);
        Ok::<(), Error>(())
    })?;
    Ok(file)
}

/// Goes to any tick of a recorded crowd.
#[derive(Debug)]
pub struct Seeker<'a> {
    tape: Tape,
    file: &'a [u8],
    restorer: Restorer,
    buffer: Vec<u8>,
    seen: Seen,
}

impl<'a> Seeker<'a> {
    /// Opens a tape.
    pub fn open(file: &'a [u8]) -> Result<Self> {
        Ok(Self {
            tape: Tape::open(file)?,
            file,
            restorer: Restorer::default(),
            buffer: Vec::new(),
            seen: Seen::default(),
        })
    }

    /// The bytes of the tape.
    #[must_use]
    pub fn file(&self) -> &'a [u8] {
        self.file
    }

    /// The whole state before `tick`: by keyframes, then forward through the frames after them.
    pub fn seek(&mut self, tick: u64) -> Result<&Seen> {
        let from = self.restore(tick)?;
        for entry in self.tape.stream_at(ChunkKind::FRAMES, 0, Tick(from)..Tick(tick)) {
            let chunk = self.tape.read(entry, self.file)?;
            for frame in TapeFrames::new(&chunk.header, chunk.raw_in(&mut self.buffer)?) {
                let frame = frame?;
                if frame.tick >= Tick(tick) {
                    break;
                }
                frame.parts().for_each(|part| self.seen.apply(part.payload));
            }
        }
        Ok(&self.seen)
    }

    /// The latest recorded state at or before `tick`; returns when that was.
    pub fn restore(&mut self, tick: u64) -> Result<u64> {
        let keyframes = &self.tape.keyframes;
        let plan = keyframes.plan(Tick(tick), |_| true).unwrap_or_default();
        for range in keyframes.plan_ranges(&plan) {
            let bytes = self.file.get(range.start as usize..).unwrap_or_default();
            self.restorer.add(&Chunk::read(bytes, range.start)?)?;
        }
        let state = self.restorer.state();
        let state = state.ok_or_else(|| Error::misuse("seek", "there is no keyframe"))?;
        self.seen.restore(state);
        Ok(state.core.tick.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seek_gives_what_the_crowd_was() {
        for cadence in [Cadence::every(50), FOR_SEEKING] {
            let file = recorded(Crowd::new(1), 333, cadence).unwrap();
            let mut seeker = Seeker::open(&file).unwrap();
            let mut crowd = Crowd::new(1);
            for tick in 0..333 {
                let mut expected = Seen::default();
                expected.restore(&crowd.snapshot().unwrap());
                assert_eq!(*seeker.seek(tick).unwrap(), expected, "tick {tick}");
                crowd.step(&mut Vec::new());
            }
        }
    }
}
