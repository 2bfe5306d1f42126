//! Timelines of every kind: any moment in any order, steps, growth.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may fail it")]

mod common;
mod gamelog;
mod minewars;
