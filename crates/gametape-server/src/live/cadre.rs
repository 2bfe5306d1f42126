//! A game of a Cadre server, watched as a spectator and broadcast: also to who comes late.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gametape_cadre::{GameAddress, Log, Options, Seen, Spectator};
use gametape_live::{JournalStart, MatchName};
use gametape_replay::ConvertOptions;
use gametape_replay::cadre::GrowingTape;
use gametape_wire::{Error, Result, Tick};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::Live;
use super::journal::Following;
use super::session::stopped;

/// What is lacked is looked for this often.
const LOOK: Duration = Duration::from_millis(50);
/// A connection that is not there by then does not come.
const CONNECTING: Duration = Duration::from_secs(10);

/// Watches a game until it is over or the server stops, and says so.
pub(super) async fn run(live: Arc<Live>, game: GameAddress, mut stop: watch::Receiver<bool>) {
    let ended = tokio::select! {
        ended = broadcast(&live, &game) => ended,
        () = stopped(&mut stop) => return,
    };
    let ended = ended.map_or_else(|error| error.to_string(), |()| "the game is over".to_owned());
    live.log.note("cadre", &[("from", &game.host), ("game", &game.request.game), ("what", &ended)]);
}

async fn broadcast(live: &Arc<Live>, game: &GameAddress) -> Result<()> {
    let options = Options::default();
    let socket = timeout(CONNECTING, TcpStream::connect(&game.host)).await;
    let mut socket = socket.map_err(|_| Error::misuse("game", "the server does not answer"))??;
    let (spectator, hello) = Spectator::begin(game.request.clone(), &options);
    socket.write_all(&hello).await?;
    let mut watching = Watching { live: Arc::clone(live), spectator, begun: None, bytes: 0 };
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut piece = vec![0; 64 << 10];
    while !watching.spectator.is_over() {
        tokio::select! {
            read = socket.read(&mut piece) => match read? {
                0 => break,
                length => watching.receive(&piece[..length], &mut socket).await?,
            },
            _ = look.tick() => watching.repeat()?,
        }
    }
    let mut following = watching.finish()?;
    // The match is there as long as its room, and so is what older seats want of it.
    loop {
        look.tick().await;
        following.repeat()?;
        if following.is_forgotten() {
            return Ok(());
        }
    }
}

/// A game that is watched.
struct Watching {
    live: Arc<Live>,
    spectator: Spectator,
    begun: Option<Begun>,
    /// Bytes of its deltas.
    bytes: usize,
}

/// A game that has begun.
struct Begun {
    log: Log,
    tape: GrowingTape,
    out: Out,
}

/// Where the tape goes.
#[derive(Default)]
struct Out {
    /// Until the first delta is in the tape.
    start: Vec<u8>,
    following: Option<Following>,
}

impl Watching {
    async fn receive(&mut self, bytes: &[u8], socket: &mut TcpStream) -> Result<()> {
        self.spectator.receive(bytes, self.bytes)?;
        while let Some(seen) = self.spectator.next_seen()? {
            match seen {
                Seen::Send(bytes) => socket.write_all(&bytes).await?,
                Seen::Begin(log) => self.begin(*log)?,
                Seen::Delta(delta) => {
                    self.bytes += delta.len();
                    self.begun.as_mut().map_or(Ok(()), |begun| begun.tape.delta(&delta))?;
                }
                _ => {}
            }
        }
        self.hand_on()
    }

    fn begin(&mut self, log: Log) -> Result<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let options = ConvertOptions::new(now.as_millis() as u32);
        let tape = GrowingTape::new(&log, &options)?;
        self.begun = Some(Begun { log, tape, out: Out::default() });
        Ok(())
    }

    /// Broadcasts what the tape has more.
    fn hand_on(&mut self) -> Result<()> {
        let Some(begun) = &mut self.begun else { return Ok(()) };
        let more = begun.tape.take()?;
        begun.out.grow(&self.live, &begun.log, &more)?;
        match (&mut begun.out.following, Tick(begun.tape.ticks()).previous()) {
            (Some(following), Some(tick)) => following.end_tick(tick),
            _ => Ok(()),
        }
    }

    fn repeat(&mut self) -> Result<()> {
        let following = self.begun.as_mut().and_then(|begun| begun.out.following.as_mut());
        following.map_or(Ok(()), Following::repeat)
    }

    /// Ends the tape, whether the game is over or not.
    fn finish(mut self) -> Result<Following> {
        let nothing = || Error::misuse("game", "the server ended the connection before it began");
        let Begun { log, tape, mut out } = self.begun.take().ok_or_else(nothing)?;
        let ending = self.spectator.ending();
        for loss in ending.losses() {
            self.live.log.note("cadre", &[("what", &loss)]);
        }
        let last = tape.finish(&log, &ending)?;
        out.grow(&self.live, &log, &last)?;
        out.following.ok_or_else(nothing)
    }
}

impl Out {
    fn grow(&mut self, live: &Arc<Live>, log: &Log, bytes: &[u8]) -> Result<()> {
        if let Some(following) = &mut self.following {
            return following.grow(bytes);
        }
        self.start.extend_from_slice(bytes);
        if let Some(start) = JournalStart::read(&self.start)? {
            let name = name_of(log)?;
            let mut following = Following::begin(live, &name, &start)?;
            following.grow(&std::mem::take(&mut self.start))?;
            live.log.note("published", &[("match", &name), ("transport", &"cadre")]);
            self.following = Some(following);
        }
        Ok(())
    }
}

/// What the match is called: game and session.
fn name_of(log: &Log) -> Result<MatchName> {
    let header = log.header();
    let parts = [header.game_name(), header.game_session()].into_iter().flatten();
    let name = parts.collect::<Vec<_>>().join("-");
    let letter = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = name.chars().map(letter).take(64).collect();
    if name.is_empty() { "game".parse() } else { name.parse() }
}
