//! `cargo xtask demo`: a match is played, recorded, checked, exported and shown, as a person would do
//! it. What was made stays in `demo/`.

mod live;
mod steps;

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use xshell::{Shell, cmd};

use crate::{tools, viewer};
use steps::{Chapter, Step, browser, chapters};

/// Play and record a match of bots in demo/, and show what can be done with it.
#[derive(clap::Args)]
pub(crate) struct Arguments {}

/// Everything that the demo makes is in here, and is made again each time.
const FOLDER: &str = "demo";

pub(crate) fn run(sh: &Shell, _: &Arguments) -> Result<()> {
    let has_viewer = build(sh)?;
    let start = Instant::now();
    sh.remove_path(FOLDER)?;
    let mut chapters = chapters();
    if has_viewer {
        chapters.push(browser());
    }
    for chapter in &chapters {
        println!("\n=== {} ===", chapter.title);
        chapter.steps.iter().try_for_each(|step| step.run(sh))?;
    }
    live::run(sh)?;
    sh.write_file(format!("{FOLDER}/README.txt"), readme(&chapters))?;
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "\nAll of it took {seconds:.1} s and is in {FOLDER}/; README.txt there says what is what."
    );
    let tool = tools::built("gametape");
    println!("Watch the best moment:  {tool} highlights --play 1 {FOLDER}/match/match.tape");
    if has_viewer {
        println!("In the browser:         {tool} view {FOLDER}/match/match.tape");
        println!("Without any program:    open {FOLDER}/match.html by double click");
        println!(
            "As a site:              python3 -m http.server --bind 127.0.0.1 --directory {FOLDER}/site"
        );
    } else {
        println!("For the browser's viewer: cargo xtask viewer, then this again");
    }
    Ok(())
}

/// Examples that are built: one that the demo runs, and one that needs every crate which the tool is made of.
const EXAMPLES: [(&str, &str); 2] =
    [("gametape-minewars", "make_session"), ("gametape-skirmish", "record_a_game")];

/// Builds the tool, with the viewer inside if it can be built, and the example; says whether the viewer is.
///
/// All of it with one selection of packages, so that no crate is built twice.
fn build(sh: &Shell) -> Result<bool> {
    // What the tool is made of does not have the viewer inside: both are built at the same time.
    let examples = EXAMPLES.iter().flat_map(|(_, name)| ["--example", name]);
    let mut crates: Command = cmd!(sh, "cargo build --quiet {examples...}").into();
    let mut crates = crates.spawn().context("cargo cannot be run")?;
    let has_viewer = viewer::build_if_possible(sh, viewer::Form::Quick);
    ensure!(crates.wait()?.success(), "the crates cannot be built");
    cmd!(sh, "cargo build --bin gametape --example make_session").run()?;
    Ok(has_viewer)
}

impl Step {
    /// Says what is done in plain words, and does it.
    fn run(&self, sh: &Shell) -> Result<()> {
        println!("\n--- {}", self.words);
        if let Some(path) = self.makes
            && let Some((folder, _)) = path.rsplit_once('/')
        {
            sh.create_dir(folder)?;
        }
        let (program, arguments) = match self.command.split_first() {
            Some((&"gametape", arguments)) => (tools::built("gametape"), arguments),
            // An example of the library.
            Some((_, arguments)) => (tools::built("examples/make_session"), arguments),
            None => return Ok(()),
        };
        println!("$ {}", self.command.join(" "));
        let mut command: Command = cmd!(sh, "{program} {arguments...}").into();
        let status = command.status().with_context(|| format!("{program} cannot be run"))?;
        let is_fine = status.success() || (self.may_lose && status.code() == Some(3));
        ensure!(is_fine, "{} ended with {status}", self.command.join(" "));
        match self.makes.filter(|path| !sh.path_exists(path)) {
            Some(path) => anyhow::bail!("{} did not make {path}", self.command.join(" ")),
            None => Ok(()),
        }
    }
}

/// What a person finds in the folder.
fn readme(chapters: &[Chapter]) -> String {
    let mut text = String::from(
        "What `cargo xtask demo` made, and how.\n\nA match of the game Skirmish was played by bots and \
         recorded. `gametape` below is target/debug/gametape, `make_session` is \
         target/debug/examples/make_session; paths are from the root of the \
         repository.\n",
    );
    for Chapter { title, steps } in chapters {
        text += &format!("\n{title}\n{}\n", "-".repeat(title.chars().count()));
        for step in steps {
            let made = step.makes.map(|path| path.trim_start_matches("demo/"));
            text += &format!("\n{}\n", step.words);
            text += &made.map(|path| format!("  {path}\n")).unwrap_or_default();
            text += &format!("  $ {}\n", step.command.join(" "));
        }
    }
    text += "\nA match is watched while it is played\n-------------------------------------\n\n\
             A server, a game that publishes itself, and two spectators; one comes late and rewinds.\n  \
             live/source.tape\n  live/first.tape\n  live/late.tape\n";
    text += "\nTo go on\n--------\n\nWatch the match, or its best moment, in the terminal:\n  \
             $ gametape play demo/match/match.tape\n  \
             $ gametape highlights --play 1 demo/match/match.tape\n";
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_that_are_built_are_there() {
        let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
        for example in EXAMPLES {
            assert!(
                crates
                    .join(example.0)
                    .join("examples")
                    .join(example.1)
                    .with_extension("rs")
                    .exists()
            );
        }
    }

    #[test]
    fn everything_that_is_made_is_named_in_its_command_and_in_the_readme() {
        let mut chapters = chapters();
        chapters.push(browser());
        let text = readme(&chapters);
        for step in chapters.iter().flat_map(|chapter| &chapter.steps) {
            assert!(text.contains(step.words), "{}", step.words);
            let Some(path) = step.makes else { continue };
            let is_named =
                step.command.iter().any(|word| path.starts_with(word.trim_end_matches('/')));
            assert!(is_named && path.starts_with("demo/"), "{path}");
            assert!(text.contains(path.trim_start_matches("demo/")));
        }
    }
}
