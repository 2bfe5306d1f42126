//! Matches that come over a bus.

use std::sync::Arc;
use std::time::Duration;

use gametape_bus::{Bus, Edge, Nats, NatsOptions, Window, follow};
use gametape_live::{Announce, MatchName, Shared};
use gametape_wire::{ErrorClass, Result, ViewSet};
use tokio::sync::watch;
use tokio::time::sleep;

use super::Live;
use super::session::stopped;

/// Another match of the same name replaces one whose publisher is silent for so long.
const SILENT: Duration = Duration::from_secs(10);
/// A bus that cannot be reached is tried again after this time.
const AGAIN: Duration = Duration::from_secs(2);
/// And at least this often.
const RARELY: Duration = Duration::from_secs(60);

/// Where a bus is.
#[derive(Debug, Clone)]
pub(super) enum Source {
    /// At these addresses of NATS.
    Nats(String, NatsOptions),
    /// Here.
    Own(Arc<dyn Bus>),
}

/// Follows the matches of a bus until the server stops.
pub(super) async fn run(live: Arc<Live>, source: Source, mut stop: watch::Receiver<bool>) {
    tokio::select! {
        () = keep_following(&live, &source) => {}
        () = stopped(&mut stop) => {}
    }
}

async fn keep_following(live: &Arc<Live>, source: &Source) {
    let mut pause = AGAIN;
    loop {
        let followed = async {
            let bus = open(live, source).await?;
            follow(bus, Arc::new(BusEdge(Arc::clone(live)))).await
        };
        let ended = followed.await;
        // Who is not let in has to change something; until then it is said less and less often.
        let is_refused = ended.as_ref().is_err_and(|error| error.class() == ErrorClass::Misuse);
        pause = if is_refused { (pause * 2).min(RARELY) } else { AGAIN };
        let problem = ended.map_or_else(|error| error.to_string(), |()| "it ended".into());
        live.log.note("bus", &[("what", &problem)]);
        sleep(pause).await;
    }
}

async fn open(live: &Arc<Live>, source: &Source) -> Result<Arc<dyn Bus>> {
    let (addresses, options) = match source {
        Source::Nats(addresses, options) => (addresses, options),
        Source::Own(bus) => return Ok(Arc::clone(bus)),
    };
    let bus = Arc::new(Nats::connect(addresses, options).await?);
    let (known, live) = (Arc::clone(&bus), Arc::clone(live));
    tokio::spawn(async move {
        let window = match known.window().await {
            Window::Copies(copies) => format!("keeps a window, copies: {copies}"),
            Window::Missing(why) => format!("keeps nothing: {why}"),
        };
        live.log.note("bus", &[("what", &window)]);
    });
    Ok(bus)
}

/// The rooms of this server. Whoever has credentials of the bus may publish there.
struct BusEdge(Arc<Live>);

impl Edge for BusEdge {
    fn announced(&self, announce: &Announce) -> bool {
        let current = self.0.room(&announce.name);
        let is_played = current.is_some_and(|room| {
            !room.is_of(announce) && !room.is_ended() && room.silence() < SILENT
        });
        if is_played || !self.0.policy.may_be_seen(announce.views) {
            return false;
        }
        let Ok(room) = self.0.admit(announce, announce.views) else { return false };
        room.note_bus();
        self.0.log.note("published", &[("match", room.name()), ("transport", &"bus")]);
        true
    }

    fn wanted(&self, name: &MatchName) -> ViewSet {
        self.0.room(name).map_or(ViewSet::EMPTY, |room| *room.wanted().borrow())
    }

    fn receive(&self, name: &MatchName, messages: &[Shared]) -> Result<bool> {
        self.0.room(name).map_or(Ok(false), |room| room.take(messages))
    }

    fn ask(&self, name: &MatchName) -> Vec<Shared> {
        self.0.room(name).map(|room| room.asks()).unwrap_or_default()
    }

    fn is_done(&self, name: &MatchName) -> bool {
        self.0.room(name).is_none()
    }
}
