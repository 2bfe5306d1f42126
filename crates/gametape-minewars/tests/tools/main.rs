//! Verifying, repairing, converting and cutting recordings.

mod convert;
mod corpus;
mod cut;
mod repair;
mod support;
mod verify;
