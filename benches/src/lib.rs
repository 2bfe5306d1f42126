//! The harness of the benchmarks: promises of speed and memory, measured and judged.
//!
//! Each program in `src/bin/` is one benchmark; `cargo xtask bench` lists and runs them. It makes
//! a [`Report`] of contests and claims, and fails when a promise is broken:
//!
//! ```
//! use gametape_benches::{Claim, Contest, Report};
//!
//! let text = "one two three ".repeat(100);
//! let contest = Contest::new("count the spaces", text.as_bytes())
//!     .rounds(3)
//!     .baseline("by character", || text.chars().filter(|&c| c == ' ').count())
//!     .promised("by byte", 1.0, || text.bytes().filter(|&b| b == b' ').count());
//!
//! let mut report = Report::new();
//! report.contest(contest);
//! report.claim(&Claim::at_most("peak memory in MB", 3.5, 64.0));
//! let exit_code = report.finish();
//! # drop(exit_code);
//! ```
//!
//! The peak memory of a whole process is in [`memory`]. Allocations are counted in
//! `tests/allocations.rs`: they are the same in every run, so they are a test. The counter replaces
//! the allocator and so slows whoever allocates; a program that takes times cannot even name it.
//!
//! What it does not do: no statistics beyond median and best, no history of past runs. A promise
//! is a ratio within one run on one machine.

#[cfg(target_os = "linux")]
pub mod audience;
pub mod browser;
mod clock;
mod contest;
pub mod crowd;
pub mod crowd_tape;
pub mod insight;
pub mod large;
pub mod memory;
pub mod peer;
pub mod playing;
mod report;
mod table;

pub use clock::Stopwatch;
pub use contest::{Contest, Standing, Standings, median};
pub use report::{Claim, Report};
