//! How much memory reading may take, in all.

use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most memory that reading files may take, unless another amount is given.
const MAX_MEMORY: u64 = 256 << 20;

static MEMORY: AtomicU64 = AtomicU64::new(MAX_MEMORY);

/// How many files are read at the same time.
static JOBS: AtomicU64 = AtomicU64::new(1);

/// The most bytes of memory that reading one file may take. An eighth of all is for the program itself.
#[must_use]
pub fn max_memory() -> u64 {
    let all = MEMORY.load(Ordering::Relaxed);
    (all - all / 8) / JOBS.load(Ordering::Relaxed)
}

/// From now on reading may take this much memory in total.
pub fn set_max_memory(Size(bytes): Size) {
    MEMORY.store(bytes, Ordering::Relaxed);
}

/// From now on this many files are read at the same time, and share the memory.
pub fn share_memory(jobs: usize) {
    JOBS.store(jobs.max(1) as u64, Ordering::Relaxed);
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(u64);

impl FromStr for Size {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let problem = "a size is a number of bytes, or one with KiB, MiB or GiB";
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let shift = match &text[digits.len()..] {
            "" | "B" => 0,
            "K" | "KiB" => 10,
            "M" | "MiB" => 20,
            "G" | "GiB" => 30,
            _ => return Err(problem),
        };
        let number: u64 = digits.parse().map_err(|_| problem)?;
        let bytes = number.checked_mul(1 << shift).filter(|bytes| *bytes > 0);
        bytes.map(Self).ok_or(problem)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_read_at_the_same_time_share_the_memory() {
        share_memory(4);
        assert_eq!(max_memory(), MAX_MEMORY / 8 * 7 / 4);
        share_memory(1);
        assert_eq!(max_memory(), MAX_MEMORY / 8 * 7);
    }

    #[test]
    fn sizes_have_units() {
        let sizes = [("7", 7), ("64KiB", 64 << 10), ("256MiB", 256 << 20), ("2G", 2 << 30)];
        for (text, bytes) in sizes {
            assert_eq!(text.parse(), Ok(Size(bytes)));
        }
        for text in ["", "0", "-1", "MiB", "1.5GiB", "1TB", "99999999999GiB", "1 GiB"] {
            assert!(text.parse::<Size>().is_err(), "{text}");
        }
    }
}
