//! A bus as the connection of a publisher.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use gametape_bus::{Bus, Nats, NatsOptions, Port, QUIET};
use gametape_live::{Message, Outgoing, Shared};
use gametape_wire::{Error, Result};

use super::{Closed, Incoming};

/// A connection to a bus. It is answered by the bus itself: what it has says the window.
#[derive(Debug)]
pub(super) struct Wire {
    bus: Arc<dyn Bus>,
    port: Option<Port>,
    answers: VecDeque<Shared>,
}

/// Connects to NATS.
pub(super) async fn connect(addresses: &str, credentials: Option<PathBuf>) -> Result<Wire> {
    let options = NatsOptions::default().with_credentials(credentials);
    let bus = Nats::connect(addresses, &options).await?;
    Ok(Wire { bus: Arc::new(bus), port: None, answers: VecDeque::new() })
}

impl Wire {
    /// Sends messages, the first of them an Announce. It never waits for anybody to take them.
    pub(super) async fn send(&mut self, batch: &[Outgoing]) -> Result<()> {
        if let Some(port) = &mut self.port {
            port.send(batch);
            return Ok(());
        }
        let first = batch.first().map(|first| Message::read(&first.bytes)).transpose()?;
        let Some(Message::Announce(announce)) = first else {
            return Err(Error::misuse("bus", "a publisher begins with an announcement"));
        };
        let mut port = Port::open(Arc::clone(&self.bus), &announce).await?;
        self.answers.push_back(Message::Have(port.have()).to_bytes());
        port.send(&batch[1..]);
        self.port = Some(port);
        Ok(())
    }

    /// What servers lack. May be dropped and called again: nothing is lost.
    pub(super) async fn receive(&mut self) -> Incoming {
        if let Some(answer) = self.answers.pop_front() {
            return Ok(answer);
        }
        let Some(port) = &mut self.port else { return std::future::pending().await };
        port.receive().await.ok_or_else(|| Closed::broken("the bus is gone"))
    }

    /// The same, if it is there already.
    pub(super) fn try_receive(&mut self) -> Option<Incoming> {
        let asked = || self.port.as_mut().and_then(Port::try_receive);
        self.answers.pop_front().or_else(asked).map(Ok)
    }

    /// Has nothing been sent or asked for, for so long that everybody has everything?
    pub(super) fn is_quiet(&self) -> bool {
        self.port.as_ref().is_none_or(|port| port.quiet_for() >= QUIET)
    }

    /// Waits until everything is on its way.
    pub(super) async fn flush(&self) -> Result<()> {
        self.bus.flush().await
    }
}
