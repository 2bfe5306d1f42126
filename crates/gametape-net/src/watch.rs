//! Watches a match of a server: connects, puts it together, and connects again.

mod files;
mod messages;

use std::slice;
use std::thread;
use std::time::Duration;

use gametape_live::{Join, MatchName, Notice, Pass, StartAt};
use gametape_replay::moments::moment_by_clock;
use gametape_wire::{Error, Moment, Result, Tick, TickLength, View, ViewSet, When};
use serde::Deserialize;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio::time::{Instant, sleep};

use crate::address::{Address, Transport};
use crate::backoff::Backoff;
use crate::http::Client;
use crate::link::broken;
use crate::tls::Trust;

/// What was seen and waits to be looked at: who is slower makes the server wait.
const WAITING: usize = 256;

/// What to watch, and how.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WatchOptions {
    /// The server.
    pub from: Address,
    /// Which certificates are accepted.
    pub trust: Trust,
    /// The match; the only one that there is where none is named.
    pub name: Option<MatchName>,
    /// The views that are wanted.
    pub views: ViewSet,
    /// The pass.
    pub pass: Option<Pass>,
    /// The one transport to try; all that the address allows where nothing is said.
    pub by: Option<Transport>,
    /// Where to begin; live where nothing is said.
    pub at: Option<When>,
    /// How long to try again when the server cannot be reached.
    pub patience: Duration,
    /// How often the tape grows.
    pub every: Duration,
}

impl WatchOptions {
    /// To watch all views of the only match of a server, live, as far as the server lets who has no pass.
    #[must_use]
    pub fn new(from: Address) -> Self {
        let (trust, name) = (Trust::default(), from.name().cloned());
        let (patience, every) = (Duration::from_secs(30), Duration::from_millis(100));
        let (views, pass, by, at) = (ViewSet::ALL, None, None, None);
        Self { from, trust, name, views, pass, by, at, patience, every }
    }

    fn join(&self, name: MatchName) -> Join {
        let mut join = Join::new(name, self.views);
        join.pass = self.pass.as_ref().map(Pass::to_bytes).unwrap_or_default();
        join
    }
}

/// What happens while a match is watched, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Seen {
    /// There is a connection.
    Connected(Transport),
    /// There is none: it is tried again.
    Lost {
        /// Why.
        reason: String,
        /// After this time.
        again_in: Duration,
    },
    /// What a spectator must know. Where a tape [begins](Notice::Began), it is another one than before.
    Notice(Notice),
    /// Bytes that follow in the tape.
    Tape(Vec<u8>),
    /// The newest tick that the server has released.
    Newest(Tick),
    /// Nothing more comes: the match is over, somebody ended it, or it failed.
    Ended(Result<()>),
}

/// What can be asked of who watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Command {
    Seek(StartAt),
    End,
}

/// A match that is being watched, on a thread of its own.
#[derive(Debug)]
pub struct Watch {
    seen: mpsc::Receiver<Seen>,
    control: WatchControl,
}

/// Asks something of a match that is being watched, from any thread.
#[derive(Debug, Clone)]
pub struct WatchControl(UnboundedSender<Command>);

impl WatchControl {
    /// Goes to a tick, or to the newest: another tape begins.
    pub fn seek(&self, to: StartAt) {
        // Who is not there any more needs no command.
        let _ = self.0.send(Command::Seek(to));
    }

    /// Ends it: the tape gets its index, then nothing more comes.
    pub fn end(&self) {
        let _ = self.0.send(Command::End);
    }
}

impl Watch {
    /// Begins to watch.
    pub fn begin(options: WatchOptions) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(broken)?;
        let (sender, seen) = mpsc::channel(WAITING);
        let (control, commands) = mpsc::unbounded_channel();
        let work = move || runtime.block_on(watch(options, sender, commands));
        let spawned = thread::Builder::new().name("gametape watch".to_owned()).spawn(work);
        spawned.map_err(broken)?;
        Ok(Self { seen, control: WatchControl(control) })
    }

    /// What is asked of it.
    #[must_use]
    pub fn control(&self) -> WatchControl {
        self.control.clone()
    }

    /// What happened since, if anything.
    pub fn try_next(&mut self) -> Option<Seen> {
        self.seen.try_recv().ok()
    }

    /// Waits for what happens next; `None` after the end.
    pub fn wait(&mut self) -> Option<Seen> {
        self.seen.blocking_recv()
    }
}

/// A live match of a server, as `live/matches.json` lists it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct LiveMatch {
    /// What it is called.
    #[serde(rename = "match")]
    pub name: String,
    /// The views that who asks may see.
    #[serde(default)]
    pub views: Vec<u8>,
}

#[derive(Deserialize)]
struct LiveMatches {
    matches: Vec<LiveMatch>,
}

/// The live matches that who has this pass may see.
async fn live_matches(client: &mut Client) -> Result<Vec<LiveMatch>> {
    let document = client.get("live/matches.json").await?;
    let document = document.ok_or_else(|| broken("it has no list of live matches"))?;
    let read: LiveMatches = serde_json::from_slice(&document).map_err(broken)?;
    Ok(read.matches)
}

/// What a server says about itself.
#[derive(Deserialize)]
struct About {
    transports: Vec<String>,
    certificate_sha256: Option<String>,
}

