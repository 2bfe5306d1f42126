//! What commands share that write a recording: where results go, and what is reported about them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use gametape_replay::open::Format;
use serde::Serialize;

use crate::failure::{Done, Failure, Outcome, for_each, note, warn};
use crate::input::Source;
use crate::many::recordings_in;
use crate::output::{Destination, Target, print_json};

/// Where the one result of a command goes.
#[derive(Debug, clap::Args)]
pub(crate) struct ResultArgs {
    /// Where the result goes, `-` for standard output
    #[arg(value_name = "OUT", required_unless_present = "output")]
    out: Option<Target>,

    /// The same as OUT
    #[arg(short, long, value_name = "OUT", conflicts_with = "out")]
    output: Option<Target>,

    /// Print one JSON object that says what was done
    #[arg(long)]
    pub(crate) json: bool,
}

impl ResultArgs {
    /// Where the result goes. It cannot share standard output with the report about it.
    pub(crate) fn target(&self) -> Result<&Target, Failure> {
        let given = self.output.as_ref().or(self.out.as_ref());
        let target = given.ok_or_else(|| Failure::usage("where does the result go?"))?;
        check_apart(target, self.json)?;
        Ok(target)
    }

    /// How the name of the result ends.
    pub(crate) fn extension(&self) -> Option<&OsStr> {
        match self.output.as_ref().or(self.out.as_ref())? {
            Target::File(path) => path.extension(),
            Target::Stdout => None,
        }
    }
}

/// The files of a command that writes one file for each that it reads.
#[derive(Debug, clap::Args)]
pub(crate) struct RewriteArgs {
    /// Files to read, `-` for standard input; with --out-dir or --in-place also folders with
    /// recordings in them. Of two files without --output, --out-dir or --in-place, the second is where
    /// the result goes
    #[arg(value_name = "FILE", required = true)]
    files: Vec<OsString>,

    /// Where the result of a single file goes, `-` for standard output
    #[arg(short, long, value_name = "OUT", conflicts_with_all = ["out_dir", "in_place"])]
    output: Option<Target>,

    /// Write the results into this folder, under the names of the files
    #[arg(long, value_name = "DIR", conflicts_with = "in_place")]
    out_dir: Option<PathBuf>,

    /// Replace each file by its result
    #[arg(long)]
    in_place: bool,

    /// Print one JSON object for each file that says what was done
    #[arg(long)]
    pub(crate) json: bool,
}

impl RewriteArgs {
    /// Does `work` with each file, and in folders with each recording of these formats; goes on with the
    /// others where it fails.
    pub(crate) fn for_each(
        &self,
        formats: &[Format],
        mut work: impl FnMut(&Source, &Destination) -> Outcome,
    ) -> Outcome {
        let jobs = self.jobs(formats)?;
        for_each(&jobs, |(source, destination)| {
            check_apart(&destination.target, self.json)?;
            work(source, destination)
        })
    }

    fn jobs(&self, formats: &[Format]) -> Result<Vec<(Source, Destination)>, Failure> {
        let sources = || {
            let named: Vec<Source> = self.files.iter().cloned().map(Source::from).collect();
            recordings_in(&named, formats).into_iter()
        };
        match (&self.files[..], &self.output, &self.out_dir) {
            _ if self.in_place => {
                sources().map(|source| Ok((source.clone(), in_place(&source)?))).collect()
            }
            (_, _, Some(folder)) => {
                let jobs = sources()
                    .map(|source| Ok((source.clone(), Destination::in_folder(&source, folder)?)));
                let jobs = jobs.collect::<Result<Vec<_>, Failure>>()?;
                check_distinct(&jobs)?;
                Ok(jobs)
            }
            ([file], Some(target), None) => {
                Ok(vec![(Source::from(file.clone()), target.clone().into())])
            }
            ([file, target], None, None) => {
                let target = Target::from(target.clone());
                Ok(vec![(Source::from(file.clone()), target.into())])
            }
            ([_], None, None) => Err(Failure::usage(
                "where does the result go? Name a second file, or give --out-dir or --in-place",
            )),
            _ => {
                Err(Failure::usage("the results of several files need --out-dir DIR or --in-place"))
            }
        }
    }
}

/// A usage error if the result of one file would replace that of another.
fn check_distinct(jobs: &[(Source, Destination)]) -> Result<(), Failure> {
    let mut targets = BTreeMap::new();
    for (source, destination) in jobs {
        let target = destination.target.to_string();
        if let Some(before) = targets.insert(target.clone(), source) {
            let problem =
                format_args!("{target} would be the result of both {before} and {source}");
            return Err(Failure::usage(problem));
        }
    }
    Ok(())
}

fn in_place(source: &Source) -> Result<Destination, Failure> {
    match source {
        Source::File(path) => Ok(Destination::in_place(path.clone())),
        Source::Stdin => Err(Failure::usage("standard input cannot be written in place")),
    }
}

/// A usage error if both the result and the JSON about it are for standard output.
pub(crate) fn check_apart(target: &Target, json: bool) -> Result<(), Failure> {
    if json && *target == Target::Stdout {
        return Err(Failure::usage("--json needs standard output for itself: name a file"));
    }
    Ok(())
}

/// What a command did that wrote a file, and of which file, for machines.
#[derive(Debug, Serialize)]
pub(crate) struct Written<'a, T> {
    pub(crate) file: String,
    pub(crate) output: String,
    #[serde(flatten)]
    pub(crate) result: &'a T,
}

/// What a command reports that wrote a file.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    file: String,
    output: Option<String>,
    /// What is different from what it was.
    pub(crate) changes: Vec<String>,
    /// What is not in the result.
    pub(crate) lost: Vec<String>,
}

impl Report {
    /// Nothing yet about a file that was made of `source`.
    pub(crate) fn new(source: &Source, output: Option<&Target>) -> Self {
        let output = output.map(ToString::to_string);
        Self { file: source.to_string(), output, changes: Vec::new(), lost: Vec::new() }
    }

    /// Prints the report; returns how the command ended.
    pub(crate) fn print(&self, json: bool) -> Outcome {
        if json {
            print_json(self)?;
        } else {
            self.changes.iter().for_each(|change| note(&self.file, change));
            self.lost.iter().for_each(|loss| warn(&self.file, format_args!("lost: {loss}")));
        }
        Ok(Done::lost_if(!self.lost.is_empty()))
    }
}
