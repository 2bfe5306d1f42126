//! A crowd that watches over real sockets of this machine, and how late it sees what happens.
//!
//! Servers run in a process of their own, so that their time and memory can be kept apart from those of the crowd: a
//! program that measures begins with [`ServerProcess::serve`], as with [`memory`](crate::memory).

mod bare;
mod crowd;
mod nuisance;
mod process;
mod quic;
mod source;

pub use bare::{bare_quic, bare_websocket};
pub use crowd::{Crowd, Sight, Transport};
pub use nuisance::Nuisance;
pub use process::{NamedServer, ServerProcess, Usage};
pub use source::{SkirmishSource, Source, TickTimes};

use std::time::Duration;

/// What one frame has: as many bytes as a second of a match of six has on average, divided by its frames.
pub const FRAME_BYTES: usize = 300;
/// Frames a second.
pub const FRAMES: u32 = 60;

/// The time that every process of this machine agrees on.
#[must_use]
pub fn now() -> Duration {
    let now = nix::time::ClockId::CLOCK_MONOTONIC.now();
    now.map(Duration::from).unwrap_or_default()
}

/// A frame that says when it was made.
#[must_use]
pub fn stamped() -> [u8; FRAME_BYTES] {
    let mut frame = [0x5A; FRAME_BYTES];
    frame[..8].copy_from_slice(&(now().as_nanos() as u64).to_le_bytes());
    frame
}

/// How old the frame at the end of a message is; `None` where there is none.
#[must_use]
pub fn age(message: &[u8]) -> Option<Duration> {
    let frame = message.len().checked_sub(FRAME_BYTES).map(|start| &message[start..])?;
    let stamp = u64::from_le_bytes(*frame.first_chunk()?);
    now().checked_sub(Duration::from_nanos(stamp))
}

/// How late frames were seen.
#[derive(Debug, Clone, Copy)]
pub struct Lateness {
    /// Of half of them at most.
    pub p50: Duration,
    /// Of 99 in 100 at most.
    pub p99: Duration,
    /// Which share of them came.
    pub delivered: f64,
}

impl Lateness {
    /// Of these ages, in microseconds, where `expected` were due.
    #[must_use]
    pub fn of(mut ages: Vec<u32>, expected: usize) -> Self {
        ages.sort_unstable();
        let at = |share: f64| {
            let index = (ages.len() as f64 * share) as usize;
            let micros = ages.get(index.min(ages.len().saturating_sub(1))).copied();
            Duration::from_micros(micros.unwrap_or(u32::MAX).into())
        };
        let delivered = ages.len() as f64 / expected.max(1) as f64;
        Self { p50: at(0.5), p99: at(0.99), delivered }
    }

    /// Is it as promised: 99 of 100 within 50 ms, and nothing lost?
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.p99 < Duration::from_millis(50) && self.delivered > 0.99
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lateness_is_sorted_and_what_does_not_come_counts() {
        let late = Lateness::of((1..=100).rev().collect(), 200);
        assert_eq!(late.p50, Duration::from_micros(51));
        assert_eq!(late.p99, Duration::from_micros(100));
        assert!((late.delivered - 0.5).abs() < 1e-9 && !late.is_fine());
        assert!(Lateness::of(vec![49_999; 10], 10).is_fine());
        assert!(!Lateness::of(vec![50_000; 10], 10).is_fine());
        assert!(!Lateness::of(Vec::new(), 10).is_fine());
    }

    #[test]
    fn a_frame_says_its_age() {
        let frame = stamped();
        let message = [&b"before"[..], &frame].concat();
        assert!(age(&message).is_some_and(|age| age < Duration::from_secs(10)));
        assert_eq!(age(&frame[1..]), None);
    }
}
