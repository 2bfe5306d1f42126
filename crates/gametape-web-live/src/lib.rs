//! Live matches in a browser: what comes over the network, made a tape in WebAssembly.
//!
//! A [`Seat`] speaks messages, over whatever carries them; [`Segments`] says which files it needs. Both give the bytes of a
//! tape that grows, and [notices](LiveNotice) as JSON. The page has the sockets and the clock; the tape goes to a session of
//! `gametape-web`, which shows it. Specified in `spec/live.md` and `spec/viewer.md`, section 6.
//!
//! ```
//! use gametape_web_live::Segments;
//!
//! let mut segments = Segments::new(0, None)?;
//! assert_eq!(segments.poll(0.0), ["entry", "now"]);
//! let now = br#"{"match":"m","view":0,"tick_us":50000,"slot_ticks":20,"tick":-1,"slot":-1,"over":false}"#;
//! segments.answer("now", Some(now), 10.0)?;
//! segments.answer("entry", None, 10.0)?;
//! assert_eq!(segments.poll(10.0), ["init"]);
//! assert!(segments.tape().is_empty() && segments.notices() == "[]");
//! # Ok::<(), String>(())
//! ```
//!
//! What it does not do: no socket, no reconnecting, no choice of a transport: `viewer/src/live/` has these. It shows nothing.

#[cfg(target_arch = "wasm32")]
mod bindings;
mod seat;
mod segments;
mod shapes;

pub use seat::Seat;
pub use segments::Segments;
pub use shapes::{LiveNotice, Lost, Refused, Welcomed};
