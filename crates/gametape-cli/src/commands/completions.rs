//! `gametape completions`: what a shell needs to complete commands and options.

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use crate::Cli;
use crate::failure::{Done, Outcome};
use crate::output::Output;

/// Print the completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  gametape completions bash > ~/.local/share/bash-completion/completions/gametape
  gametape completions zsh > ~/.zfunc/_gametape
  gametape completions fish > ~/.config/fish/completions/gametape.fish";

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), "gametape", &mut script);
        let mut stdout = Output::stdout();
        stdout.put(&script)?;
        stdout.finish()?;
        Ok(Done::Fine)
    }
}
