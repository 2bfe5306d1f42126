//! Which delta belongs to which turn.

/// The turns of a log: where `currentTurn` of the state changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Turns {
    /// The delta after which a turn holds, and the turn.
    starts: Vec<(usize, Option<i64>)>,
}

impl Turns {
    pub(crate) fn note(&mut self, delta: usize, turn: Option<i64>) {
        if self.starts.last().map(|start| start.1) != Some(turn) {
            self.starts.push((delta, turn));
        }
    }

    /// The turn in the state after a delta.
    #[must_use]
    pub fn at(&self, delta: usize) -> Option<i64> {
        let behind = self.starts.partition_point(|start| start.0 <= delta);
        self.starts[..behind].last()?.1
    }

    /// The first delta after which it is this turn.
    #[must_use]
    pub fn first_delta(&self, turn: i64) -> Option<usize> {
        self.starts.iter().find(|start| start.1 == Some(turn)).map(|start| start.0)
    }

    /// The last turn that the state names.
    #[must_use]
    pub fn last(&self) -> Option<i64> {
        self.starts.last()?.1
    }

    /// Every change of the turn: the delta that brought it, and the turn.
    #[must_use]
    pub fn starts(&self) -> &[(usize, Option<i64>)] {
        &self.starts
    }
}
