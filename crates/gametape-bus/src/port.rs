//! The publisher's end of a bus.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use gametape_live::{Again, Announce, MatchName, Message, Outgoing, PerLane, Shared};
use gametape_wire::{Result, View};

use crate::bus::{Bus, Kept, Subscription};
use crate::subject::{Filter, Subject};

/// How often a match is announced.
const ANNOUNCED: Duration = Duration::from_secs(1);
/// When nobody has asked for anything for so long after the end of a match, everybody has everything.
pub const QUIET: Duration = Duration::from_secs(3);
/// Questions that are remembered.
const ASKED: usize = 1024;

/// A connection of a publisher to a bus: what [`Publisher::poll`](gametape_live::Publisher::poll) gives goes
/// out, what servers lack comes in.
#[derive(Debug)]
pub struct Port {
    bus: Arc<dyn Bus>,
    name: MatchName,
    announce: Shared,
    announced: Instant,
    /// The first number of each lane that was not sent yet.
    sent: BTreeMap<View, PerLane>,
    asks: Subscription,
    asked: VecDeque<Asked>,
    /// When something was sent for the first time, or asked for.
    last_active: Instant,
}

/// Somebody lacks something.
#[derive(Debug)]
struct Asked {
    again: Again,
    reply: String,
}

impl Port {
    /// Announces a match, and finds out what the bus has of it.
    pub async fn open(bus: Arc<dyn Bus>, announce: &Announce) -> Result<Self> {
        let name = announce.name.clone();
        let asks = bus.subscribe(&[Filter::Again(name.clone())]).await?;
        let mut sent: BTreeMap<View, PerLane> =
            announce.views.iter().map(|view| (view, PerLane::default())).collect();
        // Without the window everything is sent again, and whoever has it sees that by the numbers.
        let marks = bus.kept(&Filter::marks_of(&name, announce.views), Kept::Last).await;
        if let Ok(mut marks) = marks {
            while let Some(mark) = marks.next().await {
                if let Ok(Message::Mark(mark)) = Message::read(&mark.bytes) {
                    sent.insert(mark.view, mark.counts);
                }
            }
        }
        let public = Announce { pass: Vec::new(), ..announce.clone() };
        let announce = Message::Announce(public).to_bytes();
        bus.publish(&Subject::Announce(name.clone()).to_string(), None, &announce);
        let now = Instant::now();
        let asked = VecDeque::new();
        Ok(Self { bus, name, announce, announced: now, sent, asks, asked, last_active: now })
    }

    /// What the bus has: where to [connect](gametape_live::Publisher::connect) the publisher.
    #[must_use]
    pub fn have(&self) -> Vec<(View, PerLane)> {
        self.sent.iter().map(|(view, counts)| (*view, *counts)).collect()
    }

    /// Sends messages, and announces the match from time to time: call it at least every second.
    pub fn send(&mut self, batch: &[Outgoing]) {
        if self.announced.elapsed() >= ANNOUNCED {
            self.announced = Instant::now();
            let subject = Subject::Announce(self.name.clone()).to_string();
            self.bus.publish(&subject, None, &self.announce);
        }
        batch.iter().for_each(|outgoing| self.put(&outgoing.bytes));
    }

    fn put(&mut self, bytes: &Shared) {
        let Ok(message) = Message::read(bytes) else { return };
        let Some(subject) = Subject::of(&self.name, &message) else { return };
        if let Message::Data(data) = &message {
            let next = &mut self.sent.entry(data.view).or_default()[data.lane.index()];
            let is_repeated = data.number < *next;
            *next = (*next).max(data.number + 1);
            self.last_active = Instant::now();
            if is_repeated && self.answer(data.view, data.lane, data.number, bytes) {
                return;
            }
        }
        self.bus.publish(&subject.to_string(), None, bytes);
    }

    /// Sends a message to who asked for it; false where nobody did.
    fn answer(
        &mut self,
        view: View,
        lane: gametape_live::Lane,
        number: u64,
        bytes: &Shared,
    ) -> bool {
        let is_asked = |Asked { again, .. }: &Asked| {
            again.view == view && again.lane == lane && again.numbers.contains(&number)
        };
        let Some(at) = self.asked.iter().position(is_asked) else { return false };
        let asked = &mut self.asked[at];
        self.bus.publish(&asked.reply, None, bytes);
        asked.again.numbers.start = number + 1;
        if asked.again.numbers.is_empty() {
            self.asked.remove(at);
        }
        true
    }

    /// What somebody lacks, for [`Publisher::receive`](gametape_live::Publisher::receive); `None` when the bus
    /// is gone. May be dropped and called again: nothing is lost.
    pub async fn receive(&mut self) -> Option<Shared> {
        loop {
            let asked = self.asks.next().await?;
            if let Some(bytes) = self.note(asked.reply, asked.bytes) {
                return Some(bytes);
            }
        }
    }

    /// The same, if it is there already.
    pub fn try_receive(&mut self) -> Option<Shared> {
        loop {
            let asked = self.asks.try_next()?;
            if let Some(bytes) = self.note(asked.reply, asked.bytes) {
                return Some(bytes);
            }
        }
    }

    fn note(&mut self, reply: Option<String>, bytes: Shared) -> Option<Shared> {
        let Ok(Message::Again(again)) = Message::read(&bytes) else { return None };
        self.last_active = Instant::now();
        self.asked.truncate(ASKED - 1);
        if let Some(reply) = reply {
            self.asked.push_back(Asked { again, reply });
        }
        Some(bytes)
    }

    /// How long nothing was sent but marks, and nobody has asked for anything.
    #[must_use]
    pub fn quiet_for(&self) -> Duration {
        self.last_active.elapsed()
    }

    /// Waits until everything has gone out.
    pub async fn flush(&self) -> Result<()> {
        self.bus.flush().await
    }
}
