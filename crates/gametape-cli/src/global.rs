//! Options that every command has.

use std::ffi::OsString;

use gametape_files::{Size, set_max_memory};

use crate::failure::be_quiet;
use crate::output::allow_replacing;
pub(crate) use gametape_files::{max_memory, share_memory};

/// Options that every command has.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct GlobalArgs {
    /// Print only results and errors: no warnings, notes, summaries or progress
    #[arg(long, short, global = true)]
    quiet: bool,

    /// When to print in colour: auto (on a terminal), always or never
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    #[arg(hide_default_value = true, hide_possible_values = true)]
    color: clap::ColorChoice,

    /// Replace files that exist
    #[arg(long, global = true)]
    force: bool,

    /// How much memory reading may take in total, such as 64MiB or 2GiB [default: 256MiB]
    #[arg(long, global = true, value_name = "SIZE")]
    max_memory: Option<Size>,
}

impl GlobalArgs {
    /// Makes them hold for the whole process.
    pub(crate) fn apply(&self) {
        if self.quiet {
            be_quiet();
        }
        if self.force {
            allow_replacing();
        }
        let choice = match self.color {
            clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
            clap::ColorChoice::Always => anstream::ColorChoice::Always,
            clap::ColorChoice::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        self.max_memory.into_iter().for_each(set_max_memory);
    }
}

/// When help and usage errors are coloured, which are printed before all arguments are understood.
pub(crate) fn colour_of(arguments: &[OsString]) -> clap::ColorChoice {
    let texts: Vec<&str> = arguments.iter().map_while(|argument| argument.to_str()).collect();
    let after = |index: usize| texts.get(index + 1).copied();
    let given = texts.iter().enumerate().find_map(|(index, text)| match *text {
        "--color" => after(index),
        text => text.strip_prefix("--color="),
    });
    given.and_then(|text| text.parse().ok()).unwrap_or(clap::ColorChoice::Auto)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colour_is_known_before_the_arguments_are() {
        let of = |text: &str| {
            let arguments: Vec<OsString> = text.split(' ').map(OsString::from).collect();
            colour_of(&arguments)
        };
        assert_eq!(of("gametape --color never --help"), clap::ColorChoice::Never);
        assert_eq!(of("gametape info --color=always --nonsense"), clap::ColorChoice::Always);
        assert_eq!(of("gametape info --color"), clap::ColorChoice::Auto);
        assert_eq!(of("gametape --color=green"), clap::ColorChoice::Auto);
    }
}
