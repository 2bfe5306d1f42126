//! `gametape` opens, checks, converts, cuts and shows recorded matches.
//!
//! A thin shell: each subcommand is one file under `commands/` and knows no format; formats live in
//! the library crates. Results go to stdout, diagnostics to stderr. What every command shares is
//! here: [`input`] reads files and tells their kind, [`output`] writes them, [`failure`] turns what
//! went wrong into lines and exit codes, [`progress`] shows how far a long command is, [`moment`]
//! names a time in a recording, [`cities`] names places, [`rewrite`] is for commands that write a
//! recording anew, [`gamelog`] for those that look into gamelogs, [`tape`] reads tapes piece by piece,
//! [`events`] the events of a tape, [`columns`] aligns tables,
//! [`json`] lays JSON text out, [`text`] makes numbers readable.

mod cities;
mod columns;
mod commands;
mod events;
mod failure;
mod gamelog;
mod input;
mod json;
mod moment;
mod output;
mod progress;
mod rewrite;
mod tape;
mod text;
mod view_arg;

use std::process::ExitCode;

use clap::Parser;

/// Open, check, convert, cut and show recorded game matches.
#[derive(Parser)]
#[command(name = "gametape", version, arg_required_else_help = true, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: commands::Command,

    /// Replace files that exist
    #[arg(long, global = true)]
    force: bool,
}

const EXIT_CODES: &str = "\
Files are told apart by what is in them, never by their names; `-` stands for standard input or output.

Exit codes: 0 fine, 1 failed, 2 wrong usage, 3 finished, but data was lost.";

fn main() -> ExitCode {
    let cli = Cli::parse();
    if cli.force {
        output::allow_replacing();
    }
    failure::conclude(cli.command.run())
}
