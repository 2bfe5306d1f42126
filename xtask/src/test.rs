//! `cargo xtask test`: everything that must be fine before a change goes in.

use crate::tools;
use anyhow::{Context, Result};
use clap::ValueEnum;
use std::time::Instant;
use xshell::{Cmd, Shell, cmd};

/// Check formatting, lints, invariants, tests, hostile inputs, the wasm build, the documentation and the viewer.
///
/// BLESS=1 rewrites the golden files and the seeds of the properties.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only the steps of one kind.
    only: Option<Kind>,
}

/// What `cargo xtask test KIND` can be narrowed down to.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Formatting, clippy and the invariants of ARCHITECTURE.md.
    Lint,
    /// All tests but the doc tests.
    Unit,
    /// Doc tests and the documentation itself.
    Doc,
    /// The build of the library crates for wasm32-unknown-unknown.
    Wasm,
    /// The browser's viewer: build, lint, types, and tests in a browser.
    Viewer,
}

struct Step {
    name: &'static str,
    kind: Kind,
    /// Makes sure that the tools of the step are there, and returns its one command.
    prepare: fn(&Shell) -> Result<Cmd<'_>>,
    /// A variable that the command needs, with its value.
    variable: Option<(&'static str, &'static str)>,
}

const STEPS: [Step; 10] = [
    Step::new("formatting", Kind::Lint, formatting),
    // First, so that everything after it is built with the viewer inside.
    Step::new("viewer", Kind::Viewer, viewer),
    Step::new("clippy", Kind::Lint, clippy),
    Step::new("invariants", Kind::Lint, invariants),
    Step::new("tests", Kind::Unit, tests),
    Step::new("hostile inputs", Kind::Unit, hostile_inputs),
    Step::new("doc tests", Kind::Doc, doc_tests),
    Step::new("wasm build", Kind::Wasm, wasm_build),
    Step {
        variable: Some(("RUSTDOCFLAGS", "-D warnings")),
        ..Step::new("documentation", Kind::Doc, documentation)
    },
    Step::new("page", Kind::Viewer, page),
];

impl Step {
    const fn new(name: &'static str, kind: Kind, prepare: fn(&Shell) -> Result<Cmd<'_>>) -> Self {
        Self { name, kind, prepare, variable: None }
    }

    /// The command, and how a person would type it.
    fn command<'a>(&self, sh: &'a Shell) -> Result<(Cmd<'a>, String)> {
        let command = (self.prepare)(sh)?;
        let typed = command.to_string();
        Ok(match self.variable {
            None => (command, typed),
            Some((name, value)) => (command.env(name, value), format!("{name}='{value}' {typed}")),
        })
    }
}

pub(crate) fn run(sh: &Shell, arguments: &Arguments) -> Result<()> {
    let start = Instant::now();
    let chosen = STEPS.iter().filter(|step| arguments.only.is_none_or(|kind| kind == step.kind));
    for step in chosen {
        run_step(sh, step)?;
    }
    println!("everything is fine ({:.1} s)", start.elapsed().as_secs_f64());
    Ok(())
}

fn run_step(sh: &Shell, step: &Step) -> Result<()> {
    let name = step.name;
    println!("{name}: begins");
    let start = Instant::now();
    let (command, alone) = step.command(sh).with_context(|| format!("{name} cannot run"))?;
    let outcome = command.run();
    let seconds = start.elapsed().as_secs_f64();
    let verdict = if outcome.is_ok() { "fine" } else { "FAILED" };
    println!("{name}: {verdict} ({seconds:.1} s)\n");
    outcome.map_err(|_| anyhow::anyhow!("{name} failed; to run this step alone:\n  {alone}"))
}

fn formatting(sh: &Shell) -> Result<Cmd<'_>> {
    tools::need_component(sh, "rustfmt", "fmt")?;
    Ok(cmd!(sh, "cargo fmt --all --check"))
}

fn clippy(sh: &Shell) -> Result<Cmd<'_>> {
    tools::need_component(sh, "clippy", "clippy")?;
    Ok(cmd!(sh, "cargo clippy --quiet --workspace --all-targets -- -D warnings"))
}

fn invariants(sh: &Shell) -> Result<Cmd<'_>> {
    Ok(cmd!(sh, "cargo xtask tidy"))
}

fn hostile_inputs(sh: &Shell) -> Result<Cmd<'_>> {
    Ok(cmd!(sh, "cargo xtask hostile"))
}

fn tests(sh: &Shell) -> Result<Cmd<'_>> {
    let command = if tools::has_subcommand(sh, "nextest") {
        cmd!(sh, "cargo nextest run --workspace")
    } else {
        cmd!(sh, "cargo test --quiet --workspace --all-targets")
    };
    let blesses = std::env::var("BLESS").is_ok_and(|value| value == "1");
    // The golden tests of the command line have their own word for it.
    Ok(if blesses { command.env("TRYCMD", "overwrite") } else { command })
}

fn doc_tests(sh: &Shell) -> Result<Cmd<'_>> {
    Ok(cmd!(sh, "cargo test --quiet --doc --workspace"))
}

fn wasm_build(sh: &Shell) -> Result<Cmd<'_>> {
    let target = "wasm32-unknown-unknown";
    tools::need_target(sh, target)?;
    let packages = library_crates(sh)?.into_iter().flat_map(|name| ["--package".to_owned(), name]);
    // Checking is enough: a test builds the reference game with all that it uses for wasm32, and runs it.
    Ok(cmd!(sh, "cargo check --quiet --lib --target {target} {packages...}"))
}

/// Builds the viewer; says so where node is missing.
fn viewer(sh: &Shell) -> Result<Cmd<'_>> {
    Ok(cmd!(sh, "cargo xtask viewer --optional"))
}

/// Tests the page; says so where node or a browser is missing.
fn page(sh: &Shell) -> Result<Cmd<'_>> {
    Ok(cmd!(sh, "cargo xtask viewer --test --optional"))
}

fn documentation(sh: &Shell) -> Result<Cmd<'_>> {
    Ok(cmd!(sh, "cargo doc --quiet --no-deps --workspace"))
}

/// Every package in `crates/` but the program and its server; a folder has the name of its package.
fn library_crates(sh: &Shell) -> Result<Vec<String>> {
    let folders =
        sh.read_dir("crates")?.into_iter().filter(|path| path.join("Cargo.toml").exists());
    let names = folders.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    Ok(names.filter(|name| !matches!(&**name, "gametape-cli" | "gametape-server")).collect())
}
