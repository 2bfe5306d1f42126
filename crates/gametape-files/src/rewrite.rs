//! One result for each file that is read: where results go, and what is reported about them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use gametape_replay::open::Format;
use serde::Serialize;

use crate::host::{note, warn};
use crate::many::Files;
use crate::outcome::{Done, Failure, Outcome};
use crate::print::print_json;
use crate::source::Source;
use crate::target::{Destination, Target};

/// Files that are each made into another, and where the results go.
#[derive(Debug, Clone, Default)]
pub struct Rewriting {
    /// Files and folders as they were named. Of two alone, the second is where the result of the first goes.
    pub named: Vec<OsString>,
    /// How many files are worked on at the same time.
    pub jobs: usize,
    /// Where the result of a single file goes.
    pub output: Option<Target>,
    /// The folder that results go to, under the names of their files.
    pub out_dir: Option<PathBuf>,
    /// What names of results in that folder have at their end.
    pub ending: &'static str,
    /// Does each result replace its file?
    pub in_place: bool,
    /// Is what was done printed as JSON?
    pub json: bool,
    /// Is work done on what was a recording once, and cannot be recognised any more?
    pub with_remains: bool,
}

impl Rewriting {
    /// Does the work with each recording of these formats; goes on with the others where it fails. `good` is what the
    /// summary calls a file without problems.
    pub fn for_each(
        &self,
        good: &'static str,
        formats: &'static [Format],
        work: impl Fn(&Source, &Destination) -> Outcome + Sync,
    ) -> Outcome {
        let named = || self.named.iter().cloned().map(Source::from).collect();
        let files = || match Files::new(named(), self.jobs).only(formats) {
            files if self.with_remains => files.with_remains(),
            files => files,
        };
        if self.in_place {
            return files().each(good, |source| work(source, &in_place(source)?));
        }
        if let Some(folder) = &self.out_dir {
            let destination = |source: &Source| Destination::in_folder(source, folder, self.ending);
            let files = files();
            check_distinct(&files.recordings(), destination)?;
            return files.each(good, |source| work(source, &destination(source)?));
        }
        let (source, target) = self.one()?;
        check_apart(&target, self.json)?;
        work(&source, &target.into())
    }

    /// The only file, and where its result goes.
    fn one(&self) -> Result<(Source, Target), Failure> {
        match (&self.named[..], &self.output) {
            ([file], Some(target)) => Ok((file.clone().into(), target.clone())),
            ([file, target], None) => Ok((file.clone().into(), target.clone().into())),
            ([_], None) => {
                let problem = "where does the result go? Name a second file, or give";
                Err(Failure::usage(format_args!("{problem} {}", self.options())))
            }
            _ => {
                let problem = "the results of several files need";
                Err(Failure::usage(format_args!("{problem} {}", self.options())))
            }
        }
    }

    /// The options that say where results go.
    fn options(&self) -> &'static str {
        // A result under another name cannot replace its file.
        if self.ending.is_empty() { "--out-dir or --in-place" } else { "--out-dir" }
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
pub fn check_apart(target: &Target, json: bool) -> Result<(), Failure> {
    if json && *target == Target::Stdout {
        return Err(Failure::usage("--json needs standard output for itself: name a file"));
    }
    Ok(())
}

/// What was done to make a file, and of which file, for machines.
#[derive(Debug, Serialize)]
pub struct Written<'a, T> {
    /// The file.
    pub file: String,
    /// Where the result went.
    pub output: String,
    /// What was done.
    #[serde(flatten)]
    pub result: &'a T,
}

/// What is reported about a file that was made.
#[derive(Debug, Serialize)]
pub struct Report {
    file: String,
    output: Option<String>,
    /// What is different from what it was.
    pub changes: Vec<String>,
    /// What is not in the result.
    pub lost: Vec<String>,
}

impl Report {
    /// Nothing yet about a file that was made of `source`.
    #[must_use]
    pub fn new(source: &Source, output: Option<&Target>) -> Self {
        let output = output.map(ToString::to_string);
        Self { file: source.to_string(), output, changes: Vec::new(), lost: Vec::new() }
    }

    /// Prints the report; returns how the work ended.
    pub fn print(&self, json: bool) -> Outcome {
        if json {
            print_json(self)?;
        } else {
            self.changes.iter().for_each(|change| note(&self.file, change));
            self.lost.iter().for_each(|loss| warn(&self.file, format_args!("lost: {loss}")));
        }
        Ok(Done::lost_if(!self.lost.is_empty()))
    }
}
