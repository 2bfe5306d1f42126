//! How much faster the tool is with two cores than with one: `verify` and `events` of 500 tapes.
//!
//! Ten matches of different length are recorded, and each of them is there fifty times. The limit is
//! the number of cores: 2.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread::available_parallelism;
use std::time::Instant;

use gametape_benches::{Claim, Report, median};

type Outcome<T> = Result<T, Box<dyn Error>>;

const MATCHES: usize = 10;
const COPIES: usize = 50;
/// Rounds of one run with one job and one with two; medians count.
const ROUNDS: usize = 5;
/// Two cores must be this much faster than one.
const LEAST: f64 = 1.7;

fn main() -> Outcome<ExitCode> {
    let mut report = Report::new();
    let cores = available_parallelism()?.get();
    if cores < 2 {
        println!("there is one core: nothing to compare");
        return Ok(report.finish());
    }
    let folder = std::env::temp_dir().join(format!("gametape-many-{}", std::process::id()));
    let measured = measure(&folder, &mut report);
    fs::remove_dir_all(&folder)?;
    measured.map(|()| report.finish())
}

fn measure(folder: &Path, report: &mut Report) -> Outcome<()> {
    let tool = build()?;
    record(&tool, folder)?;
    for command in [&["verify"][..], &["events", "--count"], &["info", "--json"]] {
        let [one, two] = in_turns(&tool, command, folder)?;
        let name = command.join(" ");
        let tapes = MATCHES * COPIES;
        println!("{name} of {tapes} tapes: {one:.2} s with one job, {two:.2} s with two");
        if name != "info --json" {
            let claim = format!("{name}: one job takes this many times as long as two");
            report.claim(&Claim::at_least(&claim, one / two, LEAST));
        }
    }
    Ok(())
}

/// Builds the tool as users have it, and returns where it is.
fn build() -> Outcome<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut command = Command::new(cargo);
    let status = command.args(["build", "--release", "--quiet", "--package", "gametape-cli"]);
    if !status.status()?.success() {
        return Err("the tool cannot be built".into());
    }
    let this = std::env::current_exe()?;
    let folder = this.parent().ok_or("this program is in no folder")?;
    Ok(folder.join("gametape"))
}

fn record(tool: &Path, folder: &Path) -> Outcome<()> {
    fs::create_dir_all(folder)?;
    for number in 0..MATCHES {
        let first = folder.join(format!("{number}-0.tape"));
        let (seed, ticks) = (number.to_string(), (600 + 200 * number).to_string());
        let mut command = Command::new(tool);
        command.arg("record").arg(&first).args(["--seed", &seed, "--ticks", &ticks]);
        if !command.stdout(Stdio::null()).stderr(Stdio::null()).status()?.success() {
            return Err("a match cannot be recorded".into());
        }
        for copy in 1..COPIES {
            fs::copy(&first, folder.join(format!("{number}-{copy}.tape")))?;
        }
    }
    Ok(())
}

/// Median seconds with one job and with two.
fn in_turns(tool: &Path, command: &[&str], folder: &Path) -> Outcome<[f64; 2]> {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..ROUNDS {
        for turn in 0..2 {
            let index = (round + turn) % 2;
            times[index].push(seconds(tool, command, folder, index + 1)?);
        }
    }
    Ok(times.map(|mut times| median(&mut times)))
}

fn seconds(tool: &Path, command: &[&str], folder: &Path, jobs: usize) -> Outcome<f64> {
    let begin = Instant::now();
    let mut run = Command::new(tool);
    run.args(command).arg(folder).args(["--jobs", &jobs.to_string()]);
    let status = run.stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    if !status.success() {
        return Err(format!("{} fails", command.join(" ")).into());
    }
    Ok(begin.elapsed().as_secs_f64())
}
