//! Verifying, repairing, converting and cutting recordings.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test may fail it")]

mod anonymize;
mod convert;
mod corpus;
mod cut;
mod repair;
mod support;
mod verify;
