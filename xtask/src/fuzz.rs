//! `cargo xtask fuzz`: the fuzzer on one property, within limits.

use crate::tools;
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use xshell::{Cmd, Shell, cmd};

/// Fuzz a property for some seconds, or list the properties.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The fuzz target; without it, they are listed.
    #[arg(requires = "seconds")]
    name: Option<String>,
    /// How long to run.
    seconds: Option<u32>,
    /// End after this many executions, if the time is not over before.
    #[arg(long)]
    runs: Option<u64>,
}

/// What one input may cost: more is a finding, as a hang or a crash is.
const LIMITS: [&str; 4] =
    ["-malloc_limit_mb=64", "-rss_limit_mb=512", "-timeout=10", "-max_len=2048"];

pub(crate) fn run(sh: &Shell, arguments: &Arguments) -> Result<()> {
    let known = crate::rust_files(sh, "fuzz/fuzz_targets")?;
    let (Some(name), Some(seconds)) = (&arguments.name, arguments.seconds) else {
        known.iter().for_each(|name| println!("{name}"));
        return Ok(());
    };
    crate::check_name(name, &known, "fuzz target")?;
    tools::need_cargo_subcommand(sh, "fuzz", "cargo-fuzz")?;
    // The fuzzer keeps what it learns in the first folder and only reads the second.
    let (learned, seeds) = (format!("fuzz/corpus/{name}"), format!("fuzz/seeds/{name}"));
    sh.create_dir(&learned)?;
    let runs = arguments.runs.map(|runs| format!("-runs={runs}"));
    // No sanitizer: there is no unsafe code for one to watch, and without it ten times as many
    // inputs are tried and the memory measured is our own.
    let sanitizer = "--sanitizer=none";
    let fuzzer = if tools::has_nightly(sh) {
        cmd!(sh, "rustup run nightly cargo fuzz run {sanitizer} {name} {learned} {seeds} --")
    } else {
        // The stable compiler can do what the fuzzer needs; it wants to be asked.
        cmd!(sh, "cargo fuzz run {sanitizer} {name} {learned} {seeds} --")
            .env("RUSTC_BOOTSTRAP", "1")
    };
    let command = fuzzer
        .args(LIMITS)
        .arg(format!("-max_total_time={seconds}"))
        .args(runs)
        .arg("-print_final_stats=1");
    fuzz(name, command)
}

/// Runs the fuzzer, passes its words on, and ends with its numbers.
fn fuzz(name: &str, command: Cmd<'_>) -> Result<()> {
    println!("$ {command}");
    // Cargo would hand its own path down, and the nightly fuzzer would build with this toolchain.
    let mut child = Command::from(command.env_remove("CARGO")).stderr(Stdio::piped()).spawn()?;
    let words = child.stderr.take().context("the fuzzer has no standard error")?;
    let statistics = Statistics::from_words(words)?;
    let status = child.wait()?;
    println!("{name}: {statistics}");
    anyhow::ensure!(statistics.executions.is_some(), "{name} did not begin: see above");
    anyhow::ensure!(status.success(), "{name} failed: the input is in fuzz/artifacts/{name}/");
    Ok(())
}

/// What libFuzzer says at its end.
#[derive(Default, Debug, PartialEq, Eq)]
struct Statistics {
    executions: Option<u64>,
    peak_megabytes: Option<u64>,
}

impl Statistics {
    /// Reads the fuzzer's words to their end, repeating each on standard error.
    fn from_words(words: impl Read) -> Result<Self> {
        let mut statistics = Self::default();
        for line in BufReader::new(words).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            eprintln!("{line}");
            statistics.notice(&line);
        }
        Ok(statistics)
    }

    fn notice(&mut self, line: &str) {
        let number = |name: &str| line.strip_prefix(name)?.trim().parse().ok();
        self.executions = number("stat::number_of_executed_units:").or(self.executions);
        self.peak_megabytes = number("stat::peak_rss_mb:").or(self.peak_megabytes);
    }
}

impl std::fmt::Display for Statistics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Some(executions), Some(peak)) = (self.executions, self.peak_megabytes) else {
            return f.write_str("no numbers");
        };
        write!(f, "{executions} executions, at most {peak} MB of memory")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_at_the_end_are_read() {
        let words = b"#2 INITED\nstat::number_of_executed_units: 1234\nstat::peak_rss_mb:    56\n";
        let statistics = Statistics::from_words(&words[..]).unwrap();
        assert_eq!(statistics.to_string(), "1234 executions, at most 56 MB of memory");
    }

    #[test]
    fn a_fuzzer_that_never_began_has_no_numbers() {
        let statistics = Statistics::from_words(&b"error: could not compile"[..]).unwrap();
        assert_eq!(statistics, Statistics::default());
    }
}
