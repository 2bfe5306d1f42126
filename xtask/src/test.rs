//! `cargo xtask test`: everything that must be fine before a change goes in.

use crate::tools;
use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use std::io::{IsTerminal, Read};
use std::process::{Command, Stdio};
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

/// Steps that run one after the other.
type Lane = &'static [Step];

/// Lanes that run side by side, stage after stage. Where two lanes of a stage build in the same folder of target/, cargo
/// lets one of them wait while the other builds.
const STAGES: [&[Lane]; 3] = [
    &[
        &[Step::new("formatting", Kind::Lint, formatting), Step::new("clippy", Kind::Lint, clippy)],
        &[
            Step::new("module of the viewer", Kind::Viewer, module),
            Step::new("wasm build", Kind::Wasm, wasm_build),
        ],
    ],
    &[&[
        // Before the tool, so that it is inside, and not while cargo looks for it.
        Step::new("viewer", Kind::Viewer, viewer),
        Step::new("invariants", Kind::Lint, invariants),
        Step {
            variable: Some(("RUSTDOCFLAGS", "-D warnings")),
            ..Step::new("documentation", Kind::Doc, documentation)
        },
        Step::new("build of the tests", Kind::Unit, build_of_tests),
    ]],
    // Both wait much: for sockets and other processes, and for pictures.
    &[
        &[Step::new("tests", Kind::Unit, tests)],
        &[
            Step::new("page", Kind::Viewer, page),
            Step::new("hostile inputs", Kind::Unit, hostile_inputs),
            Step::new("doc tests", Kind::Doc, doc_tests),
        ],
    ],
];

impl Step {
    const fn new(name: &'static str, kind: Kind, prepare: fn(&Shell) -> Result<Cmd<'_>>) -> Self {
        Self { name, kind, prepare, variable: None }
    }

    /// The command, ready to run.
    fn ready(&self, sh: &Shell) -> Result<Ready> {
        let name = self.name;
        let command = (self.prepare)(sh).with_context(|| format!("{name} cannot run"))?;
        let typed = command.to_string().replace(&own_program()?, "cargo xtask");
        Ok(match self.variable {
            None => Ready { name, command: command.into(), alone: typed },
            Some((key, value)) => {
                let alone = format!("{key}='{value}' {typed}");
                Ready { name, command: command.env(key, value).into(), alone }
            }
        })
    }
}

/// A step whose tools are there.
struct Ready {
    name: &'static str,
    command: Command,
    /// How a person would type it.
    alone: String,
}

pub(crate) fn run(sh: &Shell, arguments: &Arguments) -> Result<()> {
    let start = Instant::now();
    let is_chosen = |step: &&Step| arguments.only.is_none_or(|kind| kind == step.kind);
    for stage in STAGES {
        let lanes = stage.iter().map(|lane| {
            lane.iter().filter(is_chosen).map(|step| step.ready(sh)).collect::<Result<Vec<_>>>()
        });
        let mut lanes = lanes.collect::<Result<Vec<_>>>()?;
        lanes.retain(|lane| !lane.is_empty());
        run_stage(lanes)?;
    }
    println!("everything is fine ({:.1} s)", start.elapsed().as_secs_f64());
    Ok(())
}

/// Runs the lanes side by side. A single one shows what it does; of several, each step is shown when it has ended.
fn run_stage(lanes: Vec<Vec<Ready>>) -> Result<()> {
    let shows = if lanes.len() > 1 { Shows::AtEnd } else { Shows::Live };
    std::thread::scope(|scope| {
        let run_lane = |lane: Vec<Ready>| lane.into_iter().try_for_each(|step| step.run(shows));
        let lanes: Vec<_> =
            lanes.into_iter().map(|lane| scope.spawn(move || run_lane(lane))).collect();
        // The first problem is reported; the other lane has said its own.
        let mut ends = lanes.into_iter().map(std::thread::ScopedJoinHandle::join);
        ends.try_for_each(|end| end.unwrap_or_else(|_| bail!("a step panicked")))
    })
}

/// When the output of a step is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shows {
    Live,
    AtEnd,
}

