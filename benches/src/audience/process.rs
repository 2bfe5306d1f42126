//! A server in a process of its own.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, fs};

/// Names the server that a process is for.
const VARIABLE: &str = "GAMETAPE_BENCH_SERVER";

/// A name, and a server that says where it listens and runs.
pub type NamedServer = (&'static str, fn(&dyn Fn(u16)) -> io::Result<()>);

/// A server with its own process; it ends when this is dropped.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
    /// Where it listens.
    pub port: u16,
}

/// What a process has used.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// Time of its processors.
    pub computed: Duration,
    /// Bytes of memory.
    pub resident: u64,
}

impl ServerProcess {
    /// Runs the server that this process was started for, if it was, and ends it when its parent does. A server gets a
    /// function that says where it listens.
    pub fn serve(servers: &[NamedServer]) -> io::Result<bool> {
        let Ok(name) = env::var(VARIABLE) else { return Ok(false) };
        let found = servers.iter().find(|(known, _)| *known == name);
        let (_, run) = found.ok_or_else(|| io::Error::other(format!("no server {name}")))?;
        std::thread::spawn(|| {
            // The other end is open as long as the parent lives.
            let _ = io::stdin().read(&mut [0]);
            std::process::exit(0);
        });
        run(&|port| println!("{port}"))?;
        Ok(true)
    }

    /// Starts one of the servers of this program.
    pub fn start(name: &str) -> io::Result<Self> {
        let mut command = Command::new(env::current_exe()?);
        command.env(VARIABLE, name).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let output = child.stdout.take().ok_or_else(|| io::Error::other("no output"))?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let port = line.trim().parse().map_err(io::Error::other)?;
        Ok(Self { child, port })
    }

    /// What it has used so far. Linux says it; elsewhere it is an error.
    pub fn usage(&self) -> io::Result<Usage> {
        let folder = format!("/proc/{}", self.child.id());
        let stat = fs::read_to_string(format!("{folder}/stat"))?;
        let status = fs::read_to_string(format!("{folder}/status"))?;
        let problem = || io::Error::other("the system says something else");
        let computed = computed(&stat).ok_or_else(problem)?;
        Ok(Usage { computed, resident: resident(&status).ok_or_else(problem)? })
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Time in user and system mode, in hundredths of a second, after the name in brackets.
fn computed(stat: &str) -> Option<Duration> {
    let after_name = stat.rsplit_once(')')?.1;
    let mut numbers = after_name.split_whitespace().skip(11).map(str::parse::<u64>);
    let (user, system) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some(Duration::from_millis(10 * (user + system)))
}

fn resident(status: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_where_the_system_has_them() {
        let stat = "12 (a ) b) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0";
        assert_eq!(computed(stat), Some(Duration::from_secs(2)));
        assert_eq!(resident("VmHWM:\t9 kB\nVmRSS:\t  12 kB\n"), Some(12 * 1024));
        assert_eq!(computed("12 (a) S"), None);
    }
}
