//! Recording a game: a few calls on the game's thread, a writer after a bounded queue.

mod counters;
mod deadline;
mod event_block;
mod item;
mod live;
mod lock;
mod options;
mod producer;
mod pump;
mod queue;
mod resume;
mod shared;
mod sink;
mod tape_builder;
mod thread;

pub use counters::{Count, Counters, Report, Shed};
pub use event_block::EventBlock;
pub use live::LiveSink;
pub use lock::lock_recording;
pub use options::{Durability, RecorderOptions};
pub use pump::{Next, Pump};
pub use sink::{ResumableSink, Sink};

use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gametape_tape::{ChunkKind, SigningKey, SimSnapshot, TapeHeader, TapeWriter};
use gametape_wire::{Error, Result, Tick, View, ViewSet};

use crate::streams;
use item::Item;
use producer::{Ending, Producer};
use shared::Shared;
use tape_builder::TapeBuilder;

/// Records a game into a tape.
///
/// Calls copy what they are given into a queue and return; they never wait for the disk. Making
/// keyframes, compressing, hashing and writing is the work of a thread of its own.
///
/// ```
/// use gametape_replay::{Recorder, RecorderOptions};
/// use gametape_tape::{TapeHeader, SimSnapshot, Tape};
/// use gametape_wire::{Tick, TickLength, View};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = std::env::temp_dir().join(format!("gametape-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("match.tape");
/// # let ana = View::new(1).unwrap();
/// // Ticks of 50 ms; the tape id distinguishes recordings.
/// let header = TapeHeader::new(TickLength::millis::<50>(), 0xB0A7);
/// let options = RecorderOptions::default();
/// let recorder = Recorder::create(&path, header, br#"{"game":"digger"}"#, &options)?;
/// for tick in (0..1000).map(Tick) {
///     if recorder.keyframe_due(tick) {
///         let state = b"the state before the tick, in the game's own bytes";
///         recorder.keyframe(SimSnapshot::opaque(tick, state)?)?;
///     }
///     recorder.order(tick, ana, b"dig")?;
///     recorder.frame(tick, &[(View::SPECTATOR, b"Ana digs"), (ana, b"you dig")])?;
///     recorder.end_tick(tick);
/// }
/// recorder.closing_metadata(br#"{"outcome":"Ana wins"}"#)?;
/// let report = recorder.finish();
/// assert!(report.is_finished && report.counters.failure.is_none());
///
/// let tape = Tape::open(&std::fs::read(&path)?)?;
/// assert_eq!((tape.summary.end_tick, tape.keyframes.entries().len()), (Tick(1000), 4));
/// # std::fs::remove_dir_all(folder)?;
/// # Ok(())
/// # }
/// ```
///
/// # When the disk does not keep up
///
/// What waits may take [`queue_bytes`](RecorderOptions::queue_bytes) of memory. Over that, events
/// that players' machines reported are shed, then position samples, then keyframes; each is
/// counted, and a gap in the tape says so. Orders, frames, and events of the simulation are never
/// shed: they may take [`most_queue_bytes`](RecorderOptions::most_queue_bytes). Over that the
/// recording is *interrupted*: the [failure](Self::failure) is reported once, what comes is lost
/// and counted, and when the disk is back, what waited is written, a gap says which ticks are
/// missing, a keyframe is due at once, and the recording goes on.
///
/// When the sink refuses (a full disk, a broken one), the recording *stops*: reported once, and from
/// then on calls do nothing. The tape is valid up to there and can be [appended](Self::append) to.
///
/// An error of a call is always about the call: a tick before one already recorded, a payload over
/// a limit. Nothing of it is recorded then.
///
/// # When the game ends without saying so
///
/// A dropped recorder hands over what waits, without an index and without being waited for. The
/// tape of a killed process holds everything up to [`Counters::last_written_tick`] at least, that of
/// a machine without power everything up to [`Counters::last_durable_tick`].
///
/// The rules are in `spec/recorder.md` of the repository.
#[derive(Debug)]
pub struct Recorder {
    shared: Arc<Shared>,
    begins_at: u64,
    written_within: Duration,
}

