//! A recording in another format, generation or storage.

mod any;
mod gamelog;

use gametape_tape::{Cadence, KeyframeMaker, SimSnapshot, TapeWriter};
use gametape_wire::{Error, Result, View, ViewSet};
use serde::Serialize;

use crate::streams::keyframes_of;

pub use any::{Conversion, Converted, Form, Storage, convert};
pub use gamelog::{Layout, write_gamelog};

/// How a foreign recording becomes a tape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// Tells this tape from all others.
    pub tape_id: u32,
    /// Bytes of frames between two keyframes, at least.
    pub spacing: u64,
}

impl ConvertOptions {
    /// The usual way, with this tape id.
    #[must_use]
    pub fn new(tape_id: u32) -> Self {
        Self { tape_id, spacing: 32 << 10 }
    }

    /// The same way with other bytes of frames between two keyframes.
    #[must_use]
    pub fn with_spacing(mut self, bytes: u64) -> Self {
        self.spacing = bytes;
        self
    }
}

/// Says when keyframes are due: by what was written since the last ones.
#[derive(Debug)]
pub(crate) struct Pace {
    spacing: u64,
    since: u64,
    /// Bytes of the last full keyframes together.
    full: u64,
}

impl Pace {
    pub(crate) fn new(options: &ConvertOptions) -> Self {
        Self { spacing: options.spacing, since: 0, full: 0 }
    }

    /// A frame with N bytes of payloads was written.
    pub(crate) fn note(&mut self, bytes: usize) {
        self.since += bytes as u64 + 8;
    }

    pub(crate) fn is_due(&self) -> bool {
        self.since >= self.spacing.max(self.full)
    }
}

/// Writes keyframes of one or several views on a pace.
#[derive(Debug)]
pub(crate) struct ViewKeyframes {
    makers: Vec<(View, KeyframeMaker)>,
    pub(crate) pace: Pace,
}

impl ViewKeyframes {
    pub(crate) fn new(views: impl Iterator<Item = View>, options: &ConvertOptions) -> Self {
        let cadence = Cadence::every(1);
        let makers = views.map(|view| (view, KeyframeMaker::new(cadence))).collect();
        Self { makers, pace: Pace::new(options) }
    }

    /// Writes a keyframe of each view.
    pub(crate) fn write(
        &mut self,
        writer: &mut TapeWriter,
        mut snapshot: impl FnMut(View) -> SimSnapshot,
    ) -> Result<()> {
        let mut full = 0;
        for (view, maker) in &mut self.makers {
            let keyframe = maker.make(snapshot(*view));
            if keyframe.is_full() {
                full += keyframe.raw.len() as u64;
            }
            writer.keyframe(keyframes_of(*view), ViewSet::EMPTY.with(*view), &keyframe)?;
        }
        self.pace.since = 0;
        self.pace.full = self.pace.full.max(full);
        Ok(())
    }
}

/// The program and version that a tape names as its recorder.
pub(crate) const RECORDER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"));

/// Longer metadata about players is left out: the frames say it all, and a tape has little room for it.
const MOST_METADATA: usize = 8 << 10;

/// Metadata as JSON, where it is small enough.
pub(crate) fn small_metadata(metadata: &impl Serialize) -> Result<Option<Vec<u8>>> {
    Ok(Some(metadata_json(metadata)?).filter(|json| json.len() <= MOST_METADATA))
}

/// Metadata as JSON.
pub(crate) fn metadata_json(metadata: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(metadata).map_err(|error| Error::misuse("metadata", error.to_string()))
}
