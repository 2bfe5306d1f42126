//! Foreign recordings in tapes, and back.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cadre;
mod corpus;
#[path = "../shared/corpus_files.rs"]
mod corpus_files;
mod minewars;
mod state_at;
