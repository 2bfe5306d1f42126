//! The clock that contests go by.

use std::time::Duration;

/// Measures the time that this thread computes. What other programs do on its core in between does not
/// count, where the system can say so.
#[derive(Debug)]
pub struct Stopwatch(
    #[cfg(target_os = "linux")] Duration,
    #[cfg(not(target_os = "linux"))] std::time::Instant,
);

#[cfg(target_os = "linux")]
impl Stopwatch {
    /// Begins to measure.
    #[must_use]
    pub fn start() -> Self {
        Self(computed())
    }

    /// How long this thread has computed since.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        computed().saturating_sub(self.0)
    }
}

/// How long this thread has computed. Linux always knows.
#[cfg(target_os = "linux")]
fn computed() -> Duration {
    let now = nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID.now();
    now.map(Duration::from).unwrap_or_default()
}

#[cfg(not(target_os = "linux"))]
impl Stopwatch {
    /// Begins to measure.
    #[must_use]
    pub fn start() -> Self {
        Self(std::time::Instant::now())
    }

    /// How long this thread has computed since.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_while_something_is_computed() {
        let watch = Stopwatch::start();
        let mut sum = 0_u64;
        while watch.elapsed() < Duration::from_micros(100) {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(sum > 0);
    }
}
