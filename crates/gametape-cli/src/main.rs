//! `gametape` opens, checks, converts, cuts and shows recorded matches.
//!
//! A thin shell: each subcommand is one file under `commands/` and knows no format; formats live in
//! the library crates. Results go to stdout, diagnostics to stderr. What is done with files, one or many, is in
//! `gametape-files`. What every command shares is here: arguments in [`input`], [`many`], [`rewrite`], [`view_arg`] and
//! [`global`]; [`terminal`] is where everything is printed, [`failure`] turns what went wrong into lines and exit
//! codes, [`progress`] shows how far a long command is, [`events`] and [`text`] lay out tables and facts, [`games`]
//! lists the games that are known, [`viewer`] is the browser's viewer.

mod commands;
mod events;
mod failure;
mod games;
mod global;
#[cfg(test)]
mod help_examples;
mod input;
mod many;
mod output;
mod progress;
mod rewrite;
mod server_arg;
mod tape;
mod terminal;
mod text;
mod view_arg;
mod viewer;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};

/// Open, check, convert, cut and show recorded game matches.
#[derive(Debug, Parser)]
#[command(name = "gametape", version, arg_required_else_help = true, after_help = EXIT_CODES)]
struct Cli {
    #[command(flatten)]
    global: global::GlobalArgs,

    #[command(subcommand)]
    command: commands::Command,
}

const EXIT_CODES: &str = "\
Files are recognized by their content, never by their names; `-` is standard input or output.
Times are written as 3:37.6, 217.6s, 217600ms, tick:4352, turn:12, 50%, start, end or -10s; a number
alone is in milliseconds, in a gamelog a delta.

Exit codes: 0 fine, 1 failed, 2 wrong usage, 3 finished, but data was lost. Of many files, the worst.";

fn main() -> ExitCode {
    gametape_files::set_host(&terminal::Terminal);
    let arguments: Vec<_> = std::env::args_os().collect();
    let tool = Cli::command().color(global::colour_of(&arguments));
    let parsed =
        tool.try_get_matches_from(arguments).and_then(|found| Cli::from_arg_matches(&found));
    let Cli { global, command } = match parsed {
        Ok(parsed) => parsed,
        Err(answer) => return failure::answer(&answer),
    };
    global.apply();
    failure::conclude(command.run())
}
