//! How a command ends: what is printed to stderr, and the exit code.

use std::cell::Cell;
use std::fmt::Display;
use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use gametape_cadre::limits::LOG_BYTES;
use gametape_replay::open::{UNPACKED_SIZE, WHOLE_SIZE};
use gametape_wire::{Error, ErrorClass, ErrorKind, Place};

use crate::streams::{self, Stream};
use crate::text::{count, harmless, thousands};

/// How a command ended that came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    /// All is well.
    Fine,
    /// There is a result, but something of the input is not in it, or was changed.
    DataLost,
}

impl Done {
    /// [`Done::DataLost`] if that is so.
    pub(crate) fn lost_if(lost: bool) -> Self {
        if lost { Self::DataLost } else { Self::Fine }
    }
}

/// What a command returns.
pub(crate) type Outcome = Result<Done, Failure>;

/// Why a command gave up.
#[derive(Debug)]
pub(crate) struct Failure {
    messages: Vec<String>,
    exit: Exit,
    /// What it means for the count of many files.
    counts: Counts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counts {
    /// The command failed.
    Failed,
    /// What is wrong is the result.
    Result,
    /// The file is nothing that the command is for.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Exit {
    /// Whoever read the output has seen enough.
    Quiet,
    Failed,
    Usage,
}

impl Failure {
    /// The command line asks for something that cannot be.
    pub(crate) fn usage(problem: impl Display) -> Self {
        Self::new(vec![problem.to_string()], Exit::Usage)
    }

    /// The file called `name` could not be read or written.
    pub(crate) fn io(name: &impl Display, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::new(Vec::new(), Exit::Quiet);
        }
        Self::new(vec![format!("{name}: {error}")], Exit::Failed)
    }

    /// Something is wrong with the file called `name`, or with what was asked of it.
    pub(crate) fn of(name: &impl Display, error: &Error) -> Self {
        if let Some(problem) = over_memory(error) {
            return Self::refused(name, &problem);
        }
        let asked = error.class() == ErrorClass::Misuse && *error.place() == Place::Nowhere;
        let exit = if asked { Exit::Usage } else { Exit::Failed };
        Self::new(vec![format!("{name}: {error}")], exit)
    }

    /// The file called `name` is nothing that the command can work on.
    pub(crate) fn refused(name: &impl Display, problem: &str) -> Self {
        Self::new(vec![format!("{name}: {problem}")], Exit::Failed)
    }

    /// The file called `name` was a recording once, and cannot even be recognised any more.
    pub(crate) fn damaged(name: &impl Display, problem: &str) -> Self {
        Self { counts: Counts::Result, ..Self::refused(name, problem) }
    }

    /// The file is a recording of another kind than the command is for. Among the files of a folder it is
    /// skipped.
    pub(crate) fn other_kind(problem: impl Display) -> Self {
        Self { counts: Counts::Other, ..Self::usage(problem) }
    }

    /// What is wrong is the result, and was printed as such.
    pub(crate) fn printed() -> Self {
        Self { counts: Counts::Result, ..Self::new(Vec::new(), Exit::Failed) }
    }

    fn new(messages: Vec<String>, exit: Exit) -> Self {
        Self { messages, exit, counts: Counts::Failed }
    }

    /// Why, as text for others than a terminal.
    pub(crate) fn to_text(&self) -> String {
        self.messages.join("; ")
    }

    /// Is the file nothing that the command is for?
    pub(crate) fn is_other_kind(&self) -> bool {
        self.counts == Counts::Other
    }

    /// Does nobody read the output any more?
    pub(crate) fn is_quiet(&self) -> bool {
        self.exit == Exit::Quiet
    }

    /// Is what is wrong the result?
    pub(crate) fn is_result(&self) -> bool {
        self.counts == Counts::Result
    }

    /// Prints why.
    fn print(&self) {
        for message in &self.messages {
            say("error", AnsiColor::Red, message);
        }
    }

    /// The same with exit code 2, for commands whose code 1 is an answer.
    pub(crate) fn into_trouble(self) -> Self {
        let exit = if self.exit == Exit::Failed { Exit::Usage } else { self.exit };
        Self { exit, ..self }
    }

    /// Several things are wrong with the file called `name`, none of them the fault of the
    /// command line.
    pub(crate) fn of_all(name: &impl Display, errors: &[Error]) -> Self {
        let mut messages: Vec<String> = errors.iter().map(|e| format!("{name}: {e}")).collect();
        if let count @ 2.. = errors.len() {
            messages.push(format!("{name}: {count} errors, nothing was written"));
        }
        Self::new(messages, Exit::Failed)
    }
}

