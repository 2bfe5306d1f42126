//! The base of the Gametape replay stack: bytes, errors, limits and multi-view frames.
//!
//! - [`Reader`] and [`Writer`] walk bytes and always know their absolute offset.
//! - [`Error`] is the one error shape: [kind](ErrorKind), item, [place](Place), and a
//!   [class](ErrorClass) that says whose move it is.
//! - [`Limit`] is asked before anything that a file claims is granted.
//! - [`View`] and [`ViewSet`] name points of view.
//!
//! What it does not do: no file, socket, clock, thread or log line; no knowledge of any game.

mod cursor;
mod error;
mod generation;
mod limit;
mod views;

pub use cursor::{Reader, Writer};
pub use error::{Error, ErrorClass, ErrorKind, Place, Result};
pub use generation::Generation;
pub use limit::Limit;
pub use views::{View, ViewSet};
