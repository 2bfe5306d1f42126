//! What happens where play comes to a keyframe.

use gametape_tape::SimSnapshot;
use gametape_wire::Tick;

use super::Player;
use super::difference::{Divergence, differences};
use super::track::Track;
use super::waiting::Stop;

impl<T: Track> Player<T> {
    /// Goes over the keyframe of this tick, if there is one; one that agreed before needs no look.
    pub(super) fn pass_keyframe(&mut self) -> Result<(), Stop> {
        if !self.keyframes.has_agreed(self.tick) || self.doubt().is_some() {
            self.check_keyframe(self.options.check)?;
        } else {
            self.base = self.tick;
        }
        self.keyframe_pending = false;
        Ok(())
    }

    /// Compares with the keyframe of this tick, if there is one. After lost input, takes it over.
    pub(super) fn check_keyframe(&mut self, check: bool) -> Result<(), Stop> {
        let doubtful = self.note_lost() || !self.track.is_carried();
        // An earlier one says nothing about now, and loading it may cost more than all else.
        let is_there = self.keyframes.nearest(self.tick) == Some(self.tick);
        if !is_there || (!check && !doubtful) {
            return Ok(());
        }
        let ranges = self.keyframes.ranges(&self.tape, self.tick);
        self.provide(&ranges, &[])?;
        let Some(found) = self.keyframes.load(&self.tape, self.tick) else { return Ok(()) };
        let expected = match found.state {
            Ok(expected) => expected,
            Err(error) => {
                self.keyframes.give_up(found.index);
                self.findings.note_keyframe(found.tick, error);
                return Ok(());
            }
        };
        if !self.track.is_carried() {
            return Ok(self.restore(&expected, self.tick)?);
        }
        self.findings.checked += 1;
        if !self.compare(&expected, doubtful) {
            return self.take_over(&expected, found.index);
        }
        if !doubtful {
            self.keyframes.note_agreed(found.index);
        }
        Ok(())
    }

    /// Is the state the expected one? Who is in doubt only asks.
    fn compare(&mut self, expected: &SimSnapshot, doubtful: bool) -> bool {
        let state = self.track.snapshot(Tick(self.tick));
        if state == *expected {
            self.base = self.tick;
            return true;
        }
        if !doubtful {
            let (agreed, tick) = (self.recorded_base(), self.tick);
            let differences = differences(expected, &state);
            self.findings.note_divergence(Divergence {
                agreed: agreed.map(Tick),
                tick: Tick(tick),
                differences,
            });
        }
        false
    }

    /// The tick of the keyframe that the state comes from, unless it comes from the start.
    fn recorded_base(&self) -> Option<u64> {
        let is_recorded = self.keyframes.nearest(self.base) == Some(self.base);
        (is_recorded && self.base < self.tick).then_some(self.base)
    }

    /// The recorded state counts, unless it cannot be restored.
    fn take_over(&mut self, expected: &SimSnapshot, index: usize) -> Result<(), Stop> {
        let before = (self.track.snapshot(Tick(self.tick)), self.base);
        self.kept.clear();
        let Err(error) = self.restore(expected, self.tick) else { return Ok(()) };
        self.keyframes.give_up(index);
        self.findings.note_keyframe(expected.core.tick.0, error);
        Ok(self.restore(&before.0, before.1)?)
    }
}
