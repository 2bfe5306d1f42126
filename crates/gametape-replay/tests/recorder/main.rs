//! The recorder: what reaches the tape, whatever disk and process do.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may fail it")]

mod calls;
mod common;
mod durability;
mod failing;
mod pressure;
mod resuming;
mod schedules;
