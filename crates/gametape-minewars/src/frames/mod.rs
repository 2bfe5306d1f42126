//! Multi-view frames of both generations with opaque payloads; normative text: `spec/frames.md`.
//!
//! [`FrameLayout`] is what must be known beforehand, [`Frames`] reads, [`FrameWriter`] writes,
//! [`select_views`] and [`merge_views`] rewrite. The bytes of a frame are known to the modules
//! `v01` and `current` alone, reading and writing side by side.
//!
//! A match is written once, with what each view may know, and read from any seat:
//!
//! ```
//! use gametape_minewars::{FrameLayout, FrameWriter, Frames, Generation, Tail};
//! use gametape_wire::Result;
//! use gametape_minewars::select_views;
//! use gametape_wire::{View, ViewSet};
//!
//! # fn main() -> Result<()> {
//! let [ana, ben] = [1, 2].map(|number| View::new(number).unwrap());
//! let layout = FrameLayout::new(Generation::Current, ben)?;
//! // Where a payload may be cut when it is too long for a frame: here after any byte.
//! let anywhere = |_: &[u8], limit: usize| limit;
//!
//! let mut out = FrameWriter::new(layout);
//! out.moment(100, &[(View::SPECTATOR, b"dawn"), (ana, b"dawn"), (ben, b"dawn")], anywhere)?;
//! out.moment(90_000, &[(View::SPECTATOR, b"mine"), (ana, b"mine"), (ben, b"?")], anywhere)?;
//! let stream = out.into_bytes();
//!
//! for frame in Frames::new(layout, &stream) {
//!     let frame = frame?;
//!     if let Some(payload) = frame.view(ben) {
//!         println!("{} ms: {}", frame.time(), payload.escape_ascii());
//!     }
//! }
//!
//! // What Ben may keep: nothing of the others is left in it.
//! let bens = select_views(Frames::new(layout, &stream), ViewSet::EMPTY.with(ben), Tail::Drop)?;
//! assert!(!bens.windows(4).any(|bytes| bytes == b"mine"));
//! # Ok(())
//! # }
//! ```

mod current;
mod frame;
mod layout;
mod pieces;
mod read;
mod rewrite;
mod v01;
mod write;

pub use frame::{Frame, FrameKind, Irregularity, Parts};
pub use layout::FrameLayout;
pub use read::Frames;
pub use rewrite::{Tail, merge_views, select_views};
pub use write::FrameWriter;
pub(crate) use write::{LONGEST_PAYLOAD, PayloadRoom};

use gametape_wire::{View, ViewSet};

/// What is before the payloads of a frame.
struct Head {
    kind: FrameKind,
    delta: u16,
    views: ViewSet,
    /// Where the payloads begin, counted from the frame's first byte.
    payload_at: usize,
}

/// The most that is before the payloads: header, mask, a length for each view.
const HEAD_ROOM: usize = 2 + 2 + View::MAX as usize + 1;

/// A frame whose payloads and their lengths are still to be written.
struct Begun {
    lengths: LengthOffsets,
    payload_at: usize,
}

/// Where the lengths of payloads belong that are not written yet.
struct LengthOffsets {
    next: usize,
    /// How many bytes are between the next and the one after it; all others follow each other.
    gap: usize,
}

impl LengthOffsets {
    /// One after the other, from `first` on.
    #[inline]
    const fn in_a_row(first: usize) -> Self {
        Self { next: first, gap: 0 }
    }

    /// The offset of the next length.
    #[inline]
    fn next(&mut self) -> usize {
        let offset = self.next;
        self.next += 1 + std::mem::take(&mut self.gap);
        offset
    }
}
