//! One round of the writer's work: from the queue to the sink.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use gametape_wire::{Error, Result, Tick};

use super::live::LiveSink;
use super::producer::Ending;
use super::queue::Segment;
use super::shared::Shared;
use super::sink::Sink;
use super::tape_builder::{Finished, TapeBuilder};

/// This many bytes are written before more of what waits is made into chunks: after a long wait, the
/// tape is not in memory twice.
const WRITE_BYTES: u64 = 4 << 20;

/// The writer's half of a recorder, for who has no threads or a clock of their own.
///
/// [`Recorder::start`](super::Recorder::start) runs one on a thread.
#[derive(Debug)]
pub struct Pump<S> {
    outlet: Outlet<S>,
    work: Work,
    presence: Presence,
}

#[derive(Debug)]
enum Work {
    Tape(Box<TapeBuilder>),
    Done,
}

/// When a [`Pump`] wants to be called again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Next {
    /// After this time, and after the game gave something: times count from the call that sees it.
    Within(Duration),
    /// After the game gave something.
    Idle,
    /// Never: the recording ended.
    Done,
}

/// Informs the game when the writer is gone, whatever the reason.
#[derive(Debug)]
struct Presence(Arc<Shared>);

impl Drop for Presence {
    fn drop(&mut self) {
        let is_done = self.0.lock().is_done;
        if !is_done {
            self.0.stop(Some(Error::misuse("recorder", "its writer ended before the recording")));
        }
    }
}

/// A sink, and how many bytes it took.
#[derive(Debug)]
struct Outlet<S> {
    sink: S,
    written: u64,
}

impl<S: Sink> Outlet<S> {
    fn append(&mut self, mut bytes: &[u8]) -> Result<()> {
        while !bytes.is_empty() {
            let taken = match self.sink.append(bytes) {
                Ok(0) => Err(io::ErrorKind::WriteZero.into()),
                Ok(taken) => Ok(taken.min(bytes.len())),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(0),
                Err(error) => Err(error),
            };
            let taken = taken.map_err(|error| Error::unwritable(self.written, "tape", error))?;
            self.written += taken as u64;
            bytes = &bytes[taken..];
        }
        Ok(())
    }

    fn sync(&mut self) -> Result<()> {
        self.sink.sync().map_err(|error| Error::unwritable(self.written, "tape", error))
    }
}

impl<S: Sink> Pump<S> {
    pub(super) fn new(sink: S, written: u64, builder: TapeBuilder, shared: Arc<Shared>) -> Self {
        let work = Work::Tape(Box::new(builder));
        Self { outlet: Outlet { sink, written }, work, presence: Presence(shared) }
    }

    /// Gives the recording to somebody while it is made. To be called before the first [`step`](Self::step).
    pub fn publish(&mut self, sink: Box<dyn LiveSink>) {
        if let Work::Tape(builder) = &mut self.work {
            builder.publish(sink);
        }
        self.presence.0.lock().is_live = true;
    }

    /// Takes what the game gave, and writes and syncs what is due at `now`, a time since anything
    /// fixed. Failures are reported by the recorder.
    pub fn step(&mut self, now: Duration) -> Next {
        self.round(now).unwrap_or_else(|failure| self.stop(Some(failure)))
    }

    /// The sink, with what was written so far.
    #[must_use]
    pub fn into_sink(self) -> S {
        self.outlet.sink
    }

    /// Steps with `clock` and sleeps in between, until the recording ended.
    pub(super) fn run(mut self, clock: impl Fn() -> Duration) {
        loop {
            let most = match self.step(clock()) {
                Next::Within(time) => Some(time),
                Next::Idle => None,
                Next::Done => return,
            };
            let is_idle = matches!(&self.work, Work::Tape(builder) if builder.is_idle());
            self.presence.0.sleep(most, is_idle);
        }
    }

    fn round(&mut self, now: Duration) -> Result<Next> {
        let Work::Tape(builder) = &mut self.work else { return Ok(Next::Done) };
        // The start of the tape waits for nothing.
        self.outlet.append(&builder.even_output())?;
        let (mut segments, ending) = self.presence.0.take();
        for segment in &mut segments {
            builder.take(segment, now)?;
            if builder.tape().length() - self.outlet.written >= WRITE_BYTES {
                self.outlet.append(&builder.output())?;
            }
        }
        let syncs = builder.is_sync_due(now) || ending.is_some();
        builder.flush(now, syncs)?;
        self.outlet.append(&builder.even_output())?;
        let (tick, chunks) = (builder.flushed_tick(), builder.tape().chunks().len() as u32);
        let is_all = self.note_written(tick, chunks, segments);
        let ending = ending.filter(|_| is_all);
        if ending == Some(Ending::Finished) {
            self.finish()?;
        }
        if syncs {
            self.sync(now)?;
        }
        if let Some(ending) = ending {
            self.presence.0.lock().is_finished = ending == Ending::Finished;
            return Ok(self.stop(None));
        }
        Ok(self.next(now, is_all))
    }

    fn next(&self, now: Duration, is_all: bool) -> Next {
        match &self.work {
            Work::Tape(_) if !is_all => Next::Within(Duration::ZERO),
            Work::Tape(builder) => builder.wait(now).map_or(Next::Idle, Next::Within),
            Work::Done => Next::Done,
        }
    }

    /// Appends the index.
    fn finish(&mut self) -> Result<()> {
        if let Work::Tape(builder) = std::mem::replace(&mut self.work, Work::Done) {
            let Finished { bytes, tick, chunks } = builder.finish()?;
            self.outlet.append(&bytes)?;
            self.note_written(tick, chunks, Vec::new());
        }
        Ok(())
    }

    /// Informs the game, and gives it the memory back. Has everything been taken by now?
    fn note_written(&mut self, tick: Option<u64>, chunks: u32, mut segments: Vec<Segment>) -> bool {
        segments.retain_mut(Segment::reset);
        let written = self.outlet.written;
        let mut producer = self.presence.0.lock();
        producer.release(&mut segments);
        producer.update(|counters| {
            counters.written_bytes = written;
            counters.chunks = chunks;
            counters.last_written_tick = tick.map(Tick);
        });
        let is_all = producer.queue.is_empty();
        // What is left of the segments is freed without the lock.
        drop(producer);
        is_all
    }

    fn sync(&mut self, now: Duration) -> Result<()> {
        self.outlet.sync()?;
        if let Work::Tape(builder) = &mut self.work {
            builder.synced(now);
        }
        self.presence.0.lock().update(|counters| {
            counters.durable_bytes = counters.written_bytes;
            counters.last_durable_tick = counters.last_written_tick;
        });
        Ok(())
    }

    fn stop(&mut self, failure: Option<Error>) -> Next {
        self.work = Work::Done;
        self.outlet.sink.release();
        drop(self.presence.0.stop(failure));
        Next::Done
    }
}
