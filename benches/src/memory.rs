//! The peak memory of a process.
//!
//! A process cannot forget its peak, so each task that is to be measured runs in a process of its
//! own: the same program again. The program lists its tasks and begins with [`serve`]:
//!
//! ```no_run
//! use gametape_benches::memory::{self, Task};
//!
//! const TASKS: &[Task] = &[("nothing", || ()), ("a megabyte", || drop(vec![1; 1 << 20]))];
//!
//! fn main() -> std::io::Result<()> {
//!     if memory::serve(TASKS)? {
//!         return Ok(());
//!     }
//!     println!("{} bytes", memory::peak_of("a megabyte")? - memory::peak_of("nothing")?);
//!     Ok(())
//! }
//! ```

use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// A name, and what to do in a process of its own.
pub type Task = (&'static str, fn());

/// Names the task that a process is for.
const VARIABLE: &str = "GAMETAPE_BENCH_TASK";
/// Comes before the peak on the child's last line.
const PREFIX: &str = "peak memory in bytes: ";

/// Does the task that this process was started for, if it was; says whether it was.
pub fn serve(tasks: &[Task]) -> io::Result<bool> {
    let Ok(name) = env::var(VARIABLE) else { return Ok(false) };
    let known = tasks.iter().find(|(known, _)| *known == name);
    let (_, task) = known.ok_or_else(|| problem(format!("no task {name}")))?;
    task();
    println!("{PREFIX}{}", peak_of_this_process()?);
    Ok(true)
}

/// Peak memory, in bytes, of a new process of this program that does one task.
pub fn peak_of(task: &str) -> io::Result<u64> {
    peak(task, &mut Command::new(env::current_exe()?))
}

/// The same, with an environment variable that names what the task works on.
pub fn peak_with(task: &str, name: &str, value: impl AsRef<OsStr>) -> io::Result<u64> {
    peak(task, Command::new(env::current_exe()?).env(name, value))
}

fn peak(task: &str, command: &mut Command) -> io::Result<u64> {
    let output = command.env(VARIABLE, task).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(problem(format!("task {task} ended with {}", output.status)));
    }
    let words = String::from_utf8_lossy(&output.stdout);
    let peak = words.lines().last().and_then(|line| line.strip_prefix(PREFIX)?.parse().ok());
    peak.ok_or_else(|| problem(format!("task {task} did not print its peak")))
}

/// Peak memory of this process so far, in bytes. Linux says it; elsewhere it is an error.
pub fn peak_of_this_process() -> io::Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    high_water_mark(&status).ok_or_else(|| problem("/proc/self/status has no VmHWM".to_owned()))
}

/// The peak in bytes out of the text of a `/proc/PID/status`.
fn high_water_mark(status: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

fn problem(words: String) -> io::Error {
    io::Error::other(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_found_among_the_other_lines() {
        let status = "Name:\tx\nVmPeak:\t  9 kB\nVmHWM:\t    1234 kB\nVmRSS:\t  8 kB\n";
        assert_eq!(high_water_mark(status), Some(1234 * 1024));
    }

    #[test]
    fn no_mark_or_an_odd_one_is_none() {
        assert_eq!(high_water_mark("VmRSS:\t8 kB\n"), None);
        assert_eq!(high_water_mark("VmHWM:\t8 MB\n"), None);
        assert_eq!(high_water_mark("VmHWM:\t99999999999999999999 kB\n"), None);
    }
}