/// Which certificate to accept over QUIC, where a server says over HTTP that it speaks it: it may be one that nobody
/// vouches for. As safe as the connection over which it says so.
async fn trust_over_quic(options: &WatchOptions) -> Result<Trust> {
    if options.from.transports() == [Transport::Quic] {
        return Ok(options.trust.clone());
    }
    let mut client = Client::new(&options.from, &options.trust, None);
    let document = client.get("live/server.json").await?.unwrap_or_default();
    let about: About = serde_json::from_slice(&document).map_err(broken)?;
    if !about.transports.iter().any(|transport| transport == "quic") {
        return Err(broken("the server does not speak it"));
    }
    match about.certificate_sha256 {
        Some(hash) => Ok(Trust::Pinned(hash.parse()?)),
        None => Ok(options.trust.clone()),
    }
}

/// Where what happens goes.
struct Out {
    seen: mpsc::Sender<Seen>,
    /// When the tape is due to grow.
    due: Instant,
    every: Duration,
    newest: Option<Tick>,
}

/// Nobody looks any more.
#[derive(Debug)]
struct Gone;

impl Out {
    async fn put(&self, seen: Seen) -> std::result::Result<(), Gone> {
        self.seen.send(seen).await.map_err(|_| Gone)
    }

    /// Is the tape due to grow?
    fn is_due(&mut self) -> bool {
        let now = Instant::now();
        let is_due = now >= self.due;
        if is_due {
            self.due = now + self.every;
        }
        is_due
    }

    async fn newest(&mut self, newest: Option<Tick>) -> std::result::Result<(), Gone> {
        match newest.filter(|_| newest > self.newest) {
            Some(tick) => {
                self.newest = Some(tick);
                self.put(Seen::Newest(tick)).await
            }
            None => Ok(()),
        }
    }

    async fn tape(&self, bytes: Vec<u8>) -> std::result::Result<(), Gone> {
        if bytes.is_empty() { Ok(()) } else { self.put(Seen::Tape(bytes)).await }
    }
}

/// How an attempt ended.
enum Ended {
    /// The match is over, or somebody ended it.
    Done,
    /// Nobody looks any more.
    Gone,
    /// No other attempt would be better.
    Failed(Error),
    /// It broke; did anything come?
    Broken { reason: String, had_progress: bool },
}

impl From<Gone> for Ended {
    fn from(_: Gone) -> Self {
        Self::Gone
    }
}

impl Ended {
    #[allow(clippy::needless_pass_by_value, reason = "it is a function for map_err")]
    fn broken(reason: impl ToString) -> Self {
        Self::Broken { reason: reason.to_string(), had_progress: false }
    }
}

async fn watch(
    options: WatchOptions,
    seen: mpsc::Sender<Seen>,
    mut commands: UnboundedReceiver<Command>,
) {
    let (due, every) = (Instant::now(), options.every);
    let mut out = Out { seen, due, every, newest: None };
    let ended = match find(&options).await {
        Ok(name) => keep_watching(&options, name, &mut out, &mut commands).await,
        Err(error) => Err(error),
    };
    // Where nobody looks any more, nobody needs to know.
    let _ = out.put(Seen::Ended(ended)).await;
}

/// The match that is meant.
async fn find(options: &WatchOptions) -> Result<MatchName> {
    if let Some(name) = &options.name {
        return Ok(name.clone());
    }
    if options.from.transports() == [Transport::Quic] {
        return Err(Error::misuse("match", "a quic:// address does not list them: name one"));
    }
    let mut client = Client::new(&options.from, &options.trust, options.pass.as_ref());
    let matches = live_matches(&mut client).await?;
    match &matches[..] {
        [only] => only.name.parse(),
        [] => Err(Error::misuse("match", "the server has no live match for who has no pass")),
        several => {
            let names: Vec<&str> = several.iter().map(|of| of.name.as_str()).collect();
            let problem = format!("the server has several, name one: {}", names.join(", "));
            Err(Error::misuse("match", problem))
        }
    }
}

/// Tries one transport after the other, and again, until the match is over.
async fn keep_watching(
    options: &WatchOptions,
    name: MatchName,
    out: &mut Out,
    commands: &mut UnboundedReceiver<Command>,
) -> Result<()> {
    let transports = options.by.as_ref().map_or(options.from.transports(), slice::from_ref);
    let mut backoff = Backoff::new(options.patience);
    let mut by_messages = messages::Watching::new(options.join(name.clone()), options.at);
    let mut by_files = files::Watching::new(options, name);
    let mut index = 0;
    loop {
        let transport = transports[index % transports.len()];
        let ended = match transport {
            Transport::Segments => by_files.run(options, out, commands).await,
            _ => by_messages.run(options, transport, out, commands).await,
        };
        let (reason, had_progress) = match ended {
            Ended::Done | Ended::Gone => return Ok(()),
            Ended::Failed(error) => return Err(error),
            Ended::Broken { reason, had_progress } => (reason, had_progress),
        };
        if had_progress {
            backoff.reset();
        } else {
            index += 1;
            // The next transport is tried at once.
            if index % transports.len() != 0 {
                continue;
            }
        }
        let Some(again_in) = backoff.failed() else { return Err(broken(reason)) };
        if out.put(Seen::Lost { reason, again_in }).await.is_err() {
            return Ok(());
        }
        sleep(again_in).await;
    }
}

/// The tick that somebody means, where this one is the newest; the newest where a match has no such moment.
fn tick_at(when: When, length: TickLength, newest: Tick) -> Tick {
    let span = Moment::START..Moment::after(newest);
    let moment = moment_by_clock(when, length, span).ok().and_then(Moment::last_tick);
    moment.unwrap_or(if when == When::Start { Tick::ZERO } else { newest })
}

/// The view that segments are of: they have one.
fn only_view(views: ViewSet) -> View {
    views.iter().next().unwrap_or(View::SPECTATOR)
}
