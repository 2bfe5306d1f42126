//! Tapes of games that nobody here knows: their keyframes, and how much came since; normative text: `spec/scene.md`, section 12.
//!
//! ```
//! use gametape_replay::watched::{TapeTrack, player};
//! use gametape_replay::{PlayerOptions, Recording, Timeline};
//! use gametape_tape::{TapeHeader, TapeWriter};
//! use gametape_wire::{TickLength, View};
//!
//! let header = TapeHeader::new(TickLength::millis::<50>(), 7);
//! let mut writer = TapeWriter::new(header, br#"{"game":"snails"}"#)?;
//! let bytes = [writer.take(), writer.finish()?].concat();
//! let recording = Recording::open(&bytes[..])?;
//! let track = TapeTrack::unknown(recording.tape(), View::SPECTATOR);
//! let player = player(recording.open_tape().clone(), track, PlayerOptions::default())?;
//! let TapeTrack::Unknown(track) = player.state() else { panic!("nobody knows snails") };
//! assert_eq!(track.state().keyframe(), None);
//! # Ok::<(), gametape_wire::Error>(())
//! ```

mod bytes;
mod track;
mod tree;

use std::sync::Arc;

use gametape_tape::{SimSnapshot, Tape};
use gametape_wire::{View, ViewSet};

use crate::streams;

pub use bytes::payload_text;
pub use track::UnknownTrack;

/// What was recorded of a view at a moment: its last keyframe, and how much came since.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct UnknownState {
    /// None where no keyframe was recorded.
    keyframe: Option<Arc<SimSnapshot>>,
    updates: u64,
    bytes: u64,
}

impl UnknownState {
    /// The tick of the last keyframe.
    #[must_use]
    pub fn keyframe(&self) -> Option<u64> {
        self.keyframe.as_ref().map(|keyframe| keyframe.core.tick.0)
    }

    /// How many updates came since.
    #[must_use]
    pub fn updates(&self) -> u64 {
        self.updates
    }

    fn enter(&mut self, snapshot: &SimSnapshot) {
        let is_recorded = *snapshot != SimSnapshot::default();
        *self =
            Self { keyframe: is_recorded.then(|| Arc::new(snapshot.clone())), ..Self::default() };
    }

    fn take(&mut self, payload: &[u8]) {
        self.updates += 1;
        self.bytes += payload.len() as u64;
    }
}

/// The views of a tape whose game is not known.
#[must_use]
pub fn views(tape: &Tape) -> ViewSet {
    let mut keyframes = tape.keyframes.entries().iter();
    let is_simulated = keyframes.any(|keyframe| keyframe.stream == streams::SIMULATION);
    match tape.views() {
        views if views.is_empty() || is_simulated => views.with(View::SPECTATOR),
        views => views,
    }
}
