//! Multi-view frames against `spec/frames.md`: worked examples, properties, recorded sessions.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail it")]

mod corpus;
mod golden;
mod properties;
mod rewriting;
mod support;
