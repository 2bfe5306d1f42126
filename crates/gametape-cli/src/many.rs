//! Many files at once, as arguments: what a command does with one of them is done with all by
//! [`Files`](gametape_files::Files).
//!
//! ```ignore
//! #[derive(Debug, clap::Args)]
//! pub(crate) struct Args {
//!     #[command(flatten)]
//!     files: FilesArgs,
//! }
//!
//! impl Args {
//!     pub(crate) fn run(self) -> Outcome {
//!         self.files.each("sound", |source| self.check(source))
//!     }
//! }
//! ```

use std::num::NonZeroUsize;
use std::ops::Deref;
use std::thread;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::input::Source;
pub(crate) use gametape_files::{Files, OfFile};

/// The arguments of every command that reads many files.
#[derive(Debug, clap::Args)]
struct Given {
    /// Files to read, folders with recordings in them, or addresses (s3://…, https://…); `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    sources: Vec<Source>,

    #[command(flatten)]
    jobs: JobsArg,
}

/// Files and folders to read, and how many of them at the same time.
#[derive(Debug, Clone)]
pub(crate) struct FilesArgs(Files);

impl Deref for FilesArgs {
    type Target = Files;

    fn deref(&self) -> &Files {
        &self.0
    }
}

impl Args for FilesArgs {
    fn augment_args(command: Command) -> Command {
        Given::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Given::augment_args_for_update(command)
    }
}

impl FromArgMatches for FilesArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let Given { sources, jobs } = Given::from_arg_matches(matches)?;
        Ok(Self(Files::new(sources, jobs.number())))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// How many files are worked on at the same time.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct JobsArg {
    /// Work on this many files at the same time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = number_of_jobs)]
    jobs: Option<NonZeroUsize>,
}

fn number_of_jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| format!("{text} is not a number of jobs"))
}

impl JobsArg {
    /// How many.
    pub(crate) fn number(self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
        self.jobs.map_or_else(cores, NonZeroUsize::get)
    }
}
