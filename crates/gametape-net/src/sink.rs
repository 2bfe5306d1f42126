//! A recorder's live sink: a game publishes itself while it is recorded.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use gametape_live::{JournalStart, Publisher};
use gametape_replay::LiveSink;
use gametape_wire::{Error, Result, Tick, View, ViewSet};
use tokio::sync::Notify;

use crate::broadcast::{Broadcast, Rereader};
use crate::link::broken;
use crate::publish::{PublishEvent, PublishOptions, keep_published};

/// How often to look whether somebody wants to stop.
const LOOK: Duration = Duration::from_millis(100);
/// How long whoever wants to stop waits for the server.
const STOPPING: Duration = Duration::from_secs(10);

/// Publishes a match while it is recorded: give it to
/// [`Recorder::create_live`](gametape_replay::Recorder::create_live).
///
/// Messages are made on the recorder's writer thread and sent by a thread of their own. What the network does
/// not take is dropped from memory and read from the journal again.
///
/// ```no_run
/// use std::sync::atomic::AtomicBool;
/// use gametape_net::{PublishOptions, publish_recording};
/// use gametape_replay::{Recorder, RecorderOptions};
/// # use gametape_tape::TapeHeader;
/// # use gametape_wire::{TickLength, View, ViewSet};
/// # fn main() -> gametape_wire::Result<()> {
/// # let header = TapeHeader::new(TickLength::millis::<50>(), 7);
/// # let seats: ViewSet = [0, 1, 2].into_iter().filter_map(View::new).collect();
/// let to = PublishOptions::new("wss://live.example/".parse()?, "finals".parse()?);
/// let (live, publishing) = publish_recording("match.tape".as_ref(), seats, to);
/// let recorder =
///     Recorder::create_live("match.tape", header, b"{}", &RecorderOptions::default(), live)?;
/// // The game runs and records, and calls `end_tick` when a tick is over.
/// let _report = recorder.finish();
/// publishing.finish(&AtomicBool::new(false), &mut |event| println!("{event}"))?;
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn publish_recording(
    journal: &Path,
    views: ViewSet,
    options: PublishOptions,
) -> (Box<dyn LiveSink>, Publishing) {
    let (events, happened) = channel();
    let ended = Arc::new(Notify::new());
    let sink = BroadcastSink {
        journal: journal.to_owned(),
        views,
        stage: Stage::Early { bytes: Vec::new(), options: Box::new(options), events },
        ended: Arc::clone(&ended),
    };
    (Box::new(sink), Publishing { happened, ended, result: None })
}

/// What is said about a match that is being published.
type Events = std::sync::mpsc::Sender<Happened>;

#[derive(Debug)]
enum Happened {
    Event(PublishEvent),
    Ended(Result<()>),
}

/// A match that is being published by a thread of its own.
#[derive(Debug)]
pub struct Publishing {
    happened: Receiver<Happened>,
    ended: Arc<Notify>,
    /// How it ended, when that was heard.
    result: Option<Result<()>>,
}

impl Publishing {
    /// What happened since, if anything.
    pub fn next_event(&mut self) -> Option<PublishEvent> {
        match self.happened.try_recv().ok()? {
            Happened::Event(event) => Some(event),
            Happened::Ended(ended) => {
                self.result = Some(ended);
                None
            }
        }
    }

