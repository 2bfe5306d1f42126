//! How much faster the tool is with two cores than with one: `verify` and `events` of 400 tapes.
//!
//! Eight matches of five minutes and more are recorded, and each of them is there 50 times: half of the
//! copies in one folder, half in another. What two processes reach that know nothing of each other, each of
//! them with one job and one of the folders, is the limit of the machine, and printed beside: cores that share
//! their caches, or are two threads of one core, do not make it 2.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, available_parallelism};
use std::time::Instant;

use gametape_benches::{Claim, Report, median};

type Outcome<T> = Result<T, Box<dyn Error>>;

const MATCHES: usize = 8;
const COPIES: usize = 50;
const HALVES: [&str; 2] = ["a", "b"];
/// Rounds of every way; medians count.
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
        let [one, two, apart] = in_turns(&tool, command, folder)?;
        let name = command.join(" ");
        let (tapes, limit) = (MATCHES * COPIES, one / apart);
        println!(
            "{name} of {tapes} tapes: {one:.2} s with one job, {two:.2} s with two: {:.2} times as \
             fast, of {limit:.2} that two processes reach",
            one / two
        );
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

/// Records the matches, as many at a time as there are cores, and copies them.
fn record(tool: &Path, folder: &Path) -> Outcome<()> {
    for half in HALVES {
        fs::create_dir_all(folder.join(half))?;
    }
    let next = AtomicUsize::new(0);
    let record_some = || -> Result<(), String> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= MATCHES {
                return Ok(());
            }
            record_one(tool, folder, number).map_err(|error| error.to_string())?;
        }
    };
    thread::scope(|scope| {
        let recorders: Vec<_> =
            (0..available_parallelism()?.get()).map(|_| scope.spawn(record_some)).collect();
        for recorder in recorders {
            recorder.join().map_err(|_| "a recorder panicked")??;
        }
        Ok(())
    })
}

/// Records one match of two to four players and of five minutes or more, and copies it.
fn record_one(tool: &Path, folder: &Path, number: usize) -> Outcome<()> {
    let path = |copy: usize| folder.join(HALVES[copy % 2]).join(format!("{number}-{copy}.tape"));
    let [seed, players, ticks] =
        [number, 2 + number % 3, 6000 + 600 * number].map(|option| option.to_string());
    let mut command = Command::new(tool);
    command.arg("record").arg(path(0));
    command.args(["--seed", &seed, "--players", &players, "--radius", "24", "--ticks", &ticks]);
    if !command.stdout(Stdio::null()).stderr(Stdio::null()).status()?.success() {
        return Err("a match cannot be recorded".into());
    }
    for copy in 1..COPIES {
        fs::copy(path(0), path(copy))?;
    }
    Ok(())
}

/// Median seconds with one job, with two, and with two processes of one job each.
fn in_turns(tool: &Path, command: &[&str], folder: &Path) -> Outcome<[f64; 3]> {
    let halves = HALVES.map(|half| folder.join(half));
    let mut times = [const { Vec::new() }; 3];
    for round in 0..ROUNDS {
        for turn in 0..times.len() {
            let index = (round + turn) % times.len();
            times[index].push(match index {
                0 => seconds(tool, command, &[folder], 1)?,
                1 => seconds(tool, command, &[folder], 2)?,
                _ => seconds(tool, command, &[&halves[0], &halves[1]], 1)?,
            });
        }
    }
    Ok(times.map(|mut times| median(&mut times)))
}

/// How long processes take that begin together, one for each folder.
fn seconds(tool: &Path, command: &[&str], folders: &[&Path], jobs: usize) -> Outcome<f64> {
    let begin = Instant::now();
    let start = |folder: &&Path| {
        let mut run = Command::new(tool);
        run.args(command).arg(folder).args(["--jobs", &jobs.to_string()]);
        run.stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    };
    let running: Vec<Child> = folders.iter().map(start).collect::<Result<_, _>>()?;
    for mut process in running {
        if !process.wait()?.success() {
            return Err(format!("{} fails", command.join(" ")).into());
        }
    }
    Ok(begin.elapsed().as_secs_f64())
}
