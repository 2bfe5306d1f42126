//! Gamelogs in tapes, and back; normative text: `spec/tape-contents.md`, section 4.

mod convert;
mod state;

use gametape_wire::{Result, TickLength, View};

use crate::player::{Player, PlayerOptions, ViewTrack};
use crate::source::Recording;
use crate::timeline::Playback;
use gametape_wire::Source;

pub use convert::{GrowingTape, from_tape, markers_of, to_tape, write_tape};
pub use state::CadreGame;

/// How long a tick takes, which is one delta.
pub const TICK_LENGTH: TickLength = TickLength::from_micros(100_000).unwrap();

/// Plays a gamelog from a tape.
pub fn player<S: Source>(
    mut recording: Recording<S>,
    options: PlayerOptions,
) -> Result<Playback<S, Player<ViewTrack<CadreGame>>>> {
    let game = CadreGame::new(markers_of(&mut recording)?)?;
    Playback::view(recording, View::SPECTATOR, game, options)
}
