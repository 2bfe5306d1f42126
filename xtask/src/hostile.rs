//! `cargo xtask hostile`: inputs that broke a promise once, each with its command, in little memory.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::tools;

/// Run the commands of the hostile inputs with limited memory and time.
///
/// The inputs are in the folder `hostile` of the folder that GAMETAPE_CORPUS names.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Run only this command, and print how it ended and the most memory that it used.
    #[arg(long, hide = true, num_args = 1.., allow_hyphen_values = true, value_name = "COMMAND")]
    measure: Vec<String>,
}

/// Resident memory of a command, in KiB: the promise.
const RESIDENT: u64 = 256 << 10;
/// Virtual memory of a command, in KiB: the promise, and what a program maps without using it. It ends a
/// command that would take all memory of the machine.
const VIRTUAL: u64 = 640 << 10;
/// Seconds that a command may take. The promise is about two; a busy machine is slow.
const SECONDS: u64 = 60;

/// A command with `{in}` and `{out}` for folders, and the exit code that is right.
struct Case {
    command: &'static str,
    code: i32,
}

const fn case(command: &'static str, code: i32) -> Case {
    Case { command, code }
}

/// In the order in which they run: later ones read what earlier ones wrote.
const CASES: [Case; 33] = [
    case("recover {in}/swapped.tape {out}/swapped.tape", 0),
    case("verify {out}/swapped.tape", 0),
    case("recover {in}/swapped-unfinished.tape {out}/swapped-unfinished.tape", 0),
    case("verify {out}/swapped-unfinished.tape", 0),
    // What deltas are built on is lost, and what depends on it is left out.
    case("recover {in}/lost-keyframe.tape {out}/lost-keyframe.tape", 3),
    case("verify {out}/lost-keyframe.tape", 0),
    case("verify --key {in}/k1.pub {in}/signed-plus-junk.tape", 1),
    case("verify --key {in}/k1.pub {in}/signed-evil-index.tape", 1),
    case("verify --key {in}/k1.pub {in}/signed-padding.tape", 1),
    case("convert {in}/chess.json.gz {out}/chess.tape", 0),
    case("anonymize {out}/chess.tape {out}/anonymous-chess.tape", 0),
    case("state --path session {out}/anonymous-chess.tape", 0),
    case("anonymize {in}/chess.json.gz {out}/anonymous-chess.json.gz", 0),
    case("state --path session {out}/anonymous-chess.json.gz", 0),
    case("convert {in}/names.json {out}/names.tape", 0),
    case("anonymize {out}/names.tape {out}/anonymous-names.tape", 0),
    // It is not sound: lists with more holes than any state may have.
    case("verify {in}/lr50k.json.gz", 1),
    case("merge {in}/me20000 {in}/me20000 -o {out}/me20000.tape", 0),
    case("verify {out}/me20000.tape", 0),
    // The text ends at the limit, and an error names it.
    case("state --at turn:3 --resolve=6 {in}/saloon.json.gz", 1),
    case("info {in}/gz_data900M.gz", 0),
    case("merge {in}/t_manyframes {in}/t_manyframes -o {out}/t_manyframes.tape", 0),
    case("verify {out}/t_manyframes.tape", 0),
    case("cut --view 1 {in}/unknown-kinds.tape {out}/unknown-kinds.tape", 0),
    case("cut --from 150 {in}/digit-on-mountain.minewars {out}/digit.minewars", 0),
    case("verify {out}/digit.minewars", 0),
    case("info /dev/zero", 1),
    case("view --no-open /dev/zero", 1),
    case("export /dev/zero {out}/zero.html", 1),
    case("verify /dev/zero", 1),
    case("recover /dev/zero {out}/zero.tape", 1),
    case("info {out}/large", 1),
    case("verify {out}/large", 1),
];

/// A file that is no recording and larger than memory should ever be: a sparse one.
const LARGE: u64 = 3 << 30;

pub(crate) fn run(sh: &Shell, arguments: &Arguments) -> Result<()> {
    if let [program, words @ ..] = &arguments.measure[..] {
        println!("{}", End::of(program, words)?.line());
        return Ok(());
    }
    let Some(corpus) = std::env::var_os("GAMETAPE_CORPUS").map(PathBuf::from) else {
        println!("hostile inputs are skipped: GAMETAPE_CORPUS does not name their folder");
        return Ok(());
    };
    let tool = tools::tool(sh)?;
    let out = sh.create_temp_dir()?;
    std::fs::File::create(out.path().join("large"))?.set_len(LARGE)?;
    let mut broken = 0;
    for case in &CASES {
        let words = words(case.command, &corpus.join("hostile"), out.path());
        let end = measured(sh, &tool, &words)?;
        let problem = end.problem(case.code);
        let verdict = problem.as_deref().unwrap_or("fine");
        println!("gametape {}: {verdict} ({} MiB)", case.command, end.memory >> 10);
        broken += usize::from(problem.is_some());
    }
    anyhow::ensure!(broken == 0, "{broken} of {} hostile inputs broke a promise", CASES.len());
    Ok(())
}

