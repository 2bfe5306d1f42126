//! Live matches: publishers send them here, spectators watch them from here. Normative: `spec/live.md`.
//!
//! [`Live`] has all matches of a server and what it [allows](Policy). Everything that is about messages, delays and
//! segments is in `gametape-live`; here are connections, their limits, and HTTP.

mod archive;
mod bucket;
mod bus;
mod cadre;
mod cast;
mod frames;
mod journal;
mod pages;
mod policy;
mod quic;
mod report;
mod room;
mod segments;
mod session;
mod socket;
mod spool;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gametape_bus::NatsOptions;
use gametape_cadre::GameAddress;
use gametape_live::{Announce, MatchName, Pass, Refusal};
use gametape_wire::ViewSet;
use tokio::sync::watch;
use tokio::task::{JoinHandle, spawn_blocking};

pub use archive::{Finished, Keep};
pub use policy::{Hold, Permit, Policy};
pub use report::{EventLog, LogForm, Say};

use bucket::Buckets;
use report::Figures;
use room::{Clock, Room, lock};

use crate::tls::Identity;

pub(crate) use pages::{Peer, metrics, respond};
pub(crate) use quic::Port;

/// Time passes in these steps where nobody sends anything.
const BEAT: Duration = Duration::from_millis(50);
/// A match whose publisher is silent for so long is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(3600);

/// What a server has room for.
#[derive(Debug, Clone)]
pub struct LiveLimits {
    /// Matches at the same time.
    pub matches: usize,
    /// Seats of one match.
    pub seats: usize,
    /// Bytes of messages that are kept of each view, for who joins late or goes back.
    pub window: usize,
    /// Sessions that an address may begin in a second; four times as many at once. 0 is no limit.
    pub joins: u32,
    /// KiB of what was before that an address gets in a second; twice as many at once. 0 is no limit.
    pub history: u32,
    /// The first message of a session may take this long.
    pub first_message: Duration,
    /// Who does not take what is sent for so long loses the seat.
    pub slow: Duration,
    /// Who says nothing for so long, not even that it is there, is gone.
    pub idle: Duration,
    /// A view that only some may see is dropped when none of them has needed it for so long.
    pub unneeded: Duration,
}

impl Default for LiveLimits {
    fn default() -> Self {
        Self {
            matches: 256,
            seats: 1 << 16,
            window: 64 << 20,
            joins: 50,
            history: 8 << 10,
            first_message: Duration::from_secs(5),
            slow: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            unneeded: Duration::from_secs(300),
        }
    }
}

/// The live matches of a server.
#[derive(Debug)]
pub struct Live {
    policy: Policy,
    limits: LiveLimits,
    log: EventLog,
    figures: Figures,
    clock: Clock,
    rooms: RwLock<BTreeMap<MatchName, Arc<Room>>>,
    joins: Mutex<Buckets>,
    requests: Mutex<Buckets>,
    /// In KiB.
    history: Mutex<Buckets>,
    tapes: Mutex<Vec<(MatchName, PathBuf)>>,
    /// The bus that more matches come from.
    bus: Option<bus::Source>,
    /// Games of Cadre servers.
    games: Vec<GameAddress>,
    /// Takes the tapes of matches that are over.
    keep: Option<Archivist>,
    keeping: Mutex<Vec<JoinHandle<()>>>,
    /// The certificate that QUIC uses, where that is spoken.
    quic: OnceLock<Identity>,
}

/// Who takes finished tapes.
struct Archivist(Keep);

impl std::fmt::Debug for Archivist {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Archivist")
    }
}

/// Requests are cheaper than sessions.
const REQUESTS_PER_JOIN: u32 = 20;

