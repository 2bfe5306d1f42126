//! Foreign recordings in tapes, and back.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod cadre;
mod corpus;
mod minewars;
