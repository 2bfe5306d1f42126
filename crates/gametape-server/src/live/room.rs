//! A live match on this server: what its publisher sends, and everything that is made of it.

use std::collections::HashMap;
use std::collections::btree_map::{BTreeMap, Entry};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use gametape_live::{
    Announce, Grant, Join, MatchName, Message, NowDocument, Outgoing, Refusal, Relay, SeatId,
    SegmentFile, Shared,
};
use gametape_replay::metadata::text_field;
use gametape_wire::{Result, Tick, TickLength, View, ViewSet};
use tokio::sync::watch;

use super::LiveLimits;
use super::archive::{Archive, Finished};
use super::cast::{CASTERS, Cast};
use super::segments::{Segment, Segments};

/// The time of this server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn now(self) -> Duration {
        self.0.elapsed()
    }
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A live match.
#[derive(Debug)]
pub(crate) struct Room {
    about: Announce,
    clock: Clock,
    relay: Mutex<Relay>,
    /// Views that are wanted whether somebody is here or not.
    kept: ViewSet,
    /// When the others were last needed.
    needed: Mutex<BTreeMap<View, Duration>>,
    /// They are dropped when nobody has needed them for so long.
    unneeded: Duration,
    /// The views that are wanted of the publisher.
    wanted: watch::Sender<ViewSet>,
    segments: RwLock<BTreeMap<View, Arc<Mutex<Segments>>>>,
    /// Counts up when there may be something to send.
    news: watch::Sender<u64>,
    /// The number of the publisher's connection that counts; 0 where none does.
    publisher: watch::Sender<u64>,
    next_publisher: AtomicU64,
    /// Does it come over a bus, where nobody knows whether the publisher is there?
    is_on_bus: AtomicBool,
    casts: Mutex<HashMap<String, Arc<Cast>>>,
    archive: Option<Mutex<Archive>>,
    /// When the publisher was last heard, in milliseconds of the clock.
    heard: AtomicU64,
    /// It was replaced or is too old: nobody sits here any more.
    closed: watch::Sender<bool>,
}

impl Room {
    /// A match as it was announced, of which these views are wanted from its start on.
    pub(crate) fn new(
        about: Announce,
        kept: ViewSet,
        limits: &LiveLimits,
        clock: Clock,
    ) -> Result<Self> {
        let about = Announce { pass: Vec::new(), ..about };
        let relay = Relay::new(about.clone(), kept, limits.window).with_most_seats(limits.seats);
        let room = Self {
            about,
            clock,
            relay: Mutex::new(relay),
            kept,
            needed: Mutex::default(),
            unneeded: limits.unneeded,
            wanted: watch::Sender::new(ViewSet::EMPTY),
            segments: RwLock::default(),
            news: watch::Sender::new(0),
            publisher: watch::Sender::new(0),
            is_on_bus: AtomicBool::new(false),
            next_publisher: AtomicU64::new(1),
            casts: Mutex::default(),
            archive: None,
            heard: AtomicU64::new(clock.now().as_millis() as u64),
            closed: watch::Sender::new(false),
        };
        room.note_wanted(kept)?;
        Ok(room)
    }

    /// The same, with a tape of everything that is made meanwhile.
    pub(crate) fn with_archive(mut self) -> io::Result<Self> {
        let (views, now) = (self.views(), self.clock.now());
        let archive = Archive::new(&mut lock(&self.relay), views, now)?;
        self.archive = Some(Mutex::new(archive));
        Ok(self)
    }

    /// The finished tape, once, when the match is over.
    pub(crate) fn archived(&self) -> io::Result<Option<Finished>> {
        let Some(archive) = &self.archive else { return Ok(None) };
        lock(archive).step(&mut lock(&self.relay), self.clock.now())
    }

    /// Ends the tape with what has come of the match.
    pub(crate) fn end_archive(&self) -> io::Result<Option<Finished>> {
        let Some(archive) = &self.archive else { return Ok(None) };
        lock(archive).finish(&mut lock(&self.relay))
    }

    pub(crate) fn name(&self) -> &MatchName {
        &self.about.name
    }

    pub(crate) fn tick_length(&self) -> TickLength {
        self.about.header.tick_length
    }

    /// The views of the match, wanted or not.
    pub(crate) fn views(&self) -> ViewSet {
        self.about.views
    }

    /// The views that are wanted of the publisher.
    pub(crate) fn wanted(&self) -> watch::Receiver<ViewSet> {
        self.wanted.subscribe()
    }

