//! Recordings in a browser: what the page of the viewer asks, answered in WebAssembly.
//!
//! A [`Session`] is one recording that somebody looks at. It takes requests and gives answers, both JSON ([`Request`],
//! [`shapes`]). It fetches nothing itself: where bytes of the recording are missing it says which, the page gets them (from a
//! file, by HTTP range requests) and asks again.
//!
//! ```
//! use gametape_web::{Answered, Session};
//!
//! let file = gametape_cadre::sample::log(30, 1);
//! let mut session = Session::new("game.json", file.len() as u64);
//! let about = loop {
//!     match session.call(r#"{"do":"open"}"#)? {
//!         Answered::Ready(json) => break json,
//!         Answered::Missing => {
//!             for range in session.missing() {
//!                 session.supply(range.start, &file[range.start as usize..range.end as usize]);
//!             }
//!         }
//!     }
//! };
//! assert!(about.contains(r#""format":"gamelog""#));
//! # Ok::<(), String>(())
//! ```
//!
//! What it does not do: nothing is decided here about games, scenes or time; that is in the crates below. No network, no
//! page: `viewer/` has both.

mod beside;
#[cfg(target_arch = "wasm32")]
mod bindings;
mod blocks;
mod loss;
mod moving;
mod request;
mod session;
pub mod shapes;

pub use request::{Follow, HeatOf, Request, Seats, StepBy};
pub use session::{Answered, Session};