/// What takes more memory than `--max-memory` allows, if that is what is wrong.
fn over_memory(error: &Error) -> Option<String> {
    let ErrorKind::OverLimit { value, limit } = error.kind() else { return None };
    let what = match error.item() {
        WHOLE_SIZE => "it",
        UNPACKED_SIZE => "what it unpacks to",
        item if item.starts_with(LOG_BYTES.name) => "its text",
        _ => return None,
    };
    // Whoever stops reading at the limit does not know how much more there is.
    let takes = match value.saturating_sub(*limit) {
        1 => "more than".to_owned(),
        _ => format!("{}, and the most is", count(*value, "byte")),
    };
    Some(format!("{what} takes {takes} {}: --max-memory allows more", thousands(*limit)))
}

/// The worst of several outcomes.
#[derive(Debug)]
pub(crate) struct Worst {
    done: Done,
    exit: Option<Exit>,
}

impl Default for Worst {
    fn default() -> Self {
        Self { done: Done::Fine, exit: None }
    }
}

impl Worst {
    /// One more came to its end.
    pub(crate) fn add(&mut self, done: Done) {
        if done == Done::DataLost {
            self.done = done;
        }
    }

    /// One more failed: prints why.
    pub(crate) fn add_failure(&mut self, failure: &Failure) {
        failure.print();
        self.exit = self.exit.max(Some(failure.exit));
    }

    /// The worst of all.
    pub(crate) fn into_outcome(self) -> Outcome {
        self.exit.map_or(Ok(self.done), |exit| Err(Failure::new(Vec::new(), exit)))
    }
}

thread_local! {
    /// Was something of an input lost before the command saw it?
    static INPUT_LOST: Cell<bool> = const { Cell::new(false) };
}

/// Was something of an input lost since the last call?
pub(crate) fn take_loss() -> bool {
    INPUT_LOST.take()
}

/// Prints a warning: something of the file called `name` is not in what the command works on. Then
/// the command does not end as if all were well.
pub(crate) fn warn_of_loss(name: &impl Display, problem: impl Display) {
    INPUT_LOST.set(true);
    warn(name, problem);
}

/// Are only results and errors printed?
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// From now on only results and errors are printed: no warnings, notes, summaries and progress.
pub(crate) fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

/// Are only results and errors printed?
pub(crate) fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Prints a warning about the file called `name`.
pub(crate) fn warn(name: &impl Display, problem: impl Display) {
    if !is_quiet() {
        say("warning", AnsiColor::Yellow, &format!("{name}: {problem}"));
    }
}

/// More warnings of one kind are counted, not shown.
const SHOWN_WARNINGS: usize = 10;

/// Prints the first of several warnings about the file called `name`, and how many more there are of
/// all.
pub(crate) fn warn_of_each<T: Display>(
    name: &impl Display,
    problems: impl IntoIterator<Item = T>,
    all: u64,
    noun: &str,
) {
    let mut shown = 0;
    for problem in problems.into_iter().take(SHOWN_WARNINGS) {
        warn(name, problem);
        shown += 1;
    }
    if all > shown {
        warn(name, format_args!("{} more like this", count(all - shown, noun)));
    }
}

/// Prints what was done to the file called `name`.
pub(crate) fn note(name: &impl Display, what: impl Display) {
    if !is_quiet() {
        say("note", AnsiColor::Green, &format!("{name}: {what}"));
    }
}

/// Prints how the work on many files ended.
pub(crate) fn summarize(what: impl Display) {
    if !is_quiet() {
        let _ = streams::put(Stream::Messages, format!("{what}\n").as_bytes());
    }
}

/// Prints what is left to say and gives the exit code.
pub(crate) fn conclude(outcome: Outcome) -> ExitCode {
    let failure = match outcome {
        Ok(Done::Fine) if !take_loss() => return ExitCode::SUCCESS,
        Ok(Done::Fine | Done::DataLost) => return ExitCode::from(3),
        Err(failure) => failure,
    };
    failure.print();
    match failure.exit {
        Exit::Quiet => ExitCode::SUCCESS,
        Exit::Failed => ExitCode::from(1),
        Exit::Usage => ExitCode::from(2),
    }
}

/// Prints a diagnostic. Where not even that is possible, nobody reads it.
fn say(kind: &str, colour: AnsiColor, message: &str) {
    // Messages may quote a file, and lines of it.
    let message = harmless(message, "\n\t");
    let line = format!("{}{message}\n", label(kind, colour));
    let _ = streams::put(Stream::Messages, line.as_bytes());
}

/// `error: `, coloured.
pub(crate) fn label(kind: &str, colour: AnsiColor) -> String {
    let style = Style::new().bold().fg_color(Some(colour.into()));
    format!("{style}{kind}:{style:#} ")
}
