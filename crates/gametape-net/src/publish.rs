//! Publishes a match to a server: connects, sends what it lacks, and connects again.

use std::fmt;
use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gametape_live::{JournalStart, MatchName, Message, Pass, PerLane, Publisher, Refusal, SeatId};
use gametape_wire::{Error, ErrorClass, Result, View, ViewSet};
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};

use crate::address::{Address, Transport};
use crate::backoff::Backoff;
use crate::broadcast::{Broadcast, Rereader, WINDOW, open, read_piece};
use crate::link::{Link, broken};
use crate::tls::{Trust, is_untrusted};

/// How often to look for more of a journal.
const LOOK: Duration = Duration::from_millis(20);
/// A server says what it has within this time.
const HAVE: Duration = Duration::from_secs(10);
/// Something is sent at least this often: a server need not guess whether the publisher is there.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// Bytes that are sent in one go.
const BATCH: usize = 256 << 10;

/// Where and how to publish.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PublishOptions {
    /// The server.
    pub to: Address,
    /// Which certificates are accepted.
    pub trust: Trust,
    /// What the match is called there.
    pub name: MatchName,
    /// The pass to publish it.
    pub pass: Option<Pass>,
    /// The views; all that the match has where none are named.
    pub views: Option<ViewSet>,
    /// How long to try again when the server cannot be reached.
    pub patience: Duration,
}

impl PublishOptions {
    /// To publish a match to a server: all its views, without a pass, trying for a minute.
    #[must_use]
    pub fn new(to: Address, name: MatchName) -> Self {
        let patience = Duration::from_secs(60);
        Self { to, trust: Trust::default(), name, pass: None, views: None, patience }
    }

    /// A publisher of a journal that begins like this.
    pub(crate) fn publisher(&self, start: &JournalStart) -> Result<Publisher> {
        let mut start = start.clone();
        start.views = self.views.map_or(start.views, |views| views.and(start.views));
        let publisher = start.publisher(self.name.clone(), WINDOW)?;
        Ok(match &self.pass {
            Some(pass) => publisher.with_pass(pass),
            None => publisher,
        })
    }
}

/// What happens while a match is published.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PublishEvent {
    /// The server takes the match.
    Connected(Transport),
    /// There is no connection: it is tried again.
    Lost {
        /// Why.
        reason: String,
        /// After this time.
        again_in: Duration,
    },
    /// The server has everything, up to the end of the match.
    Taken,
}

impl fmt::Display for PublishEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connected(transport) => write!(f, "publishing by {transport}"),
            Self::Lost { reason, again_in } => {
                write!(f, "{reason}; again in {} ms", again_in.as_millis())
            }
            Self::Taken => f.write_str("the server has everything"),
        }
    }
}

/// Receives what happens.
pub type OnEvent<'a> = dyn FnMut(&PublishEvent) + Send + 'a;

/// Follows a journal that may be growing, and publishes it until the match is over and the server has
/// everything. False where somebody stopped it before.
///
/// `ended` becomes true when nothing more comes, finished or not: of standard input that is known.
pub fn publish_file(
    journal: &Path,
    options: &PublishOptions,
    stop: &AtomicBool,
    ended: &AtomicBool,
    on_event: &mut OnEvent<'_>,
) -> Result<bool> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(broken)?;
    runtime.block_on(async {
        let mut file = open(journal)?;
        let Some(broadcast) = begin(&mut file, options, stop, ended).await? else {
            return Ok(false);
        };
        let rereader = Some(Rereader::new(journal, options.name.clone()));
        tokio::select! {
            done = keep_published(&broadcast, options, rereader, on_event) => done.map(|()| true),
            stopped = follow(&mut file, &broadcast, stop, ended) => stopped.map(|()| false),
        }
    })
}