impl Recorder {
    /// Records into a new file; `metadata` is a JSON object. Refused where a file is already. The file is
    /// [locked](lock_recording) while it is recorded.
    pub fn create(
        path: impl AsRef<Path>,
        header: TapeHeader,
        metadata: &[u8],
        options: &RecorderOptions,
    ) -> Result<Self> {
        let path = path.as_ref();
        let file = File::create_new(path).map_err(|error| Error::unwritable(0, "tape", error))?;
        lock_recording(&file)?;
        sync_folder(path);
        Self::start(file, header, metadata, options)
    }

    /// As [`create`](Self::create), with somebody who is given the match while it is recorded: a broadcast of it, for
    /// example. The game never waits for that, either.
    pub fn create_live(
        path: impl AsRef<Path>,
        header: TapeHeader,
        metadata: &[u8],
        options: &RecorderOptions,
        live: Box<dyn LiveSink>,
    ) -> Result<Self> {
        let path = path.as_ref();
        let file = File::create_new(path).map_err(|error| Error::unwritable(0, "tape", error))?;
        lock_recording(&file)?;
        sync_folder(path);
        let (recorder, mut pump) = Self::with_pump(file, header, metadata, options)?;
        pump.publish(live);
        thread::run((recorder, pump))
    }

    /// As [`create`](Self::create), but what is in the file already is lost. Refused where somebody is
    /// recording into it.
    pub fn replace(
        path: impl AsRef<Path>,
        header: TapeHeader,
        metadata: &[u8],
        options: &RecorderOptions,
    ) -> Result<Self> {
        let path = path.as_ref();
        let file = lock::replace(path)?;
        sync_folder(path);
        Self::start(file, header, metadata, options)
    }

