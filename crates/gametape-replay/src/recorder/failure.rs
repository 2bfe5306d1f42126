//! Errors of files and other sinks, in the one shape that errors have.

use std::io;

use gametape_wire::{Error, ErrorKind};

#[cold]
pub(super) fn unwritable(error: &io::Error, offset: u64) -> Error {
    failed(format!("cannot be written: {error}"), offset)
}

#[cold]
pub(super) fn unreadable(error: &io::Error, offset: u64) -> Error {
    failed(format!("cannot be read: {error}"), offset)
}

fn failed(problem: String, offset: u64) -> Error {
    Error::at(offset, "tape", ErrorKind::Misuse { problem: problem.into() })
}
