//! Multi-view frames of both generations with opaque payloads; normative text: `spec/frames.md`.
//!
//! [`FrameLayout`] is what must be known beforehand, [`Frames`] reads, [`FrameWriter`] writes,
//! [`select_views`] and [`merge_views`] rewrite. The bytes of a frame are known to the modules
//! `v01` and `current` alone, reading and writing side by side.

mod current;
mod frame;
mod layout;
mod pieces;
mod read;
mod rewrite;
mod v01;
mod write;

pub use frame::{Frame, FrameKind, Irregularity, Part, Parts};
pub use layout::FrameLayout;
pub use read::Frames;
pub use rewrite::{Tail, merge_views, select_views};
pub use write::FrameWriter;

use crate::views::{View, ViewSet};

/// What stands before the payloads of a frame.
struct Head {
    kind: FrameKind,
    delta: u16,
    views: ViewSet,
    /// Where the payloads begin, counted from the frame's first byte.
    payload_at: usize,
}

/// Where the lengths of payloads belong that are not written yet.
struct LengthPlaces {
    first: usize,
    /// Where the second belongs; the others follow it.
    second: usize,
}

impl LengthPlaces {
    /// Ends `out` with room for `count` lengths that begin at `first`.
    #[inline]
    fn in_a_row(out: &mut Vec<u8>, first: usize, count: usize) -> Self {
        out.extend_from_slice(&[0; View::MAX as usize + 1]);
        out.truncate(first + count);
        Self { first, second: first + 1 }
    }

    /// The same places, behind another one that is the first.
    #[inline]
    fn behind(self, first: usize) -> Self {
        Self { first, second: self.first }
    }

    /// The place of the next length.
    #[inline]
    fn next(&mut self) -> usize {
        let place = self.first;
        (self.first, self.second) = (self.second, self.second + 1);
        place
    }
}
