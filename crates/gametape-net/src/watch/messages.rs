//! Watching by messages.

use std::time::Duration;

use gametape_live::{Join, Notice, Refusal, Shared, Spectator, StartAt};
use gametape_wire::{TickLength, When};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::{Command, Ended, Gone, Out, Seen, WatchOptions, tick_at, trust_over_quic};
use crate::address::Transport;
use crate::link::{Closed, Link, broken};
use crate::tls::is_untrusted;

/// How often to look what is missing.
const LOOK: Duration = Duration::from_millis(50);
/// A server gives a seat within this time.
const WELCOME: Duration = Duration::from_secs(5);
/// Messages that are taken before something else has its turn.
const AT_ONCE: usize = 512;

/// A match that is watched over connections that follow each other.
pub(super) struct Watching {
    join: Join,
    spectator: Spectator,
    began: Instant,
    /// Was a seat given, over any connection?
    was_welcome: bool,
    /// Where somebody wants to begin, until it is known which tick that is.
    at: Option<When>,
    length: Option<TickLength>,
}

impl Watching {
    pub(super) fn new(join: Join, at: Option<When>) -> Self {
        let (spectator, began) = (Spectator::new(join.clone()), Instant::now());
        Self { join, spectator, began, was_welcome: false, at, length: None }
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Watches over one connection.
    pub(super) async fn run(
        &mut self,
        options: &WatchOptions,
        transport: Transport,
        out: &mut Out,
        commands: &mut UnboundedReceiver<Command>,
    ) -> Ended {
        let mut link = match connect(options, transport, self.spectator.join()).await {
            Ok(link) => link,
            Err(error) if is_untrusted(&error) => return Ended::Failed(error),
            Err(error) => return Ended::broken(format_args!("{transport}: {error}")),
        };
        let mut turn = Turn { is_welcome: false, has_progress: false };
        match self.converse(&mut link, &mut turn, out, commands).await {
            Ended::Broken { reason, .. } => {
                Ended::Broken { reason, had_progress: turn.has_progress }
            }
            ended => {
                link.close().await;
                ended
            }
        }
    }

    async fn converse(
        &mut self,
        link: &mut Link,
        turn: &mut Turn,
        out: &mut Out,
        commands: &mut UnboundedReceiver<Command>,
    ) -> Ended {
        let connected = Instant::now();
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                received = link.receive() => {
                    if let Some(ended) = self.take_all(link, received) {
                        // What came before it counts.
                        return self.report(turn, link, out).await.unwrap_or(ended);
                    }
                }
                command = commands.recv() => {
                    match command {
                        Some(Command::Seek(to)) => {
                            let rest = self.spectator.take_tape().unwrap_or_default();
                            if out.tape(rest).await.is_err() {
                                return Ended::Gone;
                            }
                            let message = self.spectator.seek(to);
                            if let Err(error) = link.say(message).await {
                                return Ended::broken(error);
                            }
                        }
                        Some(Command::End) | None => return self.end(out).await,
                    }
                }
                _ = look.tick() => {
                    if !turn.is_welcome && connected.elapsed() > WELCOME {
                        return Ended::broken("the server did not answer in time");
                    }
                    match self.spectator.poll(self.now()) {
                        Ok(asks) => for ask in asks {
                            if let Err(error) = link.say(ask).await {
                                return Ended::broken(error);
                            }
                        },
                        Err(error) => return Ended::broken(error),
                    }
                    if let Err(error) = link.check().await {
                        return Ended::broken(error);
                    }
                }
            }
            if let Some(ended) = self.report(turn, link, out).await {
                return ended;
            }
            if let Some(to) = self.begin_at() {
                let message = self.spectator.seek(to);
                if let Err(error) = link.say(message).await {
                    return Ended::broken(error);
                }
            }
        }
    }

    /// The tick to begin with, as soon as it can be said.
    fn begin_at(&mut self) -> Option<StartAt> {
        let (newest, length) = (self.spectator.newest()?, self.length?);
        let when = self.at.take()?;
        Some(StartAt::Tick(tick_at(when, length, newest)))
    }

    /// Takes a message, and those that came with it.
    fn take_all(&mut self, link: &mut Link, first: Result<Shared, Closed>) -> Option<Ended> {
        let mut received = Some(first);
        for _ in 0..AT_ONCE {
            match received.take()? {
                Ok(bytes) => {
                    if let Err(error) = self.spectator.receive(&bytes, self.now()) {
                        return Some(Ended::broken(error));
                    }
                }
                Err(closed) => return Some(Ended::broken(closed.reason)),
            }
            received = link.try_receive();
        }
        // One that was taken out and not looked at would be lost.
        match received? {
            Ok(bytes) => self.spectator.receive(&bytes, self.now()).err().map(Ended::broken),
            Err(closed) => Some(Ended::broken(closed.reason)),
        }
    }

    /// Says what happened; how it ended, if it did.
    async fn report(&mut self, turn: &mut Turn, link: &Link, out: &mut Out) -> Option<Ended> {
        match self.try_report(turn, link, out).await {
            Ok(ended) => ended,
            Err(Gone) => Some(Ended::Gone),
        }
    }

    async fn try_report(
        &mut self,
        turn: &mut Turn,
        link: &Link,
        out: &mut Out,
    ) -> Result<Option<Ended>, Gone> {
        for notice in self.spectator.notices() {
            match &notice {
                Notice::Welcome(welcome) => {
                    (turn.is_welcome, self.was_welcome) = (true, true);
                    self.length = Some(welcome.header.tick_length);
                    out.put(Seen::Connected(link.transport)).await?;
                }
                Notice::Shown { .. } => turn.has_progress = true,
                Notice::Refused(refusal) => return Ok(Some(self.refused(*refusal))),
                _ => {}
            }
            // What is not where somebody wants to begin is not shown.
            if self.at.is_some() && !matches!(notice, Notice::Welcome(_)) {
                continue;
            }
            out.put(Seen::Notice(notice)).await?;
        }
        out.newest(self.spectator.newest()).await?;
        if self.at.is_some() {
            return Ok(None);
        }
        let is_over = self.spectator.is_over();
        if is_over || out.is_due() {
            match self.spectator.take_tape() {
                Ok(bytes) => out.tape(bytes).await?,
                Err(error) => return Ok(Some(Ended::Failed(error))),
            }
        }
        Ok(is_over.then_some(Ended::Done))
    }

    /// A server that restarts may not know the match yet.
    fn refused(&self, refusal: Refusal) -> Ended {
        let may_pass = match refusal {
            Refusal::TooMany => true,
            Refusal::NoMatch => self.was_welcome,
            _ => false,
        };
        if may_pass { Ended::broken(refusal.text()) } else { Ended::Failed(broken(refusal.text())) }
    }

    /// Ends the tape with its index.
    async fn end(&mut self, out: &Out) -> Ended {
        let spare = Spectator::new(self.join.clone());
        let spectator = std::mem::replace(&mut self.spectator, spare);
        match spectator.close() {
            Ok(bytes) => out.tape(bytes).await.map_or(Ended::Gone, |()| Ended::Done),
            Err(error) => Ended::Failed(error),
        }
    }
}

async fn connect(
    options: &WatchOptions,
    transport: Transport,
    join: Shared,
) -> gametape_wire::Result<Link> {
    if transport != Transport::Quic {
        return Link::join(&options.from, transport, &options.trust, join).await;
    }
    let trust = trust_over_quic(options).await?;
    let link = Link::join(&options.from, transport, &trust, join).await;
    // What the server says about its certificate may be older than that.
    if trust == options.trust { link } else { link.map_err(broken) }
}

/// What one connection came to.
struct Turn {
    is_welcome: bool,
    has_progress: bool,
}
