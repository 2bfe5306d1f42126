//! Some views of a recording, some of its time, or both.

mod clip;
mod minewars;
mod tape;
mod thin;

use std::ops::Range;

use gametape_wire::{Error, Result, Tick, TickLength, ViewSet, When};

use crate::moments::ticks_between;

pub use clip::clip;
pub use minewars::{MinewarsCut, cut_minewars};
pub use tape::{TapeCut, cut_tape};

/// What of a recording is in a cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CutRequest {
    /// The views that it keeps; all of them, and what is nobody's view, where the set is empty.
    pub views: ViewSet,
    /// Where it begins: what happens at this time is in it.
    pub from: When,
    /// Where it ends: what happens at this time is not in it.
    pub to: When,
    /// Are messages of class Unreliable left out?
    pub without_unreliable: bool,
}

impl Default for CutRequest {
    fn default() -> Self {
        let (views, from, to) = (ViewSet::EMPTY, When::Start, When::End);
        Self { views, from, to, without_unreliable: false }
    }
}

impl CutRequest {
    /// The same cut with some views alone.
    #[must_use]
    pub fn with_views(mut self, views: ViewSet) -> Self {
        self.views = views;
        self
    }

    /// The same cut with another beginning.
    #[must_use]
    pub fn with_from(mut self, from: When) -> Self {
        self.from = from;
        self
    }

    /// The same cut with another end.
    #[must_use]
    pub fn with_to(mut self, to: When) -> Self {
        self.to = to;
        self
    }

    /// The same cut without messages of class Unreliable, or with them.
    #[must_use]
    pub fn without_unreliable(mut self, without: bool) -> Self {
        self.without_unreliable = without;
        self
    }

    /// The ticks of a recording that ends before `end`; to the end of time where that is meant.
    fn ticks(&self, length: TickLength, end: Tick) -> Result<Range<Tick>> {
        let ticks = ticks_between(self.from, self.to, length, end)?;
        if ticks.start > Tick::ZERO && ticks.start >= end {
            let end = in_unit_of(self.from, length, end);
            return Err(Error::misuse("cut", format!("{} is after the end ({end})", self.from)));
        }
        if ticks.end <= ticks.start {
            let problem = format!("its end ({}) is not after its start ({})", self.to, self.from);
            return Err(Error::misuse("cut", problem));
        }
        Ok(ticks)
    }
}

/// A tick as somebody would write it who asked like this.
fn in_unit_of(asked: When, length: TickLength, tick: Tick) -> String {
    match asked {
        When::Tick(_) => When::Tick(tick).to_string(),
        When::Number(_) => format!("{} ms", length.millis_of(tick)),
        _ => length.time_of(tick).to_string(),
    }
}
