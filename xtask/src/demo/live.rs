//! A live match: a server, a game, two spectators, each a process of its own.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

use crate::tools;

/// What is compared at the end: the states of these views at these times.
const SEATS: [&str; 3] = ["0", "1", "2"];
const TIMES: [&str; 4] = ["0:05", "0:20", "0:45", "end"];

/// A program that is ended when the demo is.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A program, and what it prints.
type Started = (Running, BufReader<ChildStdout>);

impl Running {
    fn start(line: &str) -> Result<Started> {
        println!("$ gametape {line} &");
        let mut command = Command::new(tools::built("gametape"));
        let mut child = command.args(line.split(' ')).stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().context("no output")?;
        Ok((Self(child), BufReader::new(output)))
    }

    /// A machine that is too busy misses what is fine to miss, and says so. The server still has the match.
    fn finish_watching(mut self, again: impl FnOnce() -> Result<Started>) -> Result<()> {
        match self.0.wait()?.code() {
            Some(3) => {
                println!("  Something was missed: it is watched again, from the start.");
                let (spectator, mut output) = again()?;
                std::io::copy(&mut output, &mut std::io::sink())?;
                spectator.finish("a spectator")
            }
            _ => self.finish("a spectator"),
        }
    }

    fn finish(mut self, what: &str) -> Result<()> {
        let status = self.0.wait()?;
        ensure!(status.success(), "{what} ended with {status}");
        Ok(())
    }
}

/// Plays a minute of a match in twelve seconds, watched by two, of whom one comes late and rewinds.
pub(super) fn run(sh: &Shell) -> Result<()> {
    println!("\n=== A match is watched while it is played ===\n");
    println!(
        "--- A server, a game that publishes itself, and two spectators; one comes late and rewinds."
    );
    sh.create_dir("demo/live")?;
    let (_server, output) = Running::start("serve --listen 127.0.0.1:0 --public all --delay 0s")?;
    let address = line(output, |line| line.starts_with("http://"))?;
    let game = "record --live --speed 5 --ticks 1200 --seed 5 --match finals --to";
    let (game, _played) = Running::start(&format!("{game} {address} demo/live/source.tape"))?;
    wait_for_match(sh, &address)?;
    let watch = |save: &str| {
        let line =
            format!("watch --no-play --at start --match finals --save demo/live/{save} {address}");
        Running::start(&line)
    };
    let (first, output) = watch("first.tape")?;
    // Half a minute was played when the other one comes.
    let mut output = seen(output, 600)?;
    let (late, mut rest) = watch("late.tape")?;
    std::io::copy(&mut output, &mut std::io::sink())?;
    std::io::copy(&mut rest, &mut std::io::sink())?;
    game.finish("the game")?;
    for (spectator, save) in [(first, "first.tape"), (late, "late.tape")] {
        spectator.finish_watching(|| watch(&format!("{save} --force")))?;
    }
    compare(sh)
}

/// The first line for which this is so.
fn line(output: BufReader<ChildStdout>, is_it: impl Fn(&str) -> bool) -> Result<String> {
    let mut lines = output.lines().map_while(std::io::Result::ok);
    lines.find(|line| is_it(line)).context("a program ended too early")
}

/// Reads until a spectator has this tick.
fn seen(mut output: BufReader<ChildStdout>, tick: u64) -> Result<BufReader<ChildStdout>> {
    let mut line = String::new();
    loop {
        line.clear();
        ensure!(output.read_line(&mut line)? > 0, "the spectator ended too early");
        let shown = line.trim().strip_prefix("tick ").and_then(|tick| tick.parse::<u64>().ok());
        if shown.is_some_and(|shown| shown >= tick) {
            println!("  {}", line.trim());
            return Ok(output);
        }
    }
}

/// A spectator who comes before the match is refused: tries until it is there.
fn wait_for_match(sh: &Shell, address: &str) -> Result<()> {
    let tool = tools::built("gametape");
    for _ in 0..200 {
        let tried = cmd!(sh, "{tool} watch --no-play --once --match finals {address}").quiet();
        if tried.ignore_stdout().ignore_stderr().run().is_ok() {
            return Ok(());
        }
    }
    anyhow::bail!("the match does not begin")
}

/// Shows that both have what was recorded.
fn compare(sh: &Shell) -> Result<()> {
    let tool = tools::built("gametape");
    println!("\n--- What they kept is what was recorded: the states of every view are the same.");
    for time in TIMES {
        for view in SEATS {
            let hash = |name: &str| {
                let tape = format!("demo/live/{name}.tape");
                cmd!(sh, "{tool} state --hash --view {view} --at {time} {tape}").quiet().read()
            };
            let (source, first, late) = (hash("source")?, hash("first")?, hash("late")?);
            ensure!(source == first && source == late, "view {view} differs at {time}");
            println!("  view {view} at {time:<4}  {}", source.trim());
        }
    }
    Ok(())
}
