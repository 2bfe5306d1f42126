//! Many files at once: on all cores, with output in the order of the input.
//!
//! Work is done on one file at a time, as if there were no other. What it prints comes out in the order of the
//! input, whichever file is done first; what is wrong with one file is reported, and the others are still worked
//! on; at the end a line says how many were sound. The outcome is that of the worst.
//!
//! ```
//! use gametape_files::{Done, Files, Source};
//!
//! let folder = tempfile::tempdir()?;
//! std::fs::write(folder.path().join("notes.txt"), "no recording")?;
//! let files = Files::new(vec![Source::File(folder.path().into())], 2);
//! let outcome = files.each("sound", |source| source.open().map(|_| Done::Fine));
//! // Files in a folder that are no recordings are skipped, and then there is none.
//! assert!(outcome.is_err_and(|failure| failure.to_text().ends_with("no recordings found (1 file looked at)")));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Who makes one result of all files returns a value for each, and takes the values in the order of the input:
//! [`Files::gather`].

mod folders;
mod queue;
mod tally;

use std::fmt::{self, Display};

use anstyle::Style;
use gametape_replay::open::Format;
use gametape_wire::text::printable;
use serde::Serialize;

use crate::host::take_loss;
use crate::outcome::{Done, Failure, Outcome};
use crate::print::print;
use crate::source::{Source, format_of};
use folders::{Item, expand};
use queue::in_order;
use tally::Tally;

/// Files and folders to read, and how many of them at the same time.
#[derive(Debug, Clone)]
pub struct Files {
    sources: Vec<Source>,
    jobs: usize,
    /// In folders, only recordings of these formats; of all where there are none.
    formats: &'static [Format],
    /// What the summary calls a file whose result is not good; damaged unless another word is given.
    bad: Option<&'static str>,
    /// Is work done on what was a recording once, and cannot be recognised any more?
    with_remains: bool,
}

impl Files {
    /// These files and folders, with work on `jobs` files at the same time.
    #[must_use]
    pub fn new(sources: Vec<Source>, jobs: usize) -> Self {
        Self { sources, jobs, formats: &[], bad: None, with_remains: false }
    }

    /// The files and folders as they were given.
    #[must_use]
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The same files, but in folders only those of these formats: the others are skipped.
    #[must_use]
    pub fn only(&self, formats: &'static [Format]) -> Self {
        Self { formats, ..self.clone() }
    }

    /// The same files, but work is also done on those in folders that were recordings once, and cannot be recognised
    /// any more. Else they are reported.
    #[must_use]
    pub fn with_remains(self) -> Self {
        Self { with_remains: true, ..self }
    }

    /// The files, and the recordings in the folders among them, damaged ones included.
    #[must_use]
    pub fn recordings(&self) -> Vec<Source> {
        let items = expand(&self.sources).into_iter();
        items.filter(|item| self.wanted(item).is_some()).map(|item| item.source).collect()
    }

    /// The file, unless it was found in a folder and is no recording, or of another format.
    fn wanted<'i>(&self, item: &'i Item) -> Option<Result<&'i Source, Failure>> {
        match item.wanted(self.formats)? {
            Err(failure) if self.with_remains && failure.is_result() => Some(Ok(&item.source)),
            wanted => Some(wanted),
        }
    }

    /// The same files, those whose result is not good called by another word in the summary.
    #[must_use]
    pub fn calling_bad(self, bad: &'static str) -> Self {
        Self { bad: Some(bad), ..self }
    }

    /// Were several files given, or a folder, however many are in it?
    #[must_use]
    pub fn are_many(&self) -> bool {
        matches!(&*self.sources, [_, _, ..]) || self.sources.iter().any(Source::is_folder)
    }

    /// Prints the name of a file above what is shown of it, where there are many.
    pub fn title(&self, source: &Source) -> Result<(), Failure> {
        if !self.are_many() {
            return Ok(());
        }
        let style = Style::new().bold();
        print(&format!("{style}{}{style:#}\n", printable(&source.to_string())))
    }

    /// A row that names its file, where there are many.
    #[must_use]
    pub fn row<T>(&self, source: &Source, row: T) -> OfFile<T> {
        OfFile { file: self.are_many().then(|| source.to_string()), row }
    }

    /// Does the same to every file. `good` is what the summary calls a file without problems, as in
    /// "500 matches: 498 sound, 2 damaged".
    pub fn each(&self, good: &'static str, work: impl Fn(&Source) -> Outcome + Sync) -> Outcome {
        let work = |source: &Source| work(source).map(|done| (done, ()));
        self.gather(good, work, |_, ()| Ok(()))?.conclude()
    }

    /// Works on every file, and hands the results to `take` in the order of the input. `Err` if
    /// `take` fails, the output is closed, or standard input is given twice: what is wrong with a file is in what is
    /// returned.
    pub fn gather<T: Send>(
        &self,
        good: &'static str,
        work: impl Fn(&Source) -> Result<(Done, T), Failure> + Sync,
        mut take: impl FnMut(&Source, T) -> Result<(), Failure>,
    ) -> Result<Gathered, Failure> {
        Source::check_stdin(&self.sources)?;
        let mut tally = Tally::new(good, self.bad);
        if let ([source], false) = (&*self.sources, self.are_many()) {
            if let Some(value) = tally.count(work_on(Ok(source), &work))? {
                take(source, value)?;
            }
            return Ok(Gathered { tally, folders: None });
        }
        let items = expand(&self.sources);
        let worked = |item: &Item| Some(work_on(self.wanted(item)?, &work));
        in_order(&items, self.jobs, worked, |item, result| match result {
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
pub struct OfFile<T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(flatten)]
    row: T,
}

impl<T> OfFile<T> {
    /// Something that was found in a file.
    #[must_use]
    pub fn new(source: &Source, row: T) -> Self {
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
pub struct Gathered {
    tally: Tally,
    /// Where the files were looked for, if there may be many.
    folders: Option<String>,
}

impl Gathered {
    /// Prints the summary of many files; returns the worst of all outcomes.
    pub fn conclude(self) -> Outcome {
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
