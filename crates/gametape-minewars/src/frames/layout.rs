//! What a frame stream does not say about itself.

use crate::generation::Generation;
use gametape_wire::{Error, ErrorKind, Place, Result};
use gametape_wire::{View, ViewSet};

/// What must be known before a frame stream can be read: its generation and its highest view.
///
/// ```
/// use gametape_minewars::{FrameLayout, Generation};
/// use gametape_wire::View;
///
/// let layout = FrameLayout::new(Generation::Current, View::new(9).unwrap())?;
/// assert_eq!(layout.mask_len(), 2);
/// assert_eq!(layout.payload_limit(), 256);
/// # Ok::<(), gametape_wire::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FrameLayout {
    generation: Generation,
    max_view: View,
    /// The views up to `max_view`: asked for with every frame.
    views: ViewSet,
}

impl FrameLayout {
    /// The layout of a stream with players 1 to `max_view`; v0.1 has room for six.
    pub fn new(generation: Generation, max_view: View) -> Result<Self> {
        let (most, expected) = match generation {
            Generation::V01 => (6, "at most 6 players in v0.1"),
            Generation::Current => (View::MAX, "at most 15 players"),
        };
        if max_view.number() <= most {
            return Ok(Self { generation, max_view, views: ViewSet::up_to(max_view) });
        }
        let found = i64::from(max_view.number());
        Err(Error::new(Place::Nowhere, "highest player", ErrorKind::BadValue { found, expected }))
    }

    /// Which bytes encode a frame.
    #[must_use]
    #[inline]
    pub const fn generation(self) -> Generation {
        self.generation
    }

    /// The same layout, of which the compiler knows the generation: nothing that depends on that is then
    /// decided for each frame. `generation` is the layout's.
    #[inline(always)]
    pub(crate) fn known_as(self, generation: Generation) -> Self {
        debug_assert!(self.generation == generation, "the layout's own generation");
        Self { generation, ..self }
    }

    /// The highest view that exists.
    #[must_use]
    pub const fn max_view(self) -> View {
        self.max_view
    }

    /// All views that exist: the spectator and the players.
    #[must_use]
    pub const fn views(self) -> ViewSet {
        self.views
    }

    /// Bytes of a participation mask.
    #[must_use]
    #[inline]
    pub const fn mask_len(self) -> usize {
        match self.generation {
            Generation::V01 => 1,
            Generation::Current => 1 + (self.max_view.number() > 7) as usize,
        }
    }

    /// The most bytes that one view can receive in one frame.
    #[must_use]
    pub const fn payload_limit(self) -> usize {
        match self.generation {
            Generation::V01 => 255,
            Generation::Current => 256,
        }
    }

    /// The largest time that a frame with views can add, in ticks or milliseconds.
    #[must_use]
    pub const fn max_delta(self) -> u32 {
        match self.generation {
            Generation::V01 => 65_535,
            Generation::Current => 32_766,
        }
    }

    /// The time that a keepalive adds, in ticks or milliseconds.
    #[must_use]
    pub const fn keepalive_advance(self) -> u32 {
        match self.generation {
            Generation::V01 => 65_535,
            Generation::Current => 32_767,
        }
    }
}
