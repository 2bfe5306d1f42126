//! The base of the Gametape replay stack: bytes, errors, limits and views.
//!
//! - [`Reader`] and [`Writer`] walk bytes and always know their absolute offset.
//! - [`Error`] is the one error shape: [kind](ErrorKind), item, [place](Place), and a
//!   [class](ErrorClass) that says whose move it is.
//! - [`Limit`] is asked before anything that a file claims is granted.
//! - [`View`] and [`ViewSet`] name points of view.
//! - [`SansIo`] is the contract between a computation without I/O and a [`Source`] of bytes.
//! - [`Tick`], [`Time`] and [`Moment`] are time in a recording; [`When`] is how people write it.
//! - [`Finding`] and [`Report`] are what a check finds.
//! - [`fold`] makes texts comparable, whatever their letter case and way of writing.
//! - [`text`] has pieces of text for people, [`json`] strings for machines.
//! - [`KeptStates`] decides which states a timeline keeps in memory.
//! - A [`Part`] is what some views receive at one moment.
//!
//! ```
//! use gametape_wire::{ErrorKind, Reader, Result};
//!
//! # fn main() -> Result<()> {
//! let mut reader = Reader::new(&[0x01, 0x02, 0xFF]);
//! assert_eq!(reader.u16_be("length")?, 0x0102);
//! let error = reader.u16_be("checksum").unwrap_err();
//! assert_eq!(error.to_string(), "checksum: the input ends early: 2 bytes needed, 1 left (at byte 2)");
//! # Ok(())
//! # }
//! ```
//!
//! What it does not do: no file, socket, clock, thread or log line; no knowledge of any game; a
//! payload is never looked into.

mod arrange;
mod cursor;
mod error;
mod finding;
mod fold;
pub mod json;
mod kept;
mod limit;
mod need;
mod sorted;
pub mod text;
mod time;
mod views;

pub use arrange::Arrange;
pub use cursor::{Reader, Writer, unzigzag, zigzag};
pub use error::{Error, ErrorClass, ErrorKind, Place, Result};
pub use finding::{Finding, Report, Severity};
pub use fold::{continues_letter, fold, fold_chars};
pub use kept::{Keep, KeptStates};
pub use limit::Limit;
pub use need::{Need, SansIo, Source, WatchedSource, check_range, drive};
pub use sorted::SortedMap;
pub use time::{Moment, Tick, TickLength, TickRange, Time, When};
pub use views::{Part, View, ViewSet};
