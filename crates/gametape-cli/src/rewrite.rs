//! What commands share that write a recording: where results go.

use std::ffi::OsString;
use std::path::PathBuf;

use gametape_files::Rewriting;
use gametape_replay::open::Format;

use crate::failure::Outcome;
use crate::input::Source;
use crate::many::JobsArg;
use crate::output::{Destination, Target, path};
pub(crate) use gametape_files::{Report, Written, check_apart};

/// The files of a command that writes one file for each that it reads.
#[derive(Debug, clap::Args)]
pub(crate) struct EachArgs {
    /// Files to read, `-` for standard input; also folders with recordings in them, where results go to a
    /// folder or replace their files. Of two files alone, the second is where the result goes
    #[arg(value_name = "FILE", required = true)]
    files: Vec<OsString>,

    /// Where the result of a single file goes, `-` for standard output
    #[arg(short, long, value_name = "OUT", conflicts_with = "out_dir")]
    output: Option<Target>,

    /// Write the results into this folder, under the names of the files
    #[arg(long, value_name = "DIR", value_parser = path())]
    out_dir: Option<PathBuf>,

    #[command(flatten)]
    jobs: JobsArg,

    /// Print one JSON object for each file that says what was done
    #[arg(long)]
    pub(crate) json: bool,
}

/// The same, where a result can also replace its file.
#[derive(Debug, clap::Args)]
pub(crate) struct RewriteArgs {
    #[command(flatten)]
    each: EachArgs,

    /// Replace each file by its result
    #[arg(long, conflicts_with_all = ["output", "out_dir"])]
    in_place: bool,
}

impl RewriteArgs {
    /// Is what was done printed as JSON?
    pub(crate) fn json(&self) -> bool {
        self.each.json
    }

    /// Does the work with each recording of these formats; goes on with the others where it fails. `good` is what the
    /// summary calls a file without problems.
    pub(crate) fn for_each(
        &self,
        good: &'static str,
        formats: &'static [Format],
        work: impl Fn(&Source, &Destination) -> Outcome + Sync,
    ) -> Outcome {
        self.rewriting().for_each(good, formats, work)
    }

    /// What is asked for.
    pub(crate) fn rewriting(&self) -> Rewriting {
        Rewriting { in_place: self.in_place, ..self.each.rewriting("") }
    }
}

impl EachArgs {
    /// Do results go to a folder?
    pub(crate) fn has_folder(&self) -> bool {
        self.out_dir.is_some()
    }

    /// What is asked for. In a folder, results have this at the end of their names.
    pub(crate) fn rewriting(&self, ending: &'static str) -> Rewriting {
        Rewriting {
            named: self.files.clone(),
            jobs: self.jobs.number(),
            output: self.output.clone(),
            out_dir: self.out_dir.clone(),
            ending,
            json: self.json,
            ..Rewriting::default()
        }
    }
}
