//! `gametape man`: the manual pages.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::Cli;
use crate::failure::{Done, Failure, Outcome, note};
use crate::text::count;

/// Write the manual pages: one of the tool, and one of each command
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The folder to write to; it is made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Replace pages that are there
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  gametape man ~/.local/share/man/man1
  man gametape-verify";

impl Args {
    pub(crate) fn run(self) -> Outcome {
        let failed = |path: &Path, error: io::Error| Failure::io(&path.display(), &error);
        fs::create_dir_all(&self.folder).map_err(|error| failed(&self.folder, error))?;
        let pages = pages().map_err(|error| failed(&self.folder, error))?;
        for (name, page) in &pages {
            let path = self.folder.join(name);
            self.write(&path, page).map_err(|error| failed(&path, error))?;
        }
        note(&self.folder.display(), format_args!("{} written", count(pages.len() as u64, "page")));
        Ok(Done::Fine)
    }

    fn write(&self, path: &Path, page: &[u8]) -> io::Result<()> {
        let mut options = File::options();
        options.write(true).create_new(!self.force).create(self.force).truncate(self.force);
        options.open(path)?.write_all(page)
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
