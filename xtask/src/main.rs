//! Developer commands of the Gametape workspace: `cargo xtask help` lists them.

mod bench;
mod demo;
mod fuzz;
mod hostile;
mod mutants;
mod test;
mod tidy;
mod tools;
mod viewer;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use xshell::Shell;

/// The crates that are no libraries: they have files, sockets and clocks.
pub(crate) const EDGES: [&str; 6] = [
    "gametape-bus",
    "gametape-cli",
    "gametape-files",
    "gametape-net",
    "gametape-server",
    "gametape-store",
];

/// Developer commands of the Gametape workspace.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Test(test::Arguments),
    Bench(bench::Arguments),
    Fuzz(fuzz::Arguments),
    Tidy(tidy::Arguments),
    Hostile(hostile::Arguments),
    Mutants(mutants::Arguments),
    Demo(demo::Arguments),
    Viewer(viewer::Arguments),
}

fn main() -> ExitCode {
    match run(&Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nxtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> Result<()> {
    let sh = shell()?;
    match command {
        Command::Test(arguments) => test::run(&sh, arguments),
        Command::Bench(arguments) => bench::run(&sh, arguments),
        Command::Fuzz(arguments) => fuzz::run(&sh, arguments),
        Command::Tidy(arguments) => tidy::run(&sh, arguments),
        Command::Hostile(arguments) => hostile::run(&sh, arguments),
        Command::Mutants(arguments) => mutants::run(&sh, arguments),
        Command::Demo(arguments) => demo::run(&sh, arguments),
        Command::Viewer(arguments) => viewer::run(&sh, arguments),
    }
}

/// A shell in the root of the workspace, wherever the command was typed.
fn shell() -> Result<Shell> {
    let xtask: PathBuf = std::env::var_os("CARGO_MANIFEST_DIR")
        .context("CARGO_MANIFEST_DIR is not set: run this as `cargo xtask`")?
        .into();
    let sh = Shell::new()?;
    sh.change_dir(xtask.parent().unwrap_or(Path::new(".")));
    Ok(sh)
}

/// Names of the Rust files in `folder`, without their extension, sorted.
fn rust_files(sh: &Shell, folder: &str) -> Result<Vec<String>> {
    let is_rust = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "rs");
    let stem = |path: PathBuf| Some(path.file_stem()?.to_str()?.to_owned());
    if !sh.path_exists(folder) {
        return Ok(Vec::new());
    }
    Ok(sh.read_dir(folder)?.into_iter().filter(is_rust).filter_map(stem).collect())
}

/// Refuses a name that is not in the list, and says what is.
fn check_name(name: &str, known: &[String], kind: &str) -> Result<()> {
    let is_known = known.iter().any(|one| one == name);
    anyhow::ensure!(is_known, "no {kind} {name}; there are: {}", known.join(", "));
    Ok(())
}
