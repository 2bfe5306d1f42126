//! A server's end of a bus.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use gametape_live::{Announce, MatchName, Message, Shared};
use gametape_tape::TapeHeader;
use gametape_wire::{Result, ViewSet};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::bus::{Bus, Delivery, Kept, Subscription};
use crate::subject::{Filter, Subject};

/// How often to look whether something is missing.
const LOOK: Duration = Duration::from_millis(50);
/// Where nothing new comes for this long, the window is read again.
const SILENCE: Duration = Duration::from_secs(1);
/// And then after twice the time, up to this.
const RARELY: Duration = Duration::from_secs(30);
/// The window is read from this long before the silence on.
const BEFORE: Duration = Duration::from_secs(30);
/// A window of which nothing comes for this long is not waited for.
const STALLED: Duration = Duration::from_millis(500);
/// Matches that are followed at most.
const MATCHES: usize = 4096;
/// Messages that are handed on at once.
const AT_ONCE: usize = 256;

/// A server that hands matches on to seats.
pub trait Edge: Send + Sync + 'static {
    /// A match is there. False where nobody here may ever see anything of it.
    fn announced(&self, announce: &Announce) -> bool;

    /// The views of a match that somebody here may see and needs now: no others are subscribed to. May change at any time.
    fn wanted(&self, name: &MatchName) -> ViewSet;

    /// Messages of a match. True where something of it is news.
    fn receive(&self, name: &MatchName, messages: &[Shared]) -> Result<bool>;

    /// What to ask for now: messages that are missing.
    fn ask(&self, name: &MatchName) -> Vec<Shared>;

    /// Is there everything of the match, up to its end, or does nobody want it any more?
    fn is_done(&self, name: &MatchName) -> bool;
}

/// Follows every match that is announced on a bus. Ends when the bus does; drop it to end it earlier.
pub async fn follow(bus: Arc<dyn Bus>, edge: Arc<dyn Edge>) -> Result<()> {
    let mut announced = bus.subscribe(&[Filter::Announces]).await?;
    let kept_announces = || Reading::begin(bus.kept(&[Filter::Announces], Kept::Last));
    let mut known = kept_announces();
    let mut again = interval(RARELY);
    let mut matches =
        Matches { bus: Arc::clone(&bus), edge, tasks: JoinSet::new(), followed: HashMap::new() };
    loop {
        tokio::select! {
            delivery = announced.next() => match delivery {
                Some(delivery) => matches.announced(&delivery),
                None => return Ok(()),
            },
            delivery = known.next() => matches.announced(&delivery),
            // The window may have failed, and a match may be over before it is announced again.
            _ = again.tick() => if known.is_closed() {
                known = kept_announces();
            },
            Some(_) = matches.tasks.join_next() => {}
        }
    }
}

struct Matches {
    bus: Arc<dyn Bus>,
    edge: Arc<dyn Edge>,
    tasks: JoinSet<()>,
    followed: HashMap<MatchName, (TapeHeader, AbortHandle)>,
}

impl Matches {
    /// Follows a match that is not followed yet.
    fn announced(&mut self, delivery: &Delivery) {
        let Ok(Message::Announce(announce)) = Message::read(&delivery.bytes) else { return };
        let is_its_own = delivery.subject == Some(Subject::Announce(announce.name.clone()));
        let known = self.followed.get(&announce.name);
        let is_followed = known.is_some_and(|(header, task)| {
            let goes_on = !task.is_finished() || self.edge.is_done(&announce.name);
            *header == announce.header && goes_on
        });
        if !is_its_own || is_followed {
            return;
        }
        let is_full = known.is_none() && self.followed.len() >= MATCHES;
        if is_full || !self.edge.announced(&announce) {
            return;
        }
        let (bus, edge) = (Arc::clone(&self.bus), Arc::clone(&self.edge));
        let name = announce.name.clone();
        let task = self.tasks.spawn(async move { Followed { bus, edge, name }.run().await });
        if let Some((_, other)) = self.followed.insert(announce.name, (announce.header, task)) {
            other.abort();
        }
    }
}

/// One match, with the views that are wanted of it.
struct Followed {
    bus: Arc<dyn Bus>,
    edge: Arc<dyn Edge>,
    name: MatchName,
}

impl Followed {
    /// Follows what is wanted, until nobody wants anything or the bus is gone: then it is tried when the match is
    /// announced again.
    async fn run(self) {
        let mut tasks: JoinSet<Result<()>> = JoinSet::new();
        let mut running: Vec<(ViewSet, AbortHandle)> = Vec::new();
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.edge.is_done(&self.name) {
            let wanted = self.edge.wanted(&self.name);
            // Who has a view that is not wanted any more ends; what it has besides begins again.
            running.retain(|(views, task)| {
                let is_wanted = views.without(wanted).is_empty();
                if !is_wanted {
                    task.abort();
                }
                is_wanted
            });
            let known = running.iter().fold(ViewSet::EMPTY, |all, (views, _)| all.or(*views));
            let views = wanted.without(known);
            if !views.is_empty() {
                running.push((views, tasks.spawn(self.following(views).run())));
            }
            tokio::select! {
                _ = look.tick() => {}
                Some(ended) = tasks.join_next() => if ended.is_ok() {
                    return;
                }
            }
        }
    }

    fn following(&self, views: ViewSet) -> Following {
        let (bus, edge) = (Arc::clone(&self.bus), Arc::clone(&self.edge));
        Following { bus, edge, name: self.name.clone(), views }
    }
}

