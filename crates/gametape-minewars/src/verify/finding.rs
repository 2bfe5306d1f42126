//! One thing that is wrong, and where.

use std::fmt;

use gametape_wire::{Error, Place, ViewSet};

use super::rule::{Rule, Severity};
use crate::losses::For;

/// One thing that is wrong with a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that is broken.
    pub rule: Rule,
    /// What is wrong, in which item, at which place.
    pub error: Error,
    /// What the place counts from, where it is a byte.
    pub space: Space,
    /// The frame it is in, where it is in one.
    pub frame: Option<FrameRef>,
}

/// What byte offsets count from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Space {
    /// The first byte of the file.
    File,
    /// The first byte of the frames after unpacking.
    UnpackedFrames,
}

/// Which frame, when, and for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FrameRef {
    /// How many frames come before it.
    pub number: u64,
    /// When it happens.
    pub time: u64,
    /// The views that receive what is wrong.
    pub views: ViewSet,
}

impl Finding {
    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.rule.severity()
    }
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
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.rule)?;
        if let Some(frame) = &self.frame {
            write!(f, "{frame}: ")?;
        }
        match (self.space, self.error.offset()) {
            (Space::UnpackedFrames, Some(offset)) => {
                let place = Place::Path(format!("byte {offset} of the unpacked frames"));
                self.error.clone().with_place(place).fmt(f)
            }
            _ => self.error.fmt(f),
        }
    }
}

impl fmt::Display for FrameRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, time, views } = *self;
        write!(f, "frame {number}, t={time}{}", For(views))
    }
}
