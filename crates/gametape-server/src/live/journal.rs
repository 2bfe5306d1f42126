//! A tape that is being written on this machine, broadcast while it grows.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gametape_live::{JournalStart, MatchName, Message, Publisher, SeatId, Shared};
use gametape_net::Rereader;
use gametape_wire::{Result, Tick, ViewSet};
use tokio::sync::watch;
use tokio::task::{block_in_place, spawn_blocking};
use tokio::time::{MissedTickBehavior, interval};

use super::Live;
use super::room::Room;
use super::session::stopped;

/// The tape is looked at this often.
const LOOK: Duration = Duration::from_millis(50);
/// Bytes that are read at once.
const PIECE: usize = 1 << 20;
/// Bytes of messages of each view that are kept in memory: the room has more of them, and the tape everything.
const WINDOW: usize = 8 << 20;

/// Broadcasts a tape under a name, until it is finished or the server stops.
pub(super) async fn publish(
    live: Arc<Live>,
    name: MatchName,
    path: PathBuf,
    stop: watch::Receiver<bool>,
) {
    live.log.note("following", &[("match", &name), ("tape", &path.display())]);
    if let Err(error) = follow(&live, &name, &path, stop).await {
        live.log.note("failed", &[("match", &name), ("tape", &path.display()), ("why", &error)]);
    }
}

async fn follow(
    live: &Arc<Live>,
    name: &MatchName,
    path: &Path,
    mut stop: watch::Receiver<bool>,
) -> std::result::Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let mut file = Some(File::open(path)?);
    let mut begun: Option<Following> = None;
    let mut first = Vec::new();
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = look.tick() => {}
            () = stopped(&mut stop) => return Ok(()),
        }
        while let Some(piece) = read_on(&mut file).await? {
            match &mut begun {
                Some(following) => following.grow(&piece)?,
                None => {
                    first.extend(piece);
                    if let Some(start) = JournalStart::read(&first)? {
                        let following = Following::begin(live, name, &start)?;
                        let mut following = following.in_file(path);
                        following.grow(&std::mem::take(&mut first))?;
                        begun = Some(following);
                    }
                }
            }
        }
        if let Some(following) = &mut begun {
            following.repeat()?;
        }
    }
}

/// The next bytes of a file that grows.
async fn read_on(file: &mut Option<File>) -> io::Result<Option<Vec<u8>>> {
    let Some(mut reading) = file.take() else { return Ok(None) };
    let (reading, piece) = spawn_blocking(move || {
        let mut piece = Vec::new();
        let read = (&mut reading).take(PIECE as u64).read_to_end(&mut piece);
        (reading, read.map(|_| piece))
    })
    .await
    .map_err(io::Error::other)?;
    *file = Some(reading);
    piece.map(|piece| (!piece.is_empty()).then_some(piece))
}

/// A tape that has begun.
pub(super) struct Following {
    live: Arc<Live>,
    room: Arc<Room>,
    publisher: Publisher,
    link: SeatId,
    number: u64,
    wanted: watch::Receiver<ViewSet>,
    /// Reads again what memory has no more, where there is a file.
    rereader: Option<Rereader>,
}

impl Following {
    pub(super) fn begin(live: &Arc<Live>, name: &MatchName, start: &JournalStart) -> Result<Self> {
        let window = live.limits.window.min(WINDOW);
        let mut publisher = start.publisher(name.clone(), window)?;
        let refused = |what| gametape_wire::Error::misuse("match", what);
        let Message::Announce(announce) = Message::read(&publisher.announce())? else {
            return Err(refused("no announcement"));
        };
        let room = live.admit(&announce, start.views).map_err(|refusal| refused(refusal.text()))?;
        let wanted = room.wanted();
        let have = room.have();
        let Message::Have(have) = Message::read(&have)? else { return Err(refused("no answer")) };
        let link = publisher.connect(&have, live.clock.now());
        let number = room.connect();
        live.figures.publishers.add(1);
        let (live, rereader) = (Arc::clone(live), None);
        Ok(Self { live, room, publisher, link, number, wanted, rereader })
    }

    /// The same for a tape in a file.
    fn in_file(mut self, path: &Path) -> Self {
        self.rereader = Some(Rereader::new(path, self.room.name().clone()));
        self
    }

    pub(super) fn grow(&mut self, bytes: &[u8]) -> Result<()> {
        self.publisher.follow(bytes, self.live.clock.now())?;
        self.hand_over()
    }

    fn hand_over(&mut self) -> Result<()> {
        loop {
            let out = self.publisher.poll(self.link, self.live.clock.now(), PIECE);
            let messages: Vec<Shared> = out.into_iter().map(|message| message.bytes).collect();
            if messages.is_empty() {
                return Ok(());
            }
            self.room.take(&messages)?;
        }
    }

    /// Nothing more of a tick comes: it need not wait for the next.
    pub(super) fn end_tick(&mut self, tick: Tick) -> Result<()> {
        self.publisher.end_tick(tick, self.live.clock.now())?;
        self.hand_over()
    }

    /// Repeats what the room lacks.
    pub(super) fn repeat(&mut self) -> Result<()> {
        if self.wanted.has_changed().unwrap_or(false) {
            self.wanted.mark_unchanged();
            self.publisher.receive(self.link, &self.room.have(), self.live.clock.now())?;
        }
        for ask in self.room.asks() {
            self.publisher.receive(self.link, &ask, self.live.clock.now())?;
        }
        self.hand_over()?;
        while self.reread()? {
            self.hand_over()?;
        }
        Ok(())
    }

    /// Reads again what the room lacks and memory has no more; false where there is nothing of it.
    fn reread(&mut self) -> Result<bool> {
        let Some(rereader) = &mut self.rereader else { return Ok(false) };
        let missing = self.publisher.missing();
        if missing.is_empty() {
            return Ok(false);
        }
        let found = block_in_place(|| rereader.messages(&missing))?;
        found.iter().try_for_each(|bytes| self.publisher.recall(bytes))?;
        Ok(!found.is_empty())
    }
}

impl Following {
    /// Does nobody have the match any more?
    pub(super) fn is_forgotten(&self) -> bool {
        !self.live.room(self.room.name()).is_some_and(|room| Arc::ptr_eq(&room, &self.room))
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.room.disconnect(self.number);
        self.live.figures.publishers.sub(1);
    }
}
