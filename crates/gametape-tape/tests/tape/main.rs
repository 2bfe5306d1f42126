//! Tapes: writing, opening, damage, integrity, changing, keyframes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may fail it")]

mod changing;
mod common;
mod container;
mod cutting;
mod golden;
mod integrity;
mod order;
mod promises;
mod recovery;
mod snapshots;
