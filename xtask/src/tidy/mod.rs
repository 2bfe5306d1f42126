//! `cargo xtask tidy`: the invariants of ARCHITECTURE.md, held by a program.
//!
//! Each check returns its problems as lines of text; nothing is changed. What is allowed is read from
//! the tables of ARCHITECTURE.md, so that the text and the code cannot disagree.

mod arrows;
mod commands;
mod dependencies;
mod documented;
mod paths;
mod source;
mod table;
mod ticks;
mod words;
mod world;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use xshell::Shell;

/// Check that the workspace is as ARCHITECTURE.md says: crates, I/O, documentation, commands, files, ticks, words, licences.
#[derive(clap::Args)]
pub(crate) struct Arguments {}

/// One check: its name, and what finds its problems.
type Check = (&'static str, fn(&Shell) -> Result<Vec<String>>);

const CHECKS: [Check; 8] = [
    ("crates use only what ARCHITECTURE.md says", arrows::problems),
    ("no file, clock, thread, socket or print in libraries", world::problems),
    ("public items are documented", documented::problems),
    ("documents and help name commands that exist", commands::problems),
    ("documents name files that exist", paths::problems),
    ("ticks in public items are `Tick`", ticks::problems),
    ("plain words", words::problems),
    ("licences and duplicate versions", dependencies::problems),
];

pub(crate) fn run(sh: &Shell, _: &Arguments) -> Result<()> {
    let mut count = 0;
    for (name, problems) in CHECKS {
        let problems = problems(sh).with_context(|| format!("tidy: {name}"))?;
        let verdict = if problems.is_empty() { "fine" } else { "NOT fine" };
        println!("tidy: {name}: {verdict}");
        problems.iter().for_each(|problem| println!("  {problem}"));
        count += problems.len();
    }
    anyhow::ensure!(count == 0, "tidy found {count} problems");
    Ok(())
}

/// A file with its path from the root of the workspace.
struct SourceFile {
    path: String,
    text: String,
}

/// The files that git knows below some folders, with one of these extensions.
fn files(sh: &Shell, folders: &[&str], extensions: &[&str]) -> Result<Vec<SourceFile>> {
    let listed = xshell::cmd!(sh, "git ls-files --cached --others --exclude-standard {folders...}");
    let listed = listed.quiet().read()?;
    let has_extension = |path: &&str| {
        let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| extensions.contains(&extension))
    };
    let exists = |path: &&str| sh.path_exists(path);
    let read = |path: &str| {
        let text = sh.read_file(PathBuf::from(path))?;
        Ok(SourceFile { path: path.to_owned(), text })
    };
    listed.lines().filter(has_extension).filter(exists).map(read).collect()
}
