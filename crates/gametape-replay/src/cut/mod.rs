//! Some views of a recording, some of its time, or both.

mod minewars;
mod tape;

use std::ops::Range;

use gametape_wire::{Result, Tick, TickLength, ViewSet, When};

use crate::moments::ticks_between;

pub use minewars::{MinewarsCut, cut_minewars};
pub use tape::{TapeCut, cut_tape};

/// What of a recording is in a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CutRequest {
    /// The views that it keeps; all of them, and what is nobody's view, where the set is empty.
    pub views: ViewSet,
    /// Where it begins: what happens at this time is in it.
    pub from: When,
    /// Where it ends: what happens at this time is not in it.
    pub to: When,
}

impl Default for CutRequest {
    fn default() -> Self {
        Self { views: ViewSet::EMPTY, from: When::Start, to: When::End }
    }
}

impl CutRequest {
    /// The ticks of a recording that ends before `end`; to the end of time where that is meant.
    fn ticks(&self, length: TickLength, end: Tick) -> Result<Range<u64>> {
        ticks_between(self.from, self.to, length, end)
    }
}
