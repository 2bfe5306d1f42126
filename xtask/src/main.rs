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
use std::ffi::OsString;
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
    let arguments = Arguments::parse();
    match restarted().unwrap_or_else(|| run(&arguments.command)) {
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

/// Where the package of this program is; what cargo says in `CARGO_MANIFEST_DIR`.
const PACKAGE: &str = "XTASK_PACKAGE";

/// Runs this program again without what `cargo run` says of its package; nothing where that was done already.
///
/// Build scripts of dependencies read the same variables. With them, each change between `cargo xtask` and `cargo build`
/// would build the whole network stack again.
fn restarted() -> Option<Result<()>> {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")?;
    let is_of_package = |name: &OsString| {
        let name = name.to_string_lossy();
        name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_PKG_")
    };
    let again = || {
        let mut program = std::process::Command::new(std::env::current_exe()?);
        program.args(std::env::args_os().skip(1)).env(PACKAGE, package);
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_of_package(name)) {
            program.env_remove(name);
        }
        // What failed has been said.
        std::process::exit(program.status()?.code().unwrap_or(1))
    };
    Some(again())
}

/// A shell in the root of the workspace, wherever the command was typed.
fn shell() -> Result<Shell> {
    let xtask: PathBuf =
        std::env::var_os(PACKAGE).context("run this program as `cargo xtask`")?.into();
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
