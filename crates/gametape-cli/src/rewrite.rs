//! What commands share that write a recording: where results go, and what is reported about them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use gametape_replay::open::Format;
use serde::Serialize;

use crate::failure::{Done, Failure, Outcome, note, warn};
use crate::input::Source;
use crate::many::{FilesArgs, JobsArg};
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
pub(crate) struct EachArgs {
    /// Files to read, `-` for standard input; also folders with recordings in them, where results go to a
    /// folder or replace their files. Of two files alone, the second is where the result goes
    #[arg(value_name = "FILE", required = true)]
    files: Vec<OsString>,

    /// Where the result of a single file goes, `-` for standard output
    #[arg(short, long, value_name = "OUT", conflicts_with = "out_dir")]
    output: Option<Target>,

    /// Write the results into this folder, under the names of the files
    #[arg(long, value_name = "DIR")]
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
        if self.in_place {
            let work = |source: &Source| work(source, &in_place(source)?);
            return self.each.many(formats).each(good, work);
        }
        self.each.for_each(good, formats, "", "--out-dir or --in-place", work)
    }
}

impl EachArgs {
    /// Does the work with each recording of these formats. In a folder, results have this at the end of their names.
    /// `options` say where results go.
    pub(crate) fn for_each(
        &self,
        good: &'static str,
        formats: &'static [Format],
        ending: &str,
        options: &str,
        work: impl Fn(&Source, &Destination) -> Outcome + Sync,
    ) -> Outcome {
        if let Some(folder) = &self.out_dir {
            let destination = |source: &Source| Destination::in_folder(source, folder, ending);
            let files = self.many(formats);
            check_distinct(&files.recordings(), destination)?;
            return files.each(good, |source| work(source, &destination(source)?));
        }
        let (source, target) = match (&self.files[..], &self.output) {
            ([file], Some(target)) => (file, target.clone()),
            ([file, target], None) => (file, Target::from(target.clone())),
            ([_], None) => {
                let problem = "where does the result go? Name a second file, or give";
                return Err(Failure::usage(format_args!("{problem} {options}")));
            }
            _ => {
                let problem = "the results of several files need";
                return Err(Failure::usage(format_args!("{problem} {options}")));
            }
        };
        check_apart(&target, self.json)?;
        work(&Source::from(source.clone()), &target.into())
    }

    /// The files, and the recordings of these formats in folders.
    fn many(&self, formats: &'static [Format]) -> FilesArgs {
        let named = self.files.iter().cloned().map(Source::from).collect();
        FilesArgs::of(named, self.jobs).only(formats)
    }
}

/// A usage error if the result of one file would replace that of another.
fn check_distinct(
    sources: &[Source],
    destination: impl Fn(&Source) -> Result<Destination, Failure>,
) -> Result<(), Failure> {
    let mut targets = BTreeMap::new();
    for source in sources {
        let target = destination(source)?.target.to_string();
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
        _ => Err(Failure::usage(format_args!("{source} cannot be written in place"))),
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