    /// Somebody needs these views, and may see them. A match that is over and whose publisher is gone has no more than
    /// it has.
    pub(crate) fn need(&self, views: ViewSet) -> Result<()> {
        let (now, mut relay) = (self.clock.now(), lock(&self.relay));
        let others = views.and(self.about.views).without(self.kept);
        let is_gone = relay.is_ended() && !self.has_publisher() && !self.is_on_bus();
        if others.is_empty() || is_gone {
            return Ok(());
        }
        lock(&self.needed).extend(others.iter().map(|view| (view, now)));
        match relay.want(others, now) {
            true => self.note_wanted(relay.views()),
            false => Ok(()),
        }
    }

    /// Makes segments of the views that are wanted, and of no others; then the publisher learns it.
    fn note_wanted(&self, views: ViewSet) -> Result<()> {
        let mut segments = self.segments.write().unwrap_or_else(PoisonError::into_inner);
        segments.retain(|view, _| views.contains(*view));
        for view in views.iter() {
            if let Entry::Vacant(place) = segments.entry(view) {
                place.insert(Arc::new(Mutex::new(Segments::new(&self.about, view)?)));
            }
        }
        self.wanted.send_replace(views);
        Ok(())
    }

    /// Drops views that nobody has needed for a while. What is over stays: nobody would send it again.
    fn drop_unneeded(&self, now: Duration) {
        let mut relay = lock(&self.relay);
        let mut needed = lock(&self.needed);
        if needed.is_empty() || relay.is_ended() {
            return;
        }
        needed.retain(|view, last| {
            if relay.is_seated(*view) {
                *last = now;
            }
            now.saturating_sub(*last) < self.unneeded || !relay.forget(*view)
        });
        let views = relay.views();
        if views != *self.wanted.borrow() {
            // Fewer views cannot fail.
            let _ = self.note_wanted(views);
        }
    }

    fn segments(&self, view: View) -> Option<Arc<Mutex<Segments>>> {
        let segments = self.segments.read().unwrap_or_else(PoisonError::into_inner);
        segments.get(&view).cloned()
    }

    /// What the match is called, for people.
    pub(crate) fn title(&self) -> String {
        let field = |name| text_field(&self.about.metadata, name);
        field("title").or_else(|| field("map")).unwrap_or_else(|| self.name().to_string())
    }

    /// Is it the match that is announced again?
    pub(crate) fn is_of(&self, announce: &Announce) -> bool {
        lock(&self.relay).is_of(announce)
    }

    /// A publisher is connected; the one before it, if any, does not count any more.
    pub(crate) fn connect(&self) -> u64 {
        let number = self.next_publisher.fetch_add(1, Ordering::Relaxed);
        self.publisher.send_replace(number);
        number
    }

    /// The publisher with this number is gone.
    pub(crate) fn disconnect(&self, number: u64) {
        self.publisher.send_if_modified(|current| {
            let is_own = *current == number;
            if is_own {
                *current = 0;
            }
            is_own
        });
    }

    /// Which publisher counts.
    pub(crate) fn publisher(&self) -> watch::Receiver<u64> {
        self.publisher.subscribe()
    }

    /// It comes over a bus.
    pub(crate) fn note_bus(&self) {
        self.is_on_bus.store(true, Ordering::Relaxed);
    }

    fn is_on_bus(&self) -> bool {
        self.is_on_bus.load(Ordering::Relaxed)
    }

    pub(crate) fn has_publisher(&self) -> bool {
        *self.publisher.borrow() != 0
    }

    /// The Have for a publisher.
    pub(crate) fn have(&self) -> Shared {
        lock(&self.relay).have()
    }

    /// What to ask the publisher for.
    pub(crate) fn asks(&self) -> Vec<Shared> {
        lock(&self.relay).poll_publisher(self.clock.now())
    }

    /// Takes messages of the publisher; says whether any of them was news.
    pub(crate) fn take(&self, messages: &[Shared]) -> Result<bool> {
        let now = self.clock.now();
        self.heard.store(now.as_millis() as u64, Ordering::Relaxed);
        let mut fresh = Vec::with_capacity(messages.len());
        let mut relay = lock(&self.relay);
        for bytes in messages {
            if relay.receive_published(bytes, now)? {
                fresh.push(bytes);
            }
        }
        drop(relay);
        let taken = fresh.iter().try_for_each(|bytes| self.segment(bytes, now));
        self.wake();
        taken.map(|()| !fresh.is_empty())
    }

