//! What somebody who publishes a match while it is recorded is given.

use std::fmt;

use gametape_wire::{Tick, ViewSet};

/// Is given a recording while it is made, in the order of the tape.
///
/// The writer's side calls it, never the game's thread. It must not wait for anything: what it cannot hand on it reads
/// from the tape later.
pub trait LiveSink: fmt::Debug + Send {
    /// What views receive at a tick. The chunk that has it comes later.
    fn frame(&mut self, tick: Tick, parts: &[(ViewSet, &[u8])]);

    /// Nothing more of this tick comes.
    fn end_tick(&mut self, tick: Tick);

    /// The bytes that follow in the tape, from its first byte on. They are about to be written.
    fn journal(&mut self, bytes: &[u8]);
}

/// A sink, and the bytes that it has and the tape has not.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) sink: Box<dyn LiveSink>,
    pub(super) unwritten: Vec<u8>,
}