impl Live {
    /// No matches yet.
    #[must_use]
    pub fn new(policy: Policy, limits: LiveLimits, log: EventLog) -> Self {
        let (joins, history) = (limits.joins, limits.history);
        let requests = joins.saturating_mul(REQUESTS_PER_JOIN);
        Self {
            policy,
            limits,
            log,
            figures: Figures::default(),
            clock: Clock::start(),
            rooms: RwLock::default(),
            joins: Mutex::new(Buckets::new(joins, joins.saturating_mul(4))),
            requests: Mutex::new(Buckets::new(requests, requests.saturating_mul(4))),
            history: Mutex::new(Buckets::new(history, history.saturating_mul(2))),
            tapes: Mutex::default(),
            bus: None,
            games: Vec::new(),
            keep: None,
            keeping: Mutex::default(),
            quic: OnceLock::new(),
        }
    }

    /// The same with somebody who takes the tape of every match that is over, with all its views.
    #[must_use]
    pub fn with_keep(mut self, keep: Keep) -> Self {
        self.policy.keeps_all = true;
        self.keep = Some(Archivist(keep));
        self
    }

    /// QUIC is spoken, with this certificate.
    pub(crate) fn speaks_quic(&self, identity: Identity) {
        let _ = self.quic.set(identity);
    }

    /// The own certificate was made again.
    pub(crate) fn note_certificate(&self, hash: &str) {
        self.log.note("certificate", &[("sha256", &hash)]);
    }

    /// Also broadcasts a tape that is being written, under this name, as soon as the server runs.
    #[must_use]
    pub fn with_tape(self, name: MatchName, path: PathBuf) -> Self {
        lock(&self.tapes).push((name, path));
        self
    }

    /// Also has the matches of a bus, at these addresses of NATS: `nats://HOST:PORT`, separated by commas; maybe with a file of
    /// credentials (`.creds`).
    #[must_use]
    pub fn with_bus(mut self, addresses: Option<String>, credentials: Option<PathBuf>) -> Self {
        let options = NatsOptions::default().with_credentials(credentials);
        self.bus = addresses.map(|addresses| bus::Source::Nats(addresses, options));
        self
    }

    /// The same with a bus that is there already.
    #[must_use]
    pub fn with_own_bus(mut self, bus: Arc<dyn gametape_bus::Bus>) -> Self {
        self.bus = Some(bus::Source::Own(bus));
        self
    }

    /// Also watches a game of a Cadre server, and broadcasts it.
    #[must_use]
    pub fn with_game(mut self, game: GameAddress) -> Self {
        self.games.push(game);
        self
    }

    /// May this address begin a session now?
    fn may_join(&self, address: IpAddr) -> bool {
        lock(&self.joins).take(address, 1, self.clock.now())
    }

    /// May this address ask now?
    fn may_ask(&self, address: IpAddr) -> bool {
        lock(&self.requests).take(address, 1, self.clock.now())
    }

    /// May this address get this many KiB of what was before now?
    fn may_catch_up(&self, address: IpAddr, kibibytes: u32) -> bool {
        lock(&self.history).take(address, kibibytes, self.clock.now())
    }

    fn room(&self, name: &MatchName) -> Option<Arc<Room>> {
        self.rooms.read().ok()?.get(name).cloned()
    }

    fn rooms(&self) -> Vec<Arc<Room>> {
        self.rooms.read().map(|rooms| rooms.values().cloned().collect()).unwrap_or_default()
    }

    /// What somebody may have of a match, by the bytes of a pass; without any as a stranger. Whether a match exists
    /// is not said to who may see nothing of it.
    fn permit(
        &self,
        name: &MatchName,
        pass: Option<&Pass>,
    ) -> Result<(Arc<Room>, Permit), Refusal> {
        let room = self.room(name);
        let permit = match pass {
            Some(pass) => {
                let permit = self.policy.holder(name, pass, unix_now())?;
                (room.ok_or(Refusal::NoMatch)?, permit)
            }
            None => {
                let room = room.ok_or(Refusal::NoMatch)?;
                let permit = self.policy.strangers(room.tick_length());
                (room, permit)
            }
        };
        let is_empty = permit.1.grant.views.and(permit.0.views()).is_empty();
        if is_empty { Err(Refusal::NoMatch) } else { Ok(permit) }
    }