/// Some views of a match.
struct Following {
    bus: Arc<dyn Bus>,
    edge: Arc<dyn Edge>,
    name: MatchName,
    views: ViewSet,
}

impl Following {
    /// Ends when the bus does.
    async fn run(self) -> Result<()> {
        let filters = Filter::of_views(&self.name, self.views);
        let mut live = self.bus.subscribe(&filters).await?;
        // The marks say how many messages there are, before anything else comes. A window that does not answer is not waited
        // for: the publisher sends others.
        let marks = self.bus.kept(&Filter::marks_of(&self.name, self.views), Kept::Last);
        let taking = async {
            let Ok(mut marks) = marks.await else { return };
            while let Some(mark) = marks.next().await {
                self.take(mark, &mut None);
            }
        };
        let _ = timeout(STALLED, taking).await;
        let mut window = Reading::begin(self.bus.kept(&filters, Kept::All));
        let mut silence = Silence::new();
        let mut look = interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let came = tokio::select! {
                delivery = live.next() => match delivery {
                    Some(delivery) => self.take(delivery, &mut Some(&mut live)),
                    None => return Ok(()),
                },
                delivery = window.next() => self.take(delivery, &mut window.subscription()),
                _ = look.tick() => {
                    self.ask(live.inbox(), &window);
                    if window.is_closed() && let Some(since) = silence.is_due() {
                        window = Reading::begin(self.bus.kept(&filters, Kept::Since(since + BEFORE)));
                    }
                    false
                }
            };
            if came {
                silence.ends();
            }
        }
    }

    /// Asks for what is missing.
    fn ask(&self, inbox: &str, window: &Reading<'_>) {
        // What is kept comes without being asked for.
        if window.goes_on() {
            return;
        }
        let subject = Subject::Again(self.name.clone()).to_string();
        for again in self.edge.ask(&self.name) {
            self.bus.publish(&subject, Some(inbox), &again);
        }
    }

    /// Hands a message on, and those that are there already. True where something is news.
    fn take(&self, first: Delivery, more: &mut Option<&mut Subscription>) -> bool {
        let mut messages = Vec::new();
        let mut next = Some(first);
        let wanted = self.edge.wanted(&self.name);
        while let Some(delivery) = next {
            if self.is_right(&delivery, wanted) {
                messages.push(delivery.bytes);
            }
            let has_room = messages.len() < AT_ONCE;
            next = more.as_mut().filter(|_| has_room).and_then(|more| more.try_next());
        }
        !messages.is_empty() && self.edge.receive(&self.name, &messages).unwrap_or(false)
    }

    /// Is it what its subject says, and of a view that is wanted? Answers may be to what another view lacks.
    fn is_right(&self, delivery: &Delivery, wanted: ViewSet) -> bool {
        let Ok(message) = Message::read(&delivery.bytes) else { return false };
        let view = match &message {
            Message::Data(data) => data.view,
            Message::Mark(mark) => mark.view,
            _ => return false,
        };
        let is_its_own = match &delivery.subject {
            Some(subject) => Subject::of(&self.name, &message).as_ref() == Some(subject),
            None => true,
        };
        is_its_own && wanted.contains(view)
    }
}

/// The window, while it is read. Nothing waits for it: its connection may be cut at any time.
struct Reading<'a> {
    state: ReadingState<'a>,
    /// When something came of it.
    heard: Instant,
}

enum ReadingState<'a> {
    Opening(BoxFuture<'a, Result<Subscription>>),
    Open(Subscription),
    Closed,
}

impl<'a> Reading<'a> {
    fn begin(opening: BoxFuture<'a, Result<Subscription>>) -> Self {
        Self { state: ReadingState::Opening(opening), heard: Instant::now() }
    }

    /// The next message; waits for ever when there are no more.
    async fn next(&mut self) -> Delivery {
        loop {
            let state = match &mut self.state {
                ReadingState::Opening(opening) => match opening.await {
                    Ok(subscription) => ReadingState::Open(subscription),
                    Err(_) => ReadingState::Closed,
                },
                ReadingState::Open(subscription) => match subscription.next().await {
                    Some(delivery) => {
                        self.heard = Instant::now();
                        return delivery;
                    }
                    None => ReadingState::Closed,
                },
                ReadingState::Closed => std::future::pending().await,
            };
            self.state = state;
        }
    }

    fn subscription(&mut self) -> Option<&mut Subscription> {
        match &mut self.state {
            ReadingState::Open(subscription) => Some(subscription),
            _ => None,
        }
    }

    fn is_closed(&self) -> bool {
        matches!(self.state, ReadingState::Closed)
    }

    /// Is it read, and did something come of it lately?
    fn goes_on(&self) -> bool {
        !self.is_closed() && self.heard.elapsed() < STALLED
    }
}

/// How long nothing new has come.
struct Silence {
    since: Instant,
    /// When to do something about it.
    due: Duration,
}

impl Silence {
    fn new() -> Self {
        Self { since: Instant::now(), due: SILENCE }
    }

    fn ends(&mut self) {
        *self = Self::new();
    }

    /// How long it has lasted, if it is time to do something about it.
    fn is_due(&mut self) -> Option<Duration> {
        let lasted = self.since.elapsed();
        if lasted < self.due {
            return None;
        }
        self.due = lasted + self.due.min(RARELY);
        Some(lasted)
    }
}
