//! How a command ends: what is printed to stderr, and the exit code.

use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::{AnsiColor, Style};
use gametape_files::streams::{self, Stream};
use gametape_files::{Saying, take_loss};

use crate::text::harmless;
pub(crate) use gametape_files::{Done, Failure, Outcome, note, warn, warn_of_each, warn_of_loss};

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

/// Prints what is left to say and gives the exit code.
pub(crate) fn conclude(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(Done::Fine) if !take_loss() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(3),
        Err(failure) => {
            failure.say();
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Prints help, the version, or what is wrong with the arguments, and gives the exit code.
pub(crate) fn answer(answer: &clap::Error) -> ExitCode {
    match answer.print() {
        Err(error) if !answer.use_stderr() => {
            conclude(Err(Failure::io(&"standard output", &error)))
        }
        _ => ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(2)),
    }
}

/// Prints a message. Where not even that is possible, nobody reads it.
pub(crate) fn say(saying: Saying, text: &str) {
    let label = match saying {
        Saying::Error => label("error", AnsiColor::Red),
        _ if is_quiet() => return,
        Saying::Warning => label("warning", AnsiColor::Yellow),
        Saying::Note => label("note", AnsiColor::Green),
        _ => String::new(),
    };
    // Messages may quote a file, and lines of it.
    let line = format!("{label}{}\n", harmless(text, "\n\t"));
    let _ = streams::put(Stream::Messages, line.as_bytes());
}

/// `error: `, coloured.
pub(crate) fn label(kind: &str, colour: AnsiColor) -> String {
    let style = Style::new().bold().fg_color(Some(colour.into()));
    format!("{style}{kind}:{style:#} ")
}
