//! Verifying a tape by playing it.

use gametape_wire::Result;

use super::findings::{DeepLevel, DeepVerification, Findings};
use super::track::Track;
use super::{Player, SIMULATED_TICKS};
use gametape_wire::Source;

impl<S: Source, T: Track> Player<S, T> {
    /// Plays everything from the start and compares it with every keyframe.
    ///
    /// At [`DeepLevel::Keyframes`] each keyframe is compared with what the one before it led to. At
    /// [`DeepLevel::Simulation`] nothing but the start and the input counts, and the first difference
    /// ends it. At both, the hashes that deltas name are computed. The playhead is then somewhere.
    pub fn verify(&mut self, level: DeepLevel) -> Result<DeepVerification> {
        self.clock.forget();
        self.cache.clear();
        self.findings = Findings::default();
        self.keyframes.forgive(true);
        let played = self.play_and_compare(level);
        self.keyframes.forgive(false);
        played?;
        Ok(self.findings.verification(level, self.tick))
    }

    fn play_and_compare(&mut self, level: DeepLevel) -> Result<()> {
        let start = self.start.clone();
        self.restore(&start, 0)?;
        loop {
            let before = self.findings.divergences();
            self.meet_keyframe(true)?;
            let ended = level == DeepLevel::Simulation && self.findings.divergences() > before;
            if ended || self.tick == self.end {
                return Ok(());
            }
            let next = self.keyframes.next_after(self.tick).unwrap_or(self.end).min(self.end);
            if T::EVERY_TICK {
                SIMULATED_TICKS.check(next - self.tick, 0)?;
            }
            self.run_to(next, u64::MAX)?;
        }
    }
}
