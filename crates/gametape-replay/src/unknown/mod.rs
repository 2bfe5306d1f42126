//! Tapes of games that nobody here knows: their keyframes, and how much came since; normative text: `spec/scene.md`, section 12.
//!
//! ```
//! use gametape_replay::unknown::{UnknownState, timeline};
//! use gametape_replay::{Recording, Timeline};
//! use gametape_tape::{ChunkKind, TapeHeader, TapeWriter};
//! use gametape_wire::{TickLength, View};
//!
//! let header = TapeHeader::new(TickLength::millis::<50>(), 7);
//! let mut writer = TapeWriter::new(header, br#"{"game":"snails"}"#)?;
//! let bytes = [writer.take(), writer.finish()?].concat();
//! let recording = Recording::open(&bytes[..])?;
//! let timeline = timeline(recording.open_tape().clone(), View::SPECTATOR, 1 << 20)?;
//! assert_eq!(timeline.state().keyframe(), None);
//! # Ok::<(), gametape_wire::Error>(())
//! ```

mod bytes;
mod track;
mod tree;

use std::sync::Arc;

use gametape_tape::{ChunkKind, SimSnapshot, SimTick, Tape};
use gametape_wire::{Result, View, ViewSet};

use crate::player::{Player, PlayerOptions};
use crate::source::OpenTape;
use crate::streams;
use crate::timeline::Timeline;

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
    pub fn keyframe(&self) -> Option<SimTick> {
        self.keyframe.as_ref().map(|keyframe| keyframe.core.tick)
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

/// A view of a tape whose game is not known, at its beginning; `kept` bytes of states are kept.
pub fn timeline(
    tape: OpenTape,
    view: View,
    kept: usize,
) -> Result<Box<dyn Timeline<State = UnknownState>>> {
    let options = PlayerOptions::default().with_cache_bytes(kept);
    let is_framed = tape.tape().stream(ChunkKind::FRAMES, streams::FRAMES).next().is_some();
    let has_own = tape.tape().keyframes.entries().iter().any(|own| track::is_of(own, view));
    let simulated = view == View::SPECTATOR && !has_own;
    Ok(match view == View::SPECTATOR && !is_framed {
        true => Box::new(Player::new(tape, UnknownTrack::<true>::new(view, simulated), options)?),
        false => Box::new(Player::new(tape, UnknownTrack::<false>::new(view, simulated), options)?),
    })
}
