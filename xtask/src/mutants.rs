//! `cargo xtask mutants`: changes the code in small ways and looks whether a test notices.

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

use crate::tools;

/// Change the code in small ways and report which changes no test notices (cargo-mutants).
///
/// Without files, every N-th mutant of all library crates is tried, so that about --sample of them are.
/// The results are in target/mutants.out: missed.txt lists what no test noticed.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Source files to change; globs such as 'crates/gametape-tape/src/**' work too.
    files: Vec<String>,
    /// About how many mutants to try; all of them if files are given.
    #[arg(long)]
    sample: Option<usize>,
    /// Only list the mutants.
    #[arg(long)]
    list: bool,
}

/// The library crates: what the tool and the developer commands print is judged by golden tests.
const EVERYWHERE: &str = "crates/gametape-*/src/**";
const DEFAULT_SAMPLE: usize = 300;

pub(crate) fn run(sh: &Shell, arguments: &Arguments) -> Result<()> {
    tools::need_cargo_subcommand(sh, "mutants", "cargo-mutants")?;
    let files = if arguments.files.is_empty() {
        vec![EVERYWHERE.to_owned()]
    } else {
        arguments.files.clone()
    };
    let files: Vec<String> = files.into_iter().flat_map(|file| ["-f".to_owned(), file]).collect();
    if arguments.list {
        return Ok(cmd!(sh, "cargo mutants --list {files...}").run()?);
    }
    let sample = arguments.sample.or_else(|| arguments.files.is_empty().then_some(DEFAULT_SAMPLE));
    let shard = match sample {
        Some(sample) => {
            let list = cmd!(sh, "cargo mutants --list").args(&files).quiet().read()?;
            let all = list.lines().count();
            let shards = (all / sample.max(1)).max(1);
            println!("{all} mutants; every {shards}. of them is tried");
            // Round-robin takes every N-th mutant: all crates and files have their share.
            vec!["--sharding=round-robin".to_owned(), format!("--shard=0/{shards}")]
        }
        None => Vec::new(),
    };
    // Only the tests of the crates that see the mutant, without debug information: most of the time
    // is building.
    let tried = cmd!(
        sh,
        "cargo mutants --output target --test-tool nextest --timeout-multiplier 3 --baseline skip --timeout 300 {shard...} {files...}"
    );
    tried.env("CARGO_PROFILE_DEV_DEBUG", "0").run().context("some mutants survived")
}