    fn segment(&self, bytes: &Shared, now: Duration) -> Result<()> {
        let view = match Message::read(bytes)? {
            Message::Data(data) => data.view,
            Message::Mark(mark) => mark.view,
            _ => return Ok(()),
        };
        self.segments(view).map_or(Ok(()), |segments| lock(&segments).receive(bytes, now))
    }

    fn wake(&self) {
        self.news.send_modify(|count| *count += 1);
    }

    /// Lets time pass, some times a second: what is released by the clock, what is waited for.
    pub(crate) fn beat(&self) {
        let now = self.clock.now();
        self.drop_unneeded(now);
        for segments in self.about.views.iter().filter_map(|view| self.segments(view)) {
            // What cannot be made of it is not there.
            let _ = lock(&segments).poll(now);
        }
        if lock(&self.relay).is_ended() {
            self.wake();
        }
    }

    /// Moves old segments out of memory; says of which views they are lost, and why.
    pub(crate) fn spool(&self) -> Vec<(View, io::Error)> {
        let of = |view| Some((view, lock(&*self.segments(view)?).spool()?));
        self.about.views.iter().filter_map(of).collect()
    }

    /// How long nothing came of its publisher.
    pub(crate) fn silence(&self) -> Duration {
        let heard = Duration::from_millis(self.heard.load(Ordering::Relaxed));
        self.clock.now().saturating_sub(heard)
    }

    /// Is the match over, whether somebody may know it or not?
    pub(crate) fn is_ended(&self) -> bool {
        lock(&self.relay).is_ended()
    }

    /// Sends everybody away.
    pub(crate) fn close(&self) {
        self.closed.send_replace(true);
    }

    pub(crate) fn closed(&self) -> watch::Receiver<bool> {
        self.closed.subscribe()
    }

    /// The time of the server.
    pub(crate) fn time(&self) -> Duration {
        self.clock.now()
    }

    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    pub(crate) fn join(&self, join: &Join, grant: &Grant) -> std::result::Result<SeatId, Refusal> {
        self.need(join.views.and(grant.views)).map_err(|_| Refusal::TooMany)?;
        lock(&self.relay).join(join, grant, self.clock.now())
    }

    pub(crate) fn leave(&self, seat: SeatId) {
        lock(&self.relay).leave(seat);
    }

    pub(crate) fn poll(&self, seat: SeatId, budget: usize) -> Vec<Outgoing> {
        let now = self.clock.now();
        lock(&self.relay).poll(seat, now, budget)
    }

    pub(crate) fn receive(&self, seat: SeatId, bytes: &[u8]) -> std::result::Result<(), Refusal> {
        let now = self.clock.now();
        lock(&self.relay).receive(seat, bytes, now)
    }

    /// How many watch; the archive is nobody.
    pub(crate) fn seats(&self) -> usize {
        lock(&self.relay).seats().saturating_sub(usize::from(self.archive.is_some()))
    }

    /// The last tick that may be known to who has this delay.
    pub(crate) fn released(&self, delay: u64) -> Option<Tick> {
        lock(&self.relay).released(delay, self.clock.now())
    }

    /// The last tick of a view that may be known to who has this delay: none while the view is being filled.
    fn released_of(&self, view: View, delay: u64) -> Option<Tick> {
        let (mut relay, now) = (lock(&self.relay), self.clock.now());
        if relay.is_filling(view, now) { None } else { relay.released(delay, now) }
    }

    /// A file of a view for who has this delay.
    pub(crate) fn file(&self, view: View, file: SegmentFile, delay: u64) -> Option<Segment> {
        let released = self.released_of(view, delay);
        lock(&*self.segments(view)?).file(file, released)
    }

    /// The `now` document of a view for who has this delay.
    pub(crate) fn now(&self, view: View, delay: u64) -> Option<NowDocument> {
        let released = self.released_of(view, delay);
        Some(lock(&*self.segments(view)?).now(released))
    }

    /// What a caster shares; made where it is not there and somebody may make it.
    pub(crate) fn cast(&self, name: &str, may_make: bool) -> Option<Arc<Cast>> {
        let mut casts = lock(&self.casts);
        if let Some(cast) = casts.get(name) {
            return Some(Arc::clone(cast));
        }
        if !may_make || casts.len() >= CASTERS {
            return None;
        }
        let cast = Arc::new(Cast::default());
        casts.insert(name.to_owned(), Arc::clone(&cast));
        Some(cast)
    }

    /// The last tick that is over, released or not: for what is held back.
    pub(crate) fn over(&self) -> Option<Tick> {
        self.released(0)
    }
}
