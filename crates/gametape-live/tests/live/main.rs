//! Live broadcasts: bytes, networks, delays, leaks, tapes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may fail it")]

mod common;
mod delay;
mod golden;
mod leak;
mod minewars;
mod network;
mod segments;
mod sessions;
mod tapes;
mod wanted;
