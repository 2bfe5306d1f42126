//! Highlights and statistics.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may fail it")]

mod best_moments;
mod build;
mod highlights;
mod statistics;
