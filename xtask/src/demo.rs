//! `cargo xtask demo`: a recorded session is made, checked and shown, as a person would do it.

use anyhow::Result;
use xshell::{Cmd, Shell, cmd};

/// Make a session in demo/ and show what the tool says about it.
#[derive(clap::Args)]
pub(crate) struct Arguments {}

/// The same session in both generations of the format.
const OLD: &str = "demo/session.v01.minewars";
const NEW: &str = "demo/session.minewars";

pub(crate) fn run(sh: &Shell, _: &Arguments) -> Result<()> {
    sh.create_dir("demo")?;
    for command in make(sh).into_iter().chain(show(sh)) {
        command.run()?;
    }
    Ok(())
}

fn make(sh: &Shell) -> Vec<Cmd<'_>> {
    vec![
        cmd!(sh, "cargo run --release --package gametape-minewars --example make_session -- demo/"),
        cmd!(sh, "cargo build --release --package gametape"),
    ]
}

fn show(sh: &Shell) -> Vec<Cmd<'_>> {
    let tool = "target/release/gametape";
    vec![
        cmd!(sh, "{tool} verify {OLD}"),
        cmd!(sh, "{tool} verify {NEW}"),
        cmd!(sh, "{tool} info --frames {OLD}"),
        cmd!(sh, "{tool} map --at end {NEW}"),
        cmd!(sh, "{tool} map --at end --png demo/map.png {NEW}"),
    ]
}
