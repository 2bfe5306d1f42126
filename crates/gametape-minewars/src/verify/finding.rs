//! Where a finding is.

use std::fmt;

use gametape_wire::{Finding, Place, ViewSet};

use crate::edit::losses::For;

/// One thing that is wrong with a recording, and where in the file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Located<'v> {
    /// What is wrong.
    pub finding: &'v Finding,
    /// What its byte offset counts from.
    pub space: Space,
    /// The frame it is in, where it is in one.
    pub frame: Option<FrameRef>,
}

/// Where a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Location {
    pub(super) space: Space,
    pub(super) frame: Option<FrameRef>,
}

/// What byte offsets count from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Space {
    /// The first byte of the file.
    File,
    /// The first byte of the frames after unpacking.
    UnpackedFrames,
}

/// Which frame, when, and for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct FrameRef {
    /// How many frames come before it.
    pub number: u64,
    /// When it happens.
    pub time: u64,
    /// The views that receive what is wrong.
    pub views: ViewSet,
}

impl Space {
    /// The name that JSON uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::UnpackedFrames => "unpacked frames",
        }
    }
}

/// `tile: frame 12, t=606, view 1: SMOKE: … (at byte 900 of the unpacked frames)`
impl fmt::Display for Located<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = &self.finding.error;
        write!(f, "{}: ", self.finding.rule)?;
        if let Some(frame) = &self.frame {
            write!(f, "{frame}: ")?;
        }
        match (self.space, error.offset()) {
            (Space::UnpackedFrames, Some(offset)) => {
                let place = Place::Path(format!("byte {offset} of the unpacked frames"));
                error.clone().with_place(place).fmt(f)
            }
            _ => error.fmt(f),
        }
    }
}

impl fmt::Display for FrameRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, time, views } = *self;
        write!(f, "frame {number}, t={time}{}", For(views))
    }
}
