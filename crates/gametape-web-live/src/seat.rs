//! A seat: messages in, messages out, a tape.

use std::collections::VecDeque;
use std::time::Duration;

use gametape_live::{Join, MatchName, Pass, Shared, Spectator, StartAt};
use gametape_wire::{Tick, ViewSet};

use crate::shapes::to_json;

/// A seat at a match, whatever carries its messages.
#[derive(Debug)]
pub struct Seat {
    spectator: Spectator,
    outgoing: VecDeque<Shared>,
}

impl Seat {
    /// A seat that will ask for these views (bit *n* is view *n*) of a match, from a tick on or live, with a pass as
    /// text or with none.
    pub fn new(name: &str, views: u16, from: Option<Tick>, pass: &str) -> Result<Self, String> {
        let views = ViewSet::from_bits(views);
        if views.is_empty() {
            return Err("a seat needs a view".to_owned());
        }
        let name = name.parse::<MatchName>().map_err(|error| error.to_string())?;
        let mut join = Join::new(name, views);
        join.from = start_at(from);
        if !pass.is_empty() {
            join.pass = pass.parse::<Pass>().map_err(|error| error.to_string())?.to_bytes();
        }
        Ok(Self { spectator: Spectator::new(join), outgoing: VecDeque::new() })
    }

    /// A connection is open: the message that it begins with, which also goes on with what another one had. Messages that
    /// waited for another connection are dropped.
    pub fn join(&mut self) -> Shared {
        self.outgoing.clear();
        self.spectator.join()
    }

    /// A message came; `now` in milliseconds since any fixed instant. An error ends the connection, and another may go on.
    pub fn receive(&mut self, bytes: &[u8], now: f64) -> Result<(), String> {
        self.spectator.receive(&Shared::from(bytes), millis(now)).map_err(|error| error.to_string())
    }

    /// Lets time pass: what is missing is asked for, what does not come is given up.
    pub fn poll(&mut self, now: f64) -> Result<(), String> {
        self.outgoing.extend(self.spectator.poll(millis(now)).map_err(|error| error.to_string())?);
        Ok(())
    }

    /// A message to send, until there is none.
    pub fn next_message(&mut self) -> Option<Shared> {
        self.outgoing.pop_front()
    }

    /// Goes to a tick, or to live: another tape begins.
    pub fn seek(&mut self, to: Option<Tick>) {
        let message = self.spectator.seek(start_at(to));
        self.outgoing.clear();
        self.outgoing.push_back(message);
    }

    /// What happened since the last call, as a JSON array of [`LiveNotice`](crate::LiveNotice).
    pub fn notices(&mut self) -> String {
        to_json(self.spectator.notices())
    }

    /// The bytes that follow those of the last call in the tape.
    pub fn tape(&mut self) -> Result<Vec<u8>, String> {
        self.spectator.take_tape().map_err(|error| error.to_string())
    }
}

pub(crate) fn start_at(tick: Option<Tick>) -> StartAt {
    tick.map_or(StartAt::Live, StartAt::Tick)
}

pub(crate) fn millis(now: f64) -> Duration {
    // What is no time is the beginning of it.
    Duration::try_from_secs_f64(now / 1000.0).unwrap_or_default()
}
