//! Live matches between servers: publishers on one side, any number of edges on the other.
//!
//! - [`Bus`] carries messages by subject. [`InProcess`] is one within a process; [`Nats`] one that many machines
//!   share, with a JetStream stream as the window for who comes late.
//! - [`Port`] is the publisher's end: it sends, never waits, and answers who lacks something.
//! - [`follow`] is the end of a server, an [`Edge`]: it hears of matches, subscribes to the views that somebody there
//!   may see, and asks for what is missing.
//!
//! Everything is specified in `spec/live.md` of the repository, section 15.
//!
//! ```
//! use gametape_bus::{Bus, Filter, InProcess, Subject};
//! use gametape_live::{Again, Lane, Message};
//! use gametape_wire::View;
//!
//! # fn main() -> gametape_wire::Result<()> {
//! # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! # runtime.block_on(async {
//! let bus = InProcess::default();
//! let mut asked = bus.subscribe(&[Filter::Again("finals".parse()?)]).await?;
//! let again = Again { view: View::new(2).unwrap(), lane: Lane::TAPE, numbers: 3..5 };
//! let again = Message::Again(again).to_bytes();
//! bus.publish(&Subject::Again("finals".parse()?).to_string(), Some("me"), &again);
//! let came = asked.next().await.unwrap();
//! assert_eq!((came.bytes, came.reply.as_deref()), (again, Some("me")));
//! # Ok(())
//! # })
//! # }
//! ```
//!
//! What it does not do: it checks no pass, since whoever has credentials of the bus is trusted; it holds nothing back,
//! which is the edge's work; it keeps nothing for good.

mod bus;
mod edge;
mod in_process;
mod nats;
mod pieces;
mod port;
mod subject;

pub use bus::{Bus, Delivery, Kept, Subscription};
pub use edge::{Edge, follow};
pub use in_process::InProcess;
pub use nats::{Nats, NatsOptions, Window};
pub use port::{Port, QUIET};
pub use subject::{Filter, Subject};