    /// The match that a publisher announces; made where it is not there yet.
    fn announced(&self, announce: &Announce) -> Result<Arc<Room>, Refusal> {
        let views = self.policy.publishing(announce, unix_now()).ok_or(Refusal::BadPass)?;
        self.admit(announce, views)
    }

    /// The same for who may publish.
    fn admit(&self, announce: &Announce, views: ViewSet) -> Result<Arc<Room>, Refusal> {
        let mut rooms = self.rooms.write().map_err(|_| Refusal::TooMany)?;
        if let Some(room) = rooms.get(&announce.name) {
            if room.is_of(announce) {
                return Ok(Arc::clone(room));
            }
            // Another match of the same name: not while the one before is played.
            if room.has_publisher() && !room.is_ended() {
                return Err(Refusal::TooMany);
            }
        } else if rooms.len() >= self.limits.matches {
            return Err(Refusal::TooMany);
        }
        let kept = self.policy.kept(views);
        let room = Room::new(announce.clone(), kept, &self.limits, self.clock);
        let mut room = room.map_err(|_| Refusal::Malformed)?;
        if self.keep.is_some() {
            room = room.with_archive().map_err(|_| Refusal::TooMany)?;
        }
        let room = Arc::new(room);
        if let Some(old) = rooms.insert(announce.name.clone(), Arc::clone(&room)) {
            old.close();
        } else {
            self.figures.matches.add(1);
        }
        Ok(room)
    }

    /// Lets time pass until the server stops.
    pub(crate) async fn run(self: Arc<Self>, stop: watch::Receiver<bool>) {
        for (name, path) in std::mem::take(&mut *lock(&self.tapes)) {
            tokio::spawn(journal::publish(Arc::clone(&self), name, path, stop.clone()));
        }
        for game in self.games.clone() {
            tokio::spawn(cadre::run(Arc::clone(&self), game, stop.clone()));
        }
        if let Some(source) = self.bus.clone() {
            tokio::spawn(bus::run(Arc::clone(&self), source, stop.clone()));
        }
        let mut beat = tokio::time::interval(BEAT);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        while !*stop.borrow() {
            beat.tick().await;
            for room in self.rooms() {
                room.beat();
                for (view, why) in room.spool() {
                    self.log
                        .note("spool", &[("match", room.name()), ("view", &view), ("why", &why)]);
                }
                self.archive(&room, room.archived());
                if !room.has_publisher() && room.silence() > FORGOTTEN {
                    self.forget(&room);
                }
            }
        }
    }

    /// Hands over a tape, if there is one.
    fn archive(&self, room: &Room, archived: std::io::Result<Option<Finished>>) {
        let Some(Archivist(keep)) = &self.keep else { return };
        match archived {
            Ok(None) => {}
            Ok(Some(finished)) => {
                let what = if finished.is_whole { "whole" } else { "as far as it came" };
                self.log.note("finished", &[("match", room.name()), ("what", &what)]);
                let keep = Arc::clone(keep);
                let mut keeping = lock(&self.keeping);
                keeping.retain(|one| !one.is_finished());
                keeping.push(spawn_blocking(move || keep(finished)));
            }
            Err(error) => self.log.note("failed", &[("match", room.name()), ("why", &error)]),
        }
    }

    /// Ends the tapes of matches that are not over, and waits until all are kept: the server stops.
    pub(crate) async fn finish_tapes(&self) {
        for room in self.rooms() {
            self.archive(&room, room.archived());
            self.archive(&room, room.end_archive());
        }
        let keeping = std::mem::take(&mut *lock(&self.keeping));
        for one in keeping {
            let _ = one.await;
        }
    }

    fn forget(&self, room: &Arc<Room>) {
        self.archive(room, room.end_archive());
        let Ok(mut rooms) = self.rooms.write() else { return };
        let is_current = rooms.get(room.name()).is_some_and(|current| Arc::ptr_eq(current, room));
        if is_current {
            rooms.remove(room.name());
            self.figures.matches.sub(1);
        }
        drop(rooms);
        room.close();
    }
}

fn unix_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}
