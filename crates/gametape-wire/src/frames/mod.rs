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

use crate::views::ViewSet;

/// What stands before the payloads of a frame.
struct Head {
    kind: FrameKind,
    delta: u16,
    views: ViewSet,
    /// Where the payloads begin, counted from the frame's first byte.
    payload_at: usize,
}
