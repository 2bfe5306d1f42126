//! Options that every command has.

use std::ffi::OsString;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::failure::be_quiet;
use crate::output::allow_replacing;

/// The most memory that reading files may take, unless another amount is given.
const MAX_MEMORY: u64 = 256 << 20;

static MEMORY: AtomicU64 = AtomicU64::new(MAX_MEMORY);

/// How many files are read at the same time.
static JOBS: AtomicU64 = AtomicU64::new(1);

/// The most bytes of memory that reading one file may take. A sixteenth of all is for the program itself.
pub(crate) fn max_memory() -> u64 {
    let all = MEMORY.load(Ordering::Relaxed);
    (all - all / 16) / JOBS.load(Ordering::Relaxed)
}

/// From now on this many files are read at the same time, and share the memory.
pub(crate) fn share_memory(jobs: usize) {
    JOBS.store(jobs.max(1) as u64, Ordering::Relaxed);
}

/// Options that every command has.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Print only results and errors: no warnings, notes, summaries or progress
    #[arg(long, short, global = true)]
    quiet: bool,

    /// When to print in colour: auto (on a terminal), always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(hide_default_value = true, hide_possible_values = true)]
    color: clap::ColorChoice,

    /// Replace files that exist
    #[arg(long, global = true)]
    force: bool,

    /// How much memory reading may take in total, such as 64MiB or 2GiB [default: 256MiB]
    #[arg(long, global = true, value_name = "SIZE")]
    max_memory: Option<Size>,
}

impl GlobalArgs {
    /// Makes them hold for the whole process.
    pub(crate) fn apply(&self) {
        if self.quiet {
            be_quiet();
        }
        if self.force {
            allow_replacing();
        }
        let choice = match self.color {
            clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
            clap::ColorChoice::Always => anstream::ColorChoice::Always,
            clap::ColorChoice::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        if let Some(Size(bytes)) = self.max_memory {
            MEMORY.store(bytes, Ordering::Relaxed);
        }
    }
}

/// When help and usage errors are coloured, which are printed before all arguments are understood.
pub(crate) fn colour_of(arguments: &[OsString]) -> clap::ColorChoice {
    let texts: Vec<&str> = arguments.iter().map_while(|argument| argument.to_str()).collect();
    let after = |index: usize| texts.get(index + 1).copied();
    let given = texts.iter().enumerate().find_map(|(index, text)| match *text {
        "--color" => after(index),
        text => text.strip_prefix("--color="),
    });
    given.and_then(|text| text.parse().ok()).unwrap_or(clap::ColorChoice::Auto)
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size(u64);

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
        assert_eq!(max_memory(), MAX_MEMORY / 16 * 15 / 4);
        share_memory(1);
        assert_eq!(max_memory(), MAX_MEMORY / 16 * 15);
    }

    #[test]
    fn the_colour_is_known_before_the_arguments_are() {
        let of = |text: &str| {
            let arguments: Vec<OsString> = text.split(' ').map(OsString::from).collect();
            colour_of(&arguments)
        };
        assert_eq!(of("gametape --color never --help"), clap::ColorChoice::Never);
        assert_eq!(of("gametape info --color=always --nonsense"), clap::ColorChoice::Always);
        assert_eq!(of("gametape info --color"), clap::ColorChoice::Auto);
        assert_eq!(of("gametape --color=green"), clap::ColorChoice::Auto);
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
