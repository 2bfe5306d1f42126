//! `gametape man`: the manual pages.

use std::fs;
use std::io;
use std::path::PathBuf;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::Cli;
use crate::failure::{Done, Failure, Outcome, note};
use crate::input::Source;
use crate::output::Target;
use crate::text::count;

/// Write the manual pages: one of the tool, and one of each command
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The folder to write to; it is made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  gametape man ~/.local/share/man/man1
  man gametape-verify";

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let failed = |error: io::Error| Failure::io(&self.folder.display(), &error);
        fs::create_dir_all(&self.folder).map_err(failed)?;
        let pages = pages().map_err(failed)?;
        for (name, page) in &pages {
            Target::File(self.folder.join(name)).write(&Source::Stdin, page)?;
        }
        note(&self.folder.display(), format_args!("{} written", count(pages.len() as u64, "page")));
        Ok(Done::Fine)
    }
}

/// The pages and the names of their files.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut tool = Cli::command().disable_help_subcommand(true);
    tool.build();
    let commands: Vec<Command> = tool.get_subcommands().cloned().collect();
    std::iter::once(tool).chain(commands).map(page).collect()
}

fn page(command: Command) -> io::Result<(String, Vec<u8>)> {
    let manual = Man::new(command);
    let mut page = Vec::new();
    manual.render(&mut page)?;
    Ok((manual.get_filename(), page))
}