impl Ready {
    fn run(self, shows: Shows) -> Result<()> {
        let Self { name, mut command, alone } = self;
        println!("{name}: begins");
        let start = Instant::now();
        let (is_fine, output) = match shows {
            Shows::Live => (command.status()?.success(), String::new()),
            Shows::AtEnd => captured(command)?,
        };
        let seconds = start.elapsed().as_secs_f64();
        let verdict = if is_fine { "fine" } else { "FAILED" };
        // In one piece, so that nothing of another lane comes between.
        print!("{output}{name}: {verdict} ({seconds:.1} s)\n\n");
        ensure!(is_fine, "{name} failed; to run this step alone:\n  {alone}");
        Ok(())
    }
}

/// Whether a command succeeds, and all that it says.
fn captured(mut command: Command) -> Result<(bool, String)> {
    let (mut reader, writer) = std::io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer).stdin(Stdio::null());
    if std::io::stdout().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    let mut child = command.spawn()?;
    // Its ends of the pipe would keep it open.
    drop(command);
    let mut output = Vec::new();
    reader.read_to_end(&mut output)?;
    Ok((child.wait()?.success(), String::from_utf8_lossy(&output).into_owned()))
}

/// This program, for a step that is a command of it: `cargo xtask` would wait for what cargo builds meanwhile.
fn own_program() -> Result<String> {
    Ok(std::env::current_exe()?.display().to_string())
}

/// A command of this program.
fn xtask<'a>(sh: &'a Shell, arguments: &[&str]) -> Result<Cmd<'a>> {
    let program = own_program()?;
    Ok(cmd!(sh, "{program} {arguments...}"))
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
    xtask(sh, &["tidy"])
}

fn hostile_inputs(sh: &Shell) -> Result<Cmd<'_>> {
    xtask(sh, &["hostile"])
}

fn build_of_tests(sh: &Shell) -> Result<Cmd<'_>> {
    Ok(all_tests(sh).arg("--no-run"))
}

/// All tests but the doc tests.
fn all_tests(sh: &Shell) -> Cmd<'_> {
    if tools::has_subcommand(sh, "nextest") {
        cmd!(sh, "cargo nextest run --workspace")
    } else {
        cmd!(sh, "cargo test --quiet --workspace --all-targets")
    }
}

fn tests(sh: &Shell) -> Result<Cmd<'_>> {
    // Slots, of which a test that computes takes two: .config/nextest.toml.
    let slots = 2 * std::thread::available_parallelism()?.get();
    let command = all_tests(sh).env("NEXTEST_TEST_THREADS", slots.to_string());
    let command = match tools::nats_server(sh) {
        Some(program) => command.env("GAMETAPE_NATS", program),
        None => command,
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
    // With the profile of the viewer's module, whose folder is not that of the other steps.
    Ok(cmd!(sh, "cargo check --quiet --lib --profile quick --target {target} {packages...}"))
}

/// Builds the parts of the viewer that nothing of the workspace reads, and gets the browser that tests the page.
fn module(sh: &Shell) -> Result<Cmd<'_>> {
    xtask(sh, &["viewer", "--quick", "--module", "--optional"])
}

/// Builds the viewer; says so where node is missing.
fn viewer(sh: &Shell) -> Result<Cmd<'_>> {
    xtask(sh, &["viewer", "--quick", "--optional"])
}

/// Tests the page; says so where node or a browser is missing.
fn page(sh: &Shell) -> Result<Cmd<'_>> {
    xtask(sh, &["viewer", "--quick", "--test", "--optional"])
}

fn documentation(sh: &Shell) -> Result<Cmd<'_>> {
    Ok(cmd!(sh, "cargo doc --quiet --no-deps --workspace"))
}

/// Every package in `crates/` but the edges; a folder has the name of its package.
fn library_crates(sh: &Shell) -> Result<Vec<String>> {
    let folders =
        sh.read_dir("crates")?.into_iter().filter(|path| path.join("Cargo.toml").exists());
    let names = folders.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned()));
    Ok(names.filter(|name| !crate::EDGES.contains(&&**name)).collect())
}
