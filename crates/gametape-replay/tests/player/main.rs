//! Playing tapes: seeking equals playing from the start, whatever the tape is like.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may fail it")]

mod common;
mod corpus;
#[path = "../shared/corpus_files.rs"]
mod corpus_files;
mod damage;
mod failing;
mod growth;
mod hostile;
mod ranges;
mod rerun;
mod seek;
mod times;
mod toy;
