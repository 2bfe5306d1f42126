//! Many files at once: on all cores, with output in the order of the input.
//!
//! A command that reads takes [`FilesArgs`] and does its work on one file at a time, as if there
//! were no other. What it prints comes out in the order of the input, whichever file is done first;
//! what is wrong with one file is reported, and the others are still worked on; at the end a line says
//! how many were sound. The exit code is that of the worst.
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
//!
//! A command that makes one result of all files returns a value for each, and takes the values in the
//! order of the input:
//!
//! ```ignore
//! let mut table = Table::default();
//! let gathered = self.files.gather("read", |source| self.row(source), |source, row| {
//!     table.add(source, row);
//!     Ok(())
//! })?;
//! print(&table.into_text())?;
//! gathered.conclude()
//! ```

mod folders;
mod queue;
mod tally;

use std::fmt::{self, Display};
use std::num::NonZeroUsize;
use std::thread;

use gametape_replay::open::Format;
use serde::Serialize;

use crate::failure::{Done, Failure, Outcome, take_loss};
use crate::input::{Source, format_of};
use crate::output::print;
use crate::text::printable;
use folders::{Item, expand};
use queue::in_order;
use tally::Tally;

/// Files and folders to read, and how many of them at the same time.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct FilesArgs {
    /// Files to read, folders with recordings in them, or addresses (s3://…, https://…); `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) sources: Vec<Source>,

    #[command(flatten)]
    pub(crate) jobs: JobsArg,

    /// In folders, only recordings of these formats; of all where there are none.
    #[arg(skip)]
    formats: &'static [Format],

    /// What the summary calls a file whose result is not good; damaged unless another word is given.
    #[arg(skip)]
    bad: Option<&'static str>,
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

impl FilesArgs {
    /// Files that a command found among its arguments.
    pub(crate) fn of(sources: Vec<Source>, jobs: JobsArg) -> Self {
        Self { sources, jobs, formats: &[], bad: None }
    }

    /// The same files, but in folders only those of these formats: the others are skipped.
    pub(crate) fn only(&self, formats: &'static [Format]) -> Self {
        Self { formats, ..self.clone() }
    }

    /// The files, and the recordings in the folders among them, damaged ones included.
    pub(crate) fn recordings(&self) -> Vec<Source> {
        let items = expand(&self.sources).into_iter();
        items.filter(|item| item.wanted(self.formats).is_some()).map(|item| item.source).collect()
    }

    /// The same files, those whose result is not good called by another word in the summary.
    pub(crate) fn calling_bad(self, bad: &'static str) -> Self {
        Self { bad: Some(bad), ..self }
    }

    /// Were several files given, or a folder, however many are in it?
    pub(crate) fn are_many(&self) -> bool {
        matches!(&*self.sources, [_, _, ..]) || self.sources.iter().any(Source::is_folder)
    }

    /// Prints the name of a file above what is shown of it, where there are many.
    pub(crate) fn title(&self, source: &Source) -> Result<(), Failure> {
        if !self.are_many() {
            return Ok(());
        }
        let style = anstyle::Style::new().bold();
        print(&format!("{style}{}{style:#}\n", printable(&source.to_string())))
    }

    /// A row that names its file, where there are many.
    pub(crate) fn row<T>(&self, source: &Source, row: T) -> OfFile<T> {
        OfFile { file: self.are_many().then(|| source.to_string()), row }
    }

    /// Does the same to every file. `good` is what the summary calls a file without problems, as in
    /// "500 matches: 498 sound, 2 damaged".
    pub(crate) fn each(
        &self,
        good: &'static str,
        work: impl Fn(&Source) -> Outcome + Sync,
    ) -> Outcome {
        let work = |source: &Source| work(source).map(|done| (done, ()));
        self.gather(good, work, |_, ()| Ok(()))?.conclude()
    }

    /// Works on every file, and hands the results to `take` in the order of the input. `Err` if
    /// `take` fails or the output is closed: what is wrong with a file is in what is returned.
    pub(crate) fn gather<T: Send>(
        &self,
        good: &'static str,
        work: impl Fn(&Source) -> Result<(Done, T), Failure> + Sync,
        mut take: impl FnMut(&Source, T) -> Result<(), Failure>,
    ) -> Result<Gathered, Failure> {
        let mut tally = Tally::new(good, self.bad);
        if let ([source], false) = (&*self.sources, self.are_many()) {
            if let Some(value) = tally.count(work_on(Ok(source), &work))? {
                take(source, value)?;
            }
            return Ok(Gathered { tally, folders: None });
        }
        let items = expand(&self.sources);
        let worked = |item: &Item| Some(work_on(item.wanted(self.formats)?, &work));
        in_order(&items, self.jobs.number(), worked, |item, result| match result {
            None => {
                tally.skip();
                Ok(())
            }
            Some(Err(failure)) if item.is_found && failure.is_other_kind() => {
                tally.skip();
                Ok(())
            }
            Some(result) => match tally.count(result)? {
                Some(value) => take(&item.source, value),
                None => Ok(()),
            },
        })?;
        let names: Vec<String> = self.sources.iter().map(ToString::to_string).collect();
        Ok(Gathered { tally, folders: Some(names.join(", ")) })
    }
}

/// Something that was found in a file. As JSON it names the file.
#[derive(Debug, Serialize)]
pub(crate) struct OfFile<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(flatten)]
    row: T,
}

impl<T> OfFile<T> {
    /// Something that was found in a file.
    pub(crate) fn new(source: &Source, row: T) -> Self {
        Self { file: Some(source.to_string()), row }
    }
}

impl<T: Display> Display for OfFile<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.row.fmt(f)
    }
}

/// How the work on all files ended.
#[derive(Debug)]
#[must_use = "the summary and the exit code are in it"]
pub(crate) struct Gathered {
    tally: Tally,
    /// Where the files were looked for, if there may be many.
    folders: Option<String>,
}

impl Gathered {
    /// Prints the summary of many files; returns the worst of all outcomes.
    pub(crate) fn conclude(self) -> Outcome {
        if let Some(folders) = &self.folders {
            self.tally.summarize(folders)?;
        }
        self.tally.into_outcome()
    }
}

/// Works on a file, and says whether something was lost before the work began.
fn work_on<T>(
    source: Result<&Source, Failure>,
    work: &impl Fn(&Source) -> Result<(Done, T), Failure>,
) -> Result<(Done, T), Failure> {
    let worked = source.and_then(work);
    let lost = take_loss();
    worked.map(|(done, value)| (if lost { Done::DataLost } else { done }, value))
}

impl Item {
    /// The file, unless it was found in a folder and is no recording, or of another format.
    fn wanted(&self, formats: &[Format]) -> Option<Result<&Source, Failure>> {
        if let Some(problem) = &self.problem {
            return Some(Err(Failure::refused(&self.source, problem)));
        }
        if !self.is_found {
            return Some(Ok(&self.source));
        }
        match format_of(&self.source) {
            Ok(Some((found, damage))) if formats.is_empty() || formats.contains(&found) => {
                Some(damage.map_or(Ok(&self.source), Err))
            }
            Ok(_) => None,
            Err(failure) => Some(Err(failure)),
        }
    }
}