    /// Waits until the server has everything, or it is given up; calls `report` with what happens. Whoever wants to
    /// stop waits a little longer, and then no more.
    pub fn finish(self, stop: &AtomicBool, report: &mut dyn FnMut(&PublishEvent)) -> Result<()> {
        if let Some(result) = self.result {
            return result;
        }
        let mut left = STOPPING;
        loop {
            match self.happened.recv_timeout(LOOK) {
                Ok(Happened::Event(event)) => report(&event),
                Ok(Happened::Ended(ended)) => return ended,
                Err(RecvTimeoutError::Disconnected) => return Err(never_began()),
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => {
                    left = left.saturating_sub(LOOK);
                    if left.is_zero() {
                        self.give_up();
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Gives up: nothing more is sent.
    pub fn give_up(&self) {
        self.ended.notify_one();
    }
}

fn never_began() -> Error {
    Error::misuse("publisher", "the recording ended before it began")
}

/// Makes messages on the writer's thread.
struct BroadcastSink {
    journal: PathBuf,
    views: ViewSet,
    stage: Stage,
    ended: Arc<Notify>,
}

impl fmt::Debug for BroadcastSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BroadcastSink").field("views", &self.views).finish_non_exhaustive()
    }
}

enum Stage {
    /// Header and metadata are not there yet.
    Early {
        bytes: Vec<u8>,
        options: Box<PublishOptions>,
        events: Events,
    },
    Live(Broadcast),
    /// It failed, and said so.
    Failed,
}

impl BroadcastSink {
    /// Does something with the publisher; a failure ends publishing, never the recording.
    fn give(&mut self, give: impl FnOnce(&mut Publisher, Duration) -> Result<()>) {
        if let Stage::Live(broadcast) = &self.stage
            && broadcast.give(give).is_err()
        {
            self.ended.notify_one();
            self.stage = Stage::Failed;
        }
    }

    fn begin(&mut self) {
        let Stage::Early { bytes, .. } = &self.stage else { return };
        let start = match JournalStart::about(bytes) {
            Ok(Some(start)) => start,
            Ok(None) => return,
            Err(_) => {
                self.stage = Stage::Failed;
                return;
            }
        };
        let Stage::Early { bytes, options, events } =
            std::mem::replace(&mut self.stage, Stage::Failed)
        else {
            return;
        };
        match self.start(&start, *options, events.clone()) {
            Ok(broadcast) => {
                self.stage = Stage::Live(broadcast);
                self.give(|publisher, now| publisher.follow(&bytes, now));
            }
            // Nobody listens where it does not matter.
            Err(error) => drop(events.send(Happened::Ended(Err(error)))),
        }
    }

    fn start(
        &self,
        start: &JournalStart,
        options: PublishOptions,
        events: Events,
    ) -> Result<Broadcast> {
        let mut start = start.clone();
        start.views = self.views;
        let publisher = options.publisher(&start)?.with_given_frames();
        let broadcast = Broadcast::new(publisher);
        let (of, ended) = (broadcast.clone(), Arc::clone(&self.ended));
        let rereader = Rereader::new(&self.journal, options.name.clone());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(broken)?;
        let work = move || {
            let reports = events.clone();
            let mut on_event = move |event: &PublishEvent| {
                drop(reports.send(Happened::Event(event.clone())));
            };
            let done = runtime.block_on(async {
                tokio::select! {
                    done = keep_published(&of, &options, Some(rereader), &mut on_event) => done,
                    () = ended.notified() => Err(Error::misuse("publisher", "it was given up")),
                }
            });
            drop(events.send(Happened::Ended(done)));
        };
        let spawned = thread::Builder::new().name("gametape publisher".to_owned()).spawn(work);
        spawned.map_err(broken)?;
        Ok(broadcast)
    }
}

impl LiveSink for BroadcastSink {
    fn frame(&mut self, tick: Tick, parts: &[(ViewSet, &[u8])]) {
        let each = |(views, payload): &(ViewSet, _)| {
            let payload = *payload;
            views.iter().map(move |view| (view, payload)).collect::<Vec<(View, &[u8])>>()
        };
        let parts: Vec<(View, &[u8])> = parts.iter().flat_map(each).collect();
        self.give(|publisher, now| publisher.frame(tick, &parts, now));
    }

    fn end_tick(&mut self, tick: Tick) {
        self.give(|publisher, now| publisher.end_tick(tick, now));
    }

    fn journal(&mut self, bytes: &[u8]) {
        if let Stage::Early { bytes: early, .. } = &mut self.stage {
            early.extend_from_slice(bytes);
            return self.begin();
        }
        self.give(|publisher, now| publisher.follow(bytes, now));
    }
}
