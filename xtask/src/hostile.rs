//! `cargo xtask hostile`: inputs that broke a promise once, each with its command, in little memory.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

/// Run the commands of the hostile inputs with limited memory and time.
///
/// The inputs are in the folder `hostile` of the folder that GAMETAPE_CORPUS names.
#[derive(clap::Args)]
pub(crate) struct Arguments {}

/// Virtual memory of a command, in KiB: 256 MiB of data, and what a program maps without using it.
const MEMORY: u64 = 640 << 10;
/// Seconds that a command may take. The promise is about two; a busy machine is slow.
const SECONDS: u64 = 60;
const TOOL: &str = "target/debug/gametape";

/// A command with `{in}` and `{out}` for folders, and the exit codes that are right.
struct Case {
    command: &'static str,
    codes: &'static [i32],
}

const fn case(command: &'static str, codes: &'static [i32]) -> Case {
    Case { command, codes }
}

/// In the order in which they run: later ones read what earlier ones wrote.
const CASES: [Case; 29] = [
    case("recover {in}/swapped.tape {out}/swapped.tape", &[0, 3]),
    case("verify {out}/swapped.tape", &[0]),
    case("recover {in}/swapped-unfinished.tape {out}/swapped-unfinished.tape", &[0, 3]),
    case("verify {out}/swapped-unfinished.tape", &[0]),
    case("recover {in}/lost-keyframe.tape {out}/lost-keyframe.tape", &[0, 3]),
    case("verify {out}/lost-keyframe.tape", &[0]),
    case("verify --key {in}/k1.pub {in}/signed-plus-junk.tape", &[1]),
    case("verify --key {in}/k1.pub {in}/signed-evil-index.tape", &[1]),
    case("verify --key {in}/k1.pub {in}/signed-padding.tape", &[1]),
    case("convert {in}/chess.json.gz {out}/chess.tape", &[0]),
    case("anonymize {out}/chess.tape {out}/anonymous-chess.tape", &[0]),
    case("state --path session {out}/anonymous-chess.tape", &[0]),
    case("anonymize {in}/chess.json.gz {out}/anonymous-chess.json.gz", &[0]),
    case("state --path session {out}/anonymous-chess.json.gz", &[0]),
    case("convert {in}/names.json {out}/names.tape", &[0]),
    case("anonymize {out}/names.tape {out}/anonymous-names.tape", &[0, 3]),
    case("verify {in}/lr50k.json.gz", &[0, 1]),
    case("merge {in}/me20000 {in}/me20000 -o {out}/me20000.tape", &[0, 3]),
    case("verify {out}/me20000.tape", &[0]),
    case("state --at turn:3 --resolve=6 {in}/saloon.json.gz", &[0, 1, 3]),
    case("info {in}/gz_data900M.gz", &[0, 1]),
    case("merge {in}/t_manyframes {in}/t_manyframes -o {out}/t_manyframes.tape", &[0, 1, 3]),
    case("cut --view 1 {in}/unknown-kinds.tape {out}/unknown-kinds.tape", &[0, 3]),
    case("cut --from 150 {in}/digit-on-mountain.minewars {out}/digit.minewars", &[0]),
    case("verify {out}/digit.minewars", &[0]),
    case("info /dev/zero", &[1]),
    case("verify /dev/zero", &[1]),
    case("info {out}/large", &[1]),
    case("verify {out}/large", &[1]),
];

/// A file that is no recording and larger than memory should ever be: a sparse one.
const LARGE: u64 = 3 << 30;

pub(crate) fn run(sh: &Shell, _: &Arguments) -> Result<()> {
    let Some(corpus) = std::env::var_os("GAMETAPE_CORPUS").map(PathBuf::from) else {
        println!("hostile inputs are skipped: GAMETAPE_CORPUS does not name their folder");
        return Ok(());
    };
    cmd!(sh, "cargo build --quiet --workspace --bin gametape").run()?;
    let out = sh.create_temp_dir()?;
    std::fs::File::create(out.path().join("large"))?.set_len(LARGE)?;
    let mut broken = 0;
    for case in &CASES {
        let words = words(case.command, &corpus.join("hostile"), out.path());
        let problem = problem(&sh.current_dir().join(TOOL), &words, case.codes)?;
        let verdict = problem.as_deref().unwrap_or("fine");
        println!("gametape {}: {verdict}", case.command);
        broken += usize::from(problem.is_some());
    }
    anyhow::ensure!(broken == 0, "{broken} of {} hostile inputs broke a promise", CASES.len());
    Ok(())
}

fn words(command: &str, corpus: &Path, out: &Path) -> Vec<String> {
    let fill = |word: &str| {
        let filled = word.replace("{in}", &corpus.to_string_lossy());
        filled.replace("{out}", &out.to_string_lossy())
    };
    command.split(' ').map(fill).collect()
}

/// Runs the tool with limited memory; what is wrong with how it ended.
fn problem(tool: &Path, words: &[String], codes: &[i32]) -> Result<Option<String>> {
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {MEMORY}; exec \"$0\" \"$@\"")])
        .arg(tool)
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .context("sh cannot be run")?;
    let end = Instant::now() + Duration::from_secs(SECONDS);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(match status.code() {
                Some(code) if codes.contains(&code) => None,
                Some(code) => Some(format!("exit code {code}, expected {codes:?}")),
                None => Some(format!("ended by a signal: {status}")),
            });
        }
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            return Ok(Some(format!("not done after {SECONDS} s")));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
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
}
