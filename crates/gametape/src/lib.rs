//! Replays for games: record a match, seek to any moment, rewind, analyse.
//!
//! A game adds this crate, records itself with a [`Recorder`], and gets replays from a [`Player`]:
//! the state of any view at any moment, forward and backward.
//!
//! ```
//! use gametape::prelude::*;
//!
//! /// What a view knows of the game: here, where a snail is.
//! #[derive(Debug, Clone, Default)]
//! struct Snail(u64);
//!
//! impl GameState for Snail {
//!     /// One update, in the game's own bytes.
//!     fn apply(&mut self, _tick: Tick, payload: &[u8]) -> Result<()> {
//!         self.0 += u64::from(*payload.first().unwrap_or(&0));
//!         Ok(())
//!     }
//!
//!     /// The state in the game's own bytes; entities and cells make smaller keyframes.
//!     fn snapshot(&self, tick: Tick) -> SimSnapshot {
//!         SimSnapshot::opaque(tick, &self.0.to_le_bytes()).expect("eight bytes fit")
//!     }
//!
//!     fn restore(&mut self, snapshot: &SimSnapshot) -> Result<()> {
//!         let bytes = snapshot.to_opaque()?.try_into();
//!         let bytes = bytes.map_err(|_| Error::misuse("snail", "eight bytes are needed"))?;
//!         self.0 = u64::from_le_bytes(bytes);
//!         Ok(())
//!     }
//! }
//!
//! # fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("race.tape");
//! // Record: ticks of 50 ms; the id distinguishes recordings.
//! let header = TapeHeader::new(TickLength::millis::<50>(), 0xB0A7);
//! let recorder = Recorder::create(&path, header, br#"{"game":"snails"}"#, &RecorderOptions::default())?;
//! let mut snail = Snail::default();
//! for tick in (0..1000).map(Tick) {
//!     if recorder.view_keyframe_due(View::SPECTATOR, tick) {
//!         recorder.view_keyframe(View::SPECTATOR, snail.snapshot(tick))?;
//!     }
//!     let update = [2 + u8::from(tick.0 % 40 == 0)];
//!     snail.apply(tick, &update)?;
//!     recorder.frame(tick, &[(View::SPECTATOR, &update)])?;
//!     recorder.end_tick(tick);
//! }
//! assert!(recorder.finish().is_finished);
//!
//! // Seek: after everything of tick 500, then one tick back.
//! let recording = Recording::open(std::fs::File::open(&path)?)?;
//! let options = PlayerOptions::default();
//! let mut player = Playback::view(recording, View::SPECTATOR, Snail::default(), options)?;
//! player.seek(Tick(500))?;
//! assert_eq!(player.state().0, 501 * 2 + 13);
//! player.step(Direction::Backward)?;
//! assert_eq!(player.state().0, 500 * 2 + 13);
//! # Ok(())
//! # }
//! ```
//!
//! | to | use |
//! |---|---|
//! | record a match while it is played | [`Recorder`] |
//! | record what happened, for statistics and highlights | [`analysis::EventWriter`] |
//! | know the state at any moment, step both ways | [`Playback`], [`Player`], [`Timeline`] |
//! | run a deterministic match again from its orders | [`Simulation`], [`Player::simulation`] |
//! | read, cut, sign and verify tapes | [`tape`] |
//! | open, convert, cut, merge and anonymise recordings of any kind | [`replay`] |
//! | say what can be seen of a state, and draw it | `scene` |
//!
//! Features: `minewars` and `cadre` re-export the crates of these formats, `scene` that of scenes,
//! `parquet` exports events as Parquet.
//!
//! What it does not do: no rules of any game; no network. It has one thread, that of a
//! recorder, and reads files only where it is given them.

pub use gametape_analysis as analysis;
#[cfg(feature = "cadre")]
pub use gametape_cadre as cadre;
#[cfg(feature = "parquet")]
pub use gametape_library as library;
#[cfg(feature = "minewars")]
pub use gametape_minewars as minewars;
pub use gametape_replay as replay;
#[cfg(feature = "scene")]
pub use gametape_scene as scene;
pub use gametape_tape as tape;
pub use gametape_wire as wire;

pub use gametape_replay::{
    Direction, GameState, Order, Playback, Player, PlayerOptions, Recorder, RecorderOptions,
    Recording, Simulation, Timeline,
};
pub use gametape_wire::{Error, Result};

/// Everything that a game needs to record itself and to be played again.
pub mod prelude {
    pub use gametape_analysis::{AnalysisEvent, EventWriter};
    pub use gametape_replay::{
        Direction, EventBlock, GameState, Order, Playback, Player, PlayerOptions, Recorder,
        RecorderOptions, Recording, Simulation, Timeline,
    };
    pub use gametape_tape::{SimSnapshot, TapeHeader, UnitTag};
    pub use gametape_wire::{Error, Moment, Result, Tick, TickLength, Time, View, ViewSet, When};
}
