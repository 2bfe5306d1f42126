//! `cargo xtask bench`: the benchmarks, each a program of the package `gametape-benches`.

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::viewer;

/// Run a benchmark, or list them.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The benchmark to run; without it, they are listed.
    name: Option<String>,
    /// What to pass on to the benchmark.
    #[arg(last = true)]
    arguments: Vec<String>,
}

pub(crate) fn run(sh: &Shell, arguments: &Arguments) -> Result<()> {
    let known = crate::rust_files(sh, "benches/src/bin")?;
    let Some(name) = &arguments.name else {
        known.iter().for_each(|name| println!("{name}"));
        return Ok(());
    };
    crate::check_name(name, &known, "benchmark")?;
    if name == "viewer" {
        viewer::build_for_bench(sh)?;
    }
    let rest = &arguments.arguments;
    Ok(cmd!(sh, "cargo run --release --package gametape-benches --bin {name} -- {rest...}")
        .run()?)
}
