//! Which streams of a tape hold what: the table in `spec/tape-contents.md`.

use gametape_wire::{View, ViewSet};

/// Setup: what the views start from.
pub const SETUP_OF_VIEWS: u16 = 0;
/// Setup: what the simulation starts from.
pub const SETUP_OF_SIMULATION: u16 = 1;
/// Orders: what the simulation is advanced by.
pub const ORDERS: u16 = 0;
/// Orders: chat, never an input to the simulation.
pub const TALK: u16 = 1;
/// Orders: what a player's own machine reports, never an input to the simulation.
pub const REPORTS: u16 = 2;
/// Frames: what the views receive.
pub const FRAMES: u16 = 0;
/// Keyframes: the whole simulation.
pub const SIMULATION: u16 = 0;
/// Events of the simulation.
pub const EVENTS: u16 = 0;
/// Events: position samples.
pub const POSITIONS: u16 = 1;
/// Events that a player's machine reported.
pub const REPORTED_EVENTS: u16 = 2;

/// Keyframes: what a view knows.
#[must_use]
pub const fn keyframes_of(view: View) -> u16 {
    16 + view.number() as u16
}

/// The view whose keyframes a stream holds.
#[must_use]
pub fn view_of_keyframes(stream: u16) -> Option<View> {
    ViewSet::ALL.iter().find(|view| keyframes_of(*view) == stream)
}
