//! Tools that a command needs: found, or installed and announced, or missed in plain words.

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

/// The tool, as `cargo build` leaves it.
pub(crate) const TOOL: &str = "target/debug/gametape";

/// Makes sure that a component of the active toolchain, such as `clippy`, is there.
pub(crate) fn need_component(sh: &Shell, component: &str, subcommand: &str) -> Result<()> {
    if has_subcommand(sh, subcommand) {
        return Ok(());
    }
    let what = format!("the Rust component {component}");
    need_rustup(sh, &what)?;
    println!("{what} is missing: adding it");
    cmd!(sh, "rustup component add {component}").run().with_context(|| format!("{what} is missing"))
}

/// Makes sure that the standard library for a target is there.
pub(crate) fn need_target(sh: &Shell, target: &str) -> Result<()> {
    let folder = cmd!(sh, "rustc --print target-libdir --target {target}").quiet().read()?;
    if sh.path_exists(folder) {
        return Ok(());
    }
    let what = format!("the Rust standard library for {target}");
    need_rustup(sh, &what)?;
    println!("{what} is missing: adding it");
    cmd!(sh, "rustup target add {target}").run().with_context(|| format!("{what} is missing"))
}

/// Makes sure that a nightly toolchain is there.
pub(crate) fn need_nightly(sh: &Shell) -> Result<()> {
    let what = "a nightly Rust toolchain";
    need_rustup(sh, what)?;
    let toolchains = cmd!(sh, "rustup toolchain list").quiet().read()?;
    let has_nightly = toolchains.lines().any(|line| line.starts_with("nightly"));
    anyhow::ensure!(has_nightly, "{what} is missing: `rustup toolchain install nightly` adds it");
    Ok(())
}

/// Makes sure that a subcommand of cargo is there that a package installs.
pub(crate) fn need_cargo_subcommand(sh: &Shell, subcommand: &str, package: &str) -> Result<()> {
    if has_subcommand(sh, subcommand) {
        return Ok(());
    }
    println!("{package} is missing: installing it, which takes some minutes");
    let installed = cmd!(sh, "cargo install {package} --locked").run();
    installed.with_context(|| format!("{package} is missing"))
}

/// Builds the tool and returns its path.
///
/// It is built with the features that the tests of the workspace give it, so that one build serves the tests, the
/// invariants and the hostile inputs.
pub(crate) fn tool(sh: &Shell) -> Result<String> {
    cmd!(sh, "cargo build --quiet --workspace --bin gametape --test cli").run()?;
    let folder = sh.var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".to_owned());
    Ok(format!("{folder}/debug/gametape"))
}

/// Can cargo run this subcommand?
pub(crate) fn has_subcommand(sh: &Shell, subcommand: &str) -> bool {
    succeeds(cmd!(sh, "cargo {subcommand} --version"))
}

fn need_rustup(sh: &Shell, what: &str) -> Result<()> {
    let found = succeeds(cmd!(sh, "rustup --version"));
    anyhow::ensure!(found, "{what} is needed, and rustup, which manages it, is not there");
    Ok(())
}

fn succeeds(command: xshell::Cmd<'_>) -> bool {
    command.quiet().ignore_stdout().ignore_stderr().run().is_ok()
}
