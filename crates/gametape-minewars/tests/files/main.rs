//! Grids, maps, setups and replay files.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may fail it")]

mod corpus;
mod examples;
mod file;
mod grid;
mod setup;
