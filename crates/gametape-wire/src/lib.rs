//! The base of the Gametape replay stack: bytes, errors, limits and multi-view frames.
//!
//! - [`Reader`] and [`Writer`] walk bytes and always know their absolute offset.
//! - [`Error`] is the one error shape: [kind](ErrorKind), item, [place](Place), and a
//!   [class](ErrorClass) that says whose move it is.
//! - [`Limit`] is asked before anything that a file claims is granted.
//! - [`View`] and [`ViewSet`] name points of view.
//! - [`Frames`] and [`FrameWriter`] read and write multi-view frames, [`select_views`] and
//!   [`merge_views`] rewrite them; normative text: `spec/frames.md`.
//!
//! A match is written once, with what each view may know, and read from any seat:
//!
//! ```
//! use gametape_wire::{FrameLayout, FrameWriter, Frames, Generation, Result, Tail};
//! use gametape_wire::{View, ViewSet, select_views};
//!
//! # fn main() -> Result<()> {
//! let [ana, ben] = [1, 2].map(|number| View::new(number).unwrap());
//! let layout = FrameLayout::new(Generation::Current, ben)?;
//! // Where a payload may be cut when it is too long for a frame: here after any byte.
//! let anywhere = |_: &[u8], limit: usize| limit;
//!
//! let mut out = FrameWriter::new(layout);
//! out.moment(100, &[(View::SPECTATOR, b"dawn"), (ana, b"dawn"), (ben, b"dawn")], anywhere)?;
//! out.moment(90_000, &[(View::SPECTATOR, b"mine"), (ana, b"mine"), (ben, b"?")], anywhere)?;
//! let stream = out.into_bytes();
//!
//! for frame in Frames::new(layout, &stream) {
//!     let frame = frame?;
//!     if let Some(payload) = frame.view(ben) {
//!         println!("{} ms: {}", frame.time(), payload.escape_ascii());
//!     }
//! }
//!
//! // What Ben may keep: nothing of the others is left in it.
//! let bens = select_views(Frames::new(layout, &stream), ViewSet::EMPTY.with(ben), Tail::Drop)?;
//! assert!(!bens.windows(4).any(|bytes| bytes == b"mine"));
//! # Ok(())
//! # }
//! ```
//!
//! What it does not do: no file, socket, clock, thread or log line; no knowledge of any game; a
//! payload is never looked into.

mod cursor;
mod error;
mod frames;
mod generation;
mod limit;
mod views;

pub use cursor::{Reader, Writer, unzigzag, zigzag};
pub use error::{Error, ErrorClass, ErrorKind, Place, Result};
pub use frames::{
    Frame, FrameKind, FrameLayout, FrameWriter, Frames, Irregularity, Part, Parts, PayloadRoom,
    Tail, merge_views, select_views,
};
pub use generation::Generation;
pub use limit::Limit;
pub use views::{View, ViewSet};