/// Waits until the journal has begun; `None` where somebody stopped it before.
async fn begin(
    file: &mut File,
    options: &PublishOptions,
    stop: &AtomicBool,
    ended: &AtomicBool,
) -> Result<Option<Broadcast>> {
    let mut bytes = Vec::new();
    loop {
        let has_ended = ended.load(Ordering::Acquire);
        let is_more = read_piece(file, &mut bytes)? > 0;
        if let Some(start) = JournalStart::read(&bytes)? {
            let mut publisher = options.publisher(&start)?;
            publisher.follow(&bytes, Duration::ZERO)?;
            return Ok(Some(Broadcast::new(publisher)));
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        if has_ended && !is_more {
            return Err(Error::misuse("journal", "it ended before the match began"));
        }
        if !is_more {
            sleep(LOOK).await;
        }
    }
}

/// Gives what the journal has more, until somebody stops it. Never ends otherwise.
async fn follow(
    file: &mut File,
    broadcast: &Broadcast,
    stop: &AtomicBool,
    ended: &AtomicBool,
) -> Result<()> {
    let mut is_over = false;
    while !stop.load(Ordering::Relaxed) {
        let has_ended = ended.load(Ordering::Acquire);
        let mut piece = Vec::new();
        if read_piece(file, &mut piece)? > 0 {
            broadcast.give(|publisher, now| publisher.follow(&piece, now))?;
            // Others have their turn, however long the journal is already.
            tokio::task::yield_now().await;
            continue;
        }
        if has_ended && !is_over {
            broadcast.give(Publisher::end)?;
            is_over = true;
        }
        sleep(LOOK).await;
    }
    Ok(())
}

/// How a connection ended.
enum Ended {
    /// The server has everything.
    Taken,
    /// Everything was sent: another connection will say whether it came.
    Sent,
    /// The server does not want it.
    Refused(Refusal),
    /// It broke; was anything sent over it?
    Broken { reason: String, had_begun: bool },
}

/// Connects until the match is over and the server has everything.
pub(crate) async fn keep_published(
    broadcast: &Broadcast,
    options: &PublishOptions,
    mut rereader: Option<Rereader>,
    on_event: &mut OnEvent<'_>,
) -> Result<()> {
    let mut backoff = Backoff::new(options.patience);
    loop {
        let ended = match connect(options).await {
            Ok(link) => session(broadcast, link, rereader.as_mut(), on_event).await?,
            // Who is not let in, or does not trust the other side, is not connected later either.
            Err(error) if error.class() == ErrorClass::Misuse || is_untrusted(&error) => {
                return Err(error);
            }
            Err(error) => Ended::Broken { reason: error.to_string(), had_begun: false },
        };
        let reason = match ended {
            Ended::Taken => {
                on_event(&PublishEvent::Taken);
                return Ok(());
            }
            Ended::Sent => {
                backoff.reset();
                continue;
            }
            Ended::Refused(Refusal::TooMany) => Refusal::TooMany.text().to_owned(),
            Ended::Refused(refusal) => return Err(broken(refusal.text())),
            Ended::Broken { reason, had_begun } => {
                if had_begun {
                    backoff.reset();
                }
                reason
            }
        };
        let Some(again_in) = backoff.failed() else { return Err(broken(reason)) };
        on_event(&PublishEvent::Lost { reason, again_in });
        sleep(again_in).await;
    }
}

/// Connects by the first transport that works. *Why WebSocket first:* a relay is a copy of the journal, and nothing
/// overtakes there.
async fn connect(options: &PublishOptions) -> Result<Link> {
    let mut failure = None;
    for transport in [Transport::WebSocket, Transport::Quic, Transport::Bus] {
        if !options.to.transports().contains(&transport) {
            continue;
        }
        match Link::connect(&options.to, transport, &options.trust).await {
            Ok(link) => return Ok(link),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    Err(failure.unwrap_or_else(|| broken("no transport carries messages")))
}

/// One connection. An error is about the match itself: no other connection would be better.
async fn session(
    broadcast: &Broadcast,
    mut link: Link,
    rereader: Option<&mut Rereader>,
    on_event: &mut OnEvent<'_>,
) -> Result<Ended> {
    let fresh = |reason: String| Ended::Broken { reason, had_begun: false };
    let announce = broadcast.look(|publisher, _| publisher.announce());
    if let Err(error) = link.say(announce).await {
        return Ok(fresh(error.to_string()));
    }
    let have = match timeout(HAVE, wait_for_have(&mut link)).await {
        Err(_) => return Ok(fresh("the server did not answer in time".to_owned())),
        Ok(Err(ended)) => return Ok(ended),
        Ok(Ok(have)) => have,
    };
    let had_all = broadcast.look(|publisher, _| publisher.is_all(&have));
    if !had_all {
        on_event(&PublishEvent::Connected(link.transport));
    }
    let mut given = broadcast.given();
    let seat = broadcast.look(|publisher, now| publisher.connect(&have, now));
    let sent = send_all(broadcast, seat, &mut link, rereader, &mut given).await;
    broadcast.look(|publisher, _| publisher.disconnect(seat));
    match sent? {
        Some(ended) => Ok(ended),
        // Nobody on a bus says that it has everything; who lacked something has asked for it.
        None if link.transport == Transport::Bus => {
            link.close().await;
            Ok(Ended::Taken)
        }
        None if link.close().await && had_all => Ok(Ended::Taken),
        None => Ok(Ended::Sent),
    }
}

/// What the server has.
async fn wait_for_have(link: &mut Link) -> std::result::Result<Vec<(View, PerLane)>, Ended> {
    let broken = |reason: String| Ended::Broken { reason, had_begun: false };
    loop {
        let bytes = link.receive().await.map_err(|closed| broken(closed.reason))?;
        match Message::read(&bytes) {
            Ok(Message::Have(have)) => return Ok(have),
            Ok(Message::Refuse(refusal)) => return Err(Ended::Refused(refusal)),
            Ok(_) => {}
            Err(error) => return Err(broken(error.to_string())),
        }
    }
}

/// Sends whatever the server lacks; `None` when that was everything up to the end.
async fn send_all(
    broadcast: &Broadcast,
    seat: SeatId,
    link: &mut Link,
    mut rereader: Option<&mut Rereader>,
    given: &mut watch::Receiver<u64>,
) -> Result<Option<Ended>> {
    let broken = |reason: String| Ok(Some(Ended::Broken { reason, had_begun: true }));
    // Also while much is given: the other side may be gone, and what is given need not be anything to send.
    let mut heartbeat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        given.mark_unchanged();
        while let Some(received) = link.try_receive() {
            if let Some(ended) = take(broadcast, seat, received) {
                return Ok(Some(ended));
            }
        }
        let mut batch = broadcast.look(|publisher, now| publisher.poll(seat, now, BATCH));
        if !batch.is_empty() {
            // A relay is a copy of the journal: nothing is fine to miss for it.
            batch.iter_mut().for_each(|message| message.is_datagram = false);
            if let Err(error) = link.send(&batch).await {
                return broken(error.to_string());
            }
            continue;
        }
        if let Some(rereader) = rereader.as_deref_mut()
            && recall(broadcast, rereader)?
        {
            continue;
        }
        let is_all =
            broadcast.look(|publisher, _| publisher.is_over() && publisher.missing().is_empty());
        if is_all && link.is_quiet() {
            return Ok(None);
        }
        tokio::select! {
            changed = given.changed() => if changed.is_err() {
                return broken("nobody gives anything any more".to_owned());
            },
            received = link.receive() => {
                if let Some(ended) = take(broadcast, seat, received) {
                    return Ok(Some(ended));
                }
            }
            _ = heartbeat.tick() => {
                if let Err(error) = link.check().await {
                    return broken(error.to_string());
                }
                for mark in broadcast.look(|publisher, _| publisher.heartbeat(seat)) {
                    if let Err(error) = link.say(mark).await {
                        return broken(error.to_string());
                    }
                }
            }
        }
    }
}

/// Takes a message of the server; says how the connection ended, if it did.
fn take(
    broadcast: &Broadcast,
    seat: SeatId,
    received: std::result::Result<gametape_live::Shared, crate::link::Closed>,
) -> Option<Ended> {
    let reason = match received {
        Ok(bytes) => {
            if let Ok(Message::Refuse(refusal)) = Message::read(&bytes) {
                return Some(Ended::Refused(refusal));
            }
            let taken = broadcast.look(|publisher, now| publisher.receive(seat, &bytes, now));
            taken.err()?.to_string()
        }
        Err(closed) => closed.reason,
    };
    Some(Ended::Broken { reason, had_begun: true })
}

/// Reads from the journal again what memory has no more. True where there was something.
fn recall(broadcast: &Broadcast, rereader: &mut Rereader) -> Result<bool> {
    let missing = broadcast.look(|publisher, _| publisher.missing());
    if missing.is_empty() {
        return Ok(false);
    }
    let found = rereader.messages(&missing)?;
    broadcast.look(|publisher, _| found.iter().try_for_each(|bytes| publisher.recall(bytes)))?;
    Ok(!found.is_empty())
}
