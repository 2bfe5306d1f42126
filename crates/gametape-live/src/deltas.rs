//! The deltas of a view, one after the other: the newest are here, those before them in a spool.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use crate::message::Shared;

/// Where bytes of a view tape are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored {
    /// Here.
    Here(Shared),
    /// In the spool, at these offsets.
    Spooled(Range<u64>),
}

impl Stored {
    /// The bytes, if they are here.
    #[must_use]
    pub fn into_here(self) -> Option<Shared> {
        match self {
            Self::Here(bytes) => Some(bytes),
            Self::Spooled(_) => None,
        }
    }
}

/// The deltas of a view.
#[derive(Debug, Default)]
pub(crate) struct Deltas {
    /// Where the delta of a slot is among all of them; quiet slots have none.
    slots: BTreeMap<u64, Range<u64>>,
    /// Those that are here, after those that were handed out, with where they begin.
    here: VecDeque<(u64, Shared)>,
    /// Where the last of these ends.
    end: u64,
    /// What these cost.
    cost: usize,
}

/// What a delta costs besides its bytes.
const COST: usize = 64;

impl Deltas {
    /// Adds the delta of the newest slot; gives where it begins.
    pub(crate) fn push(&mut self, slot: u64, bytes: Shared) -> u64 {
        let start = self.end;
        self.end += bytes.len() as u64;
        self.slots.insert(slot, start..self.end);
        self.cost += bytes.len() + COST;
        self.here.push_back((start, bytes));
        start
    }

    pub(crate) fn delta(&self, slot: u64) -> Stored {
        let range = self.slots.get(&slot).cloned();
        range.map_or_else(|| Stored::Here(Shared::from([])), |range| self.part(range))
    }

    /// A part of a delta.
    pub(crate) fn part(&self, range: Range<u64>) -> Stored {
        let after = self.here.partition_point(|(start, _)| *start <= range.start);
        let found = after.checked_sub(1).and_then(|at| self.here.get(at));
        let Some((start, bytes)) = found else { return Stored::Spooled(range) };
        let within = (range.start - start) as usize..(range.end - start) as usize;
        let is_whole = within.len() == bytes.len();
        let part = || bytes.get(within).unwrap_or_default().into();
        Stored::Here(if is_whole { bytes.clone() } else { part() })
    }

    /// Takes out the oldest, where all cost more than `most` bytes: what follows those of the last call.
    pub(crate) fn hand_out(&mut self, most: usize) -> Vec<Shared> {
        let mut out = Vec::new();
        while self.cost > most
            && let Some((_, oldest)) = self.here.pop_front()
        {
            self.cost -= oldest.len() + COST;
            out.push(oldest);
        }
        out
    }
}
