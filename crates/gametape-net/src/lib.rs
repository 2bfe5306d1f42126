//! Live messages over sockets.
//!
//! - [`publish_file`] follows a journal and publishes it; [`publish_recording`] lets a game publish itself while it is
//!   recorded. Both share a [`Broadcast`].
//! - [`Watch`] watches a match on a thread of its own, by the transport that works; [`KeptTapes`] keeps what is
//!   seen, [`SeenLine`] says it in words.
//! - [`Link`] is a connection over any transport, [`Address`] where it goes, [`Trust`] whom it accepts.
//! - [`framing`] cuts the streams of QUIC and WebTransport into messages, without I/O: client and server
//!   both use it. [`request`] puts a Join into the request that opens a connection.
//!
//! Everything is specified in `spec/live.md` of the repository, section 14.
//!
//! ```
//! use gametape_live::{Message, StartAt};
//! use gametape_net::framing::{Decoder, put_entry};
//! use gametape_wire::Tick;
//!
//! let message = Message::Seek(StartAt::Tick(Tick(299))).to_bytes();
//! let mut stream = Vec::new();
//! put_entry(&mut stream, &message);
//! assert_eq!(stream, [0x03, 0x07, 0xAC, 0x02]);
//!
//! let mut decoder = Decoder::session();
//! decoder.push(&stream[..2]);
//! assert_eq!(decoder.next_message()?, None);
//! decoder.push(&stream[2..]);
//! assert_eq!(decoder.next_message()?, Some(message));
//! # Ok::<(), gametape_wire::Error>(())
//! ```
//!
//! What it does not do: no server (`gametape-server`), no rules about who may see what, no playing.

mod address;
mod backoff;
mod broadcast;
pub mod framing;
mod http;
mod kept;
mod line;
mod link;
mod publish;
pub mod request;
mod sink;
mod tls;
mod watch;

pub use address::{Address, Transport};
pub use broadcast::{Broadcast, Rereader};
pub use kept::KeptTapes;
pub use line::SeenLine;
pub use link::{Closed, Link, PROTOCOL};
pub use publish::{OnEvent, PublishEvent, PublishOptions, publish_file};
pub use sink::{Publishing, publish_recording};
pub use tls::{Authority, CertificateHash, Trust};
pub use watch::{LiveMatch, Seen, Watch, WatchControl, WatchOptions};