/// How the tool ended with these arguments.
///
/// A process learns the most memory of all its children together, so each command gets a parent of its own:
/// this program.
fn measured(sh: &Shell, tool: &str, words: &[String]) -> Result<End> {
    let parent = std::env::current_exe()?;
    let line = cmd!(sh, "{parent} hostile --measure {tool} {words...}").quiet().read()?;
    End::parse(&line).with_context(|| format!("how a command ended: {line}"))
}

fn words(command: &str, corpus: &Path, out: &Path) -> Vec<String> {
    let fill = |word: &str| {
        let filled = word.replace("{in}", &corpus.to_string_lossy());
        filled.replace("{out}", &out.to_string_lossy())
    };
    command.split(' ').map(fill).collect()
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct End {
    /// `None`: ended by a signal or for taking too long.
    code: Option<i32>,
    /// The most resident memory, in KiB.
    memory: u64,
}

impl End {
    /// Runs a program with limited memory and time. It must be the first child of this process.
    fn of(program: &str, words: &[String]) -> Result<Self> {
        let mut child = Command::new("sh")
            .args(["-c", &format!("ulimit -v {VIRTUAL}; exec \"$0\" \"$@\"")])
            .arg(program)
            .args(words)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .context("sh cannot be run")?;
        let end = Instant::now() + Duration::from_secs(SECONDS);
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if Instant::now() > end {
                child.kill()?;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        Ok(Self { code: status.code(), memory: most_memory_of_children()? })
    }

    fn line(self) -> String {
        let code = self.code.map_or("none".to_owned(), |code| code.to_string());
        format!("{code} {}", self.memory)
    }

    fn parse(line: &str) -> Option<Self> {
        let (code, memory) = line.split_once(' ')?;
        let code = if code == "none" { None } else { Some(code.parse().ok()?) };
        Some(Self { code, memory: memory.parse().ok()? })
    }

    /// What is wrong with it.
    fn problem(self, right: i32) -> Option<String> {
        match self.code {
            None => Some(format!("ended by a signal, or not done after {SECONDS} s")),
            Some(code) if code != right => Some(format!("exit code {code}, expected {right}")),
            Some(_) if self.memory >= RESIDENT => {
                Some(format!("{} MiB of memory, allowed {}", self.memory >> 10, RESIDENT >> 10))
            }
            Some(_) => None,
        }
    }
}

/// The most resident memory of any child that has ended, in KiB.
#[cfg(unix)]
fn most_memory_of_children() -> Result<u64> {
    use nix::sys::resource::{UsageWho, getrusage};
    let most = u64::try_from(getrusage(UsageWho::RUSAGE_CHILDREN)?.max_rss())?;
    Ok(if cfg!(target_vendor = "apple") { most >> 10 } else { most })
}

#[cfg(not(unix))]
fn most_memory_of_children() -> Result<u64> {
    anyhow::bail!("the memory of a command is known on Unix only")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_reads_or_reads_again_what_was_written() {
        for (index, case) in CASES.iter().enumerate() {
            for word in case.command.split(' ').filter(|word| word.starts_with("{out}")) {
                let earlier = CASES[..=index].iter().any(|case| case.command.ends_with(word));
                assert!(earlier || word.ends_with("large"), "{}", case.command);
            }
        }
    }

    #[test]
    fn a_wrong_end_and_much_memory_are_problems() {
        let end = |code, memory| End { code, memory };
        assert_eq!(end(Some(1), RESIDENT - 1).problem(1), None);
        assert!(end(Some(0), 0).problem(1).is_some());
        assert!(end(None, 0).problem(1).is_some());
        assert!(end(Some(1), RESIDENT).problem(1).is_some());
        for end in [end(Some(3), 17), end(None, 0)] {
            assert_eq!(End::parse(&end.line()), Some(end));
        }
    }

    #[cfg(unix)]
    #[test]
    fn memory_and_code_of_a_program_are_measured() {
        let end = End::of("sh", &["-c".to_owned(), "exit 3".to_owned()]).unwrap();
        assert_eq!(end.code, Some(3));
        assert!(end.memory > 0);
    }
}
