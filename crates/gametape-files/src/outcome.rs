//! How work ends: with a result, without something that was lost, or not at all, and why.

use std::fmt::Display;
use std::io;

use gametape_cadre::limits::LOG_BYTES;
use gametape_replay::open::{UNPACKED_SIZE, WHOLE_SIZE};
use gametape_wire::text::{count, thousands, without_code};
use gametape_wire::{Error, ErrorClass, ErrorKind, Place};

use crate::host::{Saying, host};

/// How work ended that came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// All is well.
    Fine,
    /// There is a result, but something of the input is not in it, or was changed.
    DataLost,
}

impl Done {
    /// [`Done::DataLost`] if that is so.
    #[must_use]
    pub fn lost_if(lost: bool) -> Self {
        if lost { Self::DataLost } else { Self::Fine }
    }
}

/// What work returns.
pub type Outcome = Result<Done, Failure>;

/// Why there is no result.
#[derive(Debug)]
pub struct Failure {
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
    #[must_use]
    pub fn usage(problem: impl Display) -> Self {
        Self::new(vec![problem.to_string()], Exit::Usage)
    }

    /// The file called `name` could not be read or written.
    #[must_use]
    pub fn io(name: &impl Display, error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self::new(Vec::new(), Exit::Quiet);
        }
        let error = error.to_string();
        Self::new(vec![format!("{name}: {}", without_code(&error))], Exit::Failed)
    }

    /// Something is wrong with the file called `name`, or with what was asked of it.
    #[must_use]
    pub fn of(name: &impl Display, error: &Error) -> Self {
        if let Some(problem) = over_memory(error) {
            return Self::refused(name, &problem);
        }
        let asked = error.class() == ErrorClass::Misuse && *error.place() == Place::Nowhere;
        let exit = if asked { Exit::Usage } else { Exit::Failed };
        Self::new(vec![format!("{name}: {error}")], exit)
    }

    /// The file called `name` is nothing that the command can work on.
    #[must_use]
    pub fn refused(name: &impl Display, problem: &str) -> Self {
        Self::new(vec![format!("{name}: {problem}")], Exit::Failed)
    }

    /// The file called `name` was a recording once, and cannot even be recognised any more.
    #[must_use]
    pub fn damaged(name: &impl Display, problem: &str) -> Self {
        Self { counts: Counts::Result, ..Self::refused(name, problem) }
    }

    /// The file is a recording of another kind than the command is for, which is wrong usage: exit code 2. What
    /// is no recording at all is [refused](Self::refused) instead: exit code 1. Among the files of a folder it is
    /// skipped.
    #[must_use]
    pub fn other_kind(problem: impl Display) -> Self {
        Self { counts: Counts::Other, ..Self::usage(problem) }
    }

    /// What is wrong is the result, and was printed as such.
    #[must_use]
    pub fn printed() -> Self {
        Self { counts: Counts::Result, ..Self::new(Vec::new(), Exit::Failed) }
    }

    fn new(messages: Vec<String>, exit: Exit) -> Self {
        Self { messages, exit, counts: Counts::Failed }
    }

    /// Why, as text for others than a terminal.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.messages.join("; ")
    }

    /// Is the file nothing that the command is for?
    #[must_use]
    pub fn is_other_kind(&self) -> bool {
        self.counts == Counts::Other
    }

    /// Does nobody read the output any more?
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.exit == Exit::Quiet
    }

    /// Is what is wrong the result?
    #[must_use]
    pub fn is_result(&self) -> bool {
        self.counts == Counts::Result
    }

    /// Says why.
    pub fn say(&self) {
        self.messages.iter().for_each(|message| host().say(Saying::Error, message));
    }

    /// The exit code of a program that ends so: 0 where nobody reads the output any more, 2 for wrong
    /// usage and for a recording of a kind that the command is not for, else 1.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self.exit {
            Exit::Quiet => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
        }
    }

    /// The same with exit code 2, for commands whose code 1 is an answer.
    #[must_use]
    pub fn into_trouble(self) -> Self {
        let exit = if self.exit == Exit::Failed { Exit::Usage } else { self.exit };
        Self { exit, ..self }
    }

    /// Several things are wrong with the file called `name`, none of them the fault of the
    /// command line.
    #[must_use]
    pub fn of_all(name: &impl Display, errors: &[Error]) -> Self {
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
pub struct Worst {
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
    pub fn add(&mut self, done: Done) {
        if done == Done::DataLost {
            self.done = done;
        }
    }

    /// One more failed: says why.
    pub fn add_failure(&mut self, failure: &Failure) {
        failure.say();
        self.exit = self.exit.max(Some(failure.exit));
    }

    /// The worst of all.
    pub fn into_outcome(self) -> Outcome {
        self.exit.map_or(Ok(self.done), |exit| Err(Failure::new(Vec::new(), exit)))
    }
}
