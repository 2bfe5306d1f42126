//! Watch a match while it is played: publisher, relay and spectator as state machines without I/O.
//!
//! - [`Publisher`] makes messages of what is recorded: give it the journal, or what the game gives to its
//!   recorder. Equal journals make equal messages, so it can be killed and go on.
//! - [`Relay`] is a match on an edge: it keeps what the publisher sent, holds back what is younger than a
//!   seat's delay, and sends every seat what it may have, by priority. Each message is made once and
//!   [shared](Shared) by all seats.
//! - [`Spectator`] puts it together again: a tape that grows, which a
//!   [`Player`](gametape_replay::Player) plays. What is lost is [named](Notice::Lost).
//! - [`Segmenter`] makes immutable files of a view, for a crowd, and [`SegmentFollower`] a tape of them.
//! - [`Pass`] says who may see what; [`Pacer`] how fast to play near live.
//! - [`Message`] are the bytes between them, [`Lane`] and [`Classes`] how they want to travel.
//!
//! Everything is specified in `spec/live.md` of the repository.
//!
//! ```
//! use std::time::Duration;
//! use gametape_live::{Classes, Grant, Join, Message, Publisher, Relay, Spectator};
//! use gametape_tape::{TapeHeader, TapeWriter};
//! use gametape_wire::{Tick, TickLength, View, ViewSet};
//!
//! # fn main() -> gametape_wire::Result<()> {
//! let [ana, ben] = [1, 2].map(|number| View::new(number).unwrap());
//! let (seats, now) = (ViewSet::EMPTY.with(ana).with(ben), Duration::ZERO);
//!
//! // The journal grows, and the publisher follows it.
//! let header = TapeHeader::new(TickLength::millis::<50>(), 0xB0A7);
//! let mut journal = TapeWriter::new(header, b"{}")?;
//! let mut publisher = Publisher::new("finals".parse()?, header, "{}", seats, 64 << 20)?;
//! journal.frame(0, Tick::ZERO, &[(ana, b"dawn"), (ben, b"dawn")])?;
//! journal.frame(0, Tick(90), &[(ana, b"mine"), (ben, b"?")])?;
//! journal.flush()?;
//! publisher.follow(&journal.take(), now)?;
//! publisher.follow(&journal.finish()?, now)?;
//!
//! // A connection to a relay: Announce, Have, and then whatever is not there yet.
//! let announce = publisher.announce();
//! let Message::Announce(announce) = Message::read(&announce)? else { return Ok(()) };
//! let mut relay = Relay::new(announce, seats, 64 << 20);
//! let have = relay.have();
//! let Message::Have(have) = Message::read(&have)? else { return Ok(()) };
//! let link = publisher.connect(&have, now);
//! for out in publisher.poll(link, now, usize::MAX) {
//!     relay.receive_published(&out.bytes, now)?;
//! }
//!
//! // A connection to a spectator, who asks for more than he may see.
//! let mut spectator = Spectator::new(Join::new("finals".parse()?, seats));
//! let join = spectator.join();
//! let Message::Join(join) = Message::read(&join)? else { return Ok(()) };
//! let bens = Grant { views: ViewSet::EMPTY.with(ben), classes: Classes::ALL, delay: 0 };
//! let seat = relay.join(&join, &bens, now).unwrap();
//! for out in relay.poll(seat, now, usize::MAX) {
//!     assert!(!out.bytes.windows(4).any(|bytes| bytes == b"mine"));
//!     spectator.receive(&out.bytes, now)?;
//! }
//! assert!(spectator.is_over());
//! let tape = spectator.take_tape()?;
//! assert_eq!(gametape_tape::Tape::open(&tape)?.views(), bens.views);
//! # Ok(())
//! # }
//! ```
//!
//! What it does not do: no socket, file, clock, thread or log line: `now` is the time since any fixed instant
//! of the caller; no transport: a driver sends what `poll` gives, as reliable as
//! [`Outgoing`] says; no rules of any game.

mod assembler;
mod classify;
mod delay;
mod deltas;
mod events;
mod filling;
mod follow;
mod hub;
mod journal;
mod lane;
pub mod limits;
mod log;
mod message;
mod name;
mod pass;
mod publisher;
mod receiver;
mod relay;
mod segments;
mod spectator;

pub use classify::{Classify, MinewarsClasses, OneClass};
pub use delay::Delay;
pub use deltas::Stored;
pub use follow::{SegmentFile, SegmentFollower};
pub use gametape_replay::{Pace, Pacer};
pub use hub::{Outgoing, SeatId};
pub use journal::JournalStart;
pub use lane::{Classes, Lane, PerLane};
pub use message::{
    Again, Announce, Body, Data, Join, Mark, Message, Moved, Part, Profile, Refusal, Shared,
    StartAt, VERSION, Welcome,
};
pub use name::MatchName;
pub use pass::{Grant, Pass};
pub use publisher::{Publisher, classes_of};
pub use relay::Relay;
pub use segments::{NowDocument, Segmenter, entry_of};
pub use spectator::{Arrived, Notice, Spectator};
