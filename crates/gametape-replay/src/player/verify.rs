//! Verifying a tape by playing it.

use gametape_wire::{Need, Result};

use super::Player;
use super::findings::{DeepLevel, DeepVerification, Findings};
use super::play::SIMULATED_TICKS;
use super::track::Track;
use super::waiting::{Stop, Task};

impl<T: Track> Player<T> {
    /// Plays everything from the start and compares it with every keyframe; once nothing is needed any
    /// more, [`verification`](Self::verification) says what was found.
    ///
    /// At [`DeepLevel::Keyframes`] each keyframe is compared with what the one before it led to. At
    /// [`DeepLevel::Simulation`] nothing but the start and the input counts, and the first difference
    /// ends it. At both, the hashes that deltas name are computed. The position is then somewhere.
    pub fn begin_verify(&mut self, level: DeepLevel) -> Result<Need> {
        self.kept.clear();
        self.findings = Findings::default();
        let start = self.start.clone();
        self.restore(&start, 0)?;
        self.keyframe_pending = true;
        self.keyframes.end_verifying();
        self.lacking.clear();
        self.changes.take();
        self.keyframes.forgive(true);
        self.task = Some(Task::Verify(level));
        self.go_on()
    }

    /// What verifying found.
    #[must_use]
    pub fn verification(&self, level: DeepLevel) -> DeepVerification {
        self.findings.verification(level, self.tick)
    }

    pub(super) fn go_on_verifying(&mut self, level: DeepLevel) -> Result<(), Stop> {
        loop {
            if self.keyframe_pending {
                let before = self.findings.divergences().len();
                self.check_keyframe(true)?;
                self.keyframe_pending = false;
                if level == DeepLevel::Simulation && self.findings.divergences().len() > before {
                    break;
                }
            }
            if self.tick == self.end {
                break;
            }
            self.play_to_keyframe()?;
        }
        self.keyframes.end_verifying();
        Ok(())
    }

    fn play_to_keyframe(&mut self) -> Result<(), Stop> {
        let next = self.keyframes.next_after(self.tick).unwrap_or(self.end).min(self.end);
        if T::EVERY_TICK {
            SIMULATED_TICKS.check(next - self.tick, 0)?;
        }
        while self.tick < next {
            let until = self.provide_way(self.tick, next, false)?;
            self.run_to(until, u64::MAX)?;
        }
        self.keyframe_pending = true;
        Ok(())
    }
}