    /// Goes on with the tape in a file: see [`resume`](Self::resume). Refused where somebody is recording
    /// into it.
    pub fn append(path: impl AsRef<Path>, options: &RecorderOptions) -> Result<Self> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        let file = file.map_err(|error| Error::unreadable(0, "tape", error))?;
        lock_recording(&file)?;
        Self::resume(file, options)
    }

    /// Records into any sink, with a thread that writes.
    pub fn start<S: Sink + Send + 'static>(
        sink: S,
        header: TapeHeader,
        metadata: &[u8],
        options: &RecorderOptions,
    ) -> Result<Self> {
        thread::run(Self::with_pump(sink, header, metadata, options)?)
    }

    /// Goes on with the tape that a sink holds, finished or not, with a thread that writes.
    ///
    /// The whole tape is read first. A torn end is cut off; a gap says which ticks are missing
    /// between the tape and what comes next; where recording goes on exactly where a whole tape ended,
    /// none are. Damage before the end is refused: recover the tape first. Ticks go on from [`begins_at`](Self::begins_at); a keyframe is due at once.
    pub fn resume<S: ResumableSink + Send + 'static>(
        sink: S,
        options: &RecorderOptions,
    ) -> Result<Self> {
        thread::run(Self::resume_with_pump(sink, options)?)
    }

    /// As [`start`](Self::start), but the caller drives the writer: where there are no threads.
    pub fn with_pump<S: Sink>(
        sink: S,
        header: TapeHeader,
        metadata: &[u8],
        options: &RecorderOptions,
    ) -> Result<(Self, Pump<S>)> {
        let builder = TapeBuilder::new(TapeWriter::new(header, metadata)?, None, options);
        Ok(Self::around(sink, 0, builder, 0, options))
    }

    /// As [`resume`](Self::resume), but the caller drives the writer.
    pub fn resume_with_pump<S: ResumableSink>(
        mut sink: S,
        options: &RecorderOptions,
    ) -> Result<(Self, Pump<S>)> {
        let resume::Resumed { tape, interruption } = resume::resume(&mut sink)?;
        let written = tape.length();
        let builder = TapeBuilder::new(tape, Some(interruption), options);
        Ok(Self::around(sink, written, builder, interruption.end_tick, options))
    }

    fn around<S: Sink>(
        sink: S,
        written: u64,
        builder: TapeBuilder,
        begins_at: u64,
        options: &RecorderOptions,
    ) -> (Self, Pump<S>) {
        let tape = builder.tape();
        let shared = Shared::new(Producer::new(options, tape.chunks(), tape.next_name()));
        let pump = Pump::new(sink, written, builder, Arc::clone(&shared));
        let written_within = options.durability.written_within;
        (Self { shared, begins_at, written_within }, pump)
    }

    /// One after the last tick that was on the tape when this recording began; 0 for a new tape.
    #[must_use]
    pub fn begins_at(&self) -> Tick {
        Tick(self.begins_at)
    }

    /// What the views start from.
    pub fn setup(&self, views: ViewSet, raw: impl Into<Vec<u8>>) -> Result<()> {
        self.shared.give(|producer| producer.setup(streams::SETUP_OF_VIEWS, views, raw.into()))
    }

    /// What the simulation starts from; nobody's view.
    pub fn simulation_setup(&self, raw: impl Into<Vec<u8>>) -> Result<()> {
        let stream = streams::SETUP_OF_SIMULATION;
        self.shared.give(|producer| producer.setup(stream, ViewSet::EMPTY, raw.into()))
    }

    /// An order that the simulation is advanced by at `tick`, in the order in which they apply.
    pub fn order(&self, tick: Tick, player: View, payload: &[u8]) -> Result<()> {
        self.said(streams::ORDERS, tick, player, payload)
    }

    /// What a player said at `tick`.
    pub fn talk(&self, tick: Tick, player: View, payload: &[u8]) -> Result<()> {
        self.said(streams::TALK, tick, player, payload)
    }

    /// What a player's own machine reported at `tick`: camera, selection, control groups.
    pub fn reported(&self, tick: Tick, player: View, payload: &[u8]) -> Result<()> {
        self.said(streams::REPORTS, tick, player, payload)
    }

    fn said(&self, stream: u16, tick: Tick, player: View, payload: &[u8]) -> Result<()> {
        let parts = std::iter::once((ViewSet::EMPTY.with(player), payload));
        self.shared.give(|producer| producer.framed((ChunkKind::ORDERS, stream), tick.0, parts))
    }

    /// What views receive at `tick`; each view at most once.
    pub fn frame(&self, tick: Tick, parts: &[(View, &[u8])]) -> Result<()> {
        let parts = parts.iter().map(|&(view, payload)| (ViewSet::EMPTY.with(view), payload));
        self.shared.give(|producer| producer.framed(FRAMES, tick.0, parts))
    }

    /// What all of `views` receive at `tick`.
    pub fn frame_for_all(&self, tick: Tick, views: ViewSet, payload: &[u8]) -> Result<()> {
        let parts = std::iter::once((views, payload));
        self.shared.give(|producer| producer.framed(FRAMES, tick.0, parts))
    }

    /// Is a keyframe of the simulation due before the orders of `tick`?
    #[must_use]
    pub fn keyframe_due(&self, tick: Tick) -> bool {
        self.shared.lock().is_keyframe_due(streams::SIMULATION, tick.0)
    }

    /// The state of the simulation, due or not; its ticks ascend.
    ///
    /// One at the end, after the last tick, says how long the match was even if nothing happened
    /// in its last ticks.
    pub fn keyframe(&self, snapshot: SimSnapshot) -> Result<()> {
        self.shared.give(|producer| producer.keyframe(None, snapshot))
    }

    /// Is a keyframe of what `view` knows due before the frames of `tick`?
    #[must_use]
    pub fn view_keyframe_due(&self, view: View, tick: Tick) -> bool {
        self.shared.lock().is_keyframe_due(streams::keyframes_of(view), tick.0)
    }

    /// What `view` knows, due or not; its ticks ascend.
    pub fn view_keyframe(&self, view: View, snapshot: SimSnapshot) -> Result<()> {
        self.shared.give(|producer| producer.keyframe(Some(view), snapshot))
    }

    /// A block of events, in the format of the analysis stream.
    ///
    /// Whoever collects events into blocks gives a block at the latest when its first event has waited
    /// for half of [`written_within`](Self::written_within), so that events survive the end of the
    /// process as frames do.
    pub fn events(&self, block: EventBlock) -> Result<()> {
        self.shared.give(|producer| producer.events(block))
    }

    /// How soon what is given survives the end of the process.
    #[must_use]
    pub fn written_within(&self) -> Duration {
        self.written_within
    }

    /// Strings for the next ids of the recording's string table; returns the first of these ids.
    pub fn names<N: AsRef<str>>(&self, names: &[N]) -> Result<u32> {
        let names = names.iter().map(|name| name.as_ref().to_owned()).collect();
        self.shared.give(|producer| producer.names(names))
    }

    /// A named attachment.
    pub fn resource(&self, name: &str, views: ViewSet, content: impl Into<Vec<u8>>) -> Result<()> {
        self.shared.give(|producer| producer.resource(name, views, content.into()))
    }

    /// Everything of `tick` was given. The counters of ticks count these calls, nothing else does.
    pub fn end_tick(&self, tick: Tick) {
        self.shared.end_tick(tick.0);
    }

    /// What is known only at the end, a JSON object.
    pub fn closing_metadata(&self, metadata: &[u8]) -> Result<()> {
        self.shared.give(|producer| producer.closing(metadata))
    }

    /// Signs everything given so far. Whatever is given later was signed by nobody, so this is the
    /// last call before [`finish`](Self::finish).
    pub fn sign(&self, key: SigningKey) {
        // This call cannot be wrong.
        let _: Result<()> = self.shared.give(|producer| {
            producer.push(Item::Sign(Box::new(key)));
            Ok(())
        });
    }

    /// How it goes.
    #[must_use]
    pub fn counters(&self) -> Counters {
        self.shared.lock().counters()
    }

    /// What went wrong: each failure is reported once. The game goes on as if nothing had happened.
    #[must_use]
    pub fn failure(&self) -> Option<Error> {
        self.shared.lock().take_failure()
    }

    /// The match is over: writes what waits and the index, and waits for the disk.
    ///
    /// With a [`Pump`] of your own, [`close`](Self::close) and step it until it is done instead.
    #[must_use]
    pub fn finish(self) -> Report {
        self.close().wait()
    }

    /// The match is over: writes what waits and the index, while the game goes on.
    #[must_use]
    pub fn close(self) -> Closing {
        self.shared.end(Ending::Finished);
        Closing { shared: Arc::clone(&self.shared) }
    }
}

/// A new file survives a loss of power only with its entry in the folder. Where a folder cannot be
/// synced, the system does that by itself.
fn sync_folder(path: &Path) {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let opened = File::open(folder.unwrap_or(Path::new(".")));
    let _: std::io::Result<()> = opened.and_then(|folder| folder.sync_all());
}

/// Frames go here.
const FRAMES: (ChunkKind, u16) = (ChunkKind::FRAMES, streams::FRAMES);

impl Drop for Recorder {
    fn drop(&mut self) {
        // After `close` this changes nothing.
        self.shared.end(Ending::Abandoned);
    }
}

/// A recording that is being finished.
#[derive(Debug)]
pub struct Closing {
    shared: Arc<Shared>,
}

impl Closing {
    /// Waits for the disk, however long it takes.
    #[must_use]
    pub fn wait(self) -> Report {
        loop {
            if let Some(report) = self.shared.wait_for_end(None) {
                return report;
            }
        }
    }

    /// How the recording ended, if it ends within `most`.
    #[must_use]
    pub fn wait_for(&self, most: Duration) -> Option<Report> {
        self.shared.wait_for_end(Some(most))
    }
}
