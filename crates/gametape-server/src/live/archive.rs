//! The tape of a match with all its views, made while it is received: for who keeps finished matches.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use gametape_live::{Classes, Grant, Join, MatchName, Notice, Relay, SeatId, Spectator, StartAt};
use gametape_wire::{Tick, ViewSet};
use tempfile::NamedTempFile;

/// Bytes that are taken at once.
const BATCH: usize = 1 << 20;

/// A match that is over, or that the server had to leave.
#[derive(Debug)]
pub struct Finished {
    /// The match.
    pub name: MatchName,
    /// Its tape with every view, finished, in a file that is gone when this is dropped.
    pub tape: NamedTempFile,
    /// Did everything come, up to the end of the match?
    pub is_whole: bool,
}

/// Takes matches that are over. It may take its time: a server that stops waits for it.
pub type Keep = Arc<dyn Fn(Finished) + Send + Sync>;

/// A seat inside the server, which sees everything.
#[derive(Debug)]
pub(crate) struct Archive {
    seat: SeatId,
    spectator: Option<Spectator>,
    tape: Option<NamedTempFile>,
    /// Did something not come?
    has_lost: bool,
}

impl Archive {
    /// Sits down at the start of a match.
    pub(crate) fn new(relay: &mut Relay, views: ViewSet, now: Duration) -> io::Result<Self> {
        let join =
            Join { from: StartAt::Tick(Tick::ZERO), ..Join::new(relay.name().clone(), views) };
        let grant = Grant { views, classes: Classes::ALL, delay: 0 };
        let refused = |refusal: gametape_live::Refusal| io::Error::other(refusal.text());
        let seat = relay.join(&join, &grant, now).map_err(refused)?;
        relay.miss_nothing(seat);
        let tape = Some(NamedTempFile::new()?);
        Ok(Self { seat, spectator: Some(Spectator::new(join)), tape, has_lost: false })
    }

    /// Writes what came; gives the tape when the match is over.
    pub(crate) fn step(
        &mut self,
        relay: &mut Relay,
        now: Duration,
    ) -> io::Result<Option<Finished>> {
        let (Some(spectator), Some(tape)) = (&mut self.spectator, &mut self.tape) else {
            return Ok(None);
        };
        loop {
            let messages = relay.poll(self.seat, now, BATCH);
            if messages.is_empty() {
                break;
            }
            let received =
                messages.iter().try_for_each(|message| spectator.receive(&message.bytes, now));
            received.map_err(io::Error::other)?;
        }
        for message in spectator.poll(now).map_err(io::Error::other)? {
            let _ = relay.receive(self.seat, &message, now);
        }
        let is_loss = |notice: &Notice| matches!(notice, Notice::Lost { .. });
        self.has_lost |= spectator.notices().iter().any(is_loss);
        tape.write_all(&spectator.take_tape().map_err(io::Error::other)?)?;
        match spectator.is_over() {
            true => self.finish(relay),
            false => Ok(None),
        }
    }

    /// Ends the tape with what is there; `None` where it was given before.
    pub(crate) fn finish(&mut self, relay: &mut Relay) -> io::Result<Option<Finished>> {
        let (Some(spectator), Some(mut tape)) = (self.spectator.take(), self.tape.take()) else {
            return Ok(None);
        };
        relay.leave(self.seat);
        let is_whole = spectator.is_over() && !self.has_lost;
        let has_begun = spectator.shown().is_some();
        tape.write_all(&spectator.close().map_err(io::Error::other)?)?;
        tape.flush()?;
        let finished = Finished { name: relay.name().clone(), tape, is_whole };
        Ok(has_begun.then_some(finished))
    }
}
