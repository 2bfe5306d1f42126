//! When to try again.

use std::time::Duration;

use tokio::time::Instant;

/// The first wait; each is twice as long as the one before.
const FIRST: Duration = Duration::from_millis(100);
/// The longest wait.
const LONGEST: Duration = Duration::from_secs(3);

/// Waits longer each time, and gives up after a time without success.
#[derive(Debug)]
pub(crate) struct Backoff {
    wait: Duration,
    failing_since: Option<Instant>,
    patience: Duration,
}

impl Backoff {
    pub(crate) fn new(patience: Duration) -> Self {
        Self { wait: FIRST, failing_since: None, patience }
    }

    /// It worked.
    pub(crate) fn reset(&mut self) {
        (self.wait, self.failing_since) = (FIRST, None);
    }

    /// It did not work: how long to wait; `None` where it is time to give up.
    pub(crate) fn failed(&mut self) -> Option<Duration> {
        let since = *self.failing_since.get_or_insert_with(Instant::now);
        let passed = since.elapsed();
        let wait = self.wait.min(self.patience.checked_sub(passed)?);
        self.wait = (self.wait * 2).min(LONGEST);
        (!wait.is_zero()).then_some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waits_grow_and_end_with_patience() {
        let mut backoff = Backoff::new(Duration::from_secs(30));
        let began = Instant::now();
        let mut waits = Vec::new();
        while let Some(wait) = backoff.failed() {
            waits.push(wait.as_millis());
            tokio::time::sleep(wait).await;
        }
        assert_eq!(waits[..6], [100, 200, 400, 800, 1600, 3000]);
        assert!(began.elapsed() >= Duration::from_secs(30));
        assert!(began.elapsed() < Duration::from_secs(31));
        backoff.reset();
        assert_eq!(backoff.failed(), Some(FIRST));
    }
}
