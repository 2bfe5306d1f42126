//! Moments of interest on a timeline.

use std::fmt;
use std::ops::Range;

use gametape_wire::{Moment, Tick};

/// A moment of interest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Marker {
    /// When it is.
    pub moment: Moment,
    /// What it is.
    pub kind: MarkerKind,
}

/// What is of interest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum MarkerKind {
    /// The state at this moment was recorded.
    Keyframe,
    /// A turn begins.
    Turn(i64),
    /// Recorded input is lost from here on.
    Lost {
        /// The first moment from which input is there again.
        until: Moment,
    },
}

impl Marker {
    pub(crate) fn new(moment: Moment, kind: MarkerKind) -> Self {
        Self { moment, kind }
    }

    pub(crate) fn keyframe(tick: u64) -> Self {
        Self::new(Moment::before(Tick(tick)), MarkerKind::Keyframe)
    }

    pub(crate) fn lost(ticks: &Range<u64>) -> Self {
        let until = Moment::before(Tick(ticks.end));
        Self::new(Moment::before(Tick(ticks.start)), MarkerKind::Lost { until })
    }
}

impl fmt::Display for MarkerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keyframe => f.write_str("keyframe"),
            Self::Turn(turn) => write!(f, "turn {turn}"),
            Self::Lost { until } => write!(f, "lost until tick {}", until.next_tick()),
        }
    }
}
